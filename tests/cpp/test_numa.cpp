// NUMA: an env stays with the workers of its node, which touch its memory first. Nodes are made of
// the CPUs that are here, some of them several times: a node is a group of workers.
#include <sys/mman.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "check.h"
#include "cpus.h"
#include "debug/farm.h"
#include "pools.h"
#include "workers.h"

namespace poolkit::tests {
namespace {

using std::vector;

constexpr int64_t kPage = 4096;

// Shows which thread built it and which stepped it, and whether its row was touched before.
class Settler {
 public:
  static Spec spec(const Options&) {
    return {.observation = {array<uint8_t>("", {kPage})},
            .action = {discrete("", 2)},
            .info = {array<int64_t>("builder", {1}), array<int64_t>("stepper", {1}),
                     array<bool>("touched", {1})}};
  }
  explicit Settler(const Options&) {}
  void reset(Reset, Rng&) { stepper_ = gettid(); }
  Transition step(Action, Rng&) {
    stepper_ = gettid();
    return {};
  }
  void observe(Row row) const {
    uint8_t* page = row.observation<uint8_t>().data();
    unsigned char resident = 0;
    mincore(page - reinterpret_cast<uintptr_t>(page) % kPage, 1, &resident);
    row.info<int64_t>(0)[0] = builder_;
    row.info<int64_t>(1)[0] = stepper_;
    row.info<bool>(2)[0] = resident & 1;
    page[0] = 1;
  }

 private:
  const int64_t builder_ = gettid();
  int64_t stepper_ = 0;
};

// So many nodes, of a CPU each.
vector<vector<int>> nodes(size_t count) {
  const vector<int> cpus = allowed_cpus();
  vector<vector<int>> out;
  for (size_t node = 0; node < count; ++node) out.push_back({cpus[node % cpus.size()]});
  return out;
}

TEST(workers_take_nodes_in_turn) {
  const vector<int> cpus = allowed_cpus();
  const int first = cpus.front(), last = cpus.back();
  const auto sizes = [](const WorkerNodes& workers) {
    vector<size_t> out;
    for (const auto& node : workers.nodes()) out.push_back(node->size());
    return out;
  };
  CHECK_EQUAL(sizes(WorkerNodes(3, {})), (vector<size_t>{3}));
  CHECK_EQUAL(sizes(WorkerNodes(3, {{first}, {last}})), (vector<size_t>{2, 1}));
  CHECK_EQUAL(sizes(WorkerNodes(4, {{first, last, first}, {last}})), (vector<size_t>{3, 1}));
  CHECK_EQUAL(sizes(WorkerNodes(3, nodes(8))), (vector<size_t>{1, 1, 1}));
  CHECK_THROWS(std::invalid_argument, "CPU 100000", WorkerNodes(2, {{first}, {100000}}));
}

// A worker a node: whatever is asked in whatever order, an env is always with the same thread.
void expect_settled(size_t num_nodes, size_t num_envs, size_t batch_size) {
  TestPool pool = TestPool::of<Settler>({.num_envs = num_envs,
                                         .batch_size = batch_size,
                                         .num_threads = num_nodes,
                                         .affinity = nodes(num_nodes)});
  vector<int64_t> builders(num_envs);
  vector<int32_t> ids = first_ids(num_envs);
  std::reverse(ids.begin(), ids.end());
  pool.reset_ids(ids);
  const auto unseen = [&] { return std::count(builders.begin(), builders.end(), 0) > 0; };
  for (size_t results = 0; results < 6 * num_envs || unseen();) {
    const Rows rows = pool.take();
    results += rows.size();
    CHECK_EQUAL(rows.column<int64_t>(2), rows.column<int64_t>(1));
    for (size_t row = 0; row < rows.size(); ++row)
      builders[static_cast<size_t>(rows.ids()[row])] = rows.column<int64_t>(1)[row];
    pool.send_each(0, rows.ids());
  }
  const size_t settled = std::min(num_nodes, num_envs);
  CHECK_EQUAL(std::set<int64_t>(builders.begin(), builders.end()).size(), settled);
  builders.erase(std::unique(builders.begin(), builders.end()), builders.end());
  CHECK_EQUAL(builders.size(), settled);  // neighbours are together
}

TEST(envs_are_built_and_stepped_on_their_own_node) {
  expect_settled(2, 16, 16);
  expect_settled(2, 16, 5);
  expect_settled(8, 32, 32);
  expect_settled(8, 32, 3);
  expect_settled(8, 3, 3);
  expect_settled(3, 10, 10);
}

TEST(memory_is_first_touched_by_the_worker_that_writes_it) {
  for (size_t batch_size : {16, 8}) {
    TestPool pool = TestPool::of<Settler>(
        {.num_envs = 16, .batch_size = batch_size, .num_threads = 2, .affinity = nodes(2)});
    pool.reset_ids(first_ids(16));
    vector<Rows> kept;
    while (pool.pending() > 0) {
      kept.push_back(pool.take());
      CHECK_EQUAL(kept.back().column<uint8_t>(3), vector<uint8_t>(batch_size, 0));
    }
    kept.clear();
    pool.send_each(0, first_ids(16));
    CHECK_EQUAL(pool.take().column<uint8_t>(3), vector<uint8_t>(batch_size, 1));  // used again
  }
}

class Picky {
 public:
  static Spec spec(const Options&) {
    return {.observation = {array<uint8_t>("", {1})}, .action = {discrete("", 2)}};
  }
  explicit Picky(const Options&) {
    if (++built > 5) throw std::runtime_error("enough");
  }
  ~Picky() { --left; }
  void reset(Reset, Rng&) {}
  Transition step(Action, Rng&) { return {}; }
  void observe(Row) const {}

  static inline std::atomic<int> built{0}, left{5};
};

TEST(an_env_that_cannot_be_built_on_one_of_many_nodes_is_an_error) {
  CHECK_THROWS(EnvError, "enough",
               TestPool::of<Picky>(
                   {.num_envs = 64, .batch_size = 64, .num_threads = 8, .affinity = nodes(8)}));
  CHECK_EQUAL(Picky::left.load(), 0);
}

TEST(a_group_does_without_nodes) {
  TestPool pool = TestPool::of<debug::Farm>(
      {.num_envs = 4, .batch_size = 4, .num_threads = 2, .affinity = nodes(2)});
  pool.reset_all();
  CHECK_EQUAL(pool.step_all(1).elapsed(), vector<int32_t>(4, 1));
}

TEST(pools_share_workers_of_several_nodes) {
  const auto workers = std::make_shared<WorkerNodes>(4, nodes(2));
  PoolConfig config{.num_envs = 6, .batch_size = 6, .workers = workers};
  TestPool one = TestPool::of<Settler>(config), other = TestPool::of<Settler>(config);
  for (int round = 0; round < 20; ++round) {
    CHECK_EQUAL(one.reset_all().ids(), first_ids(6));
    CHECK_EQUAL(other.reset_all().ids(), first_ids(6));
  }
}

}  // namespace
}  // namespace poolkit::tests
