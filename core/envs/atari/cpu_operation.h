// Functions that run one instruction, or a few that stand one behind the other in the program.
#pragma once

#include "cpu_core.h"

namespace poolkit::atari {

// What became of an instruction: the one behind it comes next, another one does, or it was not one
// for this function; then nothing has changed.
enum Outcome { kWentOn, kLeapt, kNotHere };

// Instructions are types, with a `run` of their own. `kOther` runs those that are not for this one.
template <Reach kItsReach, int kItsBytes, int kItsCycles, Handle* kItsOther>
struct Operation {
  static constexpr Reach kReach = kItsReach;
  static constexpr int kBytes = kItsBytes;
  static constexpr int kCycles = kItsCycles;
  static constexpr Handle* kOther = kItsOther;
};

// The jump from each instruction's function to the next one's is hard to foresee for the CPU, and
// waiting for it costs more than most instructions do: what often stands together makes do with
// one.
template <class First, class... Rest>
POOLKIT_INLINE void run_in_a_row(POOLKIT_STATE) {
  Core<First::kReach> core(machine, next, clock, a, x, y);
  core.begin(First::kBytes, First::kCycles);
  const Outcome outcome = First::run(core);
  if (outcome == kNotHere) [[unlikely]]
    return First::kOther(machine, next, clock, a, x, y);
  if constexpr (sizeof...(Rest) != 0) {
    if (outcome == kWentOn) {
      core.count();
      if (core.clock < 0) [[unlikely]]
        return stop(machine, core.next, core.clock, core.a, core.x, core.y);
      return run_in_a_row<Rest...>(machine, core.next, core.clock, core.a, core.x, core.y);
    }
  }
  return core.proceed();
}

template <class... Operations>
void handle(POOLKIT_STATE) {
  return run_in_a_row<Operations...>(machine, next, clock, a, x, y);
}

// STA, STX or STY of a register of the TIA: here if that changes nothing there.
template <uint8_t kRegister, Source kSource>
struct Store : Operation<kIdleChips, 2, 3, change<kRegister, kSource>> {
  static POOLKIT_INLINE Outcome run(Core<kIdleChips>& core) {
    const uint8_t value = core.template source<kSource>();
    if (!core.machine.tia.write_idle(kRegister, value, core.cycle())) return kNotHere;
    if (kRegister == WSYNC) core.cycles += cycles_left_in_line(core.cycle());
    return kWentOn;
  }
};

}  // namespace poolkit::atari
