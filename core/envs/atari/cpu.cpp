// The 6507's interpreter: one function with all registers in locals, one jump an instruction.
#include "cpu.h"

namespace poolkit::atari {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define POOLKIT_INLINE inline  // checked code is large enough as it is
#define POOLKIT_INLINED
#else
#define POOLKIT_INLINE __attribute__((always_inline)) inline
#define POOLKIT_INLINED __attribute__((always_inline))  // of a lambda
#endif

// An address in page 0, or anywhere. `noise` is the last byte on the bus when it is read: what the
// TIA's undriven bits show.
struct ZeroPage {
  uint8_t at;
  uint8_t noise;
};
struct Anywhere {
  uint16_t at;
  uint8_t noise;
};

enum PageCrossing { kFree, kCrossing };  // whether indexing across a page costs a cycle

constexpr uint8_t from_decimal(uint8_t value) {
  return static_cast<uint8_t>((value >> 4) * 10 + (value & 0x0f));
}
constexpr uint8_t to_decimal(int value) {
  return static_cast<uint8_t>((value % 100 / 10) << 4 | value % 10);
}

// What no program does often enough to have it in the interpreter's code.
#define POOLKIT_APART __attribute__((noinline))

POOLKIT_APART uint8_t read_chip(Machine& machine, Anywhere address, int32_t cycle) {
  if (address.at & 0x080) return machine.riot.read(address.at, cycle, machine.inputs);
  return machine.tia.read(address.at, address.noise, cycle, machine.inputs);
}

struct Written {
  int32_t cycle;
  bool frame_over;
};

// WSYNC halts the processor until the line ends, but only in the place of a read.
POOLKIT_APART Written write_chip(Machine& machine, uint16_t address, uint8_t value, int32_t cycle,
                                 bool after_read) {
  if (address & 0x080) {
    machine.riot.write(address, value, cycle);
    return {cycle, false};
  }
  const uint8_t reg = address & 0x3f;
  const bool over = machine.tia.write(reg, value, cycle);
  if (reg == WSYNC && after_read) {
    const int32_t in_line = cycle % kCyclesPerLine;
    if (in_line != 0) cycle += kCyclesPerLine - in_line;
  }
  return {cycle, over};
}

struct Sum {
  uint8_t value;
  uint8_t carry;
};

POOLKIT_APART Sum add_decimal(uint8_t a, uint8_t value, uint8_t carry) {
  const int sum = from_decimal(a) + from_decimal(value) + carry;
  return {to_decimal(sum & 0xff), sum > 99};
}

POOLKIT_APART Sum subtract_decimal(uint8_t a, uint8_t value, uint8_t carry) {
  const int difference = from_decimal(a) - from_decimal(value) - (1 - carry);
  return {to_decimal((difference < 0 ? difference + 100 : difference) & 0xff),
          a >= value + (1 - carry)};
}

// The names a, x, y, sp, pc and the flags v, d, i, c are the processor's. nz is the last result: N
// is its bit 7, or 15 where N and Z do not go together; Z is set if its lower byte is 0.
template <Touch kTouch>
struct Core {
  POOLKIT_INLINE explicit Core(Machine& m, int instructions)
      : machine(m), first_special(m.cartridge.first_special()), t(m.cycle), left(instructions) {
    const CpuState& s = m.cpu;
    a = s.a;
    x = s.x;
    y = s.y;
    sp = s.sp;
    set_status(s.status);
    jump(s.pc);
    if (s.jammed) left = 0;
  }

  POOLKIT_INLINE void store() {
    CpuState& s = machine.cpu;
    s.pc = static_cast<uint16_t>(pc);
    s.a = a;
    s.x = x;
    s.y = y;
    s.sp = sp;
    s.status = status();
    machine.cycle = t;
  }

  // The bus

  POOLKIT_INLINE uint8_t fetch() {
    const uint32_t at = pc++ & code_mask;
    if constexpr (kTouch != Touch::kNothing) {
      if (at >= first_special) [[unlikely]]
        return touch_cartridge(static_cast<uint16_t>(pc - 1));
    }
    return code[at];
  }

  POOLKIT_INLINE uint8_t touch_cartridge(uint16_t address) {
    const uint8_t value = machine.cartridge.read(address, t);
    jump(static_cast<uint16_t>(pc));
    return value;
  }

  POOLKIT_INLINE uint8_t read(ZeroPage address) {
    if (address.at & 0x80) [[likely]]
      return machine.riot.ram[address.at & 0x7f];
    return read_chip(machine, {address.at, address.noise}, t);
  }

  POOLKIT_INLINE uint8_t read(Anywhere address) {
    if (address.at & 0x1000) [[likely]] {
      if constexpr (kTouch == Touch::kHotSpots) {
        if ((address.at & 0xfffu) >= first_special) [[unlikely]]
          return touch_cartridge(address.at);
      } else if constexpr (kTouch == Touch::kEverything) {
        return touch_cartridge(address.at);
      }
      return window[address.at & 0xfff];
    }
    if ((address.at & 0x280) == 0x080) return machine.riot.ram[address.at & 0x7f];
    return read_chip(machine, address, t);
  }

  POOLKIT_INLINE void write(ZeroPage address, uint8_t value) {
    if (address.at & 0x80) [[likely]] {
      machine.riot.ram[address.at & 0x7f] = value;
    } else {
      written(write_chip(machine, address.at, value, t, true));
    }
  }

  POOLKIT_INLINE void write(Anywhere address, uint8_t value, bool after_read = true) {
    if (address.at & 0x1000) [[unlikely]] {
      if constexpr (kTouch != Touch::kNothing) {
        machine.cartridge.write(address.at, value);
        jump(static_cast<uint16_t>(pc));
      }
    } else if ((address.at & 0x280) == 0x080) {
      machine.riot.ram[address.at & 0x7f] = value;
    } else {
      written(write_chip(machine, address.at, value, t, after_read));
    }
  }

  POOLKIT_INLINE void written(Written result) {
    t = result.cycle;
    if (result.frame_over) [[unlikely]] {
      over = true;
      left = 0;
    }
  }

  // Where the program goes on. Only RAM and the cartridge hold programs.
  POOLKIT_INLINE void jump(uint16_t target) {
    static constexpr uint8_t kNothing[1] = {0};
    pc = target;
    if constexpr (kTouch == Touch::kEverything) machine.cartridge.enter(target);
    window = machine.cartridge.window();
    if (target & 0x1000) {
      code = window;
      code_mask = 0xfff;
    } else if ((target & 0x280) == 0x080) {
      code = machine.riot.ram.data();
      code_mask = 0x7f;
    } else {
      code = kNothing;
      code_mask = 0;
    }
  }

  // Addressing modes

  POOLKIT_INLINE uint8_t immediate() { return fetch(); }
  POOLKIT_INLINE ZeroPage zero_page() {
    const uint8_t at = fetch();
    return {at, at};
  }
  POOLKIT_INLINE ZeroPage zero_page_indexed(uint8_t index) {
    const uint8_t base = fetch();
    return {static_cast<uint8_t>(base + index), base};
  }
  POOLKIT_INLINE ZeroPage zero_page_x() { return zero_page_indexed(x); }
  POOLKIT_INLINE ZeroPage zero_page_y() { return zero_page_indexed(y); }
  POOLKIT_INLINE Anywhere absolute() {
    const uint8_t low = fetch();
    const uint8_t high = fetch();
    return {static_cast<uint16_t>(low | high << 8), high};
  }
  POOLKIT_INLINE Anywhere indexed(Anywhere base, uint8_t index, PageCrossing crossing) {
    const uint16_t at = static_cast<uint16_t>(base.at + index);
    if (crossing == kCrossing && ((at ^ base.at) & 0xff00)) ++t;
    return {at, base.noise};
  }
  POOLKIT_INLINE Anywhere absolute_indexed(uint8_t index, PageCrossing crossing = kFree) {
    return indexed(absolute(), index, crossing);
  }
  // A pointer at 0xff has its upper byte at 0x100, not at 0.
  POOLKIT_INLINE Anywhere pointer(ZeroPage at) {
    const uint8_t low = read(at);
    const uint8_t high = read(Anywhere{static_cast<uint16_t>(at.at + 1), low});
    return {static_cast<uint16_t>(low | high << 8), high};
  }
  POOLKIT_INLINE Anywhere indirect_x() { return pointer(zero_page_x()); }
  POOLKIT_INLINE Anywhere indirect_y(PageCrossing crossing = kFree) {
    return indexed(pointer(zero_page()), y, crossing);
  }

  // Flags

  POOLKIT_INLINE void set_nz(uint8_t value) { nz = value; }
  POOLKIT_INLINE bool negative() const { return nz & 0x8080; }
  POOLKIT_INLINE bool zero() const { return (nz & 0xff) == 0; }
  POOLKIT_INLINE uint8_t status() const {
    return static_cast<uint8_t>((negative() ? 0x80 : 0) | (v ? 0x40 : 0) | 0x30 | (d ? 8 : 0) |
                                (i ? 4 : 0) | (zero() ? 2 : 0) | (c ? 1 : 0));
  }
  POOLKIT_INLINE void set_status(uint8_t value) {
    nz = (value & 0x80) << 8 | (value & 2 ? 0 : 1);
    v = value & 0x40 ? 1 : 0;
    d = value & 8 ? 1 : 0;
    i = value & 4 ? 1 : 0;
    c = value & 1;
  }

  // Operations

  POOLKIT_INLINE void load(uint8_t& target, uint8_t value) { set_nz(target = value); }
  POOLKIT_INLINE void ora(uint8_t value) { set_nz(a |= value); }
  POOLKIT_INLINE void and_(uint8_t value) { set_nz(a &= value); }
  POOLKIT_INLINE void eor(uint8_t value) { set_nz(a ^= value); }
  POOLKIT_INLINE void compare(uint8_t with, uint8_t value) {
    c = with >= value;
    set_nz(static_cast<uint8_t>(with - value));
  }
  POOLKIT_INLINE void cmp_a(uint8_t value) { compare(a, value); }
  POOLKIT_INLINE void bit_test(uint8_t value) {
    nz = (value & 0x80) << 8 | (a & value);
    v = value >> 6 & 1;
  }

  POOLKIT_INLINE void adc(uint8_t value) {
    const uint8_t before = a;
    if (d) [[unlikely]] {
      const Sum sum = add_decimal(a, value, c);
      c = sum.carry;
      a = sum.value;
    } else {
      const int sum = a + value + c;
      c = sum > 0xff;
      a = static_cast<uint8_t>(sum);
    }
    v = ((before ^ a) & (a ^ value)) >> 7 & 1;
    set_nz(a);
  }

  POOLKIT_INLINE void sbc(uint8_t value) {
    const uint8_t before = a;
    if (d) [[unlikely]] {
      const Sum difference = subtract_decimal(a, value, c);
      c = difference.carry;
      a = difference.value;
      v = ((before ^ a) & (a ^ value)) >> 7 & 1;
    } else {
      const int difference = a - value - (c ? 0 : 1);
      c = difference >= 0;
      a = static_cast<uint8_t>(difference);
      v = ((before ^ value) & (before ^ a)) >> 7 & 1;
    }
    set_nz(a);
  }

  POOLKIT_INLINE uint8_t asl(uint8_t value) {
    c = value >> 7;
    return shifted(static_cast<uint8_t>(value << 1));
  }
  POOLKIT_INLINE uint8_t lsr(uint8_t value) {
    c = value & 1;
    return shifted(value >> 1);
  }
  POOLKIT_INLINE uint8_t rol(uint8_t value) {
    const uint8_t in = c;
    c = value >> 7;
    return shifted(static_cast<uint8_t>(value << 1 | in));
  }
  POOLKIT_INLINE uint8_t ror(uint8_t value) {
    const uint8_t in = c;
    c = value & 1;
    return shifted(static_cast<uint8_t>(value >> 1 | in << 7));
  }
  POOLKIT_INLINE uint8_t shifted(uint8_t value) {
    set_nz(value);
    return value;
  }

  // Read, change, write once.
  template <typename Address, typename Change>
  POOLKIT_INLINE uint8_t modify(Address address, Change change) {
    const uint8_t value = change(read(address));
    write(address, value);
    return value;
  }
  template <typename Address>
  POOLKIT_INLINE uint8_t asl_at(Address at) {
    return modify(at, [this](uint8_t value) POOLKIT_INLINED { return asl(value); });
  }
  template <typename Address>
  POOLKIT_INLINE uint8_t lsr_at(Address at) {
    return modify(at, [this](uint8_t value) POOLKIT_INLINED { return lsr(value); });
  }
  template <typename Address>
  POOLKIT_INLINE uint8_t rol_at(Address at) {
    return modify(at, [this](uint8_t value) POOLKIT_INLINED { return rol(value); });
  }
  template <typename Address>
  POOLKIT_INLINE uint8_t ror_at(Address at) {
    return modify(at, [this](uint8_t value) POOLKIT_INLINED { return ror(value); });
  }
  template <typename Address>
  POOLKIT_INLINE uint8_t inc_at(Address at) {
    return modify(at, [this](uint8_t value)
                          POOLKIT_INLINED { return shifted(static_cast<uint8_t>(value + 1)); });
  }
  template <typename Address>
  POOLKIT_INLINE uint8_t dec_at(Address at) {
    return modify(at, [this](uint8_t value)
                          POOLKIT_INLINED { return shifted(static_cast<uint8_t>(value - 1)); });
  }

  POOLKIT_INLINE void branch(bool taken) {
    const int8_t offset = static_cast<int8_t>(fetch());
    if (!taken) return;
    const uint32_t target = (pc + offset) & 0xffff;
    t += (pc ^ target) & 0xff00 ? 2 : 1;
    pc = target;
  }

  POOLKIT_INLINE void push(uint8_t value, bool after_read = true) {
    write(Anywhere{static_cast<uint16_t>(0x100 | sp), 0}, value, after_read);
    --sp;
  }
  POOLKIT_INLINE uint8_t pull(uint8_t noise) {
    ++sp;
    return read(Anywhere{static_cast<uint16_t>(0x100 | sp), noise});
  }
  POOLKIT_INLINE void push_pc() {
    push(pc >> 8 & 0xff);
    push(pc & 0xff, false);
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
    const uint8_t low = fetch();
    push_pc();
    jump(static_cast<uint16_t>(low | fetch() << 8));
  }
  POOLKIT_INLINE void return_from_subroutine() { jump(static_cast<uint16_t>(pull_pc(0x60) + 1)); }
  POOLKIT_INLINE void return_from_interrupt() {
    const uint8_t flags = pull(0x40);
    set_status(flags);
    jump(pull_pc(flags));
  }
  POOLKIT_INLINE void break_() {
    fetch();
    push_pc();
    push(status(), false);
    i = 1;
    jump(read_vector(0xfffe));
  }
  // The pointer's upper byte is read from the same page.
  POOLKIT_INLINE void jump_indirect() {
    const Anywhere at = absolute();
    const uint8_t low = read(at);
    const uint16_t next = static_cast<uint16_t>((at.at & 0xff00) | ((at.at + 1) & 0xff));
    jump(static_cast<uint16_t>(low | read(Anywhere{next, low}) << 8));
  }
  POOLKIT_INLINE void jam() {
    machine.cpu.jammed = 1;
    left = 0;
  }

  // Undocumented operations

  POOLKIT_INLINE void and_with_carry(uint8_t value) {
    and_(value);
    c = a >> 7;
  }
  POOLKIT_INLINE void and_rotate(uint8_t value) {
    a = ror(a & value);
    c = a >> 6 & 1;
    v = (a >> 6 ^ a >> 5) & 1;
  }
  POOLKIT_INLINE void subtract_from_both(uint8_t value) {
    const uint8_t both = a & x;
    compare(both, value);
    x = static_cast<uint8_t>(both - value);
  }
  POOLKIT_INLINE void write_with_high(Anywhere address, uint8_t value) {
    write(address, value & static_cast<uint8_t>((address.at >> 8) + 1));
  }

  // Programs wait in a loop of two instructions for the timer to reach 0: LDA INTIM, BNE. Its turns
  // are counted, not run.
  POOLKIT_INLINE uint8_t read_or_wait(Anywhere address) {
    const uint8_t value = read(address);
    if ((address.at & 0x1285) == 0x0284 && value != 0) [[unlikely]]
      return waited(value);
    return value;
  }
  POOLKIT_INLINE uint8_t waited(uint8_t value) {
    if (code[pc & code_mask] != 0xd0 || code[(pc + 1) & code_mask] != 0xfb) return value;
    const int32_t wait = machine.riot.zero_at() - t;
    const int32_t turn = ((pc + 2) ^ (pc - 3)) & 0xff00 ? 8 : 7;
    const int32_t turns = (wait + turn - 1) / turn;
    if (wait <= 0 || 2 * turns > left) return value;
    t += turn * turns;
    left -= 2 * turns;
    return 0;
  }

#define OP(code, cycles, what)      \
  POOLKIT_INLINE void op_##code() { \
    t += cycles;                    \
    what;                           \
  }
#include "opcodes.inc"
#undef OP

  Machine& machine;
  const uint8_t* window = nullptr;  // of the cartridge
  const uint8_t* code = nullptr;    // what pc reads, through code_mask
  uint32_t code_mask = 0;
  bool over = false;
  const uint32_t first_special;  // address in the cartridge
  uint32_t pc = 0;
  int32_t t;     // cycle
  int32_t left;  // instructions
  uint32_t nz;
  uint8_t a, x, y, sp, v, d, i, c;
};

// Runs until the frame is over or no instruction is left. Every operation ends in a jump of its
// own to the next, which is easier to predict than one for all.
template <Touch kTouch>
bool run(Machine& machine, int instructions) {
#define OP(code, cycles, what) &&operation_##code,
  static const void* const kOperations[256] = {
#include "opcodes.inc"
  };
#undef OP
  Core<kTouch> core(machine, instructions);

#define NEXT                      \
  if (--core.left < 0) goto done; \
  goto* kOperations[core.fetch()];
#define OP(code, cycles, what)         \
  operation_##code : core.op_##code(); \
  NEXT
  NEXT
#include "opcodes.inc"
#undef OP
#undef NEXT

      done : core.store();
  return core.over;
}

}  // namespace

void reset_cpu(Machine& machine) {
  machine.cpu = CpuState();
  const uint8_t low = machine.cartridge.read(0xfffc, 0);
  machine.cpu.pc = static_cast<uint16_t>(low | machine.cartridge.read(0xfffd, 0) << 8);
}

bool run_cpu(Machine& machine, int instructions) {
  switch (machine.cartridge.touch_sensitive()) {
    case Touch::kNothing:
      return run<Touch::kNothing>(machine, instructions);
    case Touch::kHotSpots:
      return run<Touch::kHotSpots>(machine, instructions);
    default:
      return run<Touch::kEverything>(machine, instructions);
  }
}

}  // namespace poolkit::atari
