#include "picture_stack.h"

#include <algorithm>

namespace poolkit::atari {

std::span<uint8_t> PictureStack::push() {
  const auto room = std::span(pixels_).subspan(oldest_, size_);
  oldest_ = (oldest_ + size_) % pixels_.size();
  return room;
}

void PictureStack::fill() {
  const size_t newest = (oldest_ + pixels_.size() - size_) % pixels_.size();
  for (size_t at = 0; at < pixels_.size(); at += size_) {
    if (at != newest) std::copy_n(&pixels_[newest], size_, &pixels_[at]);
  }
}

void PictureStack::copy_to(std::span<uint8_t> out) const {
  const auto oldest = pixels_.begin() + static_cast<std::ptrdiff_t>(oldest_);
  std::rotate_copy(pixels_.begin(), oldest, pixels_.end(), out.begin());
}

// In order, so that equal pictures are equal bytes.
void PictureStack::save(Writer& out) const {
  out.bytes(pixels_.data() + oldest_, pixels_.size() - oldest_);
  out.bytes(pixels_.data(), oldest_);
}

void PictureStack::load(Reader& in) {
  in.bytes(pixels_.data(), pixels_.size());
  oldest_ = 0;
}

}  // namespace poolkit::atari
