// Random choices as Gymnasium's toy text environments make them.
#ifndef POOLKIT_ENVS_TOY_TEXT_CATEGORICAL_H_
#define POOLKIT_ENVS_TOY_TEXT_CATEGORICAL_H_

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

#include "poolkit/rng.h"
#include "poolkit/spec.h"

namespace poolkit::toy_text {

// Which of the probabilities is drawn: gymnasium.envs.toy_text.utils.categorical_sample. Where
// rounding leaves their sum below the random number, it is the first.
inline size_t categorical(std::span<const double> probabilities, Rng& rng) {
  const double random = rng.random();
  double sum = 0;
  for (size_t k = 0; k < probabilities.size(); ++k) {
    sum += probabilities[k];
    if (sum > random) return k;
  }
  return 0;
}

inline double probability_option(const Options& options, const char* name) {
  const double value = options.real(name);
  if (!(value >= 0 && value <= 1))
    throw std::invalid_argument(std::string(name) + "=" + std::to_string(value) +
                                ": must be in 0 .. 1");
  return value;
}

}  // namespace poolkit::toy_text

#endif  // POOLKIT_ENVS_TOY_TEXT_CATEGORICAL_H_
