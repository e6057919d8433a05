#include "cartridge.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace poolkit::atari {
namespace {

constexpr int kBank = 4096;
constexpr int kSlice = 1024;

constexpr uint16_t kDpcPorts = 0x80;      // addresses below are the chip's
constexpr uint16_t kDpcClocking = 0xfc0;  // accesses from here on clock its random numbers, too

struct Layout {
  int size;  // of the file
  Touch touch;
  uint16_t first_hot_spot;  // addresses from here on switch banks
  uint8_t hot_spots;
  uint8_t bank_at_reset;
};

constexpr Layout layout(CartridgeType type) {
  switch (type) {
    case CartridgeType::k2K:
      return {2048, Touch::kNothing, kBank, 0, 0};
    case CartridgeType::k4K:
      return {4096, Touch::kNothing, kBank, 0, 0};
    case CartridgeType::kF8:
    case CartridgeType::kF8SC:
      return {8192, Touch::kHotSpots, 0xff8, 2, 1};
    case CartridgeType::kF6:
    case CartridgeType::kF6SC:
      return {16384, Touch::kHotSpots, 0xff6, 4, 0};
    case CartridgeType::kE0:
      return {8192, Touch::kHotSpots, 0xfe0, 24, 0};
    case CartridgeType::kFE:
      return {8192, Touch::kEverything, kBank, 0, 0};
    case CartridgeType::kDPC:
      return {10495, Touch::kEverything, 0xff8, 2, 1};
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

void Cartridge::insert(CartridgeType type, const uint8_t* banks) {
  type_ = type;
  banks_ = banks;
  touch_ = layout(type).touch;
  composed_ = type == CartridgeType::kE0 || has_ram();
  first_special_ = type == CartridgeType::kDPC ? kDpcClocking : layout(type).first_hot_spot;
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
  if (has_ram() && address < ram_.size()) {
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

bool Cartridge::valid() const {
  const auto is_slice = [](uint8_t slice) { return slice < 8; };
  return bank_ * kBank < std::max(kBank, layout(type_).size) && bank_ < 4 &&
         std::ranges::all_of(slices_, is_slice) && dpc_.valid();
}

}  // namespace poolkit::atari
