// POOLKIT_MODULE(name, m) { ... }: a Python extension module whose attributes are environments,
// with nothing but the CPython API.
//
//   POOLKIT_MODULE(_grid, m) { m.add<Grid>("Grid", "A walk on a square grid."); }
//
//   import poolkit; from . import _grid
//   poolkit.register("acme/Grid-v0", _grid.Grid, size=5)
#ifndef POOLKIT_MODULE_H_
#define POOLKIT_MODULE_H_

#include <Python.h>

#include "poolkit/group.h"

namespace poolkit {

class Module {
 public:
  explicit Module(PyObject* module) : module_(module) {}

  // The class E in the per-env form, or in the group form where it has submit().
  template <class E>
  void add(const char* name, const char* doc = "") {
    static pk_env_api api{};
    if constexpr (requires { &E::submit; })
      api = group_api<E>(name, doc);
    else
      api = env_api<E>(name, doc);
    PyObject* capsule = PyCapsule_New(&api, POOLKIT_CAPSULE_NAME, nullptr);
    if (!capsule || PyModule_AddObjectRef(module_, name, capsule) < 0) failed_ = true;
    Py_XDECREF(capsule);
  }

  bool failed() const { return failed_; }

 private:
  PyObject* module_;
  bool failed_ = false;
};

}  // namespace poolkit

#define POOLKIT_MODULE(NAME, VARIABLE)                                                           \
  static void poolkit_module_body(poolkit::Module& VARIABLE);                                    \
  extern "C" PyMODINIT_FUNC PyInit_##NAME() {                                                    \
    static PyModuleDef definition = {                                                            \
        PyModuleDef_HEAD_INIT, #NAME, nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr}; \
    PyObject* module = PyModule_Create(&definition);                                             \
    if (!module) return nullptr;                                                                 \
    poolkit::Module wrapped(module);                                                             \
    poolkit_module_body(wrapped);                                                                \
    if (!wrapped.failed()) return module;                                                        \
    Py_DECREF(module);                                                                           \
    return nullptr;                                                                              \
  }                                                                                              \
  static void poolkit_module_body(poolkit::Module& VARIABLE)

#endif  // POOLKIT_MODULE_H_
