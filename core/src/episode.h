// The rules of episodes: what a transition does to an env's statistics and to what comes next.
#ifndef POOLKIT_SRC_EPISODE_H_
#define POOLKIT_SRC_EPISODE_H_

#include <cstdint>

#include "poolkit/abi.h"

namespace poolkit {

// Where an env stands, and so what the next request does to it.
enum class Phase : uint8_t {
  unreset,     // never reset: a step is refused
  running,     // a step steps
  ended,       // a step resets (next-step autoreset), or is refused (disabled)
  soft_ended,  // likewise, but the reset continues the game: statistics and time limit go on
  resetting,   // a reset was asked for
  broken       // it threw: a step is refused until a reset
};

// The statistics of an episode, lost lives included.
struct Episode {
  double total = 0;  // of raw rewards
  int32_t length = 0;
  bool seeded = false;  // since the last reset the random stream was seeded, or the object built
};

// What a request gave, until it is written to a row.
struct Outcome {
  float reward = 0;
  bool terminated = false;
  bool truncated = false;
};

// Adds a step to `episode` and applies the time limit (0: none). Returns the phase after it.
inline Phase take_step(Episode& episode, Outcome& out, const pk_transition& t, int64_t limit) {
  ++episode.length;
  episode.total += t.raw_reward;
  out.reward = static_cast<float>(t.reward);
  out.terminated = t.terminated;
  out.truncated = t.truncated || (!t.terminated && limit > 0 && episode.length >= limit);
  if (!out.terminated && !out.truncated) return Phase::running;
  return t.soft_end && !out.truncated ? Phase::soft_ended : Phase::ended;
}

// How an env in `phase` is to be reset.
inline pk_reset reset_kind(const Episode& episode, Phase phase) {
  if (episode.seeded) return PK_RESET_SEEDED;
  return phase == Phase::soft_ended ? PK_RESET_CONTINUE : PK_RESET_FRESH;
}

// After a reset of that kind. Returns the phase.
inline Phase take_reset(Episode& episode, pk_reset kind) {
  if (kind != PK_RESET_CONTINUE) episode = {};
  return Phase::running;
}

}  // namespace poolkit

#endif  // POOLKIT_SRC_EPISODE_H_
