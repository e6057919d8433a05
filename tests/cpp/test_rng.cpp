// Rng against NumPy's numbers.
#include "check.h"
#include "oracles.h"
#include "poolkit/rng.h"

namespace poolkit::tests {
namespace {

TEST(seed_sequences_are_numpys) {
  for (const Words& expected : kWords)
    CHECK_EQUAL(SeedSequence(expected.entropy, expected.key).generate<4>(), expected.words);
}

TEST(reals_are_numpys) {
  for (const Reals& expected : kReals) {
    Rng rng(expected.entropy);
    for (size_t i = 0; i < 4; ++i) CHECK_EQUAL(rng.random(), expected.values[i]);
    for (size_t i = 4; i < 8; ++i) CHECK_EQUAL(rng.uniform(-3, 5), expected.values[i]);
  }
}

TEST(integers_are_numpys_for_every_width_of_range) {
  for (const Integers& expected : kIntegers) {
    Rng rng(12345);
    for (size_t i = 0; i < 5; ++i) {
      if (i == 2) rng.random();  // leaves a buffered half alone
      CHECK_EQUAL(rng.integers(expected.low, expected.high), expected.values[i]);
    }
  }
}

TEST(rejected_integers_are_numpys) {
  Rng narrow(12345), wide(12345);
  uint64_t sum32 = 0, sum64 = 0;
  for (int i = 0; i < 1000; ++i) {
    sum32 += static_cast<uint64_t>(narrow.integers(0, int64_t{3} << 30));
    sum64 += static_cast<uint64_t>(wide.integers(0, int64_t{3} << 61));
  }
  CHECK_EQUAL(sum32, kSumOfRejected32);
  CHECK_EQUAL(sum64, kSumOfRejected64);
}

TEST(an_empty_range_is_refused) {
  Rng rng(1);
  CHECK_THROWS(std::invalid_argument, "low >= high", rng.integers(3, 3));
}

TEST(a_stream_is_used_in_place) {
  Rng rng(5), same(5);
  pk_rng raw = same.raw();
  CHECK_EQUAL(Rng::of(raw).random(), rng.random());
  CHECK_EQUAL(Rng::of(raw).next_uint32(), rng.next_uint32());
  CHECK_EQUAL(raw.state_low, rng.raw().state_low);
  CHECK_EQUAL(raw.has_uint32, 1u);
}

}  // namespace
}  // namespace poolkit::tests
