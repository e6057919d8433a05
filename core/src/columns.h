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
  size_t buffers() const;
  size_t buffers_out() const;
  void take(std::vector<BufferRef>& into);  // throws std::bad_alloc; `into` is then empty

 private:
  ColumnShape shape_;
  std::vector<std::shared_ptr<BufferStore>> stores_;
};

// The engine's own columns, to be written row by row. `engine` points to the first of them.
class EngineColumns {
 public:
  explicit EngineColumns(void* const* engine)
      : reward_(static_cast<float*>(engine[Layout::reward])),
        terminated_(static_cast<bool*>(engine[Layout::terminated])),
        truncated_(static_cast<bool*>(engine[Layout::truncated])),
        env_id_(static_cast<int32_t*>(engine[Layout::env_id])),
        elapsed_step_(static_cast<int32_t*>(engine[Layout::elapsed_step])),
        episode_return_(static_cast<double*>(engine[Layout::episode_return])),
        episode_length_(static_cast<int32_t*>(engine[Layout::episode_length])) {}

  void write(size_t row, int32_t id, const Outcome& outcome, const Episode& episode) const {
    reward_[row] = outcome.reward;
    terminated_[row] = outcome.terminated;
    truncated_[row] = outcome.truncated;
    env_id_[row] = id;
    elapsed_step_[row] = episode.length;
    episode_return_[row] = episode.total;
    episode_length_[row] = episode.length;
  }

 private:
  float* const reward_;
  bool* const terminated_;
  bool* const truncated_;
  int32_t* const env_id_;
  int32_t* const elapsed_step_;
  double* const episode_return_;
  int32_t* const episode_length_;
};

inline unsigned char* row_of(void* data, size_t bytes, size_t row) {
  return static_cast<unsigned char*>(data) + bytes * row;
}

}  // namespace poolkit

#endif  // POOLKIT_SRC_COLUMNS_H_
