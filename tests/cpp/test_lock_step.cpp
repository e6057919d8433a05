// Lock-step: batch_size == num_envs, rows in the order sent.
#include "check.h"
#include "debug/counter.h"
#include "debug/every_dtype.h"
#include "debug/slow.h"
#include "pools.h"

namespace poolkit::tests {
namespace {

using debug::Counter;
using std::vector;

TestPool counters(size_t n, size_t threads = 2) {
  return TestPool::of<Counter>({.num_envs = n, .batch_size = n, .num_threads = threads});
}

TEST(row_i_is_env_i) {
  TestPool pool = counters(5);
  CHECK_EQUAL(pool.reset_all().ids(), first_ids(5));
  pool.send_all({10, 11, 12, 13, 14}, first_ids(5));
  const Rows rows = pool.take();
  CHECK_EQUAL(rows.ids(), first_ids(5));
  CHECK_EQUAL(rows.column<int64_t>(0, 3), (vector<int64_t>{10, 11, 12, 13, 14}));
  CHECK_EQUAL(rows.reward(), (vector<float>{10, 11, 12, 13, 14}));
}

TEST(some_envs_come_back_in_the_order_sent) {
  TestPool pool = counters(5);
  pool.reset_all();
  pool.send_all({1, 2, 3}, {4, 0, 2});
  const Rows rows = pool.take();
  CHECK_EQUAL(rows.ids(), (vector<int32_t>{4, 0, 2}));
  CHECK_EQUAL(rows.column<int64_t>(0, 3), (vector<int64_t>{1, 2, 3}));
}

TEST(several_sends_append_to_one_batch) {
  TestPool pool = counters(5);
  pool.reset_all();
  pool.send_each(1, {3});
  pool.reset_ids({1, 0});
  pool.send_each(2, {4});
  const Rows rows = pool.take();
  CHECK_EQUAL(rows.ids(), (vector<int32_t>{3, 1, 0, 4}));
  CHECK_EQUAL(rows.reward(), (vector<float>{1, 0, 0, 2}));
  CHECK_EQUAL(pool.pending(), 0u);
}

TEST(pending_counts_results_that_are_owed) {
  TestPool pool = counters(3);
  CHECK_EQUAL(pool.pending(), 0u);
  pool.reset_ids({2, 0});
  CHECK_EQUAL(pool.pending(), 2u);
  CHECK(pool.is_pending(2) && !pool.is_pending(1));
  pool.take();
  CHECK_EQUAL(pool.pending(), 0u);
  CHECK(!pool.is_pending(2));
  CHECK_THROWS(std::out_of_range, "env 3 does not exist; there are 3", pool.is_pending(3));
}

TEST(recv_with_nothing_pending_is_refused) {
  TestPool pool = counters(2);
  CHECK_THROWS(UsageError, "nothing is pending", pool.take());
}

TEST(an_empty_send_asks_for_nothing) {
  TestPool pool = counters(2);
  pool.send_each(0, {});
  pool.reset_ids({});
  CHECK_EQUAL(pool.pending(), 0u);
}

TEST(a_bad_id_is_refused_and_changes_nothing) {
  TestPool pool = counters(3);
  pool.reset_all();
  CHECK_THROWS(std::out_of_range, "row 1: env 3", pool.send_each(1, {0, 3}));
  CHECK_THROWS(std::out_of_range, "row 2: env -1", pool.reset_ids({0, 1, -1}));
  CHECK_THROWS(UsageError, "row 2: env 1 is there twice", pool.send_each(1, {1, 0, 1}));
  CHECK_EQUAL(pool.pending(), 0u);
  CHECK_EQUAL(pool.step_all(1).column<int64_t>(0), (vector<int64_t>{1, 1, 1}));
}

TEST(an_env_with_a_result_pending_is_refused) {
  TestPool pool = counters(3);
  pool.reset_all();
  pool.send_each(1, {1});
  CHECK_THROWS(UsageError, "row 1: env 1 still has a result pending", pool.send_each(1, {0, 1}));
  CHECK_THROWS(UsageError, "row 0: env 1 still has a result pending", pool.reset_ids({1}));
  CHECK_EQUAL(pool.pending(), 1u);
  CHECK_EQUAL(pool.take().ids(), (vector<int32_t>{1}));
  CHECK_EQUAL(pool.step_all(1).column<int64_t>(0), (vector<int64_t>{1, 2, 1}));
}

TEST(a_step_before_the_reset_is_refused) {
  TestPool pool = counters(3);
  pool.reset_ids({0});
  pool.take();
  CHECK_THROWS(UsageError, "row 1: env 2 was never reset", pool.send_each(1, {0, 2}));
  CHECK_EQUAL(pool.pending(), 0u);
}

TEST(received_batches_do_not_change_any_more) {
  TestPool pool = counters(4);
  pool.reset_all();
  const Rows first = pool.step_all(7);
  const Rows second = pool.step_all(8);
  for (int i = 0; i < 20; ++i) pool.step_all(9);
  CHECK_EQUAL(first.column<int64_t>(0, 3), vector<int64_t>(4, 7));
  CHECK_EQUAL(second.column<int64_t>(0, 3), vector<int64_t>(4, 8));
}

TEST(batch_memory_is_recycled) {
  TestPool pool = counters(4);
  pool.reset_all();
  const void* memory = pool.step_all(0).batch().columns[0].data();
  CHECK(pool.step_all(0).batch().columns[0].data() == memory);
}

TEST(a_batch_outlives_its_pool) {
  std::optional<TestPool> pool;
  pool.emplace(type_of<Counter>(), PoolConfig{.num_envs = 2, .batch_size = 2});
  const Layout layout = pool->layout();
  pool->reset_all();
  pool->send_each(5, first_ids(2));
  const Rows rows(pool->recv({}, {}), layout);
  pool.reset();
  CHECK_EQUAL(rows.column<int64_t>(0, 3), vector<int64_t>(2, 5));
}

TEST(all_dtypes_and_several_actions_arrive) {
  TestPool pool = TestPool::of<debug::EveryDtype>({.num_envs = 2, .batch_size = 2});
  pool.reset_all();
  const int64_t turn[] = {1, -1}, buttons[] = {2, 3, 0, 1};
  const int8_t switches[] = {1, 0, 0, 1, 0, 1, 1, 0};
  const float gas[] = {0.5f, -1, 0.25f, 0};
  const double angle[] = {1, 2, 0.5, -1, -2, -0.5};
  const void* columns[] = {turn, buttons, switches, gas, angle};
  const int32_t ids[] = {1, 0};
  pool.send(columns, ids);
  const Rows rows = pool.take();
  CHECK_EQUAL(rows.column<int64_t>(13), (vector<int64_t>{1, -1}));
  CHECK_EQUAL(rows.column<int64_t>(14, 1), (vector<int64_t>{3, 1}));
  CHECK_EQUAL(rows.column<int8_t>(15, 3), (vector<int8_t>{1, 0}));
  CHECK_EQUAL(rows.column<float>(16, 0), (vector<float>{0.5f, 0.25f}));
  CHECK_EQUAL(rows.column<double>(17, 2), (vector<double>{0.5, -0.5}));
  CHECK_EQUAL(rows.column<uint16_t>(4, 1), (vector<uint16_t>{1, 1}));
  CHECK_EQUAL(rows.column<uint8_t>(18, 1), (vector<uint8_t>{0, 0}));  // the mask, an info
}

TEST(the_number_of_threads_changes_nothing) {
  const auto run = [](size_t threads) {
    TestPool pool = counters(7, threads);
    pool.reset_all();
    vector<int64_t> drawn;
    for (int i = 0; i < 30; ++i) {
      const Rows rows = pool.step_all(i);
      const vector<int64_t> column = rows.column<int64_t>(0, 2);
      drawn.insert(drawn.end(), column.begin(), column.end());
    }
    return drawn;
  };
  CHECK_EQUAL(run(1), run(2));
  CHECK_EQUAL(run(1), run(5));
}

}  // namespace
}  // namespace poolkit::tests
