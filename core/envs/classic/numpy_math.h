// Operations whose last bit differs between NumPy and the obvious C++.
#ifndef POOLKIT_ENVS_CLASSIC_NUMPY_MATH_H_
#define POOLKIT_ENVS_CLASSIC_NUMPY_MATH_H_

#include <cmath>

namespace poolkit::classic {

// x ** 2 of a numpy.float64: the library's pow, one time in a thousand not x * x, which is what a
// compiler makes of a constant exponent.
inline double squared(double x) {
  static const volatile double two = 2;
  return std::pow(x, two);
}

// x % y of numpy.float64 for y > 0.
inline double modulo(double x, double y) {
  const double rest = std::fmod(x, y);
  return rest < 0 ? rest + y : rest;
}

// numpy.sin and numpy.cos of a float32 in -pi/4 .. pi/4: its polynomials.
inline float sin_near_zero(float x) {
  const float xx = x * x;
  float sum = 0x1.7d3bbcp-19f;
  for (float term : {-0x1.a06bbap-13f, 0x1.11119ap-07f, -0x1.555556p-03f, 0.0f})
    sum = std::fma(sum, xx, term);
  return std::fma(sum, x, x);
}
inline float cos_near_zero(float x) {
  const float xx = x * x;
  float sum = 0x1.98e616p-16f;
  for (float term : {-0x1.6c06dcp-10f, 0x1.55553cp-05f, -0.5f, 1.0f}) sum = std::fma(sum, xx, term);
  return sum;
}

}  // namespace poolkit::classic

#endif  // POOLKIT_ENVS_CLASSIC_NUMPY_MATH_H_
