// A worker's side: takes requests for its envs and publishes answers.
#ifndef POOLKIT_PROCESSES_SEAT_H_
#define POOLKIT_PROCESSES_SEAT_H_

#include <memory>
#include <optional>

#include "futex.h"
#include "segment.h"

namespace poolkit {

// For one thread. What it says of an env counts from answer() on.
class Seat {
 public:
  Seat(std::shared_ptr<const Segment> segment, size_t worker)
      : segment_(std::move(segment)),
        worker_(segment_->worker(worker)),
        index_(worker),
        lookout_(segment_->plan().spin) {}

  const Segment& segment() const { return *segment_; }

  // The next request's env; nullopt: there is none yet.
  std::optional<int32_t> take();
  // Sleeps until there is one, or the pool ends.
  void wait();
  bool over() const { return segment_->header().stopping.load() != 0; }

  // To be said before answer().
  void outcome(int32_t id, double reward, bool terminated, bool truncated,
               std::string_view message);
  void failure(int32_t id, std::string_view message);
  void reply(int32_t id, std::string_view message, bool failed);

  void answer(int32_t id);

 private:
  bool news() const;

  const std::shared_ptr<const Segment> segment_;
  WorkerBlock& worker_;
  const size_t index_;
  Lookout lookout_;
  bool announced_ = true;
};

}  // namespace poolkit

#endif  // POOLKIT_PROCESSES_SEAT_H_
