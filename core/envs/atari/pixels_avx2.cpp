#include "kernels.h"
#include "pixels.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace poolkit::atari {
namespace {

// The 32 pixels from x on; those beyond the line are anything.
POOLKIT_AVX2 inline uint32_t bits_from(const LineMask& mask, int x) {
  const int word = x / 64;
  const int shift = x % 64;
  const uint64_t next = mask.words[word < 2 ? word + 1 : 2];
  return static_cast<uint32_t>(mask.words[word] >> shift | next << 1 << (63 - shift));
}

// 32 bits make 32 bytes of ones or zeros.
POOLKIT_AVX2 inline __m256i byte_mask(uint32_t bits) {
  const __m256i spread = _mm256_setr_epi64x(0x0000000000000000, 0x0101010101010101,
                                            0x0202020202020202, 0x0303030303030303);
  const __m256i bit = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201u));
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), spread);
  return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
}

// Of 32 bytes, the first `count`.
POOLKIT_AVX2 inline __m256i first_bytes(int count) {
  const __m256i index =
      _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                       22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
  return _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(count)), index);
}

}  // namespace

POOLKIT_AVX2 void draw_line_avx2(uint8_t* row, const Selector& selector,
                                 const std::array<uint8_t, 4>& colours, Segment segment) {
  __m256i colour[4];
  for (int i = 0; i < 4; ++i) colour[i] = _mm256_set1_epi8(static_cast<char>(colours[i]));
  const auto pixels = [&](uint32_t low_bits, uint32_t high_bits) POOLKIT_AVX2 {
    const __m256i low = byte_mask(low_bits);
    const __m256i high = byte_mask(high_bits);
    return _mm256_blendv_epi8(_mm256_blendv_epi8(colour[0], colour[1], low),
                              _mm256_blendv_epi8(colour[2], colour[3], low), high);
  };
  if (segment.end - segment.begin == kWidth) {
    for (int chunk = 0; chunk < kWidth / 32; ++chunk) {
      const int shift = 32 * (chunk % 2);
      const __m256i drawn = pixels(static_cast<uint32_t>(selector.low.words[chunk / 2] >> shift),
                                   static_cast<uint32_t>(selector.high.words[chunk / 2] >> shift));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(row + 32 * chunk), drawn);
    }
    return;
  }
  for (int x = segment.begin; x < segment.end; x += 32) {
    auto* const at = reinterpret_cast<__m256i*>(row + x);
    __m256i drawn = pixels(bits_from(selector.low, x), bits_from(selector.high, x));
    if (segment.end - x < 32) {
      drawn = _mm256_blendv_epi8(_mm256_loadu_si256(at), drawn, first_bytes(segment.end - x));
    }
    _mm256_storeu_si256(at, drawn);
  }
}

}  // namespace poolkit::atari
#endif
