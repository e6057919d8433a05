#include "frozen_lake.h"

#include <algorithm>

#include "categorical.h"

namespace poolkit::toy_text {

Lake::Lake(std::string_view map) {
  const auto check = [map](bool holds, const char* rule) {
    if (!holds) throw std::invalid_argument("map: '" + std::string(map) + "' must have " + rule);
  };
  columns = static_cast<int64_t>(std::min(map.find('/'), map.size()));
  for (size_t at = 0; at <= map.size(); ++rows) {
    const std::string_view row = map.substr(at, map.find('/', at) - at);
    check(std::ssize(row) == columns, "rows of one length, separated by '/'");
    letters += row;
    at += row.size() + 1;
  }
  check(letters.find_first_not_of("SFHG") == std::string::npos, "no letters but S, F, H and G");
  check(letters.find('S') != std::string::npos, "an S, where one starts");
}

std::vector<OptionSpec> FrozenLake::options() {
  return {option::text("map", "SFFF/FHFH/FFFH/HFFG",
                       "Rows of cells, separated by '/': S start, F frozen, H hole, G goal."),
          option::flag("is_slippery", true, "Whether one may slip sideways."),
          option::real("success_rate", 1.0 / 3.0,
                       "The probability of not slipping; the rest is for the two sides."),
          option::real("goal_reward", 1.0, "Reward of the goal."),
          option::real("hole_reward", 0.0, "Reward of a hole."),
          option::real("frozen_reward", 0.0, "Reward of any other cell.")};
}

Spec FrozenLake::spec(const Options& options) {
  const FrozenLake env(options);  // refuses wrong options
  return {.observation = {discrete("", std::ssize(env.lake_.letters))},
          .action = {discrete("", 4)},
          .info = {array<double>("prob")},
          .max_episode_steps = 100,
          .light = true};
}

FrozenLake::FrozenLake(const Options& options)
    : lake_(options.text("map")),
      is_slippery_(options.flag("is_slippery")),
      success_rate_(probability_option(options, "success_rate")),
      goal_reward_(options.real("goal_reward")),
      hole_reward_(options.real("hole_reward")),
      frozen_reward_(options.real("frozen_reward")) {
  const auto count = static_cast<double>(std::ranges::count(lake_.letters, 'S'));
  for (char letter : lake_.letters) starts_.push_back(letter == 'S' ? 1 / count : 0);
}

void FrozenLake::reset(Reset, Rng& rng) {
  cell_ = static_cast<int64_t>(categorical(starts_, rng));
  last_action_ = -1;
  probability_ = 1;
}

int64_t FrozenLake::neighbour(int64_t direction) const {
  int64_t row = cell_ / lake_.columns, column = cell_ % lake_.columns;
  if (direction == 0) column = std::max<int64_t>(column - 1, 0);
  if (direction == 1) row = std::min(row + 1, lake_.rows - 1);
  if (direction == 2) column = std::min(column + 1, lake_.columns - 1);
  if (direction == 3) row = std::max<int64_t>(row - 1, 0);
  return row * lake_.columns + column;
}

Transition FrozenLake::step(Action action, Rng& rng) {
  last_action_ = action.scalar<int64_t>();
  const double side = (1 - success_rate_) / 2;
  const double slippery[] = {side, success_rate_, side};  // one turn back, ahead, one turn on
  const double sure[] = {0, 1, 0};
  const auto& probabilities = is_slippery_ ? slippery : sure;
  const size_t turn = categorical(probabilities, rng);
  probability_ = probabilities[turn];
  cell_ = neighbour((last_action_ + static_cast<int64_t>(turn) + 3) % 4);
  switch (lake_.letters[static_cast<size_t>(cell_)]) {
    case 'G':
      return {.reward = goal_reward_, .terminated = true};
    case 'H':
      return {.reward = hole_reward_, .terminated = true};
    default:
      return {.reward = frozen_reward_};
  }
}

void FrozenLake::observe(Row row) const {
  row.observation<int64_t>()[0] = cell_;
  row.info<double>()[0] = probability_;
}

void FrozenLake::save(Writer& out) const {
  out.value(cell_);
  out.value(last_action_);
  out.value(probability_);
}

void FrozenLake::load(Reader& in) {
  cell_ = in.value<int64_t>();
  last_action_ = in.value<int64_t>();
  probability_ = in.value<double>();
  if (cell_ < 0 || cell_ >= std::ssize(lake_.letters))
    throw std::invalid_argument("state: of another map");
}

}  // namespace poolkit::toy_text
