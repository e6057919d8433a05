// A game's ROM as the CPU sees it: 4 KB at a time, switched by touching special addresses.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace poolkit::atari {

enum class CartridgeType : uint8_t {
  k2K,
  k4K,
  kF8,    // two banks of 4 KB
  kF6,    // four
  kF8SC,  // with 128 bytes of RAM
  kF6SC,
  kE0,  // four slices of 1 KB, three of them switched
};

// The image as it is kept: 4 KB banks, so a 2 KB one twice. Throws std::invalid_argument if the
// size does not fit the type.
std::vector<uint8_t> banks_of(CartridgeType type, const std::vector<uint8_t>& bytes);

class Cartridge {
 public:
  // `banks` outlives this and its copies.
  void insert(CartridgeType type, const uint8_t* banks);
  // The bank after power-on.
  void reset();

  // The 4 KB that are switched in; valid until the next special access.
  const uint8_t* window() const { return composed_ ? view_.data() : banks_ + 4096 * bank_; }

  // Addresses are the lower 12 bits. From first_special() on, read() must read them; every write
  // must go through write().
  bool has_special() const { return first_special_ < 4096 || has_ram(); }
  uint16_t first_special() const { return first_special_; }
  uint8_t read(uint16_t address);
  void write(uint16_t address, uint8_t value);

  std::array<uint8_t, 128>* extra_ram() { return has_ram() ? &ram_ : nullptr; }
  // Must follow every change of extra_ram() from outside.
  void compose();

  bool valid() const { return bank_ < 4 && slices_[0] < 8 && slices_[1] < 8 && slices_[2] < 8; }

 private:
  bool has_ram() const { return type_ == CartridgeType::kF8SC || type_ == CartridgeType::kF6SC; }
  void touch(uint16_t address);

  CartridgeType type_ = CartridgeType::k4K;
  uint8_t bank_ = 0;
  uint8_t composed_ = 0;  // the window is view_
  std::array<uint8_t, 4> slices_{};
  uint16_t first_special_ = 4096;
  std::array<uint8_t, 128> ram_{};
  const uint8_t* banks_ = nullptr;
  std::array<uint8_t, 4096> view_{};
};

}  // namespace poolkit::atari
