#include "bit_flip.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace poolkit::debug {

std::vector<OptionSpec> BitFlip::options() {
  return {
      option::integer("bits", 4, "How many."),
      option::text("action", "discrete", "One of discrete, multi_discrete, multi_binary and box.")};
}

BitFlip::Kind BitFlip::kind_of(std::string_view name) {
  constexpr std::string_view kNames[] = {"discrete", "multi_discrete", "multi_binary", "box"};
  const auto* found = std::ranges::find(kNames, name);
  if (found == std::end(kNames))
    throw std::invalid_argument("action='" + std::string(name) + "' is unknown");
  return static_cast<Kind>(found - kNames);
}

Spec BitFlip::spec(const Options& options) {
  const int64_t bits = options.integer_in("bits", 1, 64);
  const std::vector<int64_t> twos(static_cast<size_t>(bits), 2);
  Spec spec{.observation = {multi_binary("observation", bits), multi_binary("achieved_goal", bits),
                            multi_binary("desired_goal", bits)},
            .action = {},
            .info = {array<bool>("action_mask", {bits}), array<bool>("is_success")},
            .max_episode_steps = bits};
  switch (kind_of(options.text("action"))) {
    case Kind::discrete:
      spec.action = {discrete("", bits)};
      break;
    case Kind::multi_discrete:
      spec.action = {multi_discrete("", twos)};
      break;
    case Kind::multi_binary:
      spec.action = {multi_binary("", bits)};
      break;
    case Kind::box:
      spec.action = {box<float>("", {bits}, -1, 1)};
      break;
  }
  return spec;
}

BitFlip::BitFlip(const Options& options)
    : kind_(kind_of(options.text("action"))), bits_(static_cast<size_t>(options.integer("bits"))) {}

void BitFlip::reset(Reset, Rng& rng) {
  do {
    for (int8_t& bit : bits_) bit = static_cast<int8_t>(rng.integers(0, 2));
  } while (solved());
}

Transition BitFlip::step(Action action, Rng&) {
  const auto flip_where = [&](auto elements) {
    for (size_t bit = 0; bit < bits_.size(); ++bit)
      if (elements[bit] > 0) flip(bit);
  };
  switch (kind_) {
    case Kind::discrete:
      flip(static_cast<size_t>(action.scalar<int64_t>()));
      break;
    case Kind::multi_discrete:
      flip_where(action.array<int64_t>());
      break;
    case Kind::multi_binary:
      flip_where(action.array<int8_t>());
      break;
    case Kind::box:
      flip_where(action.array<float>());
      break;
  }
  return {.reward = solved() ? 0.0 : -1.0, .terminated = solved()};
}

bool BitFlip::solved() const {
  return std::ranges::all_of(bits_, [](int8_t bit) { return bit == 1; });
}

void BitFlip::observe(Row row) const {
  std::ranges::copy(bits_, row.observation<int8_t>(0).begin());
  std::ranges::copy(bits_, row.observation<int8_t>(1).begin());
  std::ranges::fill(row.observation<int8_t>(2), int8_t{1});
  const std::span<bool> mask = row.info<bool>(0);
  for (size_t bit = 0; bit < bits_.size(); ++bit) mask[bit] = solved() || bits_[bit] == 0;
  row.info<bool>(1)[0] = solved();
}

}  // namespace poolkit::debug
