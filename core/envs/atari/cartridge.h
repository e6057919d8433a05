// A game's ROM as the CPU sees it: 4 KB at a time, switched by touching special addresses.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dpc.h"
#include "program.h"

namespace poolkit::atari {

enum class CartridgeType : uint8_t {
  k2K,
  k4K,
  kF8,    // two banks of 4 KB
  kF6,    // four
  kF8SC,  // with 128 bytes of RAM
  kF6SC,
  kE0,   // four slices of 1 KB, three of them switched
  kFE,   // two banks, by address bit 13
  kDPC,  // two banks and a chip
};

// The image as it is kept: 4 KB banks, so a 2 KB one twice. Throws std::invalid_argument if the
// size does not fit the type.
std::vector<uint8_t> banks_of(CartridgeType type, const std::vector<uint8_t>& bytes);
Program program_of(CartridgeType type, const std::vector<uint8_t>& banks);

class Cartridge {
 public:
  // What banks_of() and program_of() returned outlives this and its copies.
  void insert(CartridgeType type, const uint8_t* banks, const Program* program);
  // The bank after power-on.
  void reset(int32_t cycle);

  // The 4 KB that are switched in; valid until the next special access.
  const uint8_t* window() const { return composed_ ? view_.data() : banks_ + 4096 * bank_; }
  // Reading this part of the window does nothing else; the rest must be read by read(), which may
  // switch banks only behind the start of this part. Any write must be done by write().
  struct Plain {
    uint16_t first;
    uint16_t count;
  };
  Plain plain() const { return plain_; }

  // The part of the program around `address`, and the address of its first instruction.
  struct Part {
    const Instruction* instructions;
    uint16_t first;
  };
  Part part(uint16_t address) const;
  // All of the window's, if only special accesses can change it; else null.
  const Instruction* whole_window() const;

  uint8_t read(uint16_t address, int32_t cycle);
  void write(uint16_t address, uint8_t value);
  // Code goes on at `target`.
  void enter(uint16_t target) {
    if (type_ == CartridgeType::kFE) bank_ = target & 0x2000 ? 0 : 1;
  }

  // The count of cycles restarts with each frame.
  void rewind(int32_t cycles) { dpc_.rewind(cycles); }

  // 128 bytes, or none.
  std::span<uint8_t> extra_ram();
  std::span<const uint8_t> extra_ram() const;

  bool valid() const;

  template <class Archive>
  void fields(Archive& archive) {
    archive(bank_, composed_, slices_, ram_, dpc_, view_);
  }

 private:
  void compose();
  void touch(uint16_t address);

  CartridgeType type_ = CartridgeType::k4K;
  uint8_t bank_ = 0;
  uint8_t composed_ = 0;  // the window is view_
  std::array<uint8_t, 4> slices_{};
  Plain plain_{0, 4096};
  std::array<uint8_t, 128> ram_{};
  Dpc dpc_;
  const uint8_t* banks_ = nullptr;
  const Program* program_ = nullptr;
  std::array<uint8_t, 4096> view_{};
};

}  // namespace poolkit::atari
