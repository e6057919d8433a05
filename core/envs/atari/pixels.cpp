#include "pixels.h"

#include <algorithm>
#include <cstring>

namespace poolkit::atari {
namespace {

// A bit of the index makes a whole byte of the entry.
constexpr auto kByteMasks = [] {
  std::array<uint64_t, 256> table{};
  for (int bits = 0; bits < 256; ++bits) {
    for (int i = 0; i < 8; ++i) {
      if (bits >> i & 1) table[bits] |= uint64_t{0xff} << (8 * i);
    }
  }
  return table;
}();

}  // namespace

void draw_line_portable(uint8_t* row, const Selector& selector,
                        const std::array<uint8_t, 4>& colours, Segment segment) {
  constexpr uint64_t kEveryByte = 0x0101010101010101u;
  const uint64_t base = colours[0] * kEveryByte;
  const uint64_t low = base ^ colours[1] * kEveryByte;
  const uint64_t high = base ^ colours[2] * kEveryByte;
  const uint64_t both = base ^ low ^ high ^ colours[3] * kEveryByte;
  for (int x = segment.begin / 8 * 8; x < segment.end; x += 8) {
    const uint64_t in_low = kByteMasks[selector.low.words[x / 64] >> (x % 64) & 0xff];
    const uint64_t in_high = kByteMasks[selector.high.words[x / 64] >> (x % 64) & 0xff];
    const uint64_t pixels = base ^ (low & in_low) ^ (high & in_high) ^ (both & in_low & in_high);
    const int begin = std::max(x, segment.begin);
    const int end = std::min(x + 8, segment.end);
    std::memcpy(row + begin, reinterpret_cast<const uint8_t*>(&pixels) + (begin - x), end - begin);
  }
}

#if defined(__x86_64__)
const DrawLine draw_line = __builtin_cpu_supports("avx2") ? draw_line_avx2 : draw_line_portable;
#else
const DrawLine draw_line = draw_line_portable;
#endif

}  // namespace poolkit::atari
