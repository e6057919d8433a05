#include "env_stepper.h"

#include <algorithm>
#include <chrono>
#include <new>
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

EnvStepper::EnvStepper(const PoolParts& parts)
    : parts_(parts),
      api_(parts.type.api()),
      runner_(parts),
      light_(parts.type.spec().light != 0),
      next_(parts.config.num_envs) {
  const std::vector<Home> homes = homes_of(parts);
  for (const Home& home : homes) lanes_.push_back(std::make_unique<Lane>(*this, home));
  build_envs(runner_, homes);
  // A single thread that may help is the caller itself: no worker competes with it for the work.
  const bool callers_alone = helper() && parts_.config.num_threads == 1 && !parts_.config.workers;
  if (!callers_alone) call_workers();
}

EnvStepper::~EnvStepper() { stop(); }

// Each worker has as many envs as any other.
std::vector<Home> EnvStepper::homes_of(const PoolParts& parts) {
  std::vector<Home> homes;
  size_t workers = 0;
  size_t first = 0;
  for (const auto& node : parts.workers.nodes()) {
    workers += node->size();
    const size_t end = parts.config.num_envs * workers / parts.workers.size();
    homes.push_back({*node, std::exchange(first, end), end});
  }
  return homes;
}

EnvStepper::Lane& EnvStepper::lane_of(int32_t id) {
  size_t lane = 0;
  while (static_cast<size_t>(id) >= lanes_[lane]->home.end) ++lane;
  return *lanes_[lane];
}

Source* EnvStepper::helper(bool limited) {
  return light_ && !limited && !parts_.workers.pinned() ? lanes_.front().get() : nullptr;
}

void EnvStepper::call_workers() {
  std::call_once(attached_, [&] {
    for (const auto& lane : lanes_) lane->home.workers.attach(*lane);
  });
  for (const auto& lane : lanes_) lane->home.workers.wake(lane->queue.size());
}

void EnvStepper::stop() {
  stopped_.store(true);
  for (const auto& lane : lanes_) lane->home.workers.detach(*lane);
  runner_.destroy_all();
}

std::chrono::nanoseconds EnvStepper::busy() const {
  std::chrono::nanoseconds sum{};
  for (const auto& lane : lanes_) sum += lane->home.workers.busy(*lane);
  return sum;
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

void EnvStepper::start(std::span<const int32_t> ids, const RowRange& rows) {
  for (size_t from = 0; from < ids.size();) {
    Lane& lane = lane_of(ids[from]);
    size_t count = ids.size() - from;
    if (lanes_.size() > 1) {
      count = 1;
      while (from + count < ids.size() && &lane_of(ids[from + count]) == &lane) ++count;
    }
    start_in(lane, ids.subspan(from, count), {rows.batch, rows.row + from, count});
    from += count;
  }
}

void EnvStepper::start_in(Lane& lane, std::span<const int32_t> ids, const RowRange& rows) {
  const size_t size = ticket_size(ids.size());
  if (size > 1)
    for (size_t i = 0; i + 1 < ids.size(); ++i) next_[static_cast<size_t>(ids[i])] = ids[i + 1];
  const auto now = std::chrono::steady_clock::now();
  for (size_t from = 0; from < ids.size(); from += size)
    lane.queue.push({ids[from], static_cast<uint32_t>(std::min(size, ids.size() - from)),
                     rows.batch, rows.row + from, now});
  const size_t tickets = lane.queue.size();
  // Where a caller helps, it will start on it at once: wake workers for what is worth it.
  lane.home.workers.wake(
      helper() ? tickets * size * step_cost_.load(std::memory_order_relaxed) / kWakeCost : tickets);
}

bool EnvStepper::Lane::work() {
  Ticket ticket;
  if (stepper.stopped_.load() || !queue.pop(ticket)) return false;
  thread_local uint32_t tickets = 0;
  if (++tickets % 8 != 0)
    stepper.run(ticket);
  else
    stepper.run_and_measure(ticket);
  return true;
}

void EnvStepper::run_and_measure(const Ticket& ticket) {
  const auto start = std::chrono::steady_clock::now();
  waited_.fetch_add(static_cast<uint64_t>((start - ticket.queued).count()));
  waits_.fetch_add(1);
  run(ticket);
  if (!light_) return;
  const uint64_t cost = since(start) / ticket.count;
  // Relaxed: an estimate; a lost update does no harm. Partner: ticket_size() and start().
  const uint32_t mean = step_cost_.load(std::memory_order_relaxed);
  // A thread that lost its CPU in between has measured nothing: one sample counts little.
  const auto bounded = static_cast<uint32_t>(std::min<uint64_t>(cost, 2 * mean));
  step_cost_.store(std::max<uint32_t>(kLeastCost, mean + bounded / 8 - mean / 8),
                   std::memory_order_relaxed);
}

std::chrono::nanoseconds EnvStepper::queue_wait() const {
  return std::chrono::nanoseconds(waited_.load() / std::max<uint64_t>(waits_.load(), 1));
}

void EnvStepper::run(const Ticket& ticket) {
  Piece piece;
  int32_t id = ticket.first;
  for (size_t done = 0; done < ticket.count; done += Piece::kLargest) {
    piece.count = std::min<size_t>(ticket.count - done, Piece::kLargest);
    for (size_t k = 0; k < piece.count; ++k) {
      piece.ids[k] = id;
      id = next_[static_cast<size_t>(id)];
    }
    runner_.advance(piece);
    if (ticket.batch)
      deliver(piece, 0, {ticket.batch, ticket.row + done, piece.count});
    else
      claim_and_deliver(piece);
  }
}

void EnvStepper::deliver(Piece& piece, size_t first, const RowRange& rows) {
  runner_.write(piece, first, rows);
  parts_.collector.settle(rows, piece.failures);
}

// All of them have finished computing; those that threw get no row.
void EnvStepper::claim_and_deliver(Piece& piece) {
  if (!piece.failures.empty()) {
    parts_.collector.fail(piece.failures);
    piece.drop_failed();
  }
  for (size_t done = 0; done < piece.count;) {
    RowRange rows;
    try {
      rows = parts_.collector.claim(piece.count - done);
    } catch (const std::bad_alloc&) {
      runner_.fail(piece, done, "out of memory for another batch");
      return parts_.collector.fail(piece.failures);
    }
    deliver(piece, done, rows);
    done += rows.count;
  }
}

std::unique_ptr<Stepper> make_env_stepper(const PoolParts& parts) {
  return std::make_unique<EnvStepper>(parts);
}

}  // namespace poolkit
