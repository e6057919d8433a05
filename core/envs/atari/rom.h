// A game: its program, and the facts about its hardware that no program tells.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cartridge.h"

namespace poolkit::atari {

enum class Port : uint8_t { kJoystick, kPaddles };

struct Hardware {
  std::string_view game;
  CartridgeType cartridge = CartridgeType::k4K;
  Port left = Port::kJoystick;
  Port right = Port::kJoystick;
  bool swapped_ports = false;
  bool swapped_paddles = false;  // the two of a port
  int32_t paddle_min = 27'450;   // ohms
  int32_t paddle_max = 790'196;
  int16_t first_line = 34;  // shown
  int16_t lines = 210;      // 250 on PAL televisions
  bool hmove_blanks = true;
};

// The facts of one game by the name of its ROM ("space_invaders"); null if unknown.
const Hardware* find_hardware(std::string_view game);

// Shared by all emulators of the game.
struct Rom {
  // Throws std::invalid_argument, naming the game, if it is unknown or the size is wrong.
  static std::shared_ptr<const Rom> load(std::string_view game, const std::vector<uint8_t>& bytes);

  std::string game;
  const Hardware* hardware = nullptr;
  std::vector<uint8_t> banks;
  Program program{0, false};
};

}  // namespace poolkit::atari
