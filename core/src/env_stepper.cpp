#include "env_stepper.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "builder.h"

namespace poolkit {
namespace {

// What it costs until a sleeping worker works, as measured on several machines (30 to 60 us).
constexpr uint64_t kWakeCost = 45'000;  // ns
// Of light envs that go in one ticket: enough to make the queue's cost vanish, and little enough
// that workers share what there is.
constexpr uint64_t kTicketCost = 10'000;  // ns
constexpr uint32_t kLeastCost = 8;        // ns; below, the mean would no longer move

uint64_t since(std::chrono::steady_clock::time_point start) {
  return static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
}

}  // namespace

EnvStepper::EnvStepper(const PoolParts& parts)
    : parts_(parts),
      api_(parts.type.api()),
      runner_(parts),
      light_(parts.type.spec().light != 0),
      queue_(parts.config.num_envs),
      next_(parts.config.num_envs) {
  build_envs(runner_, parts_.workers, parts_.config.num_envs);
  // A single thread that may help is the caller itself: no worker competes with it for the work.
  if (!callers_help() || parts_.config.num_threads > 1) call_workers();
}

EnvStepper::~EnvStepper() { stop(); }

void EnvStepper::call_workers() {
  std::call_once(attached_, [&] { parts_.workers.attach(*this); });
  parts_.workers.wake(queue_.size());
}

void EnvStepper::stop() {
  stopped_.store(true);
  parts_.workers.detach(*this);
  runner_.destroy_all();
}

void EnvStepper::seed(int32_t id, const Seed& seed) {
  Slot& slot = parts_.roster[id];
  slot.rng = Rng(sequence_of(seed)).raw();
  slot.episode.seeded = true;
}

int EnvStepper::observe(int32_t id, const pk_view& row, pk_error& error) {
  return api_.observe(parts_.roster[id].env, &row, &error);
}

int EnvStepper::render(int32_t id, const pk_canvas& canvas, pk_error& error) {
  return api_.render(parts_.roster[id].env, &canvas, &error);
}

size_t EnvStepper::ticket_size(size_t count) const {
  if (!light_) return 1;
  // Relaxed: an estimate, nothing is published with it. Partner: run().
  return std::clamp<size_t>(kTicketCost / step_cost_.load(std::memory_order_relaxed), 1, count);
}

void EnvStepper::start(std::span<const int32_t> ids, const Place& rows) {
  if (ids.empty()) return;
  const size_t size = ticket_size(ids.size());
  if (size > 1)
    for (size_t i = 0; i + 1 < ids.size(); ++i) next_[static_cast<size_t>(ids[i])] = ids[i + 1];
  for (size_t from = 0; from < ids.size(); from += size)
    queue_.push({ids[from], static_cast<uint32_t>(std::min(size, ids.size() - from)), rows.batch,
                 rows.row + from});
  const size_t tickets = queue_.size();
  if (callers_help())  // a caller will start on it at once: wake workers for what is worth it
    parts_.workers.wake(tickets * size * step_cost_.load(std::memory_order_relaxed) / kWakeCost);
  else
    parts_.workers.wake(tickets);
}

bool EnvStepper::work() {
  Ticket ticket;
  if (stopped_.load() || !queue_.pop(ticket)) return false;
  thread_local uint32_t tickets = 0;
  if (!light_ || ++tickets % 8 != 0) {
    run(ticket);
    return true;
  }
  const auto start = std::chrono::steady_clock::now();
  run(ticket);
  const uint64_t cost = since(start) / ticket.count;
  // Relaxed: an estimate; a lost update does no harm. Partner: ticket_size() and start().
  const uint32_t mean = step_cost_.load(std::memory_order_relaxed);
  // A thread that lost its CPU in between has measured nothing: one sample counts little.
  const auto bounded = static_cast<uint32_t>(std::min<uint64_t>(cost, 2 * mean));
  step_cost_.store(std::max<uint32_t>(kLeastCost, mean + bounded / 8 - mean / 8),
                   std::memory_order_relaxed);
  return true;
}

void EnvStepper::run(const Ticket& ticket) {
  if (ticket.batch)
    run_in_lock_step(ticket);
  else
    run_asynchronously(ticket);
}

// --- stepping ---

void EnvStepper::run_in_lock_step(const Ticket& ticket) {
  OpenBatch& batch = *ticket.batch;
  pk_view action = parts_.roster.actions();
  pk_view row = parts_.collector.shape().view(batch.data.data());
  row.row = ticket.row;
  std::vector<Failure> failures;
  int32_t id = ticket.first;
  for (uint32_t k = 0; k < ticket.count; ++k, ++row.row) {
    Outcome outcome;
    pk_error error;
    if (!runner_.advance(id, action, outcome, error)) {
      runner_.break_in_advance(id, error, failures);
      batch.ids[row.row] = -1;
    } else if (!runner_.write(id, outcome, row, error)) {
      runner_.break_in_write(id, error, failures);
      batch.ids[row.row] = -1;
    }
    id = next_[static_cast<size_t>(id)];
  }
  parts_.collector.settle({&batch, ticket.row, ticket.count}, failures);
}

void EnvStepper::run_asynchronously(const Ticket& ticket) {
  Piece piece;
  pk_view action = parts_.roster.actions();
  int32_t id = ticket.first;
  for (uint32_t left = ticket.count; left > 0;) {
    const size_t n = std::min<size_t>(left, kPiece);
    piece.count = 0;
    for (size_t k = 0; k < n; ++k) {
      const int32_t next = next_[static_cast<size_t>(id)];
      pk_error error;
      if (runner_.advance(id, action, piece.outcomes[piece.count], error))
        piece.ids[piece.count++] = id;
      else
        runner_.break_in_advance(id, error, piece.failures);
      id = next;
    }
    if (!piece.failures.empty()) parts_.collector.fail(piece.failures);
    deliver(piece);
    left -= static_cast<uint32_t>(n);
  }
}

// Claims rows for the envs of a piece, which have all finished computing, and writes them.
void EnvStepper::deliver(Piece& piece) {
  for (size_t done = 0; done < piece.count;) {
    Place rows;
    try {
      rows = parts_.collector.claim(piece.count - done);
    } catch (const std::bad_alloc&) {
      const pk_error error{"out of memory for another batch"};
      for (; done < piece.count; ++done)
        runner_.break_in_write(piece.ids[done], error, piece.failures);
      parts_.collector.fail(piece.failures);
      return;
    }
    pk_view row = parts_.collector.shape().view(rows.batch->data.data());
    for (size_t k = 0; k < rows.count; ++k) {
      const int32_t id = piece.ids[done + k];
      pk_error error;
      row.row = rows.row + k;
      if (runner_.write(id, piece.outcomes[done + k], row, error)) continue;
      runner_.break_in_write(id, error, piece.failures);
      rows.batch->ids[row.row] = -1;
    }
    parts_.collector.settle(rows, piece.failures);
    done += rows.count;
  }
}

std::unique_ptr<Stepper> make_env_stepper(const PoolParts& parts) {
  return std::make_unique<EnvStepper>(parts);
}

}  // namespace poolkit
