#include "dpc.h"

#include <bit>

namespace poolkit::atari {

namespace {

// A shift register whose input is the inverted parity of four of its bits.
constexpr auto kNextRandom = [] {
  constexpr unsigned kTaps = 0xb8;
  std::array<uint8_t, 256> table{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    const int even = 1 - std::popcount(bits & kTaps) % 2;
    table[bits] = static_cast<uint8_t>(bits << 1 | even);
  }
  return table;
}();

}  // namespace

void Dpc::clock_random() { random_ = kNextRandom[random_]; }

void Dpc::reset(int32_t cycle) {
  music_cycle_ = cycle;
  music_rest_ = 0;
}

uint8_t Dpc::read(uint16_t address, const uint8_t* display, int32_t cycle) {
  Fetcher& fetcher = fetchers_[address & 7];
  const uint8_t low = fetcher.counter & 0xff;
  if (low == fetcher.top) {
    fetcher.flag = 0xff;
  } else if (low == fetcher.bottom) {
    fetcher.flag = 0;
  }
  const uint8_t data = display[2047 - fetcher.counter];
  uint8_t result = 0;
  switch (address >> 3) {
    case 0:
      if ((address & 7) < 4) {
        result = random_;
      } else {
        play_music(cycle);
        result = amplitude();
      }
      break;
    case 1:
      result = data;
      break;
    case 2:
      result = data & fetcher.flag;
      break;
    case 7:
      result = fetcher.flag;
      break;
    default:
      break;
  }
  if (!fetcher.music) fetcher.counter = (fetcher.counter - 1) & 0x7ff;
  return result;
}

void Dpc::write(uint16_t address, uint8_t value) {
  Fetcher& fetcher = fetchers_[address & 7];
  switch (address >> 3 & 7) {
    case 0:
      fetcher.top = value;
      fetcher.flag = 0;
      break;
    case 1:
      fetcher.bottom = value;
      break;
    case 2:
      fetcher.counter = (fetcher.counter & 0x700) | (fetcher.music ? fetcher.top : value);
      break;
    case 3:
      fetcher.counter = static_cast<uint16_t>((value & 7) << 8 | (fetcher.counter & 0xff));
      if ((address & 7) >= kFirstMusic) fetcher.music = value & 0x10;
      break;
    case 6:
      random_ = 1;
      break;
    default:
      break;
  }
}

// The music's counters run with an oscillator of their own.
void Dpc::play_music(int32_t cycle) {
  constexpr double kOscillator = 15750.0;  // Hz
  constexpr double kProcessor = 1193191.66666667;
  const double clocks = kOscillator * (cycle - music_cycle_) / kProcessor + music_rest_;
  const int whole = static_cast<int>(clocks);
  music_cycle_ = cycle;
  music_rest_ = clocks - whole;
  if (whole <= 0) return;
  for (int i = kFirstMusic; i < 8; ++i) {
    Fetcher& fetcher = fetchers_[i];
    if (!fetcher.music) continue;
    int low = 0;
    if (fetcher.top != 0) {
      const int period = fetcher.top + 1;
      low = (fetcher.counter & 0xff) - whole % period;
      if (low < 0) low += period;
    }
    if (low <= fetcher.bottom) {
      fetcher.flag = 0;
    } else if (low <= fetcher.top) {
      fetcher.flag = 0xff;
    }
    fetcher.counter = static_cast<uint16_t>((fetcher.counter & 0x700) | low);
  }
}

uint8_t Dpc::amplitude() const {
  constexpr std::array<uint8_t, 8> kAmplitudes = {0x0, 0x4, 0x5, 0x9, 0x6, 0xa, 0xb, 0xf};
  int sounding = 0;
  for (int i = 0; i < 3; ++i) {
    const Fetcher& fetcher = fetchers_[kFirstMusic + i];
    if (fetcher.music && fetcher.flag) sounding |= 1 << i;
  }
  return kAmplitudes[sounding];
}

bool Dpc::valid() const {
  for (const Fetcher& fetcher : fetchers_) {
    if (fetcher.counter > 0x7ff) return false;
  }
  return music_rest_ >= 0 && music_rest_ < 1;
}

}  // namespace poolkit::atari
