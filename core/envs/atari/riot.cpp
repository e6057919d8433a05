#include "riot.h"

namespace poolkit::atari {

uint8_t Riot::read(uint16_t address, int32_t cycle, const Inputs& inputs) {
  switch (address & 7) {
    case 0:
      return inputs.port_a;
    case 1:
      return direction_a_;
    case 2:
      return inputs.switches;
    case 4:
    case 6:
      return read_timer(cycle);
    case 5:
    case 7:
      return expired(cycle) && !interrupt_read_ ? 0x80 : 0;
    default:
      return 0;
  }
}

void Riot::write(uint16_t address, uint8_t value, int32_t cycle) {
  if ((address & 7) == 1) {
    direction_a_ = value;
  } else if ((address & 0x14) == 0x14) {
    constexpr std::array<uint8_t, 4> kShifts = {0, 3, 6, 10};
    timer_ = value;
    shift_ = kShifts[address & 3];
    set_at_ = cycle;
    interrupt_read_ = 0;
  }
}

// After its end the timer counts single cycles; once read there, intervals again, from where
// that read found it.
uint8_t Riot::read_timer(int32_t cycle) {
  if (!expired(cycle)) return static_cast<uint8_t>(count(cycle));
  const int32_t interval_end = timer_ << shift_;
  const int32_t overrun = interval_end - elapsed(cycle) - 1;
  if (overrun <= -2 && !interrupt_read_) {
    interrupt_read_ = 1;
    interrupt_read_at_ = cycle;
  }
  if (!interrupt_read_) return static_cast<uint8_t>(overrun);
  const int32_t offset = interrupt_read_at_ - (set_at_ + interval_end);
  return static_cast<uint8_t>(timer_ - ticks(cycle) - offset);
}

}  // namespace poolkit::atari
