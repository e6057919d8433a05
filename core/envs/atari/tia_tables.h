// How the TIA's registers shape its objects: facts of the hardware as ALE shows it.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include "line_mask.h"

namespace poolkit::atari {

// Registers by their write address.
enum Register : uint8_t {
  VSYNC = 0x00,
  VBLANK = 0x01,
  WSYNC = 0x02,
  NUSIZ0 = 0x04,
  NUSIZ1 = 0x05,
  COLUP0 = 0x06,
  COLUP1 = 0x07,
  COLUPF = 0x08,
  COLUBK = 0x09,
  CTRLPF = 0x0a,
  REFP0 = 0x0b,
  REFP1 = 0x0c,
  PF0 = 0x0d,
  PF1 = 0x0e,
  PF2 = 0x0f,
  RESP0 = 0x10,
  RESP1 = 0x11,
  RESM0 = 0x12,
  RESM1 = 0x13,
  RESBL = 0x14,
  GRP0 = 0x1b,
  GRP1 = 0x1c,
  ENAM0 = 0x1d,
  ENAM1 = 0x1e,
  ENABL = 0x1f,
  HMP0 = 0x20,
  HMP1 = 0x21,
  HMM0 = 0x22,
  HMM1 = 0x23,
  HMBL = 0x24,
  VDELP0 = 0x25,
  VDELP1 = 0x26,
  VDELBL = 0x27,
  RESMP0 = 0x28,
  RESMP1 = 0x29,
  HMOVE = 0x2a,
  HMCLR = 0x2b,
  CXCLR = 0x2c,
};

// The six objects; the order is that of their motion registers.
enum Object : uint8_t { P0, P1, M0, M1, BL, PF };
inline constexpr int kObjects = 6;

inline constexpr int kClocksPerLine = 228;
inline constexpr int kCyclesPerLine = 76;
inline constexpr int kBlankClocks = 68;  // of a line, before its first pixel

// Without signs, which would cost more: no cycle is negative.
constexpr int32_t cycle_in_line(int32_t cycle) {
  return static_cast<int32_t>(static_cast<uint32_t>(cycle) % kCyclesPerLine);
}
constexpr int32_t cycles_left_in_line(int32_t cycle) {
  const int32_t in_line = cycle_in_line(cycle);
  return in_line != 0 ? kCyclesPerLine - in_line : 0;
}

// Bits of registers. Writing the value that is there does nothing to a `holder`; writing to an
// `unused` address does nothing that shows (sound has no part in the picture).
constexpr uint64_t registers(std::initializer_list<Register> list) {
  uint64_t bits = 0;
  for (const Register reg : list) bits |= uint64_t{1} << reg;
  return bits;
}
inline constexpr uint64_t kHolders = registers(
    {VBLANK, COLUP0, COLUP1, COLUPF, COLUBK, REFP0, REFP1,  PF0,    PF1,    PF2,    ENAM0, ENAM1,
     ENABL,  HMP0,   HMP1,   HMM0,   HMM1,   HMBL,  VDELP0, VDELP1, VDELBL, RESMP0, RESMP1});
inline constexpr uint64_t kUnused =
    ~(kHolders | registers({VSYNC, NUSIZ0, NUSIZ1, CTRLPF, RESP0, RESP1, RESM0, RESM1, RESBL, GRP0,
                            GRP1, HMOVE, HMCLR, CXCLR}));

// Clocks between a write and its effect, for the registers whose writes take any.
constexpr int effect_delay(uint8_t reg, int32_t cycle) {
  constexpr std::array<uint8_t, 4> kPlayfield = {4, 5, 2, 3};
  switch (reg) {
    case VBLANK:
    case REFP0:
    case REFP1:
    case GRP0:
    case GRP1:
      return 1;
    case NUSIZ0:
    case NUSIZ1:
    case RESM0:
    case RESM1:
      return 8;
    case PF0:
    case PF1:
    case PF2:
      return kPlayfield[cycle & 3];  // a line has a multiple of 4
    default:
      return 0;
  }
}

// The copies of a player or missile, by the low three bits of its NUSIZ.
struct Copies {
  int count;
  std::array<uint8_t, 3> offsets;
  int width;          // pixels for each bit of a player
  uint64_t near_by;   // a pattern times this puts it at the offsets below 64,
  uint64_t far_away;  // and times this at offset 64
};

constexpr Copies copies(int count, int second, int third, int width) {
  Copies result{count, {0, static_cast<uint8_t>(second), static_cast<uint8_t>(third)}, width, 0, 0};
  for (int i = 0; i < count; ++i) {
    (result.offsets[i] < 64 ? result.near_by : result.far_away) |= uint64_t{1}
                                                                   << (result.offsets[i] % 64);
  }
  return result;
}

inline constexpr std::array<Copies, 8> kCopies = {
    copies(1, 0, 0, 1),  copies(2, 16, 0, 1), copies(2, 32, 0, 1),  copies(3, 16, 32, 1),
    copies(2, 64, 0, 1), copies(1, 0, 0, 2),  copies(3, 32, 64, 1), copies(1, 0, 0, 4)};

// Where a player's position is reset, seen from where it stood before.
enum class ResetPlace : uint8_t { kElsewhere, kBeforeCopy, kInCopy };

constexpr ResetPlace find_reset_place(const Copies& copies, int distance) {
  constexpr int kDelay = 4;  // pixels at the start of a copy in which it is not yet drawn
  for (int i = 0; i < copies.count; ++i) {
    const int inside = distance - copies.offsets[i];
    if (inside >= 0 && inside < kDelay) return ResetPlace::kBeforeCopy;
    if (inside >= kDelay && inside < kDelay + 8 * copies.width) return ResetPlace::kInCopy;
  }
  return ResetPlace::kElsewhere;
}

// By the low three bits of NUSIZ, and how far the new position is to the right of the old one.
inline constexpr auto kResetPlaces = [] {
  std::array<std::array<ResetPlace, kWidth>, 8> table{};
  for (int number_size = 0; number_size < 8; ++number_size) {
    for (int distance = 0; distance < kWidth; ++distance) {
      table[number_size][distance] = find_reset_place(kCopies[number_size], distance);
    }
  }
  return table;
}();

// HMOVE feeds an object extra clocks, one in four, until its counter agrees with the motion
// register. The register moves it by `nominal`; a late strobe loses the first of the clocks
// (`lost`), and one near the line's end has some of them fall into the visible part.
constexpr int motion(int cycle, int value) {
  const int nominal = value < 8 ? -value : 16 - value;
  if (cycle == 75) return nominal;
  if (cycle <= 20) {
    const int lost = -6 + (3 * cycle - 11 >= 0 ? (3 * cycle - 11) / 4 : -1);
    return nominal > lost ? nominal : lost;
  }
  if (cycle < 55) return 0;
  const int visible = nominal + 6 - (3 * (cycle - 55) + 2) / 4;
  return visible < 0 ? visible : 0;
}

inline constexpr auto kMotion = [] {
  std::array<std::array<int8_t, 16>, kCyclesPerLine> table{};
  for (int cycle = 0; cycle < kCyclesPerLine; ++cycle) {
    for (int value = 0; value < 16; ++value) {
      table[cycle][value] = static_cast<int8_t>(motion(cycle, value));
    }
  }
  return table;
}();

// An HMOVE in these cycles blackens the next eight visible pixels.
constexpr bool blanks_after_hmove(int cycle) { return cycle <= 20 || cycle == 75; }

// A position reset soon after an HMOVE meets its extra clocks: where the object then lands.
struct ResetDuringMotion {
  Object object;
  uint8_t since_hmove;  // clocks
  uint8_t clock;        // of the line
  uint8_t position;
};
inline constexpr std::array<ResetDuringMotion, 7> kResetsDuringMotion = {{{M0, 60, 69, 8},
                                                                          {M1, 9, 18, 3},
                                                                          {BL, 54, 60, 10},
                                                                          {BL, 54, 69, 10},
                                                                          {BL, 9, 18, 3},
                                                                          {BL, 21, 30, 6},
                                                                          {BL, 18, 27, 5}}};

// Motion of missile 0, line by line, once HMM0 was changed while its extra clocks ran: it never
// sees the end of them. Cosmic Ark draws its stars so.
inline constexpr std::array<uint8_t, 4> kEndlessMotion = {18, 33, 0, 17};
inline constexpr int kEndlessMotionClocks = 63;  // after HMOVE

// The collision latches: read address, bit, and the two objects.
struct Collision {
  uint8_t latch;
  uint8_t bit;
  Object first;
  Object second;
};
inline constexpr std::array<Collision, 15> kCollisions = {{{0, 0x80, M0, P1},
                                                           {0, 0x40, M0, P0},
                                                           {1, 0x80, M1, P0},
                                                           {1, 0x40, M1, P1},
                                                           {2, 0x80, P0, PF},
                                                           {2, 0x40, P0, BL},
                                                           {3, 0x80, P1, PF},
                                                           {3, 0x40, P1, BL},
                                                           {4, 0x80, M0, PF},
                                                           {4, 0x40, M0, BL},
                                                           {5, 0x80, M1, PF},
                                                           {5, 0x40, M1, BL},
                                                           {6, 0x80, BL, PF},
                                                           {7, 0x80, P0, P1},
                                                           {7, 0x40, M0, M1}}};

// A byte's bits, each repeated `times`; from the last bit on if `mirrored`.
constexpr auto spread_table(int times, bool mirrored) {
  std::array<uint32_t, 256> table{};
  for (uint32_t value = 0; value < 256; ++value) {
    for (int bit = 0; bit < 8 * times; ++bit) {
      const int source = mirrored ? 7 - bit / times : bit / times;
      table[value] |= ((value >> source) & 1) << bit;
    }
  }
  return table;
}
inline constexpr auto kMirrored = spread_table(1, true);
inline constexpr auto kTwice = spread_table(2, true);
inline constexpr auto kFourTimes = spread_table(4, true);
inline constexpr auto kFourTimesAsIs = spread_table(4, false);

}  // namespace poolkit::atari
