// Masks to pixels: every kernel draws what a plain loop draws, and nothing else.
#include <random>

#include "atari/kernels.h"
#include "atari/pixels.h"
#include "check.h"

namespace poolkit::atari {
namespace {

bool has(const LineMask& mask, int x) { return mask.words[x / 64] >> (x % 64) & 1; }

LineMask random_mask(std::mt19937_64& random) {
  return {{random(), random(), random() & 0xffffffffu}};
}

void check_kernel(DrawLine draw) {
  constexpr uint8_t kOld = 99;
  const std::array<uint8_t, 4> colours = {0, 14, 0x86, 0xff};
  std::mt19937_64 random(1);
  for (int begin = 0; begin < kWidth; ++begin) {
    for (int end = begin + 1; end <= kWidth; ++end) {
      const Selector selector = {random_mask(random), random_mask(random)};
      std::vector<uint8_t> row(kWidth + kSlack, kOld);
      std::vector<uint8_t> expected = row;
      for (int x = begin; x < end; ++x) {
        expected[x] = colours[has(selector.low, x) + 2 * has(selector.high, x)];
      }
      draw(row.data(), selector, colours, {begin, end});
      CHECK(row == expected);
    }
  }
}

TEST(portable_pixels) { check_kernel(draw_line_portable); }

#if defined(__x86_64__)
TEST(avx2_pixels) {
  if (best_kernels() == Kernels::avx2) check_kernel(draw_line_avx2);
}
#endif

TEST(the_fastest_pixels) { check_kernel(draw_line); }

}  // namespace
}  // namespace poolkit::atari
