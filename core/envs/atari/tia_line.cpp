// The TIA's line: masks that follow the registers, collisions and pixels.
#include <bit>
#include <cstring>

#include "tia.h"

namespace poolkit::atari {
namespace {

constexpr uint8_t bit(Object object) { return static_cast<uint8_t>(1 << object); }

constexpr LineMask kLeftHalf = kLeftOf[kWidth / 2];

}  // namespace

// A player's pixels, the leftmost in bit 7.
inline uint8_t Tia::graphics(int player) const {
  const uint8_t value = written_graphics(player);
  return regs_[REFP0 + player] & 8 ? static_cast<uint8_t>(kMirrored[value]) : value;
}

inline MaskWords Tia::ball_line() const {
  if (!(enabled_ & bit(BL))) return {};
  return placed((uint64_t{1} << (1 << (regs_[CTRLPF] >> 4 & 3))) - 1, 0, position_[BL]);
}

inline MaskWords Tia::player_line(int player) const {
  const uint8_t value = graphics(player);
  if (value == 0) return {};
  const Copies& copies = kCopies[regs_[NUSIZ0 + player] & 7];
  // Wide players start one pixel late.
  const uint64_t pattern = copies.width == 1   ? kMirrored[value]
                           : copies.width == 2 ? uint64_t{kTwice[value]} << 1
                                               : uint64_t{kFourTimes[value]} << 1;
  const uint64_t near_by = first_hidden(player) ? copies.near_by & ~uint64_t{1} : copies.near_by;
  return placed(pattern * near_by, pattern * copies.far_away, position_[P0 + player]);
}

inline MaskWords Tia::missile_line(int player) const {
  if (!(enabled_ & bit(M0) << player)) return {};
  int size = regs_[NUSIZ0 + player] >> 4 & 3;
  if (player == 0 && missile_form_ == kHidden) return {};
  if (player == 0 && missile_form_ == kStretched) size |= 1;
  const Copies& copies = kCopies[regs_[NUSIZ0 + player] & 7];
  const uint64_t pattern = (uint64_t{1} << (1 << size)) - 1;
  return placed(pattern * copies.near_by, pattern * copies.far_away, position_[M0 + player]);
}

// Twenty bits, four pixels each; PF0 and PF2 run from bit 0 on, PF1 from bit 7.
inline MaskWords Tia::playfield_line() const {
  if (!(enabled_ & bit(PF))) return {};
  const uint64_t first = kFourTimesAsIs[regs_[PF0] >> 4];
  const uint64_t middle = kFourTimes[regs_[PF1]];
  const uint64_t last = kFourTimesAsIs[regs_[PF2]];
  MaskWords line{first | middle << 16 | last << 48, last >> 16, 0};
  if (!reflected()) {
    line.second |= first << 16 | middle << 32;
    line.third = last;
  } else {
    const uint64_t middle_from_end = kFourTimesAsIs[regs_[PF1]];
    line.second |= uint64_t{kFourTimes[regs_[PF2]]} << 16 | middle_from_end << 48;
    line.third = middle_from_end >> 16 | uint64_t{kFourTimes[regs_[PF0] & 0xf0]} << 16;
  }
  return line;
}

void Tia::advance_lines(int32_t clock) {
  if (clock_ >= end_clock_) return;
  clock = std::min(clock, end_clock_);
  while (clock > line_clock_ + kClocksPerLine) finish_line();
  clock_ = clock;
  x_ = std::max(0, clock - line_clock_ - kBlankClocks);
}

inline void Tia::finish_line() {
  x_ = kWidth;
  // Of a line that was drawn to its end, kSame already tells how the next one looks.
  const bool repeats = same_as_above_ == kSame && drawn_x_ != kWidth;
  if (latched_x_ != kWidth && (!repeats || cleared_)) {
    find_collisions();
    if (latched_x_ == 0) cleared_ = 0;
  }
  if (!repeats) {
    if (drawn_x_ != kWidth) draw_reached();
  } else if (pixels_ != nullptr) {
    repeat_row();
  }
  drawn_x_ = latched_x_ = 0;
  row_ += kWidth;
  line_clock_ += kClocksPerLine;
  blank_pixels_ = blank_next_line_;
  blank_next_line_ = 0;
  if ((unsettled_ | mixed_) && same_as_above_ != kSame) start_whole();
  if (between_lines_) [[unlikely]]
    change_between_lines();
}

void Tia::change_between_lines() {
  x_ = 0;
  for (const Object player : {P0, P1}) {
    if (first_hidden(player)) change_if_shown(player);
  }
  if (between_lines_ & kReflect) change(PF);
  if (between_lines_ & kMoveEndlessly) move_endlessly();
  between_lines_ &= kMoveEndlessly;
}

void Tia::move_endlessly() {
  change_if_shown(M0);
  endless_motion_step_ = (endless_motion_step_ + 1) & 3;
  position_[M0] = static_cast<uint8_t>(
      (position_[M0] + kWidth - kEndlessMotion[endless_motion_step_]) % kWidth);
  missile_form_ = endless_motion_step_ == 1   ? kStretched
                  : endless_motion_step_ == 2 ? kHidden
                                              : kPlain;
}

// In a frame without pixels masks matter only where objects may collide that have not yet done so.
// What they should have been elsewhere is forgotten: changed_at_ tells from where on they are
// known.
inline bool Tia::might_meet(uint8_t objects) const {
  const unsigned showing = visible_ | (unsettled_ & enabled_);
  if ((showing & (showing - 1)) == 0) return false;
  for (unsigned rest = showing & objects; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    if (showing & ~(met_[i] | 1u << i)) return true;
  }
  return false;
}

void Tia::prepare_change(Object object) {
  if (pixels_ == nullptr && !might_meet(bit(object))) return;
  if (pixels_ != nullptr && cancels_score()) draw();
  settle(unsettled_ & bit(object));
}

// From here on, lines are as the registers have them. Masks that may never matter are left out of
// date, and empty until then.
void Tia::start_whole() {
  if (pixels_ != nullptr) settle_all();
  changed_at_ = {};
  mixed_ &= static_cast<uint8_t>(~unsettled_);
  for (unsigned rest = visible_ & unsettled_; rest != 0; rest &= rest - 1) {
    line_[std::countr_zero(rest)] = {};
  }
  visible_ &= static_cast<uint8_t>(~unsettled_);
  for (; mixed_ != 0; mixed_ &= mixed_ - 1) {
    const int object = std::countr_zero(mixed_);
    line_[object] = whole_[object];
    if (!line_[object].any()) visible_ &= static_cast<uint8_t>(~(1 << object));
  }
  recolour_ = 1;
  same_as_above_ = kUnchanged;
}

// Brings the masks of `objects` (bits) up to date with their registers.
void Tia::settle(uint8_t objects) {
  unsettled_ &= static_cast<uint8_t>(~objects);
  if (!cancels_score()) objects &= enabled_ | visible_ | mixed_;
  if (objects == 0) return;
  recolour_ = 1;
  if (objects & bit(P0)) settle_as(P0, player_line(0));
  if (objects & bit(P1)) settle_as(P1, player_line(1));
  if (objects & bit(M0)) settle_as(M0, missile_line(0));
  if (objects & bit(M1)) settle_as(M1, missile_line(1));
  if (objects & bit(BL)) settle_as(BL, ball_line());
  if (objects & bit(PF)) settle_as(PF, playfield_line());
}

inline void Tia::settle_as(Object object, MaskWords now) {
  const LineMask mask = now.mask();
  const uint8_t shown = now.any() ? bit(object) : 0;
  if (const int x = changed_at_[object]; x == 0) {
    line_[object] = mask;
    visible_ = static_cast<uint8_t>((visible_ & ~bit(object)) | shown);
    mixed_ &= static_cast<uint8_t>(~bit(object));
  } else {
    line_[object] = joined_at(x, line_[object], mask);
    whole_[object] = mask;
    visible_ |= shown;
    mixed_ |= bit(object);
  }
}

inline void Tia::repeat_row() {
  uint8_t* row = pixels_->data() + row_;
  if (blank_pixels_ == blank_above_) {
    std::memcpy(row, row - kWidth, kWidth);
  } else {
    draw_pixels();
  }
}

void Tia::draw_reached() {
  const bool whole = drawn_x_ == 0 && x_ == kWidth;
  if (pixels_ != nullptr) {
    settle_all();
    draw_pixels();
  }
  const bool known = unsettled_ == 0 || same_as_above_ != kChanged;
  same_as_above_ = whole && mixed_ == 0 && known ? kSame : kChanged;
}

void Tia::draw_pixels() {
  uint8_t* row = pixels_->data() + row_;
  if (regs_[VBLANK] & 2) {
    std::memset(row + drawn_x_, 0, x_ - drawn_x_);
  } else if (visible_ == 0) {
    std::memset(row + drawn_x_, colours_[0], x_ - drawn_x_);
  } else {
    if (recolour_) choose_colours();
    draw_line(row, selector_, colours_, {drawn_x_, x_});
  }
  if (blank_pixels_ == 0xff && drawn_x_ == 0 && x_ >= 8) {
    std::memset(row, 0, 8);
  } else if (blank_pixels_ != 0 && drawn_x_ < 8) {
    const int begin = std::max(drawn_x_, std::countr_zero(blank_pixels_));
    const int end = std::min(x_, 8);
    if (begin < end) std::memset(row + begin, 0, end - begin);
  }
  blank_above_ = blank_pixels_;
}

void Tia::find_collisions() {
  constexpr uint8_t kAll = (1 << kObjects) - 1;
  if ((regs_[VBLANK] & 2) || (pixels_ == nullptr && !might_meet(kAll))) return;
  settle_all();
  if (visible_ & (visible_ - 1)) latch_collisions();
}

void Tia::latch_collisions() {
  const auto in_reach = [this](LineMask mask) {
    if (x_ != kWidth) mask = mask & kLeftOf[x_];
    if (latched_x_ != 0) mask = mask.without(kLeftOf[latched_x_]);
    return mask.any();
  };
  for (unsigned rest = visible_; rest != 0;) {
    const int i = std::countr_zero(rest);
    rest &= rest - 1;
    for (unsigned unmet = rest & ~met_[i]; unmet != 0; unmet &= unmet - 1) {
      const int j = std::countr_zero(unmet);
      const LineMask both = line_[i] & line_[j];
      if (!both.any() || !in_reach(both)) continue;
      met_[i] |= static_cast<uint8_t>(1 << j);
      met_[j] |= static_cast<uint8_t>(1 << i);
    }
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
  const auto enabled = [this](Object object) {
    return (mixed_ & bit(object) ? whole_ : line_)[object].any();
  };
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

}  // namespace poolkit::atari
