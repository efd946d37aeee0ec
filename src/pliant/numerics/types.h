#pragma once
// The matrix types that cross module borders, and the words for them.
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>

#include "pliant/base/parallel.h"

namespace pliant {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::Vector3i;
using Eigen::Vector4d;
using Eigen::Vector4i;
using Eigen::VectorXd;
using Eigen::VectorXi;

// Row-major: an element's vertices and a vertex's coordinates lie together, as numpy and graphics cards
// expect them.
using Points = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;           ///< n x 3, metres
using Edges = Eigen::Matrix<std::int32_t, Eigen::Dynamic, 2, Eigen::RowMajor>;      ///< e x 2 vertex ids
using Triangles = Eigen::Matrix<std::int32_t, Eigen::Dynamic, 3, Eigen::RowMajor>;  ///< t x 3 vertex ids
using Tets = Eigen::Matrix<std::int32_t, Eigen::Dynamic, 4, Eigen::RowMajor>;       ///< m x 4 vertex ids

using SparseMatrix = Eigen::SparseMatrix<double>;                 ///< column-major
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;  ///< row-major, for products in parallel

}  // namespace pliant
