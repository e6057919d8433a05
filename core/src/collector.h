// Where results become batches: who owes a result, which rows are taken, what recv() gives.
//
// The protocol. `owed_` counts the results that callers asked for and have not received; an env's
// entry in `holds_` says whether one of them is its own. One mutex guards all of this; it is held
// for a few instructions, never while an environment runs or memory is filled.
//
//  - Results lie in open batches, oldest first. A row of one is *claimed* (by place() when it is
//    asked for in lock-step, by claim() when its env has finished computing otherwise), then
//    written without the lock, then *settled*: it is *live*, or the env failed in between and the
//    row is a hole (id -1). A failure is a result too, but one without a row.
//  - Claims fill the youngest batch up to its capacity, then open another.
//  - A receiver wants min(batch_size, owed) results, owed as of its start. If no more than one
//    batch is open it limits its capacity to that, so that later senders do not add to it.
//  - It waits until the oldest batches are settled and, with the failures, hold what it wants. All
//    it wants was owed at its start and nobody else receives meanwhile, so this always comes.
//  - Failures are thrown first, one for each call. Else, if the oldest batch is exactly what is
//    wanted, its memory is given away; this is all that happens in the steady state. Holes, or
//    rows that waited for an impatient receiver, are rare: then rows are copied together in order.
//  - Only then are the envs no longer pending, and may be sent again.
#ifndef POOLKIT_SRC_COLLECTOR_H_
#define POOLKIT_SRC_COLLECTOR_H_

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "finals.h"
#include "patience.h"
#include "roster.h"
#include "stats.h"
#include "workers.h"

namespace poolkit {

// A batch that is being filled. The memory of its rows is written without a lock by those who
// claimed them, everything else is the Collector's.
struct OpenBatch {
  std::vector<BufferRef> columns;
  std::vector<void*> data;
  int32_t* ids = nullptr;  // the column env_id; -1: a hole
  size_t capacity = 0;
  size_t claimed = 0;
  size_t settled = 0;
  size_t live = 0;  // settled rows that still wait here
};

// Rows of a batch, from `row` on.
struct RowRange {
  OpenBatch* batch = nullptr;
  size_t row = 0;
  size_t count = 0;
};

struct Failure {
  int32_t id;
  std::string message;
};

class Collector {
 public:
  // `finals` may be null.
  Collector(const Layout& layout, const PoolConfig& config, Finals* finals);

  bool lock_step() const { return lock_step_; }
  const ColumnShape& shape() const { return stores_.shape(); }
  size_t first_engine() const { return first_engine_; }

  // Senders. Marks a result as owed for each id, or throws and marks none; with `roster`, throws
  // also for an env that cannot step. The envs are then the sender's, and it must see to it that
  // each is settled or failed. Gives the rows in lock-step.
  RowRange admit(std::span<const int32_t> ids, const Roster* roster);

  // Those who carry requests out. Up to `wanted` rows, at least one; throws std::bad_alloc.
  RowRange claim(size_t wanted);
  // The rows are written, or marked as holes where `failures` says so. Empties `failures`.
  void settle(const RowRange& place, std::vector<Failure>& failures);
  // Envs that failed without a row.
  void fail(std::vector<Failure>& failures);

  // Receivers. `helper` does work of its own while it waits; may be null.
  Batch receive(Patience& patience, Source* helper);

  // All but the times of workers.
  Stats stats() const;

  size_t owed() const;
  bool is_pending(int32_t id) const;
  // Also after close(): whose requests may still be carried out.
  std::vector<int32_t> pending_ids() const;

  // Callers that run environment code themselves: close() waits for them. enter() throws where the
  // pool is closed.
  void enter();
  void leave();
  // The same, for one env without pending work: it is the caller's until it is released.
  void borrow(int32_t id);
  void release(int32_t id);

  // Everybody who waits, or comes later, gets a UsageError; what was pending is dropped.
  void close();
  // Returns when no caller is in environment code any more.
  void await_leavers();
  bool closed() const;

 private:
  using Lock = std::unique_lock<std::mutex>;
  enum class Hold : uint8_t { free, pending, borrowed };

  void check_open() const;
  bool is_free(int32_t id) const;
  void check_exists(int32_t id, const std::string& where = "") const;
  [[noreturn]] void throw_taken(std::span<const int32_t> ids, size_t at) const;
  [[noreturn]] void throw_refusal(std::span<const int32_t> ids, size_t at, Phase phase) const;
  RowRange place(size_t count);
  OpenBatch& youngest_with_room(size_t count);
  void keep_failures(std::vector<Failure>& failures);
  bool satisfied(size_t wanted) const;
  void announce();
  void limit(OpenBatch& batch);
  void take_turn(Lock& lock, Patience& patience);
  bool await(Lock& lock, Patience& patience, Source* helper);
  bool help(Lock& lock, Source& helper);
  bool pause(Lock& lock, Patience& patience);
  Batch hand_over(Lock& lock);
  std::unique_ptr<OpenBatch> gather(Batch& out);
  void drop_drained();
  void recycle(std::unique_ptr<OpenBatch> batch);
  std::unique_ptr<OpenBatch> fresh();
  [[noreturn]] void throw_failure();

  const size_t batch_size_;
  const bool lock_step_;
  const Autoreset autoreset_;
  const size_t first_engine_;
  ColumnStores stores_;
  Finals* const finals_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<uint32_t> changes_{0};  // for those who spin
  bool closed_ = false;
  size_t inside_ = 0;  // callers in environment code
  bool receiving_ = false;
  size_t wanted_ = 0;  // by the receiver that waits now
  size_t owed_ = 0;
  std::vector<Hold> holds_;
  std::vector<std::unique_ptr<OpenBatch>> open_;   // oldest first
  std::vector<std::unique_ptr<OpenBatch>> spare_;  // without buffers
  std::vector<Failure> failures_;
  Stats stats_;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_COLLECTOR_H_
