// An environment for tests of trainers: goals, action masks, and each kind of action.
#ifndef POOLKIT_ENVS_DEBUG_BIT_FLIP_H_
#define POOLKIT_ENVS_DEBUG_BIT_FLIP_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "poolkit/env.h"

namespace poolkit::debug {

// Bits to be flipped until all are 1, as in "Hindsight Experience Replay" (Andrychowicz et al.
// 2017). The option `action` says how: "discrete" names a bit; "multi_discrete", "multi_binary" and
// "box" (where positive) have an element for each. Reward -1 until solved; then 0 and the end.
// Observation: "observation" and "achieved_goal", the bits, and "desired_goal". Info: "action_mask"
// bool[bits], the bits that are still 0, or all at the end; and "is_success".
class BitFlip {
 public:
  static std::vector<OptionSpec> options();
  static Spec spec(const Options& options);
  explicit BitFlip(const Options& options);

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;

 private:
  enum class Kind : uint8_t { discrete, multi_discrete, multi_binary, box };

  static Kind kind_of(std::string_view name);
  void flip(size_t bit) { bits_[bit] ^= 1; }
  bool solved() const;

  const Kind kind_;
  std::vector<int8_t> bits_;
};

}  // namespace poolkit::debug

#endif  // POOLKIT_ENVS_DEBUG_BIT_FLIP_H_
