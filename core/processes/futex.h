// Waiting for a word of shared memory to change, across processes.
#ifndef POOLKIT_PROCESSES_FUTEX_H_
#define POOLKIT_PROCESSES_FUTEX_H_

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <utility>

namespace poolkit {

// Sleeps while `word` is `seen`; may return early.
inline void futex_wait(const std::atomic<uint32_t>& word, uint32_t seen) {
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

inline void futex_wake(const std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// Looks for news before a sleep, while other threads have the CPU if they want it: to be woken
// costs several times what a light environment's step does.
//
// Where the CPUs have much else to do, who yields waits for all of that, but who sleeps is woken at
// once; so after yields that took long it looks no more for a while.
class Lookout {
 public:
  explicit Lookout(uint32_t microseconds) : limit_(microseconds) {}

  // Whether `news` comes within the limit.
  template <class News>
  bool await(News news) {
    if (news()) return true;
    if (limit_.count() == 0) return false;
    if (skips_ > 0) {
      --skips_;
      return false;
    }
    const auto start = Clock::now();
    for (auto now = start; now < start + limit_;) {
      sched_yield();
      const auto before = std::exchange(now, Clock::now());
      if (now - before > kLong) {
        skips_ = penalty_;
        penalty_ = std::min(2 * penalty_, kMostSkips);
        return news();
      }
      if (news()) {
        penalty_ = 1;
        return true;
      }
    }
    return false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds kLong{1000};
  static constexpr uint32_t kMostSkips = 1024;

  const std::chrono::microseconds limit_;
  uint32_t skips_ = 0, penalty_ = 1;
};

}  // namespace poolkit

#endif  // POOLKIT_PROCESSES_FUTEX_H_
