// The functions of all opcodes.
#include "cpu_core.h"

namespace poolkit::atari {
namespace {

// Of each instruction there are functions for growing parts of the bus, so that what happens most
// makes no calls and saves no registers. plain_XX reaches memory only, and leaves what else may
// happen to any_XX; writes to the TIA that change nothing are sorted out in between.

#define POOLKIT_BEGIN(reach, bytes, cycles)        \
  Core<reach> core(machine, next, clock, a, x, y); \
  core.begin(bytes, cycles);
#define POOLKIT_PLAIN(code, bytes, cycles) \
  void plain_##code(POOLKIT_STATE) {       \
    POOLKIT_BEGIN(kMemory, bytes, cycles)
#define POOLKIT_ANY(code, bytes, cycles)          \
  POOLKIT_SELDOM void any_##code(POOLKIT_STATE) { \
    POOLKIT_BEGIN(kAnything, bytes, cycles)
#define POOLKIT_LEAVE_UNLESS(condition, function) \
  if (!(condition)) [[unlikely]]                  \
    return function(machine, next, clock, a, x, y);
#define POOLKIT_PROCEED  \
  return core.proceed(); \
  }

#define POOLKIT_READ(code, bytes, cycles, mode, condition)             \
  POOLKIT_ANY(code, bytes, cycles)                                     \
  const uint8_t value = core.read(core.mode());                        \
  core.do_##code(value);                                               \
  POOLKIT_PROCEED                                                      \
  constexpr Handle* bus_##code = any_##code;                           \
  POOLKIT_PLAIN(code, bytes, cycles)                                   \
  const auto address = core.mode();                                    \
  POOLKIT_LEAVE_UNLESS(core.at_hand(address) && condition, any_##code) \
  core.do_##code(core.peek(address));                                  \
  POOLKIT_PROCEED
#define READ(code, bytes, cycles, mode, what) POOLKIT_READ(code, bytes, cycles, mode, true)
#define LOOKUP(code, bytes, cycles, mode, what) \
  READ(code, bytes, cycles, mode, what)         \
  void table_##code(POOLKIT_STATE) {            \
    POOLKIT_BEGIN(kTable, bytes, cycles)        \
    core.do_##code(core.peek(core.mode()));     \
    POOLKIT_PROCEED
#define ADD(code, bytes, cycles, mode, what) POOLKIT_READ(code, bytes, cycles, mode, !core.d)
#define WRITE(code, bytes, cycles, mode, what)                  \
  POOLKIT_ANY(code, bytes, cycles)                              \
  const auto address = core.mode();                             \
  core.write(address, core.value_##code(address));              \
  POOLKIT_PROCEED                                               \
  void idle_##code(POOLKIT_STATE) {                             \
    POOLKIT_BEGIN(kIdleChips, bytes, cycles)                    \
    const auto address = core.mode();                           \
    const uint8_t value = core.value_##code(address);           \
    POOLKIT_LEAVE_UNLESS(core.idle(address, value), any_##code) \
    POOLKIT_PROCEED                                             \
    constexpr Handle* bus_##code = idle_##code;                 \
    POOLKIT_PLAIN(code, bytes, cycles)                          \
    const auto address = core.mode();                           \
    POOLKIT_LEAVE_UNLESS(core.in_ram(address), idle_##code)     \
    core.poke(address, core.value_##code(address));             \
    POOLKIT_PROCEED
#define MODIFY(code, bytes, cycles, mode, change, what)         \
  POOLKIT_ANY(code, bytes, cycles)                              \
  const auto address = core.mode();                             \
  const uint8_t value = core.change_##code(core.read(address)); \
  core.write(address, value);                                   \
  core.do_##code(value);                                        \
  POOLKIT_PROCEED                                               \
  constexpr Handle* bus_##code = any_##code;                    \
  POOLKIT_PLAIN(code, bytes, cycles)                            \
  const auto address = core.mode();                             \
  POOLKIT_LEAVE_UNLESS(core.in_ram(address), any_##code)        \
  const uint8_t value = core.change_##code(core.peek(address)); \
  core.poke(address, value);                                    \
  core.do_##code(value);                                        \
  POOLKIT_PROCEED
#define PUSH(code, bytes, cycles, what)                                          \
  POOLKIT_ANY(code, bytes, cycles)                                               \
  core.push(core.value_##code());                                                \
  POOLKIT_PROCEED                                                                \
  void idle_##code(POOLKIT_STATE) {                                              \
    POOLKIT_BEGIN(kIdleChips, bytes, cycles)                                     \
    POOLKIT_LEAVE_UNLESS(core.idle(core.top(), core.value_##code()), any_##code) \
    --core.sp;                                                                   \
    POOLKIT_PROCEED                                                              \
    constexpr Handle* bus_##code = idle_##code;                                  \
    POOLKIT_PLAIN(code, bytes, cycles)                                           \
    POOLKIT_LEAVE_UNLESS(core.in_ram(core.top()), idle_##code)                   \
    core.push(core.value_##code());                                              \
    POOLKIT_PROCEED
#define CALL(code, bytes, cycles, test, what) \
  POOLKIT_ANY(code, bytes, cycles)            \
  core.do_##code();                           \
  POOLKIT_PROCEED                             \
  constexpr Handle* bus_##code = any_##code;  \
  POOLKIT_PLAIN(code, bytes, cycles)          \
  POOLKIT_LEAVE_UNLESS(core.test, any_##code) \
  core.do_##code();                           \
  POOLKIT_PROCEED
#define BRANCH(code, bytes, cycles, taken)   \
  POOLKIT_ANY(code, bytes, cycles)           \
  core.branch(core.taken_##code());          \
  POOLKIT_PROCEED                            \
  constexpr Handle* bus_##code = any_##code; \
  POOLKIT_PLAIN(code, bytes, cycles)         \
  core.leap(core.taken_##code());            \
  POOLKIT_PROCEED
#define ALONE(code, bytes, cycles, what)    \
  void plain_##code(POOLKIT_STATE) {        \
    POOLKIT_BEGIN(kAnything, bytes, cycles) \
    core.do_##code();                       \
    POOLKIT_PROCEED                         \
    constexpr Handle* bus_##code = plain_##code;
#include "opcodes.inc"

}  // namespace

Handle* const Handlers::kAll[] = {
#define OP(code, bytes) plain_##code,
#include "opcodes.inc"
#define OP(code, bytes) bus_##code,
#include "opcodes.inc"
#define OP(code, bytes) plain_##code,
#define LOOKUP(code, ...) table_##code,
#include "opcodes.inc"
    fetch_first,    wait_first,     leap,
#define STORES_4(source, reg)                                         \
  store<registered(reg), source>, store<registered(reg + 1), source>, \
      store<registered(reg + 2), source>, store<registered(reg + 3), source>
#define STORES_16(source, reg)                                                 \
  STORES_4(source, reg), STORES_4(source, reg + 4), STORES_4(source, reg + 8), \
      STORES_4(source, reg + 12)
#define STORES(source) \
  STORES_16(source, 0), STORES_16(source, 16), STORES_16(source, 32), STORES_16(source, 48)
    STORES(kFromY), STORES(kFromA), STORES(kFromX),
};

}  // namespace poolkit::atari
