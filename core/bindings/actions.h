// What a user passes as actions, checked against the space and copied for the engine.
//
// Everything is checked before anything is queued: a wrong action raises and leaves the pool as it
// was. All of it runs once a step, so it is C++ over whole arrays.
#ifndef POOLKIT_BINDINGS_ACTIONS_H_
#define POOLKIT_BINDINGS_ACTIONS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "poolkit/abi.h"
#include "structure.h"

namespace poolkit {

// One array of the action space. The dtype is behind the interface.
class ActionArray {
 public:
  virtual ~ActionArray() = default;

  // `value` as rows for `ids`, C-contiguous in the environment's dtype. `argument` names it in
  // errors. A float within 4 ulp of its bounds is rounded to the bound.
  const void* read(nanobind::handle value, std::span<const int32_t> ids,
                   const std::string& argument);

 protected:
  explicit ActionArray(const pk_array& declared);

  // Copies `count` elements of NumPy's type `from_type` to `rows_`; the index of the first that is
  // outside the space, or `count`.
  virtual size_t copy(const void* from, int from_type, size_t count) = 0;
  // "in 0 .. 5", for element `element` of a row.
  virtual std::string accepted(size_t element) const = 0;

  nanobind::object native(nanobind::handle value, size_t rows, const std::string& argument) const;

  std::vector<int64_t> shape_;
  size_t elements_ = 1;  // of a row
  pk_dtype dtype_;
  std::vector<unsigned char> rows_;
};

class ActionReader {
 public:
  explicit ActionReader(std::span<const pk_array> declared);

  // The result points into this reader and is valid until the next read().
  std::span<const void* const> read(nanobind::handle actions, std::span<const int32_t> ids);

 private:
  Structure structure_;
  std::vector<std::string> arguments_;  // how errors call each array
  std::vector<std::unique_ptr<ActionArray>> arrays_;
  std::vector<nanobind::object> leaves_;
  std::vector<const void*> rows_;
};

}  // namespace poolkit

#endif  // POOLKIT_BINDINGS_ACTIONS_H_
