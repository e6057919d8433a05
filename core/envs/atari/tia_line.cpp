// The TIA's line: masks that follow the registers, collisions and pixels.
#include <cstring>

#include "tia.h"

namespace poolkit::atari {
namespace {

constexpr uint8_t bit(Object object) { return static_cast<uint8_t>(1 << object); }

constexpr LineMask kLeftHalf = kLeftOf[kWidth / 2];

}  // namespace

// Lets the picture reach `clock`. A line ends only once something happens beyond it; the last one
// of the display never does.
void Tia::advance(int32_t clock) {
  if (clock <= clock_ || clock < first_clock_ || clock_ >= end_clock_) return;
  if (clock > end_clock_) clock = end_clock_;
  while (clock > line_clock_ + kClocksPerLine) finish_line();
  clock_ = clock;
  const int32_t x = clock - line_clock_ - kBlankClocks;
  x_ = x > 0 ? x : 0;
}

void Tia::finish_line() {
  x_ = kWidth;
  draw();
  row_ += kWidth;
  line_clock_ += kClocksPerLine;
  clock_ = line_clock_;
  x_ = drawn_x_ = 0;
  blank_pixels_ = blank_next_line_ ? 0xff : 0;
  blank_next_line_ = 0;
  if (mixed_ | unsettled_) {
    settle_all();
    for (int i = 0; i < kObjects; ++i) {
      if (mixed_ >> i & 1) line_[i] = whole_[i];
    }
    mixed_ = 0;
    recolour_ = 1;
    same_as_above_ = 0;
  }
  if (reflected_ != (regs_[CTRLPF] & 1)) {
    change(PF);
    reflected_ = regs_[CTRLPF] & 1;
  }
  for (int player = 0; player < 2; ++player) {
    if (first_hidden_[player]) {
      change(static_cast<Object>(P0 + player));
      first_hidden_[player] = 0;
    }
  }
  if (endless_motion_) {
    change(M0);
    endless_motion_step_ = (endless_motion_step_ + 1) & 3;
    position_[M0] = static_cast<uint8_t>(
        (position_[M0] + kWidth - kEndlessMotion[endless_motion_step_]) % kWidth);
    missile_form_ = endless_motion_step_ == 1   ? kStretched
                    : endless_motion_step_ == 2 ? kHidden
                                                : kPlain;
  }
}

// To be called before registers of `object` change at the pixel reached.
void Tia::change(Object object) {
  // Whether priority cancels score mode depends on what is enabled (choose_colours()).
  if ((regs_[CTRLPF] & 6) == 6) draw();
  same_as_above_ = 0;
  if (unsettled_ & bit(object)) {
    if (changed_at_[object] == x_) return;
    settle(object);
  }
  unsettled_ |= bit(object);
  changed_at_[object] = static_cast<uint8_t>(x_);
}

// Brings the masks of `object` up to date with its registers.
void Tia::settle(Object object) {
  whole_[object] = whole_line(object);
  const int x = changed_at_[object];
  if (x == 0) {
    line_[object] = whole_[object];
    mixed_ &= static_cast<uint8_t>(~bit(object));
  } else {
    line_[object] = joined_at(x, line_[object], whole_[object]);
    mixed_ |= bit(object);
  }
  unsettled_ &= static_cast<uint8_t>(~bit(object));
  recolour_ = 1;
}

void Tia::settle_all() {
  for (int i = 0; unsettled_ >> i; ++i) {
    if (unsettled_ >> i & 1) settle(static_cast<Object>(i));
  }
}

// Makes pixels and collisions of what the line has reached and was not drawn.
void Tia::draw() {
  if (x_ == drawn_x_) return;
  settle_all();
  const bool whole = drawn_x_ == 0 && x_ == kWidth;
  const bool black = regs_[VBLANK] & 2;
  const bool repeats = whole && same_as_above_;
  if (!black && !repeats) latch_collisions();
  if (pixels_ != nullptr) {
    uint8_t* row = pixels_->data() + row_;
    if (black) {
      std::memset(row + drawn_x_, 0, x_ - drawn_x_);
    } else if (repeats) {
      std::memcpy(row, row - kWidth, kWidth);
    } else {
      if (recolour_) choose_colours();
      if (whole) {
        fastest_draw_line()(row, selector_, colours_);
      } else {
        alignas(32) uint8_t line[kWidth];
        fastest_draw_line()(line, selector_, colours_);
        std::memcpy(row + drawn_x_, line + drawn_x_, x_ - drawn_x_);
      }
    }
    for (int x = drawn_x_; x < 8 && x < x_; ++x) {
      if (blank_pixels_ >> x & 1) row[x] = 0;
    }
  }
  same_as_above_ = whole && mixed_ == 0 && blank_pixels_ == 0;
  drawn_x_ = x_;
}

void Tia::latch_collisions() {
  LineMask any;
  LineMask overlap;
  for (const LineMask& mask : line_) {
    overlap = overlap | (any & mask);
    any = any | mask;
  }
  if (x_ != kWidth) overlap = overlap & kLeftOf[x_];
  if (drawn_x_ != 0) overlap = overlap.without(kLeftOf[drawn_x_]);
  if (!overlap.any()) return;
  for (const Collision& collision : kCollisions) {
    if (latches_[collision.latch] & collision.bit) continue;
    if ((line_[collision.first] & line_[collision.second] & overlap).any()) {
      latches_[collision.latch] |= collision.bit;
    }
  }
}

// Which of the four colours each pixel has, by priority. In score mode the playfield takes the
// players' colours, and the left half of it hides player 1. Priority of the playfield cancels that,
// except where nothing but the playfield is enabled.
void Tia::choose_colours() {
  recolour_ = 0;
  const bool priority = regs_[CTRLPF] & 4;
  const bool score = regs_[CTRLPF] & 2;
  LineMask player_0 = line_[P0] | line_[M0];
  LineMask player_1 = line_[P1] | line_[M1];
  LineMask playfield = line_[PF] | line_[BL];
  const auto enabled = [this](Object missile_or_ball) { return whole_[missile_or_ball].any(); };
  const bool alone = score && priority && graphics(0) == 0 && graphics(1) == 0 && !enabled(M0) &&
                     !enabled(M1) && !enabled(BL);
  if (score && (!priority || alone)) {
    player_0 = player_0 | (line_[PF] & kLeftHalf);
    player_1 = (player_1 | line_[PF]).without(player_0);
    playfield = line_[BL].without(player_0 | player_1);
  } else if (priority) {
    player_0 = player_0.without(playfield);
    player_1 = player_1.without(playfield | player_0);
  } else {
    player_1 = player_1.without(player_0);
    playfield = playfield.without(player_0 | player_1);
  }
  selector_ = {playfield | player_1, player_0 | player_1};
}

LineMask Tia::whole_line(Object object) const {
  switch (object) {
    case P0:
    case P1:
      return player_line(object - P0);
    case M0:
    case M1:
      return missile_line(object - M0);
    case BL:
      if ((regs_[VDELBL] & 1 ? delayed_ball_ : regs_[ENABL] & 2) == 0) return {};
      return placed((uint64_t{1} << (1 << (regs_[CTRLPF] >> 4 & 3))) - 1, 0, position_[BL]);
    default:
      return playfield_line();
  }
}

// A player's pixels, the leftmost in bit 7.
uint8_t Tia::graphics(int player) const {
  const uint8_t value =
      regs_[VDELP0 + player] & 1 ? delayed_graphics_[player] : regs_[GRP0 + player];
  return regs_[REFP0 + player] & 8 ? static_cast<uint8_t>(kMirrored[value]) : value;
}

LineMask Tia::player_line(int player) const {
  const uint8_t value = graphics(player);
  if (value == 0) return {};
  const Copies& copies = kCopies[regs_[NUSIZ0 + player] & 7];
  // Wide players start one pixel late.
  const uint64_t pattern = copies.width == 1   ? kMirrored[value]
                           : copies.width == 2 ? uint64_t{kTwice[value]} << 1
                                               : uint64_t{kFourTimes[value]} << 1;
  const uint64_t near_by = first_hidden_[player] ? copies.near_by & ~uint64_t{1} : copies.near_by;
  return placed(pattern * near_by, pattern * copies.far_away, position_[P0 + player]);
}

LineMask Tia::missile_line(int player) const {
  if ((regs_[ENAM0 + player] & 2) == 0 || (regs_[RESMP0 + player] & 2) != 0) return {};
  int size = regs_[NUSIZ0 + player] >> 4 & 3;
  if (player == 0 && missile_form_ == kHidden) return {};
  if (player == 0 && missile_form_ == kStretched) size |= 1;
  const Copies& copies = kCopies[regs_[NUSIZ0 + player] & 7];
  const uint64_t pattern = (uint64_t{1} << (1 << size)) - 1;
  return placed(pattern * copies.near_by, pattern * copies.far_away, position_[M0 + player]);
}

LineMask Tia::playfield_line() const {
  // The 20 bits from left to right.
  const uint32_t bits = regs_[PF0] >> 4 | kMirrored[regs_[PF1]] << 4 | regs_[PF2] << 12;
  if (bits == 0) return {};
  const auto reflected = [](uint32_t v) {
    return kMirrored[v >> 12] | kMirrored[v >> 4 & 0xff] << 8 | kMirrored[v & 0xf] >> 4 << 16;
  };
  const uint32_t right = reflected_ ? reflected(bits) : bits;
  const auto low = [](uint32_t v) {
    return kPlayfieldBits[v & 0xff] | uint64_t{kPlayfieldBits[v >> 8 & 0xff]} << 32;
  };
  const auto high = [](uint32_t v) { return uint64_t{kPlayfieldBits[v >> 16]}; };
  return {{low(bits), high(bits) | low(right) << 16, low(right) >> 48 | high(right) << 16}};
}

}  // namespace poolkit::atari
