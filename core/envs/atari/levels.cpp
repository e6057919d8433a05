#include "levels.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace poolkit::atari {
namespace {

using Row = Channel::Row;

Row row_at(std::span<const uint8_t> frame, size_t at) {
  return frame.subspan(at).first<kScreenWidth>();
}

bool same(Row a, Row b) { return std::memcmp(a.data(), b.data(), kScreenWidth) == 0; }

void look_up(const Levels& levels, Row a, Row b, Channel::NewRow out) {
  for (int x = 0; x < kScreenWidth; ++x) out[x] = std::max(levels[a[x]], levels[b[x]]);
}

void portable(const Levels& levels, std::span<const uint8_t> a, std::span<const uint8_t> b,
              Channel& channel) {
  size_t at = 0;
  while (at < a.size()) {
    const Row row_a = row_at(a, at);
    const Row row_b = row_at(b, at);
    look_up(levels, row_a, row_b, channel.add());
    for (at += kScreenWidth;
         at < a.size() && same(row_a, row_at(a, at)) && same(row_b, row_at(b, at));
         at += kScreenWidth) {
      channel.repeat();
    }
  }
}

#if defined(__x86_64__)

constexpr int kVectors = kScreenWidth / 32;

POOLKIT_AVX2 __m256i load(const uint8_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

POOLKIT_AVX2 bool is_zero(__m256i v) { return _mm256_testz_si256(v, v) != 0; }

// A row of each of two frames.
struct Rows {
  __m256i a[kVectors];
  __m256i b[kVectors];
};

POOLKIT_AVX2 inline Rows load_rows(const uint8_t* a, const uint8_t* b) {
  Rows rows;
  for (int v = 0; v < kVectors; ++v) {
    rows.a[v] = load(a + 32 * v);
    rows.b[v] = load(b + 32 * v);
  }
  return rows;
}

POOLKIT_AVX2 inline bool same(const Rows& rows, const Rows& others) {
  __m256i different = _mm256_setzero_si256();
  for (int v = 0; v < kVectors; ++v) {
    const __m256i in_a = _mm256_xor_si256(rows.a[v], others.a[v]);
    const __m256i in_b = _mm256_xor_si256(rows.b[v], others.b[v]);
    different = _mm256_or_si256(different, _mm256_or_si256(in_a, in_b));
  }
  return is_zero(different);
}

// The levels of the 128 even numbers in eight registers of 16, each twice.
struct EvenLevels {
  __m256i part[8];
};

POOLKIT_AVX2 EvenLevels even_levels(const Levels& levels) {
  alignas(16) uint8_t even[128];
  for (int i = 0; i < 128; ++i) even[i] = levels[2 * i];
  EvenLevels result;
  for (int i = 0; i < 8; ++i) {
    result.part[i] = _mm256_broadcastsi128_si256(
        _mm_load_si128(reinterpret_cast<const __m128i*>(even + 16 * i)));
  }
  return result;
}

// Bits 1 to 4 of a number choose within a register, bits 5 to 7 the register.
POOLKIT_AVX2 inline __m256i look_up_even(const EvenLevels& levels, __m256i numbers) {
  const __m256i within = _mm256_srli_epi16(numbers, 1);
  const __m256i bit5 = _mm256_slli_epi16(numbers, 2);
  const __m256i bit6 = _mm256_slli_epi16(numbers, 1);
  __m256i quarter[4];
  for (int i = 0; i < 4; ++i) {
    quarter[i] = _mm256_blendv_epi8(_mm256_shuffle_epi8(levels.part[2 * i], within),
                                    _mm256_shuffle_epi8(levels.part[2 * i + 1], within), bit5);
  }
  return _mm256_blendv_epi8(_mm256_blendv_epi8(quarter[0], quarter[1], bit6),
                            _mm256_blendv_epi8(quarter[2], quarter[3], bit6), numbers);
}

POOLKIT_AVX2 inline void look_up_rows(const EvenLevels& levels, const Rows& rows, uint8_t* out) {
  for (int v = 0; v < kVectors; ++v) {
    __m256i level = look_up_even(levels, rows.a[v]);
    // Seldom does anything move here from one frame to the next.
    if (!is_zero(_mm256_xor_si256(rows.a[v], rows.b[v]))) {
      level = _mm256_max_epu8(level, look_up_even(levels, rows.b[v]));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32 * v), level);
  }
}

POOLKIT_AVX2 inline bool has_odd(const Rows& rows) {
  __m256i seen = _mm256_setzero_si256();
  for (int v = 0; v < kVectors; ++v) {
    seen = _mm256_or_si256(seen, _mm256_or_si256(rows.a[v], rows.b[v]));
  }
  return _mm256_testz_si256(seen, _mm256_set1_epi8(1)) == 0;
}

POOLKIT_AVX2 void avx2(const Levels& levels, std::span<const uint8_t> a, std::span<const uint8_t> b,
                       Channel& channel) {
  const EvenLevels even = even_levels(levels);
  size_t at = 0;
  while (at < a.size()) {
    const Rows rows = load_rows(&a[at], &b[at]);
    const Channel::NewRow out = channel.add();
    if (has_odd(rows)) {
      look_up(levels, row_at(a, at), row_at(b, at), out);
    } else {
      look_up_rows(even, rows, out.data());
    }
    for (at += kScreenWidth; at < a.size() && same(rows, load_rows(&a[at], &b[at]));
         at += kScreenWidth) {
      channel.repeat();
    }
  }
}

#endif

}  // namespace

void brighter_levels(const Levels& levels, std::span<const uint8_t> a, std::span<const uint8_t> b,
                     Channel& channel, Kernels kernels) {
#if defined(__x86_64__)
  if (kernels == Kernels::avx2) return avx2(levels, a, b, channel);
#endif
  portable(levels, a, b, channel);
}

}  // namespace poolkit::atari
