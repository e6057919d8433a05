#include "rules.h"

#include <algorithm>
#include <stdexcept>

#include "games.h"

namespace poolkit::atari {
namespace {

constexpr int kGames = 104;

constexpr auto kIndex = [] {
  const std::span<const Rules> tables[] = {kGamesAToB, kGamesCToE, kGamesFToH, kGamesIToL,
                                           kGamesMToQ, kGamesRToS, kGamesTToZ};
  std::array<const Rules*, kGames> index{};
  int games = 0;
  for (const auto table : tables) {
    for (const Rules& rules : table) index[games++] = &rules;
  }
  if (games != kGames) throw "the tables hold another number of games";  // while compiling
  return index;
}();

int digit(const Score& score, RamView ram, int which) {
  int value = 0;
  switch (score.digits) {
    case Digits::kPairs:
      value = byte_at(ram, score.bytes[which / 2]) >> 4 * (which % 2) & 0x0F;
      break;
    case Digits::kSingles:
      value = byte_at(ram, score.bytes[which]) & 0x0F;
      break;
    case Digits::kNumbers:
      value = byte_at(ram, score.bytes[which]);
      break;
  }
  return score.blanks && value == 0xA ? 0 : value;
}

int total(const Score& score, RamView ram) {
  const int to_a_byte = score.digits == Digits::kPairs ? 2 : 1;
  int value = 0;
  int weight = 1;
  for (int which = 0; which < score.to; ++which) {
    if (score.bytes[which / to_a_byte] == 0) break;
    if (which >= score.from) value += weight * digit(score, ram, which);
    weight *= 10;
  }
  if (score.theirs != 0) {
    const int theirs = byte_at(ram, score.theirs);
    value -= score.digits == Digits::kPairs ? decimal(theirs) : theirs;
  }
  return value * score.times;
}

void count(const Score& score, RamView ram, Tally& tally) {
  score_is(total(score, ram), tally);
  if (tally.reward < 0) tally.reward += score.wraps_at;
  tally.reward = std::clamp(tally.reward, score.least_reward, score.most_reward);
}

}  // namespace

const Rules* find_rules(std::string_view game) {
  const auto found = std::ranges::lower_bound(kIndex, game, {}, &Rules::name);
  return found != kIndex.end() && (*found)->name == game ? *found : nullptr;
}

std::span<const Rules* const> all_rules() { return kIndex; }

uint32_t Switches::random() {
  throw std::logic_error("this console has no random numbers for the choice of a mode");
}

void press_until(const std::function<bool()>& done, const std::function<void()>& press) {
  constexpr int kPatience = 10'000;
  for (int presses = 0; !done(); ++presses) {
    if (presses == kPatience) throw std::runtime_error("the game's mode cannot be chosen");
    press();
  }
}

void choose_mode(const Rules& rules, Switches& switches, int mode) {
  const ModeChoice& choice = rules.mode;
  if (choice.own != nullptr) return choice.own(switches, mode);
  if (choice.address == 0) return;
  if (choice.before != nullptr) choice.before(switches);
  const int wanted = choice.times * mode + choice.plus;
  const auto chosen = [&] {
    const int byte = byte_at(switches.ram(), choice.address);
    const int shown = choice.decimal ? decimal(byte) : byte;
    return (shown == wanted || shown == wanted + choice.title) &&
           holds(choice.also, switches.ram());
  };
  press_until(chosen, [&] { switches.hold_select(choice.hold); });
  switches.press_reset();
}

void Referee::reset(int mode) {
  tally_ = {.score = rules_->score.at_start,
            .lives = rules_->lives.at_start,
            .mode = mode,
            .memory = rules_->memory_at_start};
}

void Referee::step(RamView ram, CartridgeRamView cartridge_ram) {
  const Rules& rules = *rules_;
  const int score_before = tally_.score;
  if (rules.score.bytes[0] != 0) count(rules.score, ram, tally_);
  if (rules.lives.address != 0) {
    const Lives& lives = rules.lives;
    tally_.lives = (byte_at(ram, lives.address) >> lives.shift & lives.mask) + lives.plus;
  }
  const bool final = rules.final_score != 0 && tally_.score == rules.final_score;
  if (rules.game_over[0].address != 0) {
    tally_.game_over = final || std::ranges::all_of(rules.game_over, [&](const Test& test) {
                         return holds(test, ram);
                       });
  } else if (rules.final_score != 0) {
    tally_.game_over = final;
  }
  if (rules.silent_end && tally_.game_over) {
    tally_.score = score_before;
    tally_.reward = 0;
  }
  if (rules.own != nullptr) rules.own(ram, tally_);
  if (rules.own_with_cartridge != nullptr) rules.own_with_cartridge(ram, cartridge_ram, tally_);
}

}  // namespace poolkit::atari
