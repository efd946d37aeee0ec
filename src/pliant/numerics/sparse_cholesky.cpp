#include "pliant/numerics/sparse_cholesky.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <suitesparse/cholmod.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "pliant/base/blas_threads.h"
#include "pliant/base/error.h"

namespace pliant {

struct SparseCholesky::Data {
  cholmod_common common{};
  cholmod_factor* L = nullptr;
  cholmod_dense *X = nullptr, *Y = nullptr, *E = nullptr;  // solution and workspaces of the last solve
  Index size = 0, nonzeros = 0;
  double flops = 0;
  bool factorized = false;

  Data() {
    cholmod_start(&common);
    common.print = 0;  // outcomes are returned, nothing is printed
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.final_ll = 1;
    common.quick_return_if_not_posdef = 1;
    common.nmethods = 2;
    common.method[0].ordering = CHOLMOD_AMD;
    common.method[1].ordering = CHOLMOD_METIS;
    common.postorder = 1;
  }
  ~Data() {
    cholmod_free_factor(&L, &common);
    cholmod_free_dense(&X, &common);
    cholmod_free_dense(&Y, &common);
    cholmod_free_dense(&E, &common);
    cholmod_finish(&common);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  /// Not being positive definite is an outcome; everything else that can go wrong is memory or size.
  void check_status() const {
    if (common.status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
    if (common.status == CHOLMOD_TOO_LARGE)
      throw Error(
          fmt::format("sparse_cholesky: the factor of a matrix of {} rows has more than 2^31 entries; "
                      "use an iterative solver",
                      size));
    if (common.status < 0)
      throw Error(fmt::format("sparse_cholesky: CHOLMOD failed with status {}", common.status));
  }
};

namespace {

/// CHOLMOD on the calling thread only. Threads of BLAS would change the order of its sums; those of OpenMP, of which
/// CHOLMOD starts four for every larger block whatever the machine has, cost more than they give.
class OneThread {
 public:
  OneThread() {
    if (omp().set) omp().set(0);
  }
  ~OneThread() {
    if (omp().set) omp().set(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  struct Omp {  // loaded with CHOLMOD where that was built with it
    int (*get)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_active_levels"));
    void (*set)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_max_active_levels"));
  };
  static const Omp& omp() {
    static const Omp library;
    return library;
  }
  int before_ = omp().get ? omp().get() : 1;
  ScopedBlasThreads blas_{1};
};

/// CHOLMOD's words for an Eigen matrix, without copying; it only reads.
cholmod_sparse view(const SparseMatrix& A) {
  cholmod_sparse out{};
  out.nrow = static_cast<std::size_t>(A.rows());
  out.ncol = static_cast<std::size_t>(A.cols());
  out.nzmax = static_cast<std::size_t>(A.nonZeros());
  out.p = const_cast<int*>(A.outerIndexPtr());
  out.i = const_cast<int*>(A.innerIndexPtr());
  out.x = const_cast<double*>(A.valuePtr());
  out.stype = -1;  // symmetric: reads the lower triangle
  out.itype = CHOLMOD_INT;
  out.xtype = CHOLMOD_REAL;
  out.dtype = CHOLMOD_DOUBLE;
  out.sorted = 1;
  out.packed = 1;
  return out;
}

}  // namespace

SparseCholesky::SparseCholesky(const CholeskyOptions& options) : data_(std::make_unique<Data>()) {
  if (!options.large_blocks) return;
  // Blocks of up to so many columns are joined if their zeros are below these parts of the joined one.
  const std::size_t columns[3] = {16, 48, 96};
  const double zeros[3] = {0.8, 0.3, 0.1};
  std::copy(columns, columns + 3, data_->common.nrelax);
  std::copy(zeros, zeros + 3, data_->common.zrelax);
}
SparseCholesky::~SparseCholesky() = default;
SparseCholesky::SparseCholesky(SparseCholesky&&) noexcept = default;
SparseCholesky& SparseCholesky::operator=(SparseCholesky&&) noexcept = default;

void SparseCholesky::analyze(const SparseMatrix& A) {
  if (A.rows() != A.cols() || A.rows() == 0)
    throw InputError(
        fmt::format("sparse_cholesky: A is {} x {}; expected a square matrix", A.rows(), A.cols()));
  if (!A.isCompressed())
    throw InputError("sparse_cholesky: A is not compressed; call makeCompressed() first");
  Data& d = *data_;
  cholmod_free_factor(&d.L, &d.common);
  d.size = A.rows();
  d.nonzeros = A.nonZeros();
  d.factorized = false;
  cholmod_sparse a = view(A);
  const OneThread one_thread;
  d.L = cholmod_analyze(&a, &d.common);
  d.check_status();
  d.flops = d.common.fl;
}

bool SparseCholesky::factorize(const SparseMatrix& A) {
  Data& d = *data_;
  if (A.rows() != d.size || A.cols() != d.size || A.nonZeros() != d.nonzeros || !A.isCompressed())
    throw InputError(
        fmt::format("sparse_cholesky: A is {} x {} with {} nonzeros, but {} x {} with {} was analyzed; "
                    "analyze again where the pattern changes",
                    A.rows(), A.cols(), A.nonZeros(), d.size, d.size, d.nonzeros));
  d.factorized = false;
  // BLAS need not notice a NaN: its comparisons are all false.
  if (!Eigen::Map<const Eigen::ArrayXd>(A.valuePtr(), A.nonZeros()).isFinite().all()) return false;
  cholmod_sparse a = view(A);
  const OneThread one_thread;
  cholmod_factorize(&a, d.L, &d.common);
  d.check_status();
  d.factorized = d.common.status == CHOLMOD_OK && d.L->minor == d.L->n;
  return d.factorized;
}

void SparseCholesky::solve(const Eigen::Ref<const MatrixXd>& B, Eigen::Ref<MatrixXd> X) {
  Data& d = *data_;
  if (!d.factorized)
    throw InputError("sparse_cholesky: there is no factor; factorize a positive definite matrix first");
  if (B.rows() != d.size || X.rows() != B.rows() || X.cols() != B.cols())
    throw InputError(
        fmt::format("sparse_cholesky: B is {} x {} and X {} x {}; expected both with {} rows and as many "
                    "columns",
                    B.rows(), B.cols(), X.rows(), X.cols(), d.size));
  if (B.cols() == 0) return;
  cholmod_dense b{};
  b.nrow = static_cast<std::size_t>(B.rows());
  b.ncol = static_cast<std::size_t>(B.cols());
  b.d = static_cast<std::size_t>(B.outerStride());
  b.nzmax = b.d * b.ncol;
  b.x = const_cast<double*>(B.data());
  b.xtype = CHOLMOD_REAL;
  b.dtype = CHOLMOD_DOUBLE;
  const OneThread one_thread;
  cholmod_solve2(CHOLMOD_A, d.L, &b, nullptr, &d.X, nullptr, &d.Y, &d.E, &d.common);
  d.check_status();
  X = Eigen::Map<const MatrixXd>(static_cast<const double*>(d.X->x), B.rows(), B.cols());
}

CholeskyFactor SparseCholesky::factor() const {
  if (!data_->factorized)
    throw InputError("sparse_cholesky: there is no factor; factorize a positive definite matrix first");
  const cholmod_factor& L = *data_->L;
  return {.size = data_->size,
          .supernodes = static_cast<Index>(L.nsuper),
          .order = static_cast<const int*>(L.Perm),
          .first_column = static_cast<const int*>(L.super),
          .first_row = static_cast<const int*>(L.pi),
          .first_value = static_cast<const int*>(L.px),
          .rows = static_cast<const int*>(L.s),
          .values = static_cast<const double*>(L.x)};
}

Index SparseCholesky::size() const { return data_->size; }
bool SparseCholesky::factorized() const { return data_->factorized; }
Index SparseCholesky::factor_nonzeros() const { return data_->L ? static_cast<Index>(data_->L->xsize) : 0; }
double SparseCholesky::factor_flops() const { return data_->flops; }
std::size_t SparseCholesky::memory_bytes() const { return data_->common.memory_inuse; }

}  // namespace pliant
