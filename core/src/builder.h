// The start of a pool in the per-env form: all envs are built, many at a time.
#ifndef POOLKIT_SRC_BUILDER_H_
#define POOLKIT_SRC_BUILDER_H_

#include <span>

#include "env_runner.h"

namespace poolkit {

// Envs that are at home on one NUMA node: those from `first` on and before `end`.
struct Home {
  Workers& workers;
  size_t first;
  size_t end;
};

// Builds each env on the workers of its home. Throws EnvError for the first that fails; those that
// were built are still there then.
void build_envs(EnvRunner& runner, std::span<const Home> homes);

}  // namespace poolkit

#endif  // POOLKIT_SRC_BUILDER_H_
