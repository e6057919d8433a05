// CartPole against Gymnasium's, from the same seeds.
#include "check.h"
#include "classic/cartpole.h"
#include "oracles.h"
#include "pools.h"

namespace poolkit::tests {
namespace {

using classic::CartPole;
using std::vector;

vector<float> observation(const Rows& rows, size_t row) {
  vector<float> out;
  for (size_t k = 0; k < 4; ++k) out.push_back(rows.column<float>(0, k)[row]);
  return out;
}

TEST(episodes_are_gymnasiums_to_the_last_bit) {
  constexpr size_t kEnvs = std::size(kCartPole);
  PoolConfig config{.num_envs = kEnvs, .batch_size = kEnvs, .autoreset = Autoreset::disabled};
  for (const CartPoleRun& run : kCartPole) config.seeds.push_back({run.seed});
  TestPool pool = TestPool::of<CartPole>(config);
  pool.reset_ids(first_ids(kEnvs));
  vector<int32_t> running = first_ids(kEnvs);
  for (int step = 0; !running.empty(); ++step) {
    const Rows rows = pool.take();
    vector<int32_t> left;
    for (size_t k = 0; k < rows.size(); ++k) {
      const CartPoleRun& run = kCartPole[rows.ids()[k]];
      const auto expect = [&](size_t which) {
        CHECK_EQUAL(observation(rows, k),
                    vector<float>(run.rows[which].begin(), run.rows[which].end()));
      };
      if (step < 2) expect(static_cast<size_t>(step));
      if (step == run.length) expect(2);
      CHECK_EQUAL(rows.terminated()[k], step == run.length);
      CHECK_EQUAL(rows.reward()[k], step == 0 ? 0.0f : 1.0f);
      if (step < run.length) left.push_back(rows.ids()[k]);
    }
    running = left;
    if (!running.empty()) pool.send_each(step % 3 == 0 || step % 7 == 1, running);
  }
}

TEST(the_original_reward_is_an_option) {
  TestPool pool = TestPool::of<CartPole>({}, {{"sutton_barto_reward", true}});
  pool.reset_all();
  for (bool ended = false; !ended;) {
    const Rows rows = pool.step_all(1);
    ended = rows.terminated()[0];
    CHECK_EQUAL(rows.reward()[0], ended ? -1.0f : 0.0f);
  }
}

TEST(a_state_continues_exactly) {
  TestPool pool = TestPool::of<CartPole>({.num_envs = 2, .batch_size = 2});
  pool.reset_all();
  pool.step_all(1);
  pool.load(1, pool.save(0));
  for (int i = 0; i < 40; ++i) {  // over an end and the reset after it
    const Rows rows = pool.step_all(i % 2);
    CHECK_EQUAL(observation(rows, 0), observation(rows, 1));
    CHECK_EQUAL(rows.total()[0], rows.total()[1]);
  }
}

TEST(the_spec_names_gymnasiums_bounds_and_the_time_limit_of_v1) {
  const auto type = type_of<CartPole>();
  const pk_spec& spec = type->spec();
  CHECK_EQUAL(spec.max_episode_steps, 500);
  CHECK(spec.light);
  CHECK_EQUAL(static_cast<const float*>(spec.observation[0].high)[0], 4.8f);
  CHECK_EQUAL(static_cast<const float*>(spec.observation[0].high)[2], 0.41887903f);
  CHECK_EQUAL(static_cast<const int64_t*>(spec.action[0].high)[0], 1);
}

}  // namespace
}  // namespace poolkit::tests
