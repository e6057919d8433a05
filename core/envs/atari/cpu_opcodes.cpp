// The functions of all opcodes.
#include <map>

#include "cpu_operation.h"

namespace poolkit::atari {
namespace {

// Of each instruction there are functions for growing parts of the bus, so that what happens most
// makes no calls. Plain_XX reaches memory only, and leaves what else may happen to any_XX; writes
// to the TIA that change nothing are sorted out in between.

#define POOLKIT_ANY(code, bytes, cycles)                 \
  POOLKIT_SELDOM void any_##code(POOLKIT_STATE) {        \
    Core<kAnything> core(machine, next, clock, a, x, y); \
    core.begin(bytes, cycles);
#define POOLKIT_PROCEED  \
  return core.proceed(); \
  }
#define POOLKIT_OPERATION(name, reach, bytes, cycles, other) \
  struct name : Operation<reach, bytes, cycles, other> {     \
    static POOLKIT_INLINE bool run(Core<reach>& core) {
#define POOLKIT_END \
  return true;      \
  }                 \
  }                 \
  ;
#define POOLKIT_PLAIN(code, bytes, cycles, other) \
  POOLKIT_OPERATION(Plain_##code, kMemory, bytes, cycles, other)
#define POOLKIT_IDLE(code, bytes, cycles) \
  POOLKIT_OPERATION(Idle_##code, kIdleChips, bytes, cycles, any_##code)
#define POOLKIT_NOT_HERE_UNLESS(condition) \
  if (!(condition)) [[unlikely]]           \
    return false;

#define POOLKIT_READ(code, bytes, cycles, mode, condition)    \
  POOLKIT_ANY(code, bytes, cycles)                            \
  const uint8_t value = core.read(core.mode());               \
  core.do_##code(value);                                      \
  POOLKIT_PROCEED                                             \
  constexpr Handle* bus_##code = any_##code;                  \
  POOLKIT_PLAIN(code, bytes, cycles, any_##code)              \
  const auto address = core.mode();                           \
  POOLKIT_NOT_HERE_UNLESS(core.at_hand(address) && condition) \
  core.do_##code(core.peek(address));                         \
  POOLKIT_END
#define READ(code, bytes, cycles, mode, what) POOLKIT_READ(code, bytes, cycles, mode, true)
#define LOOKUP(code, bytes, cycles, mode, what)                      \
  READ(code, bytes, cycles, mode, what)                              \
  POOLKIT_OPERATION(Table_##code, kTable, bytes, cycles, any_##code) \
  core.do_##code(core.peek(core.mode()));                            \
  POOLKIT_END
#define ADD(code, bytes, cycles, mode, what) POOLKIT_READ(code, bytes, cycles, mode, !core.d)
#define WRITE(code, bytes, cycles, mode, what)            \
  POOLKIT_ANY(code, bytes, cycles)                        \
  const auto address = core.mode();                       \
  core.write(address, core.value_##code(address));        \
  POOLKIT_PROCEED                                         \
  POOLKIT_IDLE(code, bytes, cycles)                       \
  const auto address = core.mode();                       \
  const uint8_t value = core.value_##code(address);       \
  POOLKIT_NOT_HERE_UNLESS(core.idle(address, value))      \
  POOLKIT_END                                             \
  constexpr Handle* bus_##code = handle<Idle_##code>;     \
  POOLKIT_PLAIN(code, bytes, cycles, handle<Idle_##code>) \
  const auto address = core.mode();                       \
  POOLKIT_NOT_HERE_UNLESS(core.in_ram(address))           \
  core.poke(address, core.value_##code(address));         \
  POOLKIT_END
#define MODIFY(code, bytes, cycles, mode, change, what)         \
  POOLKIT_ANY(code, bytes, cycles)                              \
  const auto address = core.mode();                             \
  const uint8_t value = core.change_##code(core.read(address)); \
  core.write(address, value);                                   \
  core.do_##code(value);                                        \
  POOLKIT_PROCEED                                               \
  constexpr Handle* bus_##code = any_##code;                    \
  POOLKIT_PLAIN(code, bytes, cycles, any_##code)                \
  const auto address = core.mode();                             \
  POOLKIT_NOT_HERE_UNLESS(core.in_ram(address))                 \
  const uint8_t value = core.change_##code(core.peek(address)); \
  core.poke(address, value);                                    \
  core.do_##code(value);                                        \
  POOLKIT_END
#define PUSH(code, bytes, cycles, what)                               \
  POOLKIT_ANY(code, bytes, cycles)                                    \
  core.push(core.value_##code());                                     \
  POOLKIT_PROCEED                                                     \
  POOLKIT_IDLE(code, bytes, cycles)                                   \
  POOLKIT_NOT_HERE_UNLESS(core.idle(core.top(), core.value_##code())) \
  --core.sp;                                                          \
  POOLKIT_END                                                         \
  constexpr Handle* bus_##code = handle<Idle_##code>;                 \
  POOLKIT_PLAIN(code, bytes, cycles, handle<Idle_##code>)             \
  POOLKIT_NOT_HERE_UNLESS(core.in_ram(core.top()))                    \
  core.push(core.value_##code());                                     \
  POOLKIT_END
#define CALL(code, bytes, cycles, test, what)    \
  POOLKIT_ANY(code, bytes, cycles)               \
  core.do_##code();                              \
  POOLKIT_PROCEED                                \
  constexpr Handle* bus_##code = any_##code;     \
  POOLKIT_PLAIN(code, bytes, cycles, any_##code) \
  POOLKIT_NOT_HERE_UNLESS(core.test)             \
  core.do_##code();                              \
  POOLKIT_END
#define BRANCH(code, bytes, cycles, taken)       \
  POOLKIT_ANY(code, bytes, cycles)               \
  core.branch(core.taken_##code());              \
  POOLKIT_PROCEED                                \
  constexpr Handle* bus_##code = any_##code;     \
  POOLKIT_PLAIN(code, bytes, cycles, any_##code) \
  core.leap(core.taken_##code());                \
  POOLKIT_END
#define ALONE(code, bytes, cycles, what)                             \
  POOLKIT_OPERATION(Plain_##code, kAnything, bytes, cycles, nullptr) \
  core.do_##code();                                                  \
  POOLKIT_END                                                        \
  constexpr Handle* bus_##code = handle<Plain_##code>;
#include "opcodes.inc"

template <uint8_t kRegister>
using Sta = Store<kRegister, kFromA>;
template <uint8_t kRegister>
using Stx = Store<kRegister, kFromX>;
template <uint8_t kRegister>
using Sty = Store<kRegister, kFromY>;

struct Sequence {
  Handles alone;
  Handle* together;
};
template <class... Operations>
constexpr Sequence kSequence{{handle<Operations>...}, handle<Operations...>};

constexpr Sequence kSequences[] = {
#define SEQUENCE(...) kSequence<__VA_ARGS__>,
#include "sequences.inc"
};

}  // namespace

Handle* sequence_of(const Handles& alone) {
  static const auto kTogether = [] {
    std::map<Handles, Handle*> together;
    for (const Sequence& sequence : kSequences) together[sequence.alone] = sequence.together;
    return together;
  }();
  const auto found = kTogether.find(alone);
  return found == kTogether.end() ? nullptr : found->second;
}

Handle* const Handlers::kAll[] = {
#define OP(code, bytes) handle<Plain_##code>,
#include "opcodes.inc"
#define OP(code, bytes) bus_##code,
#include "opcodes.inc"
#define OP(code, bytes) handle<Plain_##code>,
#define LOOKUP(code, ...) handle<Table_##code>,
#include "opcodes.inc"
    fetch_first,    wait_first,     leap,
#define STORES_4(source, reg)                                                         \
  handle<Store<registered(reg), source>>, handle<Store<registered(reg + 1), source>>, \
      handle<Store<registered(reg + 2), source>>, handle<Store<registered(reg + 3), source>>
#define STORES_16(source, reg)                                                 \
  STORES_4(source, reg), STORES_4(source, reg + 4), STORES_4(source, reg + 8), \
      STORES_4(source, reg + 12)
#define STORES(source) \
  STORES_16(source, 0), STORES_16(source, 16), STORES_16(source, 32), STORES_16(source, 48)
    STORES(kFromY), STORES(kFromA), STORES(kFromX),
};

}  // namespace poolkit::atari
