#include "stepper.h"

namespace poolkit {

SeedSequence sequence_of(const Seed& seed) {
  if (!seed.spawn_key) return SeedSequence(seed.entropy);
  return SeedSequence(seed.entropy, {&*seed.spawn_key, 1});
}

}  // namespace poolkit
