#include "buffer.h"

#include "fork.h"

namespace poolkit {

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
