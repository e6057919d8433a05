// Batch memory as NumPy arrays, without a copy.
#ifndef POOLKIT_BINDINGS_ARRAYS_H_
#define POOLKIT_BINDINGS_ARRAYS_H_

#include <nanobind/nanobind.h>

#include "batch.h"

namespace poolkit {

// A writable array of `rows` rows over the buffer, which goes back to its store with the array.
nanobind::object to_numpy(BufferRef buffer, const Column& column, size_t rows);

}  // namespace poolkit

#endif  // POOLKIT_BINDINGS_ARRAYS_H_
