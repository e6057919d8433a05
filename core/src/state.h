// The bytes of an env's state: the engine's part with a checksum, then the environment's own.
#ifndef POOLKIT_SRC_STATE_H_
#define POOLKIT_SRC_STATE_H_

#include <span>
#include <vector>

#include "roster.h"

namespace poolkit {

// The env must be the caller's (Collector::borrow). Throws UsageError where the environment cannot
// be saved or the env is broken.
std::vector<unsigned char> save_state(const EnvType& type, Roster& roster, int32_t id);

// Throws std::invalid_argument for bytes of another environment, of another version, truncated or
// altered.
void check_state(const EnvType& type, std::span<const unsigned char> state);

// The same, and the env is then unchanged. If the environment itself refuses its part, which the
// checksum says is as it was saved, the env is broken until its next reset.
void load_state(const EnvType& type, Roster& roster, int32_t id,
                std::span<const unsigned char> state);

// What the environment's own save() wrote of such bytes, a view into them. Throws as load_state.
std::span<const unsigned char> own_part(std::span<const unsigned char> state);

}  // namespace poolkit

#endif  // POOLKIT_SRC_STATE_H_
