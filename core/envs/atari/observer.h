// What an agent sees: the last pictures of an episode, of the screen or of RAM.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "emulator.h"
#include "env_options.h"
#include "picture_stack.h"
#include "preprocess.h"

namespace poolkit::atari {

const Palette& palette_of(const Console& console);
// The last frame in red, green and blue: height x kWidth x 3.
void write_rgb(const Console& console, std::span<uint8_t> rgb);

class Observer {
 public:
  Observer(const EnvOptions& options, const Console& console);

  Array array() const;

  // The first picture of an episode, in all places: the last frame alone.
  void begin(const Emulator& emulator);
  // The picture after an action.
  void add(const Emulator& emulator);
  void copy_to(std::span<uint8_t> observation) const { pictures_.copy_to(observation); }

  // load() throws std::invalid_argument for observations of another kind.
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  // Of a whole observation. RAM has no channels and one row.
  struct Shape {
    int32_t pictures;
    int32_t channels;
    int32_t height;
    int32_t width;
    int64_t bytes() const { return int64_t{pictures} * std::max(1, channels) * height * width; }
    bool operator==(const Shape&) const = default;
  };

  static Shape shape_of(const EnvOptions& options, const Console& console);
  bool sees_ram() const { return shape_.channels == 0; }
  // Of the last frame and another, the brighter at each pixel.
  void take_picture(const Emulator& emulator, std::span<const uint8_t> other);

  Shape shape_;
  bool pools_;                                // the last two frames of an action
  std::optional<Preprocessor> preprocessor_;  // of the screen
  PictureStack pictures_;
};

}  // namespace poolkit::atari
