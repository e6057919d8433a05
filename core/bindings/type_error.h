#ifndef POOLKIT_BINDINGS_TYPE_ERROR_H_
#define POOLKIT_BINDINGS_TYPE_ERROR_H_

#include <nanobind/nanobind.h>

#include <string>

namespace poolkit {

// Says what a value must be, and of which type the given one is.
[[noreturn]] inline void throw_type_error(const std::string& must_be, nanobind::handle given) {
  throw nanobind::type_error((must_be + ", not " + Py_TYPE(given.ptr())->tp_name).c_str());
}

}  // namespace poolkit

#endif  // POOLKIT_BINDINGS_TYPE_ERROR_H_
