// What the tables of games (games_*.cpp) share.
#pragma once

#include <functional>

#include "action_sets.h"
#include "rules.h"

namespace poolkit::atari {

// The tables, by the first letters of the games' names.
extern const Rules kGamesAToB[19];
extern const Rules kGamesCToE[16];
extern const Rules kGamesFToH[12];
extern const Rules kGamesIToL[13];
extern const Rules kGamesMToQ[15];
extern const Rules kGamesRToS[12];
extern const Rules kGamesTToZ[17];

// RAM by the addresses that the 6507 sees: 0x80 to 0xFF.
constexpr int byte_at(RamView ram, uint8_t address) { return ram[address & 0x7F]; }

constexpr int decimal(int byte) { return 10 * (byte >> 4) + (byte & 0x0F); }
// Two binary-coded decimal digits.
constexpr int decimal_at(RamView ram, uint8_t address) { return decimal(byte_at(ram, address)); }

constexpr bool holds(const Test& test, RamView ram) {
  if (test.address == 0) return true;
  const bool equal = (byte_at(ram, test.address) & test.mask) == test.value;
  return equal != test.differs;
}

// For games whose own rule reads the score.
constexpr void score_is(int score, Tally& tally) {
  tally.reward = score - tally.score;
  tally.score = score;
}

inline constexpr std::array<uint8_t, 2> kLeftSwitch = {0, 1};
inline constexpr std::array<uint8_t, 2> kRightSwitch = {0, 2};
inline constexpr std::array<uint8_t, 2> kSwitchesTogether = {0, 3};
inline constexpr std::array<uint8_t, 4> kBothSwitches = {0, 1, 2, 3};

// Starting actions: FIRE is held after a wait, and the game has a rest to begin.
template <int wait, int hold, int rest = 0>
inline constexpr std::array<Action, wait + hold + rest> kFireHeld = [] {
  std::array<Action, wait + hold + rest> actions{};
  for (int frame = wait; frame < wait + hold; ++frame) actions[frame] = FIRE;
  return actions;
}();

template <int count, int first = 0, int step = 1>
inline constexpr std::array<uint16_t, count> kModes = [] {
  std::array<uint16_t, count> modes{};
  for (int i = 0; i < count; ++i) modes[i] = static_cast<uint16_t>(first + i * step);
  return modes;
}();

// Presses until it is done; throws std::runtime_error if it never is.
void press_until(const std::function<bool()>& done, const std::function<void()>& press);

}  // namespace poolkit::atari
