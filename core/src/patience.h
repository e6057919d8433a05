// How long a caller waits: until its deadline, asking its interrupt handler now and then.
#ifndef POOLKIT_SRC_PATIENCE_H_
#define POOLKIT_SRC_PATIENCE_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "pool.h"

namespace poolkit {

class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  Patience(std::optional<std::chrono::nanoseconds> timeout, const Interrupt& interrupt);

  bool unlimited() const { return !deadline_; }

  // Waits once, spuriously at times; false when the deadline is over. Without the lock while it
  // calls the interrupt handler, which may throw.
  bool wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed);

 private:
  std::optional<Clock::time_point> deadline_;
  const Interrupt& interrupt_;
  std::optional<Clock::time_point> next_interrupt_;  // none before the first wait
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_PATIENCE_H_
