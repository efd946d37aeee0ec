#pragma once

// Which of Highway's targets kernels are compiled for; included before any header of Highway. Vectors of unknown size
// cannot be members of the kernels' structs; processors with SSSE3 but not SSE4 are gone; nothing gains from AVX3_DL
// over AVX3. Sanitizer builds take one wide target and the fallback: instrumented kernels compile slowly, and all
// targets come from one source.
#define PLIANT_NEVER_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#ifdef PLIANT_FEW_SIMD_TARGETS
#define HWY_DISABLED_TARGETS (PLIANT_NEVER_TARGETS | HWY_SSE4 | HWY_AVX3)
#else
#define HWY_DISABLED_TARGETS PLIANT_NEVER_TARGETS
#endif
