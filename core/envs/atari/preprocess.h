// From the console's screen to what an agent sees.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels.h"
#include "levels.h"
#include "palette.h"
#include "resize.h"

namespace poolkit::atari {

// What is made of a screen of kScreenWidth columns.
struct PictureFormat {
  int screen_height = 210;
  ImageSize size = {84, 84};
  bool gray = true;  // else red, green and blue, one after the other
};

// Makes pictures out of frames of palette numbers. It never changes after its construction, so that
// all environments of a pool can use one.
class Preprocessor {
 public:
  Preprocessor(const Palette& palette, const PictureFormat& format,
               Kernels kernels = best_kernels());

  // Bytes of one picture.
  size_t size() const { return levels_.size() * format_.size.area(); }

  // The brighter of two frames at each pixel, resized. One frame alone is passed twice.
  void run(std::span<const uint8_t> frame, std::span<const uint8_t> next,
           std::span<uint8_t> picture) const;

 private:
  PictureFormat format_;
  Kernels kernels_;
  std::vector<Levels> levels_;  // one for each channel
  std::unique_ptr<const Resizer> resizer_;
};

}  // namespace poolkit::atari
