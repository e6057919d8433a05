#include "roster.h"

#include <cstring>

namespace poolkit {
namespace {

ColumnShape shape_of_actions(const pk_spec& spec) {
  std::vector<Column> columns;
  for (uint32_t k = 0; k < spec.action_count; ++k) columns.push_back(make_column(spec.action[k]));
  return ColumnShape(columns, columns.size(), columns.size());
}

// Length of the run of consecutive ids that starts at `from`.
size_t run_length(std::span<const int32_t> ids, size_t from) {
  size_t n = 1;
  while (from + n < ids.size() && ids[from + n] == ids[from] + static_cast<int32_t>(n)) ++n;
  return n;
}

}  // namespace

Roster::Roster(const EnvType& type, size_t num_envs)
    : slots_(std::make_unique<Slot[]>(num_envs)),
      phases_(num_envs, Phase::unreset),
      action_shape_(shape_of_actions(type.spec())) {
  for (size_t bytes : action_shape_.bytes()) action_memory_.emplace_back(bytes * num_envs);
  for (auto& memory : action_memory_) action_data_.push_back(memory.data());
}

void Roster::store_actions(std::span<const void* const> actions, std::span<const int32_t> ids) {
  for (size_t from = 0; from < ids.size();) {
    const size_t n = run_length(ids, from);
    for (size_t k = 0; k < actions.size(); ++k) {
      const size_t bytes = action_shape_.bytes()[k];
      std::memcpy(row_of(action_data_[k], bytes, static_cast<size_t>(ids[from])),
                  static_cast<const unsigned char*>(actions[k]) + from * bytes, n * bytes);
    }
    from += n;
  }
}

}  // namespace poolkit
