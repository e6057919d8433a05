#include "arrays.h"

#include <memory>

#include "numpy_api.h"

namespace nb = nanobind;

namespace poolkit {
namespace {

constexpr const char* kOwner = "poolkit.buffer";

// What keeps the buffer while an array, or a view of it, is alive.
nb::object owner_of(BufferRef buffer) {
  auto held = std::make_unique<BufferRef>(std::move(buffer));
  nb::object owner = nb::steal(PyCapsule_New(held.get(), kOwner, [](PyObject* capsule) {
    delete static_cast<BufferRef*>(PyCapsule_GetPointer(capsule, kOwner));
  }));
  if (!owner) throw nb::python_error();
  held.release();
  return owner;
}

}  // namespace

nb::object to_numpy(BufferRef buffer, const Column& column, size_t rows) {
  npy_intp shape[NPY_MAXDIMS];
  int axes = 0;
  shape[axes++] = static_cast<npy_intp>(rows);
  for (int64_t extent : column.shape) shape[axes++] = extent;

  void* data = buffer.data();
  nb::object owner = owner_of(std::move(buffer));
  PyArray_Descr* descr = PyArray_DescrFromType(numpy_type(column.dtype));
  nb::object array = nb::steal(PyArray_NewFromDescr(&PyArray_Type, descr, axes, shape, nullptr,
                                                    data, NPY_ARRAY_CARRAY, nullptr));
  if (!array || PyArray_SetBaseObject(as_array(array), owner.release().ptr()) < 0)
    throw nb::python_error();
  return array;
}

}  // namespace poolkit
