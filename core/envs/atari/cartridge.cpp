#include "cartridge.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

namespace poolkit::atari {
namespace {

constexpr int kBank = 4096;
constexpr int kSlice = 1024;

constexpr uint16_t kDpcPorts = 0x80;      // addresses below are the chip's
constexpr uint16_t kDpcClocking = 0xfc0;  // accesses from here on clock its random numbers, too

constexpr uint16_t kRamPorts = 0x100;  // addresses below are those of RAM, written or read

constexpr bool has_ram(CartridgeType type) {
  return type == CartridgeType::kF8SC || type == CartridgeType::kF6SC;
}

struct Layout {
  int size;                 // of the file
  uint16_t first_hot_spot;  // addresses from here on switch banks
  uint8_t hot_spots;
  uint8_t bank_at_reset;
};

constexpr Layout layout(CartridgeType type) {
  switch (type) {
    case CartridgeType::k2K:
      return {2048, kBank, 0, 0};
    case CartridgeType::k4K:
      return {4096, kBank, 0, 0};
    case CartridgeType::kF8:
    case CartridgeType::kF8SC:
      return {8192, 0xff8, 2, 1};
    case CartridgeType::kF6:
    case CartridgeType::kF6SC:
      return {16384, 0xff6, 4, 0};
    case CartridgeType::kE0:
      return {8192, 0xfe0, 24, 0};
    case CartridgeType::kFE:
      return {8192, kBank, 0, 0};
    case CartridgeType::kDPC:
      return {10495, 0xff8, 2, 1};
  }
  throw std::invalid_argument("unknown cartridge type");
}

}  // namespace

std::vector<uint8_t> banks_of(CartridgeType type, const std::vector<uint8_t>& bytes) {
  const int size = layout(type).size;
  if (static_cast<int>(bytes.size()) != size) {
    throw std::invalid_argument("a ROM of " + std::to_string(size) + " bytes is expected, not " +
                                std::to_string(bytes.size()));
  }
  std::vector<uint8_t> banks = bytes;
  if (type == CartridgeType::k2K) banks.insert(banks.end(), bytes.begin(), bytes.end());
  return banks;
}

Program program_of(CartridgeType type, const std::vector<uint8_t>& banks) {
  const Layout facts = layout(type);
  const std::span bytes(banks);
  if (type == CartridgeType::kE0) {
    Program program(kSlice, false);
    for (int slice = 0; slice < 8; ++slice) {
      const int end = slice == 7 ? facts.first_hot_spot % kSlice : kSlice;
      program.add(bytes.subspan(slice * kSlice, kSlice), 0, end);
    }
    return program;
  }
  const bool chip = type == CartridgeType::kDPC;
  const int first = chip ? kDpcPorts : has_ram(type) ? kRamPorts : 0;
  const int end = chip ? kDpcClocking : facts.first_hot_spot;
  Program program(kBank, type != CartridgeType::kFE);
  for (int bank = 0; (bank + 1) * kBank <= static_cast<int>(banks.size()); ++bank) {
    program.add(bytes.subspan(bank * kBank, kBank), first, end);
  }
  return program;
}

void Cartridge::insert(CartridgeType type, const uint8_t* banks, const Program* program) {
  type_ = type;
  banks_ = banks;
  program_ = program;
  composed_ = type == CartridgeType::kE0 || has_ram(type);
  if (type == CartridgeType::kDPC) {
    plain_ = {kDpcPorts, kDpcClocking - kDpcPorts};
  } else {
    plain_ = {0, type == CartridgeType::kFE ? uint16_t{0} : layout(type).first_hot_spot};
  }
}

Cartridge::Part Cartridge::part(uint16_t address) const {
  if (type_ != CartridgeType::kE0) return {program_->part(bank_), 0};
  const int slice = (address & 0xfff) / kSlice;
  return {program_->part(slices_[slice]), static_cast<uint16_t>(slice * kSlice)};
}

const Instruction* Cartridge::whole_window() const {
  const bool in_parts = type_ == CartridgeType::kE0 || type_ == CartridgeType::kFE;
  return in_parts ? nullptr : program_->part(bank_);
}

void Cartridge::reset(int32_t cycle) {
  bank_ = layout(type_).bank_at_reset;
  slices_ = {4, 5, 6, 7};
  dpc_.reset(cycle);
  compose();
}

void Cartridge::compose() {
  if (type_ == CartridgeType::kE0) {
    for (int i = 0; i < 4; ++i) {
      std::copy_n(banks_ + kSlice * slices_[i], kSlice, view_.begin() + kSlice * i);
    }
  } else if (composed_) {
    std::copy_n(banks_ + kBank * bank_, kBank, view_.begin());
    std::copy(ram_.begin(), ram_.end(), view_.begin() + ram_.size());
  }
}

// A special address switches by being read or written.
void Cartridge::touch(uint16_t address) {
  const Layout facts = layout(type_);
  const int spot = address - facts.first_hot_spot;
  if (spot < 0 || spot >= facts.hot_spots) return;
  if (type_ == CartridgeType::kE0) {
    const int part = spot / 8;
    slices_[part] = spot % 8;
    std::copy_n(banks_ + kSlice * slices_[part], kSlice, view_.begin() + kSlice * part);
  } else if (bank_ != spot) {
    bank_ = static_cast<uint8_t>(spot);
    compose();
  }
}

uint8_t Cartridge::read(uint16_t address, int32_t cycle) {
  enter(address);
  address &= 0xfff;
  if (type_ == CartridgeType::kDPC && (address < kDpcPorts || address >= kDpcClocking)) {
    dpc_.clock_random();
    if (address < kDpcPorts / 2) return dpc_.read(address, banks_ + 2 * kBank, cycle);
  }
  touch(address);
  return window()[address];
}

void Cartridge::write(uint16_t address, uint8_t value) {
  address &= 0xfff;
  if (has_ram(type_) && address < ram_.size()) {
    ram_[address] = value;
    view_[ram_.size() + address] = value;
    return;
  }
  if (type_ == CartridgeType::kDPC && (address < kDpcPorts || address >= kDpcClocking)) {
    dpc_.clock_random();
    if (address >= kDpcPorts / 2 && address < kDpcPorts) dpc_.write(address, value);
  }
  touch(address);
}

std::span<uint8_t> Cartridge::extra_ram() {
  return std::span<uint8_t>(ram_).first(has_ram(type_) ? ram_.size() : 0);
}

std::span<const uint8_t> Cartridge::extra_ram() const {
  return std::span<const uint8_t>(ram_).first(has_ram(type_) ? ram_.size() : 0);
}

bool Cartridge::valid() const {
  const auto is_slice = [](uint8_t slice) { return slice < 8; };
  return bank_ * kBank < std::max(kBank, layout(type_).size) && bank_ < 4 &&
         std::ranges::all_of(slices_, is_slice) && dpc_.valid();
}

}  // namespace poolkit::atari
