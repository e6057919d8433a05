#include "games.h"

namespace poolkit::atari {
namespace {

constexpr std::array<uint8_t, 2> kLeftSwitch = {0, 1};
constexpr std::array<uint8_t, 4> kBothSwitches = {0, 1, 2, 3};

template <int count, int step = 1>
constexpr std::array<uint16_t, count> modes_of() {
  std::array<uint16_t, count> modes{};
  for (int i = 0; i < count; ++i) modes[i] = static_cast<uint16_t>(i * step);
  return modes;
}
template <int count, int step = 1>
inline constexpr std::array<uint16_t, count> kModes = modes_of<count, step>();

constexpr std::array kFire = {FIRE};
constexpr std::array kEnduroActions = {NOOP,      FIRE,     RIGHT,     LEFT,    DOWN,
                                       DOWNRIGHT, DOWNLEFT, RIGHTFIRE, LEFTFIRE};
constexpr std::array kFreewayActions = {NOOP, UP, DOWN};

void boxing(RamView ram, Tally& tally) {
  constexpr int kKnockOut = 0xC0;
  const auto points = [&](uint8_t address) {
    return byte_at(ram, address) == kKnockOut ? 100 : decimal_at(ram, address);
  };
  const int mine = points(0x92);
  const int theirs = points(0x93);
  score_is(mine - theirs, tally);
  const int minutes = byte_at(ram, 0x90) >> 4;
  const bool time_is_up = minutes == 0 && decimal_at(ram, 0x91) == 0;
  tally.game_over = mine == 100 || theirs == 100 || time_is_up;
}

// Before the first ball the byte is 0, too: the game has begun when all five balls were seen.
void breakout(RamView, Tally& tally) {
  if (tally.lives == 5) tally.memory = 1;
  tally.game_over = tally.memory != 0 && tally.lives == 0;
}

// Each day shows the cars that are still to be passed: 200 on the first, 300 on the later ones.
void enduro(RamView ram, Tally& tally) {
  const int day = byte_at(ram, 0xAD);
  const int to_pass = decimal_at(ram, 0xAB) + 100 * decimal_at(ram, 0xAC);
  score_is(day == 0 ? 0 : 200 + 300 * (day - 1) - to_pass, tally);
}

void freeway(RamView, Tally& tally) { tally.reward = tally.reward > 0 ? 1 : 0; }

void ms_pacman_mode(Switches& switches, int mode) {
  // The usual game is mode 1 of the second kind; the others are modes of the first.
  const int number = mode == 0 ? 1 : mode;
  const int kind = mode == 0 ? 1 : 0;
  while (byte_at(switches.ram(), 0x99) != number || byte_at(switches.ram(), 0xA1) != kind) {
    switches.hold_select(10);
  }
  switches.press_reset();
}

void pong(RamView ram, Tally& tally) {
  const int theirs = byte_at(ram, 0x8D);
  const int mine = byte_at(ram, 0x8E);
  score_is(mine - theirs, tally);
  tally.game_over = mine == 21 || theirs == 21;
}

// The byte falls from 2 to -2. A fire button can begin a new game within the frame of the last
// death: then it jumps from -1 to 2. The score of an ended game does not count. `memory` is the
// byte of the frame before.
void qbert(RamView ram, Tally& tally) {
  const int left = static_cast<int8_t>(byte_at(ram, 0x88));
  tally.game_over = left == -2 || (left == 2 && tally.memory == -1);
  if (left == tally.memory - 1) --tally.lives;
  tally.memory = left;
  if (tally.game_over) {
    tally.reward = 0;
  } else {
    score_is(decimal_at(ram, 0xDB) + 100 * decimal_at(ram, 0xDA) + 10'000 * decimal_at(ram, 0xD9),
             tally);
  }
}

void space_invaders(RamView ram, Tally& tally) {
  tally.game_over = (byte_at(ram, 0x98) & 0x80) != 0 || tally.lives == 0;
}

constexpr Rules kRules[] = {
    {.name = "boxing",
     .minimal_actions = kAllActions,
     .difficulties = kBothSwitches,
     .own = boxing},
    {.name = "breakout",
     .minimal_actions = kSideways,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<12, 4>, .address = 0xB2},
     .score = {.bytes = {0xCD, 0xCC}, .digits = 3},
     .lives = {.address = 0xB9, .at_start = 5},
     .own = breakout},
    {.name = "enduro",
     .minimal_actions = kEnduroActions,
     .starting_actions = kFire,
     .game_over = {{{0xAF, 0xFF}}},
     .own = enduro},
    {.name = "freeway",
     .minimal_actions = kFreewayActions,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<8>, .address = 0x80},
     .score = {.bytes = {0xE7}},
     .game_over = {{{0x96, 1}}},
     .own = freeway},
    {.name = "montezuma_revenge",
     .minimal_actions = kAllActions,
     .score = {.bytes = {0x95, 0x94, 0x93}},
     .lives = {.address = 0xBA, .mask = 0x07, .plus = 1, .at_start = 6},
     .game_over = {{{0xBA, 0}, {0xFE, 0x60}}}},
    {.name = "ms_pacman",
     .minimal_actions = kDirections,
     .mode = {.modes = kModes<4>, .own = ms_pacman_mode},
     .score = {.bytes = {0xF8, 0xF9, 0xFA}},
     .lives = {.address = 0xFB, .mask = 0x07, .plus = 1, .at_start = 3},
     .game_over = {{{0xFB, 0, 0x0F}, {0xA7, 0x53}}}},
    {.name = "pong",
     .minimal_actions = kSidewaysAndFire,
     .difficulties = kBothSwitches,
     .mode = {.modes = kModes<2>, .address = 0x96, .hold = 2},
     .own = pong},
    {.name = "qbert",
     .minimal_actions = kFourDirections,
     .difficulties = kLeftSwitch,
     .lives = {.at_start = 4},
     .own = qbert,
     .memory_at_start = 2},
    {.name = "seaquest",
     .minimal_actions = kAllActions,
     .difficulties = kLeftSwitch,
     .score = {.bytes = {0xBA, 0xB9, 0xB8}},
     .lives = {.address = 0xBB, .plus = 1, .at_start = 4},
     .game_over = {{{0xA3, 0, 0xFF, true}}}},
    {.name = "space_invaders",
     .minimal_actions = kSidewaysAndFire,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<16>, .address = 0xDC, .hold = 2},
     .score = {.bytes = {0xE8, 0xE6}, .wraps_at = 10'000},
     .lives = {.address = 0xC9, .at_start = 3},
     .own = space_invaders},
};

}  // namespace

std::span<const Rules> all_rules() { return kRules; }

}  // namespace poolkit::atari
