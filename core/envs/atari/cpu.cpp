#include "cpu.h"

#include "cpu_core.h"

namespace poolkit::atari {

void stop(POOLKIT_STATE) { machine.running.stopped = {next, clock, a, x, y}; }

void fetch_first(POOLKIT_STATE) {
  next = fetch(machine, machine.running.place.address(next), cycle_of(clock));
  return next->handler(machine, next, clock, a, x, y);
}

// Programs wait for the timer in a loop of two instructions. Its turns are counted, not run.
void wait_first(POOLKIT_STATE) {
  constexpr int kReading = 4;  // cycles of the first one, all before its access
  const Place& place = machine.running.place;
  const uint32_t address = place.address(next);
  const int32_t turn = ((address + 5) ^ address) & 0xff00 ? 8 : 7;
  const uint8_t branch = place.window[(address + 3) & 0xfff];
  const int64_t turns = turns_of_wait(machine.riot, branch, cycle_of(clock) + kReading, turn);
  if (2 * turns <= clock / kOneInstruction) clock += turns * (turn - 2 * kOneInstruction);
  const uint8_t opcode = place.window[address & 0xfff];
  return Handlers::kAll[kOnTheBus + opcode](machine, next, clock, a, x, y);
}

// JMP to where decoding has found the target. Whether addresses begin with 1, 3 or F is its choice.
void leap(POOLKIT_STATE) {
  Core<kMemory> core(machine, next, clock, a, x, y);
  core.begin(3, 3);
  machine.running.place.base = core.operand() & 0xf000u;
  core.leap();
  return core.proceed();
}

void reset_cpu(Machine& machine) {
  machine.cpu = CpuState();
  const uint8_t low = machine.cartridge.read(0xfffc, 0);
  machine.cpu.pc = static_cast<uint16_t>(low | machine.cartridge.read(0xfffd, 0) << 8);
}

bool run_cpu(Machine& machine, int instructions) {
  CpuState& cpu = machine.cpu;
  if (cpu.jammed) return false;
  Running& running = machine.running;
  running.frame_over = 0;
  Stopped& state = running.stopped;
  state = {go(machine, cpu.pc), machine.cycle + (instructions - 1) * kOneInstruction, cpu.a, cpu.x,
           cpu.y};
  while (state.clock >= 0) {
    state.next->handler(machine, state.next, state.clock, state.a, state.x, state.y);
  }
  machine.cycle = cycle_of(state.clock);
  cpu.pc = running.place.address(state.next);
  cpu.a = static_cast<uint8_t>(state.a);
  cpu.x = static_cast<uint8_t>(state.x);
  cpu.y = static_cast<uint8_t>(state.y);
  return running.frame_over;
}

}  // namespace poolkit::atari
