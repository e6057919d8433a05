// The television interface adapter: draws the picture and latches collisions.
//
// It draws lazily. Each object is a mask of the line; a write renews the mask of the object it
// changes, from the pixel where it takes effect. Pixels are made once a line, and before a write
// changes how the masks look (colours, priority, blanking); collisions are found once a line,
// before a change of blanking, and when they are asked for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "inputs.h"
#include "line_mask.h"
#include "pixels.h"
#include "tia_tables.h"

namespace poolkit::atari {

// The part of the picture that is shown, and what differs between televisions and games.
struct Display {
  int first_line = 34;
  int lines = 210;
  int last_line = 290;  // a write after it ends the frame
  bool colour_loss = false;
  bool hmove_blanks = true;
};

inline constexpr int kMaxLines = 300;
using FrameBuffer = std::array<uint8_t, kMaxLines * kWidth + kSlack>;

// Time is in CPU cycles since the start of line 0 of the frame, three clocks (pixels) each.
class Tia {
 public:
  void reset();

  // Where the pixels go from now on, and which of them. Nothing is owned.
  void show_on(FrameBuffer* pixels, const Display* display) {
    pixels_ = pixels;
    display_ = display;
  }

  void start_frame(int32_t cycle);
  // Draws what the last access has reached.
  void catch_up();
  // `cycle` is the one that the frame ended at.
  void end_frame(int32_t cycle);
  // Of the display, by the frame so far.
  bool drew_all_lines() const { return clock_ >= end_clock_; }

  // Does a write if it changes nothing and does not end the frame: most are so.
  bool write_idle(uint8_t reg, uint8_t value, int32_t cycle) {
    const bool same = regs_[reg] == value;
    if (!((same ? kUnused | holders_ : kUnused) >> reg & 1) || cycle >= end_cycle_) return false;
    last_register_ = reg;
    last_cycle_ = cycle;
    return true;
  }
  // Does any write. The frame is over once this has answered true.
  template <uint8_t kReg>
  bool write_to(uint8_t value, int32_t cycle);  // tia_write.h
  bool write(uint8_t reg, uint8_t value, int32_t cycle);
  // `noise` is the last byte on the bus: bits that nothing drives keep its value.
  uint8_t read(uint16_t address, uint8_t noise, int32_t cycle, const Inputs& inputs);

  bool valid() const;

  template <class Archive>
  void fields(Archive& archive) {
    archive(regs_, holders_, colours_, delayed_graphics_, delayed_ball_, position_, moving_,
            between_lines_, missile_form_, endless_motion_step_, dumping_, dumped_at_, end_cycle_,
            start_cycle_, vsync_end_, last_hmove_, lines_of_last_frame_, met_, cleared_,
            last_cycle_, last_register_);
    archive(first_clock_, end_clock_, line_clock_, clock_, x_, drawn_x_, latched_x_, row_, whole_,
            line_, changed_at_, unsettled_, mixed_, enabled_, visible_, recolour_, same_as_above_,
            blank_pixels_, blank_above_, blank_next_line_, selector_);
  }

 private:
  // tia.cpp: registers
  bool write_vsync(uint8_t value, int32_t clock);
  void write_vblank(uint8_t value, int32_t cycle);
  void write_colour(uint8_t reg, uint8_t value);
  void write_control(uint8_t value, int32_t clock);
  void write_number_size(int player, uint8_t value);
  void write_graphics(int player, uint8_t value);
  void write_enable(uint8_t reg, uint8_t value);
  void write_playfield(uint8_t reg, uint8_t value);
  void write_missile_to_player(int player, uint8_t value);
  void reset_player(int player, int32_t clock);
  void reset_missile_or_ball(Object object, int32_t clock);
  void write_motion_of_missile_0(uint8_t value, int32_t clock);
  void write_motion(uint8_t reg, uint8_t value);
  void move_all(int32_t cycle);
  void move(uint8_t objects, int cycle);
  void clear_collisions();
  bool paddle_charged(uint32_t charging, int32_t cycle) const;
  bool unchanged(uint8_t reg, uint8_t value) const;
  void find_holders();
  void enable(Object object, bool enabled) {
    enabled_ = static_cast<uint8_t>((enabled_ & ~(1 << object)) | enabled << object);
  }

  // tia_line.cpp: the line being drawn
  // Lets the picture reach `clock`. A line ends only once something happens beyond it; the last one
  // of the display never does.
  void advance(int32_t clock) {
    if (clock <= clock_) return;
    if (clock > line_clock_ + kClocksPerLine) return advance_lines(clock);
    clock_ = clock;
    x_ = std::max(0, clock - line_clock_ - kBlankClocks);
  }
  void advance_lines(int32_t clock);
  void finish_line();
  void change_between_lines();
  void move_endlessly();
  // To be called before registers of `object` change at the pixel reached.
  void change(Object object) {
    const uint8_t bit = static_cast<uint8_t>(1 << object);
    const bool pending = unsettled_ & bit;
    if (!pending || changed_at_[object] != x_) {
      if (pending || cancels_score()) prepare_change(object);
      unsettled_ |= bit;
      changed_at_[object] = static_cast<uint8_t>(x_);
    }
    same_as_above_ = kChanged;  // also if the line was drawn to its end just now
  }
  // As change(), for registers that cannot let it show: of one that does not, nothing changes.
  void change_if_shown(Object object) {
    if ((enabled_ | visible_ | mixed_) >> object & 1) change(object);
  }
  void prepare_change(Object object);
  // Score mode and priority: what is enabled decides between them (choose_colours()).
  bool cancels_score() const { return (regs_[CTRLPF] & 6) == 6; }
  void start_whole();
  void settle(uint8_t objects);
  void settle_all() {
    if (unsettled_) settle(unsettled_);
  }
  void settle_as(Object object, MaskWords now);
  // Makes pixels of what the line has reached and was not drawn.
  void draw() {
    if (x_ == drawn_x_) return;
    draw_reached();
    drawn_x_ = x_;
  }
  void draw_reached();
  void repeat_row();
  // Finds the collisions of what the line has reached; those of the line above were found.
  void collide() {
    if (x_ == latched_x_) return;
    if (same_as_above_ != kSame || cleared_) find_collisions();
    latched_x_ = x_;
  }
  void find_collisions();
  void latch_collisions();
  void draw_pixels();
  uint8_t latch(int reg) const;
  void choose_colours();
  MaskWords player_line(int player) const;
  MaskWords missile_line(int player) const;
  MaskWords ball_line() const;
  MaskWords playfield_line() const;
  uint8_t written_graphics(int player) const {
    return regs_[VDELP0 + player] & 1 ? delayed_graphics_[player] : regs_[GRP0 + player];
  }
  uint8_t graphics(int player) const;
  bool first_hidden(int player) const { return between_lines_ >> player & 1; }
  bool reflected() const {
    return ((regs_[CTRLPF] & 1) != 0) != ((between_lines_ & kReflect) != 0);
  }
  void set_first_hidden(int player, bool hidden) {
    set_between_lines(static_cast<uint8_t>(1 << player), hidden);
  }
  void set_between_lines(uint8_t what, bool on) {
    between_lines_ = static_cast<uint8_t>(on ? between_lines_ | what : between_lines_ & ~what);
  }
  bool might_meet(uint8_t objects) const;

  FrameBuffer* pixels_ = nullptr;
  const Display* display_ = nullptr;

  // Registers as written.
  std::array<uint8_t, 64> regs_{};
  uint64_t holders_ = kHolders;                // and those that are for now
  std::array<uint8_t, 4> colours_{};           // background, playfield, player 0, player 1
  std::array<uint8_t, 2> delayed_graphics_{};  // the older GRP0, GRP1
  uint8_t delayed_ball_ = 0;
  std::array<uint8_t, 5> position_{};  // by Object
  uint8_t moving_ = 0;                 // objects (bits) whose motion register moves them
  // What changes between this line and the next: the first copy of a player (bits by Object) that
  // was hidden shows again, the playfield's right half becomes as CTRLPF has it, missile 0 moves.
  enum BetweenLines : uint8_t { kShowFirst = 3, kReflect = 4, kMoveEndlessly = 8 };
  uint8_t between_lines_ = 0;
  enum MissileForm : uint8_t { kPlain, kStretched, kHidden };
  uint8_t missile_form_ = kPlain;  // of missile 0, by its endless motion
  uint8_t endless_motion_step_ = 0;
  uint8_t dumping_ = 0;
  int32_t dumped_at_ = 0;
  int32_t end_cycle_ = 0;    // a write from there on ends the frame
  int32_t start_cycle_ = 0;  // where in its line the frame began
  int32_t vsync_end_ = 0;
  int32_t last_hmove_ = 0;
  int32_t lines_of_last_frame_ = 0;
  std::array<uint8_t, kObjects> met_{};  // objects (bits) that collided with each
  uint8_t cleared_ = 0;                  // since the last line whose collisions were found whole
  int32_t last_cycle_ = 0;               // of the last access, and its register:
  uint8_t last_register_ = WSYNC;        // the picture is known up to there

  // The line being drawn: its start and how far we are, in clocks and in pixels.
  int32_t first_clock_ = 0;
  int32_t end_clock_ = 0;
  int32_t line_clock_ = 0;
  int32_t clock_ = 0;
  int32_t x_ = 0;
  int32_t drawn_x_ = 0;
  int32_t latched_x_ = 0;  // up to where collisions were looked for
  int32_t row_ = 0;
  std::array<LineMask, kObjects> whole_{};      // of a line that starts now, if that is another
  std::array<LineMask, kObjects> line_{};       // of this line, with the changes up to here
  std::array<uint8_t, kObjects> changed_at_{};  // pixel from which it is out of date
  uint8_t unsettled_ = 0;                       // objects (bits) that are out of date
  uint8_t mixed_ = 0;                           // objects whose line_ changes on the way to whole_
  uint8_t enabled_ = 0;                         // objects that their registers let show
  uint8_t visible_ = 0;                         // objects whose line_ has any pixel
  uint8_t recolour_ = 1;                        // the selectors are out of date
  // The line looks like the row drawn before it, or nothing has changed since it began.
  enum Likeness : uint8_t { kChanged, kUnchanged, kSame };
  uint8_t same_as_above_ = kChanged;
  uint8_t blank_pixels_ = 0;  // of the first eight, made black by HMOVE
  uint8_t blank_above_ = 0;   // those of the row drawn before
  uint8_t blank_next_line_ = 0;
  Selector selector_{};
};

}  // namespace poolkit::atari
