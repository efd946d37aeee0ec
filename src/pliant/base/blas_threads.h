#pragma once
// How many threads OpenBLAS may start, and whether it knows the processor.

namespace pliant {

/// Threads OpenBLAS uses now; 0 where OpenBLAS is not loaded.
int blas_threads();

/// Does nothing where OpenBLAS is not loaded.
void set_blas_threads(int count);

/// OpenBLAS does not know processors that are newer than itself, and takes its slowest kernels on them, which are four times slower
/// than those that the processor could run. The name of the latter for OPENBLAS_CORETYPE, which must be set before OpenBLAS is
/// loaded; nothing where all is well, or unknown.
const char* better_blas_kernels();

/// Lets OpenBLAS use `count` threads for a scope: for dense algebra that runs alone. Parallel loops keep it
/// on one thread all the same.
class ScopedBlasThreads {
 public:
  explicit ScopedBlasThreads(int count) : before_(blas_threads()) { set_blas_threads(count); }
  ~ScopedBlasThreads() {
    if (before_ > 0) set_blas_threads(before_);
  }
  ScopedBlasThreads(const ScopedBlasThreads&) = delete;
  ScopedBlasThreads& operator=(const ScopedBlasThreads&) = delete;

 private:
  int before_;
};

}  // namespace pliant
