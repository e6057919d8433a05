#include "preprocess.h"

#include <stdexcept>
#include <string>

namespace poolkit::atari {
namespace {

std::vector<Levels> levels_of(const Palette& palette, bool gray) {
  if (gray) return {palette.gray};
  std::vector<Levels> channels(3);
  for (int number = 0; number < 256; ++number) {
    for (int i = 0; i < 3; ++i) {
      channels[i][number] = static_cast<uint8_t>(palette.rgb[number] >> (16 - 8 * i));
    }
  }
  return channels;
}

int checked(int screen_height) {
  if (screen_height < 1 || screen_height > kMaxScreenHeight) {
    throw std::invalid_argument("a screen of " + std::to_string(screen_height) + " rows");
  }
  return screen_height;
}

ImageSize checked(ImageSize size) {
  if (size.height < 1 || size.width < 1) throw std::invalid_argument("a picture without pixels");
  return size;
}

}  // namespace

Preprocessor::Preprocessor(const Palette& palette, const PictureFormat& format, Kernels kernels)
    : format_(format),
      kernels_(kernels),
      levels_(levels_of(palette, format.gray)),
      resizer_(make_resizer(checked(format.screen_height), checked(format.size), kernels)) {}

void Preprocessor::run(std::span<const uint8_t> frame, std::span<const uint8_t> next,
                       std::span<uint8_t> picture) const {
  const size_t pixels = static_cast<size_t>(format_.screen_height) * kScreenWidth;
  for (size_t i = 0; i < levels_.size(); ++i) {
    Channel channel;
    brighter_levels(levels_[i], frame.first(pixels), next.first(pixels), channel, kernels_);
    resizer_->run(channel, picture.subspan(i * format_.size.area(), format_.size.area()));
  }
}

}  // namespace poolkit::atari
