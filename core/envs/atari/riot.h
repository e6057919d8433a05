// The 6532: 128 bytes of RAM, a timer, and two ports.
#pragma once

#include <array>
#include <cstdint>

#include "inputs.h"

namespace poolkit::atari {

class Riot {
 public:
  // `random` sets the timer, as the real one starts with an arbitrary value.
  void reset(uint32_t random) {
    timer_ = 25 + random % 75;
    shift_ = 6;
    set_at_ = 0;
    interrupt_read_ = 0;
    interrupt_read_at_ = 0;
    direction_a_ = 0;
  }

  // The count of cycles restarts with each frame.
  void rewind(int32_t cycles) {
    set_at_ -= cycles;
    interrupt_read_at_ -= cycles;
  }

  uint8_t read(uint16_t address, int32_t cycle, const Inputs& inputs);
  void write(uint16_t address, uint8_t value, int32_t cycle);

  // The timer as it is until it expires, and the first cycle in which it is at `value`, or has
  // expired (-1).
  int32_t count(int32_t cycle) const { return timer_ - ticks(cycle) - 1; }
  bool expired(int32_t cycle) const { return count(cycle) < 0; }
  int32_t reaches(int32_t value) const { return set_at_ + 1 + ((timer_ - 1 - value) << shift_); }

  bool valid() const {
    return timer_ >= 0 && timer_ < 256 &&
           (shift_ == 0 || shift_ == 3 || shift_ == 6 || shift_ == 10);
  }

  template <class Archive>
  void fields(Archive& archive) {
    archive(ram, timer_, set_at_, interrupt_read_at_, shift_, interrupt_read_, direction_a_);
  }

  std::array<uint8_t, 128> ram{};

 private:
  int32_t elapsed(int32_t cycle) const { return cycle - 1 - set_at_; }
  int32_t ticks(int32_t cycle) const {
    return static_cast<int32_t>(static_cast<uint32_t>(elapsed(cycle)) >> shift_);
  }

  uint8_t read_timer(int32_t cycle);

  int32_t timer_ = 0;
  int32_t set_at_ = 0;
  int32_t interrupt_read_at_ = 0;
  uint8_t shift_ = 6;
  uint8_t interrupt_read_ = 0;
  uint8_t direction_a_ = 0;
};

}  // namespace poolkit::atari
