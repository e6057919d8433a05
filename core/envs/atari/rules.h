// The rules of the games: what a reward, a life and the end are, read from RAM alone: the
// console's, and in one game (klax) the cartridge's too.
//
// ALE defines them, and its numbers are kept exactly, oddities included. The facts of a game are
// one row of a table (games_*.cpp); what no row can say is a small function beside it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "action_sets.h"

namespace poolkit::atari {

using RamView = std::span<const uint8_t, 128>;
// RAM on the cartridge: 128 bytes, or none.
using CartridgeRamView = std::span<const uint8_t>;

// What the rules have seen so far. It is all that must be saved to go on later.
struct Tally {
  int32_t score = 0;   // total as of the last frame
  int32_t reward = 0;  // of the last frame
  int32_t lives = 0;
  int32_t mode = 0;
  std::array<int32_t, 3> memory{};  // of games whose rules depend on earlier frames
  bool game_over = false;

  template <class Archive>
  void fields(Archive& archive) {
    archive(score, reward, lives, mode, memory, game_over);
  }
};

// How digits are written in RAM.
enum class Digits : uint8_t {
  kPairs,    // two binary-coded decimal digits a byte, the lower one in the lower half
  kSingles,  // one a byte, in its lower half
  kNumbers,  // one a byte, in all of it; it may exceed nine
};

// A total in RAM.
struct Score {
  std::array<uint8_t, 6> bytes{};  // 0x80 to 0xFF, the least significant first; 0: no more
  uint8_t theirs = 0;              // a byte of the opponent's, which is taken off; 0: none
  Digits digits = Digits::kPairs;
  bool blanks = false;  // a digit of 0xA is an undisplayed zero
  uint8_t from = 0;     // the digits that count
  uint8_t to = 6;
  int32_t times = 1;
  int32_t at_start = 0;
  int32_t wraps_at = 0;  // a falling score has gone round at this total; 0: it may really fall
  // Of one frame's reward.
  int32_t least_reward = std::numeric_limits<int32_t>::min();
  int32_t most_reward = std::numeric_limits<int32_t>::max();
};

// A number of lives in RAM: (byte >> shift & mask) + plus.
struct Lives {
  uint8_t address = 0;  // 0: what at_start says, always
  uint8_t shift = 0;
  uint8_t mask = 0xFF;
  int8_t plus = 0;
  uint8_t at_start = 0;  // until the first frame has been read
  bool survive = false;  // the game's end, which else leaves none
};

// ALE says of some games without lives that they have one, and of others that they have none.
inline constexpr Lives kOneLife = {.at_start = 1};

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
  virtual CartridgeRamView cartridge_ram() const { return {}; }
  virtual void hold_select(
      int frames) = 0;                  // then one frame without; the referee sees only that one
  virtual void press_reset() = 0;       // four frames; the last action becomes NOOP
  virtual void act(Action action) = 0;  // one agent's action, sticky actions included
  // The next 32 bits of the generator that sticky actions draw from (twice for every action, also
  // when none can stick).
  virtual uint32_t random();
};

inline constexpr std::array<uint16_t, 1> kOnlyMode = {0};
inline constexpr std::array<uint8_t, 1> kOnlyDifficulty = {0};

// How a mode is chosen: SELECT is held for `hold` frames and released until a byte of RAM shows the
// mode, then RESET is pressed. Games with menus choose in their own way.
struct ModeChoice {
  std::span<const uint16_t> modes = kOnlyMode;  // the first is the default
  uint8_t address = 0;                          // shows the mode; 0: there is nothing to choose
  uint8_t times = 1;                            // the byte is times * mode + plus
  uint8_t plus = 0;
  bool decimal = false;  // the byte is binary-coded decimal
  uint8_t title = 0;     // on the title screen the byte is this much more
  Test also{};           // must hold, too
  uint8_t hold = 1;
  void (*before)(Switches& switches) = nullptr;  // leads to where SELECT is heard
  void (*own)(Switches& switches, int mode) = nullptr;
};

struct Rules {
  std::string_view name;
  std::span<const Action> minimal_actions{};
  std::span<const Action> legal_actions = kAllActions;  // the full set; any other action is a NOOP
  std::span<const Action> starting_actions{};           // one frame each, after the console's reset
  uint8_t longer_reset = 0;  // frames for which the reset before them is held beyond its four
  std::span<const uint8_t> difficulties = kOnlyDifficulty;  // bit 0: left switch, bit 1: right
  ModeChoice mode{};
  Score score{};
  Lives lives{};
  std::array<Test, 4> game_over{};  // all hold when the game is over
  int32_t final_score = 0;          // the game also is over at this total; 0: at none
  bool silent_end = false;          // RAM shows no score when the game is over: no reward then
  // A game's own rules, run after the facts above.
  void (*own)(RamView ram, Tally& tally) = nullptr;
  void (*own_with_cartridge)(RamView ram, CartridgeRamView cartridge_ram, Tally& tally) = nullptr;
  std::array<int32_t, 3> memory_at_start{};
};

// The rules of one game by the name of its ROM ("space_invaders"); null if there are none.
const Rules* find_rules(std::string_view game);
// In the order of their names.
std::span<const Rules* const> all_rules();

// Chooses a mode of the game; it must be one of rules.mode.modes. Part of every reset of the
// console: it follows the first RESET, and the referee's reset; a second RESET and the starting
// actions come after it. Throws std::runtime_error if the console does not obey: with actions that
// stick too well, it may not.
void choose_mode(const Rules& rules, Switches& switches, int mode);

// Follows one game: shown the RAM after every emulated frame, it knows reward, lives and the end.
class Referee {
 public:
  explicit Referee(const Rules& rules) : rules_(&rules) { reset(); }

  // A new game, in its default mode if none is named.
  void reset() { reset(rules_->mode.modes.front()); }
  void reset(int mode);
  void step(RamView ram, CartridgeRamView cartridge_ram = {});

  int reward() const { return tally_.reward; }
  int lives() const { return tally_.game_over && !rules_->lives.survive ? 0 : tally_.lives; }
  bool game_over() const { return tally_.game_over; }

  const Tally& save() const { return tally_; }
  void load(const Tally& tally) { tally_ = tally; }

 private:
  const Rules* rules_;
  Tally tally_;
};

}  // namespace poolkit::atari
