// One env at a time, through the environment's table of functions: built, stepped, reset, observed.
#ifndef POOLKIT_SRC_ENV_RUNNER_H_
#define POOLKIT_SRC_ENV_RUNNER_H_

#include <vector>

#include "stepper.h"

namespace poolkit {

// Like the table's, its functions return false where the environment threw, with `error` filled.
// The env must be the caller's (see Roster).
class EnvRunner {
 public:
  explicit EnvRunner(const PoolParts& parts) : parts_(parts), api_(parts.type.api()) {}
  ~EnvRunner() { destroy_all(); }
  EnvRunner(const EnvRunner&) = delete;

  bool create(int32_t id, pk_error& error);
  void destroy_all();

  // Does what the env's phase asks for: a step, or a reset; in same-step autoreset both, with the
  // final row kept in between. `action` is Roster::actions().
  bool advance(int32_t id, pk_view& action, Outcome& out, pk_error& error);
  // Writes all columns of `row`, which is one of a batch.
  bool write(int32_t id, const Outcome& outcome, const pk_view& row, pk_error& error);
  // Notes down that advance() or write() returned false.
  void break_in_advance(int32_t id, const pk_error& error, std::vector<Failure>& failures);
  void break_in_write(int32_t id, const pk_error& error, std::vector<Failure>& failures);

 private:
  bool reset(int32_t id, pk_error& error);
  bool keep_final(int32_t id, const Outcome& out, pk_error& error);

  const PoolParts parts_;
  const pk_env_api& api_;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_ENV_RUNNER_H_
