// What a write to a register of the TIA does, for callers that know the register.
#pragma once

#include "tia.h"

namespace poolkit::atari {

// Colours are even; televisions that lost the colour show the odd ones.
constexpr uint8_t with_loss(uint8_t colour, bool lost) {
  return static_cast<uint8_t>((colour & 0xfe) | (lost ? 1 : 0));
}

// A player's register copies that of the other one, if that has changed.
inline void Tia::find_holders() {
  const bool first = delayed_graphics_[1] == regs_[GRP1];
  const bool second = delayed_graphics_[0] == regs_[GRP0] && delayed_ball_ == (regs_[ENABL] & 2);
  holders_ = kHolders | uint64_t{first} << GRP0 | uint64_t{second} << GRP1;
}

inline void Tia::write_colour(uint8_t reg, uint8_t value) {
  constexpr std::array<uint8_t, 4> kSlots = {2, 3, 1, 0};
  if (pixels_ != nullptr) {
    draw();
    same_as_above_ = kChanged;
  }
  regs_[reg] = value;
  colours_[kSlots[reg - COLUP0]] =
      with_loss(value, display_->colour_loss && (lines_of_last_frame_ & 1));
}

// Writing one player's graphics also moves the other's into its delayed copy.
inline void Tia::write_graphics(int player, uint8_t value) {
  const int other = 1 - player;
  if (!(regs_[VDELP0 + player] & 1)) {
    const Object object = static_cast<Object>(P0 + player);
    change(object);
    enable(object, value != 0);
  }
  if (regs_[VDELP0 + other] & 1) {
    const Object object = static_cast<Object>(P0 + other);
    change(object);
    enable(object, regs_[GRP0 + other] != 0);
  }
  delayed_graphics_[other] = regs_[GRP0 + other];
  if (player == 1) {
    if (regs_[VDELBL] & 1) {
      change(BL);
      enable(BL, regs_[ENABL] & 2);
    }
    delayed_ball_ = regs_[ENABL] & 2;
  }
  regs_[GRP0 + player] = value;
  find_holders();
}

inline void Tia::write_enable(uint8_t reg, uint8_t value) {
  const Object object = reg == ENAM0 || reg == ENAM1     ? static_cast<Object>(M0 + reg - ENAM0)
                        : reg == VDELP0 || reg == VDELP1 ? static_cast<Object>(P0 + reg - VDELP0)
                                                         : BL;
  change(object);
  regs_[reg] = value;
  if (object == BL) {
    enable(BL, regs_[VDELBL] & 1 ? delayed_ball_ : regs_[ENABL] & 2);
  } else if (object <= P1) {
    enable(object, written_graphics(object - P0) != 0);
  } else {
    enable(object, regs_[reg] & ~regs_[RESMP0 + (object - M0)] & 2);
  }
  if (reg == ENABL) find_holders();
}

inline void Tia::write_playfield(uint8_t reg, uint8_t value) {
  change(PF);
  regs_[reg] = value;
  enable(PF, (regs_[PF0] >> 4 | regs_[PF1] | regs_[PF2]) != 0);
}

inline void Tia::write_motion(uint8_t reg, uint8_t value) {
  const uint8_t bit = static_cast<uint8_t>(1 << (reg - HMP0));
  moving_ = static_cast<uint8_t>(value & 0xf0 ? moving_ | bit : moving_ & ~bit);
  regs_[reg] = value;
}

template <uint8_t kReg>
bool Tia::write_to(uint8_t value, int32_t cycle) {
  constexpr uint8_t reg = kReg;
  last_register_ = reg;
  last_cycle_ = cycle;
  const int32_t clock = 3 * cycle;
  switch (reg) {
    case VSYNC:
      if (write_vsync(value, clock)) return true;
      break;
    case VBLANK:
      write_vblank(value, cycle);
      break;
    case NUSIZ0:
    case NUSIZ1:
      if (unchanged(reg, value)) break;
      advance(clock + effect_delay(reg, cycle));
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
      if (unchanged(reg, value)) break;
      advance(clock);
      write_control(value, clock);
      break;
    case REFP0:
    case REFP1:
      advance(clock + effect_delay(reg, cycle));
      change_if_shown(static_cast<Object>(P0 + reg - REFP0));
      regs_[reg] = value;
      break;
    case PF0:
    case PF1:
    case PF2:
      advance(clock + effect_delay(reg, cycle));
      write_playfield(reg, value);
      break;
    case RESP0:
    case RESP1:
      advance(clock);
      reset_player(reg - RESP0, clock);
      break;
    case RESM0:
    case RESM1:
    case RESBL:
      advance(clock + effect_delay(reg, cycle));
      reset_missile_or_ball(static_cast<Object>(M0 + reg - RESM0), clock);
      break;
    case GRP0:
    case GRP1:
      advance(clock + effect_delay(reg, cycle));
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
      write_motion(reg, value);
      break;
    case RESMP0:
    case RESMP1:
      advance(clock);
      write_missile_to_player(reg - RESMP0, value);
      break;
    case HMOVE:
      advance(clock);
      move_all(cycle);
      break;
    case HMCLR:
      for (int i = HMP0; i <= HMBL; ++i) regs_[i] = 0;
      moving_ = 0;
      break;
    case CXCLR:
      advance(clock);
      clear_collisions();
      break;
    default:  // sound, and addresses without a register
      break;
  }
  return last_cycle_ >= end_cycle_;
}

}  // namespace poolkit::atari
