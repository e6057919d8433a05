// poolkit._core.Preprocessor: the pictures of an Atari observation, for tests.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "atari/preprocess.h"
#include "bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace poolkit {
namespace {

using atari::Kernels;
using atari::kScreenWidth;
using atari::PictureFormat;
using atari::Preprocessor;
using Frame =
    nb::ndarray<const uint8_t, nb::shape<-1, kScreenWidth>, nb::c_contig, nb::device::cpu>;
using Picture = nb::ndarray<nb::numpy, uint8_t>;

// A preprocessor that knows the shapes of its arrays.
class PythonPreprocessor {
 public:
  PythonPreprocessor(const PictureFormat& format, bool pal, Kernels kernels)
      : format_(format),
        preprocessor_(pal ? atari::kPalPalette : atari::kNtscPalette, format, kernels) {}

  Picture run(const Frame& frame, const Frame& next) const {
    auto* pixels = new uint8_t[preprocessor_.size()];
    const nb::capsule owner(pixels, [](void* p) noexcept { delete[] static_cast<uint8_t*>(p); });
    preprocessor_.run(pixels_of(frame), pixels_of(next), {pixels, preprocessor_.size()});
    const size_t channels = preprocessor_.size() / format_.size.area();
    return Picture(pixels,
                   {channels, static_cast<size_t>(format_.size.height),
                    static_cast<size_t>(format_.size.width)},
                   owner);
  }

 private:
  std::span<const uint8_t> pixels_of(const Frame& frame) const {
    if (frame.shape(0) != static_cast<size_t>(format_.screen_height)) {
      throw nb::value_error("a frame of another height");
    }
    return {frame.data(), frame.size()};
  }

  PictureFormat format_;
  Preprocessor preprocessor_;
};

}  // namespace

void bind_atari_preprocess(nb::module_& m) {
  nb::class_<PythonPreprocessor>(m, "Preprocessor",
                                 "Two frames of palette numbers, made to one picture.")
      .def(
          "__init__",
          [](PythonPreprocessor* self, int screen_height, int height, int width, bool gray,
             bool pal, bool portable) {
            new (self) PythonPreprocessor({screen_height, {height, width}, gray}, pal,
                                          portable ? Kernels::portable : atari::best_kernels());
          },
          "screen_height"_a = 210, "height"_a = 84, "width"_a = 84, nb::kw_only(), "gray"_a = true,
          "pal"_a = false, "portable"_a = false,
          "`portable` keeps from the kernels that were made for this kind of CPU.")
      .def(
          "run", &PythonPreprocessor::run, "frame"_a, "next"_a,
          "The brighter of two frames, uint8[screen_height, 160]: uint8[channels, height, width].");
}

}  // namespace poolkit
