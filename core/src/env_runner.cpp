#include "env_runner.h"

#include <utility>

namespace poolkit {

bool EnvRunner::create(int32_t id, pk_error& error) {
  const std::vector<pk_option>& options = parts_.type.options();
  return !api_.create(options.data(), options.size(), &parts_.roster[id].env, &error);
}

void EnvRunner::destroy_all() {
  for (size_t id = 0; id < parts_.roster.size(); ++id)
    if (void* env = std::exchange(parts_.roster[static_cast<int32_t>(id)].env, nullptr))
      api_.destroy(env);
}

bool EnvRunner::advance(int32_t id, pk_view& action, Outcome& out, pk_error& error) {
  out = {};
  Phase& phase = parts_.roster.phase(id);
  if (phase != Phase::running) return reset(id, error);
  Slot& slot = parts_.roster[id];
  action.row = static_cast<size_t>(id);
  pk_transition transition;
  if (api_.step(slot.env, &action, &slot.rng, &transition, &error)) return false;
  const Phase after = take_step(slot.episode, out, transition, parts_.config.max_episode_steps);
  if (after == Phase::running) return true;
  phase = after;
  return !parts_.finals || (keep_final(id, out, error) && reset(id, error));
}

bool EnvRunner::reset(int32_t id, pk_error& error) {
  Slot& slot = parts_.roster[id];
  if (!slot.env && !create(id, error)) return false;
  Phase& phase = parts_.roster.phase(id);
  const pk_reset kind = reset_kind(slot.episode, phase);
  if (api_.reset(slot.env, kind, &slot.rng, &error)) return false;
  phase = take_reset(slot.episode, kind);
  return true;
}

bool EnvRunner::keep_final(int32_t id, const Outcome& out, pk_error& error) {
  const Slot& slot = parts_.roster[id];
  const pk_view row = parts_.finals->row(id);
  if (api_.observe(slot.env, &row, &error)) return false;
  parts_.finals->keep(id, out, slot.episode);
  return true;
}

bool EnvRunner::write(int32_t id, const Outcome& outcome, const pk_view& row, pk_error& error) {
  const Slot& slot = parts_.roster[id];
  if (api_.observe(slot.env, &row, &error)) return false;
  write_engine_columns(row.data + parts_.collector.first_engine(), row.row, id, outcome,
                       slot.episode);
  return true;
}

void EnvRunner::break_in_advance(int32_t id, const pk_error& error,
                                 std::vector<Failure>& failures) {
  // The object may be in any state: it is built anew at the next reset.
  if (void* env = std::exchange(parts_.roster[id].env, nullptr)) api_.destroy(env);
  break_in_write(id, error, failures);
}

void EnvRunner::break_in_write(int32_t id, const pk_error& error, std::vector<Failure>& failures) {
  parts_.roster.phase(id) = Phase::broken;
  if (parts_.finals) parts_.finals->forget(id);
  failures.push_back({id, error.message});
}

}  // namespace poolkit
