#include "pliant/hyperreduction/carrying_vertices.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>

#include "pliant/base/parallel.h"
#include "pliant/elasticity/projective_constraints.h"
#include "pliant/geometry/shapes.h"
#include "pliant/numerics/nnls.h"

namespace pliant {
namespace {

struct Case {
  SkinningBasis basis;
  VectorXd masses;
};

Case skinned(const char* shape, int tets, int handles, double held_below = -1e9) {
  const TetMesh mesh = make_shape(shape, {.tets = tets});
  std::vector<int> held;
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    if (mesh.vertices(v, 1) < held_below) held.push_back(static_cast<int>(v));
  GeodesicSolver solver(mesh);
  Case c;
  c.masses = vertex_masses(mesh.vertices, mesh.tets, 1000);
  c.basis = skinning_basis(solver, mesh.vertices, c.masses, {.handles = handles, .fixed = held});
  return c;
}

/// What is left of the weight where these vertices push as they can, as part of it.
double uncarried(const Case& c, const std::vector<int>& vertices) {
  const auto row = [&](int v) {
    VectorXd u = VectorXd::Zero(c.basis.columns());
    for (Index e = c.basis.weights.first[static_cast<std::size_t>(v)];
         e < c.basis.weights.first[static_cast<std::size_t>(v) + 1]; ++e)
      u.segment<4>(4 * Index{c.basis.weights.handle[static_cast<std::size_t>(e)]}) =
          columns_of(c.basis, v, e);
    for (Index i = 0; i < u.size(); ++i)
      if (c.basis.dropped[static_cast<std::size_t>(i)]) u[i] = 0;
    return u;
  };
  VectorXd weight = VectorXd::Zero(c.basis.columns());
  for (Index v = 0; v < c.masses.size(); ++v) weight += c.masses[v] * row(static_cast<int>(v));
  MatrixXd A(c.basis.columns(), static_cast<Index>(vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i) A.col(static_cast<Index>(i)) = row(vertices[i]);
  const Nnls found = nnls(A.transpose() * A, A.transpose() * weight);
  return (A * found.x - weight).norm() / weight.norm();
}

Index kept_columns(const Case& c) {
  return static_cast<Index>(std::count(c.basis.dropped.begin(), c.basis.dropped.end(), 0));
}

}  // namespace

TEST(CarryingVertices, CarryTheBodyAndAreAboutAsManyAsColumns) {
  for (const auto& c : {skinned("bear", 3000, 20), skinned("squid", 4000, 30), skinned("bear", 3000, 1),
                        skinned("bear", 2000, 20, -0.2)}) {
    const std::vector<int> found = carrying_vertices(c.basis, c.masses);
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
    EXPECT_LE(static_cast<double>(found.size()), 1.05 * static_cast<double>(kept_columns(c)));
    EXPECT_LT(uncarried(c, found), 1e-5);
  }
}

// The claim of the first test is one about these vertices: as many others do not carry the body.
TEST(CarryingVertices, OthersDoNot) {
  const Case c = skinned("bear", 3000, 20);
  const std::size_t count = carrying_vertices(c.basis, c.masses).size();
  std::vector<int> others;
  for (std::size_t i = 0; i < count; ++i)
    others.push_back(static_cast<int>(i * static_cast<std::size_t>(c.masses.size()) / count));
  EXPECT_GT(uncarried(c, others), 1e-3);
}

TEST(CarryingVertices, OfLargePartsThereAreMore) {
  const Case c = skinned("squid", 4000, 30);
  const auto whole = carrying_vertices(c.basis, c.masses), parts = carrying_vertices(c.basis, c.masses, {60});
  EXPECT_GT(parts.size(), whole.size());
  EXPECT_LT(static_cast<Index>(parts.size()), c.masses.size());
  EXPECT_LT(uncarried(c, parts), 1e-5);
}

TEST(CarryingVerticesParallel, TheSameOnAnyNumberOfThreads) {
  const Case c = skinned("bear", 3000, 20);
  const int before = thread_count();
  set_thread_count(1);
  const std::vector<int> one = carrying_vertices(c.basis, c.masses);
  set_thread_count(3);
  EXPECT_EQ(carrying_vertices(c.basis, c.masses), one);
  set_thread_count(before);
}

}  // namespace pliant
