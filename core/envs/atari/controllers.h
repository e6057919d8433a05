// From actions to what the console's ports show.
#pragma once

#include <cstdint>

#include "action.h"
#include "inputs.h"
#include "rom.h"

namespace poolkit::atari {

// The front panel as it is held during a frame.
struct Panel {
  bool reset = false;
  bool select = false;
  uint8_t difficulty = 0;  // bit 0: left switch at A, bit 1: right switch at A
};

// One player's controls; the other player holds still.
class Controllers {
 public:
  // Turns the paddle to the middle.
  void centre(const Hardware& hardware);
  // Moves the paddle, if the console has paddles.
  void turn(const Hardware& hardware, Push push);

  Inputs inputs(const Hardware& hardware, Action action, Panel panel) const;

  template <class Archive>
  void fields(Archive& archive) {
    archive(paddle_);
  }

 private:
  int32_t paddle_ = 0;
};

// A console that nobody has touched since its power was switched on.
Inputs untouched_inputs(const Hardware& hardware);

}  // namespace poolkit::atari
