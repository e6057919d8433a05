#include "env_type.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string_view>

#include "batch.h"

namespace poolkit {
namespace {

[[noreturn]] void refuse(const pk_env_api& api, const std::string& what) {
  throw std::invalid_argument(std::string(api.name ? api.name : "environment") + ": " + what);
}

void check_table(const pk_env_api& api) {
  if (api.abi_version != POOLKIT_ABI_VERSION)
    refuse(api, "built for poolkit's ABI " + std::to_string(api.abi_version) + ", this is " +
                    std::to_string(POOLKIT_ABI_VERSION) + "; rebuild it");
  constexpr size_t needed = offsetof(pk_env_api, group_render) + sizeof(api.group_render);
  if (api.struct_size < needed) refuse(api, "its table of functions is too short");
  if (!api.name || !api.spec || !api.free_spec) refuse(api, "its table of functions has holes");
  const bool solo = api.create && api.destroy && api.reset && api.step && api.observe;
  const bool group = api.create_group && api.destroy_group && api.submit && api.group_observe;
  if (solo == group || !api.save != !api.load)
    refuse(api, "its table of functions is neither the per-env form nor the group form");
}

const char* name_of(uint32_t type) {
  constexpr const char* names[] = {"None", "bool", "int", "float", "str", "bytes"};
  return type < std::size(names) ? names[type] : "?";
}

// The ABI's picture of `value` for an option of type `wanted`; type PK_NONE where they do not
// match. Points into `value`.
pk_value to_raw(const OptionValue& value, uint32_t wanted) {
  pk_value raw{};
  if (const bool* flag = std::get_if<bool>(&value); flag && wanted == PK_FLAG) {
    raw.type = PK_FLAG;
    raw.integer = *flag;
  } else if (const int64_t* integer = std::get_if<int64_t>(&value)) {
    if (wanted != PK_INTEGER && wanted != PK_REAL) return raw;
    raw.type = wanted;
    raw.integer = *integer;
    raw.real = static_cast<double>(*integer);
  } else if (const double* real = std::get_if<double>(&value); real && wanted == PK_REAL) {
    raw.type = PK_REAL;
    raw.real = *real;
  } else if (const std::string* text = std::get_if<std::string>(&value)) {
    if (wanted != PK_TEXT && wanted != PK_BYTES) return raw;
    raw.type = wanted;
    raw.size = static_cast<uint32_t>(text->size());
    raw.text = text->c_str();
  }
  return raw;
}

pk_value chosen(const pk_env_api& api, const pk_option_spec& option,
                const std::vector<NamedValue>& values) {
  const NamedValue* given = nullptr;
  for (const NamedValue& value : values)
    if (value.name == option.name) given = &value;
  if (!given) return option.fallback;
  if (std::holds_alternative<std::monostate>(given->value)) {
    if (option.fallback.type != PK_NONE)
      refuse(api, "option '" + given->name + "' must not be None");
    return pk_value{};
  }
  const pk_value raw = to_raw(given->value, option.type);
  if (raw.type == PK_NONE)
    refuse(api, "option '" + given->name + "' must be " + name_of(option.type) +
                    (option.fallback.type == PK_NONE ? " or None" : ""));
  return raw;
}

void check_known(const pk_env_api& api, const std::vector<NamedValue>& values) {
  for (const NamedValue& value : values) {
    std::string known;
    bool found = false;
    for (size_t k = 0; k < api.option_count; ++k) {
      found = found || value.name == api.options[k].name;
      known += (k ? ", " : "") + std::string(api.options[k].name);
    }
    if (!found)
      refuse(api, "unknown option '" + value.name + "'; it takes " +
                      (known.empty() ? "no options" : known));
  }
}

double as_double(const void* values, uint32_t dtype, size_t k) {
  switch (dtype) {
    case PK_FLOAT32:
      return static_cast<const float*>(values)[k];
    case PK_FLOAT64:
      return static_cast<const double*>(values)[k];
    case PK_INT8:
      return static_cast<const int8_t*>(values)[k];
    case PK_INT16:
      return static_cast<const int16_t*>(values)[k];
    case PK_UINT16:
      return static_cast<const uint16_t*>(values)[k];
    case PK_INT32:
      return static_cast<const int32_t*>(values)[k];
    case PK_UINT32:
      return static_cast<const uint32_t*>(values)[k];
    case PK_INT64:
      return static_cast<double>(static_cast<const int64_t*>(values)[k]);
    case PK_UINT64:
      return static_cast<double>(static_cast<const uint64_t*>(values)[k]);
    default:
      return static_cast<const uint8_t*>(values)[k];
  }
}

void check_array(const pk_env_api& api, const pk_array& array) {
  const std::string what = "array '" + std::string(array.name ? array.name : "?") + "': ";
  constexpr size_t kLargest = size_t{1} << 40;
  size_t bytes = dtype_bytes(array.dtype);
  if (!array.name || bytes == 0) refuse(api, what + "unknown dtype");
  for (uint32_t k = 0; k < array.ndim; ++k) {
    if (array.shape[k] <= 0 || static_cast<size_t>(array.shape[k]) > kLargest / bytes)
      refuse(api, what + "extents must be positive, and their product not absurd");
    bytes *= static_cast<size_t>(array.shape[k]);
  }
  const size_t elements = bytes / dtype_bytes(array.dtype);
  if (array.bound_count != 0 && array.bound_count != 1 && array.bound_count != elements)
    refuse(api, what + "bounds are none, one value, or one an element");
  for (uint32_t k = 0; k < array.bound_count; ++k)
    if (!(as_double(array.low, array.dtype, k) <= as_double(array.high, array.dtype, k)))
      refuse(api, what + "low is not below high");
  const bool integral = array.dtype != PK_FLOAT32 && array.dtype != PK_FLOAT64;
  if (array.space > PK_BINARY || (array.space != PK_BOX && !integral))
    refuse(api, what + "its space does not fit its dtype");
  if (array.space == PK_DISCRETE && array.bound_count == 0)
    refuse(api, what + "a discrete space needs bounds");
}

void check_names(const pk_env_api& api, const pk_array* arrays, size_t count,
                 std::set<std::string_view> taken) {
  for (size_t k = 0; k < count; ++k) {
    check_array(api, arrays[k]);
    if (!taken.insert(arrays[k].name).second)
      refuse(api, "the array name '" + std::string(arrays[k].name) + "' is taken");
    if (*arrays[k].name == '\0' && count > 1)
      refuse(api, "an array without a name must be the only one");
  }
}

void check_spec(const pk_env_api& api, const pk_spec& spec) {
  if (spec.struct_size < sizeof(pk_spec)) refuse(api, "its spec is too short");
  if (spec.max_agents != 1) refuse(api, "max_agents must be 1");
  if (spec.max_episode_steps < 0) refuse(api, "max_episode_steps must not be negative");
  if (spec.observation_count == 0 || spec.action_count == 0)
    refuse(api, "a spec needs an observation and an action");
  check_names(api, spec.observation, spec.observation_count, {});
  check_names(api, spec.action, spec.action_count, {});
  // The pool's own keys; and `episode`, which is that of Gymnasium's RecordEpisodeStatistics.
  check_names(api, spec.info, spec.info_count,
              {"", "env_id", "elapsed_step", "episode_return", "episode_length", "episode"});
}

bool same_bytes(const void* a, const void* b, size_t size) {
  return size == 0 || std::memcmp(a, b, size) == 0;
}

bool same(const pk_array& a, const pk_array& b) {
  const size_t bounds = a.bound_count * dtype_bytes(a.dtype);
  return std::string_view(a.name) == b.name && a.dtype == b.dtype && a.space == b.space &&
         a.ndim == b.ndim && a.bound_count == b.bound_count &&
         same_bytes(a.shape, b.shape, a.ndim * sizeof *a.shape) &&
         same_bytes(a.low, b.low, bounds) && same_bytes(a.high, b.high, bounds);
}

// What differs between two specs; empty: nothing that a batch shows.
std::string difference(const pk_spec& a, const pk_spec& b) {
  const auto differ = [](const pk_array* x, uint32_t n, const pk_array* y, uint32_t m) {
    return !std::equal(x, x + n, y, y + m, same);
  };
  if (differ(a.observation, a.observation_count, b.observation, b.observation_count))
    return "observation";
  if (differ(a.action, a.action_count, b.action, b.action_count)) return "action";
  if (differ(a.info, a.info_count, b.info, b.info_count)) return "info";
  return "";
}

}  // namespace

EnvType::EnvType(const pk_env_api* api, std::vector<NamedValue> values)
    : api_(api), values_(std::move(values)) {
  check_table(*api_);
  check_known(*api_, values_);
  for (size_t k = 0; k < api_->option_count; ++k)
    options_.push_back({api_->options[k].name, chosen(*api_, api_->options[k], values_)});
  pk_error error{};
  if (api_->spec(options_.data(), options_.size(), &spec_, &error)) refuse(*api_, error.message);
  try {
    check_spec(*api_, *spec_);
  } catch (...) {
    api_->free_spec(spec_);
    throw;
  }
}

EnvType::EnvType(std::vector<std::shared_ptr<const EnvType>> each)
    : each_(std::move(each)), api_(each_.at(0)->api_), spec_(each_[0]->spec_) {
  if (grouped()) refuse(*api_, "a group's envs cannot have options of their own");
  for (size_t k = 1; k < each_.size(); ++k) {
    const std::string of_env = "env " + std::to_string(k) + ": ";
    if (each_[k]->api_ != api_) refuse(*api_, of_env + "is another environment than env 0");
    const std::string what = difference(*spec_, *each_[k]->spec_);
    if (!what.empty())
      refuse(*api_,
             of_env + "its " + what + " is not as env 0's, in names, dtypes, shapes or bounds");
  }
}

EnvType::~EnvType() {
  if (each_.empty()) api_->free_spec(spec_);
}

}  // namespace poolkit
