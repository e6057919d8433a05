#include "mountain_car.h"

#include <algorithm>
#include <cmath>

namespace poolkit::classic {
namespace {

constexpr double kMinPosition = -1.2;
constexpr double kMaxPosition = 0.6;
constexpr double kMaxSpeed = 0.07;
constexpr double kGravity = 0.0025;
constexpr double kGoal = 0.5;
constexpr double kForce = 0.001;
constexpr double kContinuousGoal = 0.45;
constexpr double kPower = 0.0015;

Spec with_action(Array action, int64_t max_episode_steps) {
  const float low[] = {static_cast<float>(kMinPosition), static_cast<float>(-kMaxSpeed)};
  const float high[] = {static_cast<float>(kMaxPosition), static_cast<float>(kMaxSpeed)};
  return {.observation = {box<float>("", {2}, std::span<const float>(low),
                                     std::span<const float>(high))},
          .action = {std::move(action)},
          .max_episode_steps = max_episode_steps,
          .light = true};
}

void write(Row row, double position, double velocity) {
  const std::span<float> out = row.observation<float>();
  out[0] = static_cast<float>(position);
  out[1] = static_cast<float>(velocity);
}

}  // namespace

std::vector<OptionSpec> MountainCar::options() {
  return {option::real("goal_velocity", 0.0, "The least velocity at the goal that ends it.")};
}

Spec MountainCar::spec(const Options&) { return with_action(discrete("", 3), 200); }

MountainCar::MountainCar(const Options& options) : goal_velocity_(options.real("goal_velocity")) {}

void MountainCar::reset(Reset, Rng& rng) {
  position_ = rng.uniform(-0.6, -0.4);
  velocity_ = 0;
}

Transition MountainCar::step(Action action, Rng&) {
  const auto push = static_cast<double>(action.scalar<int64_t>() - 1);
  velocity_ += push * kForce + std::cos(3 * position_) * -kGravity;
  velocity_ = std::clamp(velocity_, -kMaxSpeed, kMaxSpeed);
  position_ = std::clamp(position_ + velocity_, kMinPosition, kMaxPosition);
  if (position_ == kMinPosition && velocity_ < 0) velocity_ = 0;
  return {.reward = -1, .terminated = position_ >= kGoal && velocity_ >= goal_velocity_};
}

void MountainCar::observe(Row row) const { write(row, position_, velocity_); }

void MountainCar::save(Writer& out) const {
  out.value(position_);
  out.value(velocity_);
}

void MountainCar::load(Reader& in) {
  position_ = in.value<double>();
  velocity_ = in.value<double>();
}

Spec MountainCarContinuous::spec(const Options&) {
  return with_action(box<float>("", {1}, -1, 1), 999);
}

MountainCarContinuous::MountainCarContinuous(const Options& options)
    : goal_velocity_(options.real("goal_velocity")) {}

void MountainCarContinuous::reset(Reset, Rng& rng) {
  position_ = rng.uniform(-0.6, -0.4);
  velocity_ = 0;
  starts_ = true;
}

template <class Real>
bool MountainCarContinuous::move(float force) {
  constexpr auto max_speed = static_cast<Real>(kMaxSpeed);
  constexpr auto min_position = static_cast<Real>(kMinPosition);
  constexpr auto max_position = static_cast<Real>(kMaxPosition);
  auto position = static_cast<Real>(position_);
  auto velocity = static_cast<Real>(velocity_);
  velocity += Real{force * static_cast<float>(kPower) -
                   static_cast<float>(kGravity * std::cos(double{3 * position}))};
  velocity = std::clamp(velocity, -max_speed, max_speed);
  position = std::clamp(position + velocity, min_position, max_position);
  if (position == min_position && velocity < 0) velocity = 0;
  position_ = static_cast<float>(position);
  velocity_ = static_cast<float>(velocity);
  return position >= static_cast<Real>(kContinuousGoal) &&
         velocity >= static_cast<Real>(goal_velocity_);
}

Transition MountainCarContinuous::step(Action action, Rng&) {
  const auto force = action.scalar<float>();
  const bool arrives = starts_ ? move<double>(force) : move<float>(force);
  starts_ = false;
  return {.reward = (arrives ? 100.0 : 0.0) - double{force} * double{force} * 0.1,
          .terminated = arrives};
}

void MountainCarContinuous::observe(Row row) const { write(row, position_, velocity_); }

void MountainCarContinuous::save(Writer& out) const {
  out.value(position_);
  out.value(velocity_);
  out.value(starts_);
}

void MountainCarContinuous::load(Reader& in) {
  position_ = in.value<double>();
  velocity_ = in.value<double>();
  starts_ = in.value<bool>();
}

}  // namespace poolkit::classic
