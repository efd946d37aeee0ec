#include "pliant/numerics/sparse_cholesky.h"

#include <fmt/format.h>
#include <suitesparse/cholmod.h>

#include <algorithm>
#include <new>
#include <utility>

#include "pliant/base/error.h"
#include "pliant/numerics/multifrontal.h"

namespace pliant {

struct SparseCholesky::Data {
  cholmod_common common{};
  cholmod_factor* L = nullptr;  // its structure only
  Multifrontal numbers;
  Index size = 0, nonzeros = 0;
  double flops = 0;
  bool factorized = false;

  Data() {
    cholmod_start(&common);
    common.print = 0;  // outcomes are returned, nothing is printed
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.nmethods = 2;
    common.method[0].ordering = CHOLMOD_AMD;
    common.method[1].ordering = CHOLMOD_METIS;
    common.postorder = 1;
  }
  ~Data() {
    cholmod_free_factor(&L, &common);
    cholmod_finish(&common);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  CholeskyFactor structure() const {
    return {.size = size,
            .supernodes = static_cast<Index>(L->nsuper),
            .order = static_cast<const int*>(L->Perm),
            .first_column = static_cast<const int*>(L->super),
            .first_row = static_cast<const int*>(L->pi),
            .first_value = static_cast<const int*>(L->px),
            .rows = static_cast<const int*>(L->s),
            .values = nullptr};
  }

  /// What can go wrong is memory or size.
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

SparseCholesky::SparseCholesky() : data_(std::make_unique<Data>()) {}
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
  d.L = cholmod_analyze(&a, &d.common);
  d.check_status();
  d.flops = d.common.fl;
  d.numbers.analyze(d.structure(), A);
}

bool SparseCholesky::factorize(const SparseMatrix& A) {
  Data& d = *data_;
  if (A.rows() != d.size || A.cols() != d.size || A.nonZeros() != d.nonzeros || !A.isCompressed())
    throw InputError(
        fmt::format("sparse_cholesky: A is {} x {} with {} nonzeros, but {} x {} with {} was analyzed; "
                    "analyze again where the pattern changes",
                    A.rows(), A.cols(), A.nonZeros(), d.size, d.size, d.nonzeros));
  d.factorized = d.numbers.factorize(A);
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
  d.numbers.solve(B, X);
}

CholeskyFactor SparseCholesky::factor() const {
  if (!data_->factorized)
    throw InputError("sparse_cholesky: there is no factor; factorize a positive definite matrix first");
  CholeskyFactor factor = data_->structure();
  factor.values = data_->numbers.values();
  return factor;
}

Index SparseCholesky::size() const { return data_->size; }
bool SparseCholesky::factorized() const { return data_->factorized; }
Index SparseCholesky::factor_nonzeros() const { return data_->L ? static_cast<Index>(data_->L->xsize) : 0; }
double SparseCholesky::factor_flops() const { return data_->flops; }
std::size_t SparseCholesky::memory_bytes() const {
  return data_->common.memory_inuse + data_->numbers.memory_bytes();
}

}  // namespace pliant
