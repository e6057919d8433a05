#include "buffer.h"

#include <sys/mman.h>

#include "fork.h"

namespace poolkit {
namespace {

constexpr std::align_val_t kAlign{64};
constexpr size_t kPagesFrom = 16 * 1024;

}  // namespace

void* HeapAllocator::allocate(size_t bytes) {
  if (bytes < kPagesFrom) return ::operator new(bytes, kAlign);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

void HeapAllocator::deallocate(void* memory, size_t bytes) noexcept {
  if (bytes < kPagesFrom) return ::operator delete(memory, kAlign);
  // It may fail where it makes two ranges of one, and there are very many: then they are only
  // empty.
  if (munmap(memory, bytes) != 0) madvise(memory, bytes, MADV_DONTNEED);
}

BufferRef::~BufferRef() {
  if (memory_) store_->give_back(memory_);
}

BufferStore::BufferStore(size_t bytes, std::shared_ptr<Allocator> allocator)
    : bytes_(bytes), generation_(fork_generation()), allocator_(std::move(allocator)) {}

BufferStore::~BufferStore() {
  for (void* memory : free_) allocator_->deallocate(memory, bytes_);
}

BufferRef BufferStore::take() {
  std::unique_lock lock(mutex_);
  if (free_.empty()) {
    free_.reserve(made_ + 1);
    void* memory = allocator_->allocate(bytes_);
    ++made_;
    lock.unlock();
    return {shared_from_this(), memory};
  }
  void* memory = free_.back();
  free_.pop_back();
  lock.unlock();
  return {shared_from_this(), memory};
}

size_t BufferStore::made() const {
  const std::lock_guard lock(mutex_);
  return made_;
}

size_t BufferStore::out() const {
  const std::lock_guard lock(mutex_);
  return made_ - free_.size();
}

void BufferStore::give_back(void* memory) noexcept {
  // In a forked child another thread may have held the mutex at the fork, for ever: leak instead.
  if (generation_ != fork_generation()) return;
  std::lock_guard lock(mutex_);
  free_.push_back(memory);
}

}  // namespace poolkit
