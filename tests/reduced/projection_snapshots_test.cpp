#include "pliant/hyperreduction/projection_snapshots.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <cmath>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/fullspace/projective_dynamics.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/surface.h"
#include "pliant/reduced/hrpd.h"
#include "pliant/subspace/snapshot_blocks.h"
#include "pliant/subspace/snapshot_pca.h"

namespace pliant {
namespace {

/// A body, its constraints, and a drop onto a floor that was recorded of it.
struct Recorded {
  Points rest;
  VectorXd masses;
  Triangles surface;
  ProjectiveConstraints constraints;
  GeodesicSolver solver;
  std::vector<Points> frames;
  SnapshotFrames readers;

  Recorded(Points X, VectorXd m, Triangles triangles, ProjectiveConstraints resisted,
           GeodesicSolver geodesics)
      : rest(std::move(X)),
        masses(std::move(m)),
        surface(std::move(triangles)),
        constraints(std::move(resisted)),
        solver(std::move(geodesics)) {
    ProjectiveDynamics full(constraints, masses);
    drop(full);
    for (int i = 0; i < 40; ++i) {
      full.step();
      frames.push_back(full.positions());
    }
    readers = frames_of(frames);
  }
  Recorded(const Recorded&) = delete;

  void drop(Simulator& simulator) const {
    const BoundingBox box = bounding_box(rest);
    simulator.set_obstacles({Obstacle{.path = {{{0, Vector3d(0, box.low[1] - 0.1 * box.diagonal(), 0)}}}}});
  }
  std::vector<ProjectionFrames> projections() const {
    std::vector<ProjectionFrames> out;
    for (const ProjectiveGroup& group : constraints.groups)
      if (group.size() > 0) out.push_back(projections_of(constraints, group.kind, readers));
    return out;
  }
  ReduceHrpdOptions options(int components = 36) {
    const SnapshotBasis basis = localized_pca(readers, rest, masses, solver, {.components = components});
    ReduceHrpdOptions out;
    out.basis = std::make_shared<const SkinningBasis>(snapshot_blocks(basis, masses, solver));
    out.projections.handles = 40, out.projections.samples = 300;
    out.recorded = projections();
    out.contact_samples = 200;
    return out;
  }
  std::shared_ptr<const HrpdModel> reduce(const ReduceHrpdOptions& options) {
    return std::make_shared<const HrpdModel>(reduce_hrpd(constraints, masses, solver, surface, options));
  }
};

Recorded solid() {
  const TetMesh mesh = make_shape("bear", {.tets = 2500});
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_volume(constraints, mesh.tets, TetVolume::from_young(3e4, 0.4));
  return {mesh.vertices, vertex_masses(mesh.vertices, mesh.tets, 1000), boundary_triangles(mesh.tets),
          std::move(constraints), GeodesicSolver(mesh)};
}

Recorded shell() {
  const TriMesh mesh = make_shell("cylinder_shell", {.triangles = 1200});
  ProjectiveConstraints constraints(mesh.vertices);
  add_triangle_strain(constraints, mesh.triangles, {.stiffness = 300});
  add_bending(constraints, mesh.triangles, {.stiffness = 0.05});
  return {mesh.vertices, vertex_masses(mesh.vertices, mesh.triangles, 1), mesh.triangles,
          std::move(constraints), GeodesicSolver(mesh)};
}

/// What a fit makes of all projections, from what it sees of them: as right-hand sides are compared.
MatrixXd mapped(const ProjectionFitting& fitting, const MatrixXd& p) {
  MatrixXd seen(fitting.rows * static_cast<Index>(fitting.samples.size()), fitting.width);
  for (Index i = 0; i < static_cast<Index>(fitting.samples.size()); ++i)
    for (Index r = 0; r < fitting.rows; ++r)
      seen.row(fitting.rows * i + r) = p.col(fitting.samples[static_cast<std::size_t>(i)])
                                           .segment(fitting.width * r, fitting.width)
                                           .transpose();
  const MatrixXd found = fitting.fit * seen;
  MatrixXd out = MatrixXd::Zero(fitting.map.rows(), 3);
  for (Index block = 0; block < fitting.width / 3; ++block)
    out += fitting.map.middleCols(block * fitting.dimension(), fitting.dimension()) *
           found.middleCols<3>(3 * block);
  return out;
}

/// Uᵀ Sᵀ Λ p with all of them.
MatrixXd summed(const ProjectiveGroup& group, const SkinningBasis& basis, const MatrixXd& p) {
  Points f = Points::Zero(basis.vertex_count(), 3);
  MatrixXd S;
  for (Index c = 0; c < group.size(); ++c) {
    const double lambda = constraint_rows(group, c, S);
    const auto ids = group.vertices_of(c);
    for (std::size_t k = 0; k < ids.size(); ++k)
      for (Index r = 0; r < S.rows(); ++r)
        f.row(ids[k]) += lambda * S(r, static_cast<Index>(k)) * p.col(c).segment<3>(3 * r).transpose();
  }
  return pull_back(basis, f);
}

MatrixXd all_at(const ProjectiveGroup& group, const Points& x) {
  std::vector<int> all(static_cast<std::size_t>(group.size()));
  std::iota(all.begin(), all.end(), 0);
  return projections_at(group, all, x);
}

}  // namespace

TEST(ProjectionSnapshots, WhatWasRecordedIsMappedExactlyOnceThereAreEnoughComponents) {
  for (const bool is_shell : {false, true}) {
    Recorded r = is_shell ? shell() : solid();
    const std::vector<Points> few = {r.frames[10], r.frames[20], r.frames[39]};
    const SnapshotFrames three = frames_of(few);
    const auto basis = r.options().basis;
    for (const ProjectionFrames& own : r.projections()) {
      const ProjectiveGroup& group = r.constraints.group(own.kind);
      const ProjectionFrames frames = projections_of(r.constraints, own.kind, three);
      // Three frames of nine or three columns, and what turns the rest state.
      const ProjectionFitting fitting = fit_recorded_projections(r.constraints, *basis, r.solver, frames,
                                                                 {.dimension = 40, .samples = 400});
      EXPECT_LE(fitting.dimension(), 31);
      const MatrixXd rest = all_at(group, r.rest);
      for (const Points& x : few) {
        const MatrixXd p = all_at(group, x) - rest, exact = summed(group, *basis, p);
        EXPECT_LT((mapped(fitting, p) - exact).norm(), 1e-6 * exact.norm()) << name(own.kind);
      }
    }
  }
}

TEST(ProjectionSnapshots, ColumnsAreOrthonormalWhereAllAreSeen) {
  Recorded r = solid();
  const ProjectiveGroup& group = r.constraints.group(ProjectiveKind::tet_volume);
  const auto basis = r.options().basis;
  const ProjectionFitting fitting =
      fit_recorded_projections(r.constraints, *basis, r.solver, r.projections().front(),
                               {.dimension = 12, .samples = static_cast<int>(group.size())});
  ASSERT_EQ(fitting.dimension(), 12);
  VectorXd weights(group.size());
  MatrixXd S;
  for (Index c = 0; c < group.size(); ++c) weights[c] = constraint_rows(group, c, S);
  // With every constraint seen the fit is (Vᵀ Λ V)⁻¹ Vᵀ Λ.
  const MatrixXd V = weights.cwiseInverse().asDiagonal() * fitting.fit.transpose();
  const MatrixXd products = V.transpose() * weights.asDiagonal() * V;
  EXPECT_LT((products - MatrixXd::Identity(12, 12)).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_EQ(fitting.metric, VectorXd::Ones(12));
}

TEST(ProjectionSnapshots, TheRestStateMovedAndTurnedStaysWhereItIs) {
  for (const bool is_shell : {false, true}) {
    Recorded r = is_shell ? shell() : solid();
    const Matrix3d R = Eigen::AngleAxisd(2, Vector3d(1, -1, 2).normalized()).toRotationMatrix();
    Points x = r.rest * R.transpose();
    x.rowwise() += Eigen::RowVector3d(0.3, 2, -1);
    for (const SampleChoice choice : {SampleChoice::spread, SampleChoice::pivoted}) {
      ReduceHrpdOptions options = r.options();
      options.sample_choice = choice;
      Hrpd sim(r.reduce(options), {.double_precision = true});
      sim.set_gravity(Vector3d::Zero());
      sim.set_motion(x, Points::Zero(x.rows(), 3));
      EXPECT_LT((sim.positions() - x).cwiseAbs().maxCoeff(), 1e-9);
      for (int i = 0; i < 10; ++i) sim.step();
      EXPECT_LT((sim.positions() - x).cwiseAbs().maxCoeff(), 1e-5) << is_shell;
    }
  }
}

TEST(ProjectionSnapshots, ABodyFallsAsAWholeOnlyWithTranslationsAppended) {
  Recorded r = solid();
  const SnapshotFrames still = aligned_frames(r.readers, r.rest, r.masses);  // deformation alone
  for (const AppendedMotions appended :
       {AppendedMotions::none, AppendedMotions::translations, AppendedMotions::affine}) {
    const SnapshotBasis basis =
        localized_pca(still, r.rest, r.masses, r.solver, {.components = 20, .appended = appended});
    ReduceHrpdOptions options;
    options.basis = std::make_shared<const SkinningBasis>(snapshot_blocks(basis, r.masses, r.solver));
    options.projections.handles = 40, options.contact_samples = 0;
    Hrpd sim(r.reduce(options), {.double_precision = true});
    for (int i = 0; i < 20; ++i) sim.step();
    // Backward in time a step at a time: h² g (1 + 2 + ... + 20).
    const double fallen = 9.81 / 3600 * 20 * 21 / 2;
    const Points way = sim.positions() - r.rest;
    const double off = (way.rowwise() - Eigen::RowVector3d(0, -fallen, 0)).cwiseAbs().maxCoeff();
    if (appended == AppendedMotions::none)
      EXPECT_GT(off, 0.5 * fallen);
    else
      EXPECT_LT(off, 1e-6 * fallen);
  }
}

TEST(ProjectionSnapshots, KnowRecordedPosesBetterThanAffineMapsAtHandlesDo) {
  Recorded r = solid();
  double error[2] = {0, 0};
  for (const bool recorded : {false, true}) {
    ReduceHrpdOptions options = r.options(60);
    options.projections.dimension = 20;
    options.sampling = Sampling::fitted;
    if (!recorded) options.recorded.clear();
    const auto model = r.reduce(options);
    Hrpd sim(model);
    for (std::size_t f = 20; f < r.frames.size(); f += 5) {
      sim.set_motion(r.frames[f], Points::Zero(r.rest.rows(), 3));
      error[recorded] += fit_error(r.constraints, *model, sim.coordinates()).right_hand_side;
    }
  }
  EXPECT_LT(error[1], 0.8 * error[0]);
}

TEST(ProjectionSnapshots, FewSamplesDoNotPullMoreThanTheBodyResists) {
  Recorded r = solid();
  for (const int samples : {40, 60}) {
    ReduceHrpdOptions options = r.options(60);
    options.recorded.clear();
    options.sampling = Sampling::fitted;
    options.projections.handles = 80, options.projections.samples = samples;
    options.contact_samples = 100;
    const auto limited = r.reduce(options);
    const ProjectiveGroup& group = r.constraints.group(ProjectiveKind::tet_volume);
    auto as_fitted = std::make_shared<HrpdModel>(*limited);
    as_fitted->kinds[0] = reduced_constraints(
        r.constraints, limited->basis,
        fit_projections(r.constraints, group.kind, limited->basis, r.solver, options.projections),
        projective_matrix(group, r.rest.rows()));
    const auto furthest = [&](const std::shared_ptr<const HrpdModel>& model) {
      Hrpd sim(model);
      r.drop(sim);
      for (int i = 0; i < 80; ++i) sim.step();
      return (sim.positions() - r.rest).cwiseAbs().maxCoeff();
    };
    EXPECT_GT(furthest(as_fitted), 5);  // feeds on itself, and is flung away
    EXPECT_LT(furthest(limited), 3) << samples;
  }
}

TEST(ProjectionSnapshots, AShellThatLiesFlatIsNotKicked) {
  Recorded r = shell();
  Hrpd sim(r.reduce(r.options(60)));
  r.drop(sim);
  sim.set_damping(1);
  double speed = 0;
  for (int i = 0; i < 150; ++i) {
    sim.step();
    if (i > 60) speed = std::max(speed, sim.measure().kinetic);
  }
  // Nothing near what the fall had: g times the way, times the mass.
  EXPECT_LT(speed, 0.2 * 9.81 * 0.1 * bounding_box(r.rest).diagonal() * r.masses.sum());
  EXPECT_LE(sim.model().contact_vertices.size(), 96u);  // three for two of its 64 columns
}

TEST(ProjectionSnapshots, RecordedOnesAreThoseOfTheRecordedPositions) {
  Recorded r = solid();
  const ProjectiveGroup& group = r.constraints.group(ProjectiveKind::tet_volume);
  std::vector<Eigen::MatrixXf> stored;
  for (const Points& x : r.frames) stored.push_back(all_at(group, x).cast<float>());
  const auto basis = r.options().basis;
  const ProjectionFitting a = fit_recorded_projections(
      r.constraints, *basis, r.solver, r.projections().front(), {.dimension = 6, .samples = 200});
  const ProjectionFitting b = fit_recorded_projections(
      r.constraints, *basis, r.solver, recorded_projections(ProjectiveKind::tet_volume, stored),
      {.dimension = 6, .samples = 200});
  const MatrixXd p = all_at(group, r.frames[20]) - all_at(group, r.rest);
  EXPECT_LT((mapped(a, p) - mapped(b, p)).norm(), 1e-4 * mapped(a, p).norm());
}

TEST(ProjectionSnapshots, FewSamplesAreChosenByPivots) {
  Recorded r = solid();
  const auto basis = r.options().basis;
  const ProjectiveGroup& group = r.constraints.group(ProjectiveKind::tet_volume);
  const auto error = [&](SampleChoice choice) {
    const ProjectionFitting fitting =
        fit_recorded_projections(r.constraints, *basis, r.solver, r.projections().front(),
                                 {.dimension = 30, .samples = 32, .choice = choice});
    double sum = 0;
    for (const Points& x : r.frames) {
      const MatrixXd p = all_at(group, x) - all_at(group, r.rest), exact = summed(group, *basis, p);
      sum += (mapped(fitting, p) - exact).norm() / exact.norm();
    }
    return sum;
  };
  EXPECT_LT(error(SampleChoice::pivoted), error(SampleChoice::spread));
  EXPECT_EQ(error(SampleChoice::automatic), error(SampleChoice::pivoted));
}

TEST(ProjectionSnapshots, WrongFramesAreNamed) {
  Recorded r = solid();
  const auto basis = r.options().basis;
  const auto message = [](auto&& act) -> std::string {
    try {
      act();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  ProjectionFrames frames = r.projections().front();
  const auto fit = [&] { fit_recorded_projections(r.constraints, *basis, r.solver, frames); };
  frames.constraints -= 1;
  EXPECT_NE(message(fit).find("expected the same mesh"), std::string::npos);
  frames = r.projections().front();
  frames.read = [own = frames.read](Index frame, Index first, Index count, double* out) {
    own(frame, first, count, out);
    if (frame == 7) out[0] = std::nan("");
  };
  EXPECT_NE(message(fit).find("frame 7 has a number that is not finite"), std::string::npos);
  frames.count = 0;
  EXPECT_NE(message(fit).find("no frame"), std::string::npos);
  std::vector<Eigen::MatrixXf> stored(3, Eigen::MatrixXf::Zero(9, 5));
  stored[2].setZero(9, 4);
  EXPECT_NE(message([&] { recorded_projections(ProjectiveKind::tet_strain, stored); }).find("frame 2"),
            std::string::npos);
}

TEST(ProjectionSnapshotsParallel, SameBitsOnAnyNumberOfThreads) {
  Recorded r = solid();
  const auto basis = r.options().basis;
  MatrixXd fit, map;
  for (const int threads : {1, 2, 5}) {
    const ScopedThreadCount scope(threads);
    const ProjectionFitting fitting =
        fit_recorded_projections(r.constraints, *basis, r.solver, r.projections().front(),
                                 {.dimension = 20, .samples = 100, .choice = SampleChoice::pivoted});
    if (threads == 1) fit = fitting.fit, map = fitting.map;
    EXPECT_EQ(fitting.fit, fit);
    EXPECT_EQ(fitting.map, map);
  }
}

}  // namespace pliant
