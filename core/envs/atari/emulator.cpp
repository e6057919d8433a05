#include "emulator.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "fields.h"

namespace poolkit::atari {
namespace {

constexpr int kIdleFrames = 60;  // that a reset begins with
constexpr int kResetFrames = 4;  // for which RESET is held

const Rules& rules_of(const Rom& rom) {
  const Rules* rules = find_rules(rom.game);
  if (rules == nullptr) throw std::invalid_argument("no rules for the Atari game " + rom.game);
  return *rules;
}

template <typename Numbers>
void must_contain(const Numbers& numbers, int wanted, const std::string& what) {
  if (std::ranges::find(numbers, wanted) != numbers.end()) return;
  std::string known;
  for (const int number : numbers) known += (known.empty() ? "" : ", ") + std::to_string(number);
  throw std::invalid_argument(what + " " + std::to_string(wanted) + " does not exist; there are " +
                              known);
}

// FNV-1a: finds damage, not malice; what could harm is also checked by each part.
uint64_t checksum(std::span<const uint8_t> bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

// The front panel, for games whose mode is chosen there.
class Emulator::Hands : public Switches {
 public:
  explicit Hands(Emulator& emulator) : emulator_(emulator) {}

  RamView ram() const override { return emulator_.ram(); }
  CartridgeRamView cartridge_ram() const override { return emulator_.console_.cartridge_ram(); }
  void hold_select(int frames) override {
    const Player& player = emulator_.player_;
    const Inputs inputs =
        player.controllers.inputs(emulator_.hardware(), Action::NOOP,
                                  {.select = true, .difficulty = player.level.difficulty});
    for (int i = 0; i < frames; ++i) emulator_.console_.run_frame(inputs);
    emulator_.emulate(Action::NOOP, {});
  }
  void press_reset() override { emulator_.press_reset(); }
  void act(Action action) override { emulator_.act(action); }
  uint32_t random() override { return emulator_.player_.sticky.draw(); }

 private:
  Emulator& emulator_;
};

struct Emulator::State {
  ConsoleState console;
  std::array<FrameBuffer, 2> buffers;
  Tally tally;
  Player player;

  template <class Archive>
  void fields(Archive& archive) {
    archive(console, buffers, tally, player);
  }
};

struct Emulator::Booted {
  State switched_on;
  std::optional<Level> level;
  State started;
  bool draws;  // while it starts
};

Emulator::Emulator(std::shared_ptr<const Rom> rom)
    : console_(std::move(rom)), rules_(&rules_of(console_.rom())), referee_(*rules_) {
  player_.level.mode = rules_->mode.modes.front();
  remember_start(state(), std::nullopt);
}

void Emulator::boot(std::optional<int> mode, std::optional<int> difficulty) {
  if (mode) set_mode(*mode);
  if (difficulty) set_difficulty(*difficulty);
  const Level level = player_.level;
  go_on_from(booted_->switched_on);
  remember_start(state(), level);
}

// As ALE does: a new game with the first mode and difficulty, then one with those that were chosen.
void Emulator::start(const std::optional<Level>& level) {
  reset();
  if (!level) return;
  player_.level = *level;
  reset();
}

void Emulator::remember_start(const State& switched_on, const std::optional<Level>& level) {
  start(level);
  const bool draws = player_.sticky != switched_on.player.sticky;
  booted_ = std::make_shared<const Booted>(Booted{switched_on, level, state(), draws});
}

Emulator::State Emulator::state() const {
  return {console_.state(), console_.buffers(), referee_.save(), player_};
}

void Emulator::go_on_from(const State& state) {
  console_.load(state.console, state.buffers);
  referee_.load(state.tally);
  player_ = state.player;
}

void Emulator::reboot(uint32_t random_seed, double repeat_action_probability) {
  go_on_from(booted_->draws ? booted_->switched_on : booted_->started);
  player_.sticky = {random_seed, repeat_action_probability};
  if (booted_->draws) start(booted_->level);
}

void Emulator::reset() {
  player_.controllers.centre(hardware());
  console_.reset();
  for (int i = 0; i < kIdleFrames; ++i) emulate(Action::NOOP, {});
  press_reset();
  referee_.reset(player_.level.mode);
  Hands hands(*this);
  choose_mode(*rules_, hands, player_.level.mode);
  press_reset();
  for (int i = 0; i < rules_->longer_reset; ++i) emulate(Action::NOOP, {.reset = true});
  for (const Action action : rules_->starting_actions) emulate(action, {});
}

void Emulator::set_mode(int mode) {
  must_contain(rules_->mode.modes, mode, console_.rom().game + ": mode");
  player_.level.mode = mode;
}

void Emulator::set_difficulty(int difficulty) {
  must_contain(rules_->difficulties, difficulty, console_.rom().game + ": difficulty");
  player_.level.difficulty = static_cast<uint8_t>(difficulty);
}

int Emulator::play(Push wanted, int frames) {
  constexpr int kSeen = 2;  // by whoever takes the maximum of a picture and the one before it
  const auto& legal = rules_->legal_actions;
  int reward = 0;
  int left = frames;
  do {
    Push push = player_.sticky.next(wanted);
    if (game_over()) break;
    if (std::ranges::find(legal, push.action) == legal.end()) push.action = Action::NOOP;
    emulate(push, {.shown = left <= kSeen});
    reward += referee_.reward();
  } while (--left > 0 && !game_over());
  console_.reveal();
  return reward;
}

void Emulator::emulate(Push push, How how) {
  player_.controllers.turn(hardware(), push);
  const Inputs inputs = player_.controllers.inputs(
      hardware(), push.action, {.reset = how.reset, .difficulty = player_.level.difficulty});
  console_.run_frame(inputs, how.shown);
  referee_.step(ram(), console_.cartridge_ram());
}

void Emulator::press_reset() {
  for (int i = 0; i < kResetFrames; ++i) emulate(Action::NOOP, {.reset = true});
  player_.sticky.release();
}

struct Emulator::Header {
  uint64_t format = 2;
  uint64_t game = 0;
  uint64_t data = 0;  // checksum

  bool operator==(const Header&) const = default;
};

std::vector<uint8_t> Emulator::save() const {
  std::vector<uint8_t> bytes(sizeof(Header));
  State all = state();
  bytes.reserve(sizeof(Header) + sizeof(State));
  ToBytes to(bytes);
  all.fields(to);
  const std::span saved = std::span(bytes).subspan(sizeof(Header));
  const Header header{.game = checksum(bytes_of(console_.rom().game)), .data = checksum(saved)};
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

void Emulator::load(std::span<const uint8_t> bytes) {
  const std::string& game = console_.rom().game;
  const std::invalid_argument wrong(game + ": not a saved state of this game");
  Header header;
  if (bytes.size() < sizeof(header)) throw wrong;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::span saved = bytes.subspan(sizeof(header));
  if (header != Header{.game = checksum(bytes_of(game)), .data = checksum(saved)}) throw wrong;
  State all = state();
  FromBytes from(saved);
  all.fields(from);
  if (!from.all_read() || !all.player.sticky.valid()) throw wrong;
  go_on_from(all);
}

}  // namespace poolkit::atari
