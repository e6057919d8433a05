// The TIA's line: masks that follow the registers, collisions and pixels.
#include <bit>
#include <cstring>

#include "tia.h"

namespace poolkit::atari {
namespace {

constexpr uint8_t bit(Object object) { return static_cast<uint8_t>(1 << object); }

constexpr LineMask kLeftHalf = kLeftOf[kWidth / 2];

}  // namespace

void Tia::advance_lines(int32_t clock) {
  if (clock_ >= end_clock_) return;
  if (clock > end_clock_) clock = end_clock_;
  while (clock > line_clock_ + kClocksPerLine) finish_line();
  clock_ = clock;
  x_ = std::max(0, clock - line_clock_ - kBlankClocks);
}

void Tia::finish_line() {
  x_ = kWidth;
  draw();
  row_ += kWidth;
  line_clock_ += kClocksPerLine;
  clock_ = line_clock_;
  x_ = drawn_x_ = 0;
  blank_pixels_ = blank_next_line_;
  blank_next_line_ = 0;
  settle_all();
  if (mixed_) {
    for (int i = 0; mixed_ >> i; ++i) {
      if (mixed_ >> i & 1) show(static_cast<Object>(i));
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

void Tia::prepare_change(Object object) {
  if (cancels_score()) draw();
  if (unsettled_ & bit(object)) settle(object);
}

// A line of `object` as its registers have it starts.
void Tia::show(Object object) {
  line_[object] = whole_[object];
  visible_ =
      static_cast<uint8_t>((visible_ & ~bit(object)) | (line_[object].any() ? bit(object) : 0));
}

// Brings the masks of `object` up to date with its registers.
void Tia::settle(Object object) {
  whole_[object] = whole_line(object);
  const int x = changed_at_[object];
  if (x == 0) {
    show(object);
    mixed_ &= static_cast<uint8_t>(~bit(object));
  } else {
    line_[object] = joined_at(x, line_[object], whole_[object]);
    visible_ |= bit(object);
    mixed_ |= bit(object);
  }
  unsettled_ &= static_cast<uint8_t>(~bit(object));
  recolour_ = 1;
}

void Tia::settle_all() {
  while (unsettled_) settle(static_cast<Object>(std::countr_zero(unsettled_)));
}

// Makes pixels and collisions of what the line has reached and was not drawn.
void Tia::draw() {
  if (x_ == drawn_x_) return;
  settle_all();
  const bool whole = drawn_x_ == 0 && x_ == kWidth;
  const bool repeats = whole && same_as_above_ && blank_pixels_ == blank_above_;
  if (repeats) {
    if (pixels_ != nullptr) {
      uint8_t* row = pixels_->data() + row_;
      std::memcpy(row, row - kWidth, kWidth);
    }
  } else {
    if (!(regs_[VBLANK] & 2) && (visible_ & (visible_ - 1))) latch_collisions();
    if (pixels_ != nullptr) draw_pixels();
    same_as_above_ = whole && mixed_ == 0;
    blank_above_ = blank_pixels_;
  }
  drawn_x_ = x_;
}

void Tia::draw_pixels() {
  uint8_t* row = pixels_->data() + row_;
  if (regs_[VBLANK] & 2) {
    std::memset(row + drawn_x_, 0, x_ - drawn_x_);
  } else {
    if (recolour_) choose_colours();
    fastest_draw_line()(row, selector_, colours_, {drawn_x_, x_});
  }
  if (blank_pixels_ != 0 && drawn_x_ < 8) {
    const int begin = std::max(drawn_x_, std::countr_zero(blank_pixels_));
    const int end = std::min(x_, 8);
    if (begin < end) std::memset(row + begin, 0, end - begin);
  }
}

void Tia::latch_collisions() {
  const auto in_reach = [this](LineMask mask) {
    if (x_ != kWidth) mask = mask & kLeftOf[x_];
    if (drawn_x_ != 0) mask = mask.without(kLeftOf[drawn_x_]);
    return mask.any();
  };
  LineMask before;
  uint8_t before_bits = 0;
  for (unsigned rest = visible_; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    const LineMask& line = line_[i];
    unsigned unmet = before_bits & ~met_[i];
    if (unmet && (line & before).any()) {
      for (; unmet != 0; unmet &= unmet - 1) {
        const int j = std::countr_zero(unmet);
        if (!in_reach(line & line_[j])) continue;
        met_[i] |= static_cast<uint8_t>(1 << j);
        met_[j] |= static_cast<uint8_t>(1 << i);
      }
    }
    before = before | line;
    before_bits |= static_cast<uint8_t>(1 << i);
  }
}

uint8_t Tia::latch(int reg) const {
  uint8_t value = 0;
  for (const Collision& collision : kCollisions) {
    if (collision.latch == reg && (met_[collision.first] >> collision.second & 1)) {
      value |= collision.bit;
    }
  }
  return value;
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
