#include "games.h"

namespace poolkit::atari {
namespace {

constexpr std::array kEnduroActions = {NOOP,      FIRE,     RIGHT,     LEFT,    DOWN,
                                       DOWNRIGHT, DOWNLEFT, RIGHTFIRE, LEFTFIRE};
constexpr std::array kUpFire = {UPFIRE};
// The opening scene must end before anything is heard.
constexpr std::array<Action, 486> kDarkchambersStart{};

constexpr std::array<uint16_t, 3> kCasinoModes = {0, 2, 3};
constexpr std::array<uint16_t, 2> kCentipedeModes = {0x16, 0x56};
constexpr std::array<uint16_t, 10> kDefenderModes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16};

// Poker solitaire (mode 3) ends when the last card is paid for. The other games end at the bank's
// ruin or the player's, from when on nobody may play; 1000 chips are then dealt out for a new game,
// which are no reward. Until then the reward is what it was.
void casino(RamView ram, Tally& tally) {
  const int chips = decimal_at(ram, 0x95) + 100 * decimal_at(ram, 0x8C);
  if (byte_at(ram, 0xD4) == 3) {
    tally.reward = chips - tally.score;
    tally.game_over = chips > 0 && byte_at(ram, 0x9E) == 0xAA;
  } else {
    const bool closed = (byte_at(ram, 0xD3) & 0x80) != 0;
    const bool bet = decimal_at(ram, 0x9E) > 0;
    if (!closed) tally.reward = chips - tally.score;
    tally.game_over = chips == 0 || (bet && closed);
  }
  tally.score = chips;
}

// The game has begun when the helicopter has been seen looking right.
void chopper_command(RamView ram, Tally& tally) {
  tally.memory[0] |= byte_at(ram, 0xC2) & 1;
  tally.game_over = tally.memory[0] != 0 && tally.lives == 0;
}

// Over once the health is gone, the level falls or the score goes round. Nothing is seen in the
// frame of such a fall. `memory` is the level.
void darkchambers(RamView ram, Tally& tally) {
  tally.reward = 0;
  const int level = byte_at(ram, 0xD5);
  if (level < tally.memory[0]) {
    tally.game_over = true;
    return;
  }
  tally.memory[0] = level;
  const int score = 10 * (decimal_at(ram, 0xCC) + 100 * decimal_at(ram, 0xCF));
  const bool healthy = (byte_at(ram, 0xCA) & 0x1F) != 0;
  if (score < tally.score || !healthy) tally.game_over = true;
  if (score >= tally.score) score_is(score, tally);
}

// The console's RAM starts with a pattern there, which is no score.
void demon_attack(RamView ram, Tally& tally) {
  const int low = byte_at(ram, 0x85);
  const int middle = byte_at(ram, 0x83);
  const int high = byte_at(ram, 0x81);
  const bool unset = low == 0xEA && middle == 0xCD && high == 0xAB;
  score_is(unset ? 0 : decimal(low) + 100 * decimal(middle) + 10'000 * decimal(high), tally);
}

void double_dunk(RamView ram, Tally& tally) {
  constexpr int kEnough = 24;
  const bool reached = decimal_at(ram, 0xF6) >= kEnough || decimal_at(ram, 0xF7) >= kEnough;
  tally.game_over = reached && byte_at(ram, 0xFE) == 0xE7;
}

// The mode's bits answer four questions of a menu with yes or no.
void double_dunk_mode(Switches& switches, int mode) {
  const auto press = [&](Action action) {
    switches.act(action);
    switches.act(NOOP);
  };
  const auto go_down = [&] {
    const int line = byte_at(switches.ram(), 0xB0);
    press_until([&] { return byte_at(switches.ram(), 0xB0) != line; }, [&] { press(DOWN); });
  };
  switches.hold_select(1);
  go_down();
  constexpr std::array<uint8_t, 4> kAnswers = {0x08, 0x10, 0x04, 0x20};
  for (int question = 0; question < 4; ++question) {
    go_down();
    const bool yes = (mode >> question & 1) != 0;
    press_until([&] { return ((byte_at(switches.ram(), 0x80) & kAnswers[question]) != 0) == yes; },
                [&] { press(yes ? RIGHT : LEFT); });
  }
  switches.press_reset();
  press(UPFIRE);
}

// Each day shows the cars that are still to be passed: 200 on the first, 300 on the later ones.
void enduro(RamView ram, Tally& tally) {
  const int day = byte_at(ram, 0xAD);
  const int to_pass = decimal_at(ram, 0xAB) + 100 * decimal_at(ram, 0xAC);
  score_is(day == 0 ? 0 : 200 + 300 * (day - 1) - to_pass, tally);
}

// After the last life the byte is 0xFF. The game is over when the title is shown again.
void et(RamView ram, Tally& tally) {
  tally.lives = static_cast<int8_t>(byte_at(ram, 0xE5) + 1);
  tally.game_over = tally.lives == 0 && byte_at(ram, 0x80) == 8;
}

}  // namespace

constexpr Rules kGamesCToE[] = {
    {.name = "carnival",
     .minimal_actions = kSidewaysAndFire,
     .score = {.bytes = {0xAE, 0xAD}, .times = 10},
     .game_over = {{{0x83, 0}}}},
    {.name = "casino",
     .minimal_actions = kUpDownOrFire,
     // A second for the cards to be shuffled, then the player sits down.
     .starting_actions = kFireHeld<60, 2>,
     .difficulties = kBothSwitches,
     .mode = {.modes = kCasinoModes, .address = 0xD4, .hold = 2},
     .lives = kOneLife,
     .own = casino},
    {.name = "centipede",
     .minimal_actions = kAllActions,
     .mode = {.modes = kCentipedeModes, .address = 0xA7, .hold = 2},
     // The score may be cleared before the game is over.
     .score = {.bytes = {0xF6, 0xF5, 0xF4}, .least_reward = 0},
     .lives = {.address = 0xED, .shift = 4, .mask = 0x07, .plus = 1, .at_start = 3},
     .game_over = {{{0xA6, 0x40, 0x40}}}},
    {.name = "chopper_command",
     .minimal_actions = kAllActions,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<2, 0, 2>, .address = 0xE0, .hold = 2},
     .score = {.bytes = {0xEE, 0xEC}, .times = 100},
     .lives = {.address = 0xE4, .mask = 0x0F, .at_start = 3},
     .own = chopper_command},
    {.name = "crazy_climber",
     .minimal_actions = kDirections,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<4>, .address = 0x80, .hold = 2},
     .score = {.bytes = {0x82, 0x83, 0x84, 0x85},
               .digits = Digits::kNumbers,
               .times = 100,
               .least_reward = 0},
     .lives = {.address = 0xAA, .at_start = 5},
     .game_over = {{{0xAA, 0}}}},
    {.name = "crossbow",
     .minimal_actions = kAllActions,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<4, 0, 2>, .address = 0x8D, .plus = 1, .hold = 2},
     .score = {.bytes = {0x8D, 0x8C, 0x8B}},
     .lives = kOneLife,
     .game_over = {{{0xE7, 0x82}}}},
    {.name = "darkchambers",
     .minimal_actions = kAllActions,
     .starting_actions = kDarkchambersStart,
     .lives = kOneLife,
     .own = darkchambers},
    {.name = "defender",
     .minimal_actions = kAllActions,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kDefenderModes, .address = 0x9B, .hold = 2},
     .score = {.bytes = {0x9C, 0x9D, 0x9E, 0x9F, 0xA0, 0xA1},
               .digits = Digits::kSingles,
               .blanks = true},
     .lives = {.address = 0xC2, .at_start = 3},
     .game_over = {{{0xC2, 0}}}},
    {.name = "demon_attack",
     .minimal_actions = kSidewaysAndFire,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<4, 1, 2>, .address = 0xEA},
     .lives = {.address = 0xF2, .plus = 1, .at_start = 4},
     .game_over = {{{0xF2, 0}, {0xF1, 0xBD}}},
     .own = demon_attack},
    {.name = "donkey_kong",
     .minimal_actions = kAllActions,
     .score = {.bytes = {0x88, 0x87}, .times = 100},
     .lives = {.address = 0xA3, .at_start = 2},
     .game_over = {{{0xA3, 0}, {0x8F, 0x03}, {0x8B, 0x1F}}}},
    {.name = "double_dunk",
     .minimal_actions = kAllActions,
     .starting_actions = kUpFire,
     .mode = {.modes = kModes<16>, .own = double_dunk_mode},
     .score = {.bytes = {0xF6}, .theirs = 0xF7},
     .own = double_dunk},
    {.name = "earthworld",
     .minimal_actions = kAllActions,
     .score = {.bytes = {0xA7}},
     .lives = kOneLife,
     .final_score = 10},
    {.name = "elevator_action",
     .minimal_actions = kAllActions,
     .starting_actions = kFireHeld<0, 16>,
     .score = {.bytes = {0x89, 0x88, 0x87}},
     .lives = {.address = 0x83, .at_start = 4},
     .game_over = {{{0x83, 0}, {0x81, 0, 0xFF, true}}}},
    {.name = "enduro",
     .minimal_actions = kEnduroActions,
     .starting_actions = kFire,
     .game_over = {{{0xAF, 0xFF}}},
     .own = enduro},
    {.name = "entombed",
     .minimal_actions = kAllActions,
     .starting_actions = kFireHeld<0, 1, 5>,
     .difficulties = kRightSwitch,
     .score = {.bytes = {0xE3}, .digits = Digits::kNumbers},
     .lives = kOneLife,
     .game_over = {{{0xC7, 0, 0x03}}}},
    {.name = "et",
     .minimal_actions = kAllActions,
     .difficulties = kBothSwitches,
     .mode = {.modes = kModes<3>, .address = 0xEA, .plus = 1, .hold = 25},
     .score = {.bytes = {0xE1, 0xE0, 0xDF}},
     .own = et},
};

}  // namespace poolkit::atari
