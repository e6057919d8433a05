// The TIA's registers: what a write changes, and when.
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "tia_write.h"

namespace poolkit::atari {
namespace {

constexpr int32_t kNever = std::numeric_limits<int32_t>::max();

}  // namespace

void Tia::reset() {
  FrameBuffer* const pixels = pixels_;
  const Display* const display = display_;
  *this = Tia();
  show_on(pixels, display);
  vsync_end_ = kNever;
  first_clock_ = kClocksPerLine * display->first_line;
  end_clock_ = first_clock_ + kClocksPerLine * display->lines;
  end_cycle_ = (display->last_line + 1) * kCyclesPerLine;
  clock_ = first_clock_ - 1;  // should a frame go on across the reset
}

// The position in the line goes on from frame to frame.
void Tia::start_frame(int32_t cycle) {
  end_cycle_ = (display_->last_line + 1) * kCyclesPerLine;
  start_cycle_ = cycle_in_line(cycle);
  const int32_t rewound = cycle - start_cycle_;
  dumped_at_ -= rewound;
  last_hmove_ -= 3 * rewound;
  if (vsync_end_ != kNever) vsync_end_ -= 3 * rewound;
  if (display_->colour_loss) {
    for (uint8_t& colour : colours_) colour = with_loss(colour, lines_of_last_frame_ & 1);
  }
  start_whole();
  if (blank_next_line_ || x_ < 8)
    blank_pixels_ = blank_next_line_ || blank_pixels_ ? 0xff : 0;
  else
    blank_pixels_ = 0;
  blank_next_line_ = 0;
  last_register_ = WSYNC;
  last_cycle_ = start_cycle_;
  clock_ = line_clock_ = first_clock_;
  x_ = drawn_x_ = latched_x_ = row_ = 0;
}

void Tia::catch_up() {
  advance(3 * last_cycle_ + effect_delay(last_register_, last_cycle_));
  collide();
  draw();
}

void Tia::end_frame(int32_t cycle) {
  catch_up();
  lines_of_last_frame_ = cycle / kCyclesPerLine;
}

// Whether writing a register again, with the value that it has, does nothing.
bool Tia::unchanged(uint8_t reg, uint8_t value) const {
  if (regs_[reg] != value) return false;
  switch (reg) {
    case NUSIZ0:
      return !first_hidden(0) && missile_form_ == kPlain;
    case NUSIZ1:
      return !first_hidden(1);
    case CTRLPF:
      return !(between_lines_ & kReflect);
    default:
      return false;  // write_idle() knows those
  }
}

// Which function writes a register, where that is known only now.
bool Tia::write(uint8_t reg, uint8_t value, int32_t cycle) {
  static constexpr auto kWriters = []<size_t... kReg>(std::index_sequence<kReg...>) {
    return std::array{&Tia::write_to<kReg>...};
  }(std::make_index_sequence<64>());
  return (this->*kWriters[reg])(value, cycle);
}

// A frame ends when VSYNC is cleared, at least a line after it was set.
bool Tia::write_vsync(uint8_t value, int32_t clock) {
  if (value & 2) {
    vsync_end_ = clock + kClocksPerLine;
    return false;
  }
  if (vsync_end_ == kNever || clock < vsync_end_) return false;
  vsync_end_ = kNever;
  return true;
}

void Tia::write_vblank(uint8_t value, int32_t cycle) {
  advance(3 * cycle + 1);
  if ((regs_[VBLANK] ^ value) & 2) {
    collide();
    draw();
    same_as_above_ = kChanged;
  }
  if ((regs_[VBLANK] ^ value) & 0x80) {
    dumping_ = value >> 7;
    if (!dumping_) dumped_at_ = cycle;
  }
  regs_[VBLANK] = value;
}

void Tia::write_control(uint8_t value, int32_t clock) {
  constexpr int kRightHalf = kBlankClocks + 79;
  if ((regs_[CTRLPF] ^ value) & 6) {
    draw();
    recolour_ = 1;
    same_as_above_ = kChanged;
  }
  change(BL);
  if (clock % kClocksPerLine < kRightHalf) {
    change(PF);
    set_between_lines(kReflect, false);
  } else {
    set_between_lines(kReflect, reflected() != (value & 1));
  }
  regs_[CTRLPF] = value;
}

void Tia::write_number_size(int player, uint8_t value) {
  change_if_shown(static_cast<Object>(P0 + player));
  change_if_shown(static_cast<Object>(M0 + player));
  set_first_hidden(player, false);
  if (player == 0) missile_form_ = kPlain;
  regs_[NUSIZ0 + player] = value;
}

// A missile locked to its player is hidden; released, it starts at the player's middle.
void Tia::write_missile_to_player(int player, uint8_t value) {
  const uint8_t reg = static_cast<uint8_t>(RESMP0 + player);
  change(static_cast<Object>(M0 + player));
  if ((regs_[reg] & 2) && !(value & 2)) {
    const int middle = 4 * kCopies[regs_[NUSIZ0 + player] & 7].width;
    position_[M0 + player] = static_cast<uint8_t>((position_[P0 + player] + middle) % kWidth);
    if (player == 0) missile_form_ = kPlain;
  }
  regs_[reg] = value;
  enable(static_cast<Object>(M0 + player), regs_[ENAM0 + player] & ~value & 2);
}

// A copy that is being drawn goes on for a while. The first copy at the new place shows from the
// next line on.
void Tia::reset_player(int player, int32_t clock) {
  constexpr int kFinishing = 11;  // clocks
  const int h = clock % kClocksPerLine;
  const int x = h < kBlankClocks ? 3 : (h - kBlankClocks + 5) % kWidth;
  const Object object = static_cast<Object>(P0 + player);
  const int distance = x - position_[object] + (x < position_[object] ? kWidth : 0);
  const ResetPlace place = kResetPlaces[regs_[NUSIZ0 + player] & 7][distance];
  if (place == ResetPlace::kInCopy) advance(clock + kFinishing);
  change_if_shown(object);
  position_[object] = static_cast<uint8_t>(x);
  set_first_hidden(player, place != ResetPlace::kBeforeCopy);
}

void Tia::reset_missile_or_ball(Object object, int32_t clock) {
  const int h = clock % kClocksPerLine;
  int x = h < kBlankClocks ? 2 : (h - kBlankClocks + 4) % kWidth;
  for (const ResetDuringMotion& reset : kResetsDuringMotion) {
    if (reset.object == object && clock - last_hmove_ == reset.since_hmove && h == reset.clock) {
      x = reset.position;
    }
  }
  change_if_shown(object);
  position_[object] = static_cast<uint8_t>(x);
  if (object == M0) missile_form_ = kPlain;
}

void Tia::write_motion_of_missile_0(uint8_t value, int32_t clock) {
  if (clock == last_hmove_ + kEndlessMotionClocks && regs_[HMM0] >> 4 == 7 && value >> 4 == 6) {
    set_between_lines(kMoveEndlessly, true);
    endless_motion_step_ = 0;
  }
  write_motion(HMM0, value);
}

void Tia::move_all(int32_t cycle) {
  const int in_line = cycle_in_line(cycle);
  if (display_->hmove_blanks && blanks_after_hmove(in_line)) {
    if (x_ < 8) {
      blank_pixels_ |= static_cast<uint8_t>(0xff << x_);
    } else {
      blank_next_line_ = 0xff;
    }
  }
  last_hmove_ = 3 * cycle;
  set_between_lines(kMoveEndlessly, false);
  constexpr uint8_t kAll = (1 << PF) - 1;
  const bool some_show_again = (between_lines_ & kShowFirst) || missile_form_ != kPlain;
  const bool all = some_show_again || kMotion[in_line][0] != 0;
  if (const uint8_t moving = all ? kAll : moving_) move(moving, in_line);
}

void Tia::move(uint8_t objects, int cycle) {
  for (unsigned rest = objects; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    const int moved = kMotion[cycle][regs_[HMP0 + i] >> 4];
    const bool shows_again = i <= P1 ? first_hidden(i) : i == M0 && missile_form_ != kPlain;
    if (moved == 0 && !shows_again) continue;
    change_if_shown(static_cast<Object>(i));
    const int x = position_[i] + moved;
    position_[i] = static_cast<uint8_t>(x < 0 ? x + kWidth : x < kWidth ? x : x - kWidth);
  }
  set_between_lines(kShowFirst, false);
  missile_form_ = kPlain;
}

void Tia::clear_collisions() {
  met_ = {};
  latched_x_ = x_;
  cleared_ = 1;
}

// Seen by the hardware as cycles since the frame's first instruction, in unsigned arithmetic.
bool Tia::paddle_charged(uint32_t charging, int32_t cycle) const {
  if (charging == kChargedAtOnce) return true;
  if (charging == kNeverCharged || dumping_) return false;
  return static_cast<uint32_t>(cycle - start_cycle_) >
         static_cast<uint32_t>(dumped_at_ - start_cycle_) + charging;
}

uint8_t Tia::read(uint16_t address, uint8_t noise, int32_t cycle, const Inputs& inputs) {
  const int reg = address & 0x0f;
  last_register_ = WSYNC;
  last_cycle_ = cycle;
  uint8_t driven = 0;
  if (reg < 8) {
    advance(3 * cycle);
    collide();
    driven = latch(reg);
  } else if (reg < 12) {
    driven = paddle_charged(inputs.charging[reg - 8], cycle) ? 0x80 : 0;
  } else if (reg < 14) {
    driven = inputs.triggers[reg - 12];
  }
  return driven | (noise & 0x3f);
}

bool Tia::valid() const {
  for (const uint8_t position : position_) {
    if (position >= kWidth) return false;
  }
  for (const uint8_t x : changed_at_) {
    if (x > kWidth) return false;
  }
  if ((unsettled_ | mixed_ | visible_) >> kObjects) return false;
  return x_ >= 0 && x_ <= kWidth && drawn_x_ >= 0 && drawn_x_ <= x_ && latched_x_ >= 0 &&
         latched_x_ <= x_ && row_ >= 0 && row_ < kMaxLines * kWidth && row_ % kWidth == 0 &&
         start_cycle_ >= 0 && start_cycle_ < kCyclesPerLine && endless_motion_step_ < 4 &&
         last_register_ < 64;
}

}  // namespace poolkit::atari
