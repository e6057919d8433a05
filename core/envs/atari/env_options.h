// What make() accepts for an Atari environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poolkit/spec.h"

namespace poolkit::atari {

// The declared options, in the order in which they are documented.
std::vector<OptionSpec> declared_options();

struct EnvOptions {
  // Throws std::invalid_argument, naming the option, for a value out of range.
  explicit EnvOptions(const Options& values);

  std::string game;
  std::vector<uint8_t> rom;
  int stack_num;
  int frame_skip;
  int noop_max;
  bool use_fire_reset;
  bool episodic_life;
  bool zero_discount_on_life_loss;
  bool reward_clip;
  bool sees_ram;  // instead of the screen
  std::optional<int> img_height;
  std::optional<int> img_width;
  bool gray_scale;
  bool maxpool;
  bool full_action_space;
  bool continuous;
  float continuous_action_threshold;
  double repeat_action_probability;
  std::optional<int> mode;
  std::optional<int> difficulty;
  bool ram;
};

}  // namespace poolkit::atari
