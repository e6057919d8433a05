#include "spin.h"

#include "cpus.h"

namespace poolkit {
namespace {
std::atomic<int> runnable{1};
}

// Relaxed, here and below: a hint for spinning; nothing is published with it.
void Runnable::add(int change) { runnable.fetch_add(change, std::memory_order_relaxed); }

void Runnable::forget() { runnable.store(1, std::memory_order_relaxed); }

bool Runnable::fits() {
  static const int cpus = static_cast<int>(usable_cpu_count());
  return runnable.load(std::memory_order_relaxed) <= cpus;
}

}  // namespace poolkit
