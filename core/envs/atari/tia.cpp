// The TIA's registers: what a write changes, and when.
#include "tia.h"

#include <limits>

namespace poolkit::atari {
namespace {

constexpr int32_t kNever = std::numeric_limits<int32_t>::max();

// Writing such a register again with the value that it has does nothing.
constexpr bool only_holds_a_value(uint8_t reg) {
  switch (reg) {
    case VBLANK:
    case COLUP0:
    case COLUP1:
    case COLUPF:
    case COLUBK:
    case REFP0:
    case REFP1:
    case PF0:
    case PF1:
    case PF2:
    case ENAM0:
    case ENAM1:
    case ENABL:
    case VDELP0:
    case VDELP1:
    case VDELBL:
    case RESMP0:
    case RESMP1:
      return true;
    default:
      return false;
  }
}

constexpr auto kOnlyHoldsAValue = [] {
  std::array<bool, 64> table{};
  for (uint8_t reg = 0; reg < 64; ++reg) table[reg] = only_holds_a_value(reg);
  return table;
}();

// Colours are even; televisions that lost the colour show the odd ones.
constexpr uint8_t with_loss(uint8_t colour, bool lost) {
  return static_cast<uint8_t>((colour & 0xfe) | (lost ? 1 : 0));
}

}  // namespace

void Tia::reset() {
  FrameBuffer* const pixels = pixels_;
  const Display* const display = display_;
  *this = Tia();
  show_on(pixels, display);
  vsync_end_ = kNever;
  first_clock_ = kClocksPerLine * display->first_line;
  end_clock_ = first_clock_ + kClocksPerLine * display->lines;
}

// The position in the line goes on from frame to frame.
void Tia::start_frame(int32_t cycle) {
  start_cycle_ = cycle % kCyclesPerLine;
  const int32_t rewound = cycle - start_cycle_;
  dumped_at_ -= rewound;
  last_hmove_ -= 3 * rewound;
  if (vsync_end_ != kNever) vsync_end_ -= 3 * rewound;
  if (display_->colour_loss) {
    for (uint8_t& colour : colours_) colour = with_loss(colour, lines_of_last_frame_ & 1);
  }
  settle_all();
  line_ = whole_;
  mixed_ = 0;
  recolour_ = 1;
  same_as_above_ = 0;
  if (blank_next_line_ || x_ < 8)
    blank_pixels_ = blank_next_line_ || blank_pixels_ ? 0xff : 0;
  else
    blank_pixels_ = 0;
  blank_next_line_ = 0;
  last_register_ = WSYNC;
  last_cycle_ = start_cycle_;
  clock_ = line_clock_ = first_clock_;
  x_ = drawn_x_ = row_ = 0;
}

void Tia::catch_up() {
  advance(3 * last_cycle_ + effect_delay(last_register_, 3 * last_cycle_));
  draw();
}

void Tia::end_frame(int32_t cycle) {
  catch_up();
  lines_of_last_frame_ = cycle / kCyclesPerLine;
}

bool Tia::unchanged(uint8_t reg, uint8_t value) const {
  if (regs_[reg] != value) return false;
  switch (reg) {
    case NUSIZ0:
      return !first_hidden_[0] && missile_form_ == kPlain;
    case NUSIZ1:
      return !first_hidden_[1];
    case CTRLPF:
      return reflected_ == (value & 1);
    case GRP0:
      return delayed_graphics_[1] == regs_[GRP1];
    case GRP1:
      return delayed_graphics_[0] == regs_[GRP0] && delayed_ball_ == (regs_[ENABL] & 2);
    default:
      return kOnlyHoldsAValue[reg];
  }
}

bool Tia::write(uint8_t reg, uint8_t value, int32_t cycle) {
  const bool too_late = cycle >= (display_->last_line + 1) * kCyclesPerLine;
  last_register_ = reg;
  last_cycle_ = cycle;
  if (unchanged(reg, value)) return too_late;
  const int32_t clock = 3 * cycle;
  switch (reg) {
    case VSYNC:
      return write_vsync(value, clock) || too_late;
    case VBLANK:
      write_vblank(value, cycle);
      break;
    case NUSIZ0:
    case NUSIZ1:
      advance(clock + effect_delay(reg, clock));
      write_number_size(reg - NUSIZ0, value);
      break;
    case COLUP0:
    case COLUP1:
    case COLUPF:
    case COLUBK:
      advance(clock);
      write_colour(reg, value);
      break;
    case CTRLPF:
      advance(clock);
      write_control(value, clock);
      break;
    case REFP0:
    case REFP1:
      advance(clock + effect_delay(reg, clock));
      change(static_cast<Object>(P0 + reg - REFP0));
      regs_[reg] = value;
      break;
    case PF0:
    case PF1:
    case PF2:
      advance(clock + effect_delay(reg, clock));
      change(PF);
      regs_[reg] = value;
      break;
    case RESP0:
    case RESP1:
      advance(clock);
      reset_player(reg - RESP0, clock);
      break;
    case RESM0:
    case RESM1:
    case RESBL:
      advance(clock + effect_delay(reg, clock));
      reset_missile_or_ball(static_cast<Object>(M0 + reg - RESM0), clock);
      break;
    case GRP0:
    case GRP1:
      advance(clock + effect_delay(reg, clock));
      write_graphics(reg - GRP0, value);
      break;
    case ENAM0:
    case ENAM1:
    case ENABL:
    case VDELP0:
    case VDELP1:
    case VDELBL:
      advance(clock);
      write_enable(reg, value);
      break;
    case HMM0:
      write_motion_of_missile_0(value, clock);
      break;
    case HMP0:
    case HMP1:
    case HMM1:
    case HMBL:
      regs_[reg] = value;
      break;
    case RESMP0:
    case RESMP1:
      advance(clock);
      write_missile_to_player(reg - RESMP0, value);
      break;
    case HMOVE:
      advance(clock);
      move_all(clock);
      break;
    case HMCLR:
      for (int i = HMP0; i <= HMBL; ++i) regs_[i] = 0;
      break;
    case CXCLR:
      advance(clock);
      draw();
      latches_ = {};
      same_as_above_ = 0;
      break;
    default:  // sound, and addresses without a register
      break;
  }
  return too_late;
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
    draw();
    same_as_above_ = 0;
  }
  if ((regs_[VBLANK] ^ value) & 0x80) {
    dumping_ = value >> 7;
    if (!dumping_) dumped_at_ = cycle;
  }
  regs_[VBLANK] = value;
}

void Tia::write_colour(uint8_t reg, uint8_t value) {
  constexpr std::array<uint8_t, 4> kSlots = {2, 3, 1, 0};
  draw();
  same_as_above_ = 0;
  regs_[reg] = value;
  colours_[kSlots[reg - COLUP0]] =
      with_loss(value, display_->colour_loss && (lines_of_last_frame_ & 1));
}

void Tia::write_control(uint8_t value, int32_t clock) {
  constexpr int kRightHalf = kBlankClocks + 79;
  if ((regs_[CTRLPF] ^ value) & 6) {
    draw();
    recolour_ = 1;
    same_as_above_ = 0;
  }
  change(BL);
  if (clock % kClocksPerLine < kRightHalf) {
    change(PF);
    reflected_ = value & 1;
  }
  regs_[CTRLPF] = value;
}

void Tia::write_number_size(int player, uint8_t value) {
  change(static_cast<Object>(P0 + player));
  change(static_cast<Object>(M0 + player));
  first_hidden_[player] = 0;
  if (player == 0) missile_form_ = kPlain;
  regs_[NUSIZ0 + player] = value;
}

// Writing one player's graphics also moves the other's into its delayed copy.
void Tia::write_graphics(int player, uint8_t value) {
  const int other = 1 - player;
  if (!(regs_[VDELP0 + player] & 1)) change(static_cast<Object>(P0 + player));
  if (regs_[VDELP0 + other] & 1) change(static_cast<Object>(P0 + other));
  delayed_graphics_[other] = regs_[GRP0 + other];
  if (player == 1) {
    if (regs_[VDELBL] & 1) change(BL);
    delayed_ball_ = regs_[ENABL] & 2;
  }
  regs_[GRP0 + player] = value;
}

void Tia::write_enable(uint8_t reg, uint8_t value) {
  switch (reg) {
    case ENAM0:
    case ENAM1:
      change(static_cast<Object>(M0 + reg - ENAM0));
      break;
    case VDELP0:
    case VDELP1:
      change(static_cast<Object>(P0 + reg - VDELP0));
      break;
    default:
      change(BL);
  }
  regs_[reg] = value;
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
}

// A copy that is being drawn goes on for a while. The first copy at the new place shows from the
// next line on.
void Tia::reset_player(int player, int32_t clock) {
  constexpr int kFinishing = 11;  // clocks
  const int h = clock % kClocksPerLine;
  const int x = h < kBlankClocks ? 3 : (h - kBlankClocks + 5) % kWidth;
  const Object object = static_cast<Object>(P0 + player);
  const ResetPlace place = reset_place(kCopies[regs_[NUSIZ0 + player] & 7], position_[object], x);
  if (place == ResetPlace::kInCopy) advance(clock + kFinishing);
  change(object);
  position_[object] = static_cast<uint8_t>(x);
  first_hidden_[player] = place != ResetPlace::kBeforeCopy;
}

void Tia::reset_missile_or_ball(Object object, int32_t clock) {
  const int h = clock % kClocksPerLine;
  int x = h < kBlankClocks ? 2 : (h - kBlankClocks + 4) % kWidth;
  for (const ResetDuringMotion& reset : kResetsDuringMotion) {
    if (reset.object == object && clock - last_hmove_ == reset.since_hmove && h == reset.clock) {
      x = reset.position;
    }
  }
  change(object);
  position_[object] = static_cast<uint8_t>(x);
  if (object == M0) missile_form_ = kPlain;
}

void Tia::write_motion_of_missile_0(uint8_t value, int32_t clock) {
  if (clock == last_hmove_ + kEndlessMotionClocks && regs_[HMM0] >> 4 == 7 && value >> 4 == 6) {
    endless_motion_ = 1;
    endless_motion_step_ = 0;
  }
  regs_[HMM0] = value;
}

void Tia::move_all(int32_t clock) {
  const int cycle = clock % kClocksPerLine / 3;
  if (display_->hmove_blanks && blanks_after_hmove(cycle)) {
    if (x_ < 8) {
      blank_pixels_ |= static_cast<uint8_t>(0xff << x_);
    } else {
      blank_next_line_ = 1;
    }
  }
  for (int i = P0; i <= BL; ++i) {
    const int moved = kMotion[cycle][regs_[HMP0 + i] >> 4];
    const bool shows_again = i <= P1 ? first_hidden_[i] : i == M0 && missile_form_ != kPlain;
    if (moved == 0 && !shows_again) continue;
    change(static_cast<Object>(i));
    position_[i] = static_cast<uint8_t>((position_[i] + moved + kWidth) % kWidth);
  }
  first_hidden_ = {};
  missile_form_ = kPlain;
  last_hmove_ = clock;
  endless_motion_ = 0;
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
    draw();
    driven = latches_[reg];
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
  return x_ >= 0 && x_ <= kWidth && drawn_x_ >= 0 && drawn_x_ <= x_ && row_ >= 0 &&
         row_ < kMaxLines * kWidth && row_ % kWidth == 0 && start_cycle_ >= 0 &&
         start_cycle_ < kCyclesPerLine && endless_motion_step_ < 4 && last_register_ < 64;
}

}  // namespace poolkit::atari
