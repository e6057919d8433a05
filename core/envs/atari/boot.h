// Emulators that have just been switched on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator.h"

namespace poolkit::atari {

// A game right after power-on, to be copied. Booting plays hundreds of frames, so all who ask at
// one time share the work; any thread may ask. Throws std::invalid_argument if `rom` is not the
// game's.
std::shared_ptr<const Emulator> booted(const std::string& game, const std::vector<uint8_t>& rom);

}  // namespace poolkit::atari
