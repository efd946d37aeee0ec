#include "pliant/hyperreduction/sample_regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "pliant/geometry/shapes.h"
#include "pliant/hyperreduction/constraint_samples.h"

namespace pliant {
namespace {

struct Sampled {
  TetMesh mesh = make_shape("bear", {.tets = 2000});
  ProjectiveConstraints constraints{mesh.vertices};
  std::vector<int> samples;
  GeodesicSolver solver{mesh};

  Sampled() {
    add_tet_strain(constraints, mesh.tets, {.stiffness = 1e5});
    samples = spread_constraints(group(), {}, solver, 60);
  }
  const ProjectiveGroup& group() const { return constraints.group(ProjectiveKind::tet_strain); }
};

Vector3d middle(const TetMesh& mesh, Index tet) {
  Vector3d sum = Vector3d::Zero();
  for (int k = 0; k < 4; ++k) sum += mesh.vertices.row(mesh.tets(tet, k)).transpose();
  return sum / 4;
}

}  // namespace

TEST(SampleRegions, EverySampleStandsForItselfAndWhatIsAroundIt) {
  Sampled s;
  const std::vector<int> region = sample_regions(s.constraints, s.group(), s.samples, s.solver);
  double own = 0, nearest = 0;
  for (Index c = 0; c < s.group().size(); ++c) {
    const int sample = region[static_cast<std::size_t>(c)];
    ASSERT_GE(sample, 0);
    double least = std::numeric_limits<double>::infinity();
    for (const int other : s.samples)
      least = std::min(least, (middle(s.mesh, other) - middle(s.mesh, c)).norm());
    own += (middle(s.mesh, s.samples[static_cast<std::size_t>(sample)]) - middle(s.mesh, c)).norm();
    nearest += least;
  }
  for (std::size_t i = 0; i < s.samples.size(); ++i)
    EXPECT_EQ(region[static_cast<std::size_t>(s.samples[i])], static_cast<int>(i));
  EXPECT_LT(own, 1.1 * nearest);  // through the body, and from vertex to vertex
}

TEST(SampleRegions, WeightsAreThoseOfTheWholeBody) {
  Sampled s;
  const VectorXd weights = weights_of_regions(
      s.group(), sample_regions(s.constraints, s.group(), s.samples, s.solver), std::ssize(s.samples));
  double all = 0;
  MatrixXd S;
  for (Index c = 0; c < s.group().size(); ++c) all += constraint_rows(s.group(), c, S);
  EXPECT_NEAR(weights.sum(), all, 1e-9 * all);
  EXPECT_GT(weights.minCoeff(), 0);
}

TEST(SampleRegions, WhatIsLeftOutBelongsToNone) {
  Sampled s;
  std::vector<char> left_out(static_cast<std::size_t>(s.group().size()), 0);
  for (Index c = 0; c < s.group().size(); ++c)
    left_out[static_cast<std::size_t>(c)] = middle(s.mesh, c).y() > 0;
  const std::vector<int> region = sample_regions(s.constraints, s.group(), s.samples, s.solver, left_out);
  for (std::size_t c = 0; c < region.size(); ++c) EXPECT_EQ(region[c] < 0, left_out[c] != 0);
}

}  // namespace pliant
