#include "pliant/elasticity/element_set.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <Eigen/Dense>

#include "elasticity/sample_deformations.h"
#include "pliant/base/error.h"
#include "pliant/elasticity/edge_flaps.h"
#include "pliant/geometry/shapes.h"
#include "pliant/numerics/finite_difference.h"
#include "support/simple_meshes.h"

namespace pliant {
namespace {

using namespace testing_support;
using Vector9d = Eigen::Matrix<double, 9, 1>;

const ShellMaterial sheet{.stretch = 3, .area = 2, .bending = 0.1, .density = 4};

Points shaken(const Points& rest, double size, std::uint64_t seed) {
  Rng rng(seed);
  Points x = rest;
  for (Index i = 0; i < x.size(); ++i) x.data()[i] += rng.uniform(-size, size);
  return x;
}

/// A book of three pages: one edge with three triangles, and a triangle beyond each.
TriMesh book() {
  TriMesh mesh;
  mesh.vertices.resize(8, 3);
  mesh.vertices << 0, 0, 0, 0, 0, 1, 1, 0.1, 0.4, -0.7, 0.6, 0.5, -0.6, -0.8, 0.6, 1.2, 0.2, 1.3, -0.8, 0.9,
      1.2, -0.9, -0.7, 1.4;
  mesh.triangles.resize(6, 3);
  mesh.triangles << 0, 1, 2, 1, 0, 3, 1, 0, 4, 2, 1, 5, 1, 3, 6, 4, 7, 1;
  return mesh;
}

/// Every kind of body: one of each material, one of all together, and shells, open, closed and branching.
std::vector<std::pair<std::string, Body>> all_bodies() {
  std::vector<std::pair<std::string, Body>> bodies;
  const TetMesh mesh = make_shape("bar", {.tets = 1000});
  std::vector<SolidMaterial> palette;
  for (const Material& material : all_materials(3, 0.35)) {
    bodies.emplace_back(name(material), Body(mesh, {material, 1}));
    palette.push_back({material, 1});
  }
  std::vector<int> of_tet;
  for (Index t = 0; t < mesh.tet_count(); ++t) of_tet.push_back(static_cast<int>(t % 7));
  bodies.emplace_back("all", Body(mesh, palette, {.material_of_tet = of_tet}));
  bodies.emplace_back("sphere", Body(icosphere(2), sheet));
  bodies.emplace_back("plate", Body(grid_plane(7, 5, 0.1), sheet));
  bodies.emplace_back("book", Body(book(), sheet));
  return bodies;
}

double element_size(const Body& body) { return body.is_shell() ? 0.02 : 0.01; }

MatrixXd z_of(const std::vector<ElementMap>& maps, const Points& x) {
  MatrixXd z = MatrixXd::Zero(9, static_cast<Index>(maps.size()));
  for (std::size_t e = 0; e < maps.size(); ++e)
    for (int a = 0; a < 4; ++a)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
          z(i + 3 * j, static_cast<Index>(e)) += maps[e].coefficients(j, a) * x(maps[e].vertices[a], i);
  return z;
}

/// 9 x 12: how z of an element follows from its four vertices.
Eigen::Matrix<double, 9, 12> matrix_of(const ElementMap& map) {
  Eigen::Matrix<double, 9, 12> B;
  for (int a = 0; a < 4; ++a)
    for (int j = 0; j < 3; ++j) B.block<3, 3>(3 * j, 3 * a) = map.coefficients(j, a) * Matrix3d::Identity();
  return B;
}

}  // namespace

TEST(ElementSet, AllElementsTogetherAreTheBody) {
  for (const auto& [label, body] : all_bodies()) {
    SCOPED_TRACE(label);
    const ElementSet set(body);
    ASSERT_EQ(set.count(), element_count(body));
    const auto maps = element_maps(body, set.elements());
    const Points x = shaken(body.rest_positions(), element_size(body), 3);
    const MatrixXd z = z_of(maps, x), gradients = set.gradients(z);

    BodyWorkspace work;
    Points forces;
    const double energy = body.energy_and_forces(x, forces, work);
    EXPECT_NEAR(set.energies(z).sum(), energy, 1e-13 * energy);
    Points sum = Points::Zero(x.rows(), 3);
    for (std::size_t e = 0; e < maps.size(); ++e) {
      const Eigen::Matrix<double, 12, 1> g =
          matrix_of(maps[e]).transpose() * gradients.col(static_cast<Index>(e));
      for (int a = 0; a < 4; ++a) sum.row(maps[e].vertices[a]) -= g.segment<3>(3 * a).transpose();
    }
    EXPECT_LT((sum - forces).norm(), 1e-13 * forces.norm());

    for (const Projection projection : {Projection::none, Projection::positive}) {
      const MatrixXd K = body.stiffness(x, projection), hessians = set.hessians(z, projection);
      MatrixXd total = MatrixXd::Zero(K.rows(), K.cols());
      for (std::size_t e = 0; e < maps.size(); ++e) {
        const auto B = matrix_of(maps[e]);
        const Eigen::Matrix<double, 9, 9> H = hessians.col(static_cast<Index>(e)).reshaped(9, 9);
        EXPECT_LT((H - H.transpose()).norm(), 1e-14 * H.norm());
        const Eigen::Matrix<double, 12, 12> block = B.transpose() * H * B;
        for (int a = 0; a < 4; ++a)
          for (int b = 0; b < 4; ++b)
            total.block<3, 3>(3 * maps[e].vertices[a], 3 * maps[e].vertices[b]) +=
                block.block<3, 3>(3 * a, 3 * b);
      }
      EXPECT_LT((total - K).norm(), 1e-12 * K.norm());
    }
  }
}

TEST(ElementSet, AtRestThereIsNoForce) {
  for (const auto& [label, body] : all_bodies()) {
    SCOPED_TRACE(label);
    const ElementSet set(body);
    const MatrixXd rest = z_of(element_maps(body, set.elements()), body.rest_positions());
    EXPECT_LT((set.rest_z() - rest).norm(), 1e-12 * rest.norm());
    const double scale = set.hessians(rest).norm() * rest.norm();
    EXPECT_LT(set.gradients(set.rest_z()).norm(), 1e-12 * scale);
    EXPECT_LT(std::abs(set.energies(set.rest_z()).sum()), 1e-12 * scale);
  }
}

TEST(ElementSet, DerivativesAreThoseOfTheEnergy) {
  for (const auto& [label, body] : all_bodies()) {
    SCOPED_TRACE(label);
    const std::vector<int> chosen = {3, 1, 7};
    const ElementSet set(body, chosen);
    const Points x = shaken(body.rest_positions(), element_size(body), 4);
    const MatrixXd z = z_of(element_maps(body, set.elements()), x);
    const MatrixXd gradients = set.gradients(z), hessians = set.hessians(z);
    const double size = z.norm();
    for (Index e = 0; e < 3; ++e) {
      const auto moved = [&](const VectorXd& column) {
        MatrixXd there = z;
        there.col(e) = column;
        return there;
      };
      const VectorXd slope = finite_gradient([&](const VectorXd& at) { return set.energies(moved(at))[e]; },
                                             z.col(e), 3e-4 * size);
      EXPECT_LT((slope - gradients.col(e)).norm(), 1e-7 * gradients.col(e).norm() + 1e-10);
      const MatrixXd curve =
          finite_jacobian([&](const VectorXd& at) -> VectorXd { return set.gradients(moved(at)).col(e); },
                          z.col(e), 3e-4 * size);
      EXPECT_LT((curve - hessians.col(e).reshaped(9, 9)).norm(), 1e-6 * curve.norm());
    }
  }
}

TEST(ElementSet, ChosenElementsAreThoseOfAllInAnyOrder) {
  for (const auto& [label, body] : all_bodies()) {
    SCOPED_TRACE(label);
    const std::vector<int> chosen = {5, 0, 11, 3, 3, 9, 8, 2, 10, 1};  // one twice
    const ElementSet all(body), some(body, chosen);
    ASSERT_EQ(some.count(), static_cast<Index>(chosen.size()));
    EXPECT_TRUE(std::is_permutation(chosen.begin(), chosen.end(), some.elements().begin()));
    const Points x = shaken(body.rest_positions(), element_size(body), 5);
    const VectorXd energies = all.energies(z_of(element_maps(body, all.elements()), x));
    const VectorXd ours = some.energies(z_of(element_maps(body, some.elements()), x));
    for (Index k = 0; k < some.count(); ++k) {
      const auto place = std::find(all.elements().begin(), all.elements().end(),
                                   some.elements()[static_cast<std::size_t>(k)]) -
                         all.elements().begin();
      EXPECT_EQ(ours[k], energies[place]);
    }
  }
}

TEST(ElementSet, FreeSlotsHaveNoEnergy) {
  for (const auto& [label, body] : all_bodies()) {
    SCOPED_TRACE(label);
    const ElementSet set(body, std::vector<int>{2, 4, 6});
    AlignedVector<double> z = set.rest();
    Rng rng(6);
    for (double& entry : z) entry += rng.uniform(-0.2, 0.2);
    const auto size = static_cast<std::size_t>(set.slot_count());
    AlignedVector<double> energies(size, -1), gradients(9 * size, -1), hessians(81 * size, -1);
    set.evaluate(0, set.pack_count(), z.data(), {energies.data(), gradients.data(), hessians.data()});
    for (int slot = 0; slot < set.slot_count(); ++slot) {
      if (std::count(set.slots().begin(), set.slots().end(), slot)) continue;
      const int pack = slot / 8, lane = slot % 8;
      EXPECT_EQ(energies[static_cast<std::size_t>(slot)], 0);
      for (int i = 0; i < 9; ++i)
        EXPECT_EQ(gradients[static_cast<std::size_t>((9 * pack + i) * 8 + lane)], 0);
      for (int i = 0; i < 81; ++i)
        EXPECT_EQ(hessians[static_cast<std::size_t>((81 * pack + i) * 8 + lane)], 0);
    }
  }
}

TEST(ElementSet, AnOriginMovesWhereZBegins) {
  for (const auto& [label, body] : all_bodies()) {
    SCOPED_TRACE(label);
    const Points origin = shaken(body.rest_positions(), element_size(body), 7);
    const std::vector<int> chosen = {4, 2, 9};
    const ElementSet plain(body, chosen), moved(body, chosen, origin);
    const MatrixXd z = z_of(element_maps(body, moved.elements()), origin);
    EXPECT_LT((moved.rest_z() - z).norm(), 1e-13 * z.norm());
    EXPECT_EQ(moved.gradients(z), plain.gradients(z));  // only z begins elsewhere
    EXPECT_THROW(ElementSet(body, chosen, origin.topRows(3)), InputError);
  }
}

TEST(ElementSet, EverySimdTargetAgrees) {
  for (const auto& [label, body] : all_bodies()) {
    SCOPED_TRACE(label);
    const ElementSet set(body);
    const MatrixXd z =
        z_of(element_maps(body, set.elements()), shaken(body.rest_positions(), element_size(body), 8));
    const MatrixXd gradients = set.gradients(z), hessians = set.hessians(z, Projection::positive);
    for (const auto target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      EXPECT_LT((set.gradients(z) - gradients).norm(), 1e-12 * gradients.norm()) << hwy::TargetName(target);
      EXPECT_LT((set.hessians(z, Projection::positive) - hessians).norm(), 1e-11 * hessians.norm());
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(ElementSet, CrushedElementsGiveFiniteNumbers) {
  for (const auto& [label, body] : all_bodies()) {
    SCOPED_TRACE(label);
    const ElementSet set(body, std::vector<int>{0, 1, 2, 3});
    MatrixXd z = set.rest_z();
    z.col(0).setZero();
    z.col(1).tail<6>().setZero();
    z.col(2) *= -1;
    z.col(3) *= 1e4;
    EXPECT_TRUE(set.energies(z).allFinite());
    EXPECT_TRUE(set.gradients(z).allFinite());
    EXPECT_TRUE(set.hessians(z).allFinite());
    EXPECT_TRUE(set.hessians(z, Projection::positive).allFinite());
  }
}

TEST(ElementSet, ArraysMakeTheSameSetAgain) {
  for (const auto& [label, body] : all_bodies()) {
    SCOPED_TRACE(label);
    const ElementSet set(body), again(set.arrays());
    EXPECT_EQ(again.elements(), set.elements());
    EXPECT_EQ(again.slots(), set.slots());
    const MatrixXd z =
        z_of(element_maps(body, set.elements()), shaken(body.rest_positions(), element_size(body), 9));
    EXPECT_EQ(again.energies(z), set.energies(z));
    EXPECT_EQ(again.gradients(z), set.gradients(z));
  }
}

TEST(ElementSet, RefusesArraysThatDoNotFit) {
  const Body body(make_shape("bar", {.tets = 1000}), {make_material("stvk", 1, 0.3), 1});
  const Body shell(grid_plane(3, 3, 0.1), sheet);
  EXPECT_THROW(ElementSet(body, std::vector<int>{-1}), InputError);
  EXPECT_THROW(ElementSet(body, std::vector<int>{static_cast<int>(element_count(body))}), InputError);
  const ElementArrays good = ElementSet(body, std::vector<int>{1, 2}).arrays();
  EXPECT_NO_THROW(ElementSet{good});
  const auto refused = [](ElementArrays arrays, auto&& spoil) {
    spoil(arrays);
    EXPECT_THROW(ElementSet{arrays}, InputError);
  };
  refused(good, [](auto& a) { a.kinds.conservativeResize(1); });
  refused(good, [](auto& a) { a.parameters.conservativeResize(10, 2); });
  refused(good, [](auto& a) { a.rest.conservativeResize(9, 1); });
  refused(good, [](auto& a) { a.kinds[1] = 8; });
  refused(good, [](auto& a) { a.kinds[0] = -1; });
  refused(good, [](auto& a) { a.elements[0] = -3; });
  refused(good, [](auto& a) { a.parameters(0, 1) = 0; });
  refused(good, [](auto& a) { a.parameters(2, 1) = std::nan(""); });
  refused(good, [](auto& a) { a.rest(2, 1) = INFINITY; });
  const ElementArrays flaps = ElementSet(shell, std::vector<int>{1, 2}).arrays();
  EXPECT_NO_THROW(ElementSet{flaps});
  refused(flaps, [](auto& a) { a.parameters(0, 0) = 0; });
  refused(flaps, [](auto& a) { a.parameters(7, 0) = -1; });
  refused(flaps, [](auto& a) { a.parameters(6, 0) = 4; });
}

TEST(EdgeFlaps, DivideTheTermsOfABranchingEdge) {
  const DiscreteShell shell = make_discrete_shell(book(), sheet);
  const auto flaps = edge_flaps(shell);
  // One edge of three triangles has two flaps, the others one.
  EXPECT_EQ(shell.edges.rows(), 13);
  ASSERT_EQ(flaps.size(), 14u);
  EXPECT_EQ(static_cast<Index>(flaps.size()), element_count(Body(book(), sheet)));
  double lengths = 0, areas = 0, expected_lengths = 0, expected_areas = 0;
  for (const EdgeFlap& f : flaps) {
    lengths += f.edge.stiffness;
    areas += f.areas[0].stiffness + f.areas[1].stiffness;
    EXPECT_EQ(f.has_hinge, f.vertices[2] != f.vertices[3]);
    EXPECT_EQ(f.has_hinge, f.hinge.stiffness > 0);
  }
  for (const EdgeTerm& term : shell.edge_terms) expected_lengths += term.stiffness;
  for (const AreaTerm& term : shell.area_terms) expected_areas += term.stiffness;
  EXPECT_NEAR(lengths, expected_lengths, 1e-13 * lengths);
  EXPECT_NEAR(areas, expected_areas, 1e-13 * areas);
}

}  // namespace pliant
