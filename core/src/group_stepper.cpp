#include "group_stepper.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>

namespace poolkit {
namespace {

constexpr size_t kPiece = 64;  // completions that are delivered together

thread_local bool polling = false;

bool can_poll(const pk_env_api& api) {
  constexpr size_t needed = offsetof(pk_env_api, group_poll) + sizeof(api.group_poll);
  return api.struct_size >= needed && api.group_poll;
}

// Keeps the pool open while a caller is in the group's code.
class Inside {
 public:
  explicit Inside(Collector& collector) : collector_(collector) { collector_.enter(); }
  ~Inside() { collector_.leave(); }
  Inside(const Inside&) = delete;

 private:
  Collector& collector_;
};

}  // namespace

GroupStepper::GroupStepper(const PoolParts& parts)
    : parts_(parts),
      api_(parts.type.api()),
      polls_(can_poll(api_)),
      host_{this,
            [](void* self, const int32_t* ids, const pk_transition* transitions, size_t n) {
              static_cast<GroupStepper*>(self)->completed({ids, n}, transitions);
            },
            [](void* self, int32_t id, const char* message) {
              static_cast<GroupStepper*>(self)->failed(id, message);
            }},
      errands_(parts.roster.size()) {
  waiting_.reserve(parts.roster.size());
  round_.reserve(parts.roster.size());
  views_.reserve(parts.roster.size());
  const std::vector<pk_option>& options = parts.type.options(0);
  pk_error error{};
  if (api_.create_group(options.data(), options.size(), parts.roster.size(), &host_, &group_,
                        &error))
    throw EnvError(-1, error.message);
  worker().attach(*this);
}

GroupStepper::~GroupStepper() { stop(); }

void GroupStepper::stop() {
  stopped_.store(true);
  worker().detach(*this);
  // Its threads may be in completed() until this returns.
  if (group_) api_.destroy_group(group_);
  group_ = nullptr;
}

void GroupStepper::seed(int32_t id, const Seed& seed) {
  // A plain seed is passed on as it is.
  errands_[static_cast<size_t>(id)].seed =
      seed.spawn_key ? sequence_of(seed).generate<1>()[0] : seed.entropy;
  parts_.roster[id].episode.seeded = true;
}

int GroupStepper::observe(int32_t id, const pk_view& row, pk_error& error) {
  return api_.group_observe(group_, id, &row, &error);
}

int GroupStepper::render(int32_t id, const pk_canvas& canvas, pk_error& error) {
  return api_.group_render(group_, id, &canvas, &error);
}

// --- requests ---

void GroupStepper::start(std::span<const int32_t> ids, const RowRange& rows) {
  const Inside inside(parts_.collector);
  for (size_t i = 0; i < ids.size(); ++i) {
    Errand& errand = errands_[static_cast<size_t>(ids[i])];
    errand.row = {rows.batch, rows.row + i, 1};
    errand.outcome = {};
  }
  {
    const std::lock_guard lock(mutex_);
    for (int32_t id : ids) waiting_.push_back(request_for(id));
  }
  submit_waiting();
}

pk_request GroupStepper::request_for(int32_t id) {
  const Phase phase = parts_.roster.phase(id);
  if (phase == Phase::running) return {id, 1, PK_RESET_FRESH, 0, 0};
  return {id, 0, static_cast<uint32_t>(reset_kind(parts_.roster[id].episode, phase)), 0,
          errands_[static_cast<size_t>(id)].seed};
}

void GroupStepper::submit_waiting() {
  std::unique_lock lock(mutex_);
  if (submitting_) return;  // whoever is at it takes the new ones too
  submitting_ = true;
  while (!waiting_.empty() && !stopped_.load()) {
    round_.swap(waiting_);
    lock.unlock();
    submit(round_);
    round_.clear();
    lock.lock();
  }
  submitting_ = false;
}

void GroupStepper::submit(const std::vector<pk_request>& requests) {
  views_.assign(requests.size(), parts_.roster.actions());
  for (size_t i = 0; i < requests.size(); ++i) {
    views_[i].row = static_cast<size_t>(requests[i].id);
    errands_[static_cast<size_t>(requests[i].id)].out.store(true);
  }
  pk_error error{};
  if (!api_.submit(group_, requests.data(), views_.data(), requests.size(), &error)) return;
  for (const pk_request& request : requests)
    if (take_back(request.id)) fail(request.id, error.message);
}

bool GroupStepper::work() {
  if (!resets_wait_.exchange(false)) return false;
  submit_waiting();
  return true;
}

// The resets that came of it are submitted here, rather than by a worker that has to be woken.
bool GroupStepper::poll() {
  polling = true;
  const bool any = api_.group_poll(group_) != 0;
  polling = false;
  return work() || any;
}

// --- completions ---

// Whether the group owed a completion for `id`. A group that completes twice, or what it was not
// asked for, does no harm.
bool GroupStepper::take_back(int32_t id) {
  return id >= 0 && static_cast<size_t>(id) < errands_.size() &&
         errands_[static_cast<size_t>(id)].out.exchange(false);
}

void GroupStepper::completed(std::span<const int32_t> ids, const pk_transition* transitions) {
  std::array<int32_t, kPiece> piece;
  size_t count = 0;
  for (size_t i = 0; i < ids.size() && !stopped_.load(); ++i) {
    if (take_back(ids[i]) && ready(ids[i], transitions[i])) piece[count++] = ids[i];
    if (count < kPiece && i + 1 < ids.size()) continue;
    deliver(std::span(piece).first(count));
    count = 0;
  }
  if (resets_wait_.load() && !polling) worker().wake(1);
}

void GroupStepper::failed(int32_t id, const char* message) {
  if (!stopped_.load() && take_back(id)) fail(id, message);
}

// Whether env `id` has a result now; else it failed, or waits for its same-step reset.
bool GroupStepper::ready(int32_t id, const pk_transition& transition) {
  Slot& slot = parts_.roster[id];
  Phase& phase = parts_.roster.phase(id);
  if (phase != Phase::running) {
    phase = take_reset(slot.episode, reset_kind(slot.episode, phase));
    return true;
  }
  Outcome& outcome = errands_[static_cast<size_t>(id)].outcome;
  phase = take_step(slot.episode, outcome, transition, parts_.config.max_episode_steps);
  if (phase == Phase::running || !parts_.finals) return true;
  const pk_view row = parts_.finals->row(id);
  pk_error error{};
  if (api_.group_observe(group_, id, &row, &error)) {
    fail(id, error.message);
    return false;
  }
  parts_.finals->keep(id, outcome, slot.episode);
  const std::lock_guard lock(mutex_);
  waiting_.push_back(request_for(id));
  resets_wait_.store(true);
  return false;
}

void GroupStepper::deliver(std::span<const int32_t> ids) {
  if (parts_.collector.lock_step()) return deliver_in_lock_step(ids);
  std::vector<Failure> failures;
  while (!ids.empty()) {
    RowRange rows;
    try {
      rows = parts_.collector.claim(ids.size());
    } catch (const std::bad_alloc&) {
      for (int32_t id : ids) fail(id, "out of memory for another batch");
      return;
    }
    for (size_t k = 0; k < rows.count; ++k) write(ids[k], {rows.batch, rows.row + k, 1}, failures);
    parts_.collector.settle(rows, failures);
    ids = ids.subspan(rows.count);
  }
}

void GroupStepper::deliver_in_lock_step(std::span<const int32_t> ids) {
  std::vector<Failure> failures;
  for (int32_t id : ids) {
    const RowRange row = errands_[static_cast<size_t>(id)].row;
    write(id, row, failures);
    parts_.collector.settle(row, failures);
  }
}

void GroupStepper::write(int32_t id, const RowRange& place, std::vector<Failure>& failures) {
  pk_view row = parts_.collector.shape().view(place.batch->data.data());
  row.row = place.row;
  pk_error error{};
  if (api_.group_observe(group_, id, &row, &error)) {
    failures.push_back(break_env(id, error.message));
    place.batch->ids[place.row] = -1;
    return;
  }
  EngineColumns(row.data + parts_.collector.first_engine())
      .write(place.row, id, errands_[static_cast<size_t>(id)].outcome, parts_.roster[id].episode);
}

Failure GroupStepper::break_env(int32_t id, const char* message) {
  parts_.roster.phase(id) = Phase::broken;
  if (parts_.finals) parts_.finals->forget(id);
  return {id, message};
}

// A failure without a result; in lock-step its row becomes a hole.
void GroupStepper::fail(int32_t id, const char* message) {
  std::vector<Failure> failures{break_env(id, message)};
  const RowRange& row = errands_[static_cast<size_t>(id)].row;
  if (!row.batch) return parts_.collector.fail(failures);
  row.batch->ids[row.row] = -1;
  parts_.collector.settle(row, failures);
}

std::unique_ptr<Stepper> make_group_stepper(const PoolParts& parts) {
  return std::make_unique<GroupStepper>(parts);
}

}  // namespace poolkit
