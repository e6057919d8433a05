// The end of a pool: closed while busy, while somebody waits, in a forked child.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
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

TestPool counters(size_t n, size_t batch) {
  return TestPool::of<Counter>({.num_envs = n, .batch_size = batch, .num_threads = 2});
}

TEST(everything_is_refused_after_close) {
  TestPool pool = counters(2, 2);
  pool.reset_all();
  CHECK(!pool.closed());
  pool.close();
  pool.close();
  CHECK(pool.closed());
  CHECK_THROWS(UsageError, "closed", pool.send_each(1, {0}));
  CHECK_THROWS(UsageError, "closed", pool.reset_ids({0}));
  CHECK_THROWS(UsageError, "closed", pool.take());
  CHECK_THROWS(UsageError, "closed", pool.render(0));
  CHECK_THROWS(UsageError, "closed", pool.save(0));
  CHECK_THROWS(UsageError, "closed", pool.load(0, {}));
}

TEST(close_drops_pending_work) {
  for (int i = 0; i < 50; ++i) {
    TestPool pool = counters(40, 8);
    pool.reset_ids(first_ids(40));
    if (i % 2) pool.send_each(1, pool.take().ids());
    if (i % 3) pool.close();
  }
}

TEST(close_ends_the_wait_of_a_receiver) {
  const Gate gate;
  TestPool pool = TestPool::of<Slow>({.num_envs = 1, .batch_size = 1}, {{"gate", gate.path()}});
  pool.reset_all();
  pool.send_each(1, {0});
  std::atomic<bool> waits{false};
  std::string message;
  std::thread receiver([&] {
    try {
      pool.recv({}, [&] { waits.store(true); });
    } catch (const UsageError& e) {
      message = e.what();
    }
  });
  while (!waits.load()) std::this_thread::yield();
  std::thread closer([&] { pool.close(); });
  receiver.join();  // though the env is still in its step
  gate.open();
  closer.join();
  CHECK_EQUAL(message, "the pool is closed");
}

TEST(close_from_an_interrupt_handler_ends_the_wait) {
  const Gate gate;
  TestPool pool = TestPool::of<Slow>({.num_envs = 1, .batch_size = 1}, {{"gate", gate.path()}});
  pool.reset_all();
  pool.send_each(1, {0});
  CHECK_THROWS(UsageError, "closed", pool.recv({}, [&] {
    gate.open();
    pool.close();
  }));
}

size_t threads() {
  size_t n = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    ++n;
  return n;
}

TEST(close_gives_up_on_an_env_that_does_not_return) {
  const Gate gate;
  const size_t before = threads();
  {
    TestPool pool = TestPool::of<Slow>({.num_envs = 2, .batch_size = 2, .num_threads = 2},
                                       {{"gate", gate.path()}});
    pool.reset_all();
    pool.send_all({0, 1}, {0, 1});
    gate.await_waiter();
    CHECK(!pool.given_up());
    for (int i = 0; i < 2; ++i)
      CHECK_THROWS(Timeout, "does not return", pool.close(std::chrono::milliseconds(5)));
    CHECK(pool.closed() && pool.given_up());
    CHECK_EQUAL(pool.pending(), 0u);
    CHECK_THROWS(UsageError, "closed", pool.take());
  }
  // The pool is gone, and what the env uses is not: it ends when the env returns.
  CHECK(threads() > before);
  gate.open();
  while (threads() > before) std::this_thread::yield();
}

TEST(an_interrupt_ends_the_building_of_a_pool) {
  const Gate gate;
  const size_t before = threads();
  struct Interrupted {};
  bool ended = false;
  try {
    Pool(type_of<Slow>({{"gate", gate.path()}, {"gated_constructor", true}}), {},
         [] { throw Interrupted(); });
  } catch (const Interrupted&) {
    ended = true;
  }
  CHECK(ended && threads() > before);
  gate.open();
  while (threads() > before) std::this_thread::yield();
}

TEST(a_closed_pool_leaves_no_thread) {
  const size_t before = threads();
  TestPool pool = counters(4, 2);
  CHECK_EQUAL(threads(), before + 2);
  pool.close();
  // The kernel takes a joined thread off the list a little later than join() returns.
  while (threads() > before) std::this_thread::yield();
}

TEST(workers_are_named) {
  TestPool pool = counters(4, 2);
  vector<std::string> names;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (name.starts_with("poolkit-")) names.push_back(name);
  }
  std::ranges::sort(names);
  CHECK_EQUAL(names, (vector<std::string>{"poolkit-0", "poolkit-1"}));
}

#if !defined(__SANITIZE_THREAD__)  // which does not follow a fork of several threads

// The exit status of `body` in a forked child; the child ends as a program does.
int in_child(const auto& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a child that hangs is a failure, not a hang of the test
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(a_forked_child_may_not_use_the_pool_but_drop_it) {
  std::optional<TestPool> pool;
  pool.emplace(type_of<Counter>(), PoolConfig{.num_envs = 8, .batch_size = 4, .num_threads = 2});
  pool->reset_ids(first_ids(8));
  std::optional<Rows> rows = pool->take();
  for (int i = 0; i < 20; ++i) {
    pool->send_each(1, rows->ids());
    CHECK_EQUAL(in_child([&] {
                  bool refused = false;
                  try {
                    pool->take();
                  } catch (const UsageError& e) {
                    refused = std::string(e.what()).find("forked") != std::string::npos;
                  }
                  const bool closed = pool->closed();
                  pool->close();
                  rows.reset();
                  pool.reset();
                  return refused && closed;
                }),
                0);
    rows = pool->take();
    CHECK_EQUAL(rows->size(), 4u);
  }
}

TEST(a_forked_child_may_make_a_pool_of_its_own) {
  TestPool pool = counters(4, 4);
  pool.reset_all();
  CHECK_EQUAL(in_child([] {
                TestPool own = counters(4, 4);
                own.reset_all();
                return own.step_all(1).size() == 4;
              }),
              0);
  CHECK_EQUAL(pool.step_all(1).size(), 4u);
}

#endif

}  // namespace
}  // namespace poolkit::tests
