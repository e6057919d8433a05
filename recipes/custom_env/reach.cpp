// Reach: a puck on a table, to be pushed to a target. Everything that an environment may have.
#include <algorithm>
#include <cmath>

#include "poolkit/env.h"
#include "poolkit/module.h"

namespace {

using poolkit::Row;

class Reach {
 public:
  static std::vector<poolkit::OptionSpec> options() {
    return {poolkit::option::real("radius", 0.1, "How near the target is near enough."),
            poolkit::option::integer("pixels", 64, "Side of a rendered image.")};
  }

  // Names with '/' nest, and several names make a Dict: here position, velocity and target.
  static poolkit::Spec spec(const poolkit::Options&) {
    return {.observation = {poolkit::box<float>("position", {2}, -1, 1),
                            poolkit::box<float>("velocity", {2}, -2, 2),
                            poolkit::box<float>("target", {2}, -1, 1)},
            .action = {poolkit::box<float>("", {2}, -1, 1)},
            .info = {poolkit::array<float>("distance")},
            .max_episode_steps = 200,
            .light = true};
  }

  explicit Reach(const poolkit::Options& options)
      : radius_(options.real("radius")), pixels_(options.integer_in("pixels", 8, 4096)) {}

  // All randomness comes from `rng`, so that a seed repeats an episode.
  void reset(poolkit::Reset, poolkit::Rng& rng) {
    for (size_t axis = 0; axis < 2; ++axis) {
      state_.position[axis] = rng.uniform(-1, 1);
      state_.target[axis] = rng.uniform(-1, 1);
      state_.velocity[axis] = 0;
    }
  }

  // The action is inside its bounds, always: poolkit checks what it is sent.
  poolkit::Transition step(poolkit::Action action, poolkit::Rng&) {
    for (size_t axis = 0; axis < 2; ++axis) {
      double& velocity = state_.velocity[axis];
      velocity = std::clamp(velocity + 0.2 * action.array<float>()[axis], -2.0, 2.0);
      state_.position[axis] = std::clamp(state_.position[axis] + 0.1 * velocity, -1.0, 1.0);
    }
    return {.reward = -distance(), .terminated = distance() < radius_};
  }

  void observe(Row row) const {
    write(row.observation<float>(0), state_.position);
    write(row.observation<float>(1), state_.velocity);
    write(row.observation<float>(2), state_.target);
    row.info<float>(0)[0] = static_cast<float>(distance());
  }

  // The target red, the puck white.
  void render(poolkit::Image& image) const {
    const auto side = static_cast<size_t>(pixels_);
    const std::span<uint8_t> out = image.resize(side, side);
    std::ranges::fill(out, uint8_t{0});
    out[at(state_.target)] = 255;
    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(at(state_.position)), 3, uint8_t{255});
  }

  void save(poolkit::Writer& out) const { out.value(state_); }
  void load(poolkit::Reader& in) { state_ = in.value<State>(); }

 private:
  struct State {
    double position[2] = {}, velocity[2] = {}, target[2] = {};
  };

  static void write(std::span<float> out, const double (&values)[2]) {
    for (size_t axis = 0; axis < 2; ++axis) out[axis] = static_cast<float>(values[axis]);
  }

  double distance() const {
    return std::hypot(state_.position[0] - state_.target[0], state_.position[1] - state_.target[1]);
  }

  // Where in the image a place is.
  size_t at(const double (&place)[2]) const {
    const auto pixel = [this](double x) {
      return static_cast<size_t>((x + 1) / 2 * static_cast<double>(pixels_ - 1));
    };
    return 3 * (pixel(place[1]) * static_cast<size_t>(pixels_) + pixel(place[0]));
  }

  const double radius_;
  const int64_t pixels_;
  State state_;
};

}  // namespace

POOLKIT_MODULE(_reach, m) { m.add<Reach>("Reach", "A puck to be pushed to a target."); }
