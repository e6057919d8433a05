#include "fork.h"

#include <pthread.h>

#include <atomic>

#include "spin.h"

namespace poolkit {
namespace {

std::atomic<uint32_t> generation{0};

const int registered = pthread_atfork(nullptr, nullptr, [] {
  generation.fetch_add(1);
  Runnable::forget();
});

}  // namespace

uint32_t fork_generation() {
  static_cast<void>(registered);
  // Relaxed: it changes only in a child that has a single thread yet.
  return generation.load(std::memory_order_relaxed);
}

}  // namespace poolkit
