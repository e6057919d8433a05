// Memory that batches are written to: recycled, owned one by one, from a replaceable allocator.
#ifndef POOLKIT_SRC_BUFFER_H_
#define POOLKIT_SRC_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace poolkit {

// Where batch memory comes from: the heap, or shared or pinned memory in its place. Any thread may
// call it.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void* allocate(size_t bytes) = 0;  // aligned to 64; throws std::bad_alloc
  virtual void deallocate(void* memory, size_t bytes) noexcept = 0;
};

// From 16 KiB on memory is pages of its own: first touched, and so placed on its NUMA node, by
// whoever first writes to it, and the system's again as soon as it is not needed. The heap would
// keep it for long: workers allocate in arenas of their own, each as large as it ever was.
class HeapAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes) override;
  void deallocate(void* memory, size_t bytes) noexcept override;
};

class BufferStore;

// The hold on one buffer: when it goes, the buffer returns to its store. Any thread may drop it.
class BufferRef {
 public:
  BufferRef() = default;
  BufferRef(BufferRef&& other) noexcept
      : store_(std::move(other.store_)), memory_(std::exchange(other.memory_, nullptr)) {}
  BufferRef& operator=(BufferRef&& other) noexcept {
    std::swap(store_, other.store_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~BufferRef();

  void* data() const { return memory_; }
  explicit operator bool() const { return memory_ != nullptr; }

 private:
  friend class BufferStore;
  BufferRef(std::shared_ptr<BufferStore> store, void* memory)
      : store_(std::move(store)), memory_(memory) {}

  std::shared_ptr<BufferStore> store_;
  void* memory_ = nullptr;
};

// Buffers of one size. Outlives its pool for as long as a buffer is out.
class BufferStore : public std::enable_shared_from_this<BufferStore> {
 public:
  BufferStore(size_t bytes, std::shared_ptr<Allocator> allocator);
  ~BufferStore();
  BufferStore(const BufferStore&) = delete;

  // A buffer with whatever its last user left in it. Throws std::bad_alloc.
  BufferRef take();
  size_t bytes() const { return bytes_; }
  size_t made() const;  // buffers that exist
  size_t out() const;   // those of them that somebody holds

 private:
  friend class BufferRef;
  void give_back(void* memory) noexcept;

  const size_t bytes_;
  const uint32_t generation_;  // of the process (fork.h)
  const std::shared_ptr<Allocator> allocator_;
  mutable std::mutex mutex_;
  size_t made_ = 0;  // room for all of them is kept in `free_`, so that none can be lost
  std::vector<void*> free_;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_BUFFER_H_
