#include "controllers.h"

#include <algorithm>
#include <array>

namespace poolkit::atari {
namespace {

enum Direction : uint8_t { kUp = 0x10, kDown = 0x20, kLeft = 0x40, kRight = 0x80, kFire = 0x01 };

constexpr std::array<uint8_t, kNumActions> kHeld = {0,
                                                    kFire,
                                                    kUp,
                                                    kRight,
                                                    kLeft,
                                                    kDown,
                                                    kUp | kRight,
                                                    kUp | kLeft,
                                                    kDown | kRight,
                                                    kDown | kLeft,
                                                    kUp | kFire,
                                                    kRight | kFire,
                                                    kLeft | kFire,
                                                    kDown | kFire,
                                                    kUp | kRight | kFire,
                                                    kUp | kLeft | kFire,
                                                    kDown | kRight | kFire,
                                                    kDown | kLeft | kFire};

constexpr int32_t kPaddleStep = 23000;  // ohms

int32_t paddle_middle(const Hardware& hardware) {
  return (hardware.paddle_min + hardware.paddle_max) / 2;
}

constexpr uint32_t charging_cycles(int32_t ohms) {
  if (ohms == 0) return kChargedAtOnce;
  const double seconds = 1.6 * ohms * 0.01e-6;
  return static_cast<uint32_t>(seconds * 1.19e6);
}

// The paddle inputs of a port that has none float, those of paddles that nobody holds are at 0.
void connect_paddles(const Hardware& hardware, uint32_t first, uint32_t second, Inputs& inputs) {
  if (hardware.left == Port::kPaddles) {
    inputs.charging[0] = first;
    inputs.charging[1] = second;
  }
  if (hardware.right == Port::kPaddles) inputs.charging[2] = inputs.charging[3] = kChargedAtOnce;
}

bool has_paddles(const Hardware& hardware) {
  return hardware.left == Port::kPaddles || hardware.right == Port::kPaddles;
}

}  // namespace

void Controllers::centre(const Hardware& hardware) { paddle_ = paddle_middle(hardware); }

void Controllers::turn(const Hardware& hardware, Push push) {
  if (!has_paddles(hardware)) return;
  const uint8_t held = kHeld[static_cast<uint8_t>(push.action)];
  const auto step = static_cast<int32_t>(kPaddleStep * push.strength);
  if (held & kRight) paddle_ -= step;
  if (held & kLeft) paddle_ += step;
  paddle_ = std::clamp(paddle_, hardware.paddle_min, hardware.paddle_max);
}

Inputs Controllers::inputs(const Hardware& hardware, Action action, Panel panel) const {
  Inputs inputs;
  const uint8_t held = kHeld[static_cast<uint8_t>(action)];
  if (has_paddles(hardware)) {
    const uint32_t mine = charging_cycles(paddle_);
    const uint32_t others = charging_cycles(paddle_middle(hardware));
    const bool swapped = hardware.swapped_paddles;
    connect_paddles(hardware, swapped ? others : mine, swapped ? mine : others, inputs);
    if (held & kFire) inputs.port_a &= static_cast<uint8_t>(~(swapped ? kLeft : kRight));
  } else {
    const uint8_t directions = held & 0xf0;
    inputs.port_a &= static_cast<uint8_t>(~(hardware.swapped_ports ? directions >> 4 : directions));
    if (held & kFire) inputs.triggers[hardware.swapped_ports ? 1 : 0] = 0;
  }
  inputs.switches = static_cast<uint8_t>(0x3c | (panel.reset ? 0 : 1) | (panel.select ? 0 : 2) |
                                         (panel.difficulty & 3) << 6);
  return inputs;
}

Inputs untouched_inputs(const Hardware& hardware) {
  Inputs inputs;
  connect_paddles(hardware, kChargedAtOnce, kChargedAtOnce, inputs);
  return inputs;
}

}  // namespace poolkit::atari
