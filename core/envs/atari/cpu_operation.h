// Functions that run one instruction, or a few that stand one behind the other in the program.
#pragma once

#include "cpu_core.h"

namespace poolkit::atari {

// Instructions are types, each with a `run` of its own. It may find that what is to be done is not
// for it, but for `kOther`: then it changes nothing and answers false.
template <Reach kItsReach, int kItsBytes, int kItsCycles, Handle* kItsOther>
struct Operation {
  static constexpr Reach kReach = kItsReach;
  static constexpr int kBytes = kItsBytes;
  static constexpr int kCycles = kItsCycles;
  static constexpr Handle* kOther = kItsOther;
};

// The jump from each instruction's function to the next one's is hard to foresee for the CPU, and
// waiting for it costs more than most instructions do: those that often stand together share one.
template <class First, class... Rest>
POOLKIT_INLINE void run_in_a_row(POOLKIT_STATE) {
  Core<First::kReach> core(machine, next, clock, a, x, y);
  core.begin(First::kBytes, First::kCycles);
  if (!First::run(core)) [[unlikely]]
    return First::kOther(machine, next, clock, a, x, y);
  if constexpr (sizeof...(Rest) != 0) {
    if (core.next == next + First::kBytes) {
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
  static POOLKIT_INLINE bool run(Core<kIdleChips>& core) {
    const uint8_t value = source<kSource>(core.a, core.x, core.y);
    if (!core.machine.tia.write_idle(kRegister, value, core.cycle())) return false;
    if (kRegister == WSYNC) core.cycles += cycles_left_in_line(core.cycle());
    return true;
  }
};

}  // namespace poolkit::atari
