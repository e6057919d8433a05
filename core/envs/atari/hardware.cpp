#include <algorithm>
#include <stdexcept>

#include "rom.h"

namespace poolkit::atari {
namespace {

using enum CartridgeType;
using enum Port;

constexpr Hardware kHardware[] = {
    {.game = "boxing", .cartridge = k2K},
    {.game = "breakout", .cartridge = k2K, .left = kPaddles, .right = kPaddles},
    {.game = "enduro"},
    {.game = "freeway", .cartridge = k2K},
    {.game = "montezuma_revenge", .cartridge = kE0},
    {.game = "ms_pacman", .cartridge = kF8, .hmove_blanks = false},
    {.game = "pong",
     .cartridge = k2K,
     .left = kPaddles,
     .right = kPaddles,
     .swapped_paddles = true},
    {.game = "qbert", .first_line = 40},
    {.game = "seaquest"},
    {.game = "space_invaders"},
};

}  // namespace

const Hardware* find_hardware(std::string_view game) {
  const auto* found = std::ranges::find(kHardware, game, &Hardware::game);
  return found == std::end(kHardware) ? nullptr : found;
}

std::shared_ptr<const Rom> Rom::load(std::string_view game, const std::vector<uint8_t>& bytes) {
  auto rom = std::make_shared<Rom>();
  rom->game = game;
  rom->hardware = find_hardware(game);
  if (rom->hardware == nullptr) throw std::invalid_argument("unknown Atari game: " + rom->game);
  try {
    rom->banks = banks_of(rom->hardware->cartridge, bytes);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(rom->game + ": " + error.what());
  }
  return rom;
}

}  // namespace poolkit::atari
