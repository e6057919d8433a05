// Workers behind shared memory, as threads of this process: what is asked is answered, once, and
// the end of a worker is an error of its envs alone.
#include <unistd.h>

#include <atomic>
#include <thread>

#include "check.h"
#include "fleet.h"
#include "pools.h"
#include "seat.h"

namespace poolkit::tests {
namespace {

using std::vector;

// Counts steps; ends after `length`. Action 98 fails, 99 ends the worker without an answer.
void work(const std::shared_ptr<const Segment>& segment, size_t worker, int64_t length, int ending,
          std::atomic<int>& ended) {
  Seat seat(segment, worker);
  while (!seat.over()) {
    const std::optional<int32_t> id = seat.take();
    if (!id) {
      seat.wait();
      continue;
    }
    const EnvBlock& env = segment->env(*id);
    auto& count = *reinterpret_cast<int64_t*>(segment->observation(*id, 0));
    const int64_t action = *reinterpret_cast<const int64_t*>(segment->action(*id, 0));
    if (env.task == Task::call) {
      const auto question = segment->read(*id, Message::question, env.question);
      seat.reply(*id, std::string(question.begin(), question.end()) + std::to_string(count), false);
    } else if (env.task != Task::step) {
      count = 0;
      seat.outcome(*id, 0, false, false, "");
    } else if (action == 99) {
      break;
    } else if (action == 98) {
      seat.failure(*id, "told to fail");
    } else {
      ++count;
      const bool ends = count % length == 0;
      seat.outcome(*id, static_cast<double>(action), ends, false, ends ? "the end" : "");
    }
    seat.answer(*id);
  }
  ended.fetch_add(1);  // partner: describe_end, as the end of a process is
  close(ending);
}

struct Crew {
  explicit Crew(Plan plan, int64_t length = 3) : length(length) {
    plan.observation = {array<int64_t>("")};
    plan.action = {discrete("", 100)};
    segment = std::make_shared<Segment>(std::move(plan));
    vector<int> watched;
    for (size_t w = 0; w < segment->plan().num_workers; ++w) watched.push_back(start(w));
    fleet = Fleet::add(std::make_shared<Fleet>(segment, watched,
                                               Staff{.start = [this](size_t w) { return start(w); },
                                                     .describe_end =
                                                         [this](size_t w) {
                                                           static_cast<void>(ended.load());
                                                           return "worker " + std::to_string(w) +
                                                                  " ended";
                                                         },
                                                     .end = [this] { join(); }}));
  }
  ~Crew() { join(); }

  int start(size_t w) {
    int ends[2];
    if (pipe(ends)) std::abort();
    ++starts;
    threads.emplace_back(work, segment, w, length, ends[1], std::ref(ended));
    return ends[0];
  }
  void join() {
    for (std::thread& thread : threads) thread.join();
    threads.clear();
  }

  TestPool pool(size_t batch, Autoreset autoreset = Autoreset::next_step) {
    return TestPool(
        std::make_shared<EnvType>(&fleet_api(), vector<NamedValue>{{"fleet", fleet->number()}}),
        {.num_envs = segment->plan().num_envs, .batch_size = batch, .autoreset = autoreset});
  }

  const int64_t length;
  std::shared_ptr<const Segment> segment;
  vector<std::thread> threads;
  std::atomic<int> starts{0}, ended{0};
  std::shared_ptr<Fleet> fleet;
};

TEST(workers_share_the_envs_evenly) {
  const Segment segment({.observation = {array<int64_t>("")},
                         .action = {discrete("", 2)},
                         .num_envs = 10,
                         .num_workers = 4});
  for (size_t w = 0; w < 4; ++w) {
    const int32_t count = segment.first(w + 1) - segment.first(w);
    CHECK(count == 2 || count == 3);
    for (int32_t id = segment.first(w); id < segment.first(w + 1); ++id)
      CHECK_EQUAL(segment.worker_of(id), w);
  }
}

TEST(every_request_is_answered_once) {
  for (uint32_t spin : {0u, 50u})
    for (size_t batch : {7, 3})
      for (Autoreset autoreset : {Autoreset::next_step, Autoreset::same_step}) {
        Crew crew({.num_envs = 7, .num_workers = 3, .eager = batch < 7, .spin = spin});
        TestPool pool = crew.pool(batch, autoreset);
        pool.reset_ids(first_ids(7));
        vector<int64_t> counts(7, -1);
        for (int i = 0; i < 300; ++i) {
          const Rows rows = pool.take();
          CHECK_EQUAL(rows.size(), batch);
          for (size_t k = 0; k < rows.size(); ++k) {
            int64_t& count = counts[static_cast<size_t>(rows.ids()[k])];
            ++count;
            const bool same = autoreset == Autoreset::same_step;
            const int64_t cycle = same ? 3 : 4;
            CHECK_EQUAL(rows.terminated()[k],
                        count % cycle == 3 || (same && count && count % 3 == 0));
            CHECK_EQUAL(rows.column<int64_t>(0)[k], same ? count % 3 : count % 4);
          }
          pool.send_each(1, rows.ids());
        }
      }
}

TEST(failures_are_of_one_env) {
  Crew crew({.num_envs = 4, .num_workers = 2});
  TestPool pool = crew.pool(4);
  pool.reset_all();
  pool.send_all({1, 98, 1, 1}, first_ids(4));
  CHECK_THROWS(EnvError, "env 1: told to fail", pool.take());
  CHECK_EQUAL(pool.take().ids(), (vector<int32_t>{0, 2, 3}));
}

TEST(the_end_of_a_worker_is_an_error_of_its_envs_and_a_reset_starts_another) {
  Crew crew({.num_envs = 4, .num_workers = 2, .spin = 20});
  TestPool pool = crew.pool(4);
  for (int round = 1; round <= 3; ++round) {
    pool.reset_all();
    CHECK_EQUAL(crew.starts.load(), 1 + round);
    pool.send_all({1, 1, 1, 99}, first_ids(4));
    CHECK_THROWS(EnvError, "env 3: worker 1 ended", pool.take());
    CHECK_EQUAL(pool.take().ids(), (vector<int32_t>{0, 1, 2}));
    pool.send_all({1, 1, 1}, {0, 1, 2});  // env 2 went with the worker
    CHECK_THROWS(EnvError, "env 2: worker 1 ended", pool.take());
    CHECK_EQUAL(pool.take().column<int64_t>(0), (vector<int64_t>{2, 2}));
  }
}

TEST(questions_are_answered_between_steps) {
  Crew crew({.num_envs = 3, .num_workers = 2});
  TestPool pool = crew.pool(3);
  pool.reset_all();
  pool.step_all(1);
  const auto replies = crew.fleet->call(first_ids(3), "count: ", [] {});
  for (const auto& reply : replies)
    CHECK_EQUAL(std::string(reply.message.begin(), reply.message.end()), "count: 1");
  CHECK_EQUAL(crew.fleet->message_bytes(0), 0u);
  pool.step_all(1);
  pool.step_all(1);
  const auto text = crew.fleet->message(0, false);
  CHECK_EQUAL(std::string(text.begin(), text.end()), "the end");
}

}  // namespace
}  // namespace poolkit::tests
