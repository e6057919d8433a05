#include <stdexcept>

#include "games.h"

namespace poolkit::atari {
namespace {

constexpr std::array kJourneyEscapeActions = {
    NOOP,     UP,        RIGHT,    LEFT,     DOWN,        UPRIGHT,    UPLEFT,        DOWNRIGHT,
    DOWNLEFT, RIGHTFIRE, LEFTFIRE, DOWNFIRE, UPRIGHTFIRE, UPLEFTFIRE, DOWNRIGHTFIRE, DOWNLEFTFIRE};
constexpr std::array kKeystoneKapersActions = {NOOP,   FIRE,      UP,       RIGHT,     LEFT,
                                               DOWN,   UPRIGHT,   UPLEFT,   DOWNRIGHT, DOWNLEFT,
                                               UPFIRE, RIGHTFIRE, LEFTFIRE, DOWNFIRE};
constexpr std::array kKungFuMasterActions = {
    NOOP,      UP,       RIGHT,    LEFT,        DOWN,       DOWNRIGHT,     DOWNLEFT,
    RIGHTFIRE, LEFTFIRE, DOWNFIRE, UPRIGHTFIRE, UPLEFTFIRE, DOWNRIGHTFIRE, DOWNLEFTFIRE};

// The money that everybody starts with is no reward.
void journey_escape(RamView, Tally& tally) {
  if (tally.reward == 50'000) tally.reward = 0;
}

int klax_byte(CartridgeRamView ram, uint8_t address) {
  if (ram.size() != 128) throw std::logic_error("the rules of klax need the cartridge's RAM");
  return ram[address & 0x7F];
}

// Over when too many tiles were missed, the bin is full or level 99 is reached.
void klax(RamView ram, CartridgeRamView cartridge_ram, Tally& tally) {
  const auto at = [&](uint8_t address) { return klax_byte(cartridge_ram, address); };
  score_is(decimal(at(0xB4)) + 100 * decimal(at(0xB5)) + 10'000 * decimal(at(0xB6)), tally);
  const bool playing = byte_at(ram, 0xA8) == 4;
  bool full = true;
  for (uint8_t place = 0xB3; place < 0xB3 + 25; ++place) {
    // Grey tiles, which flash where a level's end finds a free place, do not fill it.
    const int tile = byte_at(ram, place);
    if (tile == 0 || tile == 2 || tile == 6 || tile == 10 || tile == 14) full = false;
  }
  const int allowed = at(0xE9);
  const bool missed = allowed > 0 && at(0xEE) == allowed;
  tally.game_over = missed || (playing && full) || at(0x9D) == 0x99;
}

void klax_mode(Switches& switches, int mode) {
  press_until([&] { return klax_byte(switches.cartridge_ram(), 0xEA) == mode; },
              [&] { switches.hold_select(2); });
  switches.press_reset();
}

}  // namespace

constexpr Rules kGamesIToL[] = {
    {.name = "ice_hockey",
     .minimal_actions = kAllActions,
     .difficulties = kBothSwitches,
     .mode = {.modes = kModes<2, 0, 2>, .address = 0x80, .hold = 2},
     .score = {.bytes = {0x8A}, .theirs = 0x8B, .most_reward = 1},
     .game_over = {{{0x87, 0}, {0x86, 0}}}},
    {.name = "jamesbond",
     .minimal_actions = kAllActions,
     .mode = {.modes = kModes<2>, .address = 0x8C, .title = 0x48, .hold = 20},
     .score = {.bytes = {0xDC, 0xDD, 0xDE}},
     .lives = {.address = 0x86, .mask = 0x0F, .plus = 1, .at_start = 6},
     .game_over = {{{0x86, 0, 0x0F}, {0x8C, 0x68}}}},
    {.name = "journey_escape",
     .minimal_actions = kJourneyEscapeActions,
     .starting_actions = kFire,
     .difficulties = kLeftSwitch,
     .score = {.bytes = {0x92, 0x91, 0x90}},
     .game_over = {{{0x95, 0}, {0x96, 0}}},
     .own = journey_escape},
    {.name = "kaboom",
     .minimal_actions = kSidewaysOrFire,
     .starting_actions = kFire,
     .score = {.bytes = {0xA5, 0xA4, 0xA3}},
     .lives = kOneLife,
     .game_over = {{{0xA1, 0}}},
     .final_score = 999'999},
    {.name = "kangaroo",
     .minimal_actions = kAllActions,
     .mode = {.modes = kModes<2>, .address = 0xBA, .title = 0x80, .hold = 2},
     .score = {.bytes = {0xA8, 0xA7}, .times = 100},
     .lives = {.address = 0xAD, .mask = 0x07, .plus = 1, .at_start = 3},
     .game_over = {{{0xAD, 0xFF}}}},
    {.name = "keystone_kapers",
     .minimal_actions = kKeystoneKapersActions,
     .longer_reset = 1,
     .score = {.bytes = {0x9C, 0x9B}},
     .lives = {.address = 0x96, .at_start = 3},
     .game_over = {{{0x96, 0}, {0x88, 0}}}},
    {.name = "king_kong",
     .minimal_actions = kFourDirectionsOrFire,
     // The modes between are for two players.
     .mode = {.modes = kModes<4>, .address = 0xEC, .times = 2, .hold = 2},
     .score = {.bytes = {0x83, 0x82}},
     .lives = {.address = 0xEE, .at_start = 3},
     .game_over = {{{0xEE, 0}}}},
    {.name = "klax",
     .minimal_actions = kAllActions,
     .starting_actions = kFireHeld<0, 1, 1>,
     .mode = {.modes = kModes<3>, .own = klax_mode},
     .lives = kOneLife,
     .own_with_cartridge = klax},
    {.name = "koolaid",
     .minimal_actions = kDirections,
     .score = {.bytes = {0x81, 0x80}, .times = 100},
     .game_over = {{{0xD1, 0x80}}}},
    {.name = "krull",
     .minimal_actions = kAllActions,
     .score = {.bytes = {0x9E, 0x9D, 0x9C}},
     .lives = {.address = 0x9F, .mask = 0x07, .plus = 1, .at_start = 3},
     .game_over = {{{0x9F, 0}, {0xA2, 0x03}, {0x80, 0x80}}}},
    {.name = "kung_fu_master",
     .minimal_actions = kKungFuMasterActions,
     .score = {.bytes = {0x9A, 0x99, 0x98}},
     .lives = {.address = 0x9D, .mask = 0x07, .plus = 1, .at_start = 4},
     .game_over = {{{0x9D, 0xFF}}}},
    {.name = "laser_gates",
     .minimal_actions = kAllActions,
     .longer_reset = 1,
     .score = {.bytes = {0x82, 0x81, 0x80}},
     .game_over = {{{0x83, 0}}}},
    {.name = "lost_luggage",
     .minimal_actions = kDirections,
     .legal_actions = kDirections,
     .starting_actions = kFire,
     .difficulties = kLeftSwitch,
     // The modes between are for two players; while one is chosen, the score shows it.
     .mode = {.modes = kModes<2>, .address = 0x94, .times = 3, .plus = 1, .hold = 2},
     .score = {.bytes = {0x96, 0x95, 0x94}},
     .lives = {.address = 0xCA, .at_start = 3},
     .game_over = {{{0xCA, 0}, {0xC8, 0x0A}, {0xA5, 0}, {0xA9, 0}}}},
};

}  // namespace poolkit::atari
