// Environments that throw: one error each, the others' results kept, rebuilt at the next reset.
#include <filesystem>
#include <thread>

#include "check.h"
#include "debug/failing.h"
#include "gate.h"
#include "pools.h"

namespace poolkit::tests {
namespace {

using debug::Failing;
using std::vector;

TestPool failing(size_t n, size_t batch, vector<NamedValue> options = {},
                 Autoreset autoreset = Autoreset::next_step, size_t threads = 2) {
  return TestPool::of<Failing>(
      {.num_envs = n, .batch_size = batch, .num_threads = threads, .autoreset = autoreset},
      std::move(options));
}

// The env that the error names.
int32_t failing_env(TestPool& pool) {
  try {
    pool.take();
  } catch (const EnvError& e) {
    return e.env_id;
  }
  return -1;
}

constexpr int64_t kStep = 0, kThrowInStep = 1, kThrowInObserve = 2, kThrowInReset = 3, kEnd = 4;

TEST(an_error_of_one_env_keeps_the_others) {
  for (int64_t action : {kThrowInStep, kThrowInObserve}) {
    TestPool pool = failing(4, 4);
    pool.reset_all();
    pool.send_all({kStep, action, kStep, kStep}, first_ids(4));
    CHECK_THROWS(EnvError, "env 1: told to throw", pool.take());
    CHECK_EQUAL(pool.pending(), 3u);
    const Rows rows = pool.take();
    CHECK_EQUAL(rows.ids(), (vector<int32_t>{0, 2, 3}));
    CHECK_EQUAL(rows.column<int64_t>(0, 0), (vector<int64_t>{1, 1, 1}));
    CHECK_EQUAL(pool.pending(), 0u);
  }
}

TEST(errors_come_once_each_in_the_order_of_ids) {
  TestPool pool = failing(5, 5);
  pool.reset_all();
  pool.send_all({kThrowInStep, kStep, kThrowInObserve, kStep, kThrowInStep}, {4, 3, 2, 1, 0});
  CHECK_EQUAL(failing_env(pool), 0);
  CHECK_EQUAL(failing_env(pool), 2);
  CHECK_EQUAL(failing_env(pool), 4);
  CHECK_EQUAL(pool.take().ids(), (vector<int32_t>{3, 1}));
}

TEST(all_envs_may_throw) {
  for (size_t batch : {3, 2}) {
    TestPool pool = failing(3, batch);
    pool.reset_ids(first_ids(3));
    pool.drain({});
    for (int64_t action : {kThrowInStep, kThrowInObserve}) {
      pool.send_each(action, first_ids(3));
      vector<int32_t> failed;
      while (pool.pending() > 0) failed.push_back(failing_env(pool));
      std::ranges::sort(failed);
      CHECK_EQUAL(failed, first_ids(3));
      CHECK_THROWS(UsageError, "nothing is pending", pool.take());
      pool.reset_ids(first_ids(3));
      pool.drain({});
    }
  }
}

TEST(a_broken_env_refuses_steps_and_works_again_after_its_reset) {
  for (int64_t action : {kThrowInStep, kThrowInObserve}) {
    TestPool pool = failing(3, 3);
    pool.reset_all();
    pool.step_all(kStep);
    pool.send_each(action, {1});
    CHECK_EQUAL(failing_env(pool), 1);
    CHECK_THROWS(UsageError, "row 1: env 1 is broken", pool.send_each(kStep, {0, 1}));
    pool.reset_ids({1});
    const Rows reset = pool.take();
    CHECK_EQUAL(reset.column<int64_t>(0, 0), (vector<int64_t>{0}));
    CHECK_EQUAL(reset.elapsed(), (vector<int32_t>{0}));
    CHECK_EQUAL(pool.step_all(kStep).column<int64_t>(0, 0), (vector<int64_t>{2, 1, 2}));
  }
}

TEST(an_env_that_threw_in_a_step_is_built_anew) {
  TestPool pool = failing(3, 3, {}, Autoreset::next_step, 1);
  CHECK_EQUAL(pool.reset_all().column<int64_t>(0, 1), (vector<int64_t>{0, 1, 2}));
  pool.send_each(kThrowInStep, {0});
  CHECK_EQUAL(failing_env(pool), 0);
  // Two others were alive when it was built again.
  CHECK_EQUAL(pool.reset_all().column<int64_t>(0, 1), (vector<int64_t>{2, 1, 2}));
}

TEST(an_env_that_threw_in_an_observation_is_kept) {
  TestPool pool = failing(3, 3, {}, Autoreset::next_step, 1);
  pool.reset_all();
  pool.send_each(kThrowInObserve, {0});
  CHECK_EQUAL(failing_env(pool), 0);
  CHECK_EQUAL(pool.reset_all().column<int64_t>(0, 1), (vector<int64_t>{0, 1, 2}));
}

TEST(an_error_in_the_reset_after_an_end) {
  for (Autoreset mode : {Autoreset::next_step, Autoreset::same_step, Autoreset::disabled}) {
    TestPool pool = failing(2, 2, {}, mode);
    pool.reset_all();
    pool.send_all({kThrowInReset, kStep}, first_ids(2));
    if (mode == Autoreset::next_step) {
      CHECK(pool.take().terminated()[0]);
      pool.send_each(kStep, first_ids(2));
    } else if (mode == Autoreset::disabled) {
      CHECK(pool.take().terminated()[0]);
      pool.reset_ids({0});
    }
    CHECK_THROWS(EnvError, "env 0: told to throw in the reset", pool.take());
    if (mode != Autoreset::disabled) {
      const Rows rest = pool.take();
      CHECK_EQUAL(rest.ids(), (vector<int32_t>{1}));
      CHECK(!rest.has_final());
    }
    CHECK_EQUAL(pool.reset_all().ids(), first_ids(2));
    CHECK_EQUAL(pool.step_all(kEnd).has_final(), mode == Autoreset::same_step);
  }
}

TEST(final_rows_survive_an_error_of_another_env) {
  TestPool pool = failing(3, 3, {}, Autoreset::same_step);
  pool.reset_all();
  pool.send_all({kEnd, kThrowInStep, kStep}, first_ids(3));
  CHECK_EQUAL(failing_env(pool), 1);
  const Rows rows = pool.take();
  CHECK_EQUAL(rows.ids(), (vector<int32_t>{0, 2}));
  CHECK_EQUAL(rows.final_mask(), (vector<bool>{true, false}));
  CHECK_EQUAL(rows.final_column<int64_t>(0, 0), (vector<int64_t>{1, 0}));
}

TEST(an_asynchronous_error_counts_as_a_result) {
  for (int64_t action : {kThrowInStep, kThrowInObserve}) {
    TestPool pool = failing(6, 3);
    pool.reset_ids(first_ids(6));
    pool.drain({});
    pool.send_all({kStep, kStep, action, kStep, kStep, kStep}, first_ids(6));
    size_t rows = 0, errors = 0;
    while (pool.pending() > 0) {
      try {
        const Rows batch = pool.take();
        rows += batch.size();
        CHECK_EQUAL(std::ranges::count(batch.ids(), 2), 0);
      } catch (const EnvError& e) {
        ++errors;
        CHECK_EQUAL(e.env_id, 2);
      }
    }
    CHECK_EQUAL(rows, 5u);
    CHECK_EQUAL(errors, 1u);
  }
}

TEST(an_error_of_a_chosen_env_at_every_place) {
  for (const char* at : {"reset", "step", "observe"}) {
    TestPool pool =
        failing(3, 3, {{"at", std::string(at)}, {"index", int64_t{1}}}, Autoreset::next_step, 1);
    pool.reset_ids(first_ids(3));
    if (at == std::string("step")) {
      pool.take();
      pool.send_each(kStep, first_ids(3));
    }
    CHECK_EQUAL(failing_env(pool), 1);
    CHECK_EQUAL(pool.take().ids(), (vector<int32_t>{0, 2}));
  }
}

TEST(a_reset_while_an_error_waits_takes_a_new_row) {
  TestPool pool = failing(2, 2);
  pool.reset_all();
  pool.send_all({kThrowInStep, kStep}, first_ids(2));
  CHECK_EQUAL(failing_env(pool), 0);
  pool.reset_ids({0});  // env 1's row still waits, beside a hole
  CHECK_EQUAL(pool.pending(), 2u);
  const Rows rows = pool.take();
  CHECK_EQUAL(rows.ids(), (vector<int32_t>{1, 0}));
  CHECK_EQUAL(rows.column<int64_t>(0, 0), (vector<int64_t>{1, 0}));
}

// Shows how the object was reset first and last. Action 1 throws.
class Kinds {
 public:
  static Spec spec(const Options&) {
    return {.observation = {array<uint32_t>("", {2})}, .action = {discrete("", 2)}};
  }
  explicit Kinds(const Options&) {}
  void reset(Reset why, Rng&) {
    last_ = why;
    if (!first_) first_ = why;
  }
  Transition step(Action action, Rng&) {
    if (action.scalar<int64_t>() == 1) throw std::runtime_error("told to throw");
    return {};
  }
  void observe(Row row) const {
    row.observation<uint32_t>()[0] = static_cast<uint32_t>(*first_);
    row.observation<uint32_t>()[1] = static_cast<uint32_t>(last_);
  }

 private:
  std::optional<Reset> first_;
  Reset last_ = Reset::fresh;
};

TEST(the_first_reset_of_an_object_is_seeded) {
  TestPool pool = TestPool::of<Kinds>({});
  pool.reset_all();
  CHECK_EQUAL(pool.reset_all().column<uint32_t>(0, 1), (vector<uint32_t>{PK_RESET_FRESH}));
  pool.send_each(1, {0});
  CHECK_EQUAL(failing_env(pool), 0);
  CHECK_EQUAL(pool.reset_all().column<uint32_t>(0, 0), (vector<uint32_t>{PK_RESET_SEEDED}));
  CHECK_EQUAL(pool.reset_all().column<uint32_t>(0, 1), (vector<uint32_t>{PK_RESET_FRESH}));
}

// Action 1 waits for a gate, 2 throws in the observation.
class SlowOrFailing {
 public:
  static vector<OptionSpec> options() { return {option::text("gate", "", "")}; }
  static Spec spec(const Options&) {
    return {.observation = {array<int64_t>("", {1000})}, .action = {discrete("", 3)}};
  }
  explicit SlowOrFailing(const Options& options) : gate_(options.text("gate")) {}
  void reset(Reset, Rng&) { throws_ = false; }
  Transition step(Action action, Rng&) {
    while (action.scalar<int64_t>() == 1 && !std::filesystem::exists(gate_))
      std::this_thread::yield();
    throws_ = action.scalar<int64_t>() == 2;
    return {};
  }
  void observe(Row row) const {
    if (throws_) throw std::runtime_error("told to throw");
    std::ranges::fill(row.observation<int64_t>(), 7);
  }

 private:
  const std::string gate_;
  bool throws_ = false;
};

TEST(holes_take_room_in_a_batch_that_is_filled_further) {
  const Gate gate;
  TestPool pool =
      TestPool::of<SlowOrFailing>({.num_envs = 4, .batch_size = 3}, {{"gate", gate.path()}});
  pool.reset_ids(first_ids(4));
  pool.drain({});
  pool.send_all({0, 2, 2}, {0, 1, 2});
  CHECK_EQUAL(failing_env(pool), 1);
  CHECK_EQUAL(failing_env(pool), 2);
  pool.send_each(1, {3});
  // Wants two results, with one row and two holes there, while the other row is still to come.
  const Rows rows(pool.recv({}, [&] { gate.open(); }), pool.layout());
  CHECK_EQUAL(rows.ids(), (vector<int32_t>{0, 3}));
  CHECK_EQUAL(rows.column<int64_t>(0, 999), (vector<int64_t>{7, 7}));
}

TEST(drain_drops_errors_too) {
  TestPool pool = failing(4, 2);
  pool.reset_ids(first_ids(4));
  pool.drain({});
  pool.send_each(kThrowInStep, first_ids(4));
  pool.drain({});
  CHECK_EQUAL(pool.pending(), 0u);
}

TEST(an_error_in_a_constructor_ends_the_pools) {
  for (size_t threads : {1, 3}) {
    CHECK_THROWS(EnvError, "told to throw in the constructor",
                 failing(5, 5, {{"at", std::string("constructor")}, {"index", int64_t{3}}},
                         Autoreset::next_step, threads));
  }
  // All that were built are gone: the next object finds none alive.
  TestPool pool = failing(1, 1);
  CHECK_EQUAL(pool.reset_all().column<int64_t>(0, 1), (vector<int64_t>{0}));
}

TEST(an_env_that_cannot_be_rebuilt_fails_its_reset) {
  TestPool pool = failing(2, 2, {{"at", std::string("constructor")}, {"index", int64_t{2}}});
  TestPool other = failing(1, 1);  // the object of index 2
  pool.reset_all();
  pool.send_each(kThrowInStep, {0});
  CHECK_EQUAL(failing_env(pool), 0);
  pool.reset_ids({0});  // two are alive: it is built as index 2
  CHECK_THROWS(EnvError, "env 0: told to throw in the constructor", pool.take());
  other.close();
  pool.reset_ids({0});
  CHECK_EQUAL(pool.take().ids(), (vector<int32_t>{0}));
}

}  // namespace
}  // namespace poolkit::tests
