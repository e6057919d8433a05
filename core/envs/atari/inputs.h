// What the console's two ports and its switches show to the chips during one frame.
#pragma once

#include <array>
#include <cstdint>

namespace poolkit::atari {

// A paddle is a resistor that charges a capacitor: its TIA input goes high that many cycles
// after the capacitors were last dumped.
inline constexpr uint32_t kChargedAtOnce = 0;
inline constexpr uint32_t kNeverCharged = 0xffffffffu;

struct Inputs {
  uint8_t port_a = 0xff;    // joystick directions, paddle buttons; 0 is pressed
  uint8_t switches = 0x3f;  // port B
  std::array<uint8_t, 2> triggers = {0x80, 0x80};  // TIA inputs 4 and 5; 0 is pressed
  std::array<uint32_t, 4> charging = {kNeverCharged, kNeverCharged, kNeverCharged, kNeverCharged};
};

}  // namespace poolkit::atari
