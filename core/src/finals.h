// Same-step autoreset: what ended envs last showed, kept until their row is received.
#ifndef POOLKIT_SRC_FINALS_H_
#define POOLKIT_SRC_FINALS_H_

#include <memory>
#include <span>
#include <vector>

#include "columns.h"

namespace poolkit {

// Keeps one row for each env rather than writing into the batch: an env claims its row of the
// batch only after the reset that follows.
class Finals {
 public:
  Finals(const Layout& layout, size_t num_envs, size_t batch_size,
         const std::shared_ptr<Allocator>& allocator);

  // For the thread that carries env `id`'s step out: where to observe, and what to add to it.
  pk_view row(int32_t id) const;
  void keep(int32_t id, const Outcome& outcome, const Episode& episode);
  void forget(int32_t id) { kept_[static_cast<size_t>(id)] = 0; }

  // For the receiver, in this order. `ids` are those of the rows, -1 for none.
  bool any(std::span<const int32_t> ids) const;
  void take_buffers(Batch& batch);  // throws std::bad_alloc
  void fill(Batch& batch, std::span<const int32_t> ids) noexcept;

 private:
  const size_t first_engine_;
  ColumnStores stores_;
  std::shared_ptr<BufferStore> masks_;
  std::vector<BufferRef> rows_;  // num_envs rows of each column
  std::vector<void*> data_;
  std::vector<uint8_t> kept_;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_FINALS_H_
