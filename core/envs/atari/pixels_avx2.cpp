#include "pixels.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace poolkit::atari {
namespace {

// 32 bits make 32 bytes of ones or zeros.
__attribute__((target("avx2"))) inline __m256i byte_mask(const LineMask& mask, int chunk) {
  const uint32_t bits = static_cast<uint32_t>(mask.words[chunk / 2] >> (32 * (chunk % 2)));
  const __m256i spread = _mm256_setr_epi64x(0x0000000000000000, 0x0101010101010101,
                                            0x0202020202020202, 0x0303030303030303);
  const __m256i bit = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201u));
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), spread);
  return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
}

}  // namespace

__attribute__((target("avx2"))) void draw_line_avx2(uint8_t* row, const Selector& selector,
                                                    const std::array<uint8_t, 4>& colours) {
  __m256i colour[4];
  for (int i = 0; i < 4; ++i) colour[i] = _mm256_set1_epi8(static_cast<char>(colours[i]));
  for (int chunk = 0; chunk < kWidth / 32; ++chunk) {
    const __m256i low = byte_mask(selector.low, chunk);
    const __m256i high = byte_mask(selector.high, chunk);
    const __m256i pixels = _mm256_blendv_epi8(_mm256_blendv_epi8(colour[0], colour[1], low),
                                              _mm256_blendv_epi8(colour[2], colour[3], low), high);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(row + 32 * chunk), pixels);
  }
}

}  // namespace poolkit::atari
#endif
