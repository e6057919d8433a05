// Lists of columns in memory, as environments see them.
#ifndef POOLKIT_SRC_COLUMNS_H_
#define POOLKIT_SRC_COLUMNS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "batch.h"
#include "episode.h"

namespace poolkit {

// What a pk_view says of a list of columns besides their memory.
class ColumnShape {
 public:
  // The first `visible` of `columns`; info arrays begin at `first_info`.
  ColumnShape(std::span<const Column> columns, size_t visible, size_t first_info);

  // Set `row` before each use.
  pk_view view(void* const* data) const {
    return {data, bytes_.data(), dtype_.data(), visible_, first_info_, 0};
  }
  // Bytes of a row, also of columns that environments do not see.
  const std::vector<size_t>& bytes() const { return bytes_; }

 private:
  std::vector<size_t> bytes_;
  std::vector<uint32_t> dtype_;
  uint32_t visible_, first_info_;
};

// Batches' columns: their shape, and a store of buffers for each.
class ColumnStores {
 public:
  ColumnStores(const Layout& layout, size_t rows, std::shared_ptr<Allocator> allocator);

  const ColumnShape& shape() const { return shape_; }
  void take(std::vector<BufferRef>& into);  // throws std::bad_alloc; `into` is then empty

 private:
  ColumnShape shape_;
  std::vector<std::shared_ptr<BufferStore>> stores_;
};

// Writes the engine's columns of one row; `engine` points to the first of them.
inline void write_engine_columns(void* const* engine, size_t row, int32_t id,
                                 const Outcome& outcome, const Episode& episode) {
  static_cast<float*>(engine[Layout::reward])[row] = outcome.reward;
  static_cast<bool*>(engine[Layout::terminated])[row] = outcome.terminated;
  static_cast<bool*>(engine[Layout::truncated])[row] = outcome.truncated;
  static_cast<int32_t*>(engine[Layout::env_id])[row] = id;
  static_cast<int32_t*>(engine[Layout::elapsed_step])[row] = episode.length;
  static_cast<double*>(engine[Layout::episode_return])[row] = episode.total;
  static_cast<int32_t*>(engine[Layout::episode_length])[row] = episode.length;
}

inline unsigned char* row_of(void* data, size_t bytes, size_t row) {
  return static_cast<unsigned char*>(data) + bytes * row;
}

}  // namespace poolkit

#endif  // POOLKIT_SRC_COLUMNS_H_
