// All envs of a pool, by id: object, random stream, episode, phase, and the action sent last.
//
// One thread at a time touches an env: while it is pending, whoever carries its request out; else
// callers that hold the Collector's lock.
#ifndef POOLKIT_SRC_ROSTER_H_
#define POOLKIT_SRC_ROSTER_H_

#include <memory>
#include <span>
#include <vector>

#include "columns.h"
#include "env_type.h"
#include "episode.h"
#include "pool.h"

namespace poolkit {

// Fills a cache line, so that workers on neighbouring envs do not disturb each other.
struct alignas(64) Slot {
  void* env = nullptr;  // null in the group form, and after a throw until the next reset
  pk_rng rng{};
  Episode episode;
};
static_assert(sizeof(Slot) == 64);

class Roster {
 public:
  Roster(const EnvType& type, size_t num_envs);

  size_t size() const { return phases_.size(); }
  Slot& operator[](int32_t id) { return slots_[static_cast<size_t>(id)]; }
  Phase& phase(int32_t id) { return phases_[static_cast<size_t>(id)]; }
  Phase phase(int32_t id) const { return phases_[static_cast<size_t>(id)]; }

  // Copies row i of each action array to env ids[i].
  void store_actions(std::span<const void* const> actions, std::span<const int32_t> ids);
  // Set `row` to the env's id.
  pk_view actions() const { return action_shape_.view(action_data_.data()); }

 private:
  std::unique_ptr<Slot[]> slots_;
  std::vector<Phase> phases_;  // apart from the slots: a send looks at nothing else
  ColumnShape action_shape_;
  std::vector<std::vector<unsigned char>> action_memory_;
  std::vector<void*> action_data_;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_ROSTER_H_
