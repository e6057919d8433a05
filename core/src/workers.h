// The threads that step environments. They know nothing of pools: they take work from sources.
#ifndef POOLKIT_SRC_WORKERS_H_
#define POOLKIT_SRC_WORKERS_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

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

  void attach(Source& source);
  // Returns when no worker is in `source` any more.
  void detach(Source& source);

  // Wakes up to `count` sleeping workers. Cheap when nobody sleeps.
  void wake(size_t count);

  // Joins the threads. Idempotent.
  void stop();

 private:
  struct Entry {
    Source* source;
    size_t users = 0;  // workers that are in it
    bool leaving = false;
  };

  void run(int cpu);
  // Works for one source for as long as it has work. False where none has; `lock` is held again.
  bool serve(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable work_;  // sleeping workers wait here, detach() at `left_`
  std::condition_variable left_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::atomic<size_t> sleeping_{0};
  size_t wakes_ = 0;  // that no sleeper has taken yet
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_WORKERS_H_
