// Memory that batches are written to: recycled, counted by reference, from a replaceable allocator.
#ifndef POOLKIT_SRC_BUFFER_H_
#define POOLKIT_SRC_BUFFER_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace poolkit {

// Where batch memory comes from: the heap, or shared or pinned memory in its place.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void* allocate(size_t bytes) = 0;  // aligned to 64; throws std::bad_alloc
  virtual void deallocate(void* memory, size_t bytes) noexcept = 0;
};

class HeapAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes) override { return ::operator new(bytes, kAlign); }
  void deallocate(void* memory, size_t) noexcept override { ::operator delete(memory, kAlign); }

 private:
  static constexpr std::align_val_t kAlign{64};
};

class BufferStore;

// A shared hold on one buffer; the last one to go gives it back to its store. Any thread may drop
// it.
class BufferRef {
 public:
  BufferRef() = default;
  BufferRef(BufferRef&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  BufferRef& operator=(BufferRef&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~BufferRef();

  void* data() const;
  explicit operator bool() const { return block_ != nullptr; }

 private:
  friend class BufferStore;
  struct Block;
  explicit BufferRef(Block* block) : block_(block) {}
  Block* block_ = nullptr;
};

// Buffers of one size. Outlives its pool for as long as a buffer is out.
class BufferStore : public std::enable_shared_from_this<BufferStore> {
 public:
  BufferStore(size_t bytes, std::shared_ptr<Allocator> allocator)
      : bytes_(bytes), allocator_(std::move(allocator)) {}
  ~BufferStore();

  BufferRef take();
  size_t bytes() const { return bytes_; }

 private:
  friend class BufferRef;
  void give_back(BufferRef::Block* block) noexcept;

  const size_t bytes_;
  const std::shared_ptr<Allocator> allocator_;
  std::mutex mutex_;
  std::vector<BufferRef::Block*> free_;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_BUFFER_H_
