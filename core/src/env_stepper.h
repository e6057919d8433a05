// The per-env form: workers, and callers where the envs are light, step envs one by one.
#ifndef POOLKIT_SRC_ENV_STEPPER_H_
#define POOLKIT_SRC_ENV_STEPPER_H_

#include <atomic>
#include <mutex>
#include <vector>

#include "env_runner.h"
#include "queue.h"

namespace poolkit {

class EnvStepper final : public Stepper {
 public:
  // Builds all envs on the workers. Throws EnvError for the first that fails.
  explicit EnvStepper(const PoolParts& parts);
  ~EnvStepper() override;

  void start(std::span<const int32_t> ids, const RowRange& rows) override;
  void seed(int32_t id, const Seed& seed) override;
  int observe(int32_t id, const pk_view& row, pk_error& error) override;
  bool can_render() const override { return api_.render != nullptr; }
  int render(int32_t id, const pk_canvas& canvas, pk_error& error) override;
  bool callers_help() const override { return light_ && !parts_.workers.pinned(); }
  void call_workers() override;
  std::chrono::nanoseconds queue_wait() const override;
  void stop() override;

  bool work() override;
  bool has_work() const override { return !stopped_.load() && !queue_.empty(); }

 private:
  size_t ticket_size(size_t count) const;
  void run(const Ticket& ticket);
  void run_and_measure(const Ticket& ticket);
  void deliver(Piece& piece, size_t first, const RowRange& rows);
  void claim_and_deliver(Piece& piece);

  const PoolParts parts_;
  const pk_env_api& api_;
  EnvRunner runner_;
  const bool light_;
  TicketQueue queue_;
  std::vector<int32_t> next_;  // after an env in a ticket of several
  std::once_flag attached_;    // to the workers
  std::atomic<bool> stopped_{false};
  std::atomic<uint32_t> step_cost_{100};        // of a light env, in ns: a running mean
  std::atomic<uint64_t> waited_{0}, waits_{0};  // of a sample of tickets: ns, and how many
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_ENV_STEPPER_H_
