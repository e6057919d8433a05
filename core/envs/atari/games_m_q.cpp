#include "games.h"

namespace poolkit::atari {
namespace {

constexpr std::array kPhoenixActions = {NOOP, FIRE,      RIGHT,    LEFT,
                                        DOWN, RIGHTFIRE, LEFTFIRE, DOWNFIRE};

// A hole's reward is its par less the strokes. Before a hole the screen shows its number and par,
// then the strokes since the first hole, which go round after 99; `score` is what it last showed.
void miniature_golf(RamView ram, Tally& tally) {
  auto& [hole, par, more] = tally.memory;  // score + more: the strokes at this hole
  const int left = decimal_at(ram, 0x87);
  const int right = decimal_at(ram, 0x88);
  const int now_at = decimal_at(ram, 0xAF);
  tally.reward = 0;
  if (now_at != hole) {
    const int strokes = tally.score + more;
    if (strokes > 0) tally.reward = par - strokes;
    if (now_at == 0) tally.game_over = true;
    hole = now_at;
    more = -tally.score;
  }
  if (right != 0) {
    par = right;
  } else {
    if (left < tally.score) more += tally.score;
    tally.score = left;
  }
}

void ms_pacman_mode(Switches& switches, int mode) {
  // The usual game is mode 1 of the second kind; the others are modes of the first.
  const int number = mode == 0 ? 1 : mode;
  const int kind = mode == 0 ? 1 : 0;
  press_until(
      [&] {
        return byte_at(switches.ram(), 0x99) == number && byte_at(switches.ram(), 0xA1) == kind;
      },
      [&] { switches.hold_select(10); });
  switches.press_reset();
}

// Over when it has been nobody's turn for so long that no stone can still be turning. `memory`
// counts the frames.
void othello(RamView ram, Tally& tally) {
  constexpr int kLongest = 50;
  tally.memory[0] = byte_at(ram, 0xC0) == 0 ? tally.memory[0] + 1 : 0;
  tally.game_over = tally.memory[0] > kLongest;
}

// The upper half of the byte has a bit for each life to come, and one always set beside the first.
void pitfall(RamView ram, Tally& tally) {
  const int left = byte_at(ram, 0x80) >> 4;
  tally.lives = left == 0xA ? 3 : left == 0x8 ? 2 : 1;
}

void pong(RamView ram, Tally& tally) {
  constexpr int kEnough = 21;
  tally.game_over = byte_at(ram, 0x8D) == kEnough || byte_at(ram, 0x8E) == kEnough;
}

// The byte falls from 2 to -2. A fire button can begin a new game within the frame of the last
// death: then it jumps from -1 to 2. The score of an ended game does not count. `memory` is the
// byte of the frame before.
void qbert(RamView ram, Tally& tally) {
  const int left = static_cast<int8_t>(byte_at(ram, 0x88));
  tally.game_over = left == -2 || (left == 2 && tally.memory[0] == -1);
  if (left == tally.memory[0] - 1) --tally.lives;
  tally.memory[0] = left;
  if (tally.game_over) {
    tally.reward = 0;
  } else {
    score_is(decimal_at(ram, 0xDB) + 100 * decimal_at(ram, 0xDA) + 10'000 * decimal_at(ram, 0xD9),
             tally);
  }
}

}  // namespace

constexpr Rules kGamesMToQ[] = {
    {.name = "mario_bros",
     .minimal_actions = kAllActions,
     .starting_actions = kFireHeld<10, 7>,
     .mode = {.modes = kModes<4, 0, 2>, .address = 0x80, .hold = 5},
     .score = {.bytes = {0x8A, 0x89}, .times = 100},
     .lives = {.address = 0x87},
     .game_over = {{{0x87, 0}}}},
    {.name = "miniature_golf",
     .minimal_actions = kAllActions,
     .difficulties = kLeftSwitch,
     .lives = kOneLife,
     .own = miniature_golf},
    {.name = "montezuma_revenge",
     .minimal_actions = kAllActions,
     .score = {.bytes = {0x95, 0x94, 0x93}},
     .lives = {.address = 0xBA, .mask = 0x07, .plus = 1, .at_start = 6},
     .game_over = {{{0xBA, 0}, {0xFE, 0x60}}}},
    {.name = "mr_do",
     .minimal_actions = kFourDirectionsAndFire,
     .starting_actions = kFire,
     .mode = {.modes = kModes<4>, .address = 0x80, .hold = 5},
     .score = {.bytes = {0x82, 0x83}, .times = 10},
     .lives = {.address = 0xDB, .at_start = 4},
     .game_over = {{{0xDA, 0x40}}}},
    {.name = "ms_pacman",
     .minimal_actions = kDirections,
     .mode = {.modes = kModes<4>, .own = ms_pacman_mode},
     .score = {.bytes = {0xF8, 0xF9, 0xFA}},
     .lives = {.address = 0xFB, .mask = 0x07, .plus = 1, .at_start = 3},
     .game_over = {{{0xFB, 0, 0x0F}, {0xA7, 0x53}}}},
    {.name = "name_this_game",
     .minimal_actions = kSidewaysAndFire,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<3, 8, 16>, .address = 0xDE, .hold = 2},
     .score = {.bytes = {0xC6, 0xC5, 0xC4}},
     .lives = {.address = 0xC7, .mask = 0x07, .at_start = 3},
     .game_over = {{{0xC7, 0, 0x07}}}},
    {.name = "othello",
     .minimal_actions = kDirectionsOrFire,
     .difficulties = kRightSwitch,
     .mode = {.modes = kModes<3>, .address = 0xDE, .plus = 1, .hold = 2},
     .score = {.bytes = {0xCE}, .theirs = 0xD0},
     .lives = kOneLife,
     .own = othello},
    {.name = "pacman",
     .minimal_actions = kFourDirections,
     .difficulties = kLeftSwitch,
     // While a mode is chosen the score shows it; the other byte is for one player.
     .mode = {.modes = kModes<8>, .address = 0xCC, .plus = 1, .also = {0xE6, 0}, .hold = 2},
     .score = {.bytes = {0xCC, 0xCE, 0xD0}},
     .lives = {.address = 0x98, .plus = 1, .at_start = 4},
     .game_over = {{{0x98, 0}, {0xE4, 0x3F}}}},
    {.name = "phoenix",
     .minimal_actions = kPhoenixActions,
     .score = {.bytes = {0xC7, 0xC8, 0xC9}, .from = 1},
     .lives = {.address = 0xCB, .mask = 0x07, .at_start = 5},
     .game_over = {{{0xCC, 0x80}}}},
    {.name = "pitfall",
     .minimal_actions = kAllActions,
     .starting_actions = kUp,
     .score = {.bytes = {0xD7, 0xD6, 0xD5}, .at_start = 2000},
     .lives = {.at_start = 3},
     .game_over = {{{0x80, 0, 0xF0}, {0x9E, 0, 0xFF, true}}},
     .own = pitfall},
    {.name = "pitfall2",
     .minimal_actions = kAllActions,
     .starting_actions = kUp,
     .score = {.bytes = {0xC9, 0xC8, 0xC7}, .at_start = 4000},
     .lives = kOneLife,
     .final_score = 199'000},
    {.name = "pong",
     .minimal_actions = kSidewaysAndFire,
     .difficulties = kBothSwitches,
     .mode = {.modes = kModes<2>, .address = 0x96, .hold = 2},
     .score = {.bytes = {0x8E}, .theirs = 0x8D, .digits = Digits::kNumbers},
     .own = pong},
    {.name = "pooyan",
     .minimal_actions = kUpDownAndFire,
     .mode = {.modes = kModes<4, 10, 20>,
              .address = 0xBD,
              .hold = 2,
              .before = [](Switches& switches) { switches.hold_select(2); }},
     .score = {.bytes = {0x8A, 0x89, 0x88}},
     .lives = {.address = 0x96, .mask = 0x07, .plus = 1, .at_start = 3},
     .game_over = {{{0x96, 0}, {0x98, 5}}}},
    {.name = "private_eye",
     .minimal_actions = kAllActions,
     .starting_actions = kUp,
     .difficulties = kBothSwitches,
     .mode = {.modes = kModes<5>, .address = 0x80, .hold = 2},
     .score = {.bytes = {0xCA, 0xC9, 0xC8}, .at_start = 1000},
     .game_over = {{{0xC2, 0, 0xFE, true}}}},
    {.name = "qbert",
     .minimal_actions = kFourDirectionsOrFire,
     .difficulties = kLeftSwitch,
     .lives = {.at_start = 4},
     .own = qbert,
     .memory_at_start = {2}},
};

}  // namespace poolkit::atari
