// The per-env form: workers, and callers where the envs are light, step envs one by one.
//
// An env lives on one NUMA node: its workers build it and step it, and are the first to touch the
// rows of batches that it writes. Neighbours live together, so that pages of a batch in lock-step
// do.
#ifndef POOLKIT_SRC_ENV_STEPPER_H_
#define POOLKIT_SRC_ENV_STEPPER_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "builder.h"
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
  Source* helper(bool limited = false) override;
  void call_workers() override;
  std::chrono::nanoseconds queue_wait() const override;
  std::chrono::nanoseconds busy() const override;
  void stop() override;

 private:
  // The work of one node's envs.
  struct Lane final : Source {
    Lane(EnvStepper& stepper, const Home& home)
        : stepper(stepper), home(home), queue(home.end - home.first) {}
    bool work() override;
    bool has_work() const override { return !stepper.stopped_.load() && !queue.empty(); }

    EnvStepper& stepper;
    const Home home;
    TicketQueue queue;
  };

  static std::vector<Home> homes_of(const PoolParts& parts);
  Lane& lane_of(int32_t id);
  void start_in(Lane& lane, std::span<const int32_t> ids, const RowRange& rows);
  size_t ticket_size(size_t count) const;
  void run(const Ticket& ticket);
  void run_and_measure(const Ticket& ticket);
  void deliver(Piece& piece, size_t first, const RowRange& rows);
  void claim_and_deliver(Piece& piece);

  const PoolParts parts_;
  const pk_env_api& api_;
  EnvRunner runner_;
  const bool light_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<int32_t> next_;  // after an env in a ticket of several
  std::once_flag attached_;    // to the workers
  std::atomic<bool> stopped_{false};
  std::atomic<uint32_t> step_cost_{100};        // of a light env, in ns: a running mean
  std::atomic<uint64_t> waited_{0}, waits_{0};  // of a sample of tickets: ns, and how many
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_ENV_STEPPER_H_
