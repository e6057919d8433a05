#include "env_stepper.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

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

// --- building ---

// Builds envs in parallel, each on the worker that happens to take it.
class EnvStepper::Builder final : public Source {
 public:
  explicit Builder(EnvStepper& stepper) : stepper_(stepper), total_(stepper.floor_.roster.size()) {}

  bool work() override {
    const size_t at = next_.fetch_add(1);
    if (at >= total_) return false;
    pk_error error{};
    const auto id = static_cast<int32_t>(at);
    const bool failed = stepper_.create(id, error) != 0;
    std::lock_guard lock(mutex_);
    if (failed) {
      // Envs are taken by id, so all below this one are built or being built: which failure is the
      // first does not depend on time.
      next_.store(total_);
      if (!first_ || id < first_->id) first_ = Failure{id, error.message};
    }
    ++built_;
    progress_.notify_all();
    return true;
  }
  bool has_work() const override { return next_.load() < total_; }

  // Once no worker is in it any more.
  const std::optional<Failure>& first_failure() const { return first_; }

  void wait() {
    std::unique_lock lock(mutex_);
    progress_.wait(lock, [&] { return first_ || built_ == total_; });
  }

 private:
  EnvStepper& stepper_;
  const size_t total_;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable progress_;
  size_t built_ = 0;
  std::optional<Failure> first_;
};

EnvStepper::EnvStepper(const Floor& floor)
    : floor_(floor),
      api_(floor.type.api()),
      light_(floor.type.spec().light != 0),
      queue_(floor.config.num_envs),
      next_(floor.config.num_envs) {
  Builder builder(*this);
  floor_.workers.attach(builder);
  floor_.workers.wake(floor_.workers.size());
  builder.wait();
  floor_.workers.detach(builder);
  if (builder.first_failure()) {
    destroy_all();
    throw EnvError(builder.first_failure()->id, builder.first_failure()->message);
  }
  // A single thread that may help is the caller itself: no worker competes with it for the work.
  if (!callers_help() || floor_.config.num_threads > 1) call_workers();
}

EnvStepper::~EnvStepper() { stop(); }

void EnvStepper::call_workers() {
  std::call_once(attached_, [&] { floor_.workers.attach(*this); });
  floor_.workers.wake(queue_.size());
}

void EnvStepper::stop() {
  stopped_.store(true);
  floor_.workers.detach(*this);
  destroy_all();
}

int EnvStepper::create(int32_t id, pk_error& error) {
  const std::vector<pk_option>& options = floor_.type.options();
  return api_.create(options.data(), options.size(), &floor_.roster[id].env, &error);
}

void EnvStepper::destroy_all() {
  for (size_t id = 0; id < floor_.roster.size(); ++id)
    if (void* env = std::exchange(floor_.roster[static_cast<int32_t>(id)].env, nullptr))
      api_.destroy(env);
}

void EnvStepper::seed(int32_t id, const Seed& seed) {
  Slot& slot = floor_.roster[id];
  slot.rng = Rng(sequence_of(seed)).raw();
  slot.episode.seeded = true;
}

int EnvStepper::observe(int32_t id, const pk_view& row, pk_error& error) {
  return api_.observe(floor_.roster[id].env, &row, &error);
}

int EnvStepper::render(int32_t id, const pk_canvas& canvas, pk_error& error) {
  return api_.render(floor_.roster[id].env, &canvas, &error);
}

// --- queueing ---

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
    floor_.workers.wake(tickets * size * step_cost_.load(std::memory_order_relaxed) / kWakeCost);
  else
    floor_.workers.wake(tickets);
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
  pk_view action = floor_.roster.actions();
  pk_view row = floor_.collector.shape().view(batch.data.data());
  row.row = ticket.row;
  std::vector<Failure> failures;
  int32_t id = ticket.first;
  for (uint32_t k = 0; k < ticket.count; ++k, ++row.row) {
    Outcome outcome;
    pk_error error;
    if (!advance(id, action, outcome, error)) {
      break_env(id, error, true, failures);
      batch.ids[row.row] = -1;
    } else if (!write(id, outcome, row, error)) {
      break_env(id, error, false, failures);
      batch.ids[row.row] = -1;
    }
    id = next_[static_cast<size_t>(id)];
  }
  floor_.collector.settle({&batch, ticket.row, ticket.count}, failures);
}

void EnvStepper::run_asynchronously(const Ticket& ticket) {
  Piece piece;
  pk_view action = floor_.roster.actions();
  int32_t id = ticket.first;
  for (uint32_t left = ticket.count; left > 0;) {
    const size_t n = std::min<size_t>(left, kPiece);
    piece.count = 0;
    for (size_t k = 0; k < n; ++k) {
      const int32_t next = next_[static_cast<size_t>(id)];
      pk_error error;
      if (advance(id, action, piece.outcomes[piece.count], error))
        piece.ids[piece.count++] = id;
      else
        break_env(id, error, true, piece.failures);
      id = next;
    }
    if (!piece.failures.empty()) floor_.collector.fail(piece.failures);
    deliver(piece);
    left -= static_cast<uint32_t>(n);
  }
}

// Claims rows for the envs of a piece, which have all finished computing, and writes them.
void EnvStepper::deliver(Piece& piece) {
  for (size_t done = 0; done < piece.count;) {
    Place rows;
    try {
      rows = floor_.collector.claim(piece.count - done);
    } catch (const std::bad_alloc&) {
      const pk_error error{"out of memory for another batch"};
      for (; done < piece.count; ++done) break_env(piece.ids[done], error, false, piece.failures);
      floor_.collector.fail(piece.failures);
      return;
    }
    pk_view row = floor_.collector.shape().view(rows.batch->data.data());
    for (size_t k = 0; k < rows.count; ++k) {
      const int32_t id = piece.ids[done + k];
      pk_error error;
      row.row = rows.row + k;
      if (write(id, piece.outcomes[done + k], row, error)) continue;
      break_env(id, error, false, piece.failures);
      rows.batch->ids[row.row] = -1;
    }
    floor_.collector.settle(rows, piece.failures);
    done += rows.count;
  }
}

bool EnvStepper::advance(int32_t id, pk_view& action, Outcome& out, pk_error& error) {
  out = {};
  Phase& phase = floor_.roster.phase(id);
  if (phase != Phase::running) return reset(id, error);
  Slot& slot = floor_.roster[id];
  action.row = static_cast<size_t>(id);
  pk_transition transition;
  if (api_.step(slot.env, &action, &slot.rng, &transition, &error)) return false;
  const Phase after = take_step(slot.episode, out, transition, floor_.config.max_episode_steps);
  if (after == Phase::running) return true;
  phase = after;
  return !floor_.finals || (keep_final(id, out, error) && reset(id, error));
}

bool EnvStepper::reset(int32_t id, pk_error& error) {
  Slot& slot = floor_.roster[id];
  if (!slot.env && create(id, error)) return false;
  Phase& phase = floor_.roster.phase(id);
  const pk_reset kind = reset_kind(slot.episode, phase);
  if (api_.reset(slot.env, kind, &slot.rng, &error)) return false;
  phase = take_reset(slot.episode, kind);
  return true;
}

bool EnvStepper::keep_final(int32_t id, const Outcome& out, pk_error& error) {
  const Slot& slot = floor_.roster[id];
  const pk_view row = floor_.finals->row(id);
  if (api_.observe(slot.env, &row, &error)) return false;
  floor_.finals->keep(id, out, slot.episode);
  return true;
}

bool EnvStepper::write(int32_t id, const Outcome& outcome, pk_view& row, pk_error& error) {
  const Slot& slot = floor_.roster[id];
  if (api_.observe(slot.env, &row, &error)) return false;
  write_engine_columns(row.data + floor_.collector.first_engine(), row.row, id, outcome,
                       slot.episode);
  return true;
}

// A step or reset that threw may have left the object in any state: it is built anew at the next
// reset.
void EnvStepper::break_env(int32_t id, const pk_error& error, bool rebuild,
                           std::vector<Failure>& failures) {
  Slot& slot = floor_.roster[id];
  if (rebuild && slot.env) {
    api_.destroy(slot.env);
    slot.env = nullptr;
  }
  floor_.roster.phase(id) = Phase::broken;
  if (floor_.finals) floor_.finals->forget(id);
  failures.push_back({id, error.message});
}

std::unique_ptr<Stepper> make_env_stepper(const Floor& floor) {
  return std::make_unique<EnvStepper>(floor);
}

SeedSequence sequence_of(const Seed& seed) {
  if (!seed.spawn_key) return SeedSequence(seed.entropy);
  return SeedSequence(seed.entropy, {&*seed.spawn_key, 1});
}

}  // namespace poolkit
