#include "aside.h"

#include <exception>
#include <utility>

#include "signals.h"

namespace poolkit {

struct Aside::State {
  void run(std::function<void()> body) {
    std::exception_ptr thrown;
    try {
      body();
    } catch (...) {
      thrown = std::current_exception();
    }
    body = nullptr;  // what it owned is gone when the caller goes on
    const std::lock_guard lock(mutex);
    error = std::move(thrown);
    done = true;
    ended.notify_all();
  }

  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::exception_ptr error;
};

Aside::Aside(std::function<void()> body) : state_(std::make_shared<State>()) {
  const SignalsBlocked blocked;
  thread_ = std::thread(
      [state = state_, body = std::move(body)]() mutable { state->run(std::move(body)); });
}

Aside::~Aside() {
  if (thread_.joinable()) thread_.detach();
}

bool Aside::wait(Patience& patience) {
  std::unique_lock lock(state_->mutex);
  while (!state_->done)
    if (!patience.wait(lock, state_->ended)) return false;
  if (thread_.joinable()) thread_.join();  // so that no thread is left when this returns
  if (state_->error) std::rethrow_exception(state_->error);
  return true;
}

}  // namespace poolkit
