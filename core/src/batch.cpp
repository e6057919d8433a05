#include "batch.h"

#include <array>

namespace poolkit {

size_t dtype_bytes(uint32_t dtype) {
  constexpr std::array<size_t, 11> bytes = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return dtype < bytes.size() ? bytes[dtype] : 0;
}

Column make_column(const pk_array& array) {
  Column column{array.name, static_cast<pk_dtype>(array.dtype),
                std::vector<int64_t>(array.shape, array.shape + array.ndim),
                dtype_bytes(array.dtype)};
  for (int64_t extent : column.shape) column.bytes *= static_cast<size_t>(extent);
  return column;
}

Layout make_layout(const pk_spec& spec) {
  Layout layout;
  for (uint32_t k = 0; k < spec.observation_count; ++k)
    layout.columns.push_back(make_column(spec.observation[k]));
  layout.first_info = layout.columns.size();
  for (uint32_t k = 0; k < spec.info_count; ++k)
    layout.columns.push_back(make_column(spec.info[k]));
  layout.first_engine = layout.columns.size();
  const Column engine[Layout::engine_columns] = {
      {"reward", PK_FLOAT32, {}, 4},       {"terminated", PK_BOOL, {}, 1},
      {"truncated", PK_BOOL, {}, 1},       {"env_id", PK_INT32, {}, 4},
      {"elapsed_step", PK_INT32, {}, 4},   {"episode_return", PK_FLOAT64, {}, 8},
      {"episode_length", PK_INT32, {}, 4},
  };
  layout.columns.insert(layout.columns.end(), std::begin(engine), std::end(engine));
  return layout;
}

}  // namespace poolkit
