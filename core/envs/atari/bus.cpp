#include "bus.h"

namespace poolkit::atari {
namespace {

// Only RAM and the cartridge hold programs.
uint8_t read_program(Machine& machine, uint16_t address, int32_t cycle) {
  if (address & 0x1000) return machine.cartridge.read(address, cycle);
  return (address & 0x280) == 0x080 ? machine.riot.ram[address & 0x7f] : 0;
}

}  // namespace

const Instruction* go(Machine& machine, uint16_t target) {
  Place& place = machine.running.place;
  Cartridge& cartridge = machine.cartridge;
  cartridge.enter(target);
  place.window = cartridge.window();
  place.whole_window = cartridge.whole_window();
  place.first_plain = cartridge.plain().first;
  place.plain_count = cartridge.plain().count;
  if (target & 0x1000) {
    const Cartridge::Part part = cartridge.part(target);
    place.origin = part.instructions;
    place.base = (target & 0xf000u) | part.first;
  } else {
    place.fetched[0] = {fetch_first};
    place.origin = place.fetched.data();
    place.base = target;
  }
  return place.origin + (target - place.base);
}

const Instruction* fetch(Machine& machine, uint16_t target, int32_t cycle) {
  const Instruction* known = go(machine, target);
  if (known->handler != fetch_first) return known;
  std::array<uint8_t, 3> bytes{read_program(machine, target, cycle)};
  for (int i = 1; i < length_of(bytes[0]); ++i) {
    bytes[i] = read_program(machine, static_cast<uint16_t>(target + i), cycle);
  }
  go(machine, target);  // reading may have switched banks
  Place& place = machine.running.place;
  place.fetched[0] = decode(bytes[0], bytes[1], bytes[2]);
  place.origin = place.fetched.data();
  place.base = target;
  return place.origin;
}

uint8_t read_chip(Machine& machine, uint16_t address, uint8_t noise, int32_t cycle) {
  if (address & 0x080) return machine.riot.read(address, cycle, machine.inputs);
  return machine.tia.read(address, noise, cycle, machine.inputs);
}

int32_t turns_of_wait(const Riot& riot, uint8_t branch, int32_t first, int32_t turn) {
  if (riot.expired(first)) return 0;
  const bool negative = riot.count(first) & 0x80;
  int32_t end = first;
  switch (branch) {
    case 0xd0:  // BNE
      end = riot.reaches(0);
      break;
    case 0x10:  // BPL
      if (!negative) end = riot.reaches(-1);
      break;
    case 0x30:  // BMI
      if (negative) end = riot.reaches(0x7f);
      break;
    default:
      break;
  }
  return end > first ? (end - first + turn - 1) / turn : 0;
}

}  // namespace poolkit::atari
