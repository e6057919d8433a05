// Env ids and seeds as a user passes them.
#ifndef POOLKIT_BINDINGS_IDS_H_
#define POOLKIT_BINDINGS_IDS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pool.h"

namespace poolkit {

// Reads env ids, and knows which of them a call has already named.
class IdReader {
 public:
  explicit IdReader(size_t num_envs) : seen_in_(num_envs, 0) {}

  // Throws ValueError or TypeError, naming the row, unless `value` is one axis of integers, each
  // an env, none twice (unless it may be).
  std::vector<int32_t> read(nanobind::handle value, bool twice = false);

 private:
  std::vector<uint64_t> seen_in_;  // the last call that named an env
  uint64_t call_ = 0;
};

// Throws ValueError, naming the row, where a result of one of the envs has not been received.
void expect_idle(const Pool& pool, std::span<const int32_t> ids);

// The same for all envs, where the caller named none.
void expect_all_idle(const Pool& pool);

// A list of ints or None.
std::vector<std::optional<Seed>> read_seeds(nanobind::handle seeds);

}  // namespace poolkit

#endif  // POOLKIT_BINDINGS_IDS_H_
