// A tiny environment for tests of the engine: it counts, and all it shows can be predicted.
#ifndef POOLKIT_ENVS_DEBUG_COUNTER_H_
#define POOLKIT_ENVS_DEBUG_COUNTER_H_

#include <vector>

#include "poolkit/env.h"

namespace poolkit::debug {

// Terminates after `length` steps. With `lives` of more than one the episode is as many times as
// long, and its first ends are soft. The reward is the action; a clipped one with `clip`.
class Counter {
 public:
  static std::vector<OptionSpec> options();
  // Observation int64[4]: steps since the last reset, game (fresh resets so far), a number below
  // 2**31 drawn at the game's start, the last action. Info: `lives` left, and `resets` of each
  // kind (fresh, seeded, continued).
  static Spec spec(const Options& options);
  explicit Counter(const Options& options);

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;
  void render(Image& image) const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  struct State {
    int64_t count = 0, game = 0, drawn = 0, action = 0, lives = 0;
    int64_t resets[3] = {};
  };

  const int64_t length_, lives_;
  const bool clip_, truncates_;
  State now_;
};

}  // namespace poolkit::debug

#endif  // POOLKIT_ENVS_DEBUG_COUNTER_H_
