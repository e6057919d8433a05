// Random calls, legal and illegal, against a model of a few lines: every result is the expected
// one, none is lost, none comes twice.
#include <map>
#include <random>

#include "check.h"
#include "debug/failing.h"
#include "pools.h"

namespace poolkit::tests {
namespace {

using std::vector;
using namespace std::chrono_literals;

// The same environment, stepped by the caller too and in ranges.
struct LightFailing : debug::Failing {
  using Failing::Failing;
  static Spec spec(const Options& options) {
    Spec spec = Failing::spec(options);
    spec.light = true;
    return spec;
  }
};

// What an env gives for a request.
struct Expected {
  bool error = false;
  int64_t count = 0;
  bool terminated = false;
  std::optional<int64_t> final_count = {};
};

// One env as debug::Failing and the pool's rules have it.
class EnvModel {
 public:
  bool can_step(Autoreset mode) const {
    return state_ == State::running || (state_ == State::ended && mode != Autoreset::disabled);
  }
  Expected reset() {
    if (std::exchange(reset_throws_, false)) return broken();
    state_ = State::running;
    count_ = 0;
    return {};
  }
  Expected step(int64_t action, Autoreset mode) {
    if (state_ == State::ended) return reset();
    if (action == 1 || action == 2) return broken();
    ++count_;
    if (action == 0) return {.count = count_};
    reset_throws_ = action == 3;
    state_ = State::ended;
    if (mode != Autoreset::same_step) return {.count = count_, .terminated = true};
    const int64_t last = count_;
    Expected result = reset();
    result.terminated = true;
    result.final_count = last;
    return result;
  }

 private:
  enum class State { unreset, running, ended, broken };

  Expected broken() {
    state_ = State::broken;
    return {.error = true};
  }

  State state_ = State::unreset;
  int64_t count_ = 0;
  bool reset_throws_ = false;
};

class Run {
 public:
  Run(std::shared_ptr<const EnvType> type, const PoolConfig& config, unsigned seed)
      : random_(seed), pool_(std::move(type), config), models_(config.num_envs) {}

  void play(int calls) {
    for (int i = 0; i < calls; ++i) {
      const int call = below(10);
      if (call < 3)
        send();
      else if (call < 4)
        reset();
      else if (call < 5)
        misuse();
      else
        receive();
      CHECK_EQUAL(pool_.pending(), owed_.size());
    }
    while (!owed_.empty()) receive();
    CHECK_THROWS(UsageError, "nothing is pending", pool_.take());
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  EnvModel& model(int32_t id) { return models_[static_cast<size_t>(id)]; }

  // Some envs without a result pending, in random order.
  vector<int32_t> some() {
    vector<int32_t> ids;
    for (int32_t id : first_ids(models_.size()))
      if (!owed_.contains(id) && below(3) > 0) ids.push_back(id);
    std::ranges::shuffle(ids, random_);
    return ids;
  }

  void send() {
    const Autoreset mode = pool_.config().autoreset;
    vector<int32_t> ids = some();
    std::erase_if(ids, [&](int32_t id) { return !model(id).can_step(mode); });
    vector<int64_t> actions;
    for (int32_t id : ids) {
      actions.push_back(below(2) ? 0 : below(5));
      owed_[id] = model(id).step(actions.back(), mode);
    }
    pool_.send_all(actions, ids);
    for (int32_t id : ids) order_.push_back(id);
  }

  void reset() {
    const vector<int32_t> ids = some();
    for (int32_t id : ids) owed_[id] = model(id).reset();
    pool_.reset_ids(ids);
    for (int32_t id : ids) order_.push_back(id);
  }

  void misuse() {
    vector<int32_t> ids = some();
    const size_t pending = pool_.pending();
    ids.push_back(below(2) ? -1 : static_cast<int32_t>(models_.size()));
    CHECK_THROWS(std::out_of_range, "does not exist", pool_.reset_ids(ids));
    for (const auto& [id, expected] : owed_) {
      ids.back() = id;
      CHECK_THROWS(UsageError, "still has a result pending", pool_.reset_ids(ids));
    }
    for (int32_t id : first_ids(models_.size())) {
      if (owed_.contains(id) || model(id).can_step(pool_.config().autoreset)) continue;
      CHECK_THROWS(UsageError, "reset it", pool_.send_each(0, {id}));
    }
    CHECK_EQUAL(pool_.pending(), pending);
  }

  void receive() {
    if (owed_.empty()) return;
    try {
      if (below(2))
        check(pool_.take());
      else
        check(pool_.take(0ns));
    } catch (const Timeout&) {
    } catch (const EnvError& e) {
      CHECK(owed_.contains(e.env_id) && owed_[e.env_id].error);
      forget(e.env_id);
    }
  }

  void check(const Rows& rows) {
    CHECK_EQUAL(rows.size(), std::min(pool_.config().batch_size, owed_.size()));
    const vector<int32_t> ids = rows.ids();
    if (pool_.config().batch_size == models_.size()) CHECK_EQUAL(ids, order_);
    for (size_t k = 0; k < ids.size(); ++k) {
      CHECK(owed_.contains(ids[k]));
      const Expected& expected = owed_[ids[k]];
      CHECK(!expected.error);
      CHECK_EQUAL(rows.column<int64_t>(0, 0)[k], expected.count);
      CHECK_EQUAL(rows.elapsed()[k], expected.count);
      CHECK_EQUAL(rows.total()[k], static_cast<double>(expected.count));
      CHECK_EQUAL(rows.terminated()[k], expected.terminated);
      const bool has_final = rows.has_final() && rows.final_mask()[k];
      CHECK_EQUAL(has_final, expected.final_count.has_value());
      if (has_final) CHECK_EQUAL(rows.final_column<int64_t>(0, 0)[k], *expected.final_count);
    }
    for (int32_t id : ids) forget(id);
  }

  void forget(int32_t id) {
    owed_.erase(id);
    std::erase(order_, id);
  }

  std::mt19937 random_;
  TestPool pool_;
  vector<EnvModel> models_;
  std::map<int32_t, Expected> owed_;
  vector<int32_t> order_;  // of the envs in owed_, as sent
};

void play_all(const std::shared_ptr<const EnvType>& type) {
  unsigned seed = 0;
  for (Autoreset mode : {Autoreset::next_step, Autoreset::same_step, Autoreset::disabled})
    for (size_t threads : {1, 3})
      for (size_t batch : {1, 3, 4, 7})
        for (int run = 0; run < 6; ++run)
          Run(type, {.num_envs = 7, .batch_size = batch, .num_threads = threads, .autoreset = mode},
              ++seed)
              .play(150);
}

TEST(random_calls_give_what_the_model_says) { play_all(type_of<debug::Failing>()); }
TEST(and_so_with_light_envs) { play_all(type_of<LightFailing>()); }

}  // namespace
}  // namespace poolkit::tests
