#include "fleet.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>

#include "signals.h"

namespace poolkit {
namespace {

std::mutex table_mutex;
std::map<int64_t, std::weak_ptr<Fleet>> table;

}  // namespace

Fleet::Fleet(std::shared_ptr<const Segment> segment, std::vector<int> watched, Staff staff)
    : segment_(std::move(segment)),
      staff_(std::move(staff)),
      lookout_(5 * segment_->plan().spin),
      states_(segment_->plan().num_envs, State::idle),
      lost_(segment_->plan().num_envs, 0) {
  for (int descriptor : watched) workers_.emplace_back().watched = descriptor;
}

Fleet::~Fleet() {
  close();
  const std::lock_guard lock(table_mutex);
  table.erase(number_);
}

std::shared_ptr<Fleet> Fleet::add(std::shared_ptr<Fleet> fleet) {
  static int64_t last = 0;
  const std::lock_guard lock(table_mutex);
  fleet->number_ = ++last;
  table[last] = fleet;
  return fleet;
}

std::shared_ptr<Fleet> Fleet::of_number(int64_t number) {
  const std::lock_guard lock(table_mutex);
  const auto found = table.find(number);
  auto fleet = found == table.end() ? nullptr : found->second.lock();
  if (!fleet) throw std::invalid_argument("these environments are closed");
  return fleet;
}

void Fleet::open(Host host) {
  if (host_) throw std::invalid_argument("these environments are in another pool");
  host_ = host;
  segment_->header().listening.store(1);
  const SignalsBlocked blocked;  // the new thread inherits the mask
  watcher_ = std::thread(&Fleet::watch, this);
}

void Fleet::close() {
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    closing_ = true;
  }
  if (watcher_.joinable()) {
    nudge();
    watcher_.join();
  }
  segment_->header().stopping.store(1);
  for (size_t w = 0; w < workers_.size(); ++w) {
    segment_->worker(w).signal.fetch_add(1);
    futex_wake(segment_->worker(w).signal);
  }
  staff_.end();
  for (Worker& worker : workers_)
    if (worker.watched >= 0) ::close(worker.watched);
}

// --- requests ---

void Fleet::submit(std::span<const pk_request> requests, std::span<const pk_view> actions) {
  std::vector<std::pair<int32_t, std::string>> lost;
  std::vector<size_t> missing;
  {
    const std::lock_guard lock(mutex_);
    asked_.clear();
    for (size_t i = 0; i < requests.size(); ++i) {
      const pk_request& request = requests[i];
      const auto at = static_cast<size_t>(request.id);
      const size_t w = segment_->worker_of(request.id);
      if (request.is_step && lost_[at]) {
        lost.emplace_back(request.id, workers_[w].end);
        continue;
      }
      EnvBlock& env = segment_->env(request.id);
      if (request.is_step) {
        env.task = Task::step;
        for (size_t k = 0; k < segment_->plan().action.size(); ++k)
          std::memcpy(segment_->action(request.id, k),
                      static_cast<const unsigned char*>(actions[i].data[k]) +
                          actions[i].row * actions[i].bytes[k],
                      actions[i].bytes[k]);
      } else {
        env.task = request.reset == PK_RESET_SEEDED ? Task::seeded_reset : Task::reset;
        env.seed = request.seed;
        lost_[at] = false;
        if (!workers_[w].alive) {
          workers_[w].alive = true;
          missing.push_back(w);
        }
      }
      states_[at] = State::out;
      ask(request.id);
    }
    wake_asked();
  }
  for (size_t w : missing) hire(w);
  for (const auto& [id, message] : lost) host_->fail(id, message.c_str());
}

// With the mutex; the worker may have to be woken.
void Fleet::ask(int32_t id) {
  const size_t w = segment_->worker_of(id);
  WorkerBlock& worker = segment_->worker(w);
  const uint32_t at = worker.asked.load(std::memory_order_relaxed);
  segment_->request(w, at) = id;
  worker.asked.store(at + 1);
  if (asked_.empty() || asked_.back() != w) asked_.push_back(static_cast<uint32_t>(w));
}

void Fleet::wake_asked() const {
  for (uint32_t w : asked_) {
    WorkerBlock& worker = segment_->worker(w);
    // Seq_cst: a worker says that it sleeps, then looks at `asked` once more.
    if (worker.asleep.load() == 0) continue;
    worker.signal.fetch_add(1);
    futex_wake(worker.signal);
  }
}

void Fleet::hire(size_t w) {
  std::string reason;
  try {
    const int watched = staff_.start(w);
    {
      const std::lock_guard lock(mutex_);
      workers_[w].watched = watched;
    }
    nudge();
    return;
  } catch (const std::exception& error) {
    reason = error.what();
  }
  {
    const std::lock_guard lock(mutex_);
    workers_[w].end = "its worker could not be started again: " + reason;
  }
  bury(w);
}

// --- answers ---

void Fleet::collect(Answers& answers) {
  for (size_t w = 0; w < workers_.size(); ++w) collect(w, answers);
}

void Fleet::collect(size_t w, Answers& answers) {
  const uint32_t end = segment_->worker(w).answered.load();  // partner: Seat::answer()
  for (uint32_t& at = workers_[w].collected; at != end; ++at) {
    const int32_t id = segment_->answer(w, at);
    // A worker gone wild writes what it likes.
    if (id < segment_->first(w) || id >= segment_->first(w + 1)) continue;
    State& state = states_[static_cast<size_t>(id)];
    const State was = state;
    state = State::idle;
    if (was == State::called) {
      replied_.notify_all();
    } else if (was == State::out) {
      const EnvBlock& env = segment_->env(id);
      if (env.failed) {
        const std::vector<char> text = message(id, false);
        answers.failures.emplace_back(id, std::string(text.begin(), text.end()));
      } else {
        answers.ids.push_back(id);
        answers.transitions.push_back(
            {env.reward, env.reward, env.terminated, env.truncated, 0, {}});
      }
    }
  }
}

// Without the mutex, because the host calls back.
bool Fleet::deliver(Answers& answers) {
  if (answers.empty()) return false;
  if (!answers.ids.empty()) host_->complete(answers.ids, answers.transitions);
  for (const auto& [id, message] : answers.failures) host_->fail(id, message.c_str());
  return true;
}

bool Fleet::collect_and_deliver() {
  Answers answers;
  {
    const std::lock_guard lock(mutex_);
    collect(answers);
  }
  return deliver(answers);
}

bool Fleet::poll() {
  Header& header = segment_->header();
  Answers answers;
  const auto look = [&] {
    const std::lock_guard lock(mutex_);
    collect(answers);
    return !answers.empty();
  };
  {
    const std::lock_guard lock(mutex_);
    ++pollers_;
    header.listening.store(0);
  }
  lookout_.await(look);
  {
    const std::lock_guard lock(mutex_);
    // Seq_cst: an answer that is missed here rings.
    if (--pollers_ == 0) header.listening.store(1);
    collect(answers);
  }
  return deliver(answers);
}

// --- the watcher ---

void Fleet::nudge() const {
  const uint64_t one = 1;
  static_cast<void>(!::write(segment_->bell(), &one, sizeof one));
}

void Fleet::watch() {
  while (true) {
    std::vector<pollfd> watched{{segment_->bell(), POLLIN, 0}};
    std::vector<size_t> whose{0};
    {
      const std::lock_guard lock(mutex_);
      if (closing_) return;
      for (size_t w = 0; w < workers_.size(); ++w)
        if (workers_[w].alive && workers_[w].watched >= 0) {
          watched.push_back({workers_[w].watched, POLLIN, 0});
          whose.push_back(w);
        }
    }
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;  // EINTR
    if (watched[0].revents) {
      uint64_t rings = 0;
      static_cast<void>(!::read(segment_->bell(), &rings, sizeof rings));
      {
        const std::lock_guard lock(mutex_);
        // Seq_cst: an answer that is missed below rings again.
        if (pollers_ == 0) segment_->header().listening.store(1);
      }
      collect_and_deliver();
    }
    for (size_t i = 1; i < watched.size(); ++i) {
      if (!watched[i].revents) continue;
      std::string how = staff_.describe_end(whose[i]);
      {
        const std::lock_guard lock(mutex_);
        Worker& worker = workers_[whose[i]];
        worker.end = std::move(how);
        ::close(std::exchange(worker.watched, -1));
      }
      bury(whose[i]);
    }
  }
}

// What a worker that has ended had answered counts; the rest of what it was asked fails.
void Fleet::bury(size_t w) {
  Answers answers;
  {
    const std::lock_guard lock(mutex_);
    workers_[w].alive = false;
    collect(w, answers);
    WorkerBlock& block = segment_->worker(w);
    block.taken.store(block.asked.load());
    block.asleep.store(0);
    for (int32_t id = segment_->first(w); id < segment_->first(w + 1); ++id) {
      const auto at = static_cast<size_t>(id);
      if (states_[at] == State::out) answers.failures.emplace_back(id, workers_[w].end);
      lost_[at] = true;
      states_[at] = State::idle;
    }
    replied_.notify_all();
  }
  deliver(answers);
}

// --- the rest ---

void Fleet::observe(int32_t id, const pk_view& row) const {
  for (size_t k = 0; k < segment_->plan().observation.size(); ++k)
    std::memcpy(static_cast<unsigned char*>(row.data[k]) + row.row * row.bytes[k],
                segment_->observation(id, k), row.bytes[k]);
}

std::vector<Fleet::Reply> Fleet::call(std::span<const int32_t> ids, std::string_view question,
                                      const std::function<void()>& pause) {
  for (int32_t id : ids) attach(id, question);
  std::unique_lock lock(mutex_);
  if (closing_) throw std::runtime_error("the pool is closed");
  asked_.clear();
  for (int32_t id : ids) {
    if (!workers_[segment_->worker_of(id)].alive) continue;
    EnvBlock& env = segment_->env(id);
    env.task = Task::call;
    env.reply = 0;
    states_[static_cast<size_t>(id)] = State::called;
    ask(id);
  }
  wake_asked();
  const auto done = [&] {
    return closing_ || std::none_of(ids.begin(), ids.end(), [&](int32_t id) {
             return states_[static_cast<size_t>(id)] == State::called;
           });
  };
  while (!replied_.wait_for(lock, std::chrono::milliseconds(50), done)) {
    lock.unlock();
    pause();
    lock.lock();
  }
  if (closing_) throw std::runtime_error("the pool is closed");
  std::vector<Reply> replies;
  for (int32_t id : ids) {
    const EnvBlock& env = segment_->env(id);
    if (lost_[static_cast<size_t>(id)]) {
      const std::string& end = workers_[segment_->worker_of(id)].end;
      replies.push_back({Reply::end, {end.begin(), end.end()}});
    } else {
      replies.push_back({env.failed ? Reply::failure : Reply::answer,
                         segment_->read(id, Message::reply, env.reply)});
    }
  }
  return replies;
}

void Fleet::attach(int32_t id, std::string_view question) const {
  segment_->write(id, Message::question, question);
  segment_->env(id).question = question.size();
}

std::vector<char> Fleet::message(int32_t id, bool before) const {
  const EnvBlock& env = segment_->env(id);
  const uint8_t turn = (env.turn ^ (before ? 1 : 0)) & 1;
  return segment_->read(id, static_cast<Message>(turn), env.answer[turn]);
}

size_t Fleet::message_bytes(int32_t id) const {
  const EnvBlock& env = segment_->env(id);
  return env.answer[env.turn & 1];
}

namespace {

// A Fleet by its number, as an author's group.
class Group {
 public:
  static std::vector<OptionSpec> options() {
    return {option::integer("fleet", std::nullopt, "The number of a Fleet.")};
  }
  static Spec spec(const Options& options) {
    const Plan& plan = Fleet::of_number(options.integer("fleet"))->segment().plan();
    return {.observation = plan.observation, .action = plan.action};
  }
  Group(const Options& options, size_t, Host host)
      : fleet_(Fleet::of_number(options.integer("fleet"))) {
    fleet_->open(host);
  }
  ~Group() { fleet_->close(); }
  Group(const Group&) = delete;

  void submit(std::span<const pk_request> requests, std::span<const pk_view> actions) {
    fleet_->submit(requests, actions);
  }
  void observe(int32_t, Row) const {}  // rows are copied whole, see fleet_api()
  const Fleet& fleet() const { return *fleet_; }
  bool poll() { return fleet_->poll(); }

 private:
  const std::shared_ptr<Fleet> fleet_;
};

}  // namespace

const pk_env_api& fleet_api() {
  static const pk_env_api api = [] {
    pk_env_api table = group_api<Group>("python", "Python environments in processes or threads.");
    table.group_observe = [](const void* group, int32_t id, const pk_view* row, pk_error*) {
      static_cast<const Group*>(group)->fleet().observe(id, *row);
      return 0;
    };
    return table;
  }();
  return api;
}

}  // namespace poolkit
