// Emulators that have just been switched on.
#pragma once

#include <memory>

#include "emulator.h"
#include "env_options.h"

namespace poolkit::atari {

// A game right after Emulator::boot(), to be copied. Booting plays hundreds of frames, so all who
// ask at one time share the work; any thread may ask. Throws std::invalid_argument if `rom` is not
// the game's, or the game lacks the mode or the difficulty.
std::shared_ptr<const Emulator> booted(const EnvOptions& options);

}  // namespace poolkit::atari
