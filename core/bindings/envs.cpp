// poolkit._core.envs: the built-in environments, as any other module would hand them over.
#include <nanobind/nanobind.h>

#include "bindings.h"
#include "classic/cartpole.h"
#include "poolkit/module.h"

namespace nb = nanobind;

namespace poolkit {

void bind_envs(nb::module_& m) {
  nb::module_ envs = m.def_submodule("envs", "Capsules for poolkit.register.");
  Module module(envs.ptr());
  module.add<classic::CartPole>("CartPole", "A pole on a cart, as in Gymnasium.");
  if (module.failed()) throw nb::python_error();
}

}  // namespace poolkit
