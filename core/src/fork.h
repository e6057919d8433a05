// Tells a forked child from the process that made a pool: threads and held locks stay behind.
#ifndef POOLKIT_SRC_FORK_H_
#define POOLKIT_SRC_FORK_H_

#include <cstdint>

namespace poolkit {

// How many forks lie between the first process that used poolkit and this one.
uint32_t fork_generation();

}  // namespace poolkit

#endif  // POOLKIT_SRC_FORK_H_
