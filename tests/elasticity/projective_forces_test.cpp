#include "pliant/elasticity/projective_forces.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "elasticity/projective_reference.h"
#include "support/simple_meshes.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

/// A box with every kind of constraint: tets of three kinds side by side, a skin, bending, springs.
ProjectiveConstraints mixture(bool keep_side = true) {
  Rng rng(1);
  const TetMesh box = box_tets(6, 5, 4, 0.1, 0.2, &rng);
  ProjectiveConstraints constraints(box.vertices);
  const Index third = box.tet_count() / 3;
  add_tet_strain(constraints, box.tets.topRows(third),
                 {.stiffness = 2e4, .min_stretch = 0.95, .max_stretch = 1.05});
  add_tet_volume(constraints, box.tets.middleRows(third, third), TetVolume::from_young(3e4, 0.4));
  Points longer = box.vertices, twisted = box.vertices;
  longer.col(0) *= 1.5;
  for (Index v = 0; v < twisted.rows(); ++v) twisted(v, 1) += 0.5 * twisted(v, 0) * twisted(v, 2);
  const std::vector<Points> poses = {longer, twisted};
  add_tet_examples(constraints, box.tets.bottomRows(box.tet_count() - 2 * third), poses, {.stiffness = 1e4});
  const Triangles skin = boundary_triangles(box.tets);
  add_triangle_strain(constraints, skin, {.stiffness = 500, .min_stretch = 0.9, .max_stretch = 1.1});
  add_bending(constraints, skin, {.stiffness = 0.5, .keep_side = keep_side});
  Edges edges(40, 2);
  for (int e = 0; e < 40; ++e) edges.row(e) << e, 100 + e;
  add_springs(constraints, edges, {.stiffness = 300, .max_stretch = 1.2});
  return constraints;
}

Points shaken(const Points& rest, double size, std::uint64_t seed) {
  Rng rng(seed);
  Points q = rest;
  for (double& x : q.reshaped()) x += size * rng.normal();
  return q;
}

template <class T>
Points forces_of(ProjectiveForces<T>& forces, const Points& q, double volume = 1) {
  forces.project(q, volume, true);
  Points f(q.rows(), 3);
  for (Index v = 0; v < q.rows(); ++v) f.row(v) = forces.force(v).transpose();
  return f;
}

/// Σ λ Sᵀ (p - S q) with dense S, and p by Eigen, for the kinds whose projection has an obvious form.
TEST(ProjectiveForces, ChunksAndLanesGiveTheSlowLoop) {
  ProjectiveConstraints constraints = mixture();
  for (const auto kind : {ProjectiveKind::tet_volume, ProjectiveKind::tet_example}) {
    constraints.group(kind) = ProjectiveGroup();
    constraints.group(kind).kind = kind;
  }
  const Points q = shaken(constraints.rest, 0.03, 2);
  Points expected = Points::Zero(q.rows(), 3);
  double energy = 0;
  for (const ProjectiveGroup& group : constraints.groups)
    for (Index c = 0; c < group.size(); ++c) {
      const auto ids = group.vertices_of(c);
      const VectorXd p = group.parameters.col(c);
      if (group.kind == ProjectiveKind::bending) {
        VectorXd inputs = VectorXd::Zero(6);
        const double* w = group.weights.data() + group.first[static_cast<std::size_t>(c)];
        for (std::size_t j = 1; j < ids.size(); ++j)
          inputs.head<3>() += w[j] * (q.row(ids[0]) - q.row(ids[j]));
        const auto& side = group.sides[static_cast<std::size_t>(c)];
        const Vector3d a = q.row(side[0]), b = q.row(side[1]), d = q.row(side[2]);
        inputs.tail<3>() = (b - a).cross(d - a);
        const Vector3d pull = p[0] * (slow_projection(group.kind, inputs, p) - inputs.head<3>());
        energy += pull.squaredNorm() / (2 * p[0]);
        for (std::size_t j = 1; j < ids.size(); ++j) {
          expected.row(ids[0]) += w[j] * pull.transpose();
          expected.row(ids[j]) -= w[j] * pull.transpose();
        }
        continue;
      }
      const Index k = static_cast<Index>(ids.size()) - 1;
      MatrixXd edges(3, k), B = MatrixXd::Identity(k, k);
      for (Index j = 0; j < k; ++j)
        edges.col(j) = (q.row(ids[static_cast<std::size_t>(j) + 1]) - q.row(ids[0])).transpose();
      if (k > 1) B = p.head(k * k).reshaped(k, k);
      const double weight = p[k == 3 ? 9 : k == 2 ? 4 : 0];
      const MatrixXd F = edges * B;
      const MatrixXd G = weight * (slow_projection(group.kind, edges.reshaped(), p).reshaped(3, k) - F);
      energy += G.squaredNorm() / (2 * weight);
      const MatrixXd H = G * B.transpose();
      for (Index j = 0; j < k; ++j) {
        expected.row(ids[static_cast<std::size_t>(j) + 1]) += H.col(j).transpose();
        expected.row(ids[0]) -= H.col(j).transpose();
      }
    }
  ProjectiveForces<double> fine(constraints);
  EXPECT_LT((forces_of(fine, q) - expected).norm(), 1e-11 * expected.norm());
  EXPECT_NEAR(fine.energy(), energy, 1e-11 * energy);
  ProjectiveForces<float> coarse(constraints);
  EXPECT_LT((forces_of(coarse, q) - expected).norm(), 1e-4 * expected.norm());
}

TEST(ProjectiveForces, AreTheGradientOfTheEnergy) {
  const ProjectiveConstraints constraints = mixture(/*keep_side=*/false);
  ProjectiveForces<double> forces(constraints);
  const Points q = shaken(constraints.rest, 0.01, 3), way = shaken(Points::Zero(q.rows(), 3), 1, 4);
  const double slope = -forces_of(forces, q).cwiseProduct(way).sum(), h = 1e-6;
  forces.project(q + h * way, 1, true);
  const double more = forces.energy();
  forces.project(q - h * way, 1, true);
  EXPECT_NEAR((more - forces.energy()) / (2 * h), slope, 1e-4 * std::abs(slope));
}

TEST(ProjectiveForces, VanishForRigidMotions) {
  const ProjectiveConstraints constraints = mixture();
  ProjectiveForces<double> forces(constraints);
  Rng rng(5);
  // What a stretch by a thousandth of this motion would give.
  const double scale = forces_of(forces, 1.5 * constraints.rest).norm();
  for (int i = 0; i < 5; ++i) {
    Points q = constraints.rest * random_rotation(rng).transpose();
    q.rowwise() += Eigen::RowVector3d(3, -7, 2);
    EXPECT_LT(forces_of(forces, q).norm(), 1e-11 * scale);
    EXPECT_LT(forces.energy(), 1e-20 * scale);
  }
}

TEST(ProjectiveForces, AddUpToNothing) {
  const ProjectiveConstraints constraints = mixture();
  ProjectiveForces<double> forces(constraints);
  const Points q = shaken(constraints.rest, 0.05, 6), f = forces_of(forces, q, 1.3);
  EXPECT_LT(f.colwise().sum().norm(), 1e-12 * f.norm());
  Vector3d torque = Vector3d::Zero();
  for (Index v = 0; v < q.rows(); ++v) torque += q.row(v).transpose().cross(f.row(v).transpose());
  EXPECT_LT(torque.norm(), 1e-6 * f.norm());  // examples end their search after a fixed number of turns
}

TEST(ProjectiveForces, ParallelGivesTheSameBits) {
  const ProjectiveConstraints constraints = mixture();
  const Points q = shaken(constraints.rest, 0.05, 7);
  Points one;
  for (int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    ProjectiveForces<double> forces(constraints);
    const Points f = forces_of(forces, q);
    if (threads == 1) one = f;
    EXPECT_EQ(0, std::memcmp(one.data(), f.data(), sizeof(double) * static_cast<std::size_t>(f.size())));
  }
}

/// Σ λ SᵀS is the Hessian of W where projections are held: W grows by q Σ λ SᵀS q from the rest shape.
TEST(ProjectiveConstraints, MatrixIsTheHessianOfHeldProjections) {
  ProjectiveConstraints constraints = mixture();
  for (ProjectiveGroup& group : constraints.groups) {  // sets of one point: zero
    if (group.kind == ProjectiveKind::tet_strain || group.kind == ProjectiveKind::tet_volume)
      group.parameters.middleRows(10, 2).setZero();
    if (group.kind == ProjectiveKind::tet_volume)
      group.parameters.row(9) += group.parameters.row(12), group.parameters.row(12).setZero();
    if (group.kind == ProjectiveKind::tet_example) group.parameters.bottomRows(24).setZero();
    if (group.kind == ProjectiveKind::triangle_strain) group.parameters.bottomRows(2).setZero();
    if (group.kind == ProjectiveKind::spring) group.parameters.bottomRows(2).setZero();
    if (group.kind == ProjectiveKind::bending) group.parameters.row(1).setZero();
  }
  const SparseMatrix K = projective_matrix(mixture());
  ProjectiveForces<double> forces(constraints);
  const Points q = shaken(constraints.rest, 0.05, 8);
  const Points expected = -(K * q);
  EXPECT_LT((forces_of(forces, q) - expected).norm(), 1e-11 * expected.norm());
  EXPECT_LT((K * VectorXd::Ones(K.rows())).norm(), 1e-12 * K.norm());
}

/// With 2 mu and 3 lambda small strains cost what the linear material says.
TEST(ProjectiveConstraints, SmallStrainsAreThoseOfTheLinearMaterial) {
  const double young = 2e5, poisson = 0.35;
  const double mu = young / (2 * (1 + poisson)),
               lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  const TetMesh box = box_tets(2, 2, 2, 0.5);
  ProjectiveConstraints constraints(box.vertices);
  add_tet_volume(constraints, box.tets, TetVolume::from_young(young, poisson));
  ProjectiveForces<double> forces(constraints);
  Rng rng(9);
  for (int i = 0; i < 10; ++i) {
    const Matrix3d A = 1e-5 * random_matrix(rng), e = (A + A.transpose()) / 2;
    forces.project(box.vertices + box.vertices * A.transpose(), 1, true);
    const double expected =
        mu * e.squaredNorm() + lambda / 2 * e.trace() * e.trace();  // the box has volume 1
    EXPECT_NEAR(forces.energy(), expected, 1e-3 * expected);
  }
}

/// Packed tiles of any subset give what the whole body's local step gives: what hyper-reduction stands on.
TEST(ProjectiveConstraints, AnySubsetCanBePacked) {
  const ProjectiveConstraints constraints = mixture();
  const Points q = shaken(constraints.rest, 0.03, 10);
  for (const ProjectiveGroup& group : constraints.groups) {
    const ProjectiveShape shape = shape_of(group.kind);
    std::vector<int> chosen;
    for (Index c = 0; c < group.size() && chosen.size() < 50; c += 3) chosen.push_back(static_cast<int>(c));
    alignas(64) double in[9 * projective_tile], p[34 * projective_tile], out[9 * projective_tile];
    alignas(64) float in_f[9 * projective_tile], p_f[34 * projective_tile], out_f[9 * projective_tile];
    pack_parameters(group, chosen, p), gather_inputs(group, chosen, q.data(), in);
    pack_parameters(group, chosen, p_f), gather_inputs(group, chosen, q.data(), in_f);
    project_tile(group.kind, ProjectiveTile<double>{.inputs = in, .parameters = p, .projections = out}, 1);
    project_tile(group.kind, ProjectiveTile<float>{.inputs = in_f, .parameters = p_f, .projections = out_f},
                 1);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      VectorXd inputs(shape.inputs);
      for (int r = 0; r < shape.inputs; ++r) inputs[r] = in[r * projective_tile + static_cast<Index>(i)];
      const auto single = run_tile<double>(group.kind, inputs, group.parameters.col(chosen[i]));
      for (int r = 0; r < shape.outputs; ++r) {
        const auto at = static_cast<std::size_t>(r * projective_tile) + i;
        EXPECT_EQ(out[at], single.projection[r]);
        EXPECT_NEAR(out_f[at], out[at], 1e-3 * (1 + std::abs(out[at])));
      }
    }
  }
}

TEST(ProjectiveConstraints, BadInputIsRefused) {
  const TetMesh box = box_tets(1, 1, 1, 1);
  ProjectiveConstraints constraints(box.vertices);
  Tets outside(1, 4), flat(1, 4), inverted = box.tets.topRows(1);
  outside << 0, 1, 2, 99;
  flat << 0, 1, 1, 2;
  std::swap(inverted(0, 0), inverted(0, 1));
  EXPECT_TRUE(contains(message_of([&] { add_tet_strain(constraints, outside); }), "vertex 99"));
  EXPECT_TRUE(contains(message_of([&] { add_tet_strain(constraints, flat); }), "volume"));
  EXPECT_TRUE(contains(message_of([&] { add_tet_volume(constraints, inverted); }), "volume"));
  EXPECT_TRUE(
      contains(message_of([&] { add_tet_strain(constraints, box.tets, {.min_stretch = 2}); }), "min <= max"));
  EXPECT_TRUE(contains(message_of([&] { add_tet_strain(constraints, box.tets, {.stiffness = -1}); }), "-1"));
  EXPECT_TRUE(contains(message_of([&] { TetVolume::from_young(1e5, 0.5); }), "below 0.5"));
  EXPECT_TRUE(contains(message_of([&] { add_tet_examples(constraints, box.tets, {}); }), "0 poses"));
  EXPECT_TRUE(contains(message_of([&] { vertex_masses(box.vertices, box.tets, -5); }), "density -5"));
  EXPECT_EQ(constraints.size(), 0);
}

}  // namespace
}  // namespace pliant
