// poolkit._core: the engine and the built-in environments, as Python sees them.
#define POOLKIT_LOADS_NUMPY
#include <nanobind/nanobind.h>

#include "bindings.h"
#include "numpy_api.h"

namespace nb = nanobind;

NB_MODULE(_core, m) {
  if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
  nb::set_leak_warnings(false);  // a pool may be left to the interpreter's exit
  m.attr("__version__") = POOLKIT_VERSION;
  poolkit::bind_errors(m);
  poolkit::bind_spec(m);
  poolkit::bind_pool(m);
#ifdef POOLKIT_PROCESSES
  poolkit::bind_processes(m);
#endif
  poolkit::bind_envs(m);
  poolkit::bind_atari(m);
  poolkit::bind_atari_preprocess(m);
}
