#include "ids.h"

#include <string>

#include "numpy_api.h"

namespace nb = nanobind;

namespace poolkit {
namespace {

[[noreturn]] void refuse(size_t row, int64_t id, const std::string& why) {
  const std::string text =
      "env_id: row " + std::to_string(row) + ": " + std::to_string(id) + " " + why;
  throw nb::value_error(text.c_str());
}

}  // namespace

std::vector<int32_t> IdReader::read(nb::handle value, bool twice) {
  nb::object array = nb::steal(PyArray_FromAny(value.ptr(), nullptr, 0, 0, 0, nullptr));
  if (!array) {
    nb::python_error error;
    nb::raise_from(error, PyExc_ValueError, "env_id: cannot be read as an array");
  }
  const auto size = static_cast<size_t>(PyArray_SIZE(as_array(array)));
  if (PyArray_NDIM(as_array(array)) != 1)
    throw nb::value_error("env_id: must have one axis, like [0, 2, 3]");
  if (!PyArray_ISINTEGER(as_array(array)) && size > 0)
    throw nb::type_error("env_id: must be integers (for a mask, pass numpy.flatnonzero(mask))");
  array = nb::steal(PyArray_FromAny(array.ptr(), PyArray_DescrFromType(NPY_INT64), 1, 1,
                                    NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST, nullptr));
  if (!array) throw nb::python_error();

  const auto* from = static_cast<const int64_t*>(PyArray_DATA(as_array(array)));
  std::vector<int32_t> ids(size);
  ++call_;
  for (size_t row = 0; row < size; ++row) {
    const int64_t id = from[row];
    if (id < 0 || id >= static_cast<int64_t>(seen_in_.size()))
      refuse(row, id, "is not an env; ids are 0 .. " + std::to_string(seen_in_.size() - 1));
    if (std::exchange(seen_in_[id], call_) == call_ && !twice) refuse(row, id, "is repeated");
    ids[row] = static_cast<int32_t>(id);
  }
  return ids;
}

void expect_idle(const Pool& pool, std::span<const int32_t> ids) {
  if (pool.pending() == 0) return;
  for (size_t row = 0; row < ids.size(); ++row)
    if (pool.is_pending(ids[row])) refuse(row, ids[row], "has a result pending: recv() it first");
}

void expect_all_idle(const Pool& pool) {
  if (pool.pending() == 0) return;
  for (size_t env = 0; env < pool.config().num_envs; ++env)
    if (pool.is_pending(static_cast<int32_t>(env)))
      throw nb::value_error(("env " + std::to_string(env) +
                             " has a result pending: recv() it first, or name the envs you mean")
                                .c_str());
}

std::vector<std::optional<Seed>> read_seeds(nb::handle seeds) {
  std::vector<std::optional<Seed>> out;
  out.reserve(nb::len(seeds));
  for (nb::handle seed : seeds) {
    out.emplace_back();
    if (!seed.is_none()) out.back() = Seed{nb::cast<uint64_t>(seed)};
  }
  return out;
}

}  // namespace poolkit
