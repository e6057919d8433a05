// Python environments behind the group form: they live with workers (processes, or threads), which
// share a Segment with this.
//
// Envs are bound to their worker. A wake-up is needed only where the other side sleeps: workers and
// callers of poll() look for news for a moment before they do. One thread sees to what nobody
// polls for, and to the death of workers.
#ifndef POOLKIT_PROCESSES_FLEET_H_
#define POOLKIT_PROCESSES_FLEET_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "futex.h"
#include "poolkit/group.h"
#include "segment.h"

namespace poolkit {

// How workers come and go, which is Python's. Called from any thread, without locks.
struct Staff {
  // Starts a worker again; gives a descriptor that becomes readable when it ends, or throws.
  std::function<int(size_t worker)> start;
  // How a worker ended.
  std::function<std::string(size_t worker)> describe_end;
  // Sees to it that none is left. They were told to stop.
  std::function<void()> end;
};

class Fleet {
 public:
  // `watched` has, for each worker, a descriptor as from Staff::start; -1: it cannot die.
  Fleet(std::shared_ptr<const Segment> segment, std::vector<int> watched, Staff staff);
  ~Fleet();
  Fleet(const Fleet&) = delete;

  // Where options of the environment type refer to it.
  int64_t number() const { return number_; }
  static std::shared_ptr<Fleet> of_number(int64_t number);
  static std::shared_ptr<Fleet> add(std::shared_ptr<Fleet> fleet);

  const Segment& segment() const { return *segment_; }

  // The group.
  void open(Host host);
  void close();
  void submit(std::span<const pk_request> requests, std::span<const pk_view> actions);
  void observe(int32_t id, const pk_view& row) const;
  bool poll();

  // What the worker says to `question` about each env, which must be idle. `pause` is called now
  // and then while it waits, and throws to give up.
  struct Reply {
    enum Kind : int { answer, failure, end } kind;  // end: how the worker ended
    std::vector<char> message;
  };
  std::vector<Reply> call(std::span<const int32_t> ids, std::string_view question,
                          const std::function<void()>& pause);

  // For the next request about an idle env.
  void attach(int32_t id, std::string_view question) const;

  // The message that came with the last answer about an idle env, or with the one before.
  std::vector<char> message(int32_t id, bool before) const;
  size_t message_bytes(int32_t id) const;

 private:
  enum class State : uint8_t { idle, out, called };  // out: the host waits for it
  struct Worker {
    int watched = -1;
    bool alive = true;
    std::string end;  // how it ended
    uint32_t collected = 0;
  };
  struct Answers {
    std::vector<int32_t> ids;
    std::vector<pk_transition> transitions;
    std::vector<std::pair<int32_t, std::string>> failures;
    bool empty() const { return ids.empty() && failures.empty(); }
  };

  void ask(int32_t id);
  void wake_asked() const;
  void collect(Answers& answers);
  void collect(size_t w, Answers& answers);
  bool deliver(Answers& answers);
  bool collect_and_deliver();
  void bury(size_t w);
  void hire(size_t w);
  void watch();
  void nudge() const;

  const std::shared_ptr<const Segment> segment_;
  const Staff staff_;
  int64_t number_ = 0;
  std::optional<Host> host_;
  // Of whoever receives, one at a time; who has nothing else to do looks for longer.
  Lookout lookout_;

  std::mutex mutex_;  // of what follows, and of asking
  std::condition_variable replied_;
  std::vector<Worker> workers_;
  std::vector<State> states_;    // of each env
  std::vector<uint8_t> lost_;    // its worker ended since its last reset
  std::vector<uint32_t> asked_;  // workers that were given work in a submit
  size_t pollers_ = 0;
  bool closing_ = false;
  std::thread watcher_;
};

// The type of environment that the pool is made of: its option `fleet` is a number of a Fleet.
const pk_env_api& fleet_api();

}  // namespace poolkit

#endif  // POOLKIT_PROCESSES_FLEET_H_
