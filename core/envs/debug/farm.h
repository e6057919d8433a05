// A group for tests of the group form: its own threads complete requests, out of order.
#ifndef POOLKIT_ENVS_DEBUG_FARM_H_
#define POOLKIT_ENVS_DEBUG_FARM_H_

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "poolkit/group.h"

namespace poolkit::debug {

// Like Counter, for all envs at once, with `threads` threads that take the youngest requests first
// and complete some at a time. Actions: 0 .. 96 count, 97 ends the episode softly, 98 fails, 99
// fails at the next observation. With `inline_completion` submit() itself completes every other
// request. Observation int64[4]: steps since the reset, game, seed of the last seeded reset as
// int64, calls of submit() so far.
class Farm {
 public:
  static std::vector<OptionSpec> options();
  static Spec spec(const Options& options);
  Farm(const Options& options, size_t num_envs, Host host);
  ~Farm();
  Farm(const Farm&) = delete;

  void submit(std::span<const pk_request> requests, std::span<const pk_view> actions);
  void observe(int32_t id, Row row) const;
  void render(int32_t id, Image& image) const;

 private:
  struct Env {
    int64_t count = 0, game = 0, seed = 0;
    bool fails_to_observe = false;
  };
  struct Job {
    pk_request request;
    int64_t action;
  };

  void run();
  // Carries jobs out and completes them; called without the mutex.
  void finish(std::span<const Job> jobs);
  bool advance(const Job& job, pk_transition& out);

  const Host host_;
  const int64_t length_;
  const bool inline_completion_;
  std::vector<Env> envs_;  // each touched only by whoever has its job
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::vector<Job> jobs_;
  int64_t submits_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace poolkit::debug

#endif  // POOLKIT_ENVS_DEBUG_FARM_H_
