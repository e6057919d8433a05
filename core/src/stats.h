// What a pool has done so far.
#ifndef POOLKIT_SRC_STATS_H_
#define POOLKIT_SRC_STATS_H_

#include <chrono>
#include <cstdint>

namespace poolkit {

struct Stats {
  uint64_t steps = 0;    // results of envs: steps and resets, errors too
  uint64_t errors = 0;   // those that were errors
  uint64_t batches = 0;  // that were received
  // Of callers that had nothing to do but wait for a batch, all together.
  std::chrono::nanoseconds caller_wait{};
  std::chrono::nanoseconds worker_busy{};  // of all workers together
  // Between a send and the start of the work, on average; from a sample.
  std::chrono::nanoseconds queue_wait{};
  uint64_t buffers = 0;      // arrays that exist
  uint64_t buffers_out = 0;  // those that callers, or batches that are being filled, hold
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_STATS_H_
