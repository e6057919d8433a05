// The first step of an observation: two frames of palette numbers become one channel of brightness,
// the brighter of the two at each pixel.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "channel.h"
#include "kernels.h"

namespace poolkit::atari {

// The brightness of each palette number: of gray, or of one colour.
using Levels = std::array<uint8_t, 256>;

// Fills an empty channel with max(levels[a], levels[b]). Both frames have whole rows of
// kScreenWidth pixels and one size; one frame alone is passed twice.
void brighter_levels(const Levels& levels, std::span<const uint8_t> a, std::span<const uint8_t> b,
                     Channel& channel, Kernels kernels);

}  // namespace poolkit::atari
