#include "env_runner.h"

#include <utility>

namespace poolkit {

void Piece::drop_failed() {
  size_t kept = 0;
  for (size_t k = 0; k < count; ++k) {
    if (ids[k] < 0) continue;
    ids[kept] = ids[k];
    outcomes[kept++] = outcomes[k];
  }
  count = kept;
}

bool EnvRunner::create(int32_t id, pk_error& error) {
  const std::vector<pk_option>& options = parts_.type.options(id);
  return !api_.create(options.data(), options.size(), &parts_.roster[id].env, &error);
}

void EnvRunner::destroy(int32_t id) {
  if (void* env = std::exchange(parts_.roster[id].env, nullptr)) api_.destroy(env);
}

void EnvRunner::destroy_all() {
  for (size_t id = 0; id < parts_.roster.size(); ++id) destroy(static_cast<int32_t>(id));
}

// This loop and the one in write() decide how fast light environments are.
void EnvRunner::advance(Piece& piece) {
  pk_view action = parts_.roster.actions();
  const int64_t limit = parts_.config.max_episode_steps;
  for (size_t k = 0; k < piece.count; ++k) {
    const int32_t id = piece.ids[k];
    Outcome& out = piece.outcomes[k];
    out = {};
    pk_error error;
    bool fine = true;
    if (parts_.roster.phase(id) == Phase::running) {
      Slot& slot = parts_.roster[id];
      action.row = static_cast<size_t>(id);
      pk_transition transition;
      fine = !api_.step(slot.env, &action, &slot.rng, &transition, &error);
      if (fine) {
        const Phase after = take_step(slot.episode, out, transition, limit);
        if (after != Phase::running) fine = end(id, after, out, error);
      }
    } else {
      fine = reset(id, error);
    }
    if (fine) continue;
    // The object may be in any state: it is built anew at its next reset. As any object's first
    // reset, this one is a seeded one.
    destroy(id);
    parts_.roster[id].episode.seeded = true;
    break_env(piece, k, error.message);
  }
}

bool EnvRunner::end(int32_t id, Phase after, const Outcome& out, pk_error& error) {
  parts_.roster.phase(id) = after;
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

void EnvRunner::write(Piece& piece, size_t first, const RowRange& rows) {
  pk_view row = parts_.collector.shape().view(rows.batch->data.data());
  const EngineColumns columns(row.data + parts_.collector.first_engine());
  for (size_t k = first; k < first + rows.count; ++k) {
    const int32_t id = piece.ids[k];
    row.row = rows.row + k - first;
    if (id >= 0) {
      const Slot& slot = parts_.roster[id];
      pk_error error;
      if (!api_.observe(slot.env, &row, &error)) {
        columns.write(row.row, id, piece.outcomes[k], slot.episode);
        continue;
      }
      break_env(piece, k, error.message);
    }
    rows.batch->ids[row.row] = -1;
  }
}

void EnvRunner::fail(Piece& piece, size_t first, const char* message) {
  for (size_t k = first; k < piece.count; ++k) break_env(piece, k, message);
}

void EnvRunner::break_env(Piece& piece, size_t k, const char* message) {
  const int32_t id = std::exchange(piece.ids[k], -1);
  parts_.roster.phase(id) = Phase::broken;
  if (parts_.finals) parts_.finals->forget(id);
  piece.failures.push_back({id, message});
}

}  // namespace poolkit
