#include "env.h"

#include <algorithm>

namespace poolkit::atari {
namespace {

std::span<const Action> actions_of(const EnvOptions& options, const Rules& rules) {
  const bool all = options.full_action_space || options.continuous;
  return all ? rules.legal_actions : rules.minimal_actions;
}

bool contains(std::span<const Action> actions, Action action) {
  return std::ranges::find(actions, action) != actions.end();
}

}  // namespace

Spec AtariEnv::spec(const Options& values) {
  const AtariEnv built(values);  // refuses what cannot be built
  const EnvOptions& options = built.options_;
  std::vector<Array> info = {array<int32_t>("lives"), array<float>("reward"),
                             array<int32_t>("terminated")};
  if (options.zero_discount_on_life_loss) info.push_back(array<float>("discount"));
  if (options.ram) info.push_back(array<uint8_t>("ram", {128}));
  return {
      .observation = {built.observer_.array()},
      .action = {options.continuous ? polar_array()
                                    : discrete("", static_cast<int64_t>(built.actions_.size()))},
      .info = std::move(info)};
}

AtariEnv::AtariEnv(const Options& values)
    : options_(values),
      booted_(booted(options_)),
      emulator_(*booted_),
      observer_(options_, emulator_.console()),
      actions_(actions_of(options_, emulator_.rules())),
      fires_(options_.use_fire_reset && contains(actions_, Action::FIRE)) {}

void AtariEnv::reset(Reset why, Rng& rng) {
  if (why == Reset::continue_game) {
    continue_game(rng);
  } else {
    if (why == Reset::seeded) {
      const auto seed = static_cast<uint32_t>(rng.integers(0, int64_t{1} << 31));
      emulator_.reboot(seed, options_.repeat_action_probability);
    } else {
      emulator_.reset();
    }
    play_start(rng);
  }
  observer_.begin(emulator_);
  lives_ = emulator_.lives();
  reward_ = 0;
  life_lost_ = false;
}

void AtariEnv::play_start(Rng& rng) {
  const auto act = [this](Action action) {
    emulator_.act(action);
    if (emulator_.game_over()) emulator_.reset();
  };
  const int64_t frames = options_.noop_max > 0 ? rng.integers(1, options_.noop_max + 1) : 0;
  const int64_t noops = fires_ ? frames - 1 : frames;
  for (int64_t i = 0; i < noops; ++i) act(Action::NOOP);
  if (fires_) act(Action::FIRE);
}

void AtariEnv::continue_game(Rng& rng) {
  emulator_.act(fires_ ? Action::FIRE : Action::NOOP);
  if (!emulator_.game_over()) return;
  emulator_.reset();
  play_start(rng);
}

Push AtariEnv::push_of_agent(poolkit::Action action) const {
  if (options_.continuous) {
    return push_of(action.array<float>(), options_.continuous_action_threshold);
  }
  return actions_[action.scalar<int64_t>()];
}

Transition AtariEnv::step(poolkit::Action action, Rng&) {
  const int reward = emulator_.play(push_of_agent(action), options_.frame_skip);
  observer_.add(emulator_);

  const int lives = emulator_.lives();
  life_lost_ = lives < lives_;
  lives_ = lives;
  reward_ = static_cast<float>(reward);
  const bool game_over = emulator_.game_over();
  // Some games show no life for a few frames before they are over.
  const bool soft_end = options_.episodic_life && life_lost_ && lives > 0 && !game_over;
  const int sign = (reward > 0) - (reward < 0);
  return {.reward = static_cast<double>(options_.reward_clip ? sign : reward),
          .terminated = game_over || soft_end,
          .soft_end = soft_end,
          .raw_reward = reward};
}

void AtariEnv::observe(Row row) const {
  observer_.copy_to(row.observation<uint8_t>());
  size_t next = 0;
  row.info<int32_t>(next++)[0] = lives_;
  row.info<float>(next++)[0] = reward_;
  row.info<int32_t>(next++)[0] = emulator_.game_over();
  if (options_.zero_discount_on_life_loss) {
    row.info<float>(next++)[0] = life_lost_ || emulator_.game_over() ? 0.0f : 1.0f;
  }
  if (options_.ram) std::ranges::copy(emulator_.ram(), row.info<uint8_t>(next++).begin());
}

void AtariEnv::render(Image& image) const {
  const Console& console = emulator_.console();
  write_rgb(console, image.resize(console.height(), kScreenWidth));
}

void AtariEnv::save(Writer& out) const {
  const std::vector<uint8_t> console = emulator_.save();
  out.value(console.size());
  out.bytes(console.data(), console.size());
  observer_.save(out);
  out.value(lives_);
  out.value(reward_);
  out.value(life_lost_);
}

void AtariEnv::load(Reader& in) {
  const auto size = in.value<size_t>();
  if (size > in.left()) throw std::invalid_argument("state: not of this environment");
  std::vector<uint8_t> console(size);
  in.bytes(console.data(), console.size());
  emulator_.load(console);
  observer_.load(in);
  lives_ = in.value<int32_t>();
  reward_ = in.value<float>();
  life_lost_ = in.value<bool>();
}

}  // namespace poolkit::atari
