// The rules of the games: what a reward, a life and the end are, read from the console's RAM alone.
//
// ALE defines them, and its numbers are kept exactly, oddities included. The facts of a game are
// one row of a table (games_*.cpp); what no row can say is a small function beside it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "action_sets.h"

namespace poolkit::atari {

using RamView = std::span<const uint8_t, 128>;

// What the rules have seen so far. It is all that must be saved to go on later.
struct Tally {
  int32_t score = 0;   // total as of the last frame
  int32_t reward = 0;  // of the last frame
  int32_t lives = 0;
  int32_t memory = 0;  // of games whose end or lives depend on earlier frames
  bool game_over = false;
};

// A score in RAM: binary-coded decimal bytes, the least significant first.
struct Score {
  std::array<uint8_t, 3> bytes{};  // RAM addresses, 0x80 to 0xFF; 0 is none
  uint8_t digits = 6;              // lower digits that count
  int32_t times = 1;
  int32_t at_start = 0;
  int32_t wraps_at = 0;  // a falling score has gone round at this total; 0: it may really fall
};

// A number of lives in RAM: (byte & mask) + plus.
struct Lives {
  uint8_t address = 0;  // 0: the game has none
  uint8_t mask = 0xFF;
  int8_t plus = 0;
  uint8_t at_start = 0;  // shown until the first frame has been read
};

// A test of one RAM byte: (byte & mask) == value, or != with `differs`.
struct Test {
  uint8_t address = 0;  // 0: always holds
  uint8_t value = 0;
  uint8_t mask = 0xFF;
  bool differs = false;
};

// The console as somebody holds it who chooses a mode. The emulator implements it.
class Switches {
 public:
  virtual ~Switches() = default;
  virtual RamView ram() const = 0;
  virtual void hold_select(
      int frames) = 0;                  // then one frame without; the referee sees only that one
  virtual void press_reset() = 0;       // four frames; the last action becomes NOOP
  virtual void act(Action action) = 0;  // one agent's action, sticky actions included
};

inline constexpr std::array<uint16_t, 1> kOnlyMode = {0};
inline constexpr std::array<uint8_t, 1> kOnlyDifficulty = {0};

// How a mode is chosen: SELECT is held for `hold` frames and released until a byte of RAM shows the
// mode, then RESET is pressed. Games with menus choose in their own way.
struct ModeChoice {
  std::span<const uint16_t> modes = kOnlyMode;  // the first is the default
  uint8_t address = 0;                          // shows the mode; 0: there is nothing to choose
  uint8_t hold = 1;
  void (*own)(Switches& switches, int mode) = nullptr;
};

struct Rules {
  std::string_view name;
  std::span<const Action> minimal_actions{};
  std::span<const Action> legal_actions = kAllActions;  // the full set; any other action is a NOOP
  std::span<const Action> starting_actions{};           // one frame each, after the console's reset
  std::span<const uint8_t> difficulties = kOnlyDifficulty;  // bit 0: left switch, bit 1: right
  ModeChoice mode{};
  Score score{};
  Lives lives{};
  std::array<Test, 2> game_over{};                   // all hold when the game is over
  void (*own)(RamView ram, Tally& tally) = nullptr;  // a game's own rule, run after the facts above
  int32_t memory_at_start = 0;
};

// The rules of one game by the name of its ROM ("space_invaders"); null if there are none.
const Rules* find_rules(std::string_view game);
std::span<const Rules> all_rules();

// Chooses a mode of the game; it must be one of rules.mode.modes. Part of every reset of the
// console: it follows the first RESET, and the referee's reset; a second RESET and the starting
// actions come after it.
void choose_mode(const Rules& rules, Switches& switches, int mode);

// Follows one game: shown the RAM after every emulated frame, it knows reward, lives and the end.
class Referee {
 public:
  explicit Referee(const Rules& rules) : rules_(&rules) { reset(); }

  void reset();
  void step(RamView ram);

  int reward() const { return tally_.reward; }
  int lives() const { return tally_.game_over ? 0 : tally_.lives; }
  bool game_over() const { return tally_.game_over; }

  const Tally& save() const { return tally_; }
  void load(const Tally& tally) { tally_ = tally; }

 private:
  const Rules* rules_;
  Tally tally_;
};

}  // namespace poolkit::atari
