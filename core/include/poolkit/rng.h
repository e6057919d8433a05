// The random stream of an environment: NumPy's SeedSequence and PCG64, number for number.
#ifndef POOLKIT_RNG_H_
#define POOLKIT_RNG_H_

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "poolkit/abi.h"

namespace poolkit {

// numpy.random.SeedSequence(entropy, spawn_key=...): spreads a seed over as many words as are asked
// for.
class SeedSequence {
 public:
  explicit SeedSequence(uint64_t entropy, std::span<const uint32_t> spawn_key = {})
      : pool_{static_cast<uint32_t>(entropy), static_cast<uint32_t>(entropy >> 32)} {
    uint32_t factor = 0x43b0d7e5;
    for (uint32_t& word : pool_) word = hash(word, factor);
    for (size_t from = 0; from < pool_.size(); ++from)
      for (size_t to = 0; to < pool_.size(); ++to)
        if (from != to) pool_[to] = combine(pool_[to], hash(pool_[from], factor));
    // NumPy fills short entropy up with zeros, so that a spawn key never looks like more of it.
    for (uint32_t key : spawn_key)
      for (uint32_t& word : pool_) word = combine(word, hash(key, factor));
  }

  template <size_t N>
  std::array<uint64_t, N> generate() const {
    std::array<uint64_t, N> out{};
    uint32_t factor = 0x8b51f9dd;
    for (size_t i = 0; i < 2 * N; ++i) {
      uint32_t word = pool_[i % pool_.size()] ^ factor;
      factor *= 0x58f38ded;
      word *= factor;
      word ^= word >> 16;
      out[i / 2] |= static_cast<uint64_t>(word) << (32 * (i % 2));
    }
    return out;
  }

 private:
  static uint32_t hash(uint32_t word, uint32_t& factor) {
    word ^= factor;
    factor *= 0x931e8875;
    word *= factor;
    return word ^ (word >> 16);
  }

  static uint32_t combine(uint32_t x, uint32_t y) {
    const uint32_t word = 0xca01f9dd * x - 0x4973f715 * y;
    return word ^ (word >> 16);
  }

  std::array<uint32_t, 4> pool_;
};

// numpy.random.Generator(PCG64(seed)): random(), uniform() and integers() give NumPy's numbers.
class Rng {
 public:
  explicit Rng(const SeedSequence& seed) {
    const auto [a, b, c, d] = seed.generate<4>();
    const Wide initial = wide(a, b);
    set_increment((wide(c, d) << 1) | 1);
    set_state(0);
    advance();
    set_state(state() + initial);
    advance();
  }
  explicit Rng(uint64_t seed) : Rng(SeedSequence(seed)) {}

  // The stream that a host passes: same layout, used in place.
  static Rng& of(pk_rng& raw) { return reinterpret_cast<Rng&>(raw); }
  pk_rng& raw() { return raw_; }

  uint64_t next_uint64() {
    advance();
    const uint64_t folded = raw_.state_high ^ raw_.state_low;
    const unsigned turn = static_cast<unsigned>(raw_.state_high >> 58);
    return (folded >> turn) | (folded << (-turn & 63));
  }

  uint32_t next_uint32() {
    if (raw_.has_uint32) {
      raw_.has_uint32 = 0;
      return raw_.uinteger;
    }
    const uint64_t bits = next_uint64();
    raw_.has_uint32 = 1;
    raw_.uinteger = static_cast<uint32_t>(bits >> 32);
    return static_cast<uint32_t>(bits);
  }

  // In [0, 1).
  double random() { return static_cast<double>(next_uint64() >> 11) * 0x1p-53; }

  double uniform(double low, double high) { return low + (high - low) * random(); }

  // In [low, high), as Generator.integers(low, high).
  int64_t integers(int64_t low, int64_t high) {
    if (low >= high) throw std::invalid_argument("Rng::integers: low >= high");
    const uint64_t last = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) - 1;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + bounded(last));
  }

 private:
  __extension__ using Wide = unsigned __int128;

  static Wide wide(uint64_t high, uint64_t low) { return (static_cast<Wide>(high) << 64) | low; }
  Wide state() const { return wide(raw_.state_high, raw_.state_low); }
  void set_state(Wide value) {
    raw_.state_high = static_cast<uint64_t>(value >> 64);
    raw_.state_low = static_cast<uint64_t>(value);
  }
  void set_increment(Wide value) {
    raw_.increment_high = static_cast<uint64_t>(value >> 64);
    raw_.increment_low = static_cast<uint64_t>(value);
  }
  void advance() {
    set_state(state() * wide(2549297995355413924u, 4865540595714422341u) +
              wide(raw_.increment_high, raw_.increment_low));
  }

  // Lemire's method, on 32 bits where the range allows it, as NumPy does.
  uint64_t bounded(uint64_t last) {
    if (last == 0) return 0;
    if (last == UINT32_MAX) return next_uint32();
    if (last < UINT32_MAX) {
      const auto range = static_cast<uint32_t>(last + 1);
      uint64_t product = static_cast<uint64_t>(next_uint32()) * range;
      if (static_cast<uint32_t>(product) < range) {
        const uint32_t threshold = (UINT32_MAX - static_cast<uint32_t>(last)) % range;
        while (static_cast<uint32_t>(product) < threshold)
          product = static_cast<uint64_t>(next_uint32()) * range;
      }
      return product >> 32;
    }
    const uint64_t range = last + 1;
    Wide product = static_cast<Wide>(next_uint64()) * range;
    if (static_cast<uint64_t>(product) < range) {
      const uint64_t threshold = (UINT64_MAX - last) % range;
      while (static_cast<uint64_t>(product) < threshold)
        product = static_cast<Wide>(next_uint64()) * range;
    }
    return static_cast<uint64_t>(product >> 64);
  }

  pk_rng raw_{};
};
static_assert(sizeof(Rng) == sizeof(pk_rng));

}  // namespace poolkit

#endif  // POOLKIT_RNG_H_
