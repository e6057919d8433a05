#include "finals.h"

#include <cstring>

namespace poolkit {

Finals::Finals(const Layout& layout, size_t num_envs, size_t batch_size,
               const std::shared_ptr<Allocator>& allocator)
    : first_engine_(layout.first_engine),
      stores_(layout, batch_size, allocator),
      masks_(std::make_shared<BufferStore>(batch_size, allocator)),
      kept_(num_envs) {
  ColumnStores(layout, num_envs, allocator).take(rows_);
  for (const BufferRef& column : rows_) data_.push_back(column.data());
}

pk_view Finals::row(int32_t id) const {
  pk_view view = stores_.shape().view(data_.data());
  view.row = static_cast<size_t>(id);
  return view;
}

void Finals::keep(int32_t id, const Outcome& outcome, const Episode& episode) {
  const auto row = static_cast<size_t>(id);
  EngineColumns(data_.data() + first_engine_).write(row, id, outcome, episode);
  kept_[row] = 1;
}

bool Finals::any(std::span<const int32_t> ids) const {
  for (int32_t id : ids)
    if (id >= 0 && kept_[static_cast<size_t>(id)]) return true;
  return false;
}

void Finals::take_buffers(Batch& batch) {
  batch.final_mask = masks_->take();
  stores_.take(batch.final_columns);
}

void Finals::fill(Batch& batch, std::span<const int32_t> ids) noexcept {
  const std::vector<size_t>& bytes = stores_.shape().bytes();
  auto* mask = static_cast<bool*>(batch.final_mask.data());
  for (size_t row = 0; row < ids.size(); ++row) {
    const auto id = static_cast<size_t>(ids[row]);
    mask[row] = kept_[id];
    for (size_t k = 0; k < bytes.size(); ++k) {
      unsigned char* to = row_of(batch.final_columns[k].data(), bytes[k], row);
      if (kept_[id])
        std::memcpy(to, row_of(data_[k], bytes[k], id), bytes[k]);
      else
        std::memset(to, 0, bytes[k]);
    }
    kept_[id] = 0;
  }
}

}  // namespace poolkit
