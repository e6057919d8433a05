// From masks to pixels: the one loop of the TIA that touches every pixel of a line.
#pragma once

#include <array>
#include <cstdint>

#include "line_mask.h"

namespace poolkit::atari {

// The colour of each pixel, 0 to 3, in two bits.
struct Selector {
  LineMask low;
  LineMask high;
};

// Pixels from `begin` on and before `end`.
struct Segment {
  int begin;
  int end;
};

using DrawLine = void (*)(uint8_t* row, const Selector& selector,
                          const std::array<uint8_t, 4>& colours, Segment segment);

// They write the pixels of `segment`, of a row of kWidth. Behind it, kSlack bytes are read and
// written as they were.
inline constexpr int kSlack = 32;
void draw_line_portable(uint8_t* row, const Selector& selector,
                        const std::array<uint8_t, 4>& colours, Segment segment);
void draw_line_avx2(uint8_t* row, const Selector& selector, const std::array<uint8_t, 4>& colours,
                    Segment segment);

// The fastest that this CPU can run.
extern const DrawLine draw_line;

}  // namespace poolkit::atari
