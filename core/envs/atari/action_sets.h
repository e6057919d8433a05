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
// A move or FIRE, never both.
inline constexpr std::array kDirectionsOrFire = {NOOP, FIRE,    UP,     RIGHT,     LEFT,
                                                 DOWN, UPRIGHT, UPLEFT, DOWNRIGHT, DOWNLEFT};
inline constexpr std::array kFourDirections = {NOOP, UP, RIGHT, LEFT, DOWN};
inline constexpr std::array kFourDirectionsOrFire = {NOOP, FIRE, UP, RIGHT, LEFT, DOWN};
inline constexpr std::array kFourDirectionsAndFire = {NOOP, FIRE,   UP,        RIGHT,    LEFT,
                                                      DOWN, UPFIRE, RIGHTFIRE, LEFTFIRE, DOWNFIRE};
inline constexpr std::array kSidewaysOrFire = {NOOP, FIRE, RIGHT, LEFT};
inline constexpr std::array kSidewaysAndFire = {NOOP, FIRE, RIGHT, LEFT, RIGHTFIRE, LEFTFIRE};
inline constexpr std::array kUpDownOrFire = {NOOP, FIRE, UP, DOWN};
inline constexpr std::array kUpDownAndFire = {NOOP, FIRE, UP, DOWN, UPFIRE, DOWNFIRE};

inline constexpr std::array kFire = {FIRE};
inline constexpr std::array kUp = {UP};

}  // namespace poolkit::atari
