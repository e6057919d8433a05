// save() and load(): exact continuation, and bytes that are refused.
#include "check.h"
#include "debug/counter.h"
#include "debug/slow.h"
#include "gate.h"
#include "pools.h"

namespace poolkit::tests {
namespace {

using debug::Counter;
using std::vector;
using Bytes = vector<unsigned char>;

TestPool counters(size_t n) {
  return TestPool::of<Counter>({.num_envs = n, .batch_size = n},
                               {{"length", int64_t{4}}, {"lives", int64_t{2}}});
}

// What the next `steps` batches say of env `id`.
vector<int64_t> future(TestPool& pool, int32_t id, int steps) {
  vector<int64_t> seen;
  for (int i = 0; i < steps; ++i) {
    pool.send_each(i, {id});
    const Rows rows = pool.take();
    for (size_t k = 0; k < 4; ++k) seen.push_back(rows.column<int64_t>(0, k)[0]);
    seen.push_back(rows.elapsed()[0]);
    seen.push_back(static_cast<int64_t>(rows.total()[0]));
    seen.push_back(rows.terminated()[0]);
  }
  return seen;
}

TEST(a_state_continues_exactly_from_every_phase) {
  // In the middle, after a soft end, after the last end.
  for (int steps : {0, 2, 4, 9}) {
    TestPool pool = counters(3);
    pool.reset_all();
    future(pool, 1, steps);
    const Bytes state = pool.save(1);
    const vector<int64_t> expected = future(pool, 1, 40);
    pool.load(1, state);
    CHECK_EQUAL(future(pool, 1, 40), expected);
    pool.load(2, state);
    CHECK_EQUAL(future(pool, 2, 40), expected);
    TestPool other = counters(1);
    other.load(0, state);
    CHECK_EQUAL(future(other, 0, 40), expected);
  }
}

TEST(a_state_from_before_the_first_reset_still_needs_one) {
  TestPool pool = counters(2);
  const Bytes state = pool.save(0);
  pool.reset_all();
  pool.load(0, state);
  CHECK_THROWS(UsageError, "row 0: env 0 was never reset", pool.send_each(0, {0}));
}

TEST(bytes_that_are_no_state_of_this_env_change_nothing) {
  TestPool pool = counters(1);
  pool.reset_all();
  future(pool, 0, 1);
  const Bytes good = pool.save(0);
  const vector<int64_t> expected = future(pool, 0, 20);
  pool.load(0, good);

  CHECK_THROWS(std::invalid_argument, "too short", pool.load(0, Bytes()));
  CHECK_THROWS(std::invalid_argument, "not a state", pool.load(0, Bytes(200, 'x')));
  for (size_t size = 0; size < good.size(); ++size)
    CHECK_THROWS(std::invalid_argument, "state", pool.load(0, std::span(good).first(size)));
  for (size_t at = 0; at < good.size(); ++at) {
    Bytes bad = good;
    bad[at] ^= 0x10;
    CHECK_THROWS(std::invalid_argument, "state", pool.load(0, bad));
  }
  Bytes longer = good;
  longer.push_back(0);
  CHECK_THROWS(std::invalid_argument, "altered", pool.load(0, longer));
  CHECK_EQUAL(future(pool, 0, 20), expected);
}

// A Counter under another name.
const pk_env_api& other_api() {
  static const pk_env_api api = env_api<Counter>("Other");
  return api;
}

TEST(a_state_of_another_environment_is_refused) {
  Pool other(std::make_shared<EnvType>(&other_api(), vector<NamedValue>()), {});
  TestPool pool = counters(1);
  CHECK_THROWS(std::invalid_argument, "of Other, not of Tested", pool.load(0, other.save(0)));
}

// Refuses every state.
struct Picky {
  static Spec spec(const Options&) {
    return {.observation = {array<int64_t>("", {1})}, .action = {discrete("", 100)}};
  }
  explicit Picky(const Options&) {}
  void reset(Reset, Rng&) {}
  Transition step(Action, Rng&) { return {}; }
  void observe(Row row) const { row.observation<int64_t>()[0] = 0; }
  void save(Writer&) const {}
  void load(Reader&) { throw std::runtime_error("not this one"); }
};

TEST(an_env_that_refuses_its_state_must_be_reset) {
  TestPool pool = TestPool::of<Picky>({.num_envs = 2, .batch_size = 2});
  pool.reset_all();
  CHECK_THROWS(std::invalid_argument, "not this one", pool.load(0, pool.save(1)));
  CHECK_THROWS(UsageError, "row 0: env 0 is broken", pool.send_each(0, {0}));
  CHECK_THROWS(UsageError, "env 0 is broken", pool.save(0));
  pool.reset_ids({0});
  CHECK_EQUAL(pool.take().ids(), (vector<int32_t>{0}));
}

TEST(environments_without_states_or_pictures_say_so) {
  TestPool pool = TestPool::of<debug::Slow>({});
  pool.reset_all();
  CHECK_THROWS(UsageError, "has no states", pool.save(0));
  CHECK_THROWS(UsageError, "has no states", pool.load(0, Bytes()));
  CHECK_THROWS(UsageError, "cannot be rendered", pool.render(0));
}

TEST(states_and_pictures_are_for_envs_without_pending_work) {
  TestPool pool = counters(2);
  pool.reset_all();
  const Bytes state = pool.save(0);
  pool.send_each(1, {0});
  CHECK_THROWS(UsageError, "env 0 still has a result pending", pool.save(0));
  CHECK_THROWS(UsageError, "env 0 still has a result pending", pool.load(0, state));
  CHECK_THROWS(UsageError, "env 0 still has a result pending", pool.render(0));
  CHECK_THROWS(std::out_of_range, "env 2 does not exist", pool.render(2));
  pool.load(1, state);
  pool.take();
  pool.save(0);
}

TEST(envs_can_be_observed_as_they_are) {
  TestPool pool = counters(3);
  pool.reset_ids({0, 1});
  pool.take();
  pool.send_each(5, {1});
  pool.take();
  const vector<int32_t> ids{2, 1};
  const Rows rows(pool.observe(ids), pool.layout());
  CHECK_EQUAL(rows.ids(), ids);
  CHECK_EQUAL(rows.column<int64_t>(0, 0), (vector<int64_t>{0, 1}));
  CHECK_EQUAL(rows.column<int64_t>(0, 3), (vector<int64_t>{0, 5}));
  CHECK_EQUAL(rows.elapsed(), (vector<int32_t>{0, 1}));
  CHECK_EQUAL(rows.total(), (vector<double>{0, 5}));
  CHECK_EQUAL(rows.reward(), (vector<float>{0, 0}));
  pool.send_each(5, {1});
  CHECK_THROWS(UsageError, "env 1 still has a result pending", pool.observe(ids));
}

TEST(a_picture_shows_the_env) {
  TestPool pool = counters(2);
  CHECK_THROWS(UsageError, "before it is reset", pool.render(1));
  pool.reset_all();
  pool.step_all(1);
  const Pool::Frame frame = pool.render(1);
  CHECK_EQUAL(frame.height, 2u);
  CHECK_EQUAL(frame.width, 3u);
  CHECK_EQUAL(frame.pixels, vector<uint8_t>(18, 1));
}

}  // namespace
}  // namespace poolkit::tests
