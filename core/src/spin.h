// Spinning with manners: briefly, and only while no other thread wants the CPU.
#ifndef POOLKIT_SRC_SPIN_H_
#define POOLKIT_SRC_SPIN_H_

#include <atomic>
#include <chrono>

namespace poolkit {

// The threads of this process that want a CPU: the awake workers, and its callers, counted as one
// that is awake except while it waits for results.
class Runnable {
 public:
  static void add(int change);
  // In a forked child, which has one thread.
  static void forget();
  // Whether there are CPUs for all of them.
  static bool fits();
};

// A thread that is blocked for as long as this lives.
class Blocked {
 public:
  Blocked() { Runnable::add(-1); }
  ~Blocked() { Runnable::add(1); }
  Blocked(const Blocked&) = delete;
};

inline void cpu_relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// Loop while `spin.again()`; look at what you wait for in between.
class Spin {
 public:
  // About what sleeping and being woken would cost; longer is never better than sleeping.
  static constexpr std::chrono::microseconds kLongest{20};

  bool again() {
    for (int i = 0; i < 8; ++i) cpu_relax();
    return Runnable::fits() && std::chrono::steady_clock::now() < end_;
  }

 private:
  const std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + kLongest;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_SPIN_H_
