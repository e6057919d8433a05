#include "games.h"

namespace poolkit::atari {
namespace {

constexpr std::array kAssaultActions = {NOOP, FIRE, UP, RIGHT, LEFT, RIGHTFIRE, LEFTFIRE};
constexpr std::array kAsteroidsActions = {NOOP,     FIRE,     UP,          RIGHT,     LEFT,
                                          DOWN,     UPRIGHT,  UPLEFT,      UPFIRE,    RIGHTFIRE,
                                          LEFTFIRE, DOWNFIRE, UPRIGHTFIRE, UPLEFTFIRE};
constexpr std::array kAtlantisActions = {NOOP, FIRE, RIGHTFIRE, LEFTFIRE};
constexpr std::array kBackgammonActions = {FIRE, RIGHT, LEFT};
constexpr std::array kBeamRiderActions = {NOOP,    FIRE,   UP,        RIGHT,   LEFT,
                                          UPRIGHT, UPLEFT, RIGHTFIRE, LEFTFIRE};
constexpr std::array kRight = {RIGHT};

constexpr std::array<uint16_t, 33> kAsteroidsModes = [] {
  std::array<uint16_t, 33> modes{};
  for (uint16_t mode = 0; mode < 32; ++mode) modes[mode] = mode;
  modes[32] = 0x80;  // for children
  return modes;
}();
constexpr std::array<uint16_t, 12> kBerzerkModes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0x10, 0x11, 0x12};

constexpr std::array<uint8_t, 1> kBackgammonDifficulty = {3};  // anything else sets up a board
constexpr std::array<uint8_t, 3> kBasicMathDifficulties = {0, 2, 3};

// The only reward is for bringing the chalice home.
void adventure(RamView ram, Tally& tally) {
  const bool home = byte_at(ram, 0xB9) == 0x12;
  const bool eaten = byte_at(ram, 0xE0) == 2;
  if (home) tally.reward = 1;
  tally.game_over = home || eaten;
}

// Where things lie in the third mode follows from a frame counter, so SELECT is held for a time
// that nobody can foresee.
void adventure_mode(Switches& switches, int mode) {
  press_until([&] { return (byte_at(switches.ram(), 0xDD) >> 1 & 3) == mode; },
              [&] {
                switches.hold_select(static_cast<int>(2 + switches.random() % 256));
                switches.act(NOOP);
              });
  switches.press_reset();
}

// Every other byte, from the highest digit down, holds eight times a digit; 0x80 is blank.
void alien(RamView ram, Tally& tally) {
  int score = 0;
  for (uint8_t address = 0x83; address <= 0x8B; address += 2) {
    const int byte = byte_at(ram, address);
    score = 10 * score + (byte == 0x80 ? 0 : byte >> 3);
  }
  score_is(10 * score, tally);
}

// The player's stones count as negative numbers. While the computer thinks it moves stones about,
// so the board tells something only when it has all thirty.
void backgammon(RamView ram, Tally& tally) {
  constexpr int kStones = 15;
  const auto stones = [&](uint8_t address) { return static_cast<int8_t>(byte_at(ram, address)); };
  const auto mine_off = static_cast<int8_t>(-stones(0x80));
  const int8_t theirs_off = stones(0x8E);
  int8_t mine_on = 0;
  int8_t theirs_on = 0;
  for (uint8_t point = 0x81; point <= 0x9B; ++point) {
    if (point == 0x8E) continue;
    if (stones(point) < 0) {
      mine_on = static_cast<int8_t>(mine_on - stones(point));
    } else {
      theirs_on = static_cast<int8_t>(theirs_on + stones(point));
    }
  }
  if (mine_on + mine_off != kStones || theirs_on + theirs_off != kStones) return;
  if (mine_off == kStones || theirs_off == kStones) {
    tally.reward = mine_off == kStones ? 1 : -1;
    tally.game_over = true;
  }
}

// The byte blinks while the ship explodes: a life is gone when that is over.
void beam_rider(RamView ram, Tally& tally) {
  const int left = byte_at(ram, 0x85) + 1;
  const bool exploding = left == tally.lives - 1 && byte_at(ram, 0x8C) != 1;
  if (!exploding) tally.lives = left;
}

// Who has no chips left is shown a score of 0bbb.
void blackjack(RamView ram, Tally& tally) {
  const bool bust = byte_at(ram, 0x86) == 0x0B && byte_at(ram, 0x89) == 0xBB;
  score_is(bust ? 0 : decimal_at(ram, 0x89) + 100 * decimal_at(ram, 0x86), tally);
  tally.game_over = bust || tally.score >= 1000;
}

void bowling(RamView ram, Tally& tally) { tally.game_over = byte_at(ram, 0xA4) > 0x10; }

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
  if (tally.lives == 5) tally.memory[0] = 1;
  tally.game_over = tally.memory[0] != 0 && tally.lives == 0;
}

}  // namespace

constexpr Rules kGamesAToB[] = {
    {.name = "adventure",
     .minimal_actions = kAllActions,
     .difficulties = kBothSwitches,
     .mode = {.modes = kModes<3>, .own = adventure_mode},
     .lives = {.at_start = 1, .survive = true},
     .own = adventure},
    {.name = "air_raid",
     .minimal_actions = kSidewaysAndFire,
     .starting_actions = kFire,
     .mode = {.modes = kModes<8, 1>,
              .address = 0xAA,
              .hold = 10,
              .before = [](Switches& switches) { switches.hold_select(20); }},
     .score = {.bytes = {0xAA, 0xA9, 0xA8}},
     .lives = kOneLife,
     .game_over = {{{0xA7, 0xFF}}}},
    {.name = "alien",
     .minimal_actions = kAllActions,
     .difficulties = kBothSwitches,
     .mode = {.modes = kModes<4>, .address = 0x81},
     .lives = {.address = 0xC0, .mask = 0x0F, .at_start = 3},
     .game_over = {{{0xC0, 0, 0x0F}}},
     .own = alien},
    {.name = "amidar",
     .minimal_actions = kFourDirectionsAndFire,
     .difficulties = kSwitchesTogether,
     .score = {.bytes = {0xD9, 0xDA, 0xDB}},
     .lives = {.address = 0xD6, .mask = 0x0F, .at_start = 3},
     .game_over = {{{0xD6, 0x80}}}},
    {.name = "assault",
     .minimal_actions = kAssaultActions,
     .score = {.bytes = {0x82, 0x81, 0x80}},
     .lives = {.address = 0xE5, .at_start = 4},
     .game_over = {{{0xE5, 0}}}},
    {.name = "asterix",
     .minimal_actions = kDirections,
     .starting_actions = kFire,
     .score = {.bytes = {0xE0, 0xDF, 0xDE}},
     .lives = {.address = 0xD3, .mask = 0x0F, .at_start = 3},
     .game_over = {{{0xC7, 1}, {0xD3, 1, 0x0F}}}},
    {.name = "asteroids",
     .minimal_actions = kAsteroidsActions,
     .difficulties = kSwitchesTogether,
     .mode = {.modes = kAsteroidsModes, .address = 0x80, .hold = 2},
     .score = {.bytes = {0xBE, 0xBD}, .times = 10, .wraps_at = 100'000},
     .lives = {.address = 0xBC, .shift = 4, .at_start = 4},
     .game_over = {{{0xBC, 0, 0xF0}}}},
    {.name = "atlantis",
     .minimal_actions = kAtlantisActions,
     .mode = {.modes = kModes<4>, .address = 0x8D, .hold = 2},
     .score = {.bytes = {0xA2, 0xA3, 0xA1}, .times = 100},
     .lives = {.address = 0xF1, .at_start = 6},
     .game_over = {{{0xF1, 0xFF}}},
     .silent_end = true},
    {.name = "atlantis2",
     .minimal_actions = kAtlantisActions,
     .score = {.bytes = {0xA1, 0xA2, 0xA3}},
     .lives = {.address = 0xF1, .at_start = 6},
     .game_over = {{{0xF1, 0xFF}}},
     .silent_end = true},
    {.name = "backgammon",
     .minimal_actions = kBackgammonActions,
     .difficulties = kBackgammonDifficulty,
     .mode = {.address = 0xDC, .plus = 3},
     .lives = kOneLife,
     .own = backgammon},
    {.name = "bank_heist",
     .minimal_actions = kAllActions,
     .difficulties = kBothSwitches,
     .mode = {.modes = kModes<8, 0, 4>, .address = 0x80},
     .score = {.bytes = {0xDA, 0xD9, 0xD8}},
     .lives = {.address = 0xD5, .at_start = 5},
     .game_over = {{{0xCE, 1}, {0xD5, 0}}}},
    {.name = "basic_math",
     .minimal_actions = kFourDirectionsOrFire,
     .difficulties = kBasicMathDifficulties,
     .mode = {.modes = kModes<4, 5>, .address = 0xC5, .hold = 2},
     .score = {.bytes = {0x84}},
     .lives = kOneLife,
     .game_over = {{{0x86, 0, 0xFF, true}}}},
    {.name = "battle_zone",
     .minimal_actions = kAllActions,
     .mode = {.modes = kModes<3, 1>, .address = 0xA1, .hold = 2},
     .score = {.bytes = {0x9D, 0x9E}, .blanks = true, .from = 1, .times = 100},
     .lives = {.address = 0xBA, .mask = 0x0F, .at_start = 5},
     .game_over = {{{0xBA, 0, 0x0F}}}},
    {.name = "beam_rider",
     .minimal_actions = kBeamRiderActions,
     .starting_actions = kRight,
     .difficulties = kLeftSwitch,
     .score = {.bytes = {0x89, 0x8A, 0x8B}},
     .lives = {.at_start = 3},
     .game_over = {{{0x85, 0xFF}}},
     .own = beam_rider},
    {.name = "berzerk",
     .minimal_actions = kAllActions,
     .mode = {.modes = kBerzerkModes,
              .address = 0x80,
              .hold = 2,
              .before =
                  [](Switches& switches) {
                    for (int frame = 0; frame < 20; ++frame) switches.act(NOOP);
                  }},
     .score = {.bytes = {0xDF, 0xDE, 0xDD}},
     .lives = {.address = 0xDA, .plus = 1, .at_start = 3},
     .game_over = {{{0xDA, 0xFF}}}},
    {.name = "blackjack",
     .minimal_actions = kUpDownOrFire,
     .difficulties = kBothSwitches,
     .lives = kOneLife,
     .own = blackjack},
    {.name = "bowling",
     .minimal_actions = kUpDownAndFire,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<3, 0, 2>, .address = 0x82, .hold = 2},
     .score = {.bytes = {0xA1, 0xA6}},
     .own = bowling},
    {.name = "boxing",
     .minimal_actions = kAllActions,
     .difficulties = kBothSwitches,
     .own = boxing},
    {.name = "breakout",
     .minimal_actions = kSidewaysOrFire,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<12, 0, 4>, .address = 0xB2},
     .score = {.bytes = {0xCD, 0xCC}, .to = 3},
     .lives = {.address = 0xB9, .at_start = 5},
     .own = breakout},
};

}  // namespace poolkit::atari
