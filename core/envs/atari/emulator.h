// One game in play: the console, who holds its controls, and its rules. What ALE's interface
// shows of a game, this shows, bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "action.h"
#include "console.h"
#include "controllers.h"
#include "rules.h"
#include "sticky_actions.h"

namespace poolkit::atari {

class Emulator {
 public:
  // Ready to play, as after reset(). Throws std::invalid_argument for a game without rules.
  explicit Emulator(std::shared_ptr<const Rom> rom);
  // A copy in the same state: much cheaper than a new one, which boots the console.
  Emulator(const Emulator&) = default;
  Emulator& operator=(const Emulator&) = delete;

  // A new game on the running console: its RAM and its random numbers go on.
  void reset();
  // Switches the console on again and begins a new game with these; None: the game's first. Throws
  // as set_mode().
  void boot(std::optional<int> mode, std::optional<int> difficulty);
  // Back to what the constructor, or boot(), made, but with another of ALE's random_seed and
  // repeat_action_probability. Cheap, except in the few games that draw random numbers while they
  // start.
  void reboot(uint32_t random_seed = 0, double repeat_action_probability = 0);

  // For the next reset(). Throws std::invalid_argument, with those there are, if the game lacks it.
  void set_mode(int mode);
  // The two switches: bit 0 the left one, bit 1 the right one.
  void set_difficulty(int difficulty);

  // Plays one frame and returns its reward. Once the game is over it does nothing.
  int act(Push push) { return play(push, 1); }
  // Plays frames until the game is over, `frames` at most; returns the sum of their rewards. The
  // same as act() again and again, but faster: only the last two of them are drawn.
  int play(Push push, int frames);

  int lives() const { return referee_.lives(); }
  bool game_over() const { return referee_.game_over(); }
  RamView ram() const { return console_.ram(); }
  // Changes RAM between two frames: `index` is 0 to 127.
  void set_ram(int index, uint8_t value) { console_.set_ram(index, value); }
  // Pictures and their size.
  const Console& console() const { return console_; }
  const Rules& rules() const { return *rules_; }

  // Everything, to go on exactly from there. load() throws std::invalid_argument for anything that
  // save() of the same game did not return.
  std::vector<uint8_t> save() const;
  void load(std::span<const uint8_t> bytes);

 private:
  class Hands;
  struct State;
  struct Booted;
  struct Header;

  struct Level {
    int32_t mode = 0;
    uint8_t difficulty = 0;

    template <class Archive>
    void fields(Archive& archive) {
      archive(mode, difficulty);
    }
  };
  struct Player {
    Controllers controllers;
    StickyActions sticky;
    Level level;

    template <class Archive>
    void fields(Archive& archive) {
      archive(controllers, sticky, level);
    }
  };

  const Hardware& hardware() const { return *console_.rom().hardware; }
  State state() const;
  void go_on_from(const State& state);
  void start(const std::optional<Level>& level);
  void remember_start(const State& switched_on, const std::optional<Level>& level);
  struct How {
    bool reset = false;  // with the switch held
    bool shown = true;
  };
  void emulate(Push push, How how);
  void press_reset();

  Console console_;
  const Rules* rules_;
  Referee referee_;
  Player player_;
  std::shared_ptr<const Booted> booted_;  // shared by all copies
};

}  // namespace poolkit::atari
