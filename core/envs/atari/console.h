// The console: a machine that runs frame by frame into two frame buffers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cpu.h"
#include "mt19937.h"
#include "rom.h"
#include "tia.h"

namespace poolkit::atari {

// What goes into a saved state, apart from the pictures.
struct ConsoleState {
  Machine machine;
  Mt19937 random{4753849};  // fills RAM at power-on and starts the timer: always the same way
  uint8_t unfinished = 0;   // the last frame stopped in the middle and goes on
  uint8_t greyed = 0;       // and the rest of its picture was made gray
  uint8_t current = 0;      // the buffer of the last frame

  template <class Archive>
  void fields(Archive& archive) {
    archive(machine, random, unfinished, greyed, current);
  }
};

class Console {
 public:
  // Switches the power on; tells NTSC from PAL as ALE does, by the lines of the first frames.
  explicit Console(std::shared_ptr<const Rom> rom);
  Console(const Console& other);
  Console& operator=(const Console&) = delete;

  // RAM and pictures' past survive: RAM is never cleared, the pictures are.
  void reset();
  // Frames that nobody will look at need no picture. Until reveal(), the screens show only frames
  // that were `shown`.
  void run_frame(const Inputs& inputs, bool shown = true);
  // Makes the screens what they would be had all frames been shown.
  void reveal();

  std::span<const uint8_t, 128> ram() const { return state_.machine.riot.ram; }
  void set_ram(int index, uint8_t value) { state_.machine.riot.ram[index] = value; }
  // RAM on the cartridge: 128 bytes, or none.
  std::span<const uint8_t> cartridge_ram() const { return state_.machine.cartridge.extra_ram(); }
  int height() const { return display_.lines; }
  bool pal() const { return display_.colour_loss; }
  // Rows of kWidth colour numbers: the last frame, and the one before it.
  std::span<const uint8_t> screen() const { return rows(state_.current); }
  std::span<const uint8_t> previous_screen() const { return rows(1 - state_.current); }

  const Rom& rom() const { return *rom_; }

  const ConsoleState& state() const { return state_; }
  // Throws std::invalid_argument if it cannot be a state of this console.
  void load(const ConsoleState& state, const std::array<FrameBuffer, 2>& buffers);
  const std::array<FrameBuffer, 2>& buffers() const { return buffers_; }

 private:
  // Frames since the first one without a picture whose picture may still be seen: that of a short
  // frame shows lines of the one two before it. They are then run again, with pictures.
  struct Hidden {
    ConsoleState before;
    std::vector<Inputs> inputs;
    std::array<bool, 2> stale{};  // the buffers that lack a picture
    int pause = 0;                // frames that are shown in any case: some games are often short
  };

  void connect();
  bool emulate(const Inputs& inputs, bool draws);
  void grey_out();
  int lines_so_far() const { return state_.machine.cycle / kCyclesPerLine; }
  std::span<const uint8_t> rows(int index) const {
    return std::span(buffers_[index]).first(display_.lines * kWidth);
  }

  std::shared_ptr<const Rom> rom_;
  Display display_;
  ConsoleState state_;
  std::array<FrameBuffer, 2> buffers_{};
  Hidden hidden_;
};

}  // namespace poolkit::atari
