// The 6507, and the machine that it drives.
#pragma once

#include <array>
#include <cstdint>

#include "cartridge.h"
#include "inputs.h"
#include "program.h"
#include "riot.h"
#include "tia.h"

namespace poolkit::atari {

struct CpuState {
  uint16_t pc = 0;
  uint8_t a = 0;
  uint8_t x = 0;
  uint8_t y = 0;
  uint8_t sp = 0xff;
  // The flags. nz is the last result: N is its bit 7, or 15 where N and Z do not go together; Z is
  // set if its lower byte is 0. The others are set if they are not 0.
  uint16_t nz = 1;
  uint8_t carry = 0;
  uint8_t overflow = 0;
  uint8_t decimal = 0;
  uint8_t interrupt = 0;
  uint8_t jammed = 0;  // by an opcode that stops the processor for good

  template <class Archive>
  void fields(Archive& archive) {
    archive(pc, a, x, y, sp, nz, carry, overflow, decimal, interrupt, jammed);
  }
};

// Reads the next instruction over the bus.
Handle fetch_first;

// The part of the program that is being run.
struct Place {
  const Instruction* origin = nullptr;  // at `base`
  uint32_t base = 0;
  // Of the cartridge, see there.
  uint32_t first_plain = 0;
  uint32_t plain_count = 0;
  const Instruction* whole_window = nullptr;
  const uint8_t* window = nullptr;
  // An instruction that came over the bus, and what follows it.
  std::array<Instruction, 4> fetched{{{fetch_first}, {fetch_first}, {fetch_first}, {fetch_first}}};

  uint16_t address(const Instruction* at) const {
    return static_cast<uint16_t>(base + static_cast<uint32_t>(at - origin));
  }
};

// What the interpreter carries from instruction to instruction.
struct Stopped {
  const Instruction* next = nullptr;
  int64_t clock = 0;
  uint32_t a = 0;
  uint32_t x = 0;
  uint32_t y = 0;
};

// Of the interpreter while it runs; it lasts no longer.
struct Running {
  Place place;
  Stopped stopped;
  uint8_t frame_over = 0;
};

// Everything that a frame changes.
struct Machine {
  CpuState cpu;
  int32_t cycle = 0;  // since the start of line 0 of the frame
  Running running;
  Riot riot;
  Tia tia;
  Cartridge cartridge;
  Inputs inputs;

  // All but `running`, which starts anew with each frame.
  template <class Archive>
  void fields(Archive& archive) {
    archive(cpu, cycle, riot, tia, cartridge, inputs);
  }
};

// Registers after power-on; the program starts where the reset vector says.
void reset_cpu(Machine& machine);

// Runs at most `instructions`; true if the frame ended.
bool run_cpu(Machine& machine, int instructions);

}  // namespace poolkit::atari
