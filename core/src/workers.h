// The threads that step environments. They know nothing of pools: they take work from sources.
#ifndef POOLKIT_SRC_WORKERS_H_
#define POOLKIT_SRC_WORKERS_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "fork.h"

namespace poolkit {

// Something that has work now and then. Both are called by many threads at once.
class Source {
 public:
  virtual ~Source() = default;
  // Does one piece of work; false where there is none.
  virtual bool work() = 0;
  // Whether work() would find some. Seq_cst with respect to what put it there.
  virtual bool has_work() const = 0;
};

class Workers {
 public:
  // Worker i runs on CPU affinity[i % size]; empty: anywhere. Throws std::invalid_argument for a
  // CPU that this process may not use.
  Workers(size_t count, const std::vector<int>& affinity);
  ~Workers();
  Workers(const Workers&) = delete;

  size_t size() const { return threads_.size(); }
  bool pinned() const { return pinned_; }
  // In a forked child they are not there: it may neither use nor destroy this.
  bool forked() const { return generation_ != fork_generation(); }

  void attach(Source& source);
  // Returns when no worker is in `source` any more.
  void detach(Source& source);

  // How long workers have been at `source`'s work, all together. Lags by a few pieces of work.
  std::chrono::nanoseconds busy(const Source& source) const;

  // Wakes up to `count` sleeping workers. Cheap when nobody sleeps.
  void wake(size_t count);

  // Joins the threads. Idempotent.
  void stop();

 private:
  struct Entry {
    Source* source;
    size_t users = 0;  // workers that are in it
    bool leaving = false;
    std::atomic<int64_t> busy{0};  // ns
  };
  class Shift;

  void run(int cpu);
  // Works for one source for as long as it has work. False where none has; `lock` is held again.
  bool serve(std::unique_lock<std::mutex>& lock);

  const bool pinned_;
  const uint32_t generation_ = fork_generation();
  mutable std::mutex mutex_;
  std::condition_variable work_;  // sleeping workers wait here, detach() at `left_`
  std::condition_variable left_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::atomic<size_t> sources_{0};
  std::atomic<size_t> sleeping_{0};
  size_t wakes_ = 0;  // that no sleeper has taken yet
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

// The workers of each NUMA node apart: whoever has work for a node gives it to those. Without NUMA
// there is one node.
class WorkerNodes {
 public:
  // `affinity` has the CPUs of each node. Workers take nodes in turn, and of each one CPU after
  // another; empty: one node, and they run anywhere. Throws as Workers().
  WorkerNodes(size_t count, const std::vector<std::vector<int>>& affinity);
  WorkerNodes(const WorkerNodes&) = delete;

  // Those nodes that have workers.
  const std::vector<std::unique_ptr<Workers>>& nodes() const { return nodes_; }
  size_t size() const;  // workers in all
  bool pinned() const { return nodes_.front()->pinned(); }
  bool forked() const { return nodes_.front()->forked(); }
  void stop();

 private:
  std::vector<std::unique_ptr<Workers>> nodes_;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_WORKERS_H_
