#include "pliant/io/morph_fit.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr Index kVerticesAtOnce = 1024;

// Displacements of some vertices, a row a frame: f x 3 (end - begin).
MatrixXd displacements(const Points& rest, const std::vector<Points>& frames,
                       const std::vector<Index>& chosen, Index begin, Index end) {
  MatrixXd D(static_cast<Index>(chosen.size()), 3 * (end - begin));
  for (Index row = 0; row < D.rows(); ++row) {
    const Points& frame = frames[static_cast<std::size_t>(chosen[static_cast<std::size_t>(row)])];
    D.row(row) = Eigen::Map<const VectorXd>(frame.data() + 3 * begin, D.cols()) -
                 Eigen::Map<const VectorXd>(rest.data() + 3 * begin, D.cols());
  }
  return D;
}

// sum_i weights(f, i) targets[i] of some vertices, a row a frame.
template <class Target>
MatrixXd combined(const std::vector<Target>& targets, const MatrixXd& weights, Index begin, Index end) {
  MatrixXd T(static_cast<Index>(targets.size()), 3 * (end - begin));
  for (Index i = 0; i < T.rows(); ++i)
    T.row(i) = Eigen::Map<const VectorXd>(targets[static_cast<std::size_t>(i)].data() + 3 * begin, T.cols());
  return weights * T;
}

}  // namespace

Points smooth_normals(const Points& vertices, const Triangles& triangles) {
  Points normals = Points::Zero(vertices.rows(), 3);
  for (Index t = 0; t < triangles.rows(); ++t) {
    const Vector3d a = vertices.row(triangles(t, 0)), b = vertices.row(triangles(t, 1)),
                   c = vertices.row(triangles(t, 2));
    const Vector3d area = (b - a).cross(c - a);  // twice its area long
    for (int corner = 0; corner < 3; ++corner) normals.row(triangles(t, corner)) += area.transpose();
  }
  for (Index i = 0; i < normals.rows(); ++i) {
    const double length = normals.row(i).norm();
    if (length > 0 && std::isfinite(length))
      normals.row(i) /= length;
    else
      normals.row(i) = Vector3d::UnitY().transpose();
  }
  return normals;
}

MorphFit fit_morph_targets(const Points& rest, const std::vector<Points>& frames,
                           const MorphFitOptions& options) {
  const Index n = rest.rows(), frame_count = static_cast<Index>(frames.size());
  if (options.vertex_weights.size() != 0 &&
      (options.vertex_weights.size() != n || !(options.vertex_weights.array() > 0).all()))
    throw InputError(
        fmt::format("{} vertex weights; expected {}, all above 0", options.vertex_weights.size(), n));
  VectorXd mass = VectorXd::Ones(3 * n);
  for (Index i = 0; i < n && options.vertex_weights.size() != 0; ++i)
    mass.segment<3>(3 * i).setConstant(options.vertex_weights[i]);

  // === Gram matrix of the frames: small, whatever the mesh
  const Index sampled = std::min<Index>(frame_count, std::max(options.fitted_frames, options.targets));
  std::vector<Index> chosen, all;
  for (Index s = 0; s < sampled; ++s) chosen.push_back(s * frame_count / sampled);
  for (Index f = 0; f < frame_count; ++f) all.push_back(f);
  const MatrixXd gram = parallel_reduce(
      n, kVerticesAtOnce, MatrixXd(MatrixXd::Zero(sampled, sampled)),
      [&](Index begin, Index end) -> MatrixXd {
        const MatrixXd D = displacements(rest, frames, chosen, begin, end);
        return D * mass.segment(3 * begin, 3 * (end - begin)).asDiagonal() * D.transpose();
      },
      [](MatrixXd a, const MatrixXd& b) -> MatrixXd { return a += b; });

  // === Its largest eigenpairs are the principal components: D^T M D v = s^2 v, target = D^T v / s
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(gram);
  const VectorXd values = eigen.eigenvalues().reverse();
  Index count = std::min<Index>(options.targets, sampled);
  while (count > 1 && !(values[count - 1] > 1e-12 * values[0])) --count;
  MatrixXd V(sampled, count);
  for (Index i = 0; i < count; ++i)
    V.col(i) = eigen.eigenvectors().col(sampled - 1 - i) / std::sqrt(std::max(values[i], 1e-300));

  MorphFit fit;
  fit.targets.assign(static_cast<std::size_t>(count), Points(n, 3));
  parallel_for_chunks(n, kVerticesAtOnce, [&](Index begin, Index end) {
    const MatrixXd T = V.transpose() * displacements(rest, frames, chosen, begin, end);
    for (Index i = 0; i < count; ++i)
      Eigen::Map<VectorXd>(fit.targets[static_cast<std::size_t>(i)].data() + 3 * begin, T.cols()) = T.row(i);
  });

  // === Every frame's weights: its product with the orthonormal targets
  fit.weights = parallel_reduce(
      n, kVerticesAtOnce, MatrixXd(MatrixXd::Zero(frame_count, count)),
      [&](Index begin, Index end) -> MatrixXd {
        const MatrixXd D = displacements(rest, frames, all, begin, end);
        MatrixXd T(D.cols(), count);
        for (Index i = 0; i < count; ++i)
          T.col(i) = Eigen::Map<const VectorXd>(fit.targets[static_cast<std::size_t>(i)].data() + 3 * begin,
                                                T.rows());
        return D * mass.segment(3 * begin, 3 * (end - begin)).asDiagonal() * T;
      },
      [](MatrixXd a, const MatrixXd& b) -> MatrixXd { return a += b; });
  for (Index i = 0; i < count; ++i) {
    const double largest = fit.weights.col(i).cwiseAbs().maxCoeff();
    if (!(largest > 0)) continue;
    fit.weights.col(i) /= largest;
    fit.targets[static_cast<std::size_t>(i)] *= largest;
  }

  // === The error, of what a file will hold
  std::vector<Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>> rounded;
  for (const Points& target : fit.targets) rounded.push_back(target.cast<float>().cast<double>());
  const MatrixXd rounded_weights = fit.weights.cast<float>().cast<double>();
  const Points rounded_rest = rest.cast<float>().cast<double>();
  struct Sum {
    double largest = 0, squares = 0;
  };
  const Sum sum = parallel_reduce(
      n, kVerticesAtOnce, Sum{},
      [&](Index begin, Index end) {
        const MatrixXd missing = displacements(rounded_rest, frames, all, begin, end) -
                                 combined(rounded, rounded_weights, begin, end);
        Sum part;
        for (Index f = 0; f < missing.rows(); ++f)
          for (Index i = 0; i < missing.cols(); i += 3) {
            const double square = missing.row(f).segment<3>(i).squaredNorm();
            part.largest = std::max(part.largest, square);
            part.squares += square;
          }
        return part;
      },
      [](Sum a, const Sum& b) {
        return Sum{std::max(a.largest, b.largest), a.squares + b.squares};
      });
  const double diagonal = (rest.colwise().maxCoeff() - rest.colwise().minCoeff()).norm();
  const double scale = diagonal > 0 ? 1 / diagonal : 1;
  fit.largest_error = std::sqrt(sum.largest) * scale;
  fit.rms_error = std::sqrt(sum.squares / static_cast<double>(n * frame_count)) * scale;
  return fit;
}

std::vector<Points> fit_normal_targets(const TriMesh& surface, const std::vector<Points>& targets,
                                       const MatrixXd& weights) {
  const Index n = surface.vertex_count(), frames = weights.rows(), count = weights.cols();
  // Normal equations (W^T W + small) dN = W^T (N - N_0), frame by frame, so that no motion is held in memory.
  MatrixXd system = weights.transpose() * weights;
  const double scale = system.trace() / static_cast<double>(count);
  std::vector<Points> result(static_cast<std::size_t>(count), Points(Points::Zero(n, 3)));
  if (!(scale > 0)) return result;
  system.diagonal().array() += 1e-9 * scale;
  const MatrixXd solve = system.ldlt().solve(weights.transpose());  // k x frames

  const Points rest = smooth_normals(surface.vertices, surface.triangles);
  Points positions(n, 3);
  for (Index f = 0; f < frames; ++f) {
    parallel_for_chunks(n, kVerticesAtOnce, [&](Index begin, Index end) {
      const VectorXd moved = combined(targets, weights.row(f), begin, end).transpose();
      Eigen::Map<VectorXd>(positions.data() + 3 * begin, moved.size()) =
          Eigen::Map<const VectorXd>(surface.vertices.data() + 3 * begin, moved.size()) + moved;
    });
    const Points change = smooth_normals(positions, surface.triangles) - rest;
    parallel_for(count, 1, [&](Index i) { result[static_cast<std::size_t>(i)] += solve(i, f) * change; });
  }
  return result;
}

}  // namespace pliant
