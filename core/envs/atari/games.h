// What the tables of games (games_*.cpp) share.
#pragma once

#include "action_sets.h"
#include "rules.h"

namespace poolkit::atari {

// RAM by the addresses that the 6507 sees: 0x80 to 0xFF.
constexpr int byte_at(RamView ram, uint8_t address) { return ram[address & 0x7F]; }

// Two binary-coded decimal digits.
constexpr int decimal_at(RamView ram, uint8_t address) {
  return 10 * (byte_at(ram, address) >> 4) + (byte_at(ram, address) & 0x0F);
}

// For games whose own rule reads the score.
constexpr void score_is(int score, Tally& tally) {
  tally.reward = score - tally.score;
  tally.score = score;
}

}  // namespace poolkit::atari
