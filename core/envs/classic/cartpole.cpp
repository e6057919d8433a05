#include "cartpole.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace poolkit::classic {
namespace {

constexpr double kGravity = 9.8;
constexpr double kMassCart = 1.0;
constexpr double kMassPole = 0.1;
constexpr double kTotalMass = kMassPole + kMassCart;
constexpr double kLength = 0.5;  // half the pole's
constexpr double kPoleMassLength = kMassPole * kLength;
constexpr double kForce = 10.0;
constexpr double kTau = 0.02;  // seconds between two states
constexpr double kThetaLimit = 12 * 2 * std::numbers::pi / 360;
constexpr double kXLimit = 2.4;

}  // namespace

std::vector<OptionSpec> CartPole::options() {
  return {option::flag("sutton_barto_reward", false,
                       "Reward -1 for the step that ends the episode and 0 for the others.")};
}

Spec CartPole::spec(const Options&) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const float high[] = {static_cast<float>(kXLimit * 2), inf, static_cast<float>(kThetaLimit * 2),
                        inf};
  const float low[] = {-high[0], -inf, -high[2], -inf};
  return {.observation = {box<float>("", {4}, std::span<const float>(low),
                                     std::span<const float>(high))},
          .action = {discrete("", 2)},
          .max_episode_steps = 500,
          .light = true};
}

CartPole::CartPole(const Options& options)
    : sutton_barto_reward_(options.flag("sutton_barto_reward")) {}

void CartPole::reset(Reset, Rng& rng) {
  for (double* value : {&x_, &x_dot_, &theta_, &theta_dot_}) *value = rng.uniform(-0.05, 0.05);
  fallen_ = false;
}

// Gymnasium's expressions, in its order: the results are equal to the last bit.
Transition CartPole::step(Action action, Rng&) {
  const double force = action.scalar<int64_t>() == 1 ? kForce : -kForce;
  const double cos = std::cos(theta_);
  const double sin = std::sin(theta_);
  const double temp = (force + kPoleMassLength * (theta_dot_ * theta_dot_) * sin) / kTotalMass;
  const double theta_acc = (kGravity * sin - cos * temp) /
                           (kLength * (4.0 / 3.0 - kMassPole * (cos * cos) / kTotalMass));
  const double x_acc = temp - kPoleMassLength * theta_acc * cos / kTotalMass;
  x_ = x_ + kTau * x_dot_;
  x_dot_ = x_dot_ + kTau * x_acc;
  theta_ = theta_ + kTau * theta_dot_;
  theta_dot_ = theta_dot_ + kTau * theta_acc;

  const bool falls = x_ < -kXLimit || x_ > kXLimit || theta_ < -kThetaLimit || theta_ > kThetaLimit;
  double reward = sutton_barto_reward_ ? 0.0 : 1.0;
  if (falls && (sutton_barto_reward_ || fallen_)) reward -= 1.0;
  fallen_ = fallen_ || falls;
  return {.reward = reward, .terminated = falls};
}

void CartPole::observe(Row row) const {
  const std::span<float> out = row.observation<float>();
  out[0] = static_cast<float>(x_);
  out[1] = static_cast<float>(x_dot_);
  out[2] = static_cast<float>(theta_);
  out[3] = static_cast<float>(theta_dot_);
}

void CartPole::save(Writer& out) const {
  for (double value : {x_, x_dot_, theta_, theta_dot_}) out.value(value);
  out.value(fallen_);
}

void CartPole::load(Reader& in) {
  for (double* value : {&x_, &x_dot_, &theta_, &theta_dot_}) *value = in.value<double>();
  fallen_ = in.value<bool>();
}

}  // namespace poolkit::classic
