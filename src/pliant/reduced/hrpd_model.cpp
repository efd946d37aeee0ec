#include "pliant/reduced/hrpd_model.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/elasticity/projective_body.h"
#include "pliant/elasticity/projective_forces.h"
#include "pliant/hyperreduction/carrying_vertices.h"
#include "pliant/hyperreduction/constraint_samples.h"
#include "pliant/reduced/hrpd.h"

namespace pliant {
namespace {

constexpr Index largest_with_sight = 100'000;  // vertices

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A linear function of positions: numbers at vertices.
using Line = std::vector<std::pair<int, double>>;

/// The lines of a constraint: rows of S, and for bending the edges of the triangle that tells the side.
std::vector<Line> lines_of(const ProjectiveGroup& group, Index c) {
  MatrixXd S;
  constraint_rows(group, c, S);
  const auto ids = group.vertices_of(c);
  std::vector<Line> lines(at(S.rows()));
  for (Index r = 0; r < S.rows(); ++r)
    for (std::size_t k = 0; k < ids.size(); ++k)
      lines[at(r)].emplace_back(ids[k], S(r, static_cast<Index>(k)));
  if (group.kind == ProjectiveKind::bending) {
    const auto& side = group.sides[at(c)];
    lines.push_back({{side[0], -1.0}, {side[1], 1.0}});
    lines.push_back({{side[0], -1.0}, {side[2], 1.0}});
  }
  return lines;
}

/// The lines of a sample that stands for others.
struct SampleLines {
  std::vector<Line> lines;
  bool means = false;  ///< over more than the sample itself
};

/// The lines of samples of tets, mixed with their means over the constraints that each stands for.
std::vector<SampleLines> smoothed_lines(const ProjectiveGroup& group, const WeightedSamples& weighted,
                                        double smoothing) {
  constexpr int lines = 3;
  std::vector<std::vector<int>> members(weighted.samples.size());
  for (std::size_t c = 0; c < weighted.region.size(); ++c)
    if (weighted.region[c] >= 0) members[at(weighted.region[c])].push_back(static_cast<int>(c));
  std::vector<SampleLines> out(members.size());
  parallel_for(static_cast<Index>(members.size()), 16, [&](Index i) {
    std::vector<std::pair<int, Vector3d>> parts;  // a vertex, and its number in each line
    const auto add = [&](int c, double factor, const MatrixXd& S) {
      const auto ids = group.vertices_of(c);
      for (std::size_t k = 0; k < ids.size(); ++k)
        parts.emplace_back(ids[k], factor * S.col(static_cast<Index>(k)).head<lines>());
    };
    MatrixXd S;
    double whole = 0;
    for (const int c : members[at(i)]) {
      const double lambda = constraint_rows(group, c, S);
      whole += lambda;
      add(c, lambda, S);
    }
    const double share = whole > 0 ? smoothing / whole : 0;
    for (auto& [vertex, numbers] : parts) numbers *= share;
    constraint_rows(group, weighted.samples[at(i)], S);
    add(weighted.samples[at(i)], whole > 0 ? 1 - smoothing : 1, S);
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    out[at(i)].means = members[at(i)].size() > 1;
    out[at(i)].lines.resize(lines);
    for (std::size_t begin = 0, end = 0; begin < parts.size(); begin = end) {
      Vector3d sum = Vector3d::Zero();
      for (; end < parts.size() && parts[end].first == parts[begin].first; ++end) sum += parts[end].second;
      for (int line = 0; line < lines; ++line)
        out[at(i)].lines[at(line)].emplace_back(parts[begin].first, sum[line]);
    }
  });
  return out;
}

/// Handles that say less to a sample than a hundredth of what the first of them does hand that over to the nearest of the others,
/// so that affine maps of the body are seen as before: what the coefficients (c₀, c) of a handle at s say of x -> a + B x is
/// c₀ (a + B s) + r B c, and so one at s' says the same with (c₀, c + c₀ (s - s') / r).
void leave_out_faint(const SkinningBasis& basis, Index lines, std::map<int, VectorXd>& at_handles) {
  if (basis.given.cols() > 0) return;
  constexpr double faint = 0.01;
  double most = 0;
  for (const auto& [handle, values] : at_handles) most = std::max(most, values.squaredNorm());
  const auto is_whole = [&](int handle) {
    const auto first = basis.dropped.begin() + 4 * Index{handle};
    return std::count(first, first + 4, 0) == 4;
  };
  std::vector<int> left, kept;
  for (const auto& [handle, values] : at_handles)
    if (values.squaredNorm() < faint * faint * most)
      left.push_back(handle);
    else if (is_whole(handle))
      kept.push_back(handle);
  if (kept.empty()) return;
  for (const int from : left) {
    const auto distance = [&](int handle) {
      return (basis.centers.row(handle) - basis.centers.row(from)).squaredNorm();
    };
    const int to =
        *std::min_element(kept.begin(), kept.end(), [&](int a, int b) { return distance(a) < distance(b); });
    const VectorXd& given = at_handles[from];
    VectorXd& taken = at_handles[to];
    const Vector3d apart =
        (basis.centers.row(from) - basis.centers.row(to)).transpose() / basis.weights.radius;
    for (Index line = 0; line < lines; ++line) {
      taken.segment<4>(4 * line) += given.segment<4>(4 * line);
      taken.segment<3>(4 * line + 1) += given[4 * line] * apart;
    }
  }
  for (const int from : left) at_handles.erase(from);
}

/// @param given  lines of the samples in place of their own, if any
SampledConstraints sampled_constraints(const ProjectiveConstraints& constraints, const SkinningBasis& basis,
                                       const ProjectionFitting& fitting,
                                       const std::vector<SampleLines>& given = {}) {
  const ProjectiveGroup& group = constraints.group(fitting.kind);
  const Index count = static_cast<Index>(fitting.samples.size()), lines = line_count(fitting.kind);
  SampledConstraints out;
  out.kind = fitting.kind;
  out.rows = fitting.rows, out.width = fitting.width, out.fit = fitting.fit;
  out.rest_projections = projections_at(group, fitting.samples, constraints.rest);
  out.parameters.resize(group.parameters.rows(), count);
  out.rest_lines.resize(3 * lines, count);
  // Lines are rows of S already, where a body has edges and their inverse at rest.
  const int vertices = shape_of(fitting.kind).vertices;
  const Index edges = vertices >= 3 ? vertices - 1 : 0;
  std::vector<Eigen::VectorXd> entries;
  out.corners.setConstant(count, 4, -1);
  for (Index i = 0; i < count; ++i) {
    const int c = fitting.samples[at(i)];
    const auto ids = group.vertices_of(c);
    const std::size_t shown =
        fitting.kind == ProjectiveKind::bending ? 1 : std::min<std::size_t>(ids.size(), 4);
    for (std::size_t k = 0; k < shown; ++k) out.corners(i, static_cast<Index>(k)) = ids[k];
    out.parameters.col(i) = group.parameters.col(c);
    if (edges > 0) out.parameters.col(i).head(edges * edges) = MatrixXd::Identity(edges, edges).reshaped();
    const std::vector<Line> of_sample = given.empty() ? lines_of(group, c) : given[at(i)].lines;
    std::map<int, VectorXd> at_handles;
    for (Index line = 0; line < lines; ++line) {
      Vector3d rest = Vector3d::Zero();
      for (const auto& [vertex, value] : of_sample[at(line)]) {
        rest += value * constraints.rest.row(vertex).transpose();
        for (Index e = basis.weights.first[at(vertex)]; e < basis.weights.first[at(vertex) + 1]; ++e) {
          VectorXd& here = at_handles[basis.weights.handle[at(e)]];
          if (here.size() == 0) here.setZero(4 * lines);
          here.segment<4>(4 * line) += value * columns_of(basis, vertex, e);
        }
      }
      out.rest_lines.col(i).segment<3>(3 * line) = rest;
    }
    if (!given.empty() && given[at(i)].means) leave_out_faint(basis, lines, at_handles);
    for (const auto& [handle, values] : at_handles) {
      out.handle.push_back(handle);
      entries.push_back(values);
    }
    out.first.push_back(static_cast<int>(out.handle.size()));
  }
  out.coefficients.resize(4 * lines, static_cast<Index>(entries.size()));
  for (std::size_t e = 0; e < entries.size(); ++e) out.coefficients.col(static_cast<Index>(e)) = entries[e];
  return out;
}

std::vector<int> all_of(const ProjectiveGroup& group) {
  std::vector<int> all(at(group.size()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Uᵀ Sᵀ Λ of these projections, minus `subtracted` times S x.
MatrixXd summed(const ProjectiveGroup& group, const SkinningBasis& basis, const MatrixXd& p, const Points& x,
                double subtracted) {
  Points f = Points::Zero(basis.vertex_count(), 3);
  MatrixXd S;
  for (Index c = 0; c < group.size(); ++c) {
    const double lambda = constraint_rows(group, c, S);
    const auto ids = group.vertices_of(c);
    for (Index r = 0; r < S.rows(); ++r) {
      Vector3d gap = p.col(c).segment<3>(3 * r);
      for (std::size_t k = 0; k < ids.size(); ++k)
        gap -= subtracted * S(r, static_cast<Index>(k)) * x.row(ids[k]).transpose();
      for (std::size_t k = 0; k < ids.size(); ++k)
        f.row(ids[k]) += lambda * S(r, static_cast<Index>(k)) * gap.transpose();
    }
  }
  return pull_back(basis, f);
}

}  // namespace

Index HrpdModel::degrees_of_freedom() const {
  return 3 * static_cast<Index>(std::count(basis.dropped.begin(), basis.dropped.end(), 0));
}

namespace {

void measure_fit(const ProjectiveConstraints& constraints, const std::shared_ptr<HrpdModel>& model,
                 const Progress& progress) {
  const double started = seconds();
  Points stretched = constraints.rest;
  const double low = stretched.col(1).minCoeff();
  stretched.col(1) = low + 1.2 * (stretched.col(1).array() - low);
  Hrpd simulator(model);
  simulator.set_motion(stretched, Points::Zero(stretched.rows(), 3));
  FitError mean;
  constexpr int poses = 3, steps_between = 10;
  for (int pose = 0; pose < poses; ++pose) {
    report(progress, "measuring", static_cast<double>(pose) / poses);
    for (int i = 0; i < steps_between; ++i) simulator.step();
    const FitError error =
        fit_error(constraints, *model, simulator.coordinates(), simulator.options().prediction);
    mean.right_hand_side += error.right_hand_side / poses;
    mean.elastic_force += error.elastic_force / poses;
  }
  model->measured["fit_error"] = mean.right_hand_side;
  model->measured["fit_error_of_elastic_force"] = mean.elastic_force;
  model->measured["seconds_measuring"] = seconds() - started;
}

}  // namespace

Sampling sampling(std::string_view name) {
  if (name == "weighted") return Sampling::weighted;
  if (name == "fitted") return Sampling::fitted;
  throw InputError(fmt::format("sampling is '{}'; expected weighted or fitted", name));
}

RadialFunction radial_function(std::string_view name) {
  if (name == "smooth") return RadialFunction::smooth;
  if (name == "kinked") return RadialFunction::kinked;
  throw InputError(fmt::format("weights are '{}'; expected smooth or kinked", name));
}

ReducedConstraints reduced_constraints(const ProjectiveConstraints& constraints, const SkinningBasis& basis,
                                       const ProjectionFitting& fitting, const SparseMatrix& K) {
  const ProjectiveGroup& group = constraints.group(fitting.kind);
  ReducedConstraints kind;
  kind.samples = sampled_constraints(constraints, basis, fitting);
  kind.map = fitting.map;
  kind.metric = fitting.metric;
  kind.stiffness = reduced_matrix(basis, K);
  kind.rest_force =
      summed(group, basis, projections_at(group, all_of(group), constraints.rest), constraints.rest, 1);
  return kind;
}

ReducedConstraints reduced_constraints(const ProjectiveConstraints& constraints, const SkinningBasis& basis,
                                       ProjectiveKind which, const WeightedSamples& weighted,
                                       double smoothing) {
  const ProjectiveGroup& group = constraints.group(which);
  ProjectionFitting nothing_fitted;
  nothing_fitted.kind = which;
  nothing_fitted.samples = weighted.samples;
  nothing_fitted.rows = fitted_rows(which), nothing_fitted.width = is_tet(which) ? 9 : 3;
  ReducedConstraints kind;
  // Tets with examples have each their own set, which a mean over others need not be near to.
  const bool smooth =
      smoothing > 0 && (which == ProjectiveKind::tet_strain || which == ProjectiveKind::tet_volume);
  kind.samples =
      sampled_constraints(constraints, basis, nothing_fitted,
                          smooth ? smoothed_lines(group, weighted, smoothing) : std::vector<SampleLines>());
  SampledConstraints& s = kind.samples;
  s.fit.resize(0, s.rows * s.size());
  s.weights = weighted.weights;
  s.lambdas.resize(s.size());
  const Index columns = basis.columns();
  kind.map.resize(columns, 0);
  kind.metric.resize(0);
  kind.stiffness.setZero(columns, columns);
  kind.rest_force.setZero(columns, 3);
  MatrixXd S;
  for (Index i = 0; i < s.size(); ++i) {
    s.lambdas[i] = constraint_rows(group, weighted.samples[at(i)], S);
    const double weight = s.weights[i] * s.lambdas[i];
    for (Index line = 0; line < shape_of(which).outputs / 3; ++line) {
      const Vector3d gap =
          s.rest_projections.col(i).segment<3>(3 * line) - s.rest_lines.col(i).segment<3>(3 * line);
      for (Index a = s.first[at(i)]; a < s.first[at(i) + 1]; ++a) {
        const Index row = 4 * Index{s.handle[at(a)]};
        const Eigen::Vector4d u = s.coefficients.col(a).segment<4>(4 * line);
        kind.rest_force.middleRows<4>(row) += weight * u * gap.transpose();
        for (Index b = s.first[at(i)]; b < s.first[at(i) + 1]; ++b)
          kind.stiffness.block<4, 4>(row, 4 * Index{s.handle[at(b)]}) +=
              weight * u * s.coefficients.col(b).segment<4>(4 * line).transpose();
      }
    }
  }
  return kind;
}

namespace {

/// Coordinates nearest to the three functions x, y and z of the rest shape.
MatrixXd coordinates_of_rest(const HrpdModel& model) {
  std::vector<Index> kept;
  for (Index i = 0; i < model.columns(); ++i)
    if (!model.basis.dropped[at(i)]) kept.push_back(i);
  const MatrixXd pulled = pull_back(model.basis, Points(model.masses.asDiagonal() * model.basis.rest));
  const MatrixXd found = MatrixXd(model.mass(kept, kept)).ldlt().solve(MatrixXd(pulled(kept, Eigen::all)));
  MatrixXd out = MatrixXd::Zero(model.columns(), 3);
  out(kept, Eigen::all) = found;
  return out;
}

/// Columns of recorded motion may be rough, and what a few samples show of a rough strain may be taken for a large smooth
/// one: then the fit would pull more than the body resists, and time steps would feed on that. With K = L Lᵀ, the fit makes
/// N = L⁻¹ (seen stiffness) L⁻ᵀ of strain in place of the identity. Singular values of N above a limit are brought back to it,
/// by a matrix that the map is multiplied with: it costs nothing in a step. Affine maps of the rest shape, which the fit
/// knows exactly, are left alone.
void limit_fit(ReducedConstraints& kind, const HrpdModel& model) {
  constexpr double most = 1.2;  // with 2 a shell in global components is still off by its size
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(kind.stiffness);
  const double least = 1e-10 * std::max(eigen.eigenvalues().maxCoeff(), 1e-300);
  const Index n = kind.stiffness.rows();
  Index first = 0;
  while (first < n && !(eigen.eigenvalues()[first] > least)) ++first;
  const Index rank = n - first;
  if (rank == 0) return;
  const VectorXd roots = eigen.eigenvalues().tail(rank).cwiseSqrt();
  const MatrixXd down = eigen.eigenvectors().rightCols(rank) * roots.cwiseInverse().asDiagonal(),
                 up = eigen.eigenvectors().rightCols(rank) * roots.asDiagonal();
  const MatrixXd N = down.transpose() * seen_stiffness(kind) * down;
  // === What is exact, and the rest
  const MatrixXd affine = up.transpose() * coordinates_of_rest(model);
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(affine);
  const MatrixXd Q = qr.householderQ();
  const Index exact = std::min<Index>(qr.rank(), rank);
  const auto Z = Q.rightCols(rank - exact);
  if (Z.cols() == 0) return;
  // Singular values and what they belong to, on the left: those of B Bᵀ are exact enough for values above one.
  const MatrixXd B = Z.transpose() * N * Z;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> squares(MatrixXd(B * B.transpose()));
  MatrixXd C = MatrixXd::Identity(rank, rank);
  for (Index i = B.rows() - 1; i >= 0 && squares.eigenvalues()[i] > most * most; --i) {
    const VectorXd u = Z * squares.eigenvectors().col(i);
    C -= (1 - most / std::sqrt(squares.eigenvalues()[i])) * u * u.transpose();
  }
  kind.map = up * (C * (down.transpose() * kind.map)).eval();
}

}  // namespace

HrpdModel reduce_hrpd(const ProjectiveConstraints& constraints, const VectorXd& masses,
                      GeodesicSolver& solver, const Triangles& surface, const ReduceHrpdOptions& options) {
  const Index n = constraints.rest.rows();
  if (masses.size() != n || solver.vertex_count() != n)
    throw InputError("reduce_hrpd: masses or the mesh have another number of vertices than the constraints");
  if (!(masses.minCoeff() > 0) || !masses.allFinite())
    throw InputError("reduce_hrpd: a vertex has no mass; expected positive numbers");
  if (options.iterations < 1 || options.iterations > 10000)
    throw InputError(fmt::format("reduce_hrpd: {} iterations; expected 1 to 10000", options.iterations));
  if (options.contact_samples < 0)
    throw InputError(
        fmt::format("reduce_hrpd: {} contact samples; expected none or more", options.contact_samples));
  if (!(options.smoothing >= 0 && options.smoothing <= 1))
    throw InputError(fmt::format("reduce_hrpd: smoothing is {}; expected 0 to 1", options.smoothing));
  // Tests of sight are half of the offline stage of a large mesh, and a notch that is missed there is small against the
  // distance of handles.
  solver.set_sight(n <= largest_with_sight);
  HrpdModel model;
  double started = seconds();
  const auto lap = [&](const char* name) {
    const double now = seconds();
    model.measured[name] += now - started;
    started = now;
  };
  SkinningOptions positions = options.positions;
  positions.progress = options.progress;
  if (options.basis && options.basis->vertex_count() != n)
    throw InputError(
        fmt::format("reduce_hrpd: a subspace of {} vertices for a body of {}; expected the same mesh",
                    options.basis->vertex_count(), n));
  model.basis = options.basis ? *options.basis : skinning_basis(solver, constraints.rest, masses, positions);
  model.masses = masses;
  model.triangles = surface;
  model.tets.resize(0, 4);
  model.iterations = options.iterations;
  model.fixed.assign(positions.fixed.begin(), positions.fixed.end());
  std::sort(model.fixed.begin(), model.fixed.end());
  model.fixed.erase(std::unique(model.fixed.begin(), model.fixed.end()), model.fixed.end());
  model.mass = reduced_diagonal(model.basis, masses);
  model.can_change_volume = constraints.can_change_volume();
  model.local_stiffness.setZero(n);
  lap("seconds_positions");

  ProjectionFittingOptions projections = options.projections;
  projections.progress = options.progress;
  for (const ProjectiveGroup& group : constraints.groups) {
    if (group.size() == 0) continue;
    const SparseMatrix K = projective_matrix(group, n);
    model.local_stiffness += K.diagonal();
    const auto recorded = std::find_if(options.recorded.begin(), options.recorded.end(),
                                       [&](const ProjectionFrames& f) { return f.kind == group.kind; });
    if (options.fit && options.sampling == Sampling::weighted && recorded == options.recorded.end()) {
      report(options.progress, "projections", 0);
      const WeightedSamples samples =
          weighted_samples(constraints, group.kind, model.basis, solver, projections.samples);
      lap("seconds_projections");
      model.kinds.push_back(
          reduced_constraints(constraints, model.basis, group.kind, samples, options.smoothing));
    } else if (options.fit) {
      const ProjectionFitting fitting =
          recorded == options.recorded.end()
              ? fit_projections(constraints, group.kind, model.basis, solver, projections)
              : fit_recorded_projections(constraints, model.basis, solver, *recorded,
                                         {.dimension = projections.dimension,
                                          .samples = projections.samples,
                                          .choice = options.sample_choice,
                                          .progress = options.progress});
      lap("seconds_projections");
      model.kinds.push_back(reduced_constraints(constraints, model.basis, fitting, K));
      if (model.basis.given.cols() > 0) limit_fit(model.kinds.back(), model);
    } else {
      ReducedConstraints kind;
      kind.samples.kind = group.kind;
      kind.stiffness = reduced_matrix(model.basis, K);
      model.kinds.push_back(std::move(kind));
    }
    lap("seconds_matrices");
  }
  if (!options.fit) model.all = std::make_shared<const ProjectiveConstraints>(constraints);
  if (model.kinds.empty()) throw InputError("reduce_hrpd: the body has no constraints");

  // Of recorded motion there may be few columns: many more contacts than these ask for opposite things, and kick.
  const int contacts = model.basis.given.cols() > 0
                           ? std::min(options.contact_samples, static_cast<int>(model.columns() * 3 / 2))
                           : options.contact_samples;
  model.contact_vertices = spread_over_surface(constraints.rest, surface, contacts);
  if (model.basis.given.cols() == 0 && contacts > 0) {
    // Where the body has hardly any stiffness, what these cannot carry would fall through a floor, and be flung out with what it has
    // fallen once it is stiff again.
    const std::vector<int> carrying = carrying_vertices(model.basis, masses);
    std::vector<int> both;
    std::set_union(model.contact_vertices.begin(), model.contact_vertices.end(), carrying.begin(),
                   carrying.end(), std::back_inserter(both));
    model.contact_vertices = std::move(both);
  }
  lap("seconds_contact");
  return model;
}

HrpdModel reduce_hrpd(const Body& body, const ProjectiveConstraints& constraints,
                      const ReduceHrpdOptions& options) {
  if (static_cast<Index>(body.fixed().size()) == body.vertex_count())
    throw InputError(fmt::format(
        "reduce_hrpd: all {} vertices of the body are fixed; expected some that move", body.vertex_count()));
  GeodesicSolver solver = body.is_shell() ? GeodesicSolver(TriMesh{body.rest_positions(), body.triangles()})
                                          : GeodesicSolver(TetMesh{body.rest_positions(), body.tets()});
  ReduceHrpdOptions of_body = options;
  of_body.positions.fixed = body.fixed();
  auto model = std::make_shared<HrpdModel>(
      reduce_hrpd(constraints, body.masses(), solver, surface_triangles(body), of_body));
  model->tets = body.tets();
  if (options.measure && options.fit) measure_fit(constraints, model, options.progress);
  return std::move(*model);
}

HrpdModel reduce_hrpd(const Body& body, const ReduceHrpdOptions& options) {
  return reduce_hrpd(body, projective_constraints(body), options);
}

std::vector<std::vector<int>> joined_handles(const HrpdModel& model) {
  const Index handles = model.columns() / 4;
  std::vector<std::vector<int>> out(at(handles));
  parallel_for(handles, 16, [&](Index b) {
    for (Index a = 0; a < handles; ++a) {
      bool joined = !model.mass.block<4, 4>(4 * a, 4 * b).isZero(0);
      for (const ReducedConstraints& kind : model.kinds)
        joined = joined || !kind.stiffness.block<4, 4>(4 * a, 4 * b).isZero(0);
      if (joined) out[at(b)].push_back(static_cast<int>(a));
    }
  });
  return out;
}

MatrixXd fitted_lines(const ReducedConstraints& kind) {
  const SampledConstraints& s = kind.samples;
  const Index d = s.dimension(), lines = s.rows * s.width / 3;
  MatrixXd fitted = MatrixXd::Zero(s.width / 3 * d, kind.stiffness.cols());
  for (Index i = 0; i < s.size(); ++i)
    for (Index e = s.first[at(i)]; e < s.first[at(i) + 1]; ++e)
      for (Index line = 0; line < lines; ++line) {
        // In tets the fit is the same for all lines; else each has its own.
        const Index row = s.rows == 1 ? 0 : line, block = s.rows == 1 ? line : 0;
        for (int k = 0; k < 4; ++k)
          fitted.col(4 * Index{s.handle[at(e)]} + k).segment(block * d, d) +=
              s.coefficients(4 * line + k, e) * s.fit.col(s.rows * i + row);
      }
  return fitted;
}

MatrixXd seen_stiffness(const ReducedConstraints& kind) { return kind.map * fitted_lines(kind); }

FitError fit_error(const ProjectiveConstraints& constraints, const HrpdModel& model, const MatrixXd& q,
                   double prediction) {
  if (model.all) return {};
  if (constraints.rest.rows() != model.vertex_count())
    throw InputError(
        fmt::format("fit_error: constraints of {} vertices for a model of {}; expected those of its mesh",
                    constraints.rest.rows(), model.vertex_count()));
  Points x;
  positions(model.basis, q, x);
  HrpdEngine<double> engine(model);
  Team team;
  engine.begin_step(team, q);  // samples with weights then pull by p - S x
  engine.local_step(team, q, 1);
  MatrixXd error = MatrixXd::Zero(model.columns(), 3), whole = error, elastic = error;
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    const ReducedConstraints& kind = model.kinds[k];
    const ProjectiveGroup& group = constraints.group(kind.samples.kind);
    const std::vector<int> all = all_of(group);
    const MatrixXd p = projections_at(group, all, x), rest = projections_at(group, all, constraints.rest);
    if (kind.samples.weighted()) {
      const MatrixXd force = summed(group, model.basis, p, x, 1);
      whole += summed(group, model.basis, p, x, 0);
      elastic += force;
      error += force;
      continue;
    }
    const MatrixXd found = engine.found(k);
    const MatrixXd exact = summed(group, model.basis, p, x, 0);
    whole += exact;
    elastic += summed(group, model.basis, p, x, 1);
    error += exact - summed(group, model.basis, rest, x, 0);
    for (Index block = 0; block < found.cols() / 3; ++block)
      error -= kind.map.middleCols(block * found.rows(), found.rows()) * found.middleCols<3>(3 * block);
    if (prediction > 0) error -= prediction * ((kind.stiffness - seen_stiffness(kind)) * q);
  }
  error -= engine.pulled();
  for (Index i = 0; i < error.rows(); ++i)
    if (model.basis.dropped[at(i)]) error.row(i).setZero(), whole.row(i).setZero(), elastic.row(i).setZero();
  return {error.norm() / std::max(whole.norm(), 1e-300), error.norm() / std::max(elastic.norm(), 1e-300)};
}

}  // namespace pliant
