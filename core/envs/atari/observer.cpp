#include "observer.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace poolkit::atari {

static_assert(kScreenWidth == kWidth);

namespace {

size_t checked_size(int64_t bytes) {
  constexpr int64_t kMost = int64_t{1} << 30;
  if (bytes <= kMost) return static_cast<size_t>(bytes);
  throw std::invalid_argument("stack_num, img_height, img_width: make an observation of " +
                              std::to_string(bytes) + " bytes; it must have at most " +
                              std::to_string(kMost));
}

}  // namespace

const Palette& palette_of(const Console& console) {
  return console.pal() ? kPalPalette : kNtscPalette;
}

void write_rgb(const Console& console, std::span<uint8_t> rgb) {
  const Palette& palette = palette_of(console);
  auto out = rgb.begin();
  for (const uint8_t number : console.screen()) {
    for (const int shift : {16, 8, 0}) *out++ = static_cast<uint8_t>(palette.rgb[number] >> shift);
  }
}

Observer::Shape Observer::shape_of(const EnvOptions& options, const Console& console) {
  if (options.sees_ram) return {options.stack_num, 0, 1, static_cast<int>(console.ram().size())};
  return {options.stack_num, options.gray_scale ? 1 : 3,
          options.img_height.value_or(console.height()), options.img_width.value_or(kScreenWidth)};
}

Observer::Observer(const EnvOptions& options, const Console& console)
    : shape_(shape_of(options, console)),
      pools_(options.maxpool && options.frame_skip > 1),
      pictures_(shape_.pictures, checked_size(shape_.bytes()) / shape_.pictures) {
  if (sees_ram()) return;
  preprocessor_.emplace(palette_of(console), PictureFormat{.screen_height = console.height(),
                                                           .size = {shape_.height, shape_.width},
                                                           .gray = options.gray_scale});
}

Array Observer::array() const {
  const auto [pictures, channels, height, width] = shape_;
  if (sees_ram()) return box<uint8_t>("", {pictures, width}, 0, 255);
  return box<uint8_t>("", {pictures * channels, height, width}, 0, 255);
}

void Observer::begin(const Emulator& emulator) {
  take_picture(emulator, emulator.console().screen());
  pictures_.fill();
}

void Observer::add(const Emulator& emulator) {
  const Console& console = emulator.console();
  take_picture(emulator, pools_ ? console.previous_screen() : console.screen());
}

void Observer::take_picture(const Emulator& emulator, std::span<const uint8_t> other) {
  const std::span<uint8_t> picture = pictures_.push();
  if (sees_ram()) {
    std::ranges::copy(emulator.ram(), picture.begin());
  } else {
    preprocessor_->run(emulator.console().screen(), other, picture);
  }
}

void Observer::save(Writer& out) const {
  out.value(shape_);
  pictures_.save(out);
}

void Observer::load(Reader& in) {
  if (in.value<Shape>() != shape_) {
    throw std::invalid_argument(
        "state: of another kind of observation; obs_type, stack_num, gray_scale, img_height and "
        "img_width must be the same");
  }
  pictures_.load(in);
}

}  // namespace poolkit::atari
