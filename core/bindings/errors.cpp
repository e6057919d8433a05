// The engine's errors as Python exceptions; nanobind maps the standard ones.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bindings.h"
#include "pool.h"

namespace nb = nanobind;

namespace poolkit {
namespace {

// What the environment said, without the engine's "env 3: ".
std::string message_of(const EnvError& error) {
  const std::string prefix = "env " + std::to_string(error.env_id) + ": ";
  const std::string text = error.what();
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const EnvError& e) {
      const nb::object type = nb::module_::import_("poolkit.errors").attr("EnvError");
      PyErr_SetObject(type.ptr(), type(e.env_id, message_of(e)).ptr());
    } catch (const Timeout& e) {
      PyErr_SetString(PyExc_TimeoutError, e.what());
    }
  });
}

}  // namespace poolkit
