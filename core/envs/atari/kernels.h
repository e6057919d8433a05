// Which machine code the pixel work runs on. The bits that come out are always the same.
#pragma once

// On a function that only CPUs with AVX2 may run.
#define POOLKIT_AVX2 __attribute__((target("avx2")))

namespace poolkit::atari {

enum class Kernels { portable, avx2 };

inline Kernels best_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return Kernels::avx2;
#endif
  return Kernels::portable;
}

}  // namespace poolkit::atari
