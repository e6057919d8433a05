// Acrobot of Gymnasium's classic control, number for number.
#ifndef POOLKIT_ENVS_CLASSIC_ACROBOT_H_
#define POOLKIT_ENVS_CLASSIC_ACROBOT_H_

#include <array>

#include "poolkit/env.h"

namespace poolkit::classic {

// Two links that a torque at the joint between them (-1, 0, 1) is to swing up. After Sutton (1996),
// with the equations of motion and the arithmetic of gymnasium/envs/classic_control/acrobot.py.
class Acrobot {
 public:
  static Spec spec(const Options& options);
  explicit Acrobot(const Options&) {}

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  std::array<double, 4> state_ = {};  // the links' angles, then their velocities
  bool starts_ = false;               // the state is a start's, which is float
};

}  // namespace poolkit::classic

#endif  // POOLKIT_ENVS_CLASSIC_ACROBOT_H_
