#include "workers.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <system_error>

#include "cpus.h"
#include "signals.h"
#include "spin.h"

namespace poolkit {
namespace {

void check_allowed(const std::vector<int>& affinity) {
  if (affinity.empty()) return;
#if !defined(__linux__)
  throw std::invalid_argument("affinity: this system binds no thread to a CPU");
#endif
  const std::vector<int> allowed = allowed_cpus();
  for (int cpu : affinity)
    if (std::find(allowed.begin(), allowed.end(), cpu) == allowed.end())
      throw std::invalid_argument("affinity: CPU " + std::to_string(cpu) +
                                  " is not among those that this process may use");
}

#if defined(__linux__)
void pin_to(int cpu) {
  cpu_set_t* set = CPU_ALLOC(cpu + 1);
  if (!set) return;
  const size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  // Best effort: the CPU was allowed a moment ago; if it no longer is, anywhere is right.
  static_cast<void>(sched_setaffinity(0, bytes, set));
  CPU_FREE(set);
}

void name(std::thread& thread, const std::string& text) {
  pthread_setname_np(thread.native_handle(), text.c_str());
}
#else  // macOS pins no thread, and lets each name only itself
void pin_to(int) {}
void name(std::thread&, const std::string&) {}
#endif

// Pieces of work after which a worker looks at the clock, and whether others want it too.
constexpr size_t kShift = 16;

bool soon_has_work(const Source& source) {
  Spin spin;
  do {
    if (source.has_work()) return true;
  } while (spin.again());
  return false;
}

}  // namespace

Workers::Workers(size_t count, const std::vector<int>& affinity) : pinned_(!affinity.empty()) {
  check_allowed(affinity);
  const SignalsBlocked blocked;  // the new threads inherit the mask
  try {
    threads_.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      threads_.emplace_back(&Workers::run, this,
                            affinity.empty() ? -1 : affinity[i % affinity.size()]);
      name(threads_.back(), "poolkit-" + std::to_string(i));
    }
  } catch (const std::system_error& error) {
    const std::string started = std::to_string(threads_.size());
    stop();
    throw std::runtime_error("num_threads: only " + started + " of " + std::to_string(count) +
                             " threads could be started (" + error.what() + ")");
  } catch (...) {
    stop();
    throw;
  }
}

Workers::~Workers() { stop(); }

void Workers::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

void Workers::attach(Source& source) {
  auto entry = std::make_unique<Entry>();
  entry->source = &source;
  std::lock_guard lock(mutex_);
  entries_.push_back(std::move(entry));
  ++sources_;
}

void Workers::detach(Source& source) {
  std::unique_lock lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return entry->source == &source; });
  if (found == entries_.end()) return;
  Entry& entry = **found;
  entry.leaving = true;
  left_.wait(lock, [&] { return entry.users == 0; });
  std::erase_if(entries_, [&](const auto& other) { return other.get() == &entry; });
  --sources_;
}

std::chrono::nanoseconds Workers::busy(const Source& source) const {
  const std::lock_guard lock(mutex_);
  for (const auto& entry : entries_)
    if (entry->source == &source) return std::chrono::nanoseconds(entry->busy.load());
  return {};
}

void Workers::wake(size_t count) {
  // Seq_cst: a worker counts itself as sleeping before its last look at the sources, and work is
  // put there before this call; so one of the two sees the other.
  if (count == 0 || sleeping_.load() == 0) return;
  {
    std::lock_guard lock(mutex_);
    count = std::min(count, sleeping_.load() - wakes_);
    wakes_ += count;
  }
  for (; count > 0; --count) work_.notify_one();
}

void Workers::run(int cpu) {
  if (cpu >= 0) pin_to(cpu);
  Runnable::add(1);
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (serve(lock)) continue;
    sleeping_.fetch_add(1);
    if (std::none_of(entries_.begin(), entries_.end(), [](const auto& entry) {
          return !entry->leaving && entry->source->has_work();
        })) {
      const Blocked blocked;
      work_.wait(lock, [&] { return wakes_ > 0 || stopping_; });
    }
    sleeping_.fetch_sub(1);
    // Also where it did not sleep: whoever called wake() counted on this one.
    if (wakes_ > 0) --wakes_;
  }
  Runnable::add(-1);
}

// The time that a worker is at the work of one source.
class Workers::Shift {
 public:
  explicit Shift(Entry& entry) : entry_(entry) {}
  ~Shift() { note(); }
  Shift(const Shift&) = delete;

  // After a piece of work. Ends now and then where there are other sources, so that none starves.
  bool goes_on(const std::atomic<size_t>& sources) {
    if (++pieces_ % kShift != 0) return true;
    note();
    over_ = sources.load() > 1;
    return !over_;
  }
  bool is_over() const { return over_; }

 private:
  void note() {
    const auto now = std::chrono::steady_clock::now();
    entry_.busy.fetch_add((now - since_).count());
    since_ = now;
  }

  Entry& entry_;
  size_t pieces_ = 0;
  bool over_ = false;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

bool Workers::serve(std::unique_lock<std::mutex>& lock) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [](const auto& entry) {
    return !entry->leaving && entry->source->has_work();
  });
  if (found == entries_.end()) return false;
  Entry& entry = **found;
  ++entry.users;
  lock.unlock();
  do {
    Shift shift(entry);
    while (entry.source->work() && shift.goes_on(sources_)) {
    }
    if (shift.is_over()) break;
  } while (soon_has_work(*entry.source));
  lock.lock();
  --entry.users;
  // Round robin: with several sources none starves behind a busy one.
  std::rotate(entries_.begin(), entries_.begin() + 1, entries_.end());
  if (entry.leaving) left_.notify_all();
  return true;
}

WorkerNodes::WorkerNodes(size_t count, const std::vector<std::vector<int>>& affinity) {
  struct Place {
    size_t node;
    int cpu;
  };
  std::vector<Place> turns;
  size_t rounds = 0;
  for (const auto& cpus : affinity) rounds = std::max(rounds, cpus.size());
  for (size_t round = 0; round < rounds; ++round)
    for (size_t node = 0; node < affinity.size(); ++node)
      if (round < affinity[node].size()) turns.push_back({node, affinity[node][round]});
  if (turns.empty()) {
    nodes_.push_back(std::make_unique<Workers>(count, std::vector<int>()));
    return;
  }
  std::vector<std::vector<int>> chosen(affinity.size());
  for (size_t i = 0; i < count; ++i) {
    const Place& place = turns[i % turns.size()];
    chosen[place.node].push_back(place.cpu);
  }
  for (const auto& cpus : chosen)
    if (!cpus.empty()) nodes_.push_back(std::make_unique<Workers>(cpus.size(), cpus));
}

size_t WorkerNodes::size() const {
  size_t sum = 0;
  for (const auto& node : nodes_) sum += node->size();
  return sum;
}

void WorkerNodes::stop() {
  for (const auto& node : nodes_) node->stop();
}

}  // namespace poolkit
