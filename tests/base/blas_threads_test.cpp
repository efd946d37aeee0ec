#include "pliant/base/blas_threads.h"

#include <gtest/gtest.h>

#include "pliant/base/parallel.h"

extern "C" void openblas_set_num_threads(int);  // also makes sure that the library is loaded

namespace pliant {

TEST(BlasThreads, AScopeSetsAndRestoresThem) {
  openblas_set_num_threads(1);
  {
    const ScopedBlasThreads scope(2);
    EXPECT_EQ(blas_threads(), 2);
  }
  EXPECT_EQ(blas_threads(), 1);
}

TEST(BlasThreads, AreOneInsideAParallelLoop) {
  const ScopedThreadCount scope(2);
  const ScopedBlasThreads many(2);
  parallel_for(100, 1, [](Index) { EXPECT_EQ(blas_threads(), 1); });
  EXPECT_EQ(blas_threads(), 2);  // and as before outside
}

}  // namespace pliant
