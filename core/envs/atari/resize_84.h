// The resizing that nearly everybody asks for, 210×160 to 84×84, in integers.
//
// A target pixel is 40/21 source pixels wide and 5/2 high: the weights are integers over 200, and
// the sum is exact. It is rounded like OpenCV's sum, which is inexact, except when the exact sum is
// half way between two integers; only for these pixels OpenCV's own sum is computed.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "resize.h"

namespace poolkit::atari {

class Resize84 final : public Resizer {
 public:
  static bool fits(ImageSize from, ImageSize to) {
    return from == ImageSize{210, kScreenWidth} && to == ImageSize{84, 84};
  }

  explicit Resize84(Kernels kernels);
  void run(const Channel& from, std::span<uint8_t> to) const override;

 private:
  void portable(const Channel& from, std::span<uint8_t> to) const;
  void avx2(const Channel& from, std::span<uint8_t> to) const;
  uint8_t half_way_pixel(const Channel& from, int y, int x) const;

  using Weights = std::array<float, 3>;  // OpenCV's, of neighbouring pixels

  Kernels kernels_;
  std::array<Weights, 84> across_;
  std::array<Weights, 84> down_;
};

}  // namespace poolkit::atari
