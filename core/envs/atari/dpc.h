// The chip inside Pitfall II's cartridge: it fetches display data, and makes music and random
// numbers.
#pragma once

#include <array>
#include <cstdint>

namespace poolkit::atari {

class Dpc {
 public:
  // Addresses are offsets into the chip's: 0x00 to 0x3f are read, 0x40 to 0x7f written.
  // `display` is its ROM of 2 KB.
  uint8_t read(uint16_t address, const uint8_t* display, int32_t cycle);
  void write(uint16_t address, uint8_t value);

  // Every access to the chip, or near the bank switches, moves the random numbers on.
  void clock_random();

  void reset(int32_t cycle);
  // The count of cycles restarts with each frame.
  void rewind(int32_t cycles) { music_cycle_ -= cycles; }

  bool valid() const;

  template <class Archive>
  void fields(Archive& archive) {
    archive(fetchers_, random_, music_cycle_, music_rest_);
  }

 private:
  struct Fetcher {
    uint16_t counter = 0;  // 11 bits
    uint8_t top = 0;
    uint8_t bottom = 0;
    uint8_t flag = 0;  // 0xff from top to bottom
    uint8_t music = 0;

    template <class Archive>
    void fields(Archive& archive) {
      archive(counter, top, bottom, flag, music);
    }
  };

  void play_music(int32_t cycle);
  uint8_t amplitude() const;

  static constexpr int kFirstMusic = 5;  // of the fetchers, the last three can make music

  std::array<Fetcher, 8> fetchers_{};
  uint8_t random_ = 1;
  int32_t music_cycle_ = 0;
  double music_rest_ = 0;  // oscillator clocks not yet used
};

}  // namespace poolkit::atari
