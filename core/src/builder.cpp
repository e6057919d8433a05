#include "builder.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace poolkit {
namespace {

// Each env is built by the worker that happens to take it.
class Builder final : public Source {
 public:
  Builder(EnvRunner& runner, size_t count) : runner_(runner), total_(count) {}

  bool work() override {
    const size_t at = next_.fetch_add(1);
    if (at >= total_) return false;
    pk_error error{};
    const auto id = static_cast<int32_t>(at);
    const bool failed = !runner_.create(id, error);
    std::lock_guard lock(mutex_);
    if (failed) {
      // Envs are taken by id, so all below this one are built or being built: which failure is the
      // first does not depend on time.
      next_.store(total_);
      if (!first_ || id < first_->id) first_ = Failure{id, error.message};
    }
    ++built_;
    progress_.notify_all();
    return true;
  }
  bool has_work() const override { return next_.load() < total_; }

  // Once no worker is in it any more.
  const std::optional<Failure>& first_failure() const { return first_; }

  void wait() {
    std::unique_lock lock(mutex_);
    progress_.wait(lock, [&] { return first_ || built_ == total_; });
  }

 private:
  EnvRunner& runner_;
  const size_t total_;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable progress_;
  size_t built_ = 0;
  std::optional<Failure> first_;
};

}  // namespace

void build_envs(EnvRunner& runner, Workers& workers, size_t count) {
  Builder builder(runner, count);
  workers.attach(builder);
  workers.wake(workers.size());
  builder.wait();
  workers.detach(builder);
  if (const auto& failure = builder.first_failure()) throw EnvError(failure->id, failure->message);
}

}  // namespace poolkit
