// Pendulum of Gymnasium's classic control, number for number.
#ifndef POOLKIT_ENVS_CLASSIC_PENDULUM_H_
#define POOLKIT_ENVS_CLASSIC_PENDULUM_H_

#include <vector>

#include "poolkit/env.h"

namespace poolkit::classic {

// A rod that a torque in -2 .. 2 is to hold upright. The arithmetic is that of
// gymnasium/envs/classic_control/pendulum.py: state in double, the torque's terms in float.
class Pendulum {
 public:
  static std::vector<OptionSpec> options();
  static Spec spec(const Options& options);
  explicit Pendulum(const Options& options);

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  const double gravity_;
  double theta_ = 0, theta_dot_ = 0;
  float torque_ = 0;  // the last one, which a picture shows
};

}  // namespace poolkit::classic

#endif  // POOLKIT_ENVS_CLASSIC_PENDULUM_H_
