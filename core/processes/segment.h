// The memory that a pool shares with the workers that step Python environments: requests, actions,
// answers, observations.
//
// It is a file without a name, so nothing of it outlives the processes that have it open. Both
// sides compute the same layout. Values of fixed size lie in mapped memory; messages (infos,
// errors, pickled objects) are written to the file behind it, where each env has room enough at
// places of its own, and pages exist only once they are written to.
#ifndef POOLKIT_PROCESSES_SEGMENT_H_
#define POOLKIT_PROCESSES_SEGMENT_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "poolkit/spec.h"

namespace poolkit {

// What a worker is asked to do with an env.
enum class Task : uint32_t { step, reset, seeded_reset, call };

// The files for messages of an env. Answers take turns, so that the one before the last can still
// be read: in same-step autoreset that is the end of the episode.
enum class Message : uint32_t { answer, other_answer, question, reply };

struct Plan {
  std::vector<Array> observation = {}, action = {};
  size_t num_envs = 1, num_workers = 1;
  bool eager = false;  // each answer is announced, not only the last of a round
  uint32_t spin = 0;   // us for which a worker looks for requests before it sleeps
};

struct alignas(64) EnvBlock {
  Task task;
  uint64_t seed;
  uint64_t question;  // bytes of the message
  bool terminated, truncated, failed;
  uint8_t turn;  // which of the two answers is the last
  double reward;
  uint64_t answer[2];
  uint64_t reply;
};

struct WorkerBlock {
  // Counts; their low bits are places in the rings.
  alignas(64) std::atomic<uint32_t> asked;
  std::atomic<uint32_t> asleep;  // the worker waits for `signal` to change
  std::atomic<uint32_t> signal;
  alignas(64) std::atomic<uint32_t> taken;
  std::atomic<uint32_t> answered;
};

struct Header {
  alignas(64) std::atomic<uint32_t> listening;  // the pool sleeps until its bell rings
  alignas(64) std::atomic<uint32_t> stopping;
};

class Segment {
 public:
  // `memory` and `bell` are descriptors of another Segment of the same plan, and become this one's;
  // -1: makes new ones.
  explicit Segment(Plan plan, int memory = -1, int bell = -1);
  ~Segment();
  Segment(const Segment&) = delete;

  const Plan& plan() const { return plan_; }
  int memory() const { return memory_; }
  int bell() const { return bell_; }

  // Worker w has envs first(w) .. first(w + 1) - 1.
  int32_t first(size_t worker) const;
  size_t worker_of(int32_t id) const { return worker_of_[static_cast<size_t>(id)]; }

  Header& header() const { return *reinterpret_cast<Header*>(base_); }
  WorkerBlock& worker(size_t w) const;
  EnvBlock& env(int32_t id) const;
  // Each holds one entry for each env of the worker at least: an env has one request at a time.
  int32_t& request(size_t w, uint32_t place) const { return ring(w, 0)[place & ring_mask_]; }
  int32_t& answer(size_t w, uint32_t place) const { return ring(w, 1)[place & ring_mask_]; }

  unsigned char* observation(int32_t id, size_t k) const;
  unsigned char* action(int32_t id, size_t k) const;
  size_t observation_bytes(size_t k) const { return observation_.bytes[k]; }
  size_t action_bytes(size_t k) const { return action_.bytes[k]; }

  // Throw std::system_error.
  void write(int32_t id, Message which, std::string_view message) const;
  std::vector<char> read(int32_t id, Message which, size_t bytes) const;

  // Wakes the pool where it sleeps. After answers were published.
  void ring_bell() const;

 private:
  struct Rows {  // of some arrays, for each env
    explicit Rows(const std::vector<Array>& arrays);
    std::vector<size_t> bytes, offset;
    size_t stride = 0;
  };
  int32_t* ring(size_t w, size_t which) const;
  int64_t place_of(int32_t id, Message which) const;

  const Plan plan_;
  const Rows observation_, action_;
  std::vector<size_t> worker_of_;
  uint32_t ring_mask_ = 0;
  size_t workers_at_ = 0, envs_at_ = 0, rings_at_ = 0, actions_at_ = 0, observations_at_ = 0;
  size_t size_ = 0;
  int memory_, bell_;
  unsigned char* base_ = nullptr;
};

}  // namespace poolkit

#endif  // POOLKIT_PROCESSES_SEGMENT_H_
