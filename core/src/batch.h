// What recv() gives: columns of memory, one for each array, and how many rows of them are filled.
#ifndef POOLKIT_SRC_BATCH_H_
#define POOLKIT_SRC_BATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "buffer.h"
#include "poolkit/abi.h"

namespace poolkit {

// One column: an array with the batch as its first axis.
struct Column {
  std::string name;
  pk_dtype dtype;
  std::vector<int64_t> shape;  // of one row
  size_t bytes;                // of one row
};

// The columns of a pool's batches, in this order: the environment's observation arrays, its info
// arrays, then the engine's own.
struct Layout {
  std::vector<Column> columns;
  size_t first_info = 0;    // observation arrays come before this index
  size_t first_engine = 0;  // the environment's info arrays come before this index

  // The engine's columns, counted from first_engine.
  enum Engine : size_t {
    reward,          // float32
    terminated,      // bool
    truncated,       // bool
    env_id,          // int32
    elapsed_step,    // int32, of the whole episode (lost lives do not end it), as are the next two
    episode_return,  // float64, unclipped
    episode_length,  // int32
    engine_columns
  };
};

// Bytes of one value; 0 for what is no pk_dtype.
size_t dtype_bytes(uint32_t dtype);
Column make_column(const pk_array& array);
Layout make_layout(const pk_spec& spec);

struct Batch {
  size_t rows = 0;
  std::vector<BufferRef> columns;  // as in Layout

  // Same-step autoreset, only where an env of this batch ended: what its last step showed. Rows
  // that did not end are zero. `final_columns` has the observation, info and engine columns of
  // Layout; `final_mask` is one bool a row. Empty otherwise.
  std::vector<BufferRef> final_columns;
  BufferRef final_mask;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_BATCH_H_
