#include "cliff_walking.h"

#include <algorithm>

#include "categorical.h"

namespace poolkit::toy_text {
namespace {

constexpr int64_t kRows = 4;
constexpr int64_t kColumns = 12;
constexpr int64_t kStart = 3 * kColumns;
constexpr int64_t kGoal = kRows * kColumns - 1;
constexpr int64_t kMoves[4][2] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}};

}  // namespace

std::vector<OptionSpec> CliffWalking::options() {
  return {option::flag("is_slippery", false,
                       "Whether each side is as probable as the direction chosen.")};
}

Spec CliffWalking::spec(const Options&) {
  return {.observation = {discrete("", kRows * kColumns)},
          .action = {discrete("", 4)},
          .info = {array<double>("prob")},
          .light = true};
}

CliffWalking::CliffWalking(const Options& options) : is_slippery_(options.flag("is_slippery")) {}

void CliffWalking::reset(Reset, Rng& rng) {
  rng.random();  // Gymnasium draws the start, from one cell
  cell_ = kStart;
  probability_ = 1;
}

Transition CliffWalking::step(Action action, Rng& rng) {
  constexpr double slippery[] = {1.0 / 3, 1.0 / 3, 1.0 / 3};  // one turn back, ahead, one turn on
  constexpr double sure[] = {0, 1, 0};
  const auto& probabilities = is_slippery_ ? slippery : sure;
  const size_t turn = categorical(probabilities, rng);
  probability_ = probabilities[turn];
  const auto& move = kMoves[(static_cast<size_t>(action.scalar<int64_t>()) + turn + 3) % 4];
  const int64_t row = std::clamp<int64_t>(cell_ / kColumns + move[0], 0, kRows - 1);
  const int64_t column = std::clamp<int64_t>(cell_ % kColumns + move[1], 0, kColumns - 1);
  cell_ = row * kColumns + column;
  if (cell_ > kStart && cell_ < kGoal) {
    cell_ = kStart;
    return {.reward = -100};
  }
  return {.reward = -1, .terminated = cell_ == kGoal};
}

void CliffWalking::observe(Row row) const {
  row.observation<int64_t>()[0] = cell_;
  row.info<double>()[0] = probability_;
}

void CliffWalking::save(Writer& out) const {
  out.value(cell_);
  out.value(probability_);
}

void CliffWalking::load(Reader& in) {
  cell_ = in.value<int64_t>();
  probability_ = in.value<double>();
}

}  // namespace poolkit::toy_text
