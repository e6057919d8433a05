// Continuous actions: a joystick's push in polar coordinates, as ale-py reads them.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "action.h"
#include "poolkit/spec.h"

namespace poolkit::atari {

// Radius, angle (0 is right, a quarter turn up) and fire.
inline Array polar_array() {
  constexpr float kPi = std::numbers::pi_v<float>;
  constexpr std::array low = {0.0f, -kPi, 0.0f};
  constexpr std::array high = {1.0f, kPi, 1.0f};
  return box<float>("", {3}, std::span<const float>(low), std::span<const float>(high));
}

// A direction counts, and so does fire, from beyond the threshold on.
inline Push push_of(std::span<const float> polar, float threshold) {
  using enum Action;
  constexpr Action kMoves[2][3][3] = {
      {{DOWNLEFT, LEFT, UPLEFT}, {DOWN, NOOP, UP}, {DOWNRIGHT, RIGHT, UPRIGHT}},
      {{DOWNLEFTFIRE, LEFTFIRE, UPLEFTFIRE},
       {DOWNFIRE, FIRE, UPFIRE},
       {DOWNRIGHTFIRE, RIGHTFIRE, UPRIGHTFIRE}}};
  const auto side = [threshold](float value) {
    return 1 + (value > threshold) - (value < -threshold);
  };
  const int across = side(polar[0] * std::cos(polar[1]));
  const int up = side(polar[0] * std::sin(polar[1]));
  return {kMoves[polar[2] > threshold][across][up], polar[0]};
}

}  // namespace poolkit::atari
