#include "games.h"

namespace poolkit::atari {
namespace {

constexpr std::array kTetrisActions = {NOOP, FIRE, RIGHT, LEFT, DOWN};
constexpr std::array kTurmoilActions = {NOOP,    FIRE,   UP,        RIGHT,    LEFT,      DOWN,
                                        UPRIGHT, UPLEFT, DOWNRIGHT, DOWNLEFT, RIGHTFIRE, LEFTFIRE};
constexpr std::array kTutankhamActions = {NOOP, UP, RIGHT, LEFT, DOWN, UPFIRE, RIGHTFIRE, LEFTFIRE};
constexpr std::array kVideoCheckersActions = {FIRE, UPRIGHT, UPLEFT, DOWNRIGHT, DOWNLEFT};
constexpr std::array kVideoPinballActions = {NOOP, FIRE,   UP,        RIGHT,   LEFT,
                                             DOWN, UPFIRE, RIGHTFIRE, LEFTFIRE};

constexpr std::array<uint8_t, 3> kTimePilotDifficulties = {0, 1, 2};

constexpr std::array<uint16_t, 18> kVideoCheckersModes = {1,  2,  3,  4,  5,  6,  7,  8,  9,
                                                          11, 12, 13, 14, 15, 16, 17, 18, 19};
// A cube's number, 0 to 50, in hundreds, and one of three games.
constexpr std::array<uint16_t, 153> kVideoCubeModes = [] {
  std::array<uint16_t, 153> modes{};
  for (int i = 0; i < 153; ++i) modes[i] = static_cast<uint16_t>(100 * (i / 3) + i % 3);
  return modes;
}();

// A game won is a reward, or else a point. `memory` is the lead in games.
void tennis(RamView ram, Tally& tally) {
  const int my_games = byte_at(ram, 0xC7);
  const int their_games = byte_at(ram, 0xC8);
  const int lead = my_games - their_games;
  score_is(byte_at(ram, 0xC5) - byte_at(ram, 0xC6), tally);
  if (lead != tally.memory[0]) tally.reward = lead - tally.memory[0];
  tally.memory[0] = lead;
  tally.game_over = (my_games >= 6 && lead >= 2) || (their_games >= 6 && lead <= -2) ||
                    my_games == 7 || their_games == 7;
}

void tetris(RamView, Tally& tally) {
  if (tally.game_over) tally.score = 0;
}

// The program has jumped to its winner's part, or, with a full board, waits forever.
void tic_tac_toe_3d(RamView ram, Tally& tally) {
  tally.reward = 0;
  if (byte_at(ram, 0xFF) == 0xF3 && byte_at(ram, 0xFE) == 0x10) {
    constexpr int kCrosses = 0x08;
    tally.reward = byte_at(ram, 0xE1) == kCrosses ? 1 : -1;
    tally.game_over = true;
  }
  bool full = true;
  for (uint8_t place = 0x9A; place <= 0xD9; ++place) full &= byte_at(ram, place) != 0;
  if (full) tally.game_over = true;
}

// The lives can be trusted while the plane flies.
void time_pilot(RamView ram, Tally& tally) {
  const bool flying = (byte_at(ram, 0x80) & 0x0F) == 2;
  if (flying) tally.lives = (byte_at(ram, 0x8B) & 0x07) + 1;
}

void trondead(RamView ram, Tally& tally) { tally.lives = 5 - byte_at(ram, 0xC8); }

void turmoil(RamView ram, Tally& tally) {
  const int tens = decimal_at(ram, 0x89) + 100 * decimal_at(ram, 0x8A) + byte_at(ram, 0xD3);
  score_is(10 * tens, tally);
}

void up_n_down(RamView ram, Tally& tally) {
  tally.game_over = byte_at(ram, 0x94) > 0x40 && (byte_at(ram, 0x86) & 0x0F) == 0;
}

// Whoever has no men left has lost, or won in the modes above ten. RAM shows the mode only until
// the program thinks. The black men are the player's.
void video_checkers(RamView ram, Tally& tally) {
  int mine = 0;
  int theirs = 0;
  for (uint8_t square = 0x80; square <= 0xA2; ++square) {
    if (square == 0x88 || square == 0x91 || square == 0x9A) continue;  // off the board
    const int man = byte_at(ram, square);
    if (man == 0x10 || man == 0x20) ++mine;
    if (man == 0x90 || man == 0xA0) ++theirs;
  }
  if (mine != 0 && theirs != 0) return;
  const bool won = (mine != 0) != (tally.mode > 10);
  tally.reward = won ? 1 : -1;
  tally.game_over = true;
}

// During black's turn the program tries out moves on the board.
void video_chess(RamView ram, Tally& tally) {
  constexpr int kWhite = 0x82;
  tally.reward = 0;
  if (byte_at(ram, 0xE1) != kWhite) return;
  const int mate = byte_at(ram, 0xEE);
  if (mate > 1) return;
  tally.reward = mate == 0 ? 1 : -1;
  tally.game_over = true;
}

// The score is the number of faces of one colour. When the clock goes round, which every move sets
// back, the program solves the cube itself. `memory` is the clock.
void video_cube(RamView ram, Tally& tally) {
  constexpr int kFaces = 6;
  constexpr int kTiles = 9;
  int done = 0;
  for (int face = 0; face < kFaces; ++face) {
    const uint8_t first = static_cast<uint8_t>(0xA0 + kTiles * face);
    bool same = true;
    for (int tile = 1; tile < kTiles; ++tile) {
      same &= byte_at(ram, static_cast<uint8_t>(first + tile)) == byte_at(ram, first);
    }
    if (same) ++done;
  }
  const int clock = byte_at(ram, 0xDB);
  const bool time_is_up = clock == 0 && tally.memory[0] == 0xFF;
  tally.memory[0] = clock;
  score_is(done, tally);
  if (time_is_up) tally.reward = -1;
  tally.game_over = time_is_up || done == kFaces;
}

// SELECT finds the game, and then RIGHT the cube.
void video_cube_mode(Switches& switches, int mode) {
  constexpr std::array<uint8_t, 3> kGames = {0, 2, 8};
  const int cube = mode < 100 ? 1 : mode / 100;
  press_until([&] { return (byte_at(switches.ram(), 0xFB) & 0x1F) == kGames[mode % 100]; },
              [&] { switches.hold_select(2); });
  switches.press_reset();
  press_until([&] { return decimal_at(switches.ram(), 0x9F) == cube; },
              [&] { switches.act(RIGHT); });
}

// The byte is the number of the ball, 1 to 3.
void video_pinball(RamView ram, Tally& tally) {
  const int extra = byte_at(ram, 0xA8) & 0x01;
  tally.lives = 4 + extra - (byte_at(ram, 0x99) & 0x07);
}

// The upper digit's bit 3 is none of its own. A life leaves the byte when its figure enters the
// maze: it is lost when the next one waits outside.
void wizard_of_wor(RamView ram, Tally& tally) {
  int score = decimal_at(ram, 0x86) + 100 * decimal_at(ram, 0x88);
  if (score >= 8000) score -= 8000;
  score_is(100 * score, tally);
  const bool waiting = (byte_at(ram, 0xD7) & 0x01) == 0;
  if (waiting) tally.lives = byte_at(ram, 0x8D) & 0x0F;
}

// Three rounds, and the byte counts those to come down to -1. While the clock stands still nothing
// counts, and the reward is what it was.
void word_zapper(RamView ram, Tally& tally) {
  if (byte_at(ram, 0xCF) == 0) return;
  score_is(2 - static_cast<int8_t>(byte_at(ram, 0xDC)), tally);
  tally.game_over = tally.score == 3 || byte_at(ram, 0xDE) == 0;
}

}  // namespace

constexpr Rules kGamesTToZ[] = {
    {.name = "tennis",
     .minimal_actions = kAllActions,
     .difficulties = kBothSwitches,
     .mode = {.modes = kModes<2, 0, 2>, .address = 0x80, .hold = 2},
     .own = tennis},
    {.name = "tetris",
     .minimal_actions = kTetrisActions,
     .score = {.bytes = {0xF1, 0xF2}, .least_reward = 0},
     .game_over = {{{0xF3, 0x80, 0x80}}},
     .own = tetris},
    {.name = "tic_tac_toe_3d",
     .minimal_actions = kDirectionsOrFire,
     .difficulties = kRightSwitch,
     .mode = {.modes = kModes<9>, .address = 0x88, .hold = 2},
     .lives = kOneLife,
     .own = tic_tac_toe_3d},
    {.name = "time_pilot",
     .minimal_actions = kFourDirectionsAndFire,
     .difficulties = kTimePilotDifficulties,
     .score = {.bytes = {0x8D, 0x8F}, .times = 100},
     .lives = {.at_start = 5},
     .game_over = {{{0xA0, 0, 0xFF, true}}},
     .own = time_pilot},
    {.name = "trondead",
     .minimal_actions = kAllActions,
     .difficulties = kLeftSwitch,
     .score = {.bytes = {0xBF, 0xBE, 0xBD}},
     .lives = {.at_start = 5},
     .game_over = {{{0xC8, 5}}},
     .own = trondead},
    {.name = "turmoil",
     .minimal_actions = kTurmoilActions,
     .starting_actions = kFire,
     .mode = {.modes = kModes<9>, .address = 0xEA, .hold = 2},
     .lives = {.address = 0xB9, .at_start = 4},
     .game_over = {{{0xB9, 0}, {0xC5, 1}}},
     .own = turmoil},
    {.name = "tutankham",
     .minimal_actions = kTutankhamActions,
     .mode = {.modes = kModes<4, 0, 4>, .address = 0xAB, .hold = 2},
     .score = {.bytes = {0x9C, 0x9A}},
     .lives = {.address = 0x9E, .mask = 0x03, .at_start = 3},
     // The second byte is 0x84 until a first game has begun.
     .game_over = {{{0x9E, 0}, {0x81, 0x84, 0xFF, true}}}},
    {.name = "up_n_down",
     .minimal_actions = kUpDownAndFire,
     .starting_actions = kFire,
     .difficulties = kBothSwitches,
     .score = {.bytes = {0x82, 0x81, 0x80}},
     .lives = {.address = 0x86, .mask = 0x0F, .plus = 1, .at_start = 5},
     .own = up_n_down},
    {.name = "venture",
     .minimal_actions = kAllActions,
     .difficulties = kBothSwitches,
     .score = {.bytes = {0xC8, 0xC7}, .times = 100},
     .lives = {.address = 0xC6, .mask = 0x07, .plus = 1, .at_start = 4},
     .game_over = {{{0xC6, 0}, {0xCD, 0xFF}, {0xBF, 0x80, 0x80}}}},
    {.name = "video_checkers",
     .minimal_actions = kVideoCheckersActions,
     .mode = {.modes = kVideoCheckersModes, .address = 0xF6, .decimal = true},
     .lives = kOneLife,
     .own = video_checkers},
    {.name = "video_chess",
     .minimal_actions = kDirectionsOrFire,
     .mode = {.modes = kModes<5>, .address = 0xEA},
     .lives = kOneLife,
     .own = video_chess},
    {.name = "video_cube",
     .minimal_actions = kAllActions,
     .starting_actions = kFireHeld<61, 1, 2>,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kVideoCubeModes, .own = video_cube_mode},
     .lives = kOneLife,
     .own = video_cube},
    {.name = "video_pinball",
     .minimal_actions = kVideoPinballActions,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<2, 0, 2>, .address = 0xC1, .hold = 2},
     .score = {.bytes = {0xB0, 0xB2, 0xB4}},
     .lives = {.at_start = 3},
     .game_over = {{{0xAF, 1, 0x01}}},
     .own = video_pinball},
    {.name = "wizard_of_wor",
     .minimal_actions = kFourDirectionsAndFire,
     .difficulties = kLeftSwitch,
     .lives = {.at_start = 3},
     .game_over = {{{0x8D, 0, 0x0F}, {0xF4, 0xF8}}},
     .own = wizard_of_wor},
    {.name = "word_zapper",
     .minimal_actions = kAllActions,
     .starting_actions = kFireHeld<486, 1, 2>,
     .difficulties = kBothSwitches,
     .mode = {.modes = kModes<24>, .address = 0xDB, .hold = 2},
     .lives = kOneLife,
     .own = word_zapper},
    {.name = "yars_revenge",
     .minimal_actions = kAllActions,
     .starting_actions = kFire,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<4, 0, 32>,
              .address = 0xE3,
              .before = [](Switches& switches) { switches.hold_select(2); }},
     .score = {.bytes = {0xE2, 0xE1, 0xE0}},
     .lives = {.address = 0x9E, .shift = 4, .at_start = 4},
     .game_over = {{{0x9E, 0, 0xF0}}}},
    {.name = "zaxxon",
     .minimal_actions = kAllActions,
     .mode = {.modes = kModes<4, 0, 8>, .address = 0x82, .hold = 10},
     .score = {.bytes = {0xE9, 0xE8}, .times = 100},
     .lives = {.address = 0xEA, .mask = 0x07, .at_start = 5},
     .game_over = {{{0xEA, 0, 0x07}}}},
};

}  // namespace poolkit::atari
