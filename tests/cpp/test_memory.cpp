// Batch memory: where it comes from, when it is used again, and what happens when there is none.
#include <atomic>
#include <set>
#include <thread>

#include "check.h"
#include "debug/counter.h"
#include "pools.h"

namespace poolkit::tests {
namespace {

using std::vector;

// Counts what is out, and refuses when told to.
class CountingAllocator final : public Allocator {
 public:
  ~CountingAllocator() override = default;
  void* allocate(size_t bytes) override {
    if (refuses.load()) throw std::bad_alloc();
    ++out;
    return heap_.allocate(bytes);
  }
  void deallocate(void* memory, size_t bytes) noexcept override {
    --out;
    heap_.deallocate(memory, bytes);
  }

  std::atomic<int> out{0};
  std::atomic<bool> refuses{false};

 private:
  HeapAllocator heap_;
};

TEST(a_dropped_buffer_is_used_again) {
  const auto allocator = std::make_shared<CountingAllocator>();
  auto store = std::make_shared<BufferStore>(100, allocator);
  void* memory = nullptr;
  {
    const BufferRef first = store->take();
    memory = first.data();
    CHECK_EQUAL(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
    CHECK(store->take().data() != memory);
  }
  const BufferRef again = store->take(), other = store->take();
  CHECK((std::set<void*>{again.data(), other.data()}.count(memory)) == 1);
  CHECK_EQUAL(allocator->out.load(), 2);
}

TEST(a_buffer_outlives_its_store) {
  const auto allocator = std::make_shared<CountingAllocator>();
  auto store = std::make_shared<BufferStore>(100, allocator);
  BufferRef held = store->take();
  store->take();
  store.reset();
  CHECK_EQUAL(allocator->out.load(), 2);
  BufferRef moved = std::move(held);
  CHECK(!held && moved);
  moved = BufferRef();
  CHECK_EQUAL(allocator->out.load(), 0);
}

TEST(buffers_may_be_dropped_by_other_threads) {
  auto store = std::make_shared<BufferStore>(64, std::make_shared<HeapAllocator>());
  vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&store] {
      for (int i = 0; i < 2000; ++i) {
        BufferRef a = store->take(), b = store->take();
        *static_cast<char*>(a.data()) = *static_cast<char*>(b.data()) = 1;
        CHECK(a.data() != b.data());
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(all_batch_memory_comes_from_the_allocator_and_returns_to_it) {
  const auto allocator = std::make_shared<CountingAllocator>();
  std::optional<Batch> kept;
  {
    TestPool pool(type_of<debug::Counter>(),
                  PoolConfig{.num_envs = 2, .batch_size = 2, .allocator = allocator});
    const size_t columns = pool.layout().columns.size();
    pool.reset_all();
    CHECK_EQUAL(allocator->out.load(), static_cast<int>(columns));
    for (int i = 0; i < 20; ++i) pool.step_all(1);
    CHECK_EQUAL(allocator->out.load(), static_cast<int>(columns));
    pool.reset_ids(first_ids(2));
    kept = pool.recv({}, {});
  }
  CHECK(allocator->out.load() > 0);
  kept.reset();
  CHECK_EQUAL(allocator->out.load(), 0);
}

TEST(a_send_without_memory_changes_nothing) {
  const auto allocator = std::make_shared<CountingAllocator>();
  TestPool pool(type_of<debug::Counter>(),
                PoolConfig{.num_envs = 2, .batch_size = 2, .allocator = allocator});
  const Rows held = pool.reset_all();
  allocator->refuses = true;
  CHECK_THROWS(std::bad_alloc, "", pool.send_each(1, first_ids(2)));
  CHECK_EQUAL(pool.pending(), 0u);
  allocator->refuses = false;
  CHECK_EQUAL(pool.step_all(1).column<int64_t>(0, 0), (vector<int64_t>{1, 1}));
}

TEST(an_asynchronous_env_without_memory_for_its_row_fails) {
  const auto allocator = std::make_shared<CountingAllocator>();
  TestPool pool(type_of<debug::Counter>(),
                PoolConfig{.num_envs = 3, .batch_size = 1, .allocator = allocator});
  pool.reset_ids(first_ids(3));
  vector<Rows> held;
  while (pool.pending() > 0) held.push_back(pool.take());
  allocator->refuses = true;
  pool.send_each(1, {1});
  CHECK_THROWS(EnvError, "env 1: out of memory", pool.take());
  CHECK_EQUAL(pool.pending(), 0u);
  allocator->refuses = false;
  pool.reset_ids({1});
  CHECK_EQUAL(pool.take().ids(), (vector<int32_t>{1}));
}

}  // namespace
}  // namespace poolkit::tests
