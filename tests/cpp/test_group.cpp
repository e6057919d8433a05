// The group form: the same contract as the per-env form, with the group's own threads.
#include "check.h"
#include "debug/farm.h"
#include "pools.h"

namespace poolkit::tests {
namespace {

using debug::Farm;
using std::vector;

constexpr int64_t kSoftEnd = 97, kFail = 98, kFailInObserve = 99;

TestPool farm(size_t n, size_t batch, Autoreset autoreset = Autoreset::next_step,
              vector<NamedValue> options = {}, int64_t limit = 0) {
  return TestPool::of<Farm>(
      {.num_envs = n, .batch_size = batch, .autoreset = autoreset, .max_episode_steps = limit},
      std::move(options));
}

TEST(lock_step_rows_keep_their_order) {
  TestPool pool = farm(20, 20);
  CHECK_EQUAL(pool.reset_all().ids(), first_ids(20));
  vector<int64_t> actions(20);
  std::iota(actions.begin(), actions.end(), 0);
  pool.send_all(actions, first_ids(20));
  const Rows rows = pool.take();
  CHECK_EQUAL(rows.ids(), first_ids(20));
  for (size_t i = 0; i < 20; ++i) CHECK_EQUAL(rows.reward()[i], static_cast<float>(i));
  CHECK_EQUAL(rows.column<int64_t>(0, 0), vector<int64_t>(20, 1));
}

TEST(one_send_is_one_submit) {
  TestPool pool = farm(20, 20);
  pool.reset_all();
  pool.step_all(1);
  CHECK_EQUAL(pool.step_all(1).column<int64_t>(0, 3), vector<int64_t>(20, 3));
}

TEST(every_env_comes_once_for_each_send) {
  for (bool inline_completion : {false, true}) {
    TestPool pool = farm(9, 4, Autoreset::next_step,
                         {{"length", int64_t{5}}, {"inline_completion", inline_completion}});
    pool.reset_ids(first_ids(9));
    vector<int64_t> next(9, 0);
    for (int i = 0; i < 300; ++i) {
      const Rows rows = pool.take();
      CHECK_EQUAL(rows.size(), 4u);
      for (size_t k = 0; k < rows.size(); ++k) {
        int64_t& count = next[static_cast<size_t>(rows.ids()[k])];
        CHECK_EQUAL(rows.column<int64_t>(0, 0)[k], count);
        CHECK_EQUAL(rows.elapsed()[k], count);
        CHECK_EQUAL(rows.terminated()[k], count == 5);
        count = (count + 1) % 6;
      }
      pool.send_each(2, rows.ids());
    }
  }
}

TEST(same_step_resets_are_submitted_and_final_rows_kept) {
  for (bool inline_completion : {false, true})
    for (size_t batch : {6, 2}) {
      TestPool pool = farm(6, batch, Autoreset::same_step,
                           {{"length", int64_t{2}}, {"inline_completion", inline_completion}});
      pool.reset_ids(first_ids(6));
      vector<int64_t> steps(6, -1);
      for (int i = 0; i < 100; ++i) {
        const Rows rows = pool.take();
        for (size_t k = 0; k < rows.size(); ++k) {
          const int64_t step = ++steps[static_cast<size_t>(rows.ids()[k])];
          const bool ended = step > 0 && step % 2 == 0;
          CHECK_EQUAL(rows.terminated()[k], ended);
          CHECK_EQUAL(rows.column<int64_t>(0, 0)[k], step % 2);
          CHECK_EQUAL(rows.column<int64_t>(0, 1)[k], 1 + step / 2);
          CHECK_EQUAL(rows.elapsed()[k], step % 2);
          CHECK_EQUAL(rows.reward()[k], step > 0 ? 3.0f : 0.0f);
          if (!ended) continue;
          CHECK(rows.final_mask()[k]);
          CHECK_EQUAL(rows.final_column<int64_t>(0, 0)[k], 2);
          CHECK_EQUAL(rows.final_engine<double>(Layout::episode_return)[k], 6.0);
        }
        pool.send_each(3, rows.ids());
      }
    }
}

TEST(soft_ends_continue_and_time_limits_truncate) {
  TestPool pool = farm(2, 2, Autoreset::next_step, {}, 3);
  pool.reset_all();
  pool.step_all(1);
  CHECK(pool.step_all(kSoftEnd).terminated()[0]);
  const Rows next = pool.step_all(1);
  CHECK_EQUAL(next.column<int64_t>(0, 1)[0], 1);  // the same game
  CHECK_EQUAL(next.elapsed()[0], 2);
  CHECK(pool.step_all(1).truncated()[0]);
  CHECK_EQUAL(pool.step_all(1).column<int64_t>(0, 1)[0], 2);
}

TEST(seeds_reach_the_group) {
  TestPool pool = farm(2, 2);
  pool.reset_all();
  const vector<std::optional<Seed>> seeds{Seed{1234567890123}, Seed{5, 1}};
  pool.reset(first_ids(2), seeds);
  const vector<int64_t> seen = pool.take().column<int64_t>(0, 2);
  CHECK_EQUAL(seen[0], 1234567890123);
  // numpy.random.SeedSequence(5, spawn_key=(1,)).generate_state(1, np.uint64), as int64
  CHECK_EQUAL(seen[1], 6924645418555453511);
  CHECK_EQUAL(pool.reset_all().column<int64_t>(0, 2), seen);
}

TEST(errors_of_one_env_keep_the_others) {
  for (bool inline_completion : {false, true})
    for (int64_t action : {kFail, kFailInObserve}) {
      TestPool pool = farm(4, 4, Autoreset::next_step, {{"inline_completion", inline_completion}});
      pool.reset_all();
      pool.send_all({1, action, action, 1}, first_ids(4));
      CHECK_THROWS(EnvError, "env 1: told to fail", pool.take());
      CHECK_THROWS(EnvError, "env 2: told to fail", pool.take());
      CHECK_EQUAL(pool.take().ids(), (vector<int32_t>{0, 3}));
      CHECK_THROWS(UsageError, "row 0: env 1 is broken", pool.send_each(1, {1}));
      pool.reset_ids({2, 1});
      CHECK_EQUAL(pool.take().ids(), (vector<int32_t>{2, 1}));
      CHECK_EQUAL(pool.step_all(1).size(), 4u);
    }
}

TEST(asynchronous_errors_count_as_results) {
  TestPool pool = farm(6, 2);
  pool.reset_ids(first_ids(6));
  pool.drain({});
  pool.send_all({1, kFail, 1, kFailInObserve, 1, 1}, first_ids(6));
  size_t rows = 0, errors = 0;
  while (pool.pending() > 0) {
    try {
      rows += pool.take().size();
    } catch (const EnvError&) {
      ++errors;
    }
  }
  CHECK_EQUAL(rows, 4u);
  CHECK_EQUAL(errors, 2u);
}

TEST(a_group_that_cannot_be_built_is_an_error) {
  CHECK_THROWS(EnvError, "all envs: told to throw",
               farm(3, 3, Autoreset::next_step, {{"constructor_fails", true}}));
}

TEST(close_with_work_in_flight) {
  for (int i = 0; i < 50; ++i) {
    TestPool pool = farm(50, 10, Autoreset::same_step, {{"length", int64_t{1}}});
    pool.reset_ids(first_ids(50));
    if (i % 2) pool.send_each(1, pool.take().ids());
    pool.close();
    CHECK_THROWS(UsageError, "closed", pool.take());
  }
}

TEST(pictures_come_from_the_group_and_states_do_not) {
  TestPool pool = farm(2, 2);
  pool.reset_all();
  pool.step_all(1);
  CHECK_EQUAL(pool.render(1).pixels, (vector<uint8_t>{1, 1, 1}));
  CHECK_THROWS(UsageError, "has no states", pool.save(0));
}

// --- groups that break the rules ---

// Completes each request twice, and requests that nobody made.
class Babbler {
 public:
  static Spec spec(const Options&) {
    return {.observation = {array<int64_t>("", {1})}, .action = {discrete("", 2)}};
  }
  Babbler(const Options&, size_t, Host host) : host_(host) {}

  void submit(std::span<const pk_request> requests, std::span<const pk_view>) {
    for (const pk_request& request : requests) {
      const int32_t ids[] = {request.id, -1, 1000000, request.id};
      const pk_transition transitions[4] = {};
      host_.complete(ids, transitions);
      host_.fail(request.id, "after its completion");
    }
  }
  void observe(int32_t id, Row row) const { row.observation<int64_t>()[0] = id; }

 private:
  const Host host_;
};

TEST(completions_that_nobody_asked_for_do_no_harm) {
  for (size_t batch : {3, 1}) {
    TestPool pool = TestPool::of<Babbler>({.num_envs = 3, .batch_size = batch});
    pool.reset_ids(first_ids(3));
    size_t rows = 0;
    while (pool.pending() > 0) rows += pool.take().size();
    CHECK_EQUAL(rows, 3u);
  }
}

// Refuses what it is asked, after it has completed the first request.
class Refuser {
 public:
  static Spec spec(const Options&) { return Babbler::spec(Options({})); }
  Refuser(const Options&, size_t, Host host) : host_(host) {}

  void submit(std::span<const pk_request> requests, std::span<const pk_view>) {
    const pk_transition transition{};
    host_.complete({&requests[0].id, 1}, {&transition, 1});
    throw std::runtime_error("no");
  }
  void observe(int32_t id, Row row) const { row.observation<int64_t>()[0] = id; }

 private:
  const Host host_;
};

TEST(a_submit_that_fails_fails_what_is_not_completed) {
  TestPool pool = TestPool::of<Refuser>({.num_envs = 3, .batch_size = 3});
  pool.reset_ids(first_ids(3));
  CHECK_THROWS(EnvError, "env 1: no", pool.take());
  CHECK_THROWS(EnvError, "env 2: no", pool.take());
  CHECK_EQUAL(pool.take().ids(), (vector<int32_t>{0}));
}

}  // namespace
}  // namespace poolkit::tests
