#include "resize_84.h"

#include <algorithm>
#include <array>
#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace poolkit::atari {
namespace {

constexpr int kSize = 84;
constexpr int kUnits = 200;

// Two target rows are made of five source rows, weighted 2 2 1 and 1 2 2.
constexpr int kRowsIn = 5;
constexpr int kRowsOut = 2;

// A target column: `first` and the two source pixels after it, the last two perhaps without weight.
struct Column {
  int first = 0;
  std::array<int8_t, 3> weights{};  // of 40
};

constexpr std::array<Column, kSize> make_columns() {
  std::array<Column, kSize> columns{};
  for (int x = 0; x < kSize; ++x) {
    // In units of 1/21 source pixel.
    const int left = 40 * x;
    const int right = left + 40;
    columns[x].first = left / 21;
    for (int i = 0; i < 3; ++i) {
      const int begin = (columns[x].first + i) * 21;
      const int overlap = std::min(right, begin + 21) - std::max(left, begin);
      columns[x].weights[i] = static_cast<int8_t>(std::max(overlap, 0));
    }
  }
  return columns;
}
constexpr std::array<Column, kSize> kColumns = make_columns();

using Line = std::array<uint16_t, kSize>;

void shrink_row(Channel::Row from, Line& to) {
  for (int x = 0; x < kSize; ++x) {
    const auto& [first, weights] = kColumns[x];
    const int third = std::min(first + 2, kScreenWidth - 1);
    to[x] = static_cast<uint16_t>(from[first] * weights[0] + from[first + 1] * weights[1] +
                                  from[third] * weights[2]);
  }
}

#if defined(__x86_64__)

// Half a vector makes seven columns: their source pixels are within 16 from `first` on. The first
// two pixels of a column come as a pair, the third alone.
constexpr int kGroup = 7;
constexpr int kVectors = kSize / (2 * kGroup);
constexpr int kPairs = kVectors / 2;

struct Shuffle {
  std::array<int, 2> first{};
  alignas(32) std::array<int8_t, 32> pairs{};
  alignas(32) std::array<int8_t, 32> pair_weights{};
  alignas(32) std::array<int8_t, 32> thirds{};
  alignas(32) std::array<int8_t, 32> third_weights{};
};

// Of two neighbours, each half-vector of the first comes before that of the second: so that packing
// them leaves the columns in order.
constexpr int group_of(int vector, int half) { return vector / 2 * 4 + half * 2 + vector % 2; }

constexpr std::array<Shuffle, kVectors> make_shuffles() {
  constexpr int8_t kZero = -128;
  std::array<Shuffle, kVectors> shuffles{};
  for (int v = 0; v < kVectors; ++v) {
    Shuffle& shuffle = shuffles[v];
    shuffle.pairs.fill(kZero);
    shuffle.thirds.fill(kZero);
    for (int half = 0; half < 2; ++half) {
      const Column* columns = &kColumns[group_of(v, half) * kGroup];
      shuffle.first[half] = columns[0].first;
      for (int i = 0; i < kGroup; ++i) {
        const int at = 16 * half + 2 * i;
        const auto pixel = static_cast<int8_t>(columns[i].first - columns[0].first);
        shuffle.pairs[at] = pixel;
        shuffle.pairs[at + 1] = static_cast<int8_t>(pixel + 1);
        shuffle.pair_weights[at] = columns[i].weights[0];
        shuffle.pair_weights[at + 1] = columns[i].weights[1];
        shuffle.thirds[at] = static_cast<int8_t>(pixel + 2);
        shuffle.third_weights[at] = columns[i].weights[2];
      }
    }
  }
  return shuffles;
}
constexpr std::array<Shuffle, kVectors> kShuffles = make_shuffles();

POOLKIT_AVX2 inline __m256i load_table(const std::array<int8_t, 32>& table) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(table.data()));
}

POOLKIT_AVX2 inline __m256i shrink(const uint8_t* row, const Shuffle& shuffle) {
  const auto* low = reinterpret_cast<const __m128i*>(row + shuffle.first[0]);
  const auto* high = reinterpret_cast<const __m128i*>(row + shuffle.first[1]);
  const __m256i pixels = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(low)),
                                                 _mm_loadu_si128(high), 1);
  const __m256i pairs = _mm256_shuffle_epi8(pixels, load_table(shuffle.pairs));
  const __m256i thirds = _mm256_shuffle_epi8(pixels, load_table(shuffle.thirds));
  return _mm256_add_epi16(_mm256_maddubs_epi16(pairs, load_table(shuffle.pair_weights)),
                          _mm256_maddubs_epi16(thirds, load_table(shuffle.third_weights)));
}

// The column of a byte in two packed vectors.
int column_of(int byte) { return byte / 8 * kGroup + byte % 8; }

struct Rounded {
  __m256i pixels;    // 16 bits each
  __m256i half_way;  // 255 where the sum was half way
};

POOLKIT_AVX2 inline Rounded round_sums(__m256i sums) {
  // (sums + 100) / 200, the division by 25 after a shift by 3 as a multiplication by 5243 / 2^17.
  const __m256i raised = _mm256_add_epi16(sums, _mm256_set1_epi16(kUnits / 2));
  const __m256i pixels = _mm256_srli_epi16(
      _mm256_mulhi_epu16(_mm256_srli_epi16(raised, 3), _mm256_set1_epi16(5243)), 1);
  const __m256i back = _mm256_mullo_epi16(pixels, _mm256_set1_epi16(kUnits));
  return {pixels, _mm256_srli_epi16(_mm256_cmpeq_epi16(back, raised), 8)};
}

// Writes 28 columns and nothing beyond, and returns one bit for each byte that was half way.
POOLKIT_AVX2 inline uint32_t store(const Rounded& first, const Rounded& second, uint8_t* to) {
  // The upper half keeps two columns twice: it is written as two overlapping halves.
  const __m256i close_up =
      _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, -1, -1,  //
                       0, 1, 2, 3, 4, 5, 6, 8, 6, 8, 9, 10, 11, 12, 13, 14);
  const __m256i columns =
      _mm256_shuffle_epi8(_mm256_packus_epi16(first.pixels, second.pixels), close_up);
  const __m128i upper = _mm256_extracti128_si256(columns, 1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(columns));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 14), upper);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 20), _mm_unpackhi_epi64(upper, upper));
  const __m256i half_way = _mm256_packus_epi16(first.half_way, second.half_way);
  return static_cast<uint32_t>(_mm256_movemask_epi8(half_way));
}

#endif

}  // namespace

Resize84::Resize84(Kernels kernels) : kernels_(kernels) {
  const Shrinking across(kScreenWidth, kSize);
  const Shrinking down(kSize / kRowsOut * kRowsIn, kSize);
  for (int i = 0; i < kSize; ++i) {
    for (int t = 0; t < 3; ++t) {
      across_[i][t] = across.weights[t][i];
      down_[i][t] = down.weights[t][i];
    }
  }
}

void Resize84::run(const Channel& from, std::span<uint8_t> to) const {
  if (kernels_ == Kernels::avx2) return avx2(from, to);
  portable(from, to);
}

uint8_t Resize84::half_way_pixel(const Channel& from, int y, int x) const {
  const int top = y * kRowsIn / kRowsOut;
  const int left = kColumns[x].first;
  const int third = std::min(left + 2, kScreenWidth - 1);
  float sum = 0;
  for (int i = 0; i < 3; ++i) {
    const Channel::Row row = from[top + i];
    const auto& [w0, w1, w2] = across_[x];
    sum += down_[y][i] * (row[left] * w0 + row[left + 1] * w1 + row[third] * w2);
  }
  return to_pixel(sum);
}

void Resize84::portable(const Channel& from, std::span<uint8_t> to) const {
  std::array<Line, kRowsIn> lines;
  for (int y = 0; y < kSize; y += kRowsOut) {
    const int top = y / kRowsOut * kRowsIn;
    for (int i = 0; i < kRowsIn; ++i) {
      if (i > 0 && from.same(top + i - 1, top + i)) {
        lines[i] = lines[i - 1];
      } else {
        shrink_row(from[top + i], lines[i]);
      }
    }
    for (int lower = 0; lower < kRowsOut; ++lower) {
      const Line& outer = lines[lower == 0 ? 0 : 4];
      const Line& inner = lines[lower == 0 ? 1 : 3];
      for (int x = 0; x < kSize; ++x) {
        const int raised = 2 * (outer[x] + inner[x]) + lines[2][x] + kUnits / 2;
        const int pixel = raised / kUnits;
        to[(y + lower) * kSize + x] = raised == pixel * kUnits ? half_way_pixel(from, y + lower, x)
                                                               : static_cast<uint8_t>(pixel);
      }
    }
  }
}

#if defined(__x86_64__)

POOLKIT_AVX2 void Resize84::avx2(const Channel& from, std::span<uint8_t> to) const {
  for (int y = 0; y < kSize; y += kRowsOut) {
    const int top = y / kRowsOut * kRowsIn;
    if (top > 0 && from.same(top - kRowsIn, top + kRowsIn - 1)) {
      std::copy_n(&to[(y - kRowsOut) * kSize], kRowsOut * kSize, &to[y * kSize]);
      continue;
    }
    const bool one_row = from.same(top, top + kRowsIn - 1);
    uint32_t half_way[kRowsOut][kPairs];
    for (int pair = 0; pair < kPairs; ++pair) {
      Rounded upper[2];
      Rounded lower[2];
      for (int i = 0; i < 2; ++i) {
        const Shuffle& shuffle = kShuffles[2 * pair + i];
        __m256i line[kRowsIn];
        line[0] = shrink(from[top].data(), shuffle);
        for (int row = 1; row < kRowsIn; ++row) {
          line[row] = one_row ? line[0] : shrink(from[top + row].data(), shuffle);
        }
        const __m256i first = _mm256_slli_epi16(_mm256_add_epi16(line[0], line[1]), 1);
        const __m256i last = _mm256_slli_epi16(_mm256_add_epi16(line[3], line[4]), 1);
        upper[i] = round_sums(_mm256_add_epi16(first, line[2]));
        lower[i] = round_sums(_mm256_add_epi16(line[2], last));
      }
      uint8_t* out = &to[y * kSize + pair * 4 * kGroup];
      half_way[0][pair] = store(upper[0], upper[1], out);
      half_way[1][pair] = store(lower[0], lower[1], out + kSize);
    }
    for (int row = 0; row < kRowsOut; ++row) {
      for (int pair = 0; pair < kPairs; ++pair) {
        for (uint32_t bits = half_way[row][pair]; bits != 0; bits &= bits - 1) {
          const int x = pair * 4 * kGroup + column_of(std::countr_zero(bits));
          to[(y + row) * kSize + x] = half_way_pixel(from, y + row, x);
        }
      }
    }
  }
}

#else

void Resize84::avx2(const Channel& from, std::span<uint8_t> to) const { portable(from, to); }

#endif

}  // namespace poolkit::atari
