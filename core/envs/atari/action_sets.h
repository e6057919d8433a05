// Sets of actions that many games share, as ALE lists them.
#pragma once

#include <array>

#include "action.h"

namespace poolkit::atari {

using enum Action;

inline constexpr std::array kAllActions = {
    NOOP,     FIRE,     UP,          RIGHT,      LEFT,          DOWN,
    UPRIGHT,  UPLEFT,   DOWNRIGHT,   DOWNLEFT,   UPFIRE,        RIGHTFIRE,
    LEFTFIRE, DOWNFIRE, UPRIGHTFIRE, UPLEFTFIRE, DOWNRIGHTFIRE, DOWNLEFTFIRE};
inline constexpr std::array kDirections = {NOOP,    UP,     RIGHT,     LEFT,    DOWN,
                                           UPRIGHT, UPLEFT, DOWNRIGHT, DOWNLEFT};
inline constexpr std::array kFourDirections = {NOOP, FIRE, UP, RIGHT, LEFT, DOWN};
inline constexpr std::array kSideways = {NOOP, FIRE, RIGHT, LEFT};
inline constexpr std::array kSidewaysAndFire = {NOOP, FIRE, RIGHT, LEFT, RIGHTFIRE, LEFTFIRE};

}  // namespace poolkit::atari
