#include "pliant/server/body_modes.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/base/rng.h"
#include "pliant/numerics/dense_cholesky.h"
#include "pliant/reduced/hrpd.h"
#include "pliant/reduced/newmark_broyden.h"

namespace pliant::server {
namespace {

constexpr int most_modes = 30;
constexpr double to_hz = 1 / (2 * M_PI);

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Displacements of the surface by coordinates: what a page does.
double largest_displacement(const DrawnBody& drawn, const std::vector<float>& q) {
  double largest = 0;
  for (Index p = 0; p < drawn.surface; ++p) {
    Vector3d sum = Vector3d::Zero();
    if (drawn.decode == Decode::skinning) {
      for (std::size_t e = drawn.first[at(p)]; e < drawn.first[at(p) + 1]; ++e)
        for (std::size_t k = 0; k < 4; ++k)
          for (std::size_t c = 0; c < 3; ++c)
            sum[static_cast<Index>(c)] +=
                static_cast<double>(drawn.columns[4 * e + k] * q[12 * drawn.handle[e] + 3 * k + c]);
    } else {
      const Eigen::Map<const Eigen::VectorXf> coordinates(q.data(), static_cast<Index>(q.size()));
      sum = (drawn.U.middleRows(3 * p, 3) * coordinates).cast<double>();
    }
    largest = std::max(largest, sum.norm());
  }
  return largest;
}

void add_mode(double frequency, std::vector<float> q, const DrawnBody& drawn,
              std::vector<double>& frequencies, BodyModes& out) {
  const double largest = largest_displacement(drawn, q);
  if (!(largest > 0)) return;
  for (float& x : q) x = static_cast<float>(static_cast<double>(x) / largest);
  frequencies.push_back(frequency);
  out.vectors.push_back(std::move(q));
}

/// The first coordinate that is no rigid motion, and how many follow that are shown.
std::pair<Index, Index> elastic(const ReducedFem& model) {
  Index first = 0;
  const double high = model.eigenvalues.maxCoeff();
  while (first < model.dimension() && !(model.eigenvalues[first] > 1e-9 * high)) ++first;
  return {first, std::min<Index>(most_modes, model.dimension() - first)};
}

/// What is new in some columns: M-orthonormal to V and to each other. Those that are combinations of others are left out.
MatrixXd orthonormal_part(const MatrixXd& V, const MatrixXd& M, MatrixXd Q) {
  for (int twice = 0; twice < 2 && V.cols() > 0; ++twice) Q -= V * (V.transpose() * (M * Q));
  Index kept = 0;
  for (Index j = 0; j < Q.cols(); ++j) {
    VectorXd q = Q.col(j);
    const double before = std::sqrt(q.dot(M * q));
    for (int twice = 0; twice < 2; ++twice) q -= Q.leftCols(kept) * (Q.leftCols(kept).transpose() * (M * q));
    const double length = std::sqrt(std::max(0.0, q.dot(M * q)));
    if (length > 1e-10 * before) Q.col(kept++) = q / length;
  }
  return Q.leftCols(kept);
}

struct Pairs {
  VectorXd values;
  MatrixXd vectors;
};

/// The lowest of K u = λ M u, both dense: Lanczos in blocks on the inverse of K + shift M, everything kept orthogonal. The
/// fit may leave K a little below zero: the shift grows until there is an inverse.
Pairs lowest_pairs(const MatrixXd& K, const MatrixXd& M, int count, const Progress& progress) {
  const Index n = K.rows();
  DenseCholesky factor;
  double shift = 1e-8 * K.trace() / M.trace();
  for (int tries = 0; !factor.factorize(K + shift * M); ++tries, shift *= 10)
    if (tries == 12) throw Error("mode: the stiffness at rest is not positive; modes cannot be found");
  constexpr Index block = 12;
  const Index wanted = std::min<Index>(n, 5 * Index{count});
  Rng rng(1);
  MatrixXd start(n, std::min(block, n));
  for (Index j = 0; j < start.cols(); ++j)
    for (Index i = 0; i < n; ++i) start(i, j) = rng.uniform(-1, 1);
  MatrixXd V(n, 0), Q = orthonormal_part(V, M, start);
  while (Q.cols() > 0 && V.cols() < wanted) {
    report(progress, "modes", 0);
    V.conservativeResize(n, V.cols() + Q.cols());
    V.rightCols(Q.cols()) = Q;
    MatrixXd next = M * Q;
    factor.solve(next.data(), static_cast<int>(next.cols()));
    Q = orthonormal_part(V, M, std::move(next));
  }
  const MatrixXd H = V.transpose() * (K * V);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen((H + H.transpose()) / 2);
  const Index found = std::min<Index>(count, V.cols());
  return {eigen.eigenvalues().head(found), V * eigen.eigenvectors().leftCols(found)};
}

/// Functions on the body in which modes are sought, as coordinates of one direction of space: the smoothest that the handles
/// can form, and the affine ones, which rotations need. M-orthonormal. Of rougher ones the fit of projections knows too little:
/// it may even push them.
MatrixXd smooth_functions(const HrpdModel& model, const MatrixXd& stiffness, const Progress& progress) {
  const SkinningBasis& basis = model.basis;
  std::vector<Index> kept;
  for (Index i = 0; i < model.columns(); ++i)
    if (!basis.dropped[at(i)]) kept.push_back(i);
  const MatrixXd M = model.mass(kept, kept);
  constexpr int smoothest = 100;
  const MatrixXd smooth = lowest_pairs(stiffness(kept, kept), M, smoothest, progress).vectors;
  MatrixXd affine = MatrixXd::Zero(model.columns(), 4);
  if (basis.given.cols() > 0) {
    // Columns of recorded motion: the nearest to affine functions that they have.
    MatrixXd pulled(model.columns(), 4);
    pulled.col(0) = pull_back(basis, Points(model.masses.replicate(1, 3))).col(0);
    pulled.rightCols(3) = pull_back(basis, Points(model.masses.asDiagonal() * basis.rest));
    const MatrixXd found = M.ldlt().solve(MatrixXd(pulled(kept, Eigen::all)));
    affine(kept, Eigen::all) = found;
  }
  for (Index h = 0; h < basis.weights.count() && basis.given.cols() == 0; ++h) {
    affine(4 * h, 0) = 1;
    for (Index c = 0; c < 3; ++c) {
      affine(4 * h, 1 + c) = basis.centers(h, c);
      affine(4 * h + 1 + c, 1 + c) = basis.weights.radius;
    }
  }
  MatrixXd start(static_cast<Index>(kept.size()), 4 + smooth.cols());
  start << affine(kept, Eigen::all), smooth;
  const MatrixXd some = orthonormal_part(MatrixXd(start.rows(), 0), M, start);
  MatrixXd out = MatrixXd::Zero(model.columns(), some.cols());
  out(kept, Eigen::all) = some;
  return out;
}

/// d force / dq at rest within these functions, three directions of each: how projections follow small movements, and what
/// they leave of K.
MatrixXd tangent_stiffness(const HrpdModel& model, const MatrixXd& stiffness, const MatrixXd& functions,
                           const Progress& progress) {
  const Points& X = model.basis.rest;
  const double small = 1e-5 * (X.colwise().maxCoeff() - X.colwise().minCoeff()).norm();
  HrpdEngine<double> engine(model);
  Team team;
  const MatrixXd at_rest = MatrixXd::Zero(model.columns(), 3);
  engine.begin_step(team, at_rest);
  engine.local_step(team, at_rest, 1);
  const auto pulled = [&](const MatrixXd& q) {
    engine.local_step(team, q, 1);
    MatrixXd sum = engine.pulled();
    for (std::size_t k = 0; k < model.kinds.size(); ++k) {
      if (model.kinds[k].samples.weighted()) continue;
      const MatrixXd found = engine.found(k);
      for (Index block = 0; block < found.cols() / 3; ++block)
        sum += model.kinds[k].map.middleCols(block * found.rows(), found.rows()) *
               found.middleCols<3>(3 * block);
    }
    return sum;
  };
  const Index count = functions.cols();
  MatrixXd K(3 * count, 3 * count);
  const MatrixXd of_functions = functions.transpose() * stiffness * functions;
  for (Index j = 0; j < count; ++j) {
    report(progress, "modes", static_cast<double>(j) / static_cast<double>(count));
    const double length = small / std::max(functions.col(j).cwiseAbs().maxCoeff(), 1e-300);
    for (Index c = 0; c < 3; ++c) {
      MatrixXd q = MatrixXd::Zero(model.columns(), 3);
      q.col(c) = length * functions.col(j);
      const MatrixXd slope = functions.transpose() * (pulled(q) - pulled(-q)) / (2 * length);
      for (Index d = 0; d < 3; ++d)
        for (Index i = 0; i < count; ++i)
          K(3 * i + d, 3 * j + c) = (c == d ? of_functions(i, j) : 0) - slope(i, d);
    }
  }
  return (K + K.transpose()) / 2;
}

/// The same of what the body is made of, where that is known: exact.
MatrixXd tangent_stiffness(const HrpdModel& model, const Body& body, const MatrixXd& functions) {
  const Index count = functions.cols(), n = body.vertex_count();
  MatrixXd shapes(n, count);  // the functions at vertices
  Points moved;
  for (Index j = 0; j < count; j += 3) {
    MatrixXd q = MatrixXd::Zero(model.columns(), 3);
    const Index some = std::min<Index>(3, count - j);
    q.leftCols(some) = functions.middleCols(j, some);
    positions(model.basis, q, moved);
    shapes.middleCols(j, some) = (moved - model.basis.rest).leftCols(some);
  }
  const SparseMatrix stiffness = body.stiffness(body.rest_positions());
  MatrixXd K(3 * count, 3 * count);
  parallel_for(3 * count, 1, [&](Index column) {
    VectorXd u = VectorXd::Zero(3 * n);
    for (Index i = 0; i < n; ++i) u[3 * i + column % 3] = shapes(i, column / 3);
    const VectorXd force = stiffness * u;
    const Eigen::Map<const Points> rows(force.data(), n, 3);
    const MatrixXd found = shapes.transpose() * rows;  // count x 3
    for (Index i = 0; i < count; ++i)
      for (Index d = 0; d < 3; ++d) K(3 * i + d, column) = found(i, d);
  });
  return (K + K.transpose()) / 2;
}

BodyModes hrpd_modes(const HrpdModel& model, const DrawnBody& drawn, const Body* body,
                     const Progress& progress) {
  MatrixXd stiffness = MatrixXd::Zero(model.columns(), model.columns());
  for (const ReducedConstraints& kind : model.kinds) stiffness += kind.stiffness;
  const MatrixXd functions = smooth_functions(model, stiffness, progress);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(
      body ? tangent_stiffness(model, *body, functions)
           : tangent_stiffness(model, stiffness, functions, progress));
  const VectorXd& values = eigen.eigenvalues();
  // Rigid motions have none but what rounding and the fit give them.
  const double least = 1e-6 * values[std::min<Index>(values.size() - 1, most_modes)];
  BodyModes out;
  std::vector<double> frequencies;
  for (Index m = 0; m < values.size() && static_cast<int>(frequencies.size()) < most_modes; ++m) {
    if (!(values[m] > std::max(least, 0.0))) continue;
    MatrixXd q = MatrixXd::Zero(model.columns(), 3);
    for (Index i = 0; i < functions.cols(); ++i)
      q += functions.col(i) * eigen.eigenvectors().col(m).segment<3>(3 * i).transpose();
    add_mode(std::sqrt(values[m]) * to_hz, to_floats(q), drawn, frequencies, out);
  }
  out.frequencies = Eigen::Map<const VectorXd>(frequencies.data(), static_cast<Index>(frequencies.size()));
  return out;
}

BodyModes fem_modes(const ReducedFem& model, const DrawnBody& drawn) {
  BodyModes out;
  std::vector<double> frequencies;
  const auto [first, count] = elastic(model);
  for (Index i = first; i < first + count; ++i) {
    std::vector<float> q(at(model.dimension()), 0);
    q[at(i)] = 1;
    add_mode(std::sqrt(model.eigenvalues[i]) * to_hz, std::move(q), drawn, frequencies, out);
  }
  out.frequencies = Eigen::Map<const VectorXd>(frequencies.data(), static_cast<Index>(frequencies.size()));
  return out;
}

}  // namespace

int mode_count(const Simulator& simulator) {
  if (const auto* fem = dynamic_cast<const NewmarkBroyden*>(&simulator))
    return static_cast<int>(elastic(fem->model()).second);
  const auto* hrpd = dynamic_cast<const Hrpd*>(&simulator);
  if (!hrpd || hrpd->model().all) return 0;
  return static_cast<int>(std::min<Index>(most_modes, hrpd->model().degrees_of_freedom() / 2));
}

VectorXd known_frequencies(const Simulator& simulator) {
  const auto* fem = dynamic_cast<const NewmarkBroyden*>(&simulator);
  if (!fem) return {};
  const auto [first, count] = elastic(fem->model());
  return fem->model().eigenvalues.segment(first, count).cwiseMax(0).cwiseSqrt() * to_hz;
}

BodyModes body_modes(const Simulator& simulator, const DrawnBody& drawn, const Body* body,
                     const Progress& progress) {
  if (const auto* fem = dynamic_cast<const NewmarkBroyden*>(&simulator)) {
    if (drawn.decode != Decode::dense)
      throw InputError("mode: this subspace is too large to be sent; expected fewer coordinates");
    return fem_modes(fem->model(), drawn);
  }
  if (const auto* hrpd = dynamic_cast<const Hrpd*>(&simulator); hrpd && !hrpd->model().all)
    return hrpd_modes(hrpd->model(), drawn, body, progress);
  throw InputError("mode: this body moves in full space; expected a reduced one");
}

}  // namespace pliant::server
