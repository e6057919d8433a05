// CartPole of Gymnasium's classic control, number for number.
#ifndef POOLKIT_ENVS_CLASSIC_CARTPOLE_H_
#define POOLKIT_ENVS_CLASSIC_CARTPOLE_H_

#include <vector>

#include "poolkit/env.h"

namespace poolkit::classic {

// A pole on a cart, pushed left (0) or right (1). After Barto, Sutton and Anderson (1983), with the
// constants and the arithmetic of gymnasium/envs/classic_control/cartpole.py. CartPole-v0 and -v1
// differ in their time limit: 200 and 500 steps.
class CartPole {
 public:
  static std::vector<OptionSpec> options();
  static Spec spec(const Options& options);
  explicit CartPole(const Options& options);

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  const bool sutton_barto_reward_;
  double x_ = 0, x_dot_ = 0, theta_ = 0, theta_dot_ = 0;
  bool fallen_ = false;
};

}  // namespace poolkit::classic

#endif  // POOLKIT_ENVS_CLASSIC_CARTPOLE_H_
