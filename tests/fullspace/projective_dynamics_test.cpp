#include "pliant/fullspace/projective_dynamics.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cstring>
#include <optional>

#include "pliant/base/error.h"
#include "pliant/base/rng.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/surface.h"
#include "support/simple_meshes.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

constexpr double density = 1000;

/// A bar along x, one end at x = 0.
TetMesh bar(int length = 8, double cell = 0.05) { return box_tets(length, 3, 3, cell); }

ProjectiveDynamics soft_bar(const ProjectiveDynamicsOptions& options = {}, double young = 1e5,
                            double poisson = 0.3) {
  const TetMesh mesh = bar();
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_volume(constraints, mesh.tets, TetVolume::from_young(young, poisson));
  return ProjectiveDynamics(constraints, vertex_masses(mesh.vertices, mesh.tets, density), options);
}

std::vector<int> end_of_bar(const Points& x) {
  std::vector<int> ids;
  for (Index v = 0; v < x.rows(); ++v)
    if (x(v, 0) < 1e-9) ids.push_back(static_cast<int>(v));
  return ids;
}

double signed_volume(const Points& x, const Tets& tets) {
  double sum = 0;
  for (Index t = 0; t < tets.rows(); ++t) {
    const Vector3d a = x.row(tets(t, 0)), b = x.row(tets(t, 1)), c = x.row(tets(t, 2)), d = x.row(tets(t, 3));
    sum += (b - a).cross(c - a).dot(d - a) / 6;
  }
  return sum;
}

bool same_bits(const Points& a, const Points& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

TEST(ProjectiveDynamics, FreeFallIsExact) {
  ProjectiveDynamics sim = soft_bar();
  const Points rest = sim.positions();
  const double h = sim.time_step();
  const int steps = 100;
  for (int i = 0; i < steps; ++i) sim.step();
  // Implicit Euler: the fall is g h² (1 + 2 + ... + n).
  const double fall = -9.81 * h * h * steps * (steps + 1) / 2;
  Points expected = rest;
  expected.col(1).array() += fall;
  EXPECT_LT((sim.positions() - expected).cwiseAbs().maxCoeff(), 1e-12 * std::abs(fall));
}

TEST(ProjectiveDynamics, KeepsLinearMomentum) {
  Rng rng(1);
  for (const bool single : {false, true}) {
    ProjectiveDynamics sim = soft_bar({.single_precision = single});
    sim.set_gravity(Vector3d::Zero());
    Points x = sim.positions(), v(x.rows(), 3);
    for (double& a : x.reshaped()) a += 0.01 * rng.normal();
    for (double& a : v.reshaped()) a = rng.normal();
    sim.set_motion(x, v);
    const Vector3d before = sim.measure().momentum;
    const double scale = std::sqrt(2 * sim.measure().kinetic * 2.7);
    for (int i = 0; i < 50; ++i) sim.step();
    EXPECT_LT((sim.measure().momentum - before).norm(), 1e-11 * scale);
  }
}

/// Spin lost in a second, with steps of this size, each step solved well.
double spin_lost(double time_step) {
  ProjectiveDynamics sim = soft_bar({.iterations = 60, .time_step = time_step}, 1e6);
  sim.set_gravity(Vector3d::Zero());
  const Points x = sim.positions();
  const Vector3d centre = x.colwise().mean();
  Points v(x.rows(), 3);
  for (Index i = 0; i < x.rows(); ++i)
    v.row(i) = Vector3d(0, 0, 3).cross(x.row(i).transpose() - centre).transpose();
  sim.set_motion(x, v);
  const auto spin = [&] { return sim.measure().angular_momentum.z(); };
  const double before = spin();
  for (int i = 0; i < std::lround(0.5 / time_step); ++i) sim.step();
  return (before - spin()) / before;
}

TEST(ProjectiveDynamics, LosesAngularMomentumInFirstOrder) {
  const double coarse = spin_lost(1.0 / 60), middle = spin_lost(1.0 / 120), fine = spin_lost(1.0 / 240);
  EXPECT_GT(fine, 0);
  EXPECT_LT(coarse, 0.5);
  EXPECT_NEAR(std::log2(coarse / middle), 1, 0.25);
  EXPECT_NEAR(std::log2(middle / fine), 1, 0.15);
}

TEST(ProjectiveDynamics, ObjectiveNeverIncreases) {
  Rng rng(2);
  const TetMesh mesh = bar();
  for (const bool single : {false, true}) {
    ProjectiveConstraints constraints(mesh.vertices);
    const Index half = mesh.tet_count() / 2;
    add_tet_volume(constraints, mesh.tets.topRows(half), TetVolume::from_young(1e5, 0.45));
    add_tet_strain(constraints, mesh.tets.bottomRows(mesh.tet_count() - half),
                   {.stiffness = 1e6, .min_stretch = 0.9, .max_stretch = 1.05});
    add_triangle_strain(constraints, boundary_triangles(mesh.tets), {.stiffness = 2000});
    add_bending(constraints, boundary_triangles(mesh.tets), {.stiffness = 0.1, .keep_side = false});
    ProjectiveDynamics sim(constraints, vertex_masses(mesh.vertices, mesh.tets, density),
                           {.iterations = 20, .single_precision = single, .record_objective = true});
    sim.fix(end_of_bar(mesh.vertices));
    sim.add_position(40, Vector3d(0.1, 0.3, 0), 500);
    const int drag = sim.begin_drag(100, Vector3d(1, 1, 1));
    for (int i = 0; i < 12; ++i) {
      if (i % 4 == 0) {
        Points x = mesh.vertices, v = Points::Zero(x.rows(), 3);
        for (double& a : x.reshaped()) a += 0.1 * rng.normal();
        sim.set_motion(x, v);
      }
      sim.move_drag(drag, Vector3d(rng.normal(), rng.normal(), rng.normal()));
      sim.set_volume(1 + 0.2 * i);
      sim.step();
      const auto objective = sim.objective();
      ASSERT_EQ(objective.size(), 21u);
      for (std::size_t k = 1; k < objective.size(); ++k)
        EXPECT_LE(objective[k], objective[k - 1] * (1 + (single ? 1e-6 : 1e-12)))
            << "step " << i << ", iteration " << k;
      EXPECT_LT(objective.back(), objective.front());
    }
  }
}

/// The step with dense algebra and Eigen's solver: (M/h² + Σ λ SᵀS) q = M/h² s + Σ λ Sᵀ p, fixed vertices eliminated.
TEST(ProjectiveDynamics, StepIsTheSlowStep) {
  const TetMesh mesh = box_tets(4, 2, 2, 0.1);
  const Index n = mesh.vertex_count();
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_strain(constraints, mesh.tets, {.stiffness = 5e4});
  const VectorXd masses = vertex_masses(mesh.vertices, mesh.tets, density);
  ProjectiveDynamics sim(constraints, masses, {.iterations = 4});
  const double h = sim.time_step();
  sim.set_stiffness(2);
  const std::vector<int> fixed = end_of_bar(mesh.vertices);
  sim.fix(fixed);
  Points targets(static_cast<Index>(fixed.size()), 3);
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    targets.row(static_cast<Index>(i)) = mesh.vertices.row(fixed[i]);
    targets(static_cast<Index>(i), 2) += 0.02;
  }
  sim.move_fixed(fixed, targets);
  sim.begin_drag(20, Vector3d(0.5, 0.5, 0), 0.3);
  sim.begin_drag(31, Vector3d(0.1, 0.7, 0), 2);
  sim.add_position(25, Vector3d(0.3, -0.2, 0.1), 700);
  const std::vector<int> pushed = {12};
  sim.apply_force(pushed, Points::Constant(1, 3, 5.0));
  sim.step();

  MatrixXd A = 2 * MatrixXd(projective_matrix(constraints));
  A.diagonal() += masses / (h * h);
  VectorXd springs = VectorXd::Zero(n);
  Points pulls = Points::Zero(n, 3);
  const MatrixXd K = projective_matrix(constraints);
  const auto pull = [&](int v, const Vector3d& target, double k) {
    springs[v] += k;
    pulls.row(v) += k * target.transpose();
  };
  pull(20, Vector3d(0.5, 0.5, 0), 0.3 * (400 * masses.sum() + 2 * K(20, 20)));
  pull(31, Vector3d(0.1, 0.7, 0), 2 * (400 * masses.sum() + 2 * K(31, 31)));
  pull(25, Vector3d(0.3, -0.2, 0.1), 700);
  A.diagonal() += springs;
  Points s = mesh.vertices;
  s.col(1).array() -= 9.81 * h * h;
  s.row(12).array() += 5 * h * h / masses[12];
  Points q = s;
  for (std::size_t i = 0; i < fixed.size(); ++i) q.row(fixed[i]) = targets.row(static_cast<Index>(i));
  for (int iteration = 0; iteration < 4; ++iteration) {
    Points rhs = masses.asDiagonal() * s / (h * h) + pulls;
    for (Index t = 0; t < mesh.tet_count(); ++t) {
      Matrix3d rest, edges;
      for (int k = 0; k < 3; ++k) {
        rest.col(k) =
            (mesh.vertices.row(mesh.tets(t, k + 1)) - mesh.vertices.row(mesh.tets(t, 0))).transpose();
        edges.col(k) = (q.row(mesh.tets(t, k + 1)) - q.row(mesh.tets(t, 0))).transpose();
      }
      const Matrix3d B = rest.inverse();
      const Eigen::JacobiSVD<MatrixXd> svd(edges * B, Eigen::ComputeFullU | Eigen::ComputeFullV);
      Matrix3d U = svd.matrixU(), V = svd.matrixV();
      if ((U * V.transpose()).determinant() < 0) U.col(2) = -U.col(2);
      const Matrix3d H = 2 * 5e4 * rest.determinant() / 6 * U * V.transpose() * B.transpose();
      for (int k = 0; k < 3; ++k) {
        rhs.row(mesh.tets(t, k + 1)) += H.col(k).transpose();
        rhs.row(mesh.tets(t, 0)) -= H.col(k).transpose();
      }
    }
    MatrixXd system = A;
    for (int v : fixed) {  // a row that says q = target
      system.row(v).setZero();
      system(v, v) = 1;
      rhs.row(v) = q.row(v);
    }
    q = system.partialPivLu().solve(rhs);
  }
  EXPECT_LT((q - sim.positions()).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(ProjectiveDynamics, ReactionsCarryTheWeight) {
  ProjectiveDynamics sim = soft_bar({.iterations = 100}, 1e6);
  sim.set_damping(5);
  const std::vector<int> held = end_of_bar(sim.positions());
  sim.fix(held);
  for (int i = 0; i < 300; ++i) sim.step();
  Points reactions;
  sim.reactions_of(held, reactions);
  const double weight = 9.81 * density * 0.4 * 0.15 * 0.15;
  EXPECT_NEAR(reactions.col(1).sum(), weight, 2e-3 * weight);
  EXPECT_LT(std::abs(reactions.col(0).sum()), 2e-3 * weight);
  const std::vector<int> free = {static_cast<int>(sim.vertex_count()) - 1};
  sim.reactions_of(free, reactions);
  EXPECT_EQ(reactions.norm(), 0);
}

TEST(ProjectiveDynamics, RefactorisesOnlyWhereTheMatrixChanges) {
  ProjectiveDynamics sim = soft_bar();
  sim.step();
  EXPECT_EQ(sim.factorizations(), 1);
  const int drag = sim.begin_drag(3, Vector3d(1, 0, 0));
  sim.step(), sim.move_drag(drag, Vector3d(0, 1, 0)), sim.step(), sim.end_drag(drag), sim.step();
  sim.set_volume(2), sim.step(), sim.set_damping(1), sim.step();
  EXPECT_EQ(sim.factorizations(), 1);
  sim.set_stiffness(3), sim.step();
  EXPECT_EQ(sim.factorizations(), 2);
  sim.set_time_step(0.01), sim.step();
  EXPECT_EQ(sim.factorizations(), 3);
  const std::vector<int> one = {5};
  sim.fix(one), sim.step(), sim.step();
  EXPECT_EQ(sim.factorizations(), 4);
  const int id = sim.add_position(7, Vector3d::Zero(), 100);
  sim.step(), sim.move_position(id, Vector3d::Ones()), sim.step();
  EXPECT_EQ(sim.factorizations(), 5);
  sim.remove_position(id), sim.step();
  EXPECT_EQ(sim.factorizations(), 6);
}

TEST(ProjectiveDynamics, FixedVerticesArriveAtTheirTargets) {
  ProjectiveDynamics sim = soft_bar();
  const std::vector<int> held = end_of_bar(sim.positions());
  sim.fix(held);
  Points targets;
  sim.positions_of(held, targets);
  for (int i = 0; i < 10; ++i) {
    targets.col(2).array() += 0.01;
    sim.move_fixed(held, targets);
    sim.step();
    Points here;
    sim.positions_of(held, here);
    EXPECT_TRUE(same_bits(here, targets));
  }
  sim.release(held);
  sim.step();
  Points velocities;
  sim.velocities_of(held, velocities);
  EXPECT_GT(velocities.col(2).mean(), 0.2);
}

TEST(ProjectiveDynamics, StifferBarsSagLess) {
  double before = 1e9;
  for (double factor : {1.0, 4.0, 16.0}) {
    ProjectiveDynamics sim = soft_bar({.iterations = 40}, 3e5);
    sim.set_stiffness(factor);
    sim.set_damping(4);
    sim.fix(end_of_bar(sim.positions()));
    const Points rest = sim.positions();
    for (int i = 0; i < 200; ++i) sim.step();
    const double sag = (rest - sim.positions()).col(1).maxCoeff();
    EXPECT_LT(sag, before / 2.5);
    before = sag;
  }
}

/// Tets that want more volume inside a skin that stretches by up to 1.3 [Brandt et al. 2018, fig. 1].
TEST(ProjectiveDynamics, BalloonGrowsInsideItsSkin) {
  const TetMesh mesh = box_tets(4, 4, 4, 0.1);
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_volume(constraints, mesh.tets, {.strain = 0, .volume = 1e5});
  const Triangles skin = boundary_triangles(mesh.tets);
  add_triangle_strain(constraints, skin, {.stiffness = 1e5, .min_stretch = 0.8, .max_stretch = 1.3});
  ProjectiveDynamics sim(constraints, vertex_masses(mesh.vertices, mesh.tets, density), {.iterations = 20});
  ASSERT_TRUE(sim.can_change_volume());
  sim.set_gravity(Vector3d::Zero());
  sim.set_damping(2);
  const double rest = signed_volume(mesh.vertices, mesh.tets);
  double before = rest;
  for (double wanted : {1.3, 1.6, 1.9}) {
    sim.set_volume(wanted);
    for (int i = 0; i < 60; ++i) sim.step();
    const double now = signed_volume(sim.positions(), mesh.tets);
    EXPECT_GT(now, before * 1.1) << wanted;
    EXPECT_NEAR(now, wanted * rest, 0.1 * wanted * rest);
    before = now;
  }
  // More than the skin allows: no body of this area is larger than the ball.
  sim.set_volume(4);
  for (int i = 0; i < 100; ++i) sim.step();
  const double now = signed_volume(sim.positions(), mesh.tets);
  EXPECT_GT(now, before);
  const double area = 1.3 * 1.3 * 6 * 0.4 * 0.4;
  EXPECT_LT(now, std::pow(area, 1.5) / (6 * std::sqrt(std::acos(-1.0))));
  EXPECT_TRUE(sim.positions().allFinite());
}

/// [Brandt et al. 2018, fig. 6]
TEST(ProjectiveDynamics, RecoversFromFlattening) {
  for (const int how : {0, 1, 2}) {
    ProjectiveDynamics sim = soft_bar({.iterations = 15}, 1e6, 0.2);
    sim.set_gravity(Vector3d::Zero());
    sim.set_damping(1);
    const Points rest = sim.positions();
    Points x = rest;
    Rng rng(7);
    if (how == 0) x.col(1).setZero();
    if (how == 1) x.col(1) = -0.3 * x.col(1);  // inverted
    if (how == 2)
      for (double& a : x.reshaped()) a = 0.2 * rng.uniform();
    sim.set_motion(x, Points::Zero(x.rows(), 3));
    for (int i = 0; i < 400; ++i) sim.step();
    ASSERT_TRUE(sim.positions().allFinite());
    // The rest shape again, somewhere: distances between vertices are back.
    double worst = 0;
    for (Index v = 1; v < rest.rows(); v += 3)
      worst = std::max(worst, std::abs((sim.positions().row(v) - sim.positions().row(0)).norm() -
                                       (rest.row(v) - rest.row(0)).norm()));
    EXPECT_LT(worst, how == 2 ? 0.1 : 0.01) << how;
  }
}

TEST(ProjectiveDynamics, RestsOnTheFloor) {
  ProjectiveDynamics sim = soft_bar({.iterations = 15}, 1e6);
  sim.set_obstacles(
      {Obstacle{.shape = PlaneShape{}, .path = {{{0, Vector3d(0, -0.2, 0)}}}, .friction = 0.5}});
  for (int i = 0; i < 240; ++i) sim.step();
  EXPECT_GT(sim.positions().col(1).minCoeff(), -0.2 - 1e-9);
  EXPECT_LT(sim.positions().col(1).minCoeff(), -0.19);
  const std::vector<int> all = {0, 20, 50};
  Points v;
  sim.velocities_of(all, v);
  EXPECT_LT(v.norm(), 0.05);
}

/// What happens to a body in a violent scene, with all sorts of changes on the way.
void violent_step(ProjectiveDynamics& sim, const Points& rest, Rng& rng, int i, std::optional<int>& drag) {
  const auto vector = [&](double size) {
    return Vector3d(size * rng.normal(), size * rng.normal(), size * rng.normal());
  };
  if (i % 40 == 0) {
    Points x = rest, v = Points::Zero(rest.rows(), 3);
    const auto kind = rng.integer(4);
    if (kind == 0)
      for (double& a : x.reshaped()) a = rng.normal();
    if (kind == 1) x.col(rng.integer(3)).setZero();
    if (kind == 2) x = -x;
    if (kind == 3)
      for (double& a : v.reshaped()) a = 1000 * rng.normal();
    sim.set_motion(x, v);
  }
  if (i % 25 == 3) sim.set_stiffness(std::pow(10, rng.uniform(-3, 3)));
  if (i % 60 == 7) sim.set_time_step(rng.uniform(1e-4, 1.0 / 30));
  if (sim.can_change_volume() && i % 30 == 1) sim.set_volume(std::pow(10, rng.uniform(-1, 1)));
  if (i % 10 == 2) {
    if (drag) sim.end_drag(*drag), drag.reset();
    if (rng.uniform() < 0.7)
      drag = sim.begin_drag(static_cast<int>(rng.integer(rest.rows())), vector(100), 100);
  }
  if (drag) sim.move_drag(*drag, vector(100));
  const std::vector<int> one = {static_cast<int>(rng.integer(rest.rows()))};
  if (i % 50 == 9) sim.fix(one);
  if (i % 50 == 30) sim.release(std::vector<int>(sim.fixed()));
  if (i % 7 == 0) sim.apply_force(one, vector(1e6).transpose());
  sim.step();
}

TEST(ProjectiveDynamics, AColumnStandsOnTheFloorWithoutSinking) {
  // Upright, its own weight shortens it by density g length^2 / (2 young): 2.6 % of the length.
  TetMesh mesh = box_tets(3, 10, 3, 0.05);
  ProjectiveConstraints constraints(mesh.vertices);
  const double young = 1e5, length = 0.5;
  add_tet_volume(constraints, mesh.tets, TetVolume::from_young(young, 0.3));
  ProjectiveDynamics sim(constraints, vertex_masses(mesh.vertices, mesh.tets, density));
  sim.set_obstacles({Obstacle{}});
  sim.set_damping(3);
  for (int i = 0; i < 300; ++i) sim.step();
  const double shortening = length - sim.positions().col(1).maxCoeff();
  const double expected = density * 9.81 * length * length / (2 * young);
  EXPECT_NEAR(shortening, expected, 0.5 * expected);
  EXPECT_GE(sim.positions().col(1).minCoeff(), -1e-12);
  EXPECT_NEAR(signed_volume(sim.positions(), mesh.tets) / signed_volume(mesh.vertices, mesh.tets), 1, 0.03);
}

TEST(ProjectiveDynamics, ViolenceNeverMakesANaN) {
  Rng rng(11);
  const TetMesh mesh = box_tets(2, 2, 2, 0.2);
  const std::vector<Points> poses = {1.5 * mesh.vertices};
  for (int scene = 0; scene < 6; ++scene) {
    ProjectiveConstraints constraints(mesh.vertices);
    if (scene % 3 == 0) add_tet_strain(constraints, mesh.tets, {.stiffness = 1e6});
    if (scene % 3 == 1) add_tet_volume(constraints, mesh.tets, TetVolume::from_young(1e5, 0.49));
    if (scene % 3 == 2) add_tet_examples(constraints, mesh.tets, poses);
    if (scene > 2) {
      add_triangle_strain(constraints, boundary_triangles(mesh.tets), {.stiffness = 1e4});
      add_bending(constraints, boundary_triangles(mesh.tets), {.stiffness = 10});
    }
    ProjectiveDynamics sim(constraints, vertex_masses(mesh.vertices, mesh.tets, density),
                           {.single_precision = scene % 2 == 1});
    sim.set_obstacles({Obstacle{}, Obstacle{.shape = SphereShape{0.5}, .restitution = 0.8}});
    std::optional<int> drag;
    for (int i = 0; i < 400; ++i) {
      violent_step(sim, mesh.vertices, rng, i, drag);
      ASSERT_TRUE(sim.positions().allFinite()) << "scene " << scene << ", step " << i;
      const Measures measures = sim.measure();
      ASSERT_TRUE(std::isfinite(measures.total())) << "scene " << scene << ", step " << i;
    }
  }
}

TEST(ProjectiveDynamics, ParallelGivesTheSameBits) {
  std::optional<Points> one;
  for (int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    Rng rng(12);
    const TetMesh mesh = box_tets(16, 10, 8, 0.05);
    ProjectiveConstraints constraints(mesh.vertices);
    add_tet_volume(constraints, mesh.tets, TetVolume::from_young(1e5, 0.4));
    add_bending(constraints, boundary_triangles(mesh.tets), {.stiffness = 0.1});
    ProjectiveDynamics sim(constraints, vertex_masses(mesh.vertices, mesh.tets, density), {.iterations = 4});
    sim.set_obstacles({Obstacle{.path = {{{0, Vector3d(0, -0.05, 0)}}}}});
    std::optional<int> drag;
    for (int i = 0; i < 12; ++i) violent_step(sim, mesh.vertices, rng, i, drag);
    if (!one) one = sim.positions();
    EXPECT_TRUE(same_bits(*one, sim.positions())) << threads;
  }
}

TEST(ProjectiveDynamics, RestoredStatesGoOnBitByBit) {
  const std::vector<Obstacle> floor = {Obstacle{.path = {{{0, Vector3d(0, -0.1, 0)}}}, .restitution = 0.3}};
  ProjectiveDynamics sim = soft_bar();
  sim.set_obstacles(floor);
  sim.fix(end_of_bar(sim.positions()));
  sim.begin_drag(30, Vector3d(0.3, 0.4, 0));
  sim.add_position(44, Vector3d(0.2, 0, 0.3), 200);
  for (int i = 0; i < 10; ++i) sim.step();
  sim.set_stiffness(5);
  sim.set_volume(1.2);
  const std::vector<int> pushed = {17};
  sim.apply_force(pushed, Points::Constant(1, 3, 3.0));
  const State state = sim.save();
  for (int i = 0; i < 10; ++i) sim.step();
  const Points expected = sim.positions();
  const State end = sim.save();
  sim.restore(state);  // rolled back
  for (int i = 0; i < 10; ++i) sim.step();
  EXPECT_TRUE(same_bits(sim.positions(), expected));
  EXPECT_EQ(sim.save(), end);
  ProjectiveDynamics other = soft_bar();  // another of the same kind
  other.set_obstacles(floor);
  other.restore(state);
  EXPECT_EQ(other.save(), state);
  for (int i = 0; i < 10; ++i) other.step();
  EXPECT_TRUE(same_bits(other.positions(), expected));

  State broken = state;
  broken.bytes.resize(broken.bytes.size() - 3);
  EXPECT_THROW(other.restore(broken), InputError);
  EXPECT_EQ(other.save(), end);
}

TEST(ProjectiveDynamics, ToleranceEndsAStepEarly) {
  ProjectiveDynamics sim = soft_bar({.iterations = 500, .tolerance = 1e-9});
  const StepReport report = sim.step();
  EXPECT_TRUE(report.converged);
  EXPECT_LT(report.iterations, 5);  // free fall needs one turn
}

TEST(ProjectiveDynamics, BadInputIsRefused) {
  const TetMesh mesh = bar();
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_strain(constraints, mesh.tets);
  VectorXd masses = vertex_masses(mesh.vertices, mesh.tets, density);
  EXPECT_TRUE(contains(message_of([&] { ProjectiveDynamics(constraints, masses.head(3)); }), "3 masses"));
  EXPECT_TRUE(contains(message_of([&] { ProjectiveDynamics(constraints, masses, {.iterations = 0}); }),
                       "0 iterations"));
  ProjectiveDynamics sim(constraints, masses);
  EXPECT_TRUE(contains(message_of([&] { sim.set_volume(2); }), "set_volume"));
  EXPECT_TRUE(contains(message_of([&] { sim.add_position(-1, Vector3d::Zero(), 1); }), "vertex -1"));
  EXPECT_TRUE(contains(message_of([&] { sim.remove_position(9); }), "no constraint 9"));
  Points out;
  for (const int bad : {-1, static_cast<int>(mesh.vertex_count())}) {
    const std::string expected = "vertex " + std::to_string(bad) + " given";
    EXPECT_TRUE(contains(message_of([&] { sim.positions_of(std::vector<int>{0, bad}, out); }), expected));
    EXPECT_TRUE(contains(message_of([&] { sim.velocities_of(std::vector<int>{0, bad}, out); }), expected));
    EXPECT_TRUE(contains(message_of([&] { sim.reactions_of(std::vector<int>{0, bad}, out); }), expected));
  }
  masses[4] = 0;
  EXPECT_TRUE(contains(message_of([&] { ProjectiveDynamics(constraints, masses); }), "vertex 4"));
}

}  // namespace
}  // namespace pliant
