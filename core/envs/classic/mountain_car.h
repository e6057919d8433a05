// MountainCar and MountainCarContinuous of Gymnasium's classic control, number for number.
#ifndef POOLKIT_ENVS_CLASSIC_MOUNTAIN_CAR_H_
#define POOLKIT_ENVS_CLASSIC_MOUNTAIN_CAR_H_

#include <vector>

#include "poolkit/env.h"

namespace poolkit::classic {

// A car too weak for the hill before it, pushed left (0), not at all (1) or right (2). After
// Moore (1990), with the arithmetic of gymnasium/envs/classic_control/mountain_car.py.
class MountainCar {
 public:
  static std::vector<OptionSpec> options();
  static Spec spec(const Options& options);
  explicit MountainCar(const Options& options);

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  const double goal_velocity_;
  double position_ = 0, velocity_ = 0;
};

// The same car with a force in -1 .. 1, which costs. With the arithmetic of
// continuous_mountain_car.py, whose state is double at the start and float from then on.
class MountainCarContinuous {
 public:
  static std::vector<OptionSpec> options() { return MountainCar::options(); }
  static Spec spec(const Options& options);
  explicit MountainCarContinuous(const Options& options);

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  template <class Real>
  bool move(float force);

  const double goal_velocity_;
  double position_ = 0, velocity_ = 0;
  bool starts_ = false;
};

}  // namespace poolkit::classic

#endif  // POOLKIT_ENVS_CLASSIC_MOUNTAIN_CAR_H_
