// FrozenLake of Gymnasium's toy text, number for number.
#ifndef POOLKIT_ENVS_TOY_TEXT_FROZEN_LAKE_H_
#define POOLKIT_ENVS_TOY_TEXT_FROZEN_LAKE_H_

#include <string>
#include <vector>

#include "poolkit/env.h"

namespace poolkit::toy_text {

// The letters of a map, row by row: S start, F frozen, H hole, G goal.
struct Lake {
  explicit Lake(std::string_view rows);  // separated by '/'

  int64_t rows = 0, columns = 0;
  std::string letters;
};

// A walk over ice, on which one slips sideways: left (0), down (1), right (2), up (3). As
// gymnasium/envs/toy_text/frozen_lake.py.
class FrozenLake {
 public:
  static std::vector<OptionSpec> options();
  static Spec spec(const Options& options);
  explicit FrozenLake(const Options& options);

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  int64_t neighbour(int64_t direction) const;

  const Lake lake_;
  const bool is_slippery_;
  const double success_rate_;
  const double goal_reward_, hole_reward_, frozen_reward_;
  std::vector<double> starts_;  // the probability of each cell
  int64_t cell_ = 0;
  int64_t last_action_ = -1;  // for a picture; -1: none
  double probability_ = 1;    // of the last transition
};

}  // namespace poolkit::toy_text

#endif  // POOLKIT_ENVS_TOY_TEXT_FROZEN_LAKE_H_
