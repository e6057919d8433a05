// An Atari 2600 game as an environment: actions last several frames, observations are stacked
// pictures.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "boot.h"
#include "emulator.h"
#include "env_options.h"
#include "observer.h"
#include "polar_action.h"
#include "poolkit/env.h"

namespace poolkit::atari {

// Follows EnvPool's options and conventions, and Gymnasium's AtariPreprocessing where both define
// the same. A picture is made of the last two frames that were emulated, also where the game ended
// before the action did; the first picture of an episode is its last frame alone, and so is every
// picture with frame_skip=1 or maxpool=False.
class AtariEnv {
 public:
  static std::vector<OptionSpec> options() { return declared_options(); }
  static Spec spec(const Options& values);
  explicit AtariEnv(const Options& values);

  void reset(Reset why, Rng& rng);
  Transition step(poolkit::Action action, Rng& rng);
  void observe(Row row) const;
  void render(Image& image) const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  // After the console's own start: the frames that make starts differ.
  void play_start(Rng& rng);
  void continue_game(Rng& rng);
  Push push_of_agent(poolkit::Action action) const;

  EnvOptions options_;
  std::shared_ptr<const Emulator> booted_;  // kept for the next env of the pool
  Emulator emulator_;
  Observer observer_;
  std::span<const Action> actions_;
  bool fires_;  // at the start of an episode

  // Of the last step.
  int32_t lives_ = 0;
  float reward_ = 0;
  bool life_lost_ = false;
};

}  // namespace poolkit::atari
