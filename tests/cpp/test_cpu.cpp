// Sequences of instructions that run at once do what their instructions do alone.
#include <algorithm>
#include <memory>
#include <random>

#include "atari/cpu.h"
#include "atari/fields.h"
#include "check.h"

namespace poolkit::atari {
namespace {

enum : uint8_t { kBrk = 0x00, kJsr = 0x20, kSty = 0x84, kSta = 0x85, kStx = 0x86 };

// Opcodes, and the operands that matter: registers of the TIA.
struct Step {
  uint8_t opcode;
  int operand = -1;
  bool reads_table = false;
};
using Steps = std::vector<Step>;

#define OP(code, bytes) constexpr Step Plain_##code{0x##code};
#include "atari/opcodes.inc"
#define OP(code, bytes) constexpr Step Table_##code{0x##code, -1, true};
#include "atari/opcodes.inc"
template <uint8_t kRegister>
constexpr Step Sta{kSta, kRegister};
template <uint8_t kRegister>
constexpr Step Stx{kStx, kRegister};
template <uint8_t kRegister>
constexpr Step Sty{kSty, kRegister};

const std::vector<Steps> kSequences = {
#define SEQUENCE(...) {__VA_ARGS__},
#include "atari/sequences.inc"
};

using Bytes = std::vector<uint8_t>;

// With operands that make sense, mostly: RAM, targets near by, and in the ROM tables that end
// there, or do not.
void append(Bytes& code, const Step& step, std::mt19937& random) {
  const auto pick = [&](int from, int below) {
    return static_cast<uint8_t>(from + random() % (below - from));
  };
  const bool branches = (step.opcode & 0x1f) == 0x10;
  code.push_back(step.opcode);
  switch (length_of(step.opcode)) {
    case 2:
      code.push_back(step.operand >= 0 ? static_cast<uint8_t>(step.operand)
                     : branches        ? pick(0, 24)
                                       : pick(0x80, 0xff));
      break;
    case 3:
      code.push_back(pick(1, 0x100));
      code.push_back(step.reads_table || step.opcode == kJsr ? pick(0xf0, 0xfe) : 0xff);
      break;
    default:
      break;
  }
}

Bytes random_rom(std::mt19937& random) {
  Bytes code;
  while (code.size() < 4000) {
    for (const Step& step : kSequences[random() % kSequences.size()]) append(code, step, random);
  }
  code.resize(4096, 0);
  code[0xffc] = code[0xffe] = 0;  // where it starts, and where BRK leads
  code[0xffd] = code[0xfff] = 0xf0;
  return code;
}

// A console without a player.
struct Board {
  Board(const Bytes& rom, const Program& program) {
    machine.cartridge.insert(CartridgeType::k4K, rom.data(), &program);
    machine.cartridge.reset(0);
    machine.riot.reset(0);
    machine.tia.show_on(&pixels, &display);
    machine.tia.reset();
    machine.tia.start_frame(0);
    for (size_t i = 0; i < machine.riot.ram.size(); ++i) machine.riot.ram[i] = uint8_t(37 * i);
    reset_cpu(machine);
  }
  Bytes state() {
    Bytes bytes;
    ToBytes archive(bytes);
    archive(machine);
    return bytes;
  }

  Display display;
  FrameBuffer pixels{};
  Machine machine{};
};

// In a part with all of its instructions, and not in one that lacks the last of them.
TEST(all_sequences_are_found) {
  std::mt19937 random(1);
  for (const Steps& steps : kSequences) {
    Bytes bytes;
    for (const Step& step : steps) append(bytes, step, random);
    const int end = static_cast<int>(bytes.size());
    const bool in_tables =
        std::any_of(steps.begin(), steps.end(), [](const Step& step) { return step.reads_table; });
    const int size = in_tables ? 4096 : 64;
    bytes.resize(size, 0);
    Program all(size, in_tables);
    all.add(bytes, 0, size);
    bytes[end - length_of(steps.back().opcode)] = kBrk;
    Program all_but_one(size, in_tables);
    all_but_one.add(bytes, 0, size);
    CHECK(all.part(0)->handler != all_but_one.part(0)->handler);
  }
}

// The others come from a program of which nothing is known in advance: over the bus, one by one.
TEST(sequences_do_what_their_instructions_do) {
  constexpr int kRoms = 200;
  constexpr int kTurns = 200;
  std::mt19937 random(1);
  for (int i = 0; i < kRoms; ++i) {
    const Bytes rom = banks_of(CartridgeType::k4K, random_rom(random));
    const Program known = program_of(CartridgeType::k4K, rom);
    Program unknown(4096, true);
    unknown.add(rom, 0, 0);
    const auto at_once = std::make_unique<Board>(rom, known);
    const auto one_by_one = std::make_unique<Board>(rom, unknown);
    bool over = false;
    for (int turn = 0; turn < kTurns && !over && !at_once->machine.cpu.jammed; ++turn) {
      const int instructions = 1 + static_cast<int>(random() % 40);
      over = run_cpu(at_once->machine, instructions);
      CHECK_EQUAL(run_cpu(one_by_one->machine, instructions), over);
      CHECK(at_once->state() == one_by_one->state());
    }
    at_once->machine.tia.end_frame(at_once->machine.cycle);
    one_by_one->machine.tia.end_frame(one_by_one->machine.cycle);
    CHECK(at_once->pixels == one_by_one->pixels);
  }
}

}  // namespace
}  // namespace poolkit::atari
