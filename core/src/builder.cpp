#include "builder.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace poolkit {
namespace {

class Builder {
 public:
  explicit Builder(EnvRunner& runner) : runner_(runner) {}

  void build(size_t at) {
    pk_error error{};
    const auto id = static_cast<int32_t>(at);
    const bool failed = !runner_.create(id, error);
    const std::lock_guard lock(mutex_);
    if (failed && (!first_ || id < first_->id)) {
      // Those below are still built: which failure is the first does not depend on time.
      end_.store(at);
      first_ = Failure{id, error.message};
    }
    progress_.notify_all();
  }

  // Ids from here on are not built.
  size_t end() const { return end_.load(); }

  void wait_until(auto done) {
    std::unique_lock lock(mutex_);
    progress_.wait(lock, done);
  }

  // Once no worker is in it any more.
  const std::optional<Failure>& first_failure() const { return first_; }

 private:
  EnvRunner& runner_;
  std::atomic<size_t> end_{SIZE_MAX};
  std::mutex mutex_;
  std::condition_variable progress_;
  std::optional<Failure> first_;
};

// Envs of one home, each built by the worker that happens to take it.
class Site final : public Source {
 public:
  Site(Builder& builder, const Home& home)
      : builder_(builder), workers_(home.workers), last_(home.end), next_(home.first) {
    workers_.attach(*this);
    workers_.wake(workers_.size());
  }
  ~Site() override { workers_.detach(*this); }

  bool work() override {
    const size_t at = next_.fetch_add(1);
    if (at >= end()) return false;
    builder_.build(at);
    return true;
  }
  bool has_work() const override { return next_.load() < end(); }

 private:
  size_t end() const { return std::min(last_, builder_.end()); }

  Builder& builder_;
  Workers& workers_;
  const size_t last_;
  std::atomic<size_t> next_;
};

}  // namespace

void build_envs(EnvRunner& runner, std::span<const Home> homes) {
  Builder builder(runner);
  std::vector<std::unique_ptr<Site>> sites;
  for (const Home& home : homes) sites.push_back(std::make_unique<Site>(builder, home));
  builder.wait_until([&] {
    return std::none_of(sites.begin(), sites.end(),
                        [](const auto& site) { return site->has_work(); });
  });
  sites.clear();  // waits for what is being built
  if (const auto& failure = builder.first_failure()) throw EnvError(failure->id, failure->message);
}

}  // namespace poolkit
