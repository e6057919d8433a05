// What an environment says about itself: its arrays, its options, its time limit.
#ifndef POOLKIT_SPEC_H_
#define POOLKIT_SPEC_H_

#include <concepts>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "poolkit/abi.h"

namespace poolkit {

template <class T>
constexpr pk_dtype dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return PK_BOOL;
  if constexpr (std::is_same_v<T, float>) return PK_FLOAT32;
  if constexpr (std::is_same_v<T, double>) return PK_FLOAT64;
  if constexpr (std::integral<T>) {
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return is_signed ? PK_INT8 : PK_UINT8;
    if constexpr (sizeof(T) == 2) return is_signed ? PK_INT16 : PK_UINT16;
    if constexpr (sizeof(T) == 4) return is_signed ? PK_INT32 : PK_UINT32;
    if constexpr (sizeof(T) == 8) return is_signed ? PK_INT64 : PK_UINT64;
  }
}

// One named array of an observation, an action or an info. Made by the functions below.
struct Array {
  std::string name;
  pk_dtype dtype = PK_FLOAT32;
  pk_space space = PK_BOX;
  std::vector<int64_t> shape;
  // Inclusive, in the array's dtype: none (unbounded), one for all elements, or one each.
  std::vector<unsigned char> low, high;
};

namespace detail {
template <class T>
std::vector<unsigned char> to_bytes(std::span<const T> values) {
  std::vector<unsigned char> bytes(values.size_bytes());
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
}  // namespace detail

// An array of any values: for infos, and for observations without bounds.
template <class T>
Array array(std::string name, std::vector<int64_t> shape = {}) {
  return {std::move(name), dtype_of<T>(), PK_BOX, std::move(shape), {}, {}};
}

// A Box with the same bounds for all its elements.
template <class T>
Array box(std::string name, std::vector<int64_t> shape, std::type_identity_t<T> low,
          std::type_identity_t<T> high) {
  return {std::move(name),
          dtype_of<T>(),
          PK_BOX,
          std::move(shape),
          detail::to_bytes(std::span<const T>(&low, 1)),
          detail::to_bytes(std::span<const T>(&high, 1))};
}

// A Box with bounds for each element, in row-major order.
template <class T>
Array box(std::string name, std::vector<int64_t> shape, std::span<const T> low,
          std::span<const T> high) {
  return {std::move(name),  dtype_of<T>(),         PK_BOX,
          std::move(shape), detail::to_bytes(low), detail::to_bytes(high)};
}

// One integer (int64) in start .. start + n - 1.
inline Array discrete(std::string name, int64_t n, int64_t start = 0) {
  Array a = box<int64_t>(std::move(name), {}, start, start + n - 1);
  a.space = PK_DISCRETE;
  return a;
}

// Several integers (int64), the k-th in 0 .. n[k] - 1.
inline Array multi_discrete(std::string name, std::span<const int64_t> n) {
  std::vector<int64_t> low(n.size(), 0), high(n.begin(), n.end());
  for (int64_t& last : high) --last;
  Array a = box<int64_t>(std::move(name), {static_cast<int64_t>(n.size())},
                         std::span<const int64_t>(low), std::span<const int64_t>(high));
  a.space = PK_DISCRETE;
  return a;
}

// n flags (int8), each 0 or 1.
inline Array multi_binary(std::string name, int64_t n) {
  Array a = box<int8_t>(std::move(name), {n}, 0, 1);
  a.space = PK_BINARY;
  return a;
}

struct Spec {
  std::vector<Array> observation;
  std::vector<Array> action;
  std::vector<Array> info = {};
  // The default time limit in steps; 0: none.
  int64_t max_episode_steps = 0;
  // A step is shorter than queueing it would be (CartPole): poolkit then steps whole ranges of
  // envs.
  bool light = false;
};

// An option that an environment takes, with its default; an empty default means that None is
// accepted.
struct OptionSpec {
  std::string name;
  pk_type type;
  std::string doc;
  pk_type fallback_type = PK_NONE;
  int64_t integer = 0;
  double real = 0;
  std::string text = {};
};

namespace option {
inline OptionSpec flag(std::string name, std::optional<bool> fallback, std::string doc) {
  return {std::move(name), PK_FLAG, std::move(doc), fallback ? PK_FLAG : PK_NONE,
          fallback.value_or(false)};
}
inline OptionSpec integer(std::string name, std::optional<int64_t> fallback, std::string doc) {
  return {std::move(name), PK_INTEGER, std::move(doc), fallback ? PK_INTEGER : PK_NONE,
          fallback.value_or(0)};
}
inline OptionSpec real(std::string name, std::optional<double> fallback, std::string doc) {
  return {std::move(name),     PK_REAL, std::move(doc), fallback ? PK_REAL : PK_NONE, 0,
          fallback.value_or(0)};
}
inline OptionSpec text(std::string name, std::optional<std::string> fallback, std::string doc) {
  const pk_type type = fallback ? PK_TEXT : PK_NONE;
  return {std::move(name), PK_TEXT, std::move(doc), type, 0, 0, std::move(fallback).value_or("")};
}
inline OptionSpec bytes(std::string name, std::optional<std::string> fallback, std::string doc) {
  const pk_type type = fallback ? PK_BYTES : PK_NONE;
  return {std::move(name), PK_BYTES, std::move(doc), type, 0, 0, std::move(fallback).value_or("")};
}
}  // namespace option

// The values of an environment's declared options, defaults filled in. A view: copy what must live
// on.
class Options {
 public:
  explicit Options(std::span<const pk_option> values) : values_(values) {}

  bool flag(std::string_view name) const { return find(name, PK_FLAG).integer != 0; }
  int64_t integer(std::string_view name) const { return find(name, PK_INTEGER).integer; }
  double real(std::string_view name) const { return find(name, PK_REAL).real; }
  std::string_view text(std::string_view name) const { return view(find(name, PK_TEXT)); }
  std::string_view bytes(std::string_view name) const { return view(find(name, PK_BYTES)); }

  // False where the option was given as, or defaults to, None.
  bool has(std::string_view name) const { return find(name).type != PK_NONE; }

  // The integer, checked to be in low .. high.
  int64_t integer_in(std::string_view name, int64_t low, int64_t high) const {
    const int64_t value = integer(name);
    if (value < low || value > high)
      throw std::invalid_argument(std::string(name) + "=" + std::to_string(value) +
                                  ": must be in " + std::to_string(low) + " .. " +
                                  std::to_string(high));
    return value;
  }

 private:
  static std::string_view view(const pk_value& value) { return {value.text, value.size}; }

  const pk_value& find(std::string_view name) const {
    for (const pk_option& option : values_)
      if (name == option.name) return option.value;
    throw std::logic_error("option '" + std::string(name) + "' is not declared");
  }

  const pk_value& find(std::string_view name, pk_type type) const {
    const pk_value& value = find(name);
    if (value.type != static_cast<uint32_t>(type))
      throw std::logic_error("option '" + std::string(name) + "' is read as another type");
    return value;
  }

  std::span<const pk_option> values_;
};

}  // namespace poolkit

#endif  // POOLKIT_SPEC_H_
