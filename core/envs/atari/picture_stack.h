// The last pictures of an episode: what an agent sees at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "poolkit/env.h"

namespace poolkit::atari {

class PictureStack {
 public:
  PictureStack(int count, size_t picture_size)
      : size_(picture_size), pixels_(static_cast<size_t>(count) * picture_size) {}

  // Room for a new picture, in the place of the oldest.
  std::span<uint8_t> push();
  // The newest picture takes all places, as at the beginning of an episode.
  void fill();
  // The oldest picture first.
  void copy_to(std::span<uint8_t> out) const;

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  size_t size_;
  size_t oldest_ = 0;  // where it starts
  std::vector<uint8_t> pixels_;
};

}  // namespace poolkit::atari
