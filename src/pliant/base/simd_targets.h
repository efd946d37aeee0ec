#pragma once

// Which of Highway's targets kernels are compiled for; included before any header of Highway. Vectors of unknown size
// cannot be members of the kernels' structs; processors with SSSE3 but not SSE4 are gone; nothing gains from AVX3_DL
// over AVX3.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

// Sanitizer builds take one target, the widest that the compiler's flags allow, and call the larger parts of a kernel
// rather than unfold them everywhere: instrumented kernels compile slowly, and all targets come from one source.
#ifdef PLIANT_ONE_SIMD_TARGET
#define HWY_COMPILE_ONLY_STATIC
#define PLIANT_KERNEL_PART inline
#else
#define PLIANT_KERNEL_PART HWY_INLINE
#endif
