#include "acrobot.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "numpy_math.h"

namespace poolkit::classic {
namespace {

using State = std::array<double, 4>;

constexpr double kPi = std::numbers::pi;
constexpr double kTau = 0.2;  // seconds between two states
constexpr double kMaxVelocity1 = 4 * kPi;
constexpr double kMaxVelocity2 = 9 * kPi;
constexpr double kGravity = 9.8;
constexpr double kCentre = 0.5;  // of mass, along a link; a link's length, mass and inertia are 1

// The state's derivative; the terms are in Gymnasium's order, and so are the results to the last
// bit.
State derivative(const State& s, double torque) {
  const auto [theta1, theta2, velocity1, velocity2] = s;
  const double cos2 = std::cos(theta2);
  const double sin2 = std::sin(theta2);
  const double d1 = kCentre * kCentre + (1 + kCentre * kCentre + cos2) + 1 + 1;
  const double d2 = kCentre * kCentre + kCentre * cos2 + 1;
  const double phi2 = kCentre * kGravity * std::cos(theta1 + theta2 - kPi / 2);
  const double phi1 = -kCentre * squared(velocity2) * sin2 - velocity2 * velocity1 * sin2 +
                      (kCentre + 1) * kGravity * std::cos(theta1 - kPi / 2) + phi2;
  const double acceleration2 =
      (torque + d2 / d1 * phi1 - kCentre * squared(velocity1) * sin2 - phi2) /
      (kCentre * kCentre + 1 - squared(d2) / d1);
  const double acceleration1 = -(d2 * acceleration2 + phi1) / d1;
  return {velocity1, velocity2, acceleration1, acceleration2};
}

State moved(const State& s, double by, const State& k) {
  State out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = s[i] + by * k[i];
  return out;
}

// One step of the classical Runge-Kutta method.
State integrate(const State& s, double torque) {
  const State k1 = derivative(s, torque);
  const State k2 = derivative(moved(s, kTau / 2, k1), torque);
  const State k3 = derivative(moved(s, kTau / 2, k2), torque);
  const State k4 = derivative(moved(s, kTau, k3), torque);
  State slope;
  for (size_t i = 0; i < slope.size(); ++i) slope[i] = k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i];
  return moved(s, kTau / 6, slope);
}

double wrapped(double angle) {
  while (angle > kPi) angle -= 2 * kPi;
  while (angle < -kPi) angle += 2 * kPi;
  return angle;
}

}  // namespace

Spec Acrobot::spec(const Options&) {
  const float high[] = {
      1, 1, 1, 1, static_cast<float>(kMaxVelocity1), static_cast<float>(kMaxVelocity2)};
  float low[6];
  std::ranges::transform(high, low, std::negate<>());
  return {.observation = {box<float>("", {6}, std::span<const float>(low),
                                     std::span<const float>(high))},
          .action = {discrete("", 3)},
          .max_episode_steps = 500,
          .light = true};
}

void Acrobot::reset(Reset, Rng& rng) {
  for (double& value : state_) value = static_cast<float>(rng.uniform(-0.1, 0.1));
  starts_ = true;
}

Transition Acrobot::step(Action action, Rng&) {
  const auto torque = static_cast<double>(action.scalar<int64_t>() - 1);
  const State next = integrate(state_, torque);
  state_ = {wrapped(next[0]), wrapped(next[1]), std::clamp(next[2], -kMaxVelocity1, kMaxVelocity1),
            std::clamp(next[3], -kMaxVelocity2, kMaxVelocity2)};
  starts_ = false;
  const bool is_up = -std::cos(state_[0]) - std::cos(state_[1] + state_[0]) > 1;
  return {.reward = is_up ? 0.0 : -1.0, .terminated = is_up};
}

void Acrobot::observe(Row row) const {
  const std::span<float> out = row.observation<float>();
  for (size_t link = 0; link < 2; ++link) {
    const double angle = state_[link];
    const auto narrow = static_cast<float>(angle);
    out[2 * link] = starts_ ? cos_near_zero(narrow) : static_cast<float>(std::cos(angle));
    out[2 * link + 1] = starts_ ? sin_near_zero(narrow) : static_cast<float>(std::sin(angle));
    out[4 + link] = static_cast<float>(state_[2 + link]);
  }
}

void Acrobot::save(Writer& out) const {
  out.value(state_);
  out.value(starts_);
}

void Acrobot::load(Reader& in) {
  state_ = in.value<State>();
  starts_ = in.value<bool>();
}

}  // namespace poolkit::classic
