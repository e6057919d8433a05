// The engine's front: a pool of environments of one type, stepped by worker threads, batch by
// batch.
//
// Knows no Python and no environment by name. Every method may be called from any thread; two
// callers of recv() take turns.
#ifndef POOLKIT_SRC_POOL_H_
#define POOLKIT_SRC_POOL_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "batch.h"
#include "env_type.h"
#include "stats.h"

namespace poolkit {

class WorkerNodes;

enum class Autoreset { next_step, same_step, disabled };

// The random stream of one env: SeedSequence(entropy), or SeedSequence(entropy, spawn_key=(key,)).
struct Seed {
  uint64_t entropy = 0;
  std::optional<uint32_t> spawn_key = {};
};

struct PoolConfig {
  size_t num_envs = 1;
  size_t batch_size = 1;
  std::shared_ptr<WorkerNodes> workers = nullptr;  // null: its own, by the two lines that follow
  size_t num_threads = 1;  // workers; with light environments the calling thread counts as one
  std::vector<std::vector<int>> affinity = {};  // see WorkerNodes
  Autoreset autoreset = Autoreset::next_step;
  int64_t max_episode_steps = 0;  // 0: no limit
  uint64_t seed = 0;
  std::vector<Seed> seeds = {};  // one for each env; empty: env i gets {seed, i}
  std::shared_ptr<Allocator> allocator = std::make_shared<HeapAllocator>();  // of batch memory
};

// An environment threw. Its message comes once; the env works again after its next reset.
class EnvError : public std::runtime_error {
 public:
  EnvError(int32_t env_id, const std::string& message)
      : std::runtime_error((env_id < 0 ? "all envs" : "env " + std::to_string(env_id)) + ": " +
                           message),
        env_id(env_id) {}
  int32_t env_id;  // -1: a group could not be built
};

struct Timeout : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The caller broke the rules of use: a closed pool, an id that is pending, a step before the reset.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Called now and then while a caller waits, without any lock held; throws to end the wait (Ctrl-C).
using Interrupt = std::function<void()>;

class Pool {
 public:
  // Builds the environments on their workers; the first error of one is thrown as EnvError.
  Pool(std::shared_ptr<const EnvType> type, PoolConfig config, const Interrupt& interrupt = {});
  ~Pool();
  Pool(const Pool&) = delete;

  const EnvType& type() const;
  const PoolConfig& config() const;
  // The columns of every batch that recv() gives.
  const Layout& layout() const;

  // Queues one step for each id. `actions[k]` points to ids.size() rows of action array k,
  // C-contiguous, already checked against the space. Throws UsageError (std::out_of_range for a bad
  // id), naming the row, before anything is queued.
  void send(std::span<const void* const> actions, std::span<const int32_t> ids);

  // Queues a reset for each id; `seeds` is empty, or one for each id (nullopt: the stream goes on).
  void reset(std::span<const int32_t> ids, std::span<const std::optional<Seed>> seeds);

  // The next min(batch_size, pending) results, pending as of the call. Throws UsageError where
  // nothing is pending, EnvError (once for each failed env), Timeout.
  Batch recv(std::optional<std::chrono::nanoseconds> timeout, const Interrupt& interrupt);

  // Waits for all pending results and drops them, with their errors.
  void drain(const Interrupt& interrupt);

  // A row for each id, for ids without pending work, that shows the env as it is: observation, info
  // and statistics, but no reward. The row of an env that was never reset, or threw, is zero.
  Batch observe(std::span<const int32_t> ids);

  Stats stats() const;
  size_t pending() const;
  bool is_pending(int32_t id) const;

  // For ids without pending work. An image is height x width x 3 (RGB).
  struct Frame {
    size_t height = 0, width = 0;
    std::vector<uint8_t> pixels;
  };
  Frame render(int32_t id);
  std::vector<unsigned char> save(int32_t id);
  void load(int32_t id, std::span<const unsigned char> state);
  // Throws as load() would for bytes that are no state of this kind of env.
  void check_state(std::span<const unsigned char> state) const;

  // Drops pending work and waits until environments and workers are gone; waiting callers get
  // UsageError("... closed"). Idempotent. Throws Timeout, or what `interrupt` throws, when it gives
  // up on an environment that does not return: its thread then goes on alone, with its memory, and
  // the destructor waits no more.
  static constexpr std::chrono::seconds kLastWait{5};  // of a pool that nobody closed
  void close(std::optional<std::chrono::nanoseconds> timeout = {}, const Interrupt& interrupt = {});
  bool closed() const;
  bool given_up() const;  // a close() has thrown Timeout

 private:
  struct Impl;
  Impl& usable() const;
  std::shared_ptr<Impl> impl_;  // shared with the thread that closes it
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_POOL_H_
