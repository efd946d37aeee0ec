#pragma once
// How many threads OpenBLAS may start.

namespace pliant {

/// Threads OpenBLAS uses now; 0 where OpenBLAS is not loaded.
int blas_threads();

/// Lets OpenBLAS use `count` threads for a scope: for a large factorisation that runs alone. Everywhere else
/// BLAS stays on one thread, because the number of its threads changes the order of its sums.
class ScopedBlasThreads {
 public:
  explicit ScopedBlasThreads(int count);
  ~ScopedBlasThreads();
  ScopedBlasThreads(const ScopedBlasThreads&) = delete;
  ScopedBlasThreads& operator=(const ScopedBlasThreads&) = delete;

 private:
  int before_;
};

}  // namespace pliant
