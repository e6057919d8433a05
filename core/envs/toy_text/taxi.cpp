#include "taxi.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "categorical.h"

namespace poolkit::toy_text {
namespace {

using Cell = Taxi::Cell;
using State = Taxi::State;

constexpr int64_t kSide = 5;
constexpr int64_t kStates = 500;
constexpr int64_t kInTaxi = 4;
constexpr Cell kStands[] = {{0, 0}, {0, 4}, {4, 0}, {4, 3}};
// Cell (row, column) is letter 2 * column + 1; the letter before it is a wall, or ':'.
constexpr const char* kMap[] = {"|R: | : :G|", "| : | : : |", "| : : : : |", "| | : | : |",
                                "|Y| : |B: |"};
constexpr Cell kMoves[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
// What rain may make of a direction: left and right of it.
constexpr int64_t kSides[][2] = {{2, 3}, {3, 2}, {1, 0}, {0, 1}};

bool is_open(int64_t row, int64_t letter) { return kMap[row][letter] == ':'; }
bool can_go(Cell cell, int64_t direction) {
  switch (direction) {
    case 0:
      return cell.row < kSide - 1;
    case 1:
      return cell.row > 0;
    case 2:
      return is_open(cell.row, 2 * cell.column + 2);
    default:
      return is_open(cell.row, 2 * cell.column);
  }
}

Cell moved(Cell cell, int64_t direction) {
  if (!can_go(cell, direction)) return cell;
  return {cell.row + kMoves[direction].row, cell.column + kMoves[direction].column};
}

const Cell* stand_at(Cell cell) {
  const Cell* stand = std::ranges::find(kStands, cell);
  return stand == std::end(kStands) ? nullptr : stand;
}

int64_t encode(const State& s) {
  return ((s.taxi.row * kSide + s.taxi.column) * 5 + s.passenger) * 4 + s.destination;
}

State decode(int64_t code) { return {{code / 100, code / 20 % kSide}, code / 4 % 5, code % 4}; }

// The probability of each state at the start: the passenger waits elsewhere than they want to go.
std::array<double, kStates> starts() {
  std::array<double, kStates> out{};
  for (size_t code = 0; code < out.size(); ++code) {
    const State state = decode(static_cast<int64_t>(code));
    out[code] = state.passenger < kInTaxi && state.passenger != state.destination;
  }
  const double count = std::accumulate(out.begin(), out.end(), 0.0);
  for (double& probability : out) probability /= count;
  return out;
}

}  // namespace

std::vector<OptionSpec> Taxi::options() {
  return {option::flag("is_rainy", false, "Whether rain may drive the taxi sideways."),
          option::flag("fickle_passenger", false,
                       "Whether the passenger may change the destination at the first move."),
          option::real("rainy_probability", 0.8, "In rain, the probability of going straight."),
          option::real("fickle_probability", 0.3, "The probability of changing the destination.")};
}

Spec Taxi::spec(const Options& options) {
  const Taxi env(options);  // refuses wrong options
  return {.observation = {discrete("", kStates)},
          .action = {discrete("", 6)},
          .info = {array<double>("prob"), box<int8_t>("action_mask", {6}, 0, 1)},
          .max_episode_steps = 200,
          .light = true};
}

Taxi::Taxi(const Options& options)
    : is_rainy_(options.flag("is_rainy")),
      fickle_passenger_(options.flag("fickle_passenger")),
      rainy_probability_(probability_option(options, "rainy_probability")),
      fickle_probability_(probability_option(options, "fickle_probability")) {}

void Taxi::reset(Reset, Rng& rng) {
  static const std::array<double, kStates> probabilities = starts();
  state_ = decode(static_cast<int64_t>(categorical(probabilities, rng)));
  may_change_mind_ = fickle_passenger_ && rng.random() < fickle_probability_;
  last_action_ = -1;
  heading_ = 0;
  probability_ = 1;
}

void Taxi::drive(int64_t direction, Rng& rng) {
  const double side = (1 - rainy_probability_) / 2;
  const double rainy[] = {rainy_probability_, side, side};
  const double dry[] = {1, 0, 0};
  const auto& probabilities = is_rainy_ ? rainy : dry;
  const size_t which = categorical(probabilities, rng);
  probability_ = probabilities[which];
  heading_ = direction;
  const Cell from = state_.taxi;
  // Where the way ahead is closed, rain does not move the taxi either.
  if (!can_go(from, direction)) return;
  state_.taxi = moved(from, which == 0 ? direction : kSides[direction][which - 1]);
  if (may_change_mind_ && state_.passenger == kInTaxi && state_.taxi != from) {
    may_change_mind_ = false;
    const int64_t other = rng.integers(0, 3);
    state_.destination = other + (other >= state_.destination);
  }
}

Transition Taxi::step(Action action, Rng& rng) {
  last_action_ = action.scalar<int64_t>();
  if (last_action_ < 4) {
    drive(last_action_, rng);
    return {.reward = -1};
  }
  rng.random();  // Gymnasium draws the outcome, from one
  probability_ = 1;
  const Cell* stand = stand_at(state_.taxi);
  if (last_action_ == 4) {
    if (state_.passenger == kInTaxi || stand != &kStands[state_.passenger]) return {.reward = -10};
    state_.passenger = kInTaxi;
    return {.reward = -1};
  }
  if (state_.passenger != kInTaxi || !stand) return {.reward = -10};
  state_.passenger = stand - kStands;
  const bool arrives = state_.passenger == state_.destination;
  return {.reward = arrives ? 20.0 : -1.0, .terminated = arrives};
}

void Taxi::observe(Row row) const {
  row.observation<int64_t>()[0] = encode(state_);
  row.info<double>(0)[0] = probability_;
  const std::span<int8_t> mask = row.info<int8_t>(1);
  for (int64_t direction = 0; direction < 4; ++direction)
    mask[static_cast<size_t>(direction)] = can_go(state_.taxi, direction);
  const Cell* stand = stand_at(state_.taxi);
  const bool carries = state_.passenger == kInTaxi;
  mask[4] = !carries && stand == &kStands[state_.passenger];
  mask[5] = carries && stand;
}

void Taxi::save(Writer& out) const {
  for (int64_t value : {encode(state_), last_action_, heading_}) out.value(value);
  out.value(probability_);
  out.value(may_change_mind_);
}

void Taxi::load(Reader& in) {
  state_ = decode(in.value<int64_t>());
  last_action_ = in.value<int64_t>();
  heading_ = in.value<int64_t>();
  probability_ = in.value<double>();
  may_change_mind_ = in.value<bool>();
}

}  // namespace poolkit::toy_text
