// Carries requests out: what was asked of envs becomes rows of batches, or failures.
#ifndef POOLKIT_SRC_STEPPER_H_
#define POOLKIT_SRC_STEPPER_H_

#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "collector.h"
#include "poolkit/rng.h"
#include "roster.h"
#include "workers.h"

namespace poolkit {

// What a stepper works with; all of it outlives the stepper.
struct PoolParts {
  const EnvType& type;
  const PoolConfig& config;
  Roster& roster;
  Collector& collector;
  Finals* finals;  // null unless autoreset is same_step
  WorkerNodes& workers;
};

class Stepper {
 public:
  virtual ~Stepper() = default;

  // What the pool has admitted: starts it, and does not wait for it. `rows` in lock-step.
  virtual void start(std::span<const int32_t> ids, const RowRange& rows) = 0;

  virtual void seed(int32_t id, const Seed& seed) = 0;
  // Writes the env's observation and info to `row`.
  virtual int observe(int32_t id, const pk_view& row, pk_error& error) = 0;
  // The env's picture, through `canvas`.
  virtual bool can_render() const = 0;
  virtual int render(int32_t id, const pk_canvas& canvas, pk_error& error) = 0;

  // What callers may do while they wait; null: nothing. One whose time is limited must not run
  // environment code.
  virtual Source* helper(bool limited) = 0;
  // For a caller that waits and does not help: sees to it that workers do what is queued.
  virtual void call_workers() = 0;

  // Between start() and the work, on average.
  virtual std::chrono::nanoseconds queue_wait() const = 0;
  // Workers, all together.
  virtual std::chrono::nanoseconds busy() const = 0;

  // Drops the work that is left, waits for what is being done, and destroys the envs. Idempotent.
  // No caller may be in helper() or render() any more; start() does nothing from now on.
  virtual void stop() = 0;
};

SeedSequence sequence_of(const Seed& seed);

std::unique_ptr<Stepper> make_env_stepper(const PoolParts& parts);
std::unique_ptr<Stepper> make_group_stepper(const PoolParts& parts);

}  // namespace poolkit

#endif  // POOLKIT_SRC_STEPPER_H_
