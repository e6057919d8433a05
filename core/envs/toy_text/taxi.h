// Taxi of Gymnasium's toy text, number for number.
#ifndef POOLKIT_ENVS_TOY_TEXT_TAXI_H_
#define POOLKIT_ENVS_TOY_TEXT_TAXI_H_

#include <vector>

#include "poolkit/env.h"

namespace poolkit::toy_text {

// Fetches a passenger and takes them where they want: south (0), north (1), east (2), west (3),
// pick up (4), drop off (5). After Dietterich (2000), as gymnasium/envs/toy_text/taxi.py of -v4.
class Taxi {
 public:
  static std::vector<OptionSpec> options();
  static Spec spec(const Options& options);
  explicit Taxi(const Options& options);

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;
  void save(Writer& out) const;
  void load(Reader& in);

  struct Cell {
    int64_t row, column;
    bool operator==(const Cell&) const = default;
  };
  struct State {
    Cell taxi;
    int64_t passenger;  // one of four stands, or 4: in the taxi
    int64_t destination;
  };

 private:
  void drive(int64_t direction, Rng& rng);

  const bool is_rainy_, fickle_passenger_;
  const double rainy_probability_, fickle_probability_;
  State state_ = {};
  bool may_change_mind_ = false;  // the passenger, at the first move after being picked up
  int64_t last_action_ = -1;      // for a picture; -1: none
  int64_t heading_ = 0;           // the last direction, likewise
  double probability_ = 1;        // of the last transition
};

}  // namespace poolkit::toy_text

#endif  // POOLKIT_ENVS_TOY_TEXT_TAXI_H_
