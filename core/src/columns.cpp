#include "columns.h"

namespace poolkit {

ColumnShape::ColumnShape(std::span<const Column> columns, size_t visible, size_t first_info)
    : visible_(static_cast<uint32_t>(visible)), first_info_(static_cast<uint32_t>(first_info)) {
  for (const Column& column : columns) {
    bytes_.push_back(column.bytes);
    dtype_.push_back(column.dtype);
  }
}

ColumnStores::ColumnStores(const Layout& layout, size_t rows, std::shared_ptr<Allocator> allocator)
    : shape_(layout.columns, layout.first_engine, layout.first_info) {
  for (const Column& column : layout.columns)
    stores_.push_back(std::make_shared<BufferStore>(column.bytes * rows, allocator));
}

size_t ColumnStores::buffers() const {
  size_t sum = 0;
  for (const auto& store : stores_) sum += store->made();
  return sum;
}

size_t ColumnStores::buffers_out() const {
  size_t sum = 0;
  for (const auto& store : stores_) sum += store->out();
  return sum;
}

void ColumnStores::take(std::vector<BufferRef>& into) {
  into.clear();
  try {
    into.reserve(stores_.size());
    for (const auto& store : stores_) into.push_back(store->take());
  } catch (...) {
    into.clear();
    throw;
  }
}

}  // namespace poolkit
