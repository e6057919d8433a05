// An environment type with its options chosen: the checked C table and what its spec says.
#ifndef POOLKIT_SRC_ENV_TYPE_H_
#define POOLKIT_SRC_ENV_TYPE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "poolkit/abi.h"

namespace poolkit {

// What an option may be given as: None, bool, int, float, or str/bytes.
using OptionValue = std::variant<std::monostate, bool, int64_t, double, std::string>;

struct NamedValue {
  std::string name;
  OptionValue value;
};

class EnvType {
 public:
  // Throws std::invalid_argument for an unknown or mistyped option, a wrong ABI version, a spec
  // that makes no sense, or what the environment's own spec() says.
  EnvType(const pk_env_api* api, std::vector<NamedValue> values);
  // Env i has the options of each[i]. Throws std::invalid_argument unless they are of one
  // environment in the per-env form, with the same arrays.
  explicit EnvType(std::vector<std::shared_ptr<const EnvType>> each);
  ~EnvType();
  EnvType(const EnvType&) = delete;

  const pk_env_api& api() const { return *api_; }
  const pk_spec& spec() const { return *spec_; }
  bool grouped() const { return api_->create_group != nullptr; }
  // Every declared option of an env with its value, for create().
  const std::vector<pk_option>& options(int32_t id) const {
    return each_.empty() ? options_ : each_[static_cast<size_t>(id)]->options_;
  }
  // For how many envs there are options of their own; 0: the same for all.
  size_t own_options() const { return each_.size(); }

 private:
  const std::vector<std::shared_ptr<const EnvType>> each_;
  const pk_env_api* api_;
  const pk_spec* spec_ = nullptr;
  std::vector<NamedValue> values_;
  std::vector<pk_option> options_;
};

}  // namespace poolkit

#endif  // POOLKIT_SRC_ENV_TYPE_H_
