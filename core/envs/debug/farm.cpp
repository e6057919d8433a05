#include "farm.h"

#include <algorithm>
#include <stdexcept>

namespace poolkit::debug {

std::vector<OptionSpec> Farm::options() {
  return {option::integer("length", 10, "Steps until the end."),
          option::integer("threads", 2, "Threads of the group."),
          option::flag("inline_completion", false, "Complete in submit() too."),
          option::flag("constructor_fails", false, "Throw in the constructor.")};
}

Spec Farm::spec(const Options&) {
  return {.observation = {array<int64_t>("", {4})}, .action = {discrete("", 100)}};
}

Farm::Farm(const Options& options, size_t num_envs, Host host)
    : host_(host),
      length_(options.integer("length")),
      inline_completion_(options.flag("inline_completion")),
      envs_(num_envs) {
  if (options.flag("constructor_fails")) throw std::runtime_error("told to throw");
  for (int64_t i = options.integer_in("threads", 1, 64); i > 0; --i)
    threads_.emplace_back(&Farm::run, this);
}

Farm::~Farm() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Farm::submit(std::span<const pk_request> requests, std::span<const pk_view> actions) {
  std::vector<Job> now;
  {
    const std::lock_guard lock(mutex_);
    ++submits_;
    for (size_t i = 0; i < requests.size(); ++i) {
      const bool steps = requests[i].is_step != 0;
      const Job job{requests[i], steps ? Action(actions[i]).scalar<int64_t>() : 0};
      (inline_completion_ && i % 2 == 0 ? now : jobs_).push_back(job);
    }
  }
  work_.notify_all();
  finish(now);
}

void Farm::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    const size_t n = std::min<size_t>(3, jobs_.size());
    const std::vector<Job> taken(jobs_.end() - static_cast<std::ptrdiff_t>(n), jobs_.end());
    jobs_.resize(jobs_.size() - n);
    lock.unlock();
    finish(taken);
    lock.lock();
  }
}

void Farm::finish(std::span<const Job> jobs) {
  std::vector<int32_t> ids;
  std::vector<pk_transition> transitions;
  for (const Job& job : jobs) {
    pk_transition transition{};
    if (!advance(job, transition)) {
      host_.fail(job.request.id, "told to fail");
      continue;
    }
    ids.push_back(job.request.id);
    transitions.push_back(transition);
  }
  if (!ids.empty()) host_.complete(ids, transitions);
}

bool Farm::advance(const Job& job, pk_transition& out) {
  Env& env = envs_[static_cast<size_t>(job.request.id)];
  env.fails_to_observe = false;
  if (!job.request.is_step) {
    if (job.request.reset == PK_RESET_SEEDED) env.seed = static_cast<int64_t>(job.request.seed);
    if (job.request.reset != PK_RESET_CONTINUE) ++env.game;
    env.count = 0;
    return true;
  }
  if (job.action == 98) return false;
  env.fails_to_observe = job.action == 99;
  ++env.count;
  out.reward = out.raw_reward = static_cast<double>(job.action);
  out.soft_end = job.action == 97;
  out.terminated = env.count >= length_ || out.soft_end;
  return true;
}

void Farm::observe(int32_t id, Row row) const {
  const Env& env = envs_[static_cast<size_t>(id)];
  if (env.fails_to_observe) throw std::runtime_error("told to fail to observe");
  const std::lock_guard lock(mutex_);
  const int64_t values[] = {env.count, env.game, env.seed, submits_};
  std::ranges::copy(values, row.observation<int64_t>().begin());
}

void Farm::render(int32_t id, Image& image) const {
  std::ranges::fill(image.resize(1, 1), static_cast<uint8_t>(envs_[static_cast<size_t>(id)].count));
}

}  // namespace poolkit::debug
