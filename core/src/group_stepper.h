// The group form: requests are submitted many at once, and completed by threads of the group's own.
#ifndef POOLKIT_SRC_GROUP_STEPPER_H_
#define POOLKIT_SRC_GROUP_STEPPER_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "stepper.h"

namespace poolkit {

// Calls of submit() never overlap, and no lock is held during one: requests queue up in `waiting_`,
// and whoever finds nobody at it submits them, round after round. The resets of same-step
// autoreset are submitted by a worker, not from inside the group's call of complete(): the group
// may hold a lock there that its submit() takes.
class GroupStepper final : public Stepper, private Source {
 public:
  // Throws EnvError if the group cannot be built.
  explicit GroupStepper(const PoolParts& parts);
  ~GroupStepper() override;

  void start(std::span<const int32_t> ids, const RowRange& rows) override;
  void seed(int32_t id, const Seed& seed) override;
  int observe(int32_t id, const pk_view& row, pk_error& error) override;
  bool can_render() const override { return api_.group_render != nullptr; }
  int render(int32_t id, const pk_canvas& canvas, pk_error& error) override;
  Source* helper(bool) override { return polls_ ? &poller_ : nullptr; }
  void call_workers() override {}  // the group has threads of its own
  std::chrono::nanoseconds queue_wait() const override { return {}; }  // it has no queue
  std::chrono::nanoseconds busy() const override { return worker().busy(*this); }
  void stop() override;

 private:
  // For callers that wait, where the group can be polled.
  struct Poller final : Source {
    explicit Poller(GroupStepper& stepper) : stepper(stepper) {}
    bool work() override { return stepper.poll(); }
    bool has_work() const override { return false; }
    GroupStepper& stepper;
  };

  bool work() override;
  bool has_work() const override { return resets_wait_.load(); }
  bool poll();
  Workers& worker() const { return *parts_.workers.nodes().front(); }

  // What is known of an env while the group has its request.
  struct Errand {
    std::atomic<bool> out{false};  // the group owes its completion
    RowRange row;                  // in lock-step
    Outcome outcome;
    uint64_t seed = 0;  // for its next seeded reset
  };

  pk_request request_for(int32_t id);
  void submit_waiting();
  void submit(const std::vector<pk_request>& requests);
  void completed(std::span<const int32_t> ids, const pk_transition* transitions);
  void failed(int32_t id, const char* message);
  bool take_back(int32_t id);
  bool ready(int32_t id, const pk_transition& transition);
  void deliver(std::span<const int32_t> ids);
  void deliver_in_lock_step(std::span<const int32_t> ids);
  void write(int32_t id, const RowRange& row, std::vector<Failure>& failures);
  Failure break_env(int32_t id, const char* message);
  void fail(int32_t id, const char* message);

  const PoolParts parts_;
  const pk_env_api& api_;
  const bool polls_;
  Poller poller_{*this};
  pk_host host_;
  void* group_ = nullptr;
  std::vector<Errand> errands_;
  std::atomic<bool> stopped_{false};
  std::atomic<bool> resets_wait_{false};  // for a worker

  std::mutex mutex_;  // of what follows
  bool submitting_ = false;
  std::vector<pk_request> waiting_;

  // Of the thread that submits.
  std::vector<pk_request> round_;
  std::vector<pk_view> views_;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_GROUP_STEPPER_H_
