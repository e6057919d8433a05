// An environment for tests of spaces: every dtype, nested names, several actions.
#ifndef POOLKIT_ENVS_DEBUG_EVERY_DTYPE_H_
#define POOLKIT_ENVS_DEBUG_EVERY_DTYPE_H_

#include <vector>

#include "poolkit/env.h"

namespace poolkit::debug {

// Observation: a Dict with one array [2] of each dtype under "dtype" (its name), all holding the
// number of steps modulo 2; with `pair` a Tuple "pair" of a Discrete(3) from 5 on and a
// MultiBinary(4); and under "echo" what the action said. Action: a Dict of Discrete "turn",
// MultiDiscrete "buttons", MultiBinary "switches", float32 and float64 Boxes "gas" and "arm/angle"
// with bounds for each element. Info: "action_mask", bool[3].
class EveryDtype {
 public:
  static std::vector<OptionSpec> options();
  static Spec spec(const Options& options);
  explicit EveryDtype(const Options& options);

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;

 private:
  explicit EveryDtype(bool pair) : pair_(pair) {}

  bool pair_;
  int64_t count_ = 0;
  int64_t turn_ = -1;
  int64_t buttons_[2] = {};
  int8_t switches_[4] = {};
  float gas_[2] = {};
  double angle_[3] = {};
};

}  // namespace poolkit::debug

#endif  // POOLKIT_ENVS_DEBUG_EVERY_DTYPE_H_
