// Pools for tests, and what a test wants to read of their batches.
#ifndef POOLKIT_TESTS_POOLS_H_
#define POOLKIT_TESTS_POOLS_H_

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pool.h"
#include "poolkit/group.h"

namespace poolkit::tests {

template <class E>
std::shared_ptr<const EnvType> type_of(std::vector<NamedValue> options = {}) {
  static const pk_env_api api = [] {
    if constexpr (requires { &E::submit; })
      return group_api<E>("Tested");
    else
      return env_api<E>("Tested");
  }();
  return std::make_shared<EnvType>(&api, std::move(options));
}

inline std::vector<int32_t> first_ids(size_t n) {
  std::vector<int32_t> ids(n);
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

// A batch with its columns by name.
class Rows {
 public:
  Rows(Batch batch, const Layout& layout) : batch_(std::move(batch)), layout_(&layout) {}

  size_t size() const { return batch_.rows; }
  const Batch& batch() const { return batch_; }

  std::vector<int32_t> ids() const { return engine<int32_t>(Layout::env_id); }
  std::vector<float> reward() const { return engine<float>(Layout::reward); }
  std::vector<bool> terminated() const { return flags(Layout::terminated); }
  std::vector<bool> truncated() const { return flags(Layout::truncated); }
  std::vector<int32_t> elapsed() const { return engine<int32_t>(Layout::elapsed_step); }
  std::vector<int32_t> length() const { return engine<int32_t>(Layout::episode_length); }
  std::vector<double> total() const { return engine<double>(Layout::episode_return); }

  // Element `at` of column k in each row: observation arrays first, then infos.
  template <class T>
  std::vector<T> column(size_t k, size_t at = 0) const {
    return read<T>(batch_.columns, k, at);
  }
  bool has_final() const { return static_cast<bool>(batch_.final_mask); }
  std::vector<bool> final_mask() const {
    const auto* mask = static_cast<const bool*>(batch_.final_mask.data());
    return std::vector<bool>(mask, mask + batch_.rows);
  }
  template <class T>
  std::vector<T> final_column(size_t k, size_t at = 0) const {
    return read<T>(batch_.final_columns, k, at);
  }
  template <class T>
  std::vector<T> final_engine(Layout::Engine k) const {
    return final_column<T>(layout_->first_engine + k);
  }

 private:
  template <class T>
  std::vector<T> engine(Layout::Engine k) const {
    return column<T>(layout_->first_engine + k);
  }
  std::vector<bool> flags(Layout::Engine k) const {
    const std::vector<uint8_t> bytes = engine<uint8_t>(k);
    return std::vector<bool>(bytes.begin(), bytes.end());
  }
  template <class T>
  std::vector<T> read(const std::vector<BufferRef>& columns, size_t k, size_t at) const {
    const size_t stride = layout_->columns[k].bytes / sizeof(T);
    const auto* values = static_cast<const T*>(columns[k].data());
    std::vector<T> out;
    for (size_t row = 0; row < batch_.rows; ++row) out.push_back(values[row * stride + at]);
    return out;
  }

  Batch batch_;
  const Layout* layout_;
};

// A pool of envs with one Discrete action.
struct TestPool : Pool {
  using Pool::Pool;

  template <class E>
  static TestPool of(PoolConfig config, std::vector<NamedValue> options = {}) {
    return TestPool(type_of<E>(std::move(options)), std::move(config));
  }

  void send_all(const std::vector<int64_t>& actions, const std::vector<int32_t>& ids) {
    const void* column = actions.data();
    send({&column, 1}, ids);
  }
  // The same action for all of `ids`.
  void send_each(int64_t action, const std::vector<int32_t>& ids) {
    send_all(std::vector<int64_t>(ids.size(), action), ids);
  }
  void reset_ids(const std::vector<int32_t>& ids) { reset(ids, {}); }
  Rows take(std::optional<std::chrono::nanoseconds> timeout = {}) {
    return Rows(recv(timeout, {}), layout());
  }
  // In lock-step: all envs at once.
  Rows reset_all() {
    reset_ids(first_ids(config().num_envs));
    return take();
  }
  Rows step_all(int64_t action) {
    send_each(action, first_ids(config().num_envs));
    return take();
  }
};

}  // namespace poolkit::tests

#endif  // POOLKIT_TESTS_POOLS_H_
