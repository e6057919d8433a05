#include <bit>

#include "games.h"

namespace poolkit::atari {
namespace {

constexpr std::array kFreewayActions = {NOOP, UP, DOWN};
constexpr std::array kGopherActions = {NOOP, FIRE, UP, RIGHT, LEFT, UPFIRE, RIGHTFIRE, LEFTFIRE};

void fishing_derby(RamView ram, Tally& tally) {
  tally.game_over = byte_at(ram, 0xBD) == 0x99 || byte_at(ram, 0xBE) == 0x99;
}

// A life for every carrot.
void gopher(RamView ram, Tally& tally) {
  tally.lives = std::popcount(static_cast<unsigned>(byte_at(ram, 0xB4) & 0x07));
}

// The title screen has no lives yet; six is how many the usual game starts with.
void gravitar(RamView ram, Tally& tally) {
  tally.lives = byte_at(ram, 0x81) == 0 ? 6 : byte_at(ram, 0x84) + 1;
}

// A word guessed or missed is a game. It is over, too, when the clock goes round, which starts anew
// with every guess. `memory` is the clock.
void hangman(RamView ram, Tally& tally) {
  score_is(decimal_at(ram, 0xEB) - decimal_at(ram, 0xEC), tally);
  const int clock = byte_at(ram, 0xF1);
  tally.game_over = tally.reward != 0 || (tally.memory[0] == 0xFF && clock == 0);
  tally.memory[0] = clock;
}

// Each match that is struck costs a point; the urn at the exit earns a hundred. `memory` is the
// matches.
void haunted_house(RamView ram, Tally& tally) {
  constexpr int kUrn = 100;
  const int matches = decimal_at(ram, 0x82);
  const bool escaped = byte_at(ram, 0x99) == 0x44;
  tally.reward = (escaped ? kUrn : 0) - (matches != tally.memory[0] ? 1 : 0);
  tally.game_over = tally.lives == 0 || escaped;
  tally.memory[0] = matches;
}

}  // namespace

constexpr Rules kGamesFToH[] = {
    {.name = "fishing_derby",
     .minimal_actions = kAllActions,
     .difficulties = kBothSwitches,
     .score = {.bytes = {0xBD}, .theirs = 0xBE},
     .own = fishing_derby},
    {.name = "flag_capture",
     .minimal_actions = kAllActions,
     .mode = {.modes = kModes<3, 8>, .address = 0xD6, .hold = 2},
     .score = {.bytes = {0xEA}},
     .lives = kOneLife,
     .game_over = {{{0xEB, 0}}}},
    {.name = "freeway",
     .minimal_actions = kFreewayActions,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<8>, .address = 0x80},
     .score = {.bytes = {0xE7}, .least_reward = 0, .most_reward = 1},
     .game_over = {{{0x96, 1}}}},
    {.name = "frogger",
     .minimal_actions = kFourDirections,
     .difficulties = kLeftSwitch,
     // The modes between are for two players.
     .mode = {.modes = kModes<3>, .address = 0xDD, .times = 2, .plus = 1, .hold = 2},
     .score = {.bytes = {0xCE, 0xCC}},
     .lives = {.address = 0xD0, .at_start = 4},
     .game_over = {{{0xD0, 0xFF}}}},
    {.name = "frostbite",
     .minimal_actions = kAllActions,
     .mode = {.modes = kModes<2, 0, 2>, .address = 0x80},
     .score = {.bytes = {0xCA, 0xC9, 0xC8}},
     .lives = {.address = 0xCC, .mask = 0x0F, .plus = 1, .at_start = 4},
     .game_over = {{{0xCC, 0, 0x0F}, {0xF1, 0x80, 0x80}}}},
    {.name = "galaxian",
     .minimal_actions = kSidewaysAndFire,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<9, 1>, .address = 0xB3},
     .score = {.bytes = {0xAE, 0xAD, 0xAC}, .wraps_at = 1'000'000},
     .lives = {.address = 0xB9, .plus = 1, .at_start = 3},
     .game_over = {{{0xBF, 0x80, 0x80}}}},
    {.name = "gopher",
     .minimal_actions = kGopherActions,
     .starting_actions = kFire,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<2, 0, 2>,
              .address = 0xD3,
              .hold = 5,
              .before = [](Switches& switches) { switches.press_reset(); }},
     .score = {.bytes = {0xB2, 0xB1, 0xB0}},
     .lives = {.at_start = 3},
     .game_over = {{{0xB4, 0, 0x07}}},
     .own = gopher},
    {.name = "gravitar",
     .minimal_actions = kAllActions,
     .starting_actions = kFireHeld<0, 16>,
     .mode = {.modes = kModes<5>, .address = 0x80, .hold = 10},
     .score = {.bytes = {0x89, 0x88, 0x87}},
     .lives = {.at_start = 6},
     .game_over = {{{0x81, 1}}},
     .own = gravitar},
    {.name = "hangman",
     .minimal_actions = kAllActions,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<4>, .address = 0xEE, .hold = 2},
     .lives = kOneLife,
     .own = hangman},
    {.name = "haunted_house",
     .minimal_actions = kAllActions,
     .difficulties = kLeftSwitch,
     .mode = {.modes = kModes<9>, .address = 0xCC, .hold = 2},
     .lives = {.address = 0x96, .at_start = 9},
     .own = haunted_house},
    {.name = "hero",
     .minimal_actions = kAllActions,
     .mode = {.modes = kModes<5>, .address = 0x80},
     .score = {.bytes = {0xB9, 0xB8, 0xB7}},
     .lives = {.address = 0xB3, .at_start = 4},
     .game_over = {{{0xB3, 0}}}},
    {.name = "human_cannonball",
     .minimal_actions = kAllActions,
     .difficulties = kLeftSwitch,
     // While a mode is chosen the score shows it, and the misses the number of players.
     .mode = {.modes = kModes<8>, .address = 0xB6, .plus = 1, .also = {0xB7, 1}, .hold = 2},
     .score = {.bytes = {0xB6}},
     .lives = kOneLife,
     .game_over = {{{0xB7, 7}}},
     .final_score = 7},
};

}  // namespace poolkit::atari
