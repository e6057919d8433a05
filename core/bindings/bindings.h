// The parts of poolkit._core, one function each.
#ifndef POOLKIT_BINDINGS_BINDINGS_H_
#define POOLKIT_BINDINGS_BINDINGS_H_

#include <nanobind/nanobind.h>

namespace poolkit {

void bind_errors(nanobind::module_& m);
void bind_spec(nanobind::module_& m);
void bind_pool(nanobind::module_& m);
void bind_processes(nanobind::module_& m);
void bind_envs(nanobind::module_& m);
void bind_atari(nanobind::module_& m);
void bind_atari_preprocess(nanobind::module_& m);

}  // namespace poolkit

#endif  // POOLKIT_BINDINGS_BINDINGS_H_
