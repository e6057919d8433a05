// One scan line of one object: a bit for each of the 160 visible pixels, bit 0 the leftmost.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace poolkit::atari {

inline constexpr int kWidth = 160;

struct LineMask {
  alignas(16) std::array<uint64_t, 4> words{};  // the last one is empty: pairs are vectors

  friend constexpr LineMask operator&(LineMask a, const LineMask& b) {
    for (int i = 0; i < 4; ++i) a.words[i] &= b.words[i];
    return a;
  }
  friend constexpr LineMask operator|(LineMask a, const LineMask& b) {
    for (int i = 0; i < 4; ++i) a.words[i] |= b.words[i];
    return a;
  }
  friend constexpr LineMask operator^(LineMask a, const LineMask& b) {
    for (int i = 0; i < 4; ++i) a.words[i] ^= b.words[i];
    return a;
  }
  constexpr LineMask without(const LineMask& b) const {
    LineMask out;
    for (int i = 0; i < 4; ++i) out.words[i] = words[i] & ~b.words[i];
    return out;
  }
  constexpr bool any() const { return (words[0] | words[1] | words[2]) != 0; }
};

// kLeftOf[x] has the pixels 0 to x - 1.
inline constexpr std::array<LineMask, kWidth + 1> kLeftOf = [] {
  std::array<LineMask, kWidth + 1> table{};
  for (int x = 0; x < kWidth; ++x) {
    table[x + 1] = table[x];
    table[x + 1].words[x / 64] |= uint64_t{1} << (x % 64);
  }
  return table;
}();

// `left` up to pixel x, `right` from there on.
constexpr LineMask joined_at(int x, const LineMask& left, const LineMask& right) {
  return right ^ ((left ^ right) & kLeftOf[x]);
}

// A mask in registers. Made in memory, word by word, it would have to wait there: vectors cannot
// be read out of two writes that are still on their way.
struct MaskWords {
  uint64_t first = 0;
  uint64_t second = 0;
  uint64_t third = 0;

  constexpr bool any() const { return (first | second | third) != 0; }
  LineMask mask() const {
    using Pair = uint64_t __attribute__((vector_size(16)));
    const std::array<Pair, 2> pairs{Pair{first, second}, Pair{third, 0}};
    return std::bit_cast<LineMask>(pairs);
  }
};

// A pattern of up to 128 pixels drawn from pixel `position` (0 to 159) on, round the edge.
constexpr MaskWords placed(uint64_t low, uint64_t high, int position) {
  constexpr uint64_t kLastWord = 0xffffffffu;
  const int shift = position % 64;
  const uint64_t a = low << shift;
  const uint64_t b = high << shift | low >> 1 >> (63 - shift);
  const uint64_t c = high >> 1 >> (63 - shift);
  switch (position / 64) {
    case 0:
      return {a | c >> 32, b, c & kLastWord};
    case 1:
      return {b >> 32 | c << 32, a | c >> 32, b & kLastWord};
    default:
      return {a >> 32 | b << 32, b >> 32 | c << 32, a & kLastWord};
  }
}

}  // namespace poolkit::atari
