// What the interpreter does seldom: accesses that reach a chip or switch the cartridge, and finding
// the program again afterwards. Out of its way, so that its code stays small.
#pragma once

#include <cstdint>

#include "cpu.h"

namespace poolkit::atari {

// Makes the place that of `target` and returns its instruction.
const Instruction* go(Machine& machine, uint16_t target);
// The same for what cannot be known in advance: the instruction is read over the bus.
const Instruction* fetch(Machine& machine, uint16_t target, int32_t cycle);

// `noise` is the last byte on the bus: what the TIA's undriven bits show.
uint8_t read_chip(Machine& machine, uint16_t address, uint8_t noise, int32_t cycle);

// How often a loop of `turn` cycles that reads the timer, at cycle `first` for the first time, will
// be led back by `branch` while the timer has not expired.
int32_t turns_of_wait(const Riot& riot, uint8_t branch, int32_t first, int32_t turn);

}  // namespace poolkit::atari
