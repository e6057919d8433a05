// NumPy's C API, loaded once by module.cpp, and how poolkit's dtypes are called there.
//
// The ordinary nanobind arrays cost about a microsecond each; a step returns eight.
#ifndef POOLKIT_BINDINGS_NUMPY_API_H_
#define POOLKIT_BINDINGS_NUMPY_API_H_

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL poolkit_numpy_api
#ifndef POOLKIT_LOADS_NUMPY
#define NO_IMPORT_ARRAY
#endif

#include <nanobind/nanobind.h>
#include <numpy/arrayobject.h>

#include <array>

#include "poolkit/abi.h"

namespace poolkit {

inline constexpr std::array kNumpyTypes = {NPY_BOOL,   NPY_INT8,    NPY_UINT8,  NPY_INT16,
                                           NPY_UINT16, NPY_INT32,   NPY_UINT32, NPY_INT64,
                                           NPY_UINT64, NPY_FLOAT32, NPY_FLOAT64};

inline int numpy_type(pk_dtype dtype) { return kNumpyTypes.at(dtype); }

inline PyArrayObject* as_array(nanobind::handle array) {
  return reinterpret_cast<PyArrayObject*>(array.ptr());
}

}  // namespace poolkit

#endif  // POOLKIT_BINDINGS_NUMPY_API_H_
