// Most writes to the TIA: stores to its page, each register's with a function of its own.
#include "cpu_core.h"
#include "tia_write.h"

namespace poolkit::atari {
namespace {

template <Source kSource>
POOLKIT_INLINE uint8_t source(uint32_t a, uint32_t x, uint32_t y) {
  return static_cast<uint8_t>(kSource == kFromA ? a : kSource == kFromX ? x : y);
}

// Before a call that may be made or not, memory is a cheaper place for the state than registers
// that the call must keep.
template <uint8_t kRegister, Source kSource>
__attribute__((noinline)) void change(POOLKIT_STATE) {
  Stopped& kept = machine.running.stopped;
  kept = {next, clock, a, x, y};
  const bool over = machine.tia.write_to<kRegister>(source<kSource>(a, x, y), cycle_of(clock + 3));
  Core<kAnything> core(machine, kept.next, kept.clock, kept.a, kept.x, kept.y);
  core.begin(2, 3);
  if (kRegister == WSYNC) core.cycles += cycles_left_in_line(core.cycle());
  if (over) [[unlikely]]
    core.end();
  return core.proceed();
}

}  // namespace

template <uint8_t kRegister, Source kSource>
void store(POOLKIT_STATE) {
  Core<kIdleChips> core(machine, next, clock, a, x, y);
  core.begin(2, 3);
  if (!machine.tia.write_idle(kRegister, source<kSource>(a, x, y), core.cycle()))
    return change<kRegister, kSource>(machine, next, clock, a, x, y);
  if (kRegister == WSYNC) core.cycles += cycles_left_in_line(core.cycle());
  return core.proceed();
}

#define STORES(reg)                                \
  template void store<reg, kFromY>(POOLKIT_STATE); \
  template void store<reg, kFromA>(POOLKIT_STATE); \
  template void store<reg, kFromX>(POOLKIT_STATE);
STORES(VSYNC)
STORES(VBLANK)
STORES(WSYNC)
STORES(NUSIZ0)
STORES(NUSIZ1)
STORES(COLUP0)
STORES(COLUP1)
STORES(COLUPF)
STORES(COLUBK)
STORES(CTRLPF)
STORES(REFP0)
STORES(REFP1)
STORES(PF0)
STORES(PF1)
STORES(PF2)
STORES(RESP0)
STORES(RESP1)
STORES(RESM0)
STORES(RESM1)
STORES(RESBL)
STORES(GRP0)
STORES(GRP1)
STORES(ENAM0)
STORES(ENAM1)
STORES(ENABL)
STORES(HMP0)
STORES(HMP1)
STORES(HMM0)
STORES(HMM1)
STORES(HMBL)
STORES(VDELP0)
STORES(VDELP1)
STORES(VDELBL)
STORES(RESMP0)
STORES(RESMP1)
STORES(HMOVE)
STORES(HMCLR)
STORES(CXCLR)
STORES(0x3f)

}  // namespace poolkit::atari
