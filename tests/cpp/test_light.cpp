// Light environments: the caller helps, workers step ranges, and nothing is allocated on the way.
#include <atomic>
#include <cstdlib>
#include <new>
#include <set>
#include <thread>

#include "check.h"
#include "classic/cartpole.h"
#include "cpus.h"
#include "pools.h"

namespace {
std::atomic<size_t> allocations{0};
}

// GCC takes the pair for a mismatch where it inlines only one of them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(size_t bytes) {
  allocations.fetch_add(1);
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace poolkit::tests {
namespace {

using std::vector;
using namespace std::chrono_literals;

// Shows which thread stepped it, as a number that is not 0.
template <bool Light>
class Who {
 public:
  static Spec spec(const Options&) {
    return {
        .observation = {array<int64_t>("", {1})}, .action = {discrete("", 100)}, .light = Light};
  }
  explicit Who(const Options&) {}
  void reset(Reset, Rng&) { seen_ = me(); }
  Transition step(Action action, Rng&) {
    seen_ = me();
    if (action.scalar<int64_t>() == 1) throw std::runtime_error("told to throw");
    return {};
  }
  void observe(Row row) const { row.observation<int64_t>()[0] = seen_; }

  static int64_t me() {
    return static_cast<int64_t>(std::hash<std::thread::id>()(std::this_thread::get_id()) | 1);
  }

 private:
  int64_t seen_ = 0;
};

// The threads that stepped in a few rounds.
template <bool Light>
std::set<int64_t> who(PoolConfig config, std::optional<std::chrono::nanoseconds> timeout = {}) {
  TestPool pool = TestPool::of<Who<Light>>(std::move(config));
  pool.reset_ids(first_ids(pool.config().num_envs));
  std::set<int64_t> seen;
  for (int i = 0; i < 20; ++i) {
    const Rows rows = pool.take(timeout);
    for (int64_t thread : rows.template column<int64_t>(0)) seen.insert(thread);
    pool.send_each(0, rows.ids());
  }
  return seen;
}

TEST(the_caller_steps_light_envs_itself) {
  const std::set<int64_t> me{Who<true>::me()};
  CHECK_EQUAL(who<true>({.num_envs = 8, .batch_size = 8}), me);
  CHECK_EQUAL(who<true>({.num_envs = 8, .batch_size = 2}), me);
}

TEST(the_caller_does_not_help_with_a_timeout) {
  CHECK_EQUAL(who<true>({.num_envs = 8, .batch_size = 8}, 1h).count(Who<true>::me()), 0u);
  CHECK_EQUAL(who<true>({.num_envs = 8, .batch_size = 2}, 1h).count(Who<true>::me()), 0u);
}

TEST(the_caller_does_not_help_with_affinity) {
  const PoolConfig config{
      .num_envs = 8, .batch_size = 8, .num_threads = 2, .affinity = {allowed_cpus()}};
  CHECK_EQUAL(who<true>(config).count(Who<true>::me()), 0u);
}

TEST(the_caller_does_not_help_with_envs_that_are_not_light) {
  CHECK_EQUAL(who<false>({.num_envs = 8, .batch_size = 8}).count(Who<false>::me()), 0u);
}

TEST(large_batches_come_back_whole_from_several_threads) {
  constexpr size_t kEnvs = 5000;
  for (size_t threads : {1, 2, 4}) {
    TestPool pool = TestPool::of<classic::CartPole>(
        {.num_envs = kEnvs, .batch_size = kEnvs, .num_threads = threads});
    pool.reset_all();
    for (int i = 1; i < 8; ++i) {
      const Rows rows = pool.step_all(i % 2);
      CHECK_EQUAL(rows.ids(), first_ids(kEnvs));
      CHECK_EQUAL(rows.elapsed(), vector<int32_t>(kEnvs, i));
    }
  }
}

TEST(asynchronous_ranges_lose_and_repeat_nothing) {
  constexpr size_t kEnvs = 1000;
  TestPool pool = TestPool::of<classic::CartPole>(
      {.num_envs = kEnvs, .batch_size = 100, .num_threads = 3, .max_episode_steps = 1000000});
  vector<int32_t> order = first_ids(kEnvs);
  std::ranges::reverse(order);
  pool.reset_ids(order);
  vector<int32_t> elapsed(kEnvs, 0);
  for (int i = 0; i < 300; ++i) {
    const Rows rows = pool.take();
    CHECK_EQUAL(rows.size(), 100u);
    for (size_t k = 0; k < rows.size(); ++k) {
      int32_t& last = elapsed[static_cast<size_t>(rows.ids()[k])];
      CHECK(rows.elapsed()[k] == last);
      last = rows.terminated()[k] ? 0 : last + 1;
    }
    pool.send_each(i % 2, rows.ids());
  }
}

TEST(errors_inside_a_range_keep_the_others) {
  for (size_t batch : {200, 50}) {
    TestPool pool = TestPool::of<Who<true>>({.num_envs = 200, .batch_size = batch});
    pool.reset_ids(first_ids(200));
    pool.drain({});
    vector<int64_t> actions(200, 0);
    actions[7] = actions[120] = 1;
    pool.send_all(actions, first_ids(200));
    vector<int32_t> failed, seen;
    while (pool.pending() > 0) {
      try {
        for (int32_t id : pool.take().ids()) seen.push_back(id);
      } catch (const EnvError& e) {
        failed.push_back(e.env_id);
      }
    }
    CHECK_EQUAL(failed, (vector<int32_t>{7, 120}));
    CHECK_EQUAL(seen.size(), 198u);
    std::ranges::sort(seen);
    CHECK(std::ranges::adjacent_find(seen) == seen.end());
  }
}

TEST(the_steady_state_allocates_no_more_than_the_list_of_a_batch) {
  for (size_t batch : {64, 16}) {
    TestPool pool = TestPool::of<classic::CartPole>(
        {.num_envs = 64, .batch_size = batch, .num_threads = 2, .max_episode_steps = 20});
    const vector<int64_t> actions(64, 1);
    const void* column = actions.data();
    const size_t ids = pool.layout().first_engine + Layout::env_id;
    pool.reset_ids(first_ids(64));
    const auto rounds = [&](int n) {
      for (int i = 0; i < n; ++i) {
        const Batch rows = pool.recv({}, {});
        pool.send({&column, 1}, {static_cast<const int32_t*>(rows.columns[ids].data()), rows.rows});
      }
    };
    // More where more batches are open at once than ever before, which comes to an end.
    size_t allocated = 0;
    for (int tries = 0; tries < 20; ++tries) {
      const size_t before = allocations.load();
      rounds(100);
      allocated = allocations.load() - before;
      if (allocated <= 110) break;
    }
    CHECK(allocated <= 110u);
  }
}

}  // namespace
}  // namespace poolkit::tests
