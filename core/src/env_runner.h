// Envs through the environment's table of functions: built, stepped, reset, observed.
#ifndef POOLKIT_SRC_ENV_RUNNER_H_
#define POOLKIT_SRC_ENV_RUNNER_H_

#include <array>
#include <vector>

#include "stepper.h"

namespace poolkit {

// Some envs on their way from request to result. An id of -1: that env threw, and is among
// `failures`.
struct Piece {
  static constexpr size_t kLargest =
      64;  // so that what one loop touches is still there in the next

  void drop_failed();

  size_t count = 0;
  std::array<int32_t, kLargest> ids;
  std::array<Outcome, kLargest> outcomes;
  std::vector<Failure> failures;
};

// The envs that it is given must be the caller's (see Roster).
class EnvRunner {
 public:
  explicit EnvRunner(const PoolParts& parts) : parts_(parts), api_(parts.type.api()) {}
  ~EnvRunner() { destroy_all(); }
  EnvRunner(const EnvRunner&) = delete;

  // False if the environment threw; `error` is then filled.
  bool create(int32_t id, pk_error& error);
  void destroy_all();

  // Does what each env's phase asks for: a step, or a reset; in same-step autoreset both where the
  // step ends, with the final row kept in between.
  void advance(Piece& piece);
  // Writes all columns of the rows, for as many envs of the piece, from `first` on. The rows of
  // envs that threw become holes.
  void write(Piece& piece, size_t first, const RowRange& rows);
  // As if all of them from `first` on had thrown `message`, but without harm to the objects.
  void fail(Piece& piece, size_t first, const char* message);

 private:
  bool end(int32_t id, Phase after, const Outcome& out, pk_error& error);
  bool reset(int32_t id, pk_error& error);
  bool keep_final(int32_t id, const Outcome& out, pk_error& error);
  void destroy(int32_t id);
  void break_env(Piece& piece, size_t k, const char* message);

  const PoolParts parts_;
  const pk_env_api& api_;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_ENV_RUNNER_H_
