// Most writes to the TIA: stores to its page, each register's with a function of its own.
#include "cpu_core.h"
#include "tia_write.h"

namespace poolkit::atari {

// Before a call that may be made or not, memory is a cheaper place for the state than registers
// that the call must keep.
template <uint8_t kRegister, Source kSource>
void change(POOLKIT_STATE) {
  const uint8_t value = source<kSource>(a, x, y);
  Stopped& kept = machine.running.stopped;
  kept = {next, clock, a, x, y};
  const bool over = machine.tia.write_to<kRegister>(value, cycle_of(clock + 3));
  Core<kAnything> core(machine, kept.next, kept.clock, kept.a, kept.x, kept.y);
  core.begin(2, 3);
  if (kRegister == WSYNC) core.cycles += cycles_left_in_line(core.cycle());
  if (over) [[unlikely]]
    core.end();
  return core.proceed();
}

#define STORES(reg)                                 \
  template void change<reg, kFromY>(POOLKIT_STATE); \
  template void change<reg, kFromA>(POOLKIT_STATE); \
  template void change<reg, kFromX>(POOLKIT_STATE);
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
