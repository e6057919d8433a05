#include "console.h"

#include <stdexcept>
#include <utility>

#include "controllers.h"

namespace poolkit::atari {
namespace {

constexpr int kInstructionsPerFrame = 25'000;  // a frame that needs more goes on in the next

}  // namespace

Console::Console(std::shared_ptr<const Rom> rom) : rom_(std::move(rom)) {
  const Hardware& hardware = *rom_->hardware;
  display_.first_line = hardware.first_line;
  display_.lines = hardware.lines;
  display_.hmove_blanks = hardware.hmove_blanks;
  connect();
  Riot& riot = state_.machine.riot;
  for (uint8_t& byte : riot.ram) byte = static_cast<uint8_t>(state_.random());
  riot.reset(state_.random());

  constexpr int kFrames = 60;
  constexpr int kPalLines = 285;
  reset();
  int pal_frames = 0;
  for (int frame = 0; frame < kFrames; ++frame) {
    run_frame(untouched_inputs(hardware));
    if (frame >= kFrames / 2 && lines_so_far() > kPalLines) ++pal_frames;
  }
  if (pal_frames >= kFrames / 4) {
    display_.colour_loss = true;
    display_.last_line = 342;
    if (display_.lines == 210) display_.lines = 250;
  }
  reset();
}

Console::Console(const Console& other)
    : rom_(other.rom_), display_(other.display_), state_(other.state_), buffers_(other.buffers_) {
  connect();
}

void Console::connect() {
  state_.machine.tia.show_on(&buffers_[state_.current], &display_);
  state_.machine.cartridge.insert(rom_->hardware->cartridge, rom_->banks.data(), &rom_->program);
}

void Console::reset() {
  Machine& machine = state_.machine;
  machine.cycle = 0;
  machine.riot.reset(state_.random());
  machine.tia.reset();
  for (FrameBuffer& buffer : buffers_) buffer.fill(0);
  hidden_.inputs.clear();
  for (uint8_t& byte : machine.cartridge.extra_ram()) {
    byte = static_cast<uint8_t>(state_.random());
  }
  machine.cartridge.reset(0);
  reset_cpu(machine);
}

void Console::run_frame(const Inputs& inputs, bool shown) {
  const bool hide = !shown && hidden_.pause == 0;
  if (hidden_.pause > 0) --hidden_.pause;
  std::vector<Inputs>& outstanding = hidden_.inputs;
  if (hide && outstanding.empty()) hidden_.before = state_;
  if (hide || !outstanding.empty()) outstanding.push_back(inputs);
  const bool whole = emulate(inputs, !hide);
  if (outstanding.empty()) {
    if (state_.unfinished && !state_.greyed) grey_out();
    return;
  }
  hidden_.stale[state_.current] = hide;
  if (!whole) {
    reveal();
  } else if (!hidden_.stale[0] && !hidden_.stale[1]) {
    outstanding.clear();
  }
}

void Console::reveal() {
  constexpr int kPause = 100;
  if (hidden_.inputs.empty()) return;
  state_ = hidden_.before;
  hidden_.stale = {};
  hidden_.pause = kPause;
  for (const Inputs& inputs : std::exchange(hidden_.inputs, {})) run_frame(inputs);
}

// True if the picture has all of its lines.
bool Console::emulate(const Inputs& inputs, bool draws) {
  Machine& machine = state_.machine;
  machine.inputs = inputs;
  if (!state_.unfinished) {
    state_.current = 1 - state_.current;
    machine.tia.start_frame(machine.cycle);
    const int32_t into_line = cycle_in_line(machine.cycle);
    machine.riot.rewind(machine.cycle - into_line);
    machine.cartridge.rewind(machine.cycle - into_line);
    machine.cycle = into_line;
    state_.greyed = 0;
  }
  machine.tia.show_on(draws ? &buffers_[state_.current] : nullptr, &display_);
  state_.unfinished = !run_cpu(machine, kInstructionsPerFrame);
  if (state_.unfinished) {
    machine.tia.catch_up();
    return false;
  }
  machine.tia.end_frame(machine.cycle);
  return machine.tia.drew_all_lines();
}

// What an unfinished frame has not reached keeps only its luminance.
void Console::grey_out() {
  const int reached = lines_so_far() - display_.first_line;
  const std::span<uint8_t> pixels =
      std::span(buffers_[state_.current]).first(display_.lines * kWidth);
  const int first = reached > 0 ? reached * kWidth : 0;
  for (int i = first; i < static_cast<int>(pixels.size()); ++i) pixels[i] = (pixels[i] & 15) >> 1;
  state_.greyed = 1;
}

void Console::load(const ConsoleState& state, const std::array<FrameBuffer, 2>& buffers) {
  const Machine& machine = state.machine;
  if (!machine.tia.valid() || !machine.riot.valid() || !machine.cartridge.valid() ||
      !state.random.valid() || state.current > 1 || machine.cycle < 0) {
    throw std::invalid_argument(rom_->game + ": not a saved state of this game");
  }
  state_ = state;
  buffers_ = buffers;
  hidden_.inputs.clear();
  state_.machine.running = {};
  connect();
}

}  // namespace poolkit::atari
