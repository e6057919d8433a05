// Area resizing of one 8-bit channel: the numbers of OpenCV's resize with INTER_AREA, to the bit.
//
// OpenCV sums in single precision when it shrinks, and falls back to a fixed-point bilinear formula
// as soon as one side grows; agents trained elsewhere have seen those numbers, so they are kept.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "channel.h"
#include "kernels.h"

namespace poolkit::atari {

struct ImageSize {
  int height = 0;
  int width = 0;
  int area() const { return height * width; }
  bool operator==(const ImageSize&) const = default;
};

class Resizer {
 public:
  virtual ~Resizer() = default;
  virtual void run(const Channel& from, std::span<uint8_t> to) const = 0;
};

// For images of `height` rows.
std::unique_ptr<const Resizer> make_resizer(int height, ImageSize to, Kernels kernels);

// How one side shrinks: target pixel i is the sum of weights[t][i] * source pixel sources[t][i]
// over all t, added in that order. The last terms of a sum may have no weight.
struct Shrinking {
  Shrinking(int from, int to);

  std::vector<std::vector<int>> sources;
  std::vector<std::vector<float>> weights;
};

// Half to even, as OpenCV rounds; adding 1.5 * 2^23 leaves a float no bits for a fraction.
inline uint8_t to_pixel(float value) {
  constexpr float kNoFraction = 12582912.0f;
  return static_cast<uint8_t>((value + kNoFraction) - kNoFraction);
}

}  // namespace poolkit::atari
