#include "collector.h"

#include <algorithm>
#include <cstring>

#include "spin.h"

namespace poolkit {
namespace {

std::string row_and_env(size_t row, int32_t id) {
  return "row " + std::to_string(row) + ": env " + std::to_string(id);
}

bool can_step(Phase phase, Autoreset autoreset) {
  if (phase == Phase::running) return true;
  return autoreset != Autoreset::disabled && (phase == Phase::ended || phase == Phase::soft_ended);
}

}  // namespace

Collector::Collector(const Layout& layout, const PoolConfig& config, Finals* finals)
    : batch_size_(config.batch_size),
      lock_step_(config.batch_size == config.num_envs),
      autoreset_(config.autoreset),
      first_engine_(layout.first_engine),
      stores_(layout, config.batch_size, config.allocator),
      finals_(finals),
      holds_(config.num_envs, Hold::free) {}

void Collector::check_open() const {
  if (closed_) throw UsageError("the pool is closed");
}

// --- senders ---

RowRange Collector::admit(std::span<const int32_t> ids, const Roster* roster) {
  const Lock lock(mutex_);
  check_open();
  size_t marked = 0;
  try {
    for (; marked < ids.size(); ++marked) {
      if (!is_free(ids[marked])) throw_taken(ids, marked);
      holds_[static_cast<size_t>(ids[marked])] = Hold::pending;
    }
    if (roster)
      for (size_t i = 0; i < ids.size(); ++i)
        if (const Phase phase = roster->phase(ids[i]); !can_step(phase, autoreset_))
          throw_refusal(ids, i, phase);
    const RowRange rows = lock_step_ && !ids.empty() ? place(ids.size()) : RowRange{};
    owed_ += ids.size();
    return rows;
  } catch (...) {
    for (int32_t id : ids.first(marked)) holds_[static_cast<size_t>(id)] = Hold::free;
    throw;
  }
}

bool Collector::is_free(int32_t id) const {
  // A negative id is a huge one.
  return static_cast<uint32_t>(id) < holds_.size() && holds_[static_cast<size_t>(id)] == Hold::free;
}

void Collector::check_exists(int32_t id, const std::string& where) const {
  if (id < 0 || static_cast<size_t>(id) >= holds_.size())
    throw std::out_of_range(where + "env " + std::to_string(id) + " does not exist; there are " +
                            std::to_string(holds_.size()));
}

void Collector::throw_taken(std::span<const int32_t> ids, size_t at) const {
  const int32_t id = ids[at];
  check_exists(id, "row " + std::to_string(at) + ": ");
  const auto before = ids.first(at);
  if (std::find(before.begin(), before.end(), id) != before.end())
    throw UsageError(row_and_env(at, id) + " is there twice");
  throw UsageError(row_and_env(at, id) + (holds_[static_cast<size_t>(id)] == Hold::pending
                                              ? " still has a result pending: recv it first"
                                              : " is being saved, loaded or rendered"));
}

void Collector::throw_refusal(std::span<const int32_t> ids, size_t at, Phase phase) const {
  const std::string who = row_and_env(at, ids[at]);
  switch (phase) {
    case Phase::unreset:
      throw UsageError(who + " was never reset: reset it before its first step");
    case Phase::broken:
      throw UsageError(who + " is broken since it threw: reset it before its next step");
    default:
      throw UsageError(who + " has ended its episode: reset it (autoreset is disabled)");
  }
}

RowRange Collector::place(size_t count) {
  OpenBatch& batch = youngest_with_room(count);
  const RowRange rows{&batch, batch.claimed, count};
  batch.claimed += count;
  return rows;
}

// --- those who carry requests out ---

RowRange Collector::claim(size_t wanted) {
  const Lock lock(mutex_);
  OpenBatch& batch = youngest_with_room(1);
  const RowRange rows{&batch, batch.claimed, std::min(wanted, batch.capacity - batch.claimed)};
  batch.claimed += rows.count;
  return rows;
}

void Collector::settle(const RowRange& rows, std::vector<Failure>& failures) {
  const Lock lock(mutex_);
  rows.batch->settled += rows.count;
  rows.batch->live += rows.count - failures.size();
  stats_.steps += rows.count - failures.size();
  keep_failures(failures);
  announce();
}

void Collector::fail(std::vector<Failure>& failures) {
  const Lock lock(mutex_);
  keep_failures(failures);
  announce();
}

void Collector::keep_failures(std::vector<Failure>& failures) {
  stats_.steps += failures.size();
  stats_.errors += failures.size();
  for (Failure& failure : failures) failures_.push_back(std::move(failure));
  failures.clear();
}

OpenBatch& Collector::youngest_with_room(size_t count) {
  if (open_.empty() || open_.back()->capacity - open_.back()->claimed < count) {
    open_.push_back(fresh());
    if (!lock_step_ && open_.size() == 1 && wanted_ > 0) limit(*open_.back());
  }
  return *open_.back();
}

std::unique_ptr<OpenBatch> Collector::fresh() {
  std::unique_ptr<OpenBatch> batch;
  if (spare_.empty()) {
    batch = std::make_unique<OpenBatch>();
  } else {
    batch = std::move(spare_.back());
    spare_.pop_back();
  }
  stores_.take(batch->columns);
  batch->data.clear();
  for (const BufferRef& column : batch->columns) batch->data.push_back(column.data());
  batch->ids = static_cast<int32_t*>(batch->data[first_engine_ + Layout::env_id]);
  batch->capacity = batch_size_;
  batch->claimed = batch->settled = batch->live = 0;
  return batch;
}

void Collector::recycle(std::unique_ptr<OpenBatch> batch) {
  batch->columns.clear();
  spare_.push_back(std::move(batch));
}

// The receiver, if one waits, has what it wants: tell it.
void Collector::announce() {
  if (wanted_ == 0 || !satisfied(wanted_)) return;
  changes_.fetch_add(1, std::memory_order_release);  // partner: the acquire in pause()
  changed_.notify_all();
}

bool Collector::satisfied(size_t wanted) const {
  size_t found = failures_.size();
  for (const auto& batch : open_) {
    if (found >= wanted) break;
    if (batch->settled < batch->claimed) return false;
    found += batch->live;
  }
  return found >= wanted;
}

// --- callers in environment code ---

Stats Collector::stats() const {
  const Lock lock(mutex_);
  check_open();
  Stats stats = stats_;
  stats.buffers = stores_.buffers();
  stats.buffers_out = stores_.buffers_out();
  return stats;
}

size_t Collector::owed() const {
  const Lock lock(mutex_);
  return closed_ ? 0 : owed_;
}

bool Collector::is_pending(int32_t id) const {
  const Lock lock(mutex_);
  check_exists(id);
  return holds_[static_cast<size_t>(id)] == Hold::pending;
}

std::vector<int32_t> Collector::pending_ids() const {
  const Lock lock(mutex_);
  std::vector<int32_t> ids;
  for (size_t id = 0; id < holds_.size(); ++id)
    if (holds_[id] != Hold::free) ids.push_back(static_cast<int32_t>(id));
  return ids;
}

void Collector::enter() {
  const Lock lock(mutex_);
  check_open();
  ++inside_;
}

void Collector::leave() {
  const Lock lock(mutex_);
  if (--inside_ == 0 && closed_) changed_.notify_all();
}

void Collector::borrow(int32_t id) {
  const Lock lock(mutex_);
  check_open();
  if (!is_free(id)) throw_taken({&id, 1}, 0);
  holds_[static_cast<size_t>(id)] = Hold::borrowed;
  ++inside_;
}

void Collector::release(int32_t id) {
  {
    const Lock lock(mutex_);
    holds_[static_cast<size_t>(id)] = Hold::free;
  }
  leave();
}

void Collector::close() {
  const Lock lock(mutex_);
  closed_ = true;
  changes_.fetch_add(1, std::memory_order_release);  // partner: the acquire in pause()
  changed_.notify_all();
}

void Collector::await_leavers() {
  Lock lock(mutex_);
  changed_.wait(lock, [&] { return inside_ == 0; });
}

bool Collector::closed() const {
  const Lock lock(mutex_);
  return closed_;
}

}  // namespace poolkit
