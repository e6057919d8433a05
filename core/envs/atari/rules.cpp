#include "rules.h"

#include <algorithm>
#include <stdexcept>

#include "games.h"

namespace poolkit::atari {
namespace {

bool holds(const Test& test, RamView ram) {
  if (test.address == 0) return true;
  const bool equal = (byte_at(ram, test.address) & test.mask) == test.value;
  return equal != test.differs;
}

int decode(const Score& score, RamView ram) {
  int value = 0;
  int weight = 1;
  for (int digit = 0; digit < score.digits; ++digit) {
    const uint8_t address = score.bytes[digit / 2];
    if (address == 0) break;
    value += weight * (byte_at(ram, address) >> 4 * (digit % 2) & 0x0F);
    weight *= 10;
  }
  return value * score.times;
}

}  // namespace

const Rules* find_rules(std::string_view game) {
  const auto rules = all_rules();
  const auto found = std::ranges::find(rules, game, &Rules::name);
  return found == rules.end() ? nullptr : &*found;
}

void choose_mode(const Rules& rules, Switches& switches, int mode) {
  const ModeChoice& choice = rules.mode;
  if (choice.own != nullptr) return choice.own(switches, mode);
  if (choice.address == 0) return;
  while (byte_at(switches.ram(), choice.address) != mode) switches.hold_select(choice.hold);
  switches.press_reset();
}

void Referee::reset() {
  tally_ = {.score = rules_->score.at_start,
            .lives = rules_->lives.at_start,
            .memory = rules_->memory_at_start};
}

void Referee::step(RamView ram) {
  if (rules_->score.bytes[0] != 0) {
    const int score = decode(rules_->score, ram);
    tally_.reward = score - tally_.score;
    if (tally_.reward < 0) tally_.reward += rules_->score.wraps_at;
    tally_.score = score;
  }
  if (rules_->lives.address != 0) {
    const Lives& lives = rules_->lives;
    tally_.lives = (byte_at(ram, lives.address) & lives.mask) + lives.plus;
  }
  if (rules_->game_over[0].address != 0) {
    tally_.game_over =
        std::ranges::all_of(rules_->game_over, [&](const Test& test) { return holds(test, ram); });
  }
  if (rules_->own != nullptr) rules_->own(ram, tally_);
}

}  // namespace poolkit::atari
