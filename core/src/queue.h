// The queue between callers and workers: bounded, many producers, many consumers, no locks.
//
// After Dmitry Vyukov's bounded MPMC queue: every cell carries a sequence number that says whose
// turn it is, the producer's or the consumer's of a given round.
#ifndef POOLKIT_SRC_QUEUE_H_
#define POOLKIT_SRC_QUEUE_H_

#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

namespace poolkit {

struct OpenBatch;

// Work for one thread: `count` envs, from `first` along the chain that EnvStepper keeps.
struct Ticket {
  int32_t first = 0;
  uint32_t count = 0;
  OpenBatch* batch = nullptr;  // in lock-step: where the rows lie, from `row` on
  size_t row = 0;
  std::chrono::steady_clock::time_point queued = {};
};

class TicketQueue {
 public:
  // Room for `capacity` tickets: one for each env, since an env is in one ticket at most.
  explicit TicketQueue(size_t capacity)
      : mask_(std::bit_ceil(capacity < 2 ? 2 : capacity) - 1),
        cells_(std::make_unique<Cell[]>(mask_ + 1)) {
    for (size_t i = 0; i <= mask_; ++i)
      cells_[i].turn.store(i, std::memory_order_relaxed);  // partner: none yet, nobody looks
  }

  // There must be room.
  void push(const Ticket& ticket) {
    const size_t at = tail_.fetch_add(1);  // seq_cst: empty() must see it (see Workers)
    Cell& cell = cells_[at & mask_];
    // Acquire: pairs with pop()'s release of this cell in the round before. That consumer already
    // owns the cell and is about to leave it.
    while (cell.turn.load(std::memory_order_acquire) != at) std::this_thread::yield();
    cell.ticket = ticket;
    cell.turn.store(at + 1, std::memory_order_release);  // partner: pop()'s acquire
  }

  bool pop(Ticket& out) {
    size_t at = head_.load(std::memory_order_relaxed);  // a guess; the exchange below decides
    for (;;) {
      Cell& cell = cells_[at & mask_];
      const size_t turn = cell.turn.load(std::memory_order_acquire);  // partner: push()'s release
      if (turn == at + 1) {
        // Relaxed: only tells consumers apart; the ticket itself came with `turn`.
        if (head_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
          out = cell.ticket;
          cell.turn.store(at + mask_ + 1, std::memory_order_release);  // partner: push()'s acquire
          return true;
        }
      } else if (turn == at) {
        return false;  // nothing there yet
      } else {
        at = head_.load(std::memory_order_relaxed);  // another consumer was here
      }
    }
  }

  // About how many tickets there are.
  size_t size() const {
    const size_t head = head_.load(), tail = tail_.load();
    return tail > head ? tail - head : 0;
  }

  // May be out of date at once, but after a push() by the same thread, or by one that was seen to
  // be after it in the order of seq_cst operations, it never overlooks the ticket.
  bool empty() const { return head_.load() == tail_.load(); }

 private:
  struct Cell {
    std::atomic<size_t> turn{0};
    Ticket ticket;
  };

  const size_t mask_;
  const std::unique_ptr<Cell[]> cells_;
  alignas(64) std::atomic<size_t> head_{0};
  alignas(64) std::atomic<size_t> tail_{0};
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_QUEUE_H_
