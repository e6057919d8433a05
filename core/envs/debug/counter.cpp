#include "counter.h"

#include <algorithm>

namespace poolkit::debug {

std::vector<OptionSpec> Counter::options() {
  return {option::integer("length", 10, "Steps until the end."),
          option::integer("lives", 1, "Ends that make an episode; all but the last are soft."),
          option::flag("clip", false, "Clip the reward to -1 .. 1."),
          option::flag("truncates", false, "End by truncation, not by termination.")};
}

Spec Counter::spec(const Options&) {
  return {.observation = {array<int64_t>("", {4})},
          .action = {discrete("", 100)},
          .info = {array<int64_t>("lives"), array<int64_t>("resets", {3})}};
}

Counter::Counter(const Options& options)
    : length_(options.integer_in("length", 1, INT64_MAX)),
      lives_(options.integer_in("lives", 1, INT64_MAX)),
      clip_(options.flag("clip")),
      truncates_(options.flag("truncates")) {}

void Counter::reset(Reset why, Rng& rng) {
  ++now_.resets[static_cast<uint32_t>(why)];
  now_.count = 0;
  now_.action = 0;
  if (why == Reset::continue_game) return;
  now_.lives = lives_;
  now_.drawn = rng.integers(0, int64_t{1} << 31);
  ++now_.game;
}

Transition Counter::step(Action action, Rng&) {
  now_.action = action.scalar<int64_t>();
  const auto reward = static_cast<double>(now_.action);
  Transition t{.reward = clip_ ? std::clamp(reward, -1.0, 1.0) : reward, .raw_reward = reward};
  if (++now_.count < length_) return t;
  t.terminated = !truncates_;
  t.truncated = truncates_;
  t.soft_end = --now_.lives > 0;
  return t;
}

void Counter::observe(Row row) const {
  const int64_t values[] = {now_.count, now_.game, now_.drawn, now_.action};
  std::ranges::copy(values, row.observation<int64_t>().begin());
  row.info<int64_t>(0)[0] = now_.lives;
  std::ranges::copy(now_.resets, row.info<int64_t>(1).begin());
}

void Counter::render(Image& image) const {
  std::ranges::fill(image.resize(2, 3), static_cast<uint8_t>(now_.count));
}

void Counter::save(Writer& out) const { out.value(now_); }
void Counter::load(Reader& in) { now_ = in.value<State>(); }

}  // namespace poolkit::debug
