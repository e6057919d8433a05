// The queue and the workers on their own.
#include <atomic>
#include <thread>
#include <vector>

#include "check.h"
#include "queue.h"
#include "workers.h"

namespace poolkit::tests {
namespace {

TEST(tickets_come_out_in_the_order_they_went_in) {
  TicketQueue queue(5);
  Ticket out;
  CHECK(queue.empty() && !queue.pop(out));
  for (int32_t round = 0; round < 20; ++round) {
    for (int32_t i = 0; i < 5; ++i) queue.push({round * 5 + i, 1});
    CHECK_EQUAL(queue.size(), 5u);
    for (int32_t i = 0; i < 5; ++i) CHECK(queue.pop(out) && out.first == round * 5 + i);
    CHECK(queue.empty() && !queue.pop(out));
  }
}

TEST(many_producers_and_consumers_lose_and_repeat_no_ticket) {
  constexpr int kThreads = 3, kEach = 20000;
  constexpr size_t kRoom = 64;
  TicketQueue queue(kRoom);
  std::atomic<size_t> room{kRoom};  // what the queue's users must see to
  std::vector<std::atomic<int>> seen(kThreads * kEach);
  std::atomic<int> popped{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        size_t free = room.load();
        while (free == 0 || !room.compare_exchange_weak(free, free - 1)) {
          std::this_thread::yield();
          free = room.load();
        }
        queue.push({t * kEach + i, 1});
      }
    });
    threads.emplace_back([&] {
      Ticket out;
      while (popped.load() < kThreads * kEach) {
        if (!queue.pop(out)) {
          std::this_thread::yield();
          continue;
        }
        ++seen[static_cast<size_t>(out.first)];
        ++popped;
        ++room;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::atomic<int>& count : seen) CHECK_EQUAL(count.load(), 1);
}

// Has as many pieces of work as were added.
class Heap : public Source {
 public:
  void add(int n) { left_.fetch_add(n); }
  int done() const { return done_.load(); }

  bool work() override {
    int left = left_.load();
    while (left > 0)
      if (left_.compare_exchange_weak(left, left - 1)) return ++done_;
    return false;
  }
  bool has_work() const override { return left_.load() > 0; }

 private:
  std::atomic<int> left_{0}, done_{0};
};

TEST(no_wake_is_lost) {
  Heap heap;
  Workers workers(3, {});
  workers.attach(heap);
  for (int i = 1; i <= 2000; ++i) {
    heap.add(1);
    workers.wake(1);
    while (heap.done() < i) std::this_thread::yield();
  }
  workers.detach(heap);
}

TEST(workers_serve_several_sources) {
  Heap one, other;
  Workers workers(2, {});
  workers.attach(one);
  workers.attach(other);
  one.add(1000);
  other.add(1000);
  workers.wake(2);
  while (one.done() < 1000 || other.done() < 1000) std::this_thread::yield();
  workers.detach(one);
  other.add(1);
  workers.wake(1);
  while (other.done() < 1001) std::this_thread::yield();
  workers.detach(other);
}

TEST(detach_waits_for_the_work_that_is_being_done) {
  for (int i = 0; i < 200; ++i) {
    Workers workers(2, {});
    auto heap = std::make_unique<Heap>();
    workers.attach(*heap);
    heap->add(10);
    workers.wake(2);
    while (heap->done() == 0) std::this_thread::yield();
    workers.detach(*heap);
    const int done = heap->done();
    heap.reset();
    CHECK(done > 0);
  }
}

TEST(workers_may_be_stopped_twice) {
  Workers workers(2, {});
  workers.stop();
  workers.stop();
}

}  // namespace
}  // namespace poolkit::tests
