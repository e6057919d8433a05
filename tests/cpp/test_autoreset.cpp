// The three modes of autoreset, soft ends, time limits and the statistics of episodes.
#include "check.h"
#include "debug/counter.h"
#include "pools.h"

namespace poolkit::tests {
namespace {

using debug::Counter;
using std::vector;

// Two envs in lock-step.
struct Setup {
  Autoreset autoreset = Autoreset::next_step;
  int64_t length = 3;
  int64_t lives = 1;
  int64_t limit = 0;
  bool truncates = false;
  bool clip = false;
};

TestPool two(const Setup& s) {
  return TestPool::of<Counter>(
      {.num_envs = 2,
       .batch_size = 2,
       .num_threads = 2,
       .autoreset = s.autoreset,
       .max_episode_steps = s.limit},
      {{"length", s.length}, {"lives", s.lives}, {"truncates", s.truncates}, {"clip", s.clip}});
}

int64_t count_of(const Rows& rows, size_t row = 0) { return rows.column<int64_t>(0, 0)[row]; }
int64_t game_of(const Rows& rows) { return rows.column<int64_t>(0, 1)[0]; }
// How often env 0 was reset: fresh, seeded, continued.
vector<int64_t> resets_of(const Rows& rows) {
  vector<int64_t> out;
  for (size_t k = 0; k < 3; ++k) out.push_back(rows.column<int64_t>(2, k)[0]);
  return out;
}

TEST(next_step_shows_the_end_then_the_reset) {
  TestPool pool = two({});
  pool.reset_all();
  pool.step_all(2);
  pool.step_all(2);
  const Rows end = pool.step_all(2);
  CHECK_EQUAL(count_of(end), 3);
  CHECK(end.terminated()[0] && !end.truncated()[0]);
  CHECK_EQUAL(end.reward()[0], 2.0f);
  CHECK_EQUAL(end.elapsed()[0], 3);
  CHECK_EQUAL(end.length()[0], 3);
  CHECK_EQUAL(end.total()[0], 6.0);
  const Rows reset = pool.step_all(50);  // the action is ignored
  CHECK_EQUAL(count_of(reset), 0);
  CHECK_EQUAL(game_of(reset), 2);
  CHECK(!reset.terminated()[0] && !reset.truncated()[0]);
  CHECK_EQUAL(reset.reward()[0], 0.0f);
  CHECK_EQUAL(reset.elapsed()[0], 0);
  CHECK_EQUAL(reset.total()[0], 0.0);
  CHECK_EQUAL(count_of(pool.step_all(2)), 1);
}

TEST(same_step_shows_the_new_episode_and_keeps_the_final_row) {
  TestPool pool = two({.autoreset = Autoreset::same_step});
  pool.reset_all();
  pool.step_all(2);
  CHECK(!pool.step_all(2).has_final());
  const Rows end = pool.step_all(7);
  CHECK(end.terminated()[0]);
  CHECK_EQUAL(end.reward()[0], 7.0f);  // of the ending step
  CHECK_EQUAL(count_of(end), 0);       // of the new episode
  CHECK_EQUAL(game_of(end), 2);
  CHECK_EQUAL(end.elapsed()[0], 0);
  CHECK_EQUAL(end.total()[0], 0.0);
  CHECK_EQUAL(end.column<int64_t>(1)[0], 1);  // lives, an info
  CHECK_EQUAL(end.final_mask(), (vector<bool>{true, true}));
  CHECK_EQUAL(end.final_column<int64_t>(0, 0)[0], 3);
  CHECK_EQUAL(end.final_column<int64_t>(1)[0], 0);  // lives
  CHECK_EQUAL(end.final_engine<double>(Layout::episode_return)[0], 11.0);
  CHECK_EQUAL(end.final_engine<int32_t>(Layout::episode_length)[0], 3);
  CHECK_EQUAL(end.final_engine<float>(Layout::reward)[0], 7.0f);
  CHECK_EQUAL(end.final_engine<uint8_t>(Layout::terminated)[0], 1);
  CHECK_EQUAL(end.final_engine<int32_t>(Layout::env_id), (vector<int32_t>{0, 1}));
  CHECK(!pool.step_all(2).has_final());
}

TEST(final_rows_of_envs_that_did_not_end_are_zero) {
  TestPool pool = two({.autoreset = Autoreset::same_step});
  pool.reset_all();
  pool.step_all(1);
  pool.reset_ids({0});
  pool.take();
  pool.step_all(1);
  const Rows rows = pool.step_all(1);
  CHECK_EQUAL(rows.final_mask(), (vector<bool>{false, true}));
  CHECK_EQUAL(rows.terminated(), (vector<bool>{false, true}));
  for (size_t at = 0; at < 4; ++at) CHECK_EQUAL(rows.final_column<int64_t>(0, at)[0], 0);
  CHECK_EQUAL(rows.final_engine<int32_t>(Layout::env_id), (vector<int32_t>{0, 1}));
  CHECK_EQUAL(rows.final_column<int64_t>(0, 0)[1], 3);
  CHECK_EQUAL(count_of(rows, 0), 2);
}

TEST(disabled_refuses_a_step_of_an_ended_env_and_names_it) {
  TestPool pool = two({.autoreset = Autoreset::disabled, .length = 1});
  pool.reset_all();
  CHECK(pool.step_all(1).terminated()[1]);
  CHECK_THROWS(UsageError, "row 0: env 1 has ended its episode", pool.send_each(1, {1}));
  CHECK_EQUAL(pool.pending(), 0u);
  pool.reset_ids({1});
  CHECK_EQUAL(pool.take().elapsed(), (vector<int32_t>{0}));
  pool.send_each(1, {1});
  CHECK_EQUAL(pool.take().ids(), (vector<int32_t>{1}));
}

TEST(a_soft_end_continues_the_game_and_its_totals) {
  TestPool pool = two({.length = 2, .lives = 2});
  pool.reset_all();
  pool.step_all(5);
  const Rows lost = pool.step_all(5);
  CHECK(lost.terminated()[0]);
  CHECK_EQUAL(lost.total()[0], 10.0);
  const Rows next = pool.step_all(5);
  CHECK_EQUAL(game_of(next), 1);
  CHECK_EQUAL(resets_of(next), (vector<int64_t>{0, 1, 1}));
  CHECK_EQUAL(next.elapsed()[0], 2);
  CHECK_EQUAL(next.total()[0], 10.0);
  pool.step_all(5);
  const Rows over = pool.step_all(5);
  CHECK(over.terminated()[0]);
  CHECK_EQUAL(over.total()[0], 20.0);
  CHECK_EQUAL(over.length()[0], 4);
  const Rows fresh = pool.step_all(5);
  CHECK_EQUAL(game_of(fresh), 2);
  CHECK_EQUAL(fresh.elapsed()[0], 0);
}

TEST(a_soft_end_in_same_step_keeps_the_totals_in_the_row) {
  TestPool pool = two({.autoreset = Autoreset::same_step, .length = 2, .lives = 2});
  pool.reset_all();
  pool.step_all(5);
  const Rows lost = pool.step_all(5);
  CHECK(lost.terminated()[0]);
  CHECK_EQUAL(count_of(lost), 0);
  CHECK_EQUAL(game_of(lost), 1);
  CHECK_EQUAL(lost.elapsed()[0], 2);
  CHECK_EQUAL(lost.total()[0], 10.0);
  CHECK_EQUAL(lost.final_engine<double>(Layout::episode_return)[0], 10.0);
  pool.step_all(5);
  const Rows over = pool.step_all(5);
  CHECK_EQUAL(over.final_engine<int32_t>(Layout::episode_length)[0], 4);
  CHECK_EQUAL(over.elapsed()[0], 0);
  CHECK_EQUAL(game_of(over), 2);
}

TEST(an_explicit_reset_after_a_soft_end_is_fresh) {
  TestPool pool = two({.length = 1, .lives = 3});
  pool.reset_all();
  CHECK(pool.step_all(1).terminated()[0]);
  const Rows rows = pool.reset_all();
  CHECK_EQUAL(resets_of(rows), (vector<int64_t>{1, 1, 0}));
  CHECK_EQUAL(rows.elapsed()[0], 0);
}

TEST(the_first_reset_after_seeding_is_seeded) {
  TestPool pool = two({});
  CHECK_EQUAL(resets_of(pool.reset_all()), (vector<int64_t>{0, 1, 0}));
  CHECK_EQUAL(resets_of(pool.reset_all()), (vector<int64_t>{1, 1, 0}));
  const vector<std::optional<Seed>> seeds{Seed{7}, std::nullopt};
  pool.reset(first_ids(2), seeds);
  const Rows rows = pool.take();
  CHECK_EQUAL(resets_of(rows), (vector<int64_t>{1, 2, 0}));
  CHECK_EQUAL(rows.column<int64_t>(2, 0)[1], 2);
}

TEST(a_seed_repeats_an_episode) {
  TestPool pool = two({});
  pool.reset_all();
  const vector<std::optional<Seed>> seeds{Seed{7}, Seed{7, 3}};
  pool.reset(first_ids(2), seeds);
  const vector<int64_t> first = pool.take().column<int64_t>(0, 2);
  CHECK(first[0] != first[1]);
  const vector<int64_t> later = pool.reset_all().column<int64_t>(0, 2);
  CHECK(later[0] != first[0]);
  pool.reset(first_ids(2), seeds);
  CHECK_EQUAL(pool.take().column<int64_t>(0, 2), first);
  // numpy.random.Generator(PCG64(7)).integers(2**31)
  CHECK_EQUAL(first[0], 2029167941);
  // numpy.random.Generator(PCG64(SeedSequence(7, spawn_key=(3,)))).integers(2**31)
  CHECK_EQUAL(first[1], 1029798310);
}

TEST(the_time_limit_truncates) {
  for (Autoreset mode : {Autoreset::next_step, Autoreset::same_step, Autoreset::disabled}) {
    TestPool pool = two({.autoreset = mode, .length = 100, .limit = 2});
    pool.reset_all();
    CHECK(!pool.step_all(1).truncated()[0]);
    const Rows end = pool.step_all(1);
    CHECK(end.truncated()[0] && !end.terminated()[0]);
    CHECK_EQUAL(end.has_final(), mode == Autoreset::same_step);
  }
}

TEST(a_termination_at_the_time_limit_is_no_truncation) {
  TestPool pool = two({.length = 2, .limit = 2});
  pool.reset_all();
  pool.step_all(1);
  const Rows end = pool.step_all(1);
  CHECK(end.terminated()[0] && !end.truncated()[0]);
}

TEST(the_time_limit_counts_the_whole_episode) {
  TestPool pool = two({.length = 2, .lives = 10, .limit = 3});
  pool.reset_all();
  pool.step_all(1);
  CHECK(pool.step_all(1).terminated()[0]);
  CHECK_EQUAL(game_of(pool.step_all(1)), 1);  // continues
  const Rows end = pool.step_all(1);
  CHECK(end.truncated()[0] && !end.terminated()[0]);
  CHECK_EQUAL(end.elapsed()[0], 3);
  const Rows fresh = pool.step_all(1);
  CHECK_EQUAL(game_of(fresh), 2);  // after a truncation it does not continue
  CHECK_EQUAL(fresh.elapsed()[0], 0);
}

TEST(a_soft_end_at_the_time_limit_continues_for_one_step) {
  TestPool pool = two({.length = 2, .lives = 10, .limit = 2});
  pool.reset_all();
  pool.step_all(1);
  const Rows lost = pool.step_all(1);
  CHECK(lost.terminated()[0] && !lost.truncated()[0]);
  CHECK_EQUAL(game_of(pool.step_all(1)), 1);
  CHECK(pool.step_all(1).truncated()[0]);
  CHECK_EQUAL(game_of(pool.step_all(1)), 2);
}

TEST(a_truncation_by_the_env_ends_the_episode_even_if_soft) {
  TestPool pool = two({.length = 1, .lives = 3, .truncates = true});
  pool.reset_all();
  CHECK(pool.step_all(1).truncated()[0]);
  CHECK_EQUAL(game_of(pool.step_all(1)), 2);
}

TEST(the_return_adds_up_unclipped_rewards) {
  TestPool pool = two({.clip = true});
  pool.reset_all();
  pool.step_all(30);
  const Rows rows = pool.step_all(40);
  CHECK_EQUAL(rows.reward()[0], 1.0f);
  CHECK_EQUAL(rows.total()[0], 70.0);
}

TEST(a_reset_in_the_middle_starts_the_statistics_anew) {
  TestPool pool = two({});
  pool.reset_all();
  pool.step_all(5);
  const Rows rows = pool.reset_all();
  CHECK_EQUAL(rows.total()[0], 0.0);
  CHECK_EQUAL(rows.elapsed()[0], 0);
  CHECK_EQUAL(rows.reward()[0], 0.0f);
}

TEST(asynchronous_final_rows_follow_their_envs) {
  // Batches of one: every final row travels in another batch than its neighbours'.
  TestPool pool = TestPool::of<Counter>(
      {.num_envs = 3, .batch_size = 1, .num_threads = 2, .autoreset = Autoreset::same_step},
      {{"length", int64_t{1}}});
  pool.reset_ids(first_ids(3));
  vector<bool> stepped(3, false);
  for (int i = 0; i < 60; ++i) {
    const Rows rows = pool.take();
    const int32_t id = rows.ids()[0];
    if (rows.has_final()) {
      CHECK_EQUAL(rows.final_column<int64_t>(0, 3)[0], int64_t{id} + 10);
      CHECK_EQUAL(rows.final_engine<int32_t>(Layout::env_id)[0], id);
    }
    CHECK_EQUAL(rows.has_final(), stepped[static_cast<size_t>(id)]);
    stepped[static_cast<size_t>(id)] = true;
    pool.send_each(id + 10, {id});
  }
}

}  // namespace
}  // namespace poolkit::tests
