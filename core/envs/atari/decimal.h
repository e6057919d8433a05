// The processor's decimal arithmetic, as ALE has it.
#pragma once

#include <cstdint>

namespace poolkit::atari {

struct Sum {
  uint8_t value;
  uint8_t carry;
};

constexpr uint8_t from_decimal(uint8_t value) {
  return static_cast<uint8_t>((value >> 4) * 10 + (value & 0x0f));
}
constexpr uint8_t to_decimal(int value) {
  return static_cast<uint8_t>((value % 100 / 10) << 4 | value % 10);
}

constexpr Sum add_decimal(uint8_t a, uint8_t value, uint8_t carry) {
  const int sum = from_decimal(a) + from_decimal(value) + carry;
  return {to_decimal(sum & 0xff), sum > 99};
}

constexpr Sum subtract_decimal(uint8_t a, uint8_t value, uint8_t carry) {
  const int difference = from_decimal(a) - from_decimal(value) - (1 - carry);
  return {to_decimal((difference < 0 ? difference + 100 : difference) & 0xff),
          a >= value + (1 - carry)};
}

}  // namespace poolkit::atari
