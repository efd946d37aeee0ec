#include "pliant/numerics/tall_products.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "pliant/base/error.h"

namespace pliant {
namespace {

constexpr Index rows_a_task = 4096;

int to_int(Index i) { return static_cast<int>(i); }

void check_rows(Index a, Index b, const char* what) {
  if (a != b) throw InputError(fmt::format("tall_products: {} have {} and {} rows", what, a, b));
}

/// C = Aᵀ B for one chunk of rows. Eigen's own products would use the narrowest SIMD that every machine has.
void chunk_inner_products(Index rows, const double* A, Index a_columns, Index a_stride, const double* B,
                          Index b_columns, Index b_stride, MatrixXd& C) {
  C.resize(a_columns, b_columns);
  if (C.size() == 0) return;
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, to_int(a_columns), to_int(b_columns), to_int(rows), 1,
              A, to_int(a_stride), B, to_int(b_stride), 0, C.data(), to_int(a_columns));
}

MatrixXd weighted_inner_products(const Eigen::Ref<const MatrixXd>& A, const VectorXd* weights,
                                 const Eigen::Ref<const MatrixXd>& B) {
  check_rows(A.rows(), B.rows(), "the matrices");
  if (weights) check_rows(A.rows(), weights->size(), "matrix and weights");
  return parallel_reduce(
      A.rows(), rows_a_task, MatrixXd(MatrixXd::Zero(A.cols(), B.cols())),
      [&](Index begin, Index end) {
        MatrixXd part;
        const double* a = A.data() + begin;
        if (weights) {
          const MatrixXd weighted =
              weights->segment(begin, end - begin).asDiagonal() * B.middleRows(begin, end - begin);
          chunk_inner_products(end - begin, a, A.cols(), A.outerStride(), weighted.data(), B.cols(),
                               weighted.rows(), part);
        } else {
          chunk_inner_products(end - begin, a, A.cols(), A.outerStride(), B.data() + begin, B.cols(),
                               B.outerStride(), part);
        }
        return part;
      },
      [](MatrixXd sum, const MatrixXd& part) {
        sum += part;
        return sum;
      });
}

constexpr int panel = 8;  // columns that a sparse product carries along
using Panel = Eigen::Matrix<double, Eigen::Dynamic, panel, Eigen::RowMajor>;
using BlockRow = Eigen::Matrix<double, 3, panel, Eigen::RowMajor>;

}  // namespace

MatrixXd inner_products(const Eigen::Ref<const MatrixXd>& A, const Eigen::Ref<const MatrixXd>& B) {
  return weighted_inner_products(A, nullptr, B);
}

MatrixXd inner_products(const Eigen::Ref<const MatrixXd>& A, const VectorXd& weights,
                        const Eigen::Ref<const MatrixXd>& B) {
  return weighted_inner_products(A, &weights, B);
}

MatrixXd inner_products_of_rows(const RowMatrixXd& A, const Eigen::Ref<const MatrixXd>& B) {
  check_rows(A.rows(), B.rows(), "the matrices");
  return parallel_reduce(
      A.rows(), rows_a_task, MatrixXd(MatrixXd::Zero(A.cols(), B.cols())),
      [&](Index begin, Index end) {
        MatrixXd part(A.cols(), B.cols());
        if (part.size() > 0)
          cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, to_int(A.cols()), to_int(B.cols()),
                      to_int(end - begin), 1, A.data() + begin * A.cols(), to_int(A.cols()), B.data() + begin,
                      to_int(B.outerStride()), 0, part.data(), to_int(part.rows()));
        return part;
      },
      [](MatrixXd sum, const MatrixXd& part) {
        sum += part;
        return sum;
      });
}

void multiply_rows(const RowMatrixXd& A, Index first, const Eigen::Ref<const MatrixXd>& C,
                   Eigen::Ref<MatrixXd> out) {
  if (A.cols() != C.rows() || out.cols() != C.cols() || first + out.rows() > A.rows())
    throw InputError(fmt::format("tall_products: rows {} to {} of {} x {} times {} x {}", first,
                                 first + out.rows(), A.rows(), A.cols(), C.rows(), C.cols()));
  if (out.size() == 0) return;
  if (A.cols() == 0) {
    out.setZero();
    return;
  }
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, to_int(out.rows()), to_int(C.cols()), to_int(C.rows()),
              1, A.data() + first * A.cols(), to_int(A.cols()), C.data(), to_int(C.outerStride()), 0,
              out.data(), to_int(out.outerStride()));
}

void add_gram_of_rows(const RowMatrixXd& A, MatrixXd& C) {
  const Index n = A.cols();
  if (C.rows() != n || C.cols() != n)
    throw InputError(
        fmt::format("tall_products: products of {} columns into {} x {}", n, C.rows(), C.cols()));
  if (A.size() == 0) return;
  // Stripes of columns of C: one writer each, so no sums wait for each other.
  constexpr Index stripe = 128;
  parallel_for((n + stripe - 1) / stripe, 1, [&](Index j) {
    const Index first = j * stripe, width = std::min(stripe, n - first);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, to_int(n - first), to_int(width), to_int(A.rows()),
                1, A.data() + first, to_int(n), A.data() + first, to_int(n), 1, C.data() + first * n + first,
                to_int(n));
  });
}

void multiply_here(const Eigen::Ref<const MatrixXd>& A, const Eigen::Ref<const MatrixXd>& B,
                   Eigen::Ref<MatrixXd> out) {
  if (A.cols() != B.rows() || out.rows() != A.rows() || out.cols() != B.cols())
    throw InputError(fmt::format("tall_products: {} x {} times {} x {} into {} x {}", A.rows(), A.cols(),
                                 B.rows(), B.cols(), out.rows(), out.cols()));
  if (B.size() == 0 || A.size() == 0) {
    out.setZero();
    return;
  }
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, to_int(A.rows()), to_int(B.cols()), to_int(A.cols()),
              1, A.data(), to_int(A.outerStride()), B.data(), to_int(B.outerStride()), 0, out.data(),
              to_int(out.outerStride()));
}

void multiply_tall(const Eigen::Ref<const MatrixXd>& A, const Eigen::Ref<const MatrixXd>& C,
                   Eigen::Ref<MatrixXd> out) {
  if (A.cols() != C.rows() || out.rows() != A.rows() || out.cols() != C.cols())
    throw InputError(fmt::format("tall_products: {} x {} times {} x {} into {} x {}", A.rows(), A.cols(),
                                 C.rows(), C.cols(), out.rows(), out.cols()));
  if (C.size() == 0) {
    out.setZero();
    return;
  }
  parallel_for_chunks(A.rows(), rows_a_task, [&](Index begin, Index end) {
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, to_int(end - begin), to_int(C.cols()),
                to_int(C.rows()), 1, A.data() + begin, to_int(A.outerStride()), C.data(),
                to_int(C.outerStride()), 0, out.data() + begin, to_int(out.outerStride()));
  });
}

void multiply_tall_in_place(Eigen::Ref<MatrixXd> A, const Eigen::Ref<const MatrixXd>& C) {
  if (A.cols() != C.rows() || C.cols() > C.rows())
    throw InputError(
        fmt::format("tall_products: {} x {} times {} x {} in place", A.rows(), A.cols(), C.rows(), C.cols()));
  if (C.size() == 0) return;
  parallel_for_chunks(A.rows(), rows_a_task, [&](Index begin, Index end) {
    const MatrixXd before = A.middleRows(begin, end - begin);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, to_int(end - begin), to_int(C.cols()),
                to_int(C.rows()), 1, before.data(), to_int(before.rows()), C.data(), to_int(C.outerStride()),
                0, A.data() + begin, to_int(A.outerStride()));
  });
}

MatrixXd multiply(const SymmetricBlocks& A, const Eigen::Ref<const MatrixXd>& X) {
  const Index n = A.size();
  check_rows(3 * n, X.rows(), "the sparse and the tall matrix");
  MatrixXd Y(X.rows(), X.cols());
  // A vertex's rows side by side: a neighbour is then one piece of memory.
  Panel x(3 * n, panel);
  for (Index first = 0; first < X.cols(); first += panel) {
    const Index width = std::min<Index>(panel, X.cols() - first);
    parallel_for_chunks(3 * n, rows_a_task, [&](Index begin, Index end) {
      auto rows = x.middleRows(begin, end - begin);
      if (width < panel) rows.setZero();
      rows.leftCols(width) = X.block(begin, first, end - begin, width);
    });
    parallel_for(n, 256, [&](Index i) {
      const auto row = static_cast<std::size_t>(i);
      BlockRow sum = BlockRow::Zero();
      for (int b = A.row_start[row]; b < A.row_start[row + 1]; ++b) {
        const auto k = static_cast<std::size_t>(b);
        sum.noalias() += A.block(A.row_blocks[k]) * x.middleRows<3>(3 * A.row_columns[k]);
      }
      for (int b = A.column_start[row]; b < A.column_start[row + 1]; ++b)
        sum.noalias() += A.block(b).transpose() * x.middleRows<3>(3 * A.rows[static_cast<std::size_t>(b)]);
      Y.block(3 * i, first, 3, width) = sum.leftCols(width);
    });
  }
  return Y;
}

}  // namespace pliant
