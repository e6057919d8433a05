#include "kernels.h"
#include "pixels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>

namespace poolkit::atari {
namespace {

// 32 bits make 32 bytes of ones or zeros.
POOLKIT_AVX2 inline __m256i byte_mask(const LineMask& mask, int chunk) {
  const uint32_t bits = static_cast<uint32_t>(mask.words[chunk / 2] >> (32 * (chunk % 2)));
  const __m256i spread = _mm256_setr_epi64x(0x0000000000000000, 0x0101010101010101,
                                            0x0202020202020202, 0x0303030303030303);
  const __m256i bit = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201u));
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), spread);
  return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
}

}  // namespace

POOLKIT_AVX2 void draw_line_avx2(uint8_t* row, const Selector& selector,
                                 const std::array<uint8_t, 4>& colours, Segment segment) {
  __m256i colour[4];
  for (int i = 0; i < 4; ++i) colour[i] = _mm256_set1_epi8(static_cast<char>(colours[i]));
  const auto draw = [&](uint8_t* to, int chunk) POOLKIT_AVX2 {
    const __m256i low = byte_mask(selector.low, chunk);
    const __m256i high = byte_mask(selector.high, chunk);
    const __m256i pixels = _mm256_blendv_epi8(_mm256_blendv_epi8(colour[0], colour[1], low),
                                              _mm256_blendv_epi8(colour[2], colour[3], low), high);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32 * chunk), pixels);
  };
  if (segment.end - segment.begin == kWidth) {
    for (int chunk = 0; chunk < kWidth / 32; ++chunk) draw(row, chunk);
    return;
  }
  alignas(32) uint8_t line[kWidth];
  for (int chunk = segment.begin / 32; 32 * chunk < segment.end; ++chunk) draw(line, chunk);
  std::memcpy(row + segment.begin, line + segment.begin, segment.end - segment.begin);
}

}  // namespace poolkit::atari
#endif
