#include "every_dtype.h"

#include <algorithm>
#include <type_traits>

namespace poolkit::debug {
namespace {

constexpr int64_t kButtons[] = {3, 4};
constexpr float kGasLow[] = {0, -2};
constexpr float kGasHigh[] = {1, 0.1f};
constexpr double kAngleLow[] = {-3, -2, -1};
constexpr double kAngleHigh[] = {3, 2, 0.1};

std::vector<Array> actions(const std::string& prefix) {
  return {discrete(prefix + "turn", 3, -1), multi_discrete(prefix + "buttons", kButtons),
          multi_binary(prefix + "switches", 4),
          box<float>(prefix + "gas", {2}, std::span<const float>(kGasLow),
                     std::span<const float>(kGasHigh)),
          box<double>(prefix + "arm/angle", {3}, std::span<const double>(kAngleLow),
                      std::span<const double>(kAngleHigh))};
}

}  // namespace

std::vector<OptionSpec> EveryDtype::options() {
  return {option::flag("pair", true, "Observe a Tuple too.")};
}

Spec EveryDtype::spec(const Options& options) {
  Spec spec{
      .observation = {box<bool>("dtype/bool", {2}, false, true), array<int8_t>("dtype/int8", {2}),
                      array<uint8_t>("dtype/uint8", {2}), array<int16_t>("dtype/int16", {2}),
                      array<uint16_t>("dtype/uint16", {2}), array<int32_t>("dtype/int32", {2}),
                      array<uint32_t>("dtype/uint32", {2}), array<int64_t>("dtype/int64", {2}),
                      array<uint64_t>("dtype/uint64", {2}), array<float>("dtype/float32", {2}),
                      array<double>("dtype/float64", {2})},
      .action = actions(""),
      .info = {array<bool>("action_mask", {3})}};
  if (options.flag("pair")) {
    spec.observation.push_back(discrete("pair/0", 3, 5));
    spec.observation.push_back(multi_binary("pair/1", 4));
  }
  for (Array& echo : actions("echo/")) spec.observation.push_back(std::move(echo));
  return spec;
}

EveryDtype::EveryDtype(const Options& options) : EveryDtype(options.flag("pair")) {}

void EveryDtype::reset(Reset, Rng&) { *this = EveryDtype(pair_); }

Transition EveryDtype::step(Action action, Rng&) {
  ++count_;
  turn_ = action.scalar<int64_t>(0);
  std::ranges::copy(action.array<int64_t>(1).first<2>(), buttons_);
  std::ranges::copy(action.array<int8_t>(2).first<4>(), switches_);
  std::ranges::copy(action.array<float>(3).first<2>(), gas_);
  std::ranges::copy(action.array<double>(4).first<3>(), angle_);
  return {.reward = 1, .terminated = count_ >= 10};
}

void EveryDtype::observe(Row row) const {
  const bool odd = count_ % 2 != 0;
  const auto fill = [&]<class T>(size_t k, std::type_identity<T>) {
    std::ranges::fill(row.observation<T>(k), static_cast<T>(odd));
  };
  fill(0, std::type_identity<bool>());
  fill(1, std::type_identity<int8_t>());
  fill(2, std::type_identity<uint8_t>());
  fill(3, std::type_identity<int16_t>());
  fill(4, std::type_identity<uint16_t>());
  fill(5, std::type_identity<int32_t>());
  fill(6, std::type_identity<uint32_t>());
  fill(7, std::type_identity<int64_t>());
  fill(8, std::type_identity<uint64_t>());
  fill(9, std::type_identity<float>());
  fill(10, std::type_identity<double>());
  size_t next = 11;
  if (pair_) {
    row.observation<int64_t>(next++)[0] = 5 + count_ % 3;
    std::ranges::fill(row.observation<int8_t>(next++), static_cast<int8_t>(odd));
  }
  row.observation<int64_t>(next++)[0] = turn_;
  std::ranges::copy(buttons_, row.observation<int64_t>(next++).begin());
  std::ranges::copy(switches_, row.observation<int8_t>(next++).begin());
  std::ranges::copy(gas_, row.observation<float>(next++).begin());
  std::ranges::copy(angle_, row.observation<double>(next++).begin());
  const std::span<bool> mask = row.info<bool>(0);
  for (size_t k = 0; k < mask.size(); ++k) mask[k] = k != static_cast<size_t>(count_) % mask.size();
}

}  // namespace poolkit::debug
