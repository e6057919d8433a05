#include "actions.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "numpy_api.h"

namespace nb = nanobind;

namespace poolkit {
namespace {

template <class T>
std::string to_text(T value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

// The inclusive bounds of one element.
template <class T>
struct Bounds {
  T low = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                               : std::numeric_limits<T>::lowest();
  T high = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::max();
  T slack = 0;

  // Scaling to a Box overshoots by rounding (Stable-Baselines3's does): 4 units in the last place.
  void allow_rounding() {
    T largest = 0;
    for (T bound : {low, high})
      if (std::isfinite(bound)) largest = std::max(largest, std::abs(bound));
    slack = 4 * (std::nextafter(largest, std::numeric_limits<T>::infinity()) - largest);
  }

  template <class S>
  bool take(S value, T& out) const {
    if constexpr (std::is_floating_point_v<T>) {
      const T near = static_cast<T>(value);
      out = std::min(std::max(near, low), high);
      return near >= low - slack && near <= high + slack;  // false for NaN
    } else {
      out = static_cast<T>(value);
      return std::cmp_greater_equal(value, low) && std::cmp_less_equal(value, high);
    }
  }
};

// T is a number type; bool is uint8_t here, as it is in memory.
template <class T>
class TypedAction final : public ActionArray {
 public:
  explicit TypedAction(const pk_array& declared) : ActionArray(declared) {
    bounds_.resize(std::max<size_t>(declared.bound_count, 1));
    for (size_t i = 0; i < declared.bound_count; ++i) {
      bounds_[i].low = static_cast<const T*>(declared.low)[i];
      bounds_[i].high = static_cast<const T*>(declared.high)[i];
    }
    if (declared.dtype == PK_BOOL) bounds_ = {{0, 1}};
    if constexpr (std::is_floating_point_v<T>)
      for (Bounds<T>& bounds : bounds_) bounds.allow_rounding();
  }

 private:
  size_t copy(const void* from, int from_type, size_t count) override {
    switch (from_type) {
      case NPY_BOOL:
      case NPY_UINT8:
        return copy_from<uint8_t>(from, count);
      case NPY_INT8:
        return copy_from<int8_t>(from, count);
      case NPY_INT16:
        return copy_from<int16_t>(from, count);
      case NPY_UINT16:
        return copy_from<uint16_t>(from, count);
      case NPY_INT32:
        return copy_from<int32_t>(from, count);
      case NPY_UINT32:
        return copy_from<uint32_t>(from, count);
      case NPY_INT64:
        return copy_from<int64_t>(from, count);
      case NPY_UINT64:
        return copy_from<uint64_t>(from, count);
      case NPY_FLOAT32:
        return copy_from<float>(from, count);
      default:
        return copy_from<double>(from, count);
    }
  }

  template <class S>
  size_t copy_from(const void* from, size_t count) {
    if constexpr (std::is_integral_v<T> && std::is_floating_point_v<S>) {
      return 0;  // never cast: not same_kind
    } else {
      rows_.resize(count * sizeof(T));
      const auto* in = static_cast<const S*>(from);
      auto* out = reinterpret_cast<T*>(rows_.data());
      if (bounds_.size() == 1) {
        const Bounds<T> bounds = bounds_[0];
        bool good = true;
        for (size_t i = 0; i < count; ++i) good &= bounds.take(in[i], out[i]);
        if (good) return count;
      }
      for (size_t i = 0; i < count; ++i)
        if (!bounds_[i % bounds_.size()].take(in[i], out[i])) return i;
      return count;
    }
  }

  std::string accepted(size_t element) const override {
    const Bounds<T>& bounds = bounds_[element % bounds_.size()];
    return "in " + to_text(bounds.low) + " .. " + to_text(bounds.high);
  }

  std::vector<Bounds<T>> bounds_;  // one for all elements, or one each
};

std::unique_ptr<ActionArray> make_action(const pk_array& declared) {
  switch (static_cast<pk_dtype>(declared.dtype)) {
    case PK_BOOL:
    case PK_UINT8:
      return std::make_unique<TypedAction<uint8_t>>(declared);
    case PK_INT8:
      return std::make_unique<TypedAction<int8_t>>(declared);
    case PK_INT16:
      return std::make_unique<TypedAction<int16_t>>(declared);
    case PK_UINT16:
      return std::make_unique<TypedAction<uint16_t>>(declared);
    case PK_INT32:
      return std::make_unique<TypedAction<int32_t>>(declared);
    case PK_UINT32:
      return std::make_unique<TypedAction<uint32_t>>(declared);
    case PK_INT64:
      return std::make_unique<TypedAction<int64_t>>(declared);
    case PK_UINT64:
      return std::make_unique<TypedAction<uint64_t>>(declared);
    case PK_FLOAT32:
      return std::make_unique<TypedAction<float>>(declared);
    case PK_FLOAT64:
      return std::make_unique<TypedAction<double>>(declared);
  }
  throw std::invalid_argument("action: unknown dtype");
}

// The type of pk_dtype's that has the values of NumPy's `type`; two of its numbers are 64 bits.
int sized_type(int type) {
  switch (type) {
    case NPY_LONGLONG:
      return NPY_INT64;
    case NPY_ULONGLONG:
      return NPY_UINT64;
    case NPY_HALF:
    case NPY_LONGDOUBLE:
      return NPY_FLOAT64;
    default:
      return type;
  }
}

std::string shape_text(std::span<const npy_intp> shape) {
  std::string text = "(";
  for (npy_intp extent : shape) text += std::to_string(extent) + ", ";
  if (shape.size() > 1) text.resize(text.size() - 2);
  if (shape.size() == 1) text.resize(text.size() - 1);
  return text + ")";
}

bool casts(PyArray_Descr* from, PyArray_Descr* to, bool is_array) {
  if (PyArray_CanCastTypeTo(from, to, NPY_SAME_KIND_CASTING)) return true;
  // Python's own integers have no sign or size; their values are checked.
  return !is_array && PyTypeNum_ISINTEGER(from->type_num) && PyTypeNum_ISINTEGER(to->type_num);
}

}  // namespace

ActionArray::ActionArray(const pk_array& declared)
    : shape_(declared.shape, declared.shape + declared.ndim),
      dtype_(static_cast<pk_dtype>(declared.dtype)) {
  for (int64_t extent : shape_) elements_ *= static_cast<size_t>(extent);
}

const void* ActionArray::read(nb::handle value, std::span<const int32_t> ids,
                              const std::string& argument) {
  const nb::object array = native(value, ids.size(), argument);
  const size_t count = ids.size() * elements_;
  const size_t bad =
      copy(PyArray_DATA(as_array(array)), sized_type(PyArray_TYPE(as_array(array))), count);
  if (bad == count) return rows_.data();

  const size_t row = bad / elements_, element = bad % elements_;
  const nb::object flat = nb::steal(PyArray_Ravel(as_array(array), NPY_CORDER));
  std::string text =
      argument + ": row " + std::to_string(row) + " (env " + std::to_string(ids[row]) + ")";
  if (elements_ > 1) text += ", element " + std::to_string(element);
  text +=
      ": " + std::string(nb::str(nb::object(flat[bad])).c_str()) + " is not " + accepted(element);
  throw nb::value_error(text.c_str());
}

// `value` as a C-contiguous array of `rows` rows with a number type that copy() knows.
nb::object ActionArray::native(nb::handle value, size_t rows, const std::string& argument) const {
  const bool is_array = PyArray_Check(value.ptr());
  nb::object array = nb::borrow(value);
  if (!is_array) array = nb::steal(PyArray_FromAny(value.ptr(), nullptr, 0, 0, 0, nullptr));
  if (!array) {
    nb::python_error error;
    nb::raise_from(error, PyExc_ValueError, "%s: cannot be read as an array", argument.c_str());
  }

  std::vector<npy_intp> shape{static_cast<npy_intp>(rows)};
  shape.insert(shape.end(), shape_.begin(), shape_.end());
  const std::span<const npy_intp> given(PyArray_DIMS(as_array(array)),
                                        static_cast<size_t>(PyArray_NDIM(as_array(array))));
  if (!std::equal(given.begin(), given.end(), shape.begin(), shape.end()))
    throw nb::value_error((argument + ": has shape " + shape_text(given) + "; must be " +
                           shape_text(shape) + ", a row for each env")
                              .c_str());

  PyArray_Descr* descr = PyArray_DESCR(as_array(array));
  const nb::object wanted =
      nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(numpy_type(dtype_))));
  if (rows > 0 && !casts(descr, reinterpret_cast<PyArray_Descr*>(wanted.ptr()), is_array))
    throw nb::type_error((argument + ": has dtype " +
                          nb::str(nb::handle(reinterpret_cast<PyObject*>(descr))).c_str() +
                          ", which does not cast to " + nb::str(wanted).c_str())
                             .c_str());

  const int type = sized_type(descr->type_num);
  if (PyArray_EquivTypenums(type, descr->type_num) && PyArray_ISCARRAY_RO(as_array(array)))
    return array;
  array = nb::steal(PyArray_FromAny(array.ptr(), PyArray_DescrFromType(type), 0, 0,
                                    NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST, nullptr));
  if (!array) throw nb::python_error();
  return array;
}

ActionReader::ActionReader(std::span<const pk_array> declared) : structure_(names_of(declared)) {
  for (const pk_array& array : declared) {
    arrays_.push_back(make_action(array));
    arguments_.push_back(structure_.bare() ? "action" : "action '" + std::string(array.name) + "'");
  }
}

std::span<const void* const> ActionReader::read(nb::handle actions, std::span<const int32_t> ids) {
  structure_.flatten(actions, "action", leaves_);
  rows_.clear();
  for (size_t i = 0; i < arrays_.size(); ++i)
    rows_.push_back(arrays_[i]->read(leaves_[i], ids, arguments_[i]));
  leaves_.clear();
  return rows_;
}

}  // namespace poolkit
