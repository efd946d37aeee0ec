#pragma once
// CHOLMOD's own factorisation and solves on one thread, to measure ours against.
#include <dlfcn.h>
#include <suitesparse/cholmod.h>

#include "pliant/base/blas_threads.h"
#include "pliant/numerics/types.h"

namespace pliant {

/// Minimum degree or nested dissection, whichever gives fewer nonzeros, as SparseCholesky does. Reads A's lower triangle;
/// A must stay where it is.
class CholmodReference {
 public:
  explicit CholmodReference(SparseMatrix& A) {
    // It starts four threads for every larger block, whatever the machine has; that is slower than none.
    if (auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_max_active_levels"))) set(0);
    cholmod_start(&common_);
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.nmethods = 2;
    common_.method[0].ordering = CHOLMOD_AMD;
    common_.method[1].ordering = CHOLMOD_METIS;
    A_.nrow = A_.ncol = static_cast<std::size_t>(A.rows());
    A_.nzmax = static_cast<std::size_t>(A.nonZeros());
    A_.p = A.outerIndexPtr(), A_.i = A.innerIndexPtr(), A_.x = A.valuePtr();
    A_.stype = -1, A_.itype = CHOLMOD_INT, A_.xtype = CHOLMOD_REAL, A_.dtype = CHOLMOD_DOUBLE;
    A_.sorted = A_.packed = 1;
    L_ = cholmod_analyze(&A_, &common_);
  }
  ~CholmodReference() {
    cholmod_free_dense(&X_, &common_);
    cholmod_free_dense(&Y_, &common_);
    cholmod_free_dense(&E_, &common_);
    cholmod_free_factor(&L_, &common_);
    cholmod_finish(&common_);
  }
  CholmodReference(const CholmodReference&) = delete;
  CholmodReference& operator=(const CholmodReference&) = delete;

  void factorize() { cholmod_factorize(&A_, L_, &common_); }
  void solve(MatrixXd& B) {
    cholmod_dense b{};
    b.nrow = b.d = static_cast<std::size_t>(B.rows());
    b.ncol = static_cast<std::size_t>(B.cols());
    b.nzmax = b.nrow * b.ncol;
    b.x = B.data();
    b.xtype = CHOLMOD_REAL, b.dtype = CHOLMOD_DOUBLE;
    cholmod_solve2(CHOLMOD_A, L_, &b, nullptr, &X_, nullptr, &Y_, &E_, &common_);
  }

 private:
  ScopedBlasThreads one_{1};
  cholmod_common common_{};
  cholmod_sparse A_{};
  cholmod_factor* L_ = nullptr;
  cholmod_dense *X_ = nullptr, *Y_ = nullptr, *E_ = nullptr;
};

}  // namespace pliant
