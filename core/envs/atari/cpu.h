// The 6507, and the machine that it drives.
#pragma once

#include <cstdint>

#include "cartridge.h"
#include "inputs.h"
#include "riot.h"
#include "tia.h"

namespace poolkit::atari {

struct CpuState {
  uint16_t pc = 0;
  uint8_t a = 0;
  uint8_t x = 0;
  uint8_t y = 0;
  uint8_t sp = 0xff;
  uint8_t status = 0x30;  // NV1BDIZC
  uint8_t jammed = 0;     // by an opcode that stops the processor for good
};

// Everything that a frame changes. Plain bytes but for the pointers in `tia` and `cartridge`.
struct Machine {
  CpuState cpu;
  int32_t cycle = 0;  // since the start of line 0 of the frame
  Riot riot;
  Tia tia;
  Cartridge cartridge;
  Inputs inputs;
};

// Registers after power-on; the program starts where the reset vector says.
void reset_cpu(Machine& machine);

// Runs at most `instructions`; true if the frame ended.
bool run_cpu(Machine& machine, int instructions);

}  // namespace poolkit::atari
