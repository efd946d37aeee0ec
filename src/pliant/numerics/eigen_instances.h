#pragma once
// Eigen's products and decompositions of dense matrices are templates: every file that multiplies two matrices compiles
// the same kernels again, and that was most of what a build did. The ones below are compiled once, in
// eigen_instances.cpp. The precompiled headers include this file; where it is not included, things compile as ever.
//
// Functions that are inline, in C++'s sense, are compiled wherever they are called. So the list has the outermost
// functions of Eigen that are not.
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

#ifndef PLIANT_EIGEN_INSTANCE
#define PLIANT_EIGEN_INSTANCE extern template
#endif

namespace pliant::eigen_types {

// What products call their operands and their result.
template <int order>
using Operand = Eigen::internal::const_blas_data_mapper<double, Eigen::Index, order>;
using Result = Eigen::internal::blas_data_mapper<double, Eigen::Index, Eigen::ColMajor, Eigen::Unaligned, 1>;

// Blocks of a product, as wide as the machine's registers.
using Traits = Eigen::internal::gebp_traits<double, double>;
using Packet = Traits::LhsPacket4Packing;
constexpr int mr = Traits::mr;
constexpr int nr = Traits::nr;
constexpr int progress = Traits::LhsProgress;

// Householder reflections: panels of a matrix, and the coefficients that go with them.
using Panel = Eigen::Block<Eigen::MatrixXd, Eigen::Dynamic, Eigen::Dynamic>;
using PanelColumn = Eigen::Block<const Eigen::MatrixXd, Eigen::Dynamic, 1>;
using Coefficients = Eigen::VectorBlock<const Eigen::VectorXd>;
using Vector8d = Eigen::Matrix<double, 8, 1>;  // between the diagonals of a 9 x 9 matrix
using Vector9d = Eigen::Matrix<double, 9, 1>;
using Matrix9d = Eigen::Matrix<double, 9, 9>;
using RowMatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace pliant::eigen_types

namespace Eigen::internal {

namespace pe = pliant::eigen_types;

// === Matrix times matrix
PLIANT_EIGEN_INSTANCE struct gebp_kernel<double, double, Index, pe::Result, pe::mr, pe::nr, false, false>;
PLIANT_EIGEN_INSTANCE struct gemm_pack_lhs<double, Index, pe::Operand<0>, pe::mr, pe::progress, pe::Packet,
                                           0>;
PLIANT_EIGEN_INSTANCE struct gemm_pack_lhs<double, Index, pe::Operand<1>, pe::mr, pe::progress, pe::Packet,
                                           1>;
PLIANT_EIGEN_INSTANCE struct gemm_pack_rhs<double, Index, pe::Operand<0>, pe::nr, 0>;
PLIANT_EIGEN_INSTANCE struct gemm_pack_rhs<double, Index, pe::Operand<1>, pe::nr, 1>;
PLIANT_EIGEN_INSTANCE void evaluateProductBlockingSizesHeuristic<double, double, 1, Index>(Index&, Index&,
                                                                                           Index&, Index);
PLIANT_EIGEN_INSTANCE void evaluateProductBlockingSizesHeuristic<double, double, 4, Index>(Index&, Index&,
                                                                                           Index&, Index);

// === Matrix times vector
PLIANT_EIGEN_INSTANCE struct general_matrix_vector_product<Index, double, pe::Operand<0>, 0, false, double,
                                                           pe::Operand<0>, false, 0>;
PLIANT_EIGEN_INSTANCE struct general_matrix_vector_product<Index, double, pe::Operand<0>, 0, false, double,
                                                           pe::Operand<1>, false, 0>;
PLIANT_EIGEN_INSTANCE struct general_matrix_vector_product<Index, double, pe::Operand<1>, 1, false, double,
                                                           pe::Operand<0>, false, 0>;
PLIANT_EIGEN_INSTANCE struct general_matrix_vector_product<Index, double, pe::Operand<1>, 1, false, double,
                                                           pe::Operand<1>, false, 1>;

// === Triangular matrices: products and solves
PLIANT_EIGEN_INSTANCE struct product_triangular_matrix_matrix<double, Index, Upper, true, RowMajor, false,
                                                              ColMajor, false, ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct product_triangular_matrix_matrix<double, Index, UnitUpper, true, RowMajor, false,
                                                              ColMajor, false, ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct product_triangular_matrix_matrix<double, Index, Lower, true, ColMajor, false,
                                                              ColMajor, false, ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct product_triangular_matrix_matrix<double, Index, UnitLower, true, ColMajor, false,
                                                              ColMajor, false, ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct triangular_matrix_vector_product<Index, UnitUpper, double, false, double, false,
                                                              RowMajor>;
PLIANT_EIGEN_INSTANCE struct triangular_solve_matrix<double, Index, OnTheLeft, Lower, false, ColMajor,
                                                     ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, ColMajor,
                                                     ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, RowMajor,
                                                     ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct triangular_solve_matrix<double, Index, OnTheLeft, UnitLower, false, ColMajor,
                                                     ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct triangular_solve_matrix<double, Index, OnTheRight, Upper, false, RowMajor,
                                                     ColMajor, 1>;

// === Decompositions
PLIANT_EIGEN_INSTANCE void
make_block_householder_triangular_factor<pe::RowMatrixXd, pe::Panel, pe::Coefficients>(
    pe::RowMatrixXd&, const pe::Panel&, const pe::Coefficients&);
PLIANT_EIGEN_INSTANCE void apply_block_householder_on_the_left<pe::Panel, pe::Panel, pe::Coefficients>(
    pe::Panel&, const pe::Panel&, const pe::Coefficients&, bool);
PLIANT_EIGEN_INSTANCE void tridiagonalization_inplace<MatrixXd, VectorXd, VectorXd, VectorXd>(
    MatrixXd&, VectorXd&, VectorXd&, VectorXd&, bool);
PLIANT_EIGEN_INSTANCE ComputationInfo computeFromTridiagonal_impl<MatrixXd, VectorXd, VectorXd>(VectorXd&,
                                                                                                VectorXd&,
                                                                                                Index, bool,
                                                                                                MatrixXd&);
PLIANT_EIGEN_INSTANCE void tridiagonalization_inplace<pe::Matrix9d, pe::Vector9d, pe::Vector8d, pe::Vector8d>(
    pe::Matrix9d&, pe::Vector9d&, pe::Vector8d&, pe::Vector8d&, bool);
PLIANT_EIGEN_INSTANCE ComputationInfo computeFromTridiagonal_impl<pe::Matrix9d, pe::Vector9d, pe::Vector8d>(
    pe::Vector9d&, pe::Vector8d&, Index, bool, pe::Matrix9d&);

}  // namespace Eigen::internal

namespace Eigen {

PLIANT_EIGEN_INSTANCE SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute<MatrixXd>(
    const EigenBase<MatrixXd>&, int);
PLIANT_EIGEN_INSTANCE GeneralizedSelfAdjointEigenSolver<MatrixXd>&
GeneralizedSelfAdjointEigenSolver<MatrixXd>::compute(const MatrixXd&, const MatrixXd&, int);
PLIANT_EIGEN_INSTANCE LLT<MatrixXd>& LLT<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&);
PLIANT_EIGEN_INSTANCE LDLT<MatrixXd>& LDLT<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&);
PLIANT_EIGEN_INSTANCE void HouseholderQR<MatrixXd>::computeInPlace();
PLIANT_EIGEN_INSTANCE void ColPivHouseholderQR<MatrixXd>::computeInPlace();
PLIANT_EIGEN_INSTANCE JacobiSVD<MatrixXd>& JacobiSVD<MatrixXd>::compute(const MatrixXd&, unsigned int);
PLIANT_EIGEN_INSTANCE void JacobiSVD<MatrixXd>::allocate(Index, Index, unsigned int);
PLIANT_EIGEN_INSTANCE void MatrixBase<pliant::eigen_types::Panel>::applyHouseholderOnTheLeft(
    const pliant::eigen_types::PanelColumn&, const double&, double*);
PLIANT_EIGEN_INSTANCE void MatrixBase<pliant::eigen_types::Panel>::applyHouseholderOnTheRight(
    const pliant::eigen_types::PanelColumn&, const double&, double*);

}  // namespace Eigen
