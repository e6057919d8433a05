#include "pendulum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "numpy_math.h"

namespace poolkit::classic {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kTau = 0.05;  // seconds between two states
constexpr double kMaxSpeed = 8;
constexpr float kMaxTorque = 2;

}  // namespace

std::vector<OptionSpec> Pendulum::options() {
  return {option::real("g", 10.0, "Acceleration of gravity, in m/s^2.")};
}

Spec Pendulum::spec(const Options&) {
  const float high[] = {1, 1, static_cast<float>(kMaxSpeed)};
  const float low[] = {-high[0], -high[1], -high[2]};
  return {.observation = {box<float>("", {3}, std::span<const float>(low),
                                     std::span<const float>(high))},
          .action = {box<float>("", {1}, -kMaxTorque, kMaxTorque)},
          .max_episode_steps = 200,
          .light = true};
}

Pendulum::Pendulum(const Options& options) : gravity_(options.real("g")) {}

void Pendulum::reset(Reset, Rng& rng) {
  theta_ = rng.uniform(-kPi, kPi);
  theta_dot_ = rng.uniform(-1, 1);
  torque_ = 0;
}

Transition Pendulum::step(Action action, Rng&) {
  torque_ = action.scalar<float>();
  const double angle = modulo(theta_ + kPi, 2 * kPi) - kPi;
  const double cost =
      squared(angle) + 0.1 * squared(theta_dot_) + double{0.001f * (torque_ * torque_)};
  const double speed =
      theta_dot_ + (3 * gravity_ / 2 * std::sin(theta_) + double{3.0f * torque_}) * kTau;
  theta_dot_ = std::clamp(speed, -kMaxSpeed, kMaxSpeed);
  theta_ = theta_ + theta_dot_ * kTau;
  return {.reward = -cost};
}

void Pendulum::observe(Row row) const {
  const std::span<float> out = row.observation<float>();
  out[0] = static_cast<float>(std::cos(theta_));
  out[1] = static_cast<float>(std::sin(theta_));
  out[2] = static_cast<float>(theta_dot_);
}

void Pendulum::save(Writer& out) const {
  out.value(theta_);
  out.value(theta_dot_);
  out.value(torque_);
}

void Pendulum::load(Reader& in) {
  theta_ = in.value<double>();
  theta_dot_ = in.value<double>();
  torque_ = in.value<float>();
}

}  // namespace poolkit::classic
