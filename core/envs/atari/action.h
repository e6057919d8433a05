// What a player does in one emulated frame: ALE's names and numbers.
#pragma once

#include <cstdint>

namespace poolkit::atari {

enum class Action : uint8_t {
  NOOP = 0,
  FIRE = 1,
  UP = 2,
  RIGHT = 3,
  LEFT = 4,
  DOWN = 5,
  UPRIGHT = 6,
  UPLEFT = 7,
  DOWNRIGHT = 8,
  DOWNLEFT = 9,
  UPFIRE = 10,
  RIGHTFIRE = 11,
  LEFTFIRE = 12,
  DOWNFIRE = 13,
  UPRIGHTFIRE = 14,
  UPLEFTFIRE = 15,
  DOWNRIGHTFIRE = 16,
  DOWNLEFTFIRE = 17,
};

inline constexpr int kNumActions = 18;

// An action, and how far the paddle or joystick is pushed, 0 to 1: a paddle turns that fast.
struct Push {
  constexpr Push(Action what = Action::NOOP, float how_far = 1) : action(what), strength(how_far) {}
  bool operator==(const Push&) const = default;

  template <class Archive>
  void fields(Archive& archive) {
    archive(action, strength);
  }

  Action action;
  float strength;
};

}  // namespace poolkit::atari
