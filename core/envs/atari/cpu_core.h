// The 6507 during one instruction, for the functions that run one.
//
// There is a small function for each instruction, which ends in a jump to the next one's. What
// changes most travels in their arguments, that is in registers.
#pragma once

#include "bus.h"
#include "cpu.h"
#include "decimal.h"

namespace poolkit::atari {

// Compilers that optimize make calls at a function's end into jumps. Others, and sanitizers, would
// let the stack grow: there, each function returns to a loop.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define POOLKIT_TAIL_CALLS 1
#define POOLKIT_INLINE __attribute__((always_inline)) inline
#else
#define POOLKIT_TAIL_CALLS 0
#define POOLKIT_INLINE inline
#endif

// For what happens seldom: kept out of the way of the rest.
#define POOLKIT_SELDOM __attribute__((noinline, cold))

// `clock` counts cycles in its lower 31 bits, and above them the instructions that may run after
// the next one: what an instruction adds to it then fits into an immediate operand of 32 bits.
#define POOLKIT_STATE \
  Machine &machine, const Instruction *next, int64_t clock, uint32_t a, uint32_t x, uint32_t y
inline constexpr int64_t kOneInstruction = int64_t{1} << 31;
constexpr int32_t cycle_of(int64_t clock) {
  return static_cast<int32_t>(clock & (kOneInstruction - 1));
}

// No instruction may run any more, for now.
Handle stop;
// Not instructions themselves, see program.h.
Handle fetch_first;
Handle wait_first;
Handle leap;
enum Source { kFromY, kFromA, kFromX };  // of STY, STA, STX, in the order of their opcodes
template <Source kSource>
POOLKIT_INLINE uint8_t source(uint32_t a, uint32_t x, uint32_t y) {
  return static_cast<uint8_t>(kSource == kFromA ? a : kSource == kFromX ? x : y);
}
// STA, STX and STY of a register of the TIA that change something there.
template <uint8_t kRegister, Source kSource>
void change(POOLKIT_STATE);
// One for all registers that do not show.
constexpr uint8_t registered(uint8_t reg) {
  return reg != WSYNC && (kUnused >> reg & 1) ? 0x3f : reg;
}

// Where an operand is. `noise` is the last byte on the bus when it is read.
struct Immediate {
  uint8_t value;
};
struct ZeroPage {
  uint8_t at;
  uint8_t noise;
};
struct InRam {
  uint8_t at;  // 0 to 127
};
struct InWindow {
  uint32_t at;  // of the cartridge's 4 KB
};
struct Anywhere {
  uint32_t at;  // the lower 16 bits are the address
  uint8_t noise;
};
inline constexpr Anywhere kElsewhere{0x1000, 0};  // to write to: neither RAM nor a chip

// The processor during one instruction. The names a, x, y, sp and the flags v, d, i, c are its own;
// the first three hold bytes. nz is the last result: N is its bit 7, or 15 where N and Z do not go
// together; Z is set if its lower byte is 0.
//
// What it reaches: a table in the ROM, memory that is there, without calls, or also the TIA as long
// as nothing changes there, or anything. What one instruction may not reach is left to another one.
enum Reach { kTable, kMemory, kIdleChips, kAnything };
template <Reach kReach>
struct Core {
  static constexpr bool kPlain = kReach != kAnything;

  POOLKIT_INLINE explicit Core(POOLKIT_STATE)
      : machine(machine), next(next), clock(clock), a(a), x(x), y(y) {}

  POOLKIT_INLINE void begin(int bytes, int duration) {
    self = next;
    next += bytes;
    cycles = duration;
  }

  POOLKIT_INLINE void count() { clock += cycles - kOneInstruction; }
  POOLKIT_INLINE void proceed() {
    count();
    if (clock < 0) [[unlikely]]
      return stop(machine, next, clock, a, x, y);
#if POOLKIT_TAIL_CALLS
    return next->handler(machine, next, clock, a, x, y);
#else
    machine.running.stopped = {next, clock, a, x, y};
#endif
  }

  POOLKIT_INLINE int32_t cycle() const { return cycle_of(clock + cycles); }
  POOLKIT_INLINE uint16_t pc() const { return machine.running.place.address(next); }
  POOLKIT_INLINE void end() {
    machine.running.frame_over = 1;
    no_more();
  }
  POOLKIT_INLINE void no_more() { clock = cycle_of(clock) - kOneInstruction; }

  // The bus. What is `at_hand` needs no call.

  POOLKIT_INLINE bool at_hand(Immediate) const { return true; }
  POOLKIT_INLINE bool at_hand(InRam) const { return true; }
  POOLKIT_INLINE bool at_hand(ZeroPage address) const { return address.at & 0x80; }
  POOLKIT_INLINE bool at_hand(Anywhere address) const {
    const Place& place = machine.running.place;
    return in_rom(address) ? (address.at & 0xfffu) - place.first_plain < place.plain_count
                           : in_ram(address);
  }
  POOLKIT_INLINE bool in_rom(Anywhere address) const { return address.at & 0x1000; }
  POOLKIT_INLINE bool in_ram(Anywhere address) const { return (address.at & 0x1280) == 0x080; }
  POOLKIT_INLINE bool in_ram(ZeroPage address) const { return address.at & 0x80; }
  POOLKIT_INLINE bool in_ram(InRam) const { return true; }

  POOLKIT_INLINE uint8_t peek(Immediate operand) const { return operand.value; }
  POOLKIT_INLINE uint8_t peek(ZeroPage address) const {
    return machine.riot.ram[address.at & 0x7f];
  }
  POOLKIT_INLINE uint8_t peek(InWindow address) const {
    return machine.running.place.window[address.at];
  }
  POOLKIT_INLINE uint8_t peek(InRam address) const { return machine.riot.ram[address.at]; }
  POOLKIT_INLINE uint8_t peek(Anywhere address) const {
    return in_rom(address) ? machine.running.place.window[address.at & 0xfff]
                           : machine.riot.ram[address.at & 0x7f];
  }

  template <typename Address>
  POOLKIT_INLINE uint8_t read(Address address) {
    if (at_hand(address)) return peek(address);
    return read_elsewhere(address);
  }
  POOLKIT_INLINE uint8_t read_elsewhere(Immediate operand) const { return operand.value; }
  POOLKIT_INLINE uint8_t read_elsewhere(ZeroPage address) const {
    return read_chip(machine, address.at, address.noise, cycle());
  }
  POOLKIT_INLINE uint8_t read_elsewhere(Anywhere address) {
    if (!in_rom(address)) return read_chip(machine, address.at, address.noise, cycle());
    const uint8_t value = machine.cartridge.read(address.at, cycle());
    if ((address.at & 0xfffu) >= machine.running.place.first_plain) next = go(machine, pc());
    return value;
  }

  template <typename Address>
  POOLKIT_INLINE void poke(Address address, uint8_t value) {
    machine.riot.ram[address.at & 0x7f] = value;
  }
  POOLKIT_INLINE void poke(InRam address, uint8_t value) { machine.riot.ram[address.at] = value; }
  // Does a write to the TIA if that changes nothing there.
  template <typename Address>
  POOLKIT_INLINE bool idle(Address address, uint8_t value) {
    const uint8_t reg = address.at & 0x3f;
    if ((address.at & 0x1080) != 0 || !machine.tia.write_idle(reg, value, cycle())) return false;
    if (reg == WSYNC) cycles += cycles_left_in_line(cycle());
    return true;
  }
  // WSYNC halts the processor until the line ends, but only in the place of a read.
  template <typename Address>
  POOLKIT_INLINE void write(Address address, uint8_t value, bool after_read = true) {
    if (in_ram(address)) {
      poke(address, value);
    } else if (address.at & 0x1000) {
      machine.cartridge.write(address.at, value);
      next = go(machine, pc());
    } else if (address.at & 0x80) {
      machine.riot.write(address.at, value, cycle());
    } else {
      const uint8_t reg = address.at & 0x3f;
      const bool over = machine.tia.write(reg, value, cycle());
      if (reg == WSYNC && after_read) cycles += cycles_left_in_line(cycle());
      if (over) [[unlikely]]
        end();
    }
  }

  POOLKIT_INLINE bool can_jump() const { return machine.running.place.whole_window != nullptr; }
  POOLKIT_INLINE void jump(uint32_t target) {
    Place& place = machine.running.place;
    if (!kPlain) {
      next = go(machine, static_cast<uint16_t>(target));
    } else if (target & 0x1000) {
      place.origin = place.whole_window;
      place.base = target & 0xf000;
      next = place.origin + (target & 0xfff);
    } else {
      place.fetched[0] = {fetch_first};
      place.origin = next = place.fetched.data();
      place.base = target;
    }
  }

  // Addressing modes

  POOLKIT_INLINE uint16_t operand() const { return self->operand(); }
  POOLKIT_INLINE Immediate immediate() const { return {self->low}; }
  POOLKIT_INLINE auto zero_page() const {
    if constexpr (kReach == kMemory) {
      return InRam{self->in_ram};  // decode() has sorted out the others
    } else {
      return ZeroPage{self->low, self->low};
    }
  }
  POOLKIT_INLINE ZeroPage zero_page_x() const {
    return {static_cast<uint8_t>(self->low + x), self->low};
  }
  POOLKIT_INLINE ZeroPage zero_page_y() const {
    return {static_cast<uint8_t>(self->low + y), self->low};
  }
  POOLKIT_INLINE Anywhere absolute() const { return {operand(), self->high}; }
  POOLKIT_INLINE Anywhere absolute_x() const { return indexed(absolute(), x); }
  POOLKIT_INLINE Anywhere absolute_y() const { return indexed(absolute(), y); }
  POOLKIT_INLINE auto absolute_x_crossing() { return absolute_crossing(x); }
  POOLKIT_INLINE auto absolute_y_crossing() { return absolute_crossing(y); }
  POOLKIT_INLINE Anywhere indirect_x() { return pointer(zero_page_x()); }
  POOLKIT_INLINE Anywhere indirect_y() { return indexed(pointer(zero_page()), y); }
  POOLKIT_INLINE Anywhere indirect_y_crossing() { return crossing(pointer(zero_page()), y); }

  POOLKIT_INLINE Anywhere indexed(Anywhere base, uint32_t index) const {
    return {base.at + index, base.noise};
  }
  POOLKIT_INLINE Anywhere crossing(Anywhere base, uint32_t index) {
    cycles += static_cast<int32_t>((base.at & 0xff) + index) >> 8;
    return indexed(base, index);
  }
  POOLKIT_INLINE auto absolute_crossing(uint32_t index) {
    const Anywhere address = crossing(absolute(), index);
    if constexpr (kReach == kTable) {
      return InWindow{address.at & 0xfff};
    } else {
      return address;
    }
  }
  POOLKIT_INLINE Anywhere pointer(InRam at) const {
    const uint8_t* bytes = &machine.riot.ram[at.at];
    return {bytes[0] | uint32_t{bytes[1]} << 8, bytes[1]};
  }
  // A pointer at 0xff has its upper byte at 0x100, not at 0.
  POOLKIT_INLINE Anywhere pointer(ZeroPage at) {
    if (at.at >= 0x80 && at.at != 0xff) return pointer(InRam{static_cast<uint8_t>(at.at & 0x7f)});
    if (kPlain) return kElsewhere;
    const uint8_t low = read(at);
    const uint8_t high = read(Anywhere{static_cast<uint16_t>(at.at + 1), low});
    return {static_cast<uint16_t>(low | high << 8), high};
  }

  // Flags

  POOLKIT_INLINE void set_nz(uint32_t value) { nz = static_cast<uint16_t>(value); }
  POOLKIT_INLINE bool negative() const { return nz & 0x8080; }
  POOLKIT_INLINE bool zero() const { return (nz & 0xff) == 0; }
  POOLKIT_INLINE uint8_t status() const {
    return static_cast<uint8_t>((negative() ? 0x80 : 0) | (v ? 0x40 : 0) | 0x30 | (d ? 8 : 0) |
                                (i ? 4 : 0) | (zero() ? 2 : 0) | (c ? 1 : 0));
  }
  POOLKIT_INLINE void set_status(uint8_t value) {
    nz = static_cast<uint16_t>((value & 0x80) << 8 | (value & 2 ? 0 : 1));
    v = value & 0x40;
    d = value >> 3 & 1;
    i = value >> 2 & 1;
    c = value & 1;
  }

  // Operations

  POOLKIT_INLINE void load(uint32_t& target, uint32_t value) { set_nz(target = value & 0xff); }
  POOLKIT_INLINE void ora(uint8_t value) { set_nz(a |= value); }
  POOLKIT_INLINE void and_(uint8_t value) { set_nz(a &= value); }
  POOLKIT_INLINE void eor(uint8_t value) { set_nz(a ^= value); }
  POOLKIT_INLINE void compare(uint32_t with, uint32_t value) {
    c = with >= value;
    set_nz((with - value) & 0xff);
  }
  POOLKIT_INLINE void cmp_a(uint8_t value) { compare(a, value); }
  POOLKIT_INLINE void bit_test(uint8_t value) {
    nz = static_cast<uint16_t>((value & 0x80) << 8 | (a & value));
    v = value & 0x40;
  }

  POOLKIT_INLINE void adc(uint8_t value) {
    const uint32_t before = a;
    if (!kPlain && d) {
      const Sum sum = add_decimal(static_cast<uint8_t>(a), value, c);
      c = sum.carry;
      a = sum.value;
    } else {
      const uint32_t sum = a + value + c;
      c = sum > 0xff;
      a = sum & 0xff;
    }
    v = (before ^ a) & (a ^ value) & 0x80;
    set_nz(a);
  }

  POOLKIT_INLINE void sbc(uint8_t value) {
    const uint32_t before = a;
    if (!kPlain && d) {
      const Sum difference = subtract_decimal(static_cast<uint8_t>(a), value, c);
      c = difference.carry;
      a = difference.value;
      v = (before ^ a) & (a ^ value) & 0x80;
    } else {
      const uint32_t difference = a + (value ^ 0xff) + c;
      c = difference > 0xff;
      a = difference & 0xff;
      v = (before ^ value) & (before ^ a) & 0x80;
    }
    set_nz(a);
  }

  POOLKIT_INLINE uint8_t asl(uint32_t value) {
    c = value >> 7 & 1;
    return shifted(value << 1);
  }
  POOLKIT_INLINE uint8_t lsr(uint32_t value) {
    c = value & 1;
    return shifted(value >> 1);
  }
  POOLKIT_INLINE uint8_t rol(uint32_t value) {
    const uint8_t in = c;
    c = value >> 7 & 1;
    return shifted(value << 1 | in);
  }
  POOLKIT_INLINE uint8_t ror(uint32_t value) {
    const uint8_t in = c;
    c = value & 1;
    return shifted(value >> 1 | in << 7);
  }
  POOLKIT_INLINE uint8_t inc(uint32_t value) { return shifted(value + 1); }
  POOLKIT_INLINE uint8_t dec(uint32_t value) { return shifted(value - 1); }
  POOLKIT_INLINE uint8_t shifted(uint32_t value) {
    set_nz(value & 0xff);
    return static_cast<uint8_t>(value);
  }

  POOLKIT_INLINE void branch(bool taken) {
    if (!taken) return;
    const uint16_t from = pc();
    const uint16_t target = static_cast<uint16_t>(from + static_cast<int8_t>(self->low));
    cycles += (from ^ target) & 0xff00 ? 2 : 1;
    next = go(machine, target);
  }
  // To where decoding has found the target.
  POOLKIT_INLINE void leap(bool taken = true) {
    if (!taken) return;
    cycles += self->leap_cycles;
    next += self->leap;
  }

  POOLKIT_INLINE bool can_call() const { return sp >= 0x81 && can_jump(); }
  POOLKIT_INLINE bool can_return() const { return sp >= 0x7f && sp <= 0xfd && can_jump(); }
  POOLKIT_INLINE bool can_pull() const { return sp >= 0x7f && sp <= 0xfe; }
  POOLKIT_INLINE Anywhere top() const { return {static_cast<uint16_t>(0x100 | sp), 0}; }
  POOLKIT_INLINE void push(uint32_t value, bool after_read = true) {
    if (kPlain) {
      machine.riot.ram[sp & 0x7f] = static_cast<uint8_t>(value);
    } else {
      write(top(), static_cast<uint8_t>(value), after_read);
    }
    --sp;
  }
  // The top is read in vain while the stack pointer moves: that byte is then the noise.
  POOLKIT_INLINE uint8_t before_pull(uint8_t noise) {
    return kPlain ? noise : read(Anywhere{top().at, noise});
  }
  POOLKIT_INLINE uint8_t pull(uint8_t noise) {
    ++sp;
    if (kPlain) return machine.riot.ram[sp & 0x7f];
    return read(Anywhere{static_cast<uint16_t>(0x100 | sp), noise});
  }
  POOLKIT_INLINE void push_pc(uint16_t address) {
    push(address >> 8);
    push(address & 0xff, false);
  }
  POOLKIT_INLINE uint16_t pull_pc(uint8_t noise) {
    const uint8_t low = pull(noise);
    return static_cast<uint16_t>(low | pull(low) << 8);
  }
  POOLKIT_INLINE uint16_t read_vector(uint16_t address) {
    const uint8_t low = read(Anywhere{address, 0});
    return static_cast<uint16_t>(low | read(Anywhere{static_cast<uint16_t>(address + 1), low})
                                           << 8);
  }

  POOLKIT_INLINE void jump_to_subroutine() {
    push_pc(static_cast<uint16_t>(pc() - 1));
    jump(operand());
  }
  POOLKIT_INLINE void return_from_subroutine() { jump((pull_pc(before_pull(0x60)) + 1) & 0xffff); }
  POOLKIT_INLINE void return_from_interrupt() {
    const uint8_t flags = pull(before_pull(0x40));
    set_status(flags);
    jump(pull_pc(flags));
  }
  POOLKIT_INLINE void break_() {
    push_pc(pc());
    push(status(), false);
    i = 1;
    jump(read_vector(0xfffe));
  }
  // The pointer's upper byte is read from the same page.
  POOLKIT_INLINE void jump_indirect() {
    const Anywhere at = absolute();
    const uint8_t low = read(at);
    const uint16_t after = static_cast<uint16_t>((at.at & 0xff00) | ((at.at + 1) & 0xff));
    jump(low | read(Anywhere{after, low}) << 8);
  }
  POOLKIT_INLINE void jam() {
    machine.cpu.jammed = 1;
    no_more();
  }

  // Undocumented operations

  POOLKIT_INLINE void and_with_carry(uint8_t value) {
    and_(value);
    c = a >> 7 & 1;
  }
  POOLKIT_INLINE void and_rotate(uint8_t value) {
    a = ror(a & value);
    c = a >> 6 & 1;
    v = (a >> 6 ^ a >> 5) & 1;
  }
  POOLKIT_INLINE void subtract_from_both(uint8_t value) {
    const uint32_t both = a & x;
    compare(both, value);
    x = (both - value) & 0xff;
  }
  POOLKIT_INLINE uint8_t with_high(Anywhere address, uint32_t value) const {
    return value & static_cast<uint8_t>((address.at >> 8) + 1);
  }

  // What each instruction does, by opcode.
#define READ(code, bytes, cycles, mode, what) \
  POOLKIT_INLINE void do_##code([[maybe_unused]] uint8_t value) { what; }
#define ADD(code, bytes, cycles, mode, what) \
  POOLKIT_INLINE void do_##code(uint8_t value) { what; }
#define WRITE(code, bytes, cycles, mode, what)                         \
  POOLKIT_INLINE uint8_t value_##code([[maybe_unused]] auto address) { \
    return static_cast<uint8_t>(what);                                 \
  }
#define MODIFY(code, bytes, cycles, mode, change, what)                  \
  POOLKIT_INLINE uint8_t change_##code(uint8_t value) { return change; } \
  POOLKIT_INLINE void do_##code([[maybe_unused]] uint8_t value) { what; }
#define PUSH(code, bytes, cycles, what) \
  POOLKIT_INLINE uint8_t value_##code() { return static_cast<uint8_t>(what); }
#define CALL(code, bytes, cycles, test, what) \
  POOLKIT_INLINE void do_##code() { what; }
#define BRANCH(code, bytes, cycles, taken) \
  POOLKIT_INLINE bool taken_##code() const { return taken; }
#define ALONE(code, bytes, cycles, what) \
  POOLKIT_INLINE void do_##code() { what; }
#include "opcodes.inc"

  Machine& machine;
  const Instruction* next;
  int64_t clock;
  uint32_t a, x, y;
  const Instruction* self = nullptr;
  int32_t cycles = 0;
  uint8_t& sp = machine.cpu.sp;
  uint16_t& nz = machine.cpu.nz;
  uint8_t& v = machine.cpu.overflow;
  uint8_t& d = machine.cpu.decimal;
  uint8_t& i = machine.cpu.interrupt;
  uint8_t& c = machine.cpu.carry;
};

}  // namespace poolkit::atari
