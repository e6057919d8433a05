// The Mersenne Twister as plain data, so that a whole console copies and saves as bytes.
#pragma once

#include <array>
#include <cstdint>

namespace poolkit::atari {

// std::mt19937's sequence. Its own state is opaque, which rules it out inside a saved state.
class Mt19937 {
 public:
  explicit Mt19937(uint32_t seed = 5489u) {
    state_[0] = seed;
    for (uint32_t i = 1; i < kWords; ++i) {
      state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
    }
  }

  uint32_t operator()() {
    if (next_ >= kWords) refill();
    uint32_t y = state_[next_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }

  bool operator==(const Mt19937&) const = default;

  bool valid() const { return next_ <= kWords; }

  template <class Archive>
  void fields(Archive& archive) {
    archive(state_, next_);
  }

 private:
  static constexpr uint32_t kWords = 624;

  void refill() {
    for (uint32_t i = 0; i < kWords; ++i) {
      const uint32_t y = (state_[i] & 0x80000000u) | (state_[(i + 1) % kWords] & 0x7fffffffu);
      state_[i] = state_[(i + 397) % kWords] ^ (y >> 1) ^ ((y & 1) ? 0x9908b0dfu : 0u);
    }
    next_ = 0;
  }

  std::array<uint32_t, kWords> state_;
  uint32_t next_ = kWords;
};

}  // namespace poolkit::atari
