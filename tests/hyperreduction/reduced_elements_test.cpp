#include "pliant/hyperreduction/reduced_elements.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <Eigen/Dense>

#include "elasticity/sample_deformations.h"
#include "pliant/base/error.h"
#include "pliant/geometry/shapes.h"
#include "pliant/numerics/finite_difference.h"
#include "support/simple_meshes.h"

namespace pliant {
namespace {

using namespace testing_support;

MatrixXd random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed);
  return MatrixXd::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

/// A random subspace of single-precision numbers on a mesh, so that only G itself is rounded.
MatrixXd random_basis(const Body& body, Index d) {
  return random_matrix(3 * body.vertex_count(), d, 2).cast<float>().cast<double>();
}

std::vector<std::pair<std::string, Body>> some_bodies() {
  std::vector<std::pair<std::string, Body>> bodies;
  const TetMesh mesh = make_shape("bar", {.tets = 1000});
  std::vector<SolidMaterial> palette;
  for (const Material& material : all_materials(3, 0.35)) palette.push_back({material, 1});
  std::vector<int> of_tet;
  for (Index t = 0; t < mesh.tet_count(); ++t) of_tet.push_back(static_cast<int>(t % 7));
  bodies.emplace_back("stvk", Body(mesh, {make_material("stvk", 3, 0.35), 1}));
  bodies.emplace_back("all", Body(mesh, palette, {.material_of_tet = of_tet}));
  bodies.emplace_back("shell", Body(icosphere(2), {.stretch = 3, .area = 2, .bending = 0.1, .density = 4}));
  return bodies;
}

Points moved(const Body& body, const MatrixXd& U, const VectorXd& q) {
  const VectorXd u = U * q;
  return body.rest_positions() + Eigen::Map<const Points>(u.data(), body.vertex_count(), 3);
}

Eigen::Map<const VectorXd> stacked(const Points& x) { return {x.data(), x.size()}; }

}  // namespace

TEST(ReducedElements, AllElementsWithWeightOneAreTheBody) {
  for (const auto& [label, body] : some_bodies())
    for (const Index d : {1, 5, 12, 23}) {
      SCOPED_TRACE(label);
      const MatrixXd U = random_basis(body, d);
      const ElementSet set(body);
      const ReducedElements reduced(body, U, set, VectorXd::Ones(set.count()));
      ASSERT_EQ(reduced.dimension(), d);
      const VectorXd q = 2e-3 * random_matrix(d, 1, 3);
      const Points x = moved(body, U, q);
      BodyWorkspace full;
      Points f;
      const double energy = body.energy_and_forces(x, f, full);
      const VectorXd expected = U.transpose() * stacked(f);
      ReducedElements::Workspace work;
      VectorXd force;
      MatrixXd K;
      // G is rounded to 24 bits.
      EXPECT_NEAR(reduced.force(q, force, work), energy, 1e-6 * energy);
      EXPECT_LT((force - expected).norm(), 1e-6 * expected.norm());
      EXPECT_EQ(reduced.energy(q, work), reduced.force(q, force, work));
      for (const Projection projection : {Projection::none, Projection::positive}) {
        const MatrixXd Kx = U.transpose() * body.stiffness(x, projection) * U;
        VectorXd again;
        const double same = reduced.stiffness(q, K, again, work, projection);
        EXPECT_NEAR(same, energy, 1e-6 * energy);
        EXPECT_LT((again - force).norm(), 1e-13 * force.norm());
        EXPECT_EQ(K, MatrixXd(K.transpose()));
        EXPECT_LT((K - Kx).norm(), 1e-6 * Kx.norm());
      }
    }
}

// The rounding of G does not come between energy, force and stiffness: they fit each other to the last digits.
TEST(ReducedElements, ForceAndStiffnessAreExactDerivatives) {
  for (const auto& [label, body] : some_bodies()) {
    SCOPED_TRACE(label);
    const Index d = 6;
    const std::vector<int> chosen = {7, 3, 20, 11, 60, 5, 31, 8, 12, 40, 2};
    const ElementSet set(body, chosen);
    Rng rng(4);
    const VectorXd weights = VectorXd::NullaryExpr(set.count(), [&] { return rng.uniform(0, 3); });
    const ReducedElements reduced(body, random_basis(body, d), set, weights);
    EXPECT_EQ(reduced.weights(), weights);
    ReducedElements::Workspace work;
    const VectorXd q = 1e-3 * random_matrix(d, 1, 5);
    VectorXd force;
    MatrixXd K;
    reduced.stiffness(q, K, force, work);
    const VectorXd slope =
        finite_gradient([&](const VectorXd& at) { return reduced.energy(at, work); }, q, 1e-5);
    EXPECT_LT((slope + force).norm(), 1e-9 * force.norm());
    const MatrixXd curve = finite_jacobian(
        [&](const VectorXd& at) -> VectorXd {
          VectorXd f;
          reduced.force(at, f, work);
          return -f;
        },
        q, 1e-5);
    EXPECT_LT((curve - K).norm(), 1e-9 * K.norm());
  }
}

TEST(ReducedElements, ComeBackFromTheirArrays) {
  for (const auto& [label, body] : some_bodies()) {
    SCOPED_TRACE(label);
    const ElementSet set(body, std::vector<int>{9, 4, 30, 2, 17});
    const VectorXd weights = VectorXd::LinSpaced(5, 1, 2);
    const ReducedElements reduced(body, random_basis(body, 7), set, weights);
    const ReducedElements again(ElementSet(reduced.elements().arrays()), reduced.weights(),
                                reduced.gradients());
    const VectorXd q = 3e-3 * random_matrix(7, 1, 6);
    ReducedElements::Workspace work;
    VectorXd f, g;
    EXPECT_EQ(reduced.force(q, f, work), again.force(q, g, work));
    EXPECT_EQ(f, g);
  }
}

TEST(ReducedElements, EverySimdTargetAgrees) {
  const Body body = some_bodies()[1].second;
  const ElementSet set(body);
  const ReducedElements reduced(body, random_basis(body, 9), set, VectorXd::Ones(set.count()));
  const VectorXd q = 3e-3 * random_matrix(9, 1, 7);
  ReducedElements::Workspace work;
  VectorXd f, g;
  MatrixXd K, other;
  reduced.stiffness(q, K, f, work);
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    reduced.stiffness(q, other, g, work);
    EXPECT_LT((other - K).norm(), 1e-12 * K.norm()) << hwy::TargetName(target);
    reduced.force(q, g, work);
    EXPECT_LT((f - g).norm(), 1e-12 * f.norm()) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(ReducedElements, AWarmWorkspaceIsNotMovedAndOneOfAnySizeServes) {
  const Body body = some_bodies()[0].second;
  const ElementSet set(body, std::vector<int>{1, 2, 3});
  const ReducedElements small(body, random_basis(body, 5), set, VectorXd::Ones(3));
  const ReducedElements large(body, random_basis(body, 40), set, VectorXd::Ones(3));
  ReducedElements::Workspace work, fresh;
  VectorXd f, g;
  MatrixXd K, L;
  large.stiffness(VectorXd::Constant(40, 1e-3), K, f, work);
  const double* where = work.buffer.data();
  small.stiffness(VectorXd::Constant(5, 1e-3), K, f, work);
  small.stiffness(VectorXd::Constant(5, 1e-3), L, g, fresh);
  EXPECT_EQ(K, L);
  EXPECT_EQ(f, g);
  large.force(VectorXd::Constant(40, 1e-3), f, work);
  EXPECT_EQ(work.buffer.data(), where);
}

TEST(ReducedElements, RefuseWhatDoesNotFit) {
  const Body body = some_bodies()[0].second;
  const ElementSet set(body, std::vector<int>{1, 2, 3});
  const MatrixXd U = random_basis(body, 4);
  EXPECT_THROW(ReducedElements(body, U.topRows(9), set, VectorXd::Ones(3)), InputError);
  EXPECT_THROW(ReducedElements(body, U, set, VectorXd::Ones(2)), InputError);
  EXPECT_THROW(ReducedElements(body, U, set, -VectorXd::Ones(3)), InputError);
  EXPECT_THROW(ReducedElements(set, VectorXd::Ones(3), Eigen::MatrixXf::Zero(26, 4)), InputError);
  EXPECT_THROW(ReducedElements(set, VectorXd::Ones(3), Eigen::MatrixXf::Constant(27, 4, NAN)), InputError);
}

}  // namespace pliant
