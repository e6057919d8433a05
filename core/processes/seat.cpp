#include "seat.h"

namespace poolkit {

std::optional<int32_t> Seat::take() {
  const uint32_t at = worker_.taken.load(std::memory_order_relaxed);   // only it writes this
  if (at == worker_.asked.load(std::memory_order_acquire)) return {};  // partner: Fleet::ask()
  const int32_t id = segment_->request(index_, at);
  worker_.taken.store(at + 1, std::memory_order_release);
  return id;
}

bool Seat::news() const {
  return worker_.taken.load(std::memory_order_relaxed) != worker_.asked.load() || over();
}

void Seat::wait() {
  if (!announced_) segment_->ring_bell();
  announced_ = true;
  while (!lookout_.await([this] { return news(); })) {
    const uint32_t seen = worker_.signal.load();
    worker_.asleep.store(1);
    // Seq_cst: whoever asks looks at `asleep` afterwards.
    if (!news()) futex_wait(worker_.signal, seen);
    worker_.asleep.store(0);
    if (news()) break;
  }
}

void Seat::outcome(int32_t id, double reward, bool terminated, bool truncated,
                   std::string_view message) {
  EnvBlock& env = segment_->env(id);
  const uint8_t turn = env.turn ^ 1;
  if (!message.empty()) segment_->write(id, static_cast<Message>(turn), message);
  env.reward = reward;
  env.terminated = terminated;
  env.truncated = truncated;
  env.failed = false;
  env.answer[turn] = message.size();
  env.turn = turn;
}

void Seat::failure(int32_t id, std::string_view message) {
  outcome(id, 0, false, false, message);
  segment_->env(id).failed = true;
}

void Seat::reply(int32_t id, std::string_view message, bool failed) {
  EnvBlock& env = segment_->env(id);
  segment_->write(id, Message::reply, message);
  env.reply = message.size();
  env.failed = failed;
}

void Seat::answer(int32_t id) {
  const uint32_t at = worker_.answered.load(std::memory_order_relaxed);  // only it writes this
  segment_->answer(index_, at) = id;
  worker_.answered.store(at + 1);  // seq_cst, see ring_bell(); partner: Fleet::collect()
  announced_ = segment_->plan().eager;
  if (announced_) segment_->ring_bell();
}

}  // namespace poolkit
