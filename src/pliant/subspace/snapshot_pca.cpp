#include "pliant/subspace/snapshot_pca.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/measures.h"
#include "pliant/numerics/tall_products.h"
#include "pliant/subspace/snapshot_rows.h"

namespace pliant {
namespace {

constexpr double resolved = 3e-8;       // of the largest singular value
constexpr double least_motion = 1e-12;  // of the box: less is rounding
constexpr double gigabyte = 1 << 30;

void check(const SnapshotFrames& frames, const Points& rest, const SnapshotPcaOptions& options) {
  if (frames.count == 0) throw InputError("snapshots: no frame; expected one or more");
  if (frames.vertices != rest.rows())
    throw InputError(fmt::format("snapshots: frames have {} vertices and the mesh {}; expected the same mesh",
                                 frames.vertices, rest.rows()));
  if (options.components < 1)
    throw InputError(
        fmt::format("snapshots: {} components asked for; expected 1 or more", options.components));
  const Index observations = frames.count * (options.coordinates == SnapshotCoordinates::shared ? 3 : 1);
  if (options.components > observations)
    throw InputError(fmt::format(
        "snapshots: {} components of {} frames asked for; expected at most {} with {} coordinates",
        options.components, frames.count, observations, name(options.coordinates)));
}

[[noreturn]] void no_motion(const SnapshotPcaOptions& options) {
  throw InputError(options.appended == AppendedMotions::none
                       ? "snapshots: nothing moves in any frame; expected some motion"
                       : "snapshots: no frame moves but as a whole; expected some deformation");
}

/// Σ of squares below which there is no motion.
double nothing(const SnapshotRows& rows, const Points& rest) {
  const double length = least_motion * bounding_box(rest).diagonal();
  double mass = 0;
  for (Index v = 0; v < rows.vertices(); ++v)
    mass += rows.root_mass(v * rows.per_vertex()) * rows.root_mass(v * rows.per_vertex());
  return length * length * mass * static_cast<double>(rows.observations());
}

Index stretch(const SnapshotRows& rows, double memory_gb) {
  const double bytes = 8.0 * static_cast<double>(rows.per_vertex() * rows.observations());
  return std::clamp<Index>(static_cast<Index>(memory_gb * gigabyte / 4 / bytes), 1, 4096);
}

/// The strongest directions of a symmetric matrix, descending.
struct Strongest {
  VectorXd values;  // all
  MatrixXd vectors;
};
Strongest strongest(const MatrixXd& gram, Index count) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(gram);
  return {eigen.eigenvalues().reverse().cwiseMax(0),
          eigen.eigenvectors().rightCols(std::min(count, gram.cols())).rowwise().reverse()};
}

struct Components {
  MatrixXd U;
  VectorXd singular_values;
};

Components components_of(const SnapshotRows& rows, const Points& rest, const SnapshotPcaOptions& options) {
  const Index N = rows.rows(), T = rows.observations(), step = stretch(rows, options.memory_gb);
  const bool by_observations = T <= N;
  MatrixXd gram = MatrixXd::Zero(std::min(N, T), std::min(N, T));
  SnapshotMatrix some;
  if (by_observations) {
    for (Index first = 0; first < rows.vertices(); first += step) {
      report(options.progress, "correlations",
             static_cast<double>(first) / static_cast<double>(rows.vertices()));
      rows.read(first, std::min(step, rows.vertices() - first), some);
      add_gram_of_rows(some, gram);
    }
  } else {
    some = rows.all();
    add_gram_of_rows(SnapshotMatrix(some.transpose()), gram);
  }
  report(options.progress, "components", 0);
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  if (!(gram.trace() > nothing(rows, rest))) no_motion(options);
  const Strongest found = strongest(gram, options.components);
  Components out;
  out.singular_values = found.values.cwiseSqrt();
  Index kept = 0;
  double left = found.values.sum();
  const double whole = left;
  while (kept < found.vectors.cols() && out.singular_values[kept] > resolved * out.singular_values[0] &&
         left > options.tolerance * options.tolerance * whole)
    left -= found.values[kept++];

  out.U.resize(N, kept);
  if (by_observations) {
    const MatrixXd turned =
        found.vectors.leftCols(kept) * out.singular_values.head(kept).cwiseInverse().asDiagonal();
    for (Index first = 0; first < rows.vertices(); first += step) {
      rows.read(first, std::min(step, rows.vertices() - first), some);
      constexpr Index rows_at_once = 256;
      parallel_for_chunks(some.rows(), rows_at_once, [&](Index begin, Index end) {
        multiply_rows(some, begin, turned, out.U.middleRows(first * rows.per_vertex() + begin, end - begin));
      });
    }
    // Small singular values lose orthogonality in the division: once more.
    const MatrixXd products = inner_products(out.U, out.U);
    const Eigen::LLT<MatrixXd> factor(products);
    if (factor.info() == Eigen::Success) {
      const MatrixXd straightened = factor.matrixU().solve(MatrixXd::Identity(kept, kept));
      multiply_tall_in_place(out.U, straightened);
    }
  } else {
    out.U = found.vectors.leftCols(kept);
  }
  for (Index r = 0; r < N; ++r) out.U.row(r) /= rows.root_mass(r);
  return out;
}

/// Joins columns of the parts behind those that are appended; parts may have found fewer.
void join(SnapshotBasis& basis, std::vector<MatrixXd> parts) {
  Index columns = 0;
  for (const MatrixXd& part : parts) columns = std::max(columns, part.cols());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    MatrixXd joined = MatrixXd::Zero(basis.U[p].rows(), basis.appended + columns);
    joined.leftCols(basis.appended) = basis.U[p];
    joined.middleCols(basis.appended, parts[p].cols()) = parts[p];
    basis.U[p] = std::move(joined);
  }
}

/// One part of local components.
class Localizer {
 public:
  Localizer(const SnapshotRows& rows, const Points& rest, GeodesicSolver& solver,
            const SnapshotPcaOptions& options, const SupportOptions& supports)
      : rows_(rows), solver_(solver), options_(options), supports_(supports), Y_(rows.all()) {
    const double box = bounding_box(rest).diagonal();
    inner_ = supports.inner * box, outer_ = supports.outer * box;
    left_.resize(rows.vertices());
    parallel_for(rows.vertices(), 256, [&](Index v) { left_[v] = moved(v); });
    whole_ = left_.sum();
    if (!(whole_ > nothing(rows, rest))) no_motion(options);
  }

  /// Columns, and the vertex of each into `centers`.
  MatrixXd find(std::vector<int>& centers) {
    MatrixXd U(rows_.rows(), options_.components);
    Index k = 0;
    for (; k < options_.components; ++k) {
      report(options_.progress, "components",
             static_cast<double>(k) / static_cast<double>(options_.components));
      if (left_.sum() <= std::max(options_.tolerance * options_.tolerance, 1e-24) * whole_) break;
      Index center = 0;
      left_.maxCoeff(&center);
      U.col(k).setZero();
      if (!take_out(center, U.col(k))) break;
      centers.push_back(static_cast<int>(center));
    }
    U.conservativeResize(Eigen::NoChange, k);
    return U;
  }

 private:
  Index per() const { return rows_.per_vertex(); }
  double moved(Index v) const { return Y_.middleRows(v * per(), per()).squaredNorm(); }

  /// The first principal component of a vertex' motion: how strong it is in each observation.
  VectorXd course_of(Index v) const {
    if (per() == 1) return Y_.row(v).transpose().normalized();
    const auto block = Y_.middleRows(v * 3, 3);
    const Eigen::SelfAdjointEigenSolver<Matrix3d> eigen(Matrix3d(block * block.transpose()));
    return (eigen.eigenvectors().col(2).transpose() * block).transpose().normalized();
  }

  void find_support(Index center) {
    support_.clear();
    if (!supports_.regions.empty()) {
      const int region = supports_.regions[static_cast<std::size_t>(center)];
      for (Index v = 0; v < rows_.vertices(); ++v)
        if (supports_.regions[static_cast<std::size_t>(v)] == region) support_.push_back({v, 1});
      return;
    }
    const int source = static_cast<int>(center);
    for (const GeodesicReach& reach : solver_.reach(std::span(&source, 1), {.max_distance = outer_})) {
      const double part = support(reach.distance, inner_, outer_);
      if (part > 0) support_.push_back({reach.vertex, part});
    }
    std::sort(support_.begin(), support_.end(),
              [](const Part& a, const Part& b) { return a.vertex < b.vertex; });
  }

  template <class Column>
  bool take_out(Index center, Column&& column) {
    const VectorXd course = course_of(center);
    find_support(center);
    const Index count = static_cast<Index>(support_.size()), T = rows_.observations();
    const Index chunks = (count + chunk - 1) / chunk;
    VectorXd u(count * per());
    // The recorded motion is larger than any cache: its rows are read once for u and for what u is of every observation.
    MatrixXd partial = MatrixXd::Zero(T, chunks);
    parallel_for(chunks, 1, [&](Index j) {
      for (Index i = j * chunk; i < std::min(count, (j + 1) * chunk); ++i) {
        const Part& part = support_[static_cast<std::size_t>(i)];
        for (Index c = 0; c < per(); ++c) {
          const auto row = Y_.row(part.vertex * per() + c);
          u[i * per() + c] = part.weight * row.dot(course);
          partial.col(j) += u[i * per() + c] * row.transpose();
        }
      }
    });
    const double length = u.norm();
    if (!(length > 0)) return false;
    u /= length;
    const VectorXd strength = partial.rowwise().sum() / length;
    // And once more to take that out.
    parallel_for(count, 64, [&](Index i) {
      const Index v = support_[static_cast<std::size_t>(i)].vertex;
      for (Index c = 0; c < per(); ++c) Y_.row(v * per() + c) -= u[i * per() + c] * strength.transpose();
      left_[v] = moved(v);
    });
    for (Index i = 0; i < count; ++i)
      for (Index c = 0; c < per(); ++c) {
        const Index row = support_[static_cast<std::size_t>(i)].vertex * per() + c;
        column[row] = u[i * per() + c] / rows_.root_mass(row);
      }
    return true;
  }

  struct Part {
    Index vertex;
    double weight;
  };
  static constexpr Index chunk = 256;
  const SnapshotRows& rows_;
  GeodesicSolver& solver_;
  const SnapshotPcaOptions& options_;
  const SupportOptions& supports_;
  double inner_ = 0, outer_ = 0, whole_ = 0;
  SnapshotMatrix Y_;
  VectorXd left_;  // a vertex: Σ of squares over observations
  std::vector<Part> support_;
};

}  // namespace

double support(double distance, double inner, double outer) {
  if (distance <= inner) return 1;
  if (distance >= outer) return 0;
  const double t = (distance - inner) / (outer - inner);
  return 1 - t * t * (3 - 2 * t);
}

SnapshotBasis snapshot_pca(const SnapshotFrames& frames, const Points& rest, const VectorXd& masses,
                           const SnapshotPcaOptions& options) {
  check(frames, rest, options);
  SnapshotBasis basis = appended_basis(rest, masses, options.coordinates, options.appended);
  std::vector<MatrixXd> parts;
  std::vector<double> values;
  for (int part = 0; part < static_cast<int>(basis.U.size()); ++part) {
    Components found = components_of(SnapshotRows(frames, basis, masses, part), rest, options);
    parts.push_back(std::move(found.U));
    values.insert(values.end(), found.singular_values.begin(), found.singular_values.end());
  }
  basis.singular_values = Eigen::Map<VectorXd>(values.data(), static_cast<Index>(values.size()));
  join(basis, std::move(parts));
  basis.centers.clear();
  return basis;
}

SnapshotBasis localized_pca(const SnapshotFrames& frames, const Points& rest, const VectorXd& masses,
                            GeodesicSolver& solver, const SnapshotPcaOptions& options,
                            const SupportOptions& supports) {
  check(frames, rest, options);
  if (!(supports.inner >= 0 && supports.outer > supports.inner))
    throw InputError(
        fmt::format("localized_pca: support from {} to {} box diagonals; expected 0 <= inner < outer",
                    supports.inner, supports.outer));
  if (!supports.regions.empty() && static_cast<Index>(supports.regions.size()) != rest.rows())
    throw InputError(fmt::format("localized_pca: {} regions for {} vertices; expected one a vertex",
                                 supports.regions.size(), rest.rows()));
  const double needed = 24.0 * static_cast<double>(frames.count * frames.vertices) / gigabyte;
  if (needed > options.memory_gb)
    throw InputError(
        fmt::format("localized_pca: {} frames of {} vertices take {:.3g} GB; expected at most {:.3g}: take "
                    "every other frame",
                    frames.count, frames.vertices, needed, options.memory_gb));
  SnapshotBasis basis = appended_basis(rest, masses, options.coordinates, options.appended);
  std::vector<MatrixXd> parts;
  for (int part = 0; part < static_cast<int>(basis.U.size()); ++part) {
    const SnapshotRows rows(frames, basis, masses, part);
    std::vector<int> centers;
    parts.push_back(Localizer(rows, rest, solver, options, supports).find(centers));
    if (part == 0) basis.centers.insert(basis.centers.end(), centers.begin(), centers.end());
  }
  join(basis, std::move(parts));
  basis.centers.resize(static_cast<std::size_t>(basis.columns()), -1);
  return basis;
}

}  // namespace pliant
