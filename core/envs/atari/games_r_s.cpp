#include "games.h"

namespace poolkit::atari {
namespace {

constexpr std::array kSkiingActions = {NOOP, RIGHT, LEFT};
constexpr std::array kLeft = {LEFT};
constexpr std::array<Action, 16> kSkiingStart = [] {
  std::array<Action, 16> actions{};
  actions.fill(DOWN);
  return actions;
}();

// Every other byte, from the highest digit down, holds eight times a digit; others are blank.
// The byte of the lives is 0x58 before the first start and after the end, 0x59 during the last
// life, else eight times the lives to come. `memory` is that byte.
void riverraid(RamView ram, Tally& tally) {
  int score = 0;
  for (uint8_t address = 0xCD; address <= 0xD7; address += 2) {
    const int byte = byte_at(ram, address);
    score = 10 * score + (byte <= 72 && byte % 8 == 0 ? byte / 8 : 0);
  }
  score_is(score, tally);
  const int left = byte_at(ram, 0xC0);
  tally.game_over = left == 0x58 && tally.memory[0] == 0x59;
  tally.lives = left == 0x58 ? 4 : left == 0x59 ? 1 : left / 8 + 1;
  tally.memory[0] = left;
}

// The last life ends when the bird is hurled about, up or sideways.
void road_runner(RamView ram, Tally& tally) {
  const bool last = (byte_at(ram, 0xC4) & 0x07) == 0;
  tally.game_over = last && (byte_at(ram, 0xB9) != 0 || byte_at(ram, 0xBD) != 0);
}

// A squadron is twelve tanks.
void robotank(RamView ram, Tally& tally) {
  score_is(12 * byte_at(ram, 0xB6) + byte_at(ram, 0xB5), tally);
}

// Each hundredth of a second costs a point.
void skiing(RamView ram, Tally& tally) {
  const int hundredths = decimal_at(ram, 0xEA) + 100 * decimal_at(ram, 0xE9);
  score_is(-(6000 * byte_at(ram, 0xE8) + hundredths), tally);
}

void space_invaders(RamView ram, Tally& tally) {
  tally.game_over = (byte_at(ram, 0x98) & 0x80) != 0 || tally.lives == 0;
}

// Before the game begins the byte counts a life too many: it has begun when five were seen.
void star_gunner(RamView ram, Tally& tally) {
  const int left = byte_at(ram, 0x87);
  if (left == 5) tally.memory[0] = 1;
  tally.lives = tally.memory[0] != 0 ? left & 0x0F : 5;
}

// Over when Clark Kent enters the Daily Bugle. The only reward are the seconds left then of those
// that the clock can show.
void superman(RamView ram, Tally& tally) {
  constexpr int kClock = 99 * 60 + 59;
  const bool clark_kent = (byte_at(ram, 0x9F) & 0x40) != 0;
  const bool daily_bugle = byte_at(ram, 0x80) == 0xAC && byte_at(ram, 0x81) == 0xF2;
  const int seconds = 60 * decimal_at(ram, 0xE3) + decimal_at(ram, 0xE2);
  tally.game_over = clark_kent && daily_bugle;
  tally.reward = tally.game_over ? kClock - seconds : 0;
}

void surround(RamView ram, Tally& tally) {
  constexpr int kEnough = 10;
  tally.game_over = decimal_at(ram, 0xF6) == kEnough || decimal_at(ram, 0xF7) == kEnough;
}

}  // namespace

constexpr Rules kGamesRToS[] = {
    {.name = "riverraid",
     .minimal_actions = kAllActions,
     .difficulties = kLeftSwitch,
     .lives = {.at_start = 4},
     .own = riverraid,
     .memory_at_start = {0x58}},
    {.name = "road_runner",
     .minimal_actions = kAllActions,
     .score = {.bytes = {0xC9, 0xCA, 0xCB, 0xCC},
               .digits = Digits::kSingles,
               .blanks = true,
               .times = 100},
     .lives = {.address = 0xC4, .mask = 0x07, .plus = 1, .at_start = 3},
     .own = road_runner},
    {.name = "robotank",
     .minimal_actions = kAllActions,
     .lives = {.address = 0xA8, .mask = 0x0F, .plus = 1, .at_start = 4},
     .game_over = {{{0xA8, 0}, {0xB4, 0xFF}}},
     .own = robotank},
    {.name = "seaquest",
     .minimal_actions = kAllActions,
     .difficulties = kLeftSwitch,
     .score = {.bytes = {0xBA, 0xB9, 0xB8}},
     .lives = {.address = 0xBB, .plus = 1, .at_start = 4},
     .game_over = {{{0xA3, 0, 0xFF, true}}}},
    {.name = "sir_lancelot",
     .minimal_actions = kSidewaysAndFire,
     .starting_actions = kLeft,
     .longer_reset = 1,
     .score = {.bytes = {0xA0, 0x9F, 0x9E}},
     .lives = {.address = 0xA9, .at_start = 3},
     .game_over = {{{0xA9, 0}, {0xA7, 0xA0}}}},
    {.name = "skiing",
     .minimal_actions = kSkiingActions,
     .legal_actions = kDirections,
     .starting_actions = kSkiingStart,
     .game_over = {{{0x91, 0xFF}}},
     .own = skiing},
    {.name = "solaris",
     .minimal_actions = kAllActions,
     .score = {.bytes = {0xDC, 0xDD, 0xDE}, .times = 10},
     .lives = {.address = 0xD9, .mask = 0x0F, .at_start = 3},
     .game_over = {{{0xD9, 0}}}},
    {.name = "space_invaders",
     .minimal_actions = kSidewaysAndFire,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<16>, .address = 0xDC, .hold = 2},
     .score = {.bytes = {0xE8, 0xE6}, .wraps_at = 10'000},
     .lives = {.address = 0xC9, .at_start = 3},
     .own = space_invaders},
    {.name = "space_war",
     .minimal_actions = kAllActions,
     // While a mode is chosen the score shows it.
     .mode = {.modes = kModes<12, 6>, .address = 0xA7, .decimal = true, .hold = 2},
     .score = {.bytes = {0xA7}},
     .lives = kOneLife,
     .game_over = {{{0x80, 0}}},
     .final_score = 10},
    {.name = "star_gunner",
     .minimal_actions = kAllActions,
     .mode = {.modes = kModes<4>, .address = 0xF4, .hold = 15},
     .score = {.bytes = {0x83, 0x84, 0x85, 0x86},
               .digits = Digits::kSingles,
               .blanks = true,
               .times = 100},
     .lives = {.at_start = 5},
     .game_over = {{{0x87, 0}}},
     .own = star_gunner},
    {.name = "superman",
     .minimal_actions = kAllActions,
     .difficulties = kBothSwitches,
     .lives = kOneLife,
     .own = superman},
    {.name = "surround",
     .minimal_actions = kFourDirections,
     .difficulties = kBothSwitches,
     .mode = {.modes = kModes<2, 0, 2>, .address = 0xF9, .plus = 1, .hold = 2},
     .score = {.bytes = {0xF7}, .theirs = 0xF6},
     .lives = kOneLife,
     .own = surround},
};

}  // namespace poolkit::atari
