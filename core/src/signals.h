// Signals belong to the program's own threads: Python's handlers run in its main thread.
#ifndef POOLKIT_SRC_SIGNALS_H_
#define POOLKIT_SRC_SIGNALS_H_

#include <pthread.h>
#include <signal.h>

namespace poolkit {

// Threads that are started while this lives get no signals.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_SIGNALS_H_
