// The start of a pool in the per-env form: all envs are built, many at a time.
#ifndef POOLKIT_SRC_BUILDER_H_
#define POOLKIT_SRC_BUILDER_H_

#include "env_runner.h"

namespace poolkit {

// Builds `count` envs on the workers. Throws EnvError for the first that fails; those that were
// built are still there then.
void build_envs(EnvRunner& runner, Workers& workers, size_t count);

}  // namespace poolkit

#endif  // POOLKIT_SRC_BUILDER_H_
