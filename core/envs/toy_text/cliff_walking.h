// CliffWalking of Gymnasium's toy text, number for number.
#ifndef POOLKIT_ENVS_TOY_TEXT_CLIFF_WALKING_H_
#define POOLKIT_ENVS_TOY_TEXT_CLIFF_WALKING_H_

#include <vector>

#include "poolkit/env.h"

namespace poolkit::toy_text {

// A walk along a cliff, from which one falls back to the start: up (0), right (1), down (2),
// left (3). After Sutton and Barto (2020), example 6.6, as
// gymnasium/envs/toy_text/cliffwalking.py.
class CliffWalking {
 public:
  static std::vector<OptionSpec> options();
  static Spec spec(const Options& options);
  explicit CliffWalking(const Options& options);

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  const bool is_slippery_;
  int64_t cell_ = 0;
  double probability_ = 1;  // of the last transition
};

}  // namespace poolkit::toy_text

#endif  // POOLKIT_ENVS_TOY_TEXT_CLIFF_WALKING_H_
