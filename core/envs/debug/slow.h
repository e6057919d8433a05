// An environment for tests of waiting: its steps take as long as they are told to.
#ifndef POOLKIT_ENVS_DEBUG_SLOW_H_
#define POOLKIT_ENVS_DEBUG_SLOW_H_

#include <string>
#include <vector>

#include "poolkit/env.h"

namespace poolkit::debug {

// Actions: 0 steps at once, 1 waits until the file `gate` exists, 2 sleeps for `sleep_us`.
// One that waits has made a file of that name and ".waits". Observation int64[1]: steps since the
// reset.
class Slow {
 public:
  static std::vector<OptionSpec> options();
  static Spec spec(const Options& options);
  explicit Slow(const Options& options);

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;

 private:
  void wait_for_gate() const;

  const std::string gate_;
  const int64_t sleep_us_;
  int64_t count_ = 0;
};

}  // namespace poolkit::debug

#endif  // POOLKIT_ENVS_DEBUG_SLOW_H_
