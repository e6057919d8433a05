// The engine's pool, with NumPy arrays for its actions and batches.
//
// The GIL is held while arguments are read and results are made, and let go while anything is
// stepped or waited for.
#ifndef POOLKIT_BINDINGS_PYTHON_POOL_H_
#define POOLKIT_BINDINGS_PYTHON_POOL_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "actions.h"
#include "fork.h"
#include "ids.h"
#include "pool.h"
#include "structure.h"

namespace poolkit {

class PythonPool {
 public:
  PythonPool(std::shared_ptr<EnvType> type, PoolConfig config);
  ~PythonPool();
  PythonPool(const PythonPool&) = delete;

  // env_id None: the envs of the last recv.
  void send(nanobind::handle action, nanobind::handle env_id);
  nanobind::object recv(nanobind::handle timeout);
  nanobind::object step(nanobind::handle action);
  // env_id None: all.
  void reset(nanobind::handle env_id, nanobind::handle seeds);
  // (observation, info), without a step; counts as a recv. env_id None: all.
  nanobind::object observe(nanobind::handle env_id);
  void drain();
  // The same, but throws the EnvError of an env that failed, and leaves those it did not come to.
  void finish();

  // The ids themselves, once they are known to be of idle envs. env_id None: all.
  std::vector<int32_t> idle(nanobind::handle env_id) { return read_idle(env_id, true); }
  nanobind::object render(int32_t id);
  // env_id None: all.
  nanobind::list save(nanobind::handle env_id);
  // All of the states are checked before the first is loaded.
  void load(nanobind::handle env_id, nanobind::handle states);

  Stats stats() const { return pool_->stats(); }
  size_t pending() const { return pool_->pending(); }
  bool closed() const { return pool_->closed(); }
  void close(nanobind::handle timeout);

  // Before the interpreter's end, whose daemon threads must not be inside a pool.
  static void close_all();

 private:
  class Outside;

  std::unique_ptr<Pool> open(std::shared_ptr<EnvType> type, PoolConfig config);
  bool lock_step() const { return pool_->config().batch_size == pool_->config().num_envs; }
  void send(nanobind::handle action, std::span<const int32_t> ids);
  std::vector<int32_t> read_idle(nanobind::handle env_id, bool twice = false);
  nanobind::object to_python(Batch batch);
  nanobind::object info_of(std::vector<BufferRef>& columns, size_t rows) const;
  nanobind::object observation_of(std::vector<BufferRef>& columns, size_t rows) const;

  const uint32_t generation_ = fork_generation();
  size_t outside_ = 0;  // calls that have let the GIL go
  std::unique_ptr<Pool> pool_;
  std::unique_ptr<ActionReader> actions_;  // null while a send has it, and after one that threw
  IdReader ids_;
  Structure observation_;
  Structure info_;
  std::vector<size_t> info_columns_;
  std::vector<int32_t> all_;
  std::vector<int32_t> received_;  // the envs of the last recv
};

}  // namespace poolkit

#endif  // POOLKIT_BINDINGS_PYTHON_POOL_H_
