#include "program.h"

namespace poolkit::atari {
namespace {

constexpr std::array<uint8_t, 256> kLengths = {
#define OP(code, bytes) bytes,
#include "opcodes.inc"
};

// Whether an instruction surely needs the bus, by its mode and operand.
constexpr bool zero_page(uint16_t operand) { return operand < 0x80; }
constexpr bool absolute(uint16_t operand) { return (operand & 0x1000) == 0; }
constexpr bool indirect_y(uint16_t operand) { return operand < 0x80 || operand == 0xff; }
constexpr bool indirect_y_crossing(uint16_t operand) { return indirect_y(operand); }
constexpr bool indirect_x(uint16_t) { return true; }
constexpr bool zero_page_x(uint16_t) { return false; }
constexpr bool zero_page_y(uint16_t) { return false; }
constexpr bool absolute_x(uint16_t) { return false; }
constexpr bool absolute_x_crossing(uint16_t) { return false; }
constexpr bool absolute_y(uint16_t) { return false; }
constexpr bool absolute_y_crossing(uint16_t) { return false; }
constexpr bool immediate(uint16_t) { return false; }
constexpr bool no_mode(uint16_t) { return false; }
constexpr bool any_branch(uint16_t) { return true; }  // Program::add() knows better

constexpr bool is_lookup(uint8_t opcode) {
  switch (opcode) {
#define OP(code, bytes)
#define LOOKUP(code, ...) case 0x##code:
#include "opcodes.inc"
    return true;
    default:
      return false;
  }
}

using NeedsBus = bool (*)(uint16_t);
constexpr std::array<NeedsBus, 256> kNeedsBus = {
#define READ(code, bytes, cycles, mode, what) mode,
#define WRITE(code, bytes, cycles, mode, what) mode,
#define MODIFY(code, bytes, cycles, mode, change, what) mode,
#define ADD(code, bytes, cycles, mode, what) mode,
#define PUSH(code, bytes, cycles, what) no_mode,
#define CALL(code, bytes, cycles, test, what) no_mode,
#define BRANCH(code, bytes, cycles, taken) any_branch,
#define ALONE(code, bytes, cycles, what) no_mode,
#include "opcodes.inc"
};

enum : uint8_t { kBpl = 0x10, kBmi = 0x30, kJmp = 0x4c, kSty = 0x84, kStx = 0x86, kBne = 0xd0 };

constexpr bool is_branch(uint8_t opcode) { return (opcode & 0x1f) == 0x10; }

// LDY, LDA, LDX and BIT of an absolute address; BIT's Z is not the timer's.
constexpr bool reads_for(uint8_t branch, uint8_t opcode) {
  const bool loads = opcode == 0xac || opcode == 0xad || opcode == 0xae;
  return branch == kBne ? loads : (branch == kBpl || branch == kBmi) && (loads || opcode == 0x2c);
}

constexpr bool is_timer(uint16_t address) { return (address & 0x1285) == 0x0284; }

}  // namespace

int length_of(uint8_t opcode) { return kLengths[opcode]; }

Instruction decode(uint8_t opcode, uint8_t low, uint8_t high) {
  const bool wide = kLengths[opcode] == 3;
  Instruction instruction{nullptr, low, static_cast<uint8_t>(wide ? high : 0),
                          static_cast<uint8_t>(low & 0x7f)};
  const uint16_t operand = instruction.operand();
  if (opcode >= kSty && opcode <= kStx && operand < 0x80) {
    instruction.handler = Handlers::kAll[kStore + 64 * (opcode - kSty) + operand % 64];
  } else {
    const int variant = kNeedsBus[opcode](operand) ? kOnTheBus : 0;
    instruction.handler = Handlers::kAll[opcode + variant];
  }
  return instruction;
}

void Program::add(std::span<const uint8_t> part, int first, int end) {
  const auto is_known = [&](int at) { return at >= first && at + kLengths[part[at]] <= end; };
  for (int at = 0; at < size_; ++at) {
    if (!is_known(at)) {
      instructions_.push_back({Handlers::kAll[kFetch]});
      continue;
    }
    const uint8_t opcode = part[at];
    const int next = at + kLengths[opcode];
    const uint8_t low = next - at > 1 ? part[at + 1] : 0;
    Instruction instruction = decode(opcode, low, next - at > 2 ? part[at + 2] : 0);
    const uint16_t operand = instruction.operand();
    const bool into_window = whole_ && (operand & 0x1000);
    const int in_window = operand & 0xfff;
    if (is_branch(opcode)) {
      const int target = next + static_cast<int8_t>(low);
      if (target >= 0 && target < size_) {
        instruction.handler = Handlers::kAll[opcode];
        instruction.leap = static_cast<int8_t>(low);
        instruction.leap_cycles = (next ^ target) & 0xff00 ? 2 : 1;
      }
    } else if (is_lookup(opcode) && into_window && in_window >= first && in_window + 0xff < end) {
      instruction.handler = Handlers::kAll[kInTable + opcode];
    } else if (opcode == kJmp && into_window) {
      instruction.handler = Handlers::kAll[kLeap];
      instruction.leap = static_cast<int16_t>(in_window - next);
    }
    if (next < size_ && is_known(next)) {
      constexpr uint8_t kToItself = 0xfb;  // of that branch
      if (is_timer(operand) && reads_for(part[next], opcode) && part[next + 1] == kToItself) {
        instruction.handler = Handlers::kAll[kWait];
      }
    }
    instructions_.push_back(instruction);
  }
  instructions_.push_back({Handlers::kAll[kFetch]});
  find_sequences(part);
}

// From the front, so that what comes behind is still alone.
void Program::find_sequences(std::span<const uint8_t> part) {
  Instruction* const instructions = instructions_.data() + instructions_.size() - (size_ + 1);
  for (int at = 0; at < size_; ++at) {
    Handles alone{instructions[at].handler};
    int next = at;
    for (size_t count = 1; count < alone.size(); ++count) {
      next += kLengths[part[next]];
      if (next >= size_) break;
      alone[count] = instructions[next].handler;
      Handle* const sequence = sequence_of(alone);
      if (sequence == nullptr) break;
      instructions[at].handler = sequence;
    }
  }
}

}  // namespace poolkit::atari
