// Asynchronous pools: the first batch_size results of num_envs, nothing lost, nothing repeated.
#include <atomic>
#include <set>
#include <thread>

#include "check.h"
#include "debug/counter.h"
#include "debug/slow.h"
#include "gate.h"
#include "pools.h"

namespace poolkit::tests {
namespace {

using debug::Counter;
using debug::Slow;
using std::vector;
using namespace std::chrono_literals;

TestPool counters(size_t n, size_t batch, size_t threads = 2) {
  return TestPool::of<Counter>({.num_envs = n, .batch_size = batch, .num_threads = threads},
                               {{"length", int64_t{1000000}}});
}

TEST(every_env_comes_once_for_each_send) {
  TestPool pool = counters(10, 4);
  pool.reset_ids(first_ids(10));
  vector<int64_t> steps(10, -1);
  for (int i = 0; i < 500; ++i) {
    const Rows rows = pool.take();
    CHECK_EQUAL(rows.size(), 4u);
    const vector<int32_t> ids = rows.ids();
    for (size_t k = 0; k < ids.size(); ++k) {
      const auto id = static_cast<size_t>(ids[k]);
      CHECK_EQUAL(rows.column<int64_t>(0, 0)[k], ++steps[id]);
      if (steps[id] > 0) CHECK_EQUAL(rows.reward()[k], static_cast<float>(id + 1));
    }
    vector<int64_t> actions;
    for (int32_t id : ids) actions.push_back(id + 1);
    pool.send_all(actions, ids);
    CHECK_EQUAL(pool.pending(), 10u);
  }
}

TEST(the_last_batch_is_as_small_as_what_is_pending) {
  TestPool pool = counters(10, 4);
  pool.reset_ids(first_ids(10));
  CHECK_EQUAL(pool.take().size(), 4u);
  CHECK_EQUAL(pool.take().size(), 4u);
  CHECK_EQUAL(pool.take().size(), 2u);
  CHECK_EQUAL(pool.pending(), 0u);
  CHECK_THROWS(UsageError, "nothing is pending", pool.take());
}

TEST(a_batch_can_be_gathered_from_small_sends) {
  TestPool pool = counters(6, 3);
  pool.reset_ids({5});
  pool.reset_ids({1});
  pool.reset_ids({3});
  pool.reset_ids({0});
  vector<int32_t> ids = pool.take().ids();
  CHECK_EQUAL(ids.size(), 3u);
  const vector<int32_t> rest = pool.take().ids();
  ids.insert(ids.end(), rest.begin(), rest.end());
  std::ranges::sort(ids);
  CHECK_EQUAL(ids, (vector<int32_t>{0, 1, 3, 5}));
}

TEST(a_slow_env_holds_no_row) {
  const Gate gate;
  TestPool pool = TestPool::of<Slow>({.num_envs = 5, .batch_size = 2, .num_threads = 2},
                                     {{"gate", gate.path()}});
  pool.reset_ids(first_ids(5));
  for (int left = 5; left > 0; left -= 2) pool.take();
  pool.send_all({1, 0, 0, 0, 0}, first_ids(5));
  for (int i = 0; i < 10; ++i) {
    const vector<int32_t> ids = pool.take().ids();
    CHECK_EQUAL(ids.size(), 2u);
    CHECK_EQUAL(std::ranges::count(ids, 0), 0);
    pool.send_each(0, ids);
  }
  gate.open();
  std::set<int32_t> seen;
  while (pool.pending() > 0)
    for (int32_t id : pool.take().ids()) seen.insert(id);
  CHECK_EQUAL(seen.size(), 5u);
}

TEST(a_timeout_loses_nothing) {
  const Gate gate;
  TestPool pool = TestPool::of<Slow>({.num_envs = 4, .batch_size = 2, .num_threads = 2},
                                     {{"gate", gate.path()}});
  pool.reset_ids(first_ids(4));
  pool.take();
  pool.take();
  pool.send_all({1, 0}, {0, 1});
  CHECK_THROWS(Timeout, "before the timeout", pool.take(1ms));
  CHECK_THROWS(Timeout, "before the timeout", pool.take(0ms));
  CHECK_EQUAL(pool.pending(), 2u);
  pool.send_all({0, 0}, {2, 3});  // an impatient receiver has limited no batch
  CHECK_EQUAL(pool.take().size(), 2u);
  gate.open();
  CHECK_EQUAL(pool.take().size(), 2u);
  CHECK_EQUAL(pool.pending(), 0u);
}

TEST(results_that_waited_for_an_impatient_receiver_are_gathered) {
  const Gate gate;
  TestPool pool = TestPool::of<Slow>({.num_envs = 4, .batch_size = 4, .num_threads = 2},
                                     {{"gate", gate.path()}});
  pool.reset_all();
  pool.send_each(1, {0});
  // While a receiver waits for env 0, its batch is closed to env 3, which goes to another.
  bool sent = false;
  const auto send_meanwhile = [&] {
    if (!sent) pool.send_each(0, {3});
    sent = true;
  };
  while (!sent) CHECK_THROWS(Timeout, "before the timeout", pool.recv(200ms, send_meanwhile));
  gate.open();
  const Rows rows = pool.take();
  CHECK_EQUAL(rows.ids(), (vector<int32_t>{0, 3}));
  CHECK_EQUAL(rows.column<int64_t>(0, 0), (vector<int64_t>{1, 1}));
  CHECK_EQUAL(pool.pending(), 0u);
}

TEST(recv_wants_what_was_pending_at_its_start) {
  const Gate gate;
  TestPool pool = TestPool::of<Slow>({.num_envs = 4, .batch_size = 3, .num_threads = 2},
                                     {{"gate", gate.path()}});
  pool.reset_ids(first_ids(4));
  pool.take();
  pool.take();
  pool.send_each(1, {0});
  bool sent = false;
  const auto send_meanwhile = [&] {
    if (!sent) pool.send_each(0, {1, 2, 3});
    sent = true;
    gate.open();
  };
  const size_t rows = pool.recv({}, send_meanwhile).rows;
  CHECK_EQUAL(rows, 1u);
  CHECK_EQUAL(pool.pending(), 3u);
  CHECK_EQUAL(pool.take().size(), 3u);
}

TEST(an_interrupt_ends_the_wait_and_loses_nothing) {
  const Gate gate;
  TestPool pool = TestPool::of<Slow>({.num_envs = 2, .batch_size = 1, .num_threads = 1},
                                     {{"gate", gate.path()}});
  pool.reset_ids(first_ids(2));
  pool.take();
  pool.take();
  pool.send_each(1, {0});
  struct Stop {};
  bool stopped = false;
  try {
    pool.recv({}, [] { throw Stop(); });
  } catch (const Stop&) {
    stopped = true;
  }
  CHECK(stopped);
  gate.open();
  CHECK_EQUAL(pool.take().ids(), (vector<int32_t>{0}));
}

TEST(drain_drops_what_is_pending) {
  TestPool pool = counters(9, 2);
  pool.reset_ids(first_ids(9));
  pool.drain({});
  CHECK_EQUAL(pool.pending(), 0u);
  pool.send_each(1, first_ids(9));
  pool.drain({});
  pool.send_each(1, {4});
  CHECK_EQUAL(pool.take().column<int64_t>(0, 0), (vector<int64_t>{2}));
}

TEST(one_thread_sends_while_another_receives) {
  constexpr size_t kEnvs = 16;
  TestPool pool = counters(kEnvs, 3);
  pool.reset_ids(first_ids(kEnvs));
  // The receiver passes each env on, through flags that the sender takes.
  vector<std::atomic<bool>> free(kEnvs);
  std::atomic<bool> done{false};
  std::thread sender([&] {
    while (!done.load()) {
      vector<int32_t> ids;
      for (size_t i = 0; i < kEnvs; ++i)
        if (free[i].exchange(false)) ids.push_back(static_cast<int32_t>(i));
      if (ids.empty())
        std::this_thread::yield();
      else
        pool.send_each(1, ids);
    }
  });
  vector<int64_t> steps(kEnvs, -1);
  std::string wrong;
  for (int received = 0; received < 3000;) {
    if (pool.pending() == 0) {
      std::this_thread::yield();
      continue;
    }
    const Rows rows = pool.take();
    const vector<int32_t> ids = rows.ids();
    for (size_t k = 0; k < ids.size(); ++k, ++received) {
      const auto id = static_cast<size_t>(ids[k]);
      if (rows.column<int64_t>(0, 0)[k] != ++steps[id]) wrong = "a result was lost or repeated";
      free[id].store(true);
    }
  }
  done.store(true);
  sender.join();
  CHECK_EQUAL(wrong, "");
}

TEST(two_receivers_take_turns) {
  constexpr int kRounds = 300;
  TestPool pool = counters(8, 2);
  std::atomic<int> received{0};
  vector<std::atomic<int>> count(8);
  pool.reset_ids(first_ids(8));
  const auto receive = [&] {
    for (int i = 0; i < kRounds; ++i) {
      const vector<int32_t> ids = pool.take().ids();
      for (int32_t id : ids) ++count[static_cast<size_t>(id)];
      received += static_cast<int>(ids.size());
      pool.send_each(1, ids);
    }
  };
  std::thread other(receive);
  receive();
  other.join();
  pool.drain({});
  CHECK_EQUAL(received.load(), 2 * 2 * kRounds);
  pool.send_each(1, first_ids(8));
  for (int left = 8; left > 0;) {
    const Rows rows = pool.take();
    for (size_t k = 0; k < rows.size(); ++k, --left)
      CHECK_EQUAL(rows.column<int64_t>(0, 0)[k], count[static_cast<size_t>(rows.ids()[k])] + 1);
  }
}

TEST(trajectories_do_not_depend_on_the_batch_size) {
  const auto run = [](size_t batch, size_t threads) {
    TestPool pool = TestPool::of<Counter>(
        {.num_envs = 6, .batch_size = batch, .num_threads = threads, .max_episode_steps = 7});
    std::map<int32_t, vector<int64_t>> drawn;
    pool.reset_ids(first_ids(6));
    const auto unfinished = [&] {
      return std::ranges::any_of(first_ids(6), [&](int32_t id) { return drawn[id].size() < 40; });
    };
    while (unfinished()) {
      const Rows rows = pool.take();
      vector<int64_t> actions;
      for (size_t k = 0; k < rows.size(); ++k) {
        vector<int64_t>& env = drawn[rows.ids()[k]];
        env.push_back(rows.column<int64_t>(0, 2)[k]);
        actions.push_back(static_cast<int64_t>(env.size()) % 5);
      }
      pool.send_all(actions, rows.ids());
    }
    for (auto& [id, values] : drawn) values.resize(40);
    return drawn;
  };
  CHECK(run(6, 1) == run(1, 2));
  CHECK(run(6, 1) == run(4, 3));
}

}  // namespace
}  // namespace poolkit::tests
