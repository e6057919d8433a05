// A cartridge's program, made ready to be run: what the interpreter would find out about each
// instruction again and again is found out once a ROM.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace poolkit::atari {

struct Machine;
struct Instruction;

// What runs an instruction, and then, in a jump, the one after it. See cpu_core.h.
using Handle = void(Machine& machine, const Instruction* next, int64_t clock, uint32_t a,
                    uint32_t x, uint32_t y);

// All of them: those of the opcodes, and these.
enum Handler : uint16_t {
  kOnTheBus = 256,  // and the opcode: it may reach anything
  kInTable = 512,   // and the opcode: what it reads is in the ROM, whatever the index
  kFetch = 768,  // read the instruction from the bus: it may change, or reading it does something
  kWait,         // a loop of this and a branch waits for the timer
  kLeap,         // jump within the part
  kStore,        // to a register of the TIA: the register, and 64 times the Source (cpu_core.h)
};
struct Handlers {
  static Handle* const kAll[];
};

struct Instruction {
  uint16_t operand() const { return static_cast<uint16_t>(low | high << 8); }

  Handle* handler;
  uint8_t low = 0;
  uint8_t high = 0;
  uint8_t in_ram = 0;  // where it is there, if `low` is an address of RAM
  // Of a branch or jump to an instruction of the same part: how many instructions it is from the
  // next one, and the cycles that the branch takes more if taken.
  uint8_t leap_cycles = 0;
  int16_t leap = 0;
};

int length_of(uint8_t opcode);

// What runs two to four instructions, one behind the other, in place of these; nullptr if nothing
// does. Where three or four are run at once, so are the first two or three of them.
using Handles = std::array<Handle*, 4>;  // the rest are null
Handle* sequence_of(const Handles& alone);

// An instruction as it comes over the bus, alone.
Instruction decode(uint8_t opcode, uint8_t low, uint8_t high);

// Parts of a ROM that are switched in as a whole; they run into each other only by chance.
class Program {
 public:
  // `whole` if a part fills the window, and no jump switches to another one.
  Program(int part_size, bool whole) : size_(part_size), whole_(whole) {}

  // Reading [first, end) of the part does nothing else: instructions there can be known in advance.
  void add(std::span<const uint8_t> part, int first, int end);

  // An instruction for each address of the part, and one more that leads out of it.
  const Instruction* part(int index) const { return instructions_.data() + index * (size_ + 1); }

 private:
  void find_sequences(std::span<const uint8_t> part);

  int size_;
  bool whole_;
  std::vector<Instruction> instructions_;
};

}  // namespace poolkit::atari
