// The Collector's receiving side: waiting for results, and making one batch of them.
#include <algorithm>
#include <cstring>

#include "collector.h"
#include "spin.h"

namespace poolkit {

Batch Collector::receive(Patience& patience, Source* helper) {
  Lock lock(mutex_);
  take_turn(lock, patience);
  struct TurnEnd {
    Collector& self;
    Lock& lock;
    ~TurnEnd() {
      if (!lock.owns_lock()) lock.lock();
      // An impatient receiver leaves its batch as large as it found it.
      if (self.open_.size() == 1) self.open_.front()->capacity = self.batch_size_;
      self.wanted_ = 0;
      self.receiving_ = false;
      self.changed_.notify_all();
    }
  } const turn_end{*this, lock};

  check_open();
  if (owed_ == 0) throw UsageError("recv: nothing is pending: send or reset first");
  wanted_ = std::min(batch_size_, owed_);
  if (open_.size() == 1) limit(*open_.front());
  const bool in_time = await(lock, patience, helper);
  if (!failures_.empty()) throw_failure();
  if (!in_time) throw Timeout("recv: no batch before the timeout; nothing is lost");
  return hand_over(lock);
}

// Leaves room for what the receiver wants and no more. Holes take room too.
void Collector::limit(OpenBatch& batch) {
  batch.capacity = std::min(batch_size_, wanted_ + (batch.settled - batch.live));
}

void Collector::take_turn(Lock& lock, Patience& patience) {
  while (receiving_) {
    check_open();
    if (!patience.wait(lock, changed_)) throw Timeout("recv: another recv was there all the time");
  }
  receiving_ = true;
}

// False when time is over.
bool Collector::await(Lock& lock, Patience& patience, Source* helper) {
  while (!satisfied(wanted_)) {
    if (helper && help(lock, *helper)) continue;
    // Its look at the queue was without the lock: look again.
    if (satisfied(wanted_)) break;
    if (!pause(lock, patience)) return false;
    check_open();
  }
  return true;
}

bool Collector::help(Lock& lock, Source& helper) {
  check_open();
  ++inside_;
  lock.unlock();
  const bool helped = helper.work();
  lock.lock();
  if (--inside_ == 0 && closed_) changed_.notify_all();
  return helped;
}

bool Collector::pause(Lock& lock, Patience& patience) {
  const uint32_t seen = changes_.load(std::memory_order_relaxed);  // changes only under the lock
  const auto start = std::chrono::steady_clock::now();
  lock.unlock();
  Spin spin;
  bool changed = false;
  do {
    changed = changes_.load(std::memory_order_acquire) != seen;  // partner: announce(), close()
  } while (!changed && spin.again());
  lock.lock();
  if (changes_.load(std::memory_order_relaxed) == seen)
    changed = patience.wait(lock, changed_);
  else
    changed = true;
  stats_.caller_wait += std::chrono::steady_clock::now() - start;
  return changed;
}

Batch Collector::hand_over(Lock& lock) {
  Batch out;
  OpenBatch& front = *open_.front();
  const bool whole = front.live == wanted_ && front.claimed == wanted_;
  std::unique_ptr<OpenBatch> from;
  if (whole) {
    if (finals_ && finals_->any({front.ids, front.claimed})) finals_->take_buffers(out);
    from = std::move(open_.front());
    open_.erase(open_.begin());
  } else {
    from = gather(out);
  }
  drop_drained();
  const std::span<const int32_t> ids(from->ids, wanted_);
  if (out.final_mask) {
    lock.unlock();
    finals_->fill(out, ids);
    lock.lock();
  }
  for (int32_t id : ids) holds_[static_cast<size_t>(id)] = Hold::free;
  owed_ -= wanted_;
  ++stats_.batches;
  out.rows = wanted_;
  out.columns = std::move(from->columns);
  recycle(std::move(from));
  return out;
}

// Copies the first `wanted_` live rows of the open batches together.
std::unique_ptr<OpenBatch> Collector::gather(Batch& out) {
  std::unique_ptr<OpenBatch> into = fresh();
  if (finals_) finals_->take_buffers(out);
  const std::vector<size_t>& bytes = stores_.shape().bytes();
  size_t filled = 0;
  for (const auto& from : open_) {
    for (size_t row = 0; row < from->claimed && filled < wanted_; ++row) {
      if (from->ids[row] < 0) continue;
      for (size_t k = 0; k < bytes.size(); ++k)
        std::memcpy(row_of(into->data[k], bytes[k], filled), row_of(from->data[k], bytes[k], row),
                    bytes[k]);
      from->ids[row] = -1;
      --from->live;
      ++filled;
    }
  }
  if (finals_ && !finals_->any({into->ids, filled})) {
    out.final_columns.clear();
    out.final_mask = BufferRef();
  }
  return into;
}

void Collector::drop_drained() {
  while (!open_.empty() && open_.front()->live == 0 &&
         open_.front()->settled == open_.front()->claimed) {
    recycle(std::move(open_.front()));
    open_.erase(open_.begin());
  }
}

void Collector::throw_failure() {
  // By id rather than by time, so that the same failures come in the same order.
  const auto first =
      std::min_element(failures_.begin(), failures_.end(),
                       [](const Failure& a, const Failure& b) { return a.id < b.id; });
  const Failure failure = std::move(*first);
  failures_.erase(first);
  holds_[static_cast<size_t>(failure.id)] = Hold::free;
  --owed_;
  drop_drained();
  throw EnvError(failure.id, failure.message);
}

}  // namespace poolkit
