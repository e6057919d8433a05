#include "patience.h"

#include <algorithm>

#include "spin.h"

namespace poolkit {
namespace {

constexpr std::chrono::milliseconds kBetweenInterrupts{50};

// A timeout of a thousand years is none.
std::optional<Patience::Clock::time_point> deadline_after(
    std::optional<std::chrono::nanoseconds> timeout) {
  if (!timeout) return {};
  const auto now = Patience::Clock::now();
  const auto room = Patience::Clock::time_point::max() - now;
  return now + std::min<std::chrono::nanoseconds>(*timeout, room);
}

}  // namespace

Patience::Patience(std::optional<std::chrono::nanoseconds> timeout, const Interrupt& interrupt)
    : deadline_(deadline_after(timeout)), interrupt_(interrupt) {}

bool Patience::wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed) {
  const auto now = Clock::now();
  if (deadline_ && now >= *deadline_) return false;
  if (!next_interrupt_) next_interrupt_ = now + kBetweenInterrupts;
  if (now >= *next_interrupt_) {
    next_interrupt_ = now + kBetweenInterrupts;
    if (interrupt_) {
      lock.unlock();
      interrupt_();
      lock.lock();
      return true;
    }
  }
  const Blocked blocked;
  changed.wait_until(lock, deadline_ ? std::min(*deadline_, *next_interrupt_) : *next_interrupt_);
  return true;
}

}  // namespace poolkit
