// Work that may never end, in a thread of its own, so that a caller can give up on it.
#ifndef POOLKIT_SRC_ASIDE_H_
#define POOLKIT_SRC_ASIDE_H_

#include <functional>
#include <memory>
#include <thread>

#include "patience.h"

namespace poolkit {

// Started at once. The thread keeps `body`, and so all that it owns, until it has returned, also
// when this is gone.
class Aside {
 public:
  // Throws std::system_error where there can be no thread.
  explicit Aside(std::function<void()> body);
  ~Aside();
  Aside(const Aside&) = delete;

  // Waits for the end, and throws what the body threw; false when patience is over.
  bool wait(Patience& patience);

 private:
  struct State;
  const std::shared_ptr<State> state_;
  std::thread thread_;  // guarded by the state's mutex
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_ASIDE_H_
