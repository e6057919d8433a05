// An environment for tests that throws where it is told to.
#ifndef POOLKIT_ENVS_DEBUG_FAILING_H_
#define POOLKIT_ENVS_DEBUG_FAILING_H_

#include <string>
#include <vector>

#include "poolkit/env.h"

namespace poolkit::debug {

// Actions: 0 steps, 1 throws in the step, 2 in the observation after it, 3 ends the episode with a
// step and throws in the reset that follows, 4 ends the episode. Observation int64[2]: steps since
// the reset, and objects built before this one that were alive then.
class Failing {
 public:
  static std::vector<OptionSpec> options();
  static Spec spec(const Options& options);
  explicit Failing(const Options& options);
  ~Failing();
  Failing(const Failing&) = delete;

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;

 private:
  enum class Trap { none, reset, observe };

  const std::string at_;
  const int64_t index_;
  const bool chosen_;
  int64_t count_ = 0;
  Trap trap_ = Trap::none;
};

}  // namespace poolkit::debug

#endif  // POOLKIT_ENVS_DEBUG_FAILING_H_
