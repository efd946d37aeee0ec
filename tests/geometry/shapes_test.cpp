#include "pliant/geometry/shapes.h"

#include <gtest/gtest.h>

#include <numbers>

#include "pliant/base/error.h"
#include "pliant/geometry/measures.h"
#include "support/mesh_properties.h"

namespace pliant {
namespace {

constexpr double pi = std::numbers::pi;

bool is_structured(std::string_view name) {
  for (const char* structured : {"bar", "plate", "cylinder", "tube", "u_beam", "fork", "menger_sponge"})
    if (name == structured) return true;
  return false;
}

double count_tolerance(std::string_view name) { return is_structured(name) ? 0.15 : 0.05; }

// What every solid promises at every resolution.
void expect_sound_solid(const TetMesh& mesh, double size_tolerance) {
  EXPECT_GT(tet_volumes(mesh).minCoeff(), 0);
  EXPECT_EQ(test::component_count(mesh.vertex_count(), mesh.tets), 1);
  const Surface surface = extract_surface(mesh);
  const auto topology = test::surface_topology(surface.mesh.vertex_count(), surface.mesh.triangles);
  EXPECT_EQ(topology.border_edges, 0);
  EXPECT_EQ(topology.bad_edges, 0);

  const Vector3d lower = mesh.vertices.colwise().minCoeff(), upper = mesh.vertices.colwise().maxCoeff();
  const double longest = (upper - lower).maxCoeff();
  EXPECT_NEAR(longest, 1, size_tolerance);
  EXPECT_NEAR(lower.y(), 0, 0.03);
  EXPECT_NEAR(lower.x() + upper.x(), 0, 0.06);
  EXPECT_NEAR(lower.z() + upper.z(), 0, 0.06);
}

std::vector<std::string> names_of(ShapeKind kind) {
  std::vector<std::string> names;
  for (const ShapeInfo& shape : shapes())
    if (shape.kind == kind) names.push_back(shape.name);
  return names;
}

double relative(double value, double expected) { return std::abs(value / expected - 1); }

class EverySolid : public testing::TestWithParam<std::string> {};

}  // namespace

TEST_P(EverySolid, IsSoundAndHasTheCountAskedForAtAThousandTets) {
  const TetMesh mesh = make_shape(GetParam(), {.tets = 1000});
  expect_sound_solid(mesh, 0.25);  // the squid's arms are thickened
  EXPECT_LT(relative(static_cast<double>(mesh.tet_count()), 1000), count_tolerance(GetParam()))
      << mesh.tet_count();
}

TEST_P(EverySolid, IsSoundAndHasTheCountAskedForAtTwentyThousandTets) {
  const TetMesh mesh = make_shape(GetParam(), {.tets = 20000});
  expect_sound_solid(mesh, 0.06);
  EXPECT_LT(relative(static_cast<double>(mesh.tet_count()), 20000), count_tolerance(GetParam()))
      << mesh.tet_count();
}

TEST_P(EverySolid, HasTheVerticesAskedFor) {
  const TetMesh mesh = make_shape(GetParam(), {.vertices = 3000});
  EXPECT_LT(relative(static_cast<double>(mesh.vertex_count()), 3000), count_tolerance(GetParam()))
      << mesh.vertex_count();
}

TEST_P(EverySolid, ParallelMakingGivesTheSameBits) {
  const auto make = [](int threads) {
    const ScopedThreadCount scope(threads);
    return make_shape(GetParam(), {.tets = 3000});
  };
  const TetMesh one = make(1), four = make(4);
  EXPECT_TRUE(one.tets.rows() == four.tets.rows() && one.tets == four.tets);
  EXPECT_TRUE(one.vertices.rows() == four.vertices.rows() && one.vertices == four.vertices);
}

INSTANTIATE_TEST_SUITE_P(Shapes, EverySolid, testing::ValuesIn(names_of(ShapeKind::solid)),
                         [](const auto& shape) { return shape.param; });

TEST(Shapes, AreSoundAtAFewHundredThousandTetsToo) {
  const TetMesh mesh = make_shape("squid", {.tets = 200000});
  expect_sound_solid(mesh, 0.06);
  EXPECT_LT(relative(static_cast<double>(mesh.tet_count()), 200000), count_tolerance("squid"));
}

TEST(Shapes, WhatCannotBeHadWithSoFewTetsIsRefused) {
  for (const char* name : {"torus", "squid", "letters"}) try {
      make_shape(name, {.tets = 10});
      FAIL() << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("10 tets"), std::string::npos) << error.what();
    }
  EXPECT_THROW(make_shell("glove", {.triangles = 12}), InputError);
}

TEST(Shapes, StructuredGridsKeepTheirAngles) {
  for (const std::string& name : names_of(ShapeKind::solid))
    if (is_structured(name)) {
      // Thin plates and discs at 1000 tets have cells that are no cubes, hence the lower bound for them.
      EXPECT_GT(tet_quality(make_shape(name, {.tets = 1000})).min_dihedral, 14) << name;
      EXPECT_GT(tet_quality(make_shape(name, {.tets = 20000})).min_dihedral, 25) << name;
    }
}

TEST(Shapes, StructuredGridsAreTheirOwnMirrorImage) {
  for (const char* name : {"bar", "plate", "cylinder", "tube", "u_beam", "fork", "menger_sponge"}) {
    const Points vertices = make_shape(name, {.tets = 5000}).vertices;
    EXPECT_TRUE(test::mirrors_onto_itself(vertices, 0, 0, 1e-9)) << name;
    EXPECT_TRUE(test::mirrors_onto_itself(vertices, 2, 0, 1e-9)) << name;
  }
}

TEST(Shapes, BoxesHaveTheirExactVolume) {
  const auto volume = [](const char* name, ShapeOptions options = {.tets = 3000}) {
    return total_volume(make_shape(name, options));
  };
  EXPECT_NEAR(volume("bar"), 0.25 * 0.25, 1e-12);
  EXPECT_NEAR(volume("plate"), 0.04, 1e-12);
  EXPECT_NEAR(volume("u_beam"), 0.2 * (0.8 * 0.2 + 2 * 0.8 * 0.2), 1e-12);
  EXPECT_NEAR(volume("fork"), 0.1 * (0.1 * 0.45 + 0.5 * 0.15 + 3 * 0.1 * 0.4), 1e-12);
  for (int level = 1; level <= 3; ++level)
    EXPECT_NEAR(volume("menger_sponge", {.tets = 3000, .level = level}), std::pow(20.0 / 27, level), 1e-12);
}

TEST(Shapes, RoundSectionsConvergeToTheirVolume) {
  // A polygon of n corners lacks a share of the circle that falls as 1/n², that is as tets^(-2/3).
  const auto error = [](const char* name, Index tets, double volume) {
    return 1 - total_volume(make_shape(name, {.tets = tets})) / volume;
  };
  for (const auto& [name, volume] :
       {std::pair("cylinder", pi * 0.15 * 0.15), std::pair("tube", pi * (0.2 * 0.2 - 0.14 * 0.14))}) {
    const double coarse = error(name, 2000, volume), fine = error(name, 128000, volume);
    EXPECT_GT(coarse, 0) << name;
    EXPECT_LT(coarse, 0.11) << name;      // the coarsest disc is an octagon, 10 % short
    EXPECT_LT(fine, coarse / 8) << name;  // 1/16 but for rounding to whole cells
  }
}

TEST(Shapes, IsosurfacesConvergeToTheirVolume) {
  const auto error = [](const char* name, Index tets, double volume) {
    return relative(total_volume(make_shape(name, {.tets = tets})), volume);
  };
  for (const auto& [name, volume] :
       {std::pair("sphere", pi / 6),
        std::pair("capsule", pi * 0.15 * 0.15 * 0.7 + 4 * pi / 3 * std::pow(0.15, 3)),
        std::pair("torus", 2 * pi * pi * 0.36 * 0.14 * 0.14)}) {
    const double coarse = error(name, 2000, volume), fine = error(name, 60000, volume);
    EXPECT_LT(coarse, 0.08) << name;
    EXPECT_LT(fine, 0.01) << name;
    EXPECT_LT(fine, coarse / 4) << name;
  }
}

TEST(Shapes, GradingMakesFewerTetsAtTheSameSurface) {
  const TetMesh graded = make_shape("sphere", {.tets = 30000}),
                uniform = make_shape("sphere", {.tets = 30000, .graded = false});
  EXPECT_GT(boundary_triangles(graded.tets).rows(),
            1.2 * static_cast<double>(boundary_triangles(uniform.tets).rows()));
}

TEST(Shapes, StuffedShapesKeepTheirAngles) {
  for (const std::string& name : names_of(ShapeKind::solid))
    if (!is_structured(name)) {
      EXPECT_GT(tet_quality(make_shape(name, {.tets = 20000})).min_dihedral, 9) << name;
    }
}

TEST(Shapes, BearIsBalanced) {
  // Its own mirror image, and its centre of mass above the feet.
  const Vector3d middle = centroid(make_shape("bear", {.tets = 20000}));
  EXPECT_NEAR(middle.x(), 0, 1e-3);
  EXPECT_GT(middle.z(), -0.03);
  EXPECT_LT(middle.z(), 0.15);
}

TEST(Shapes, SquidHasTenFreeLimbs) {
  // A cut below the head meets eight arms, two tentacles, and nothing between them.
  const TetMesh squid = make_shape("squid", {.vertices = 20000});
  EXPECT_LT(relative(static_cast<double>(squid.vertex_count()), 20000), 0.05);
  std::vector<Index> cut;
  for (Index t = 0; t < squid.tet_count(); ++t) {
    double highest = 0;
    for (int v = 0; v < 4; ++v) highest = std::max(highest, squid.vertices(squid.tets(t, v), 1));
    if (highest < 0.2) cut.push_back(t);
  }
  Tets below(static_cast<Index>(cut.size()), 4);
  for (std::size_t i = 0; i < cut.size(); ++i) below.row(static_cast<Index>(i)) = squid.tets.row(cut[i]);
  // Arms, and each tentacle's dip: the part that hangs below the cut.
  EXPECT_EQ(test::component_count(squid.vertex_count(), below), 10);
}

TEST(Shapes, TextIsSpelledAsGiven) {
  EXPECT_THROW(make_shape("letters", {.tets = 2000, .text = "A+B"}), InputError);
  EXPECT_THROW(make_shape("letters", {.tets = 2000, .text = "  "}), InputError);
  // Every glyph stands on the rail: one piece, even with spaces between.
  for (const char* text : {"ABCDEFGHIJKL", "mnopqrstuvwxyz", "01234 56789"})
    expect_sound_solid(make_shape("letters", {.tets = 30000, .text = text}), 0.06);
  // O has a hole, I none, 8 has two; a lone letter stands 1 m high.
  const auto genus = [](const char* text) {
    const TetMesh mesh = make_shape("letters", {.tets = 10000, .text = text});
    EXPECT_NEAR(mesh.vertices.col(1).maxCoeff(), 1, 0.01) << text;
    return test::surface_topology(mesh.vertex_count(), boundary_triangles(mesh.tets)).genus();
  };
  EXPECT_EQ(genus("I"), 0);
  EXPECT_EQ(genus("O"), 1);
  EXPECT_EQ(genus("8"), 2);
}

TEST(Shapes, ProgressIsToldAndMayStop) {
  int calls = 0;
  make_shape("sphere", {.tets = 1000, .progress = [&](std::string_view, double fraction) {
                          ++calls;
                          EXPECT_GE(fraction, 0);
                          EXPECT_LE(fraction, 1);
                        }});
  EXPECT_GT(calls, 0);
  EXPECT_THROW(
      make_shape("sphere", {.tets = 1000, .progress = [](std::string_view, double) { throw Interrupted(); }}),
      Interrupted);
}

TEST(Shapes, HolesAreCounted) {
  const auto genus = [](const char* name, const ShapeOptions& options) {
    const TetMesh mesh = make_shape(name, options);
    return test::surface_topology(mesh.vertex_count(), boundary_triangles(mesh.tets)).genus();
  };
  EXPECT_EQ(genus("bar", {.tets = 1000}), 0);
  EXPECT_EQ(genus("cylinder", {.tets = 1000}), 0);
  EXPECT_EQ(genus("tube", {.tets = 1000}), 1);
  EXPECT_EQ(genus("sphere", {.tets = 5000}), 0);
  EXPECT_EQ(genus("torus", {.tets = 5000}), 1);
  EXPECT_EQ(genus("cactus", {.tets = 5000}), 0);
  EXPECT_EQ(genus("squid", {.tets = 40000}), 0);
  EXPECT_EQ(genus("bear", {.tets = 20000}), 0);
  EXPECT_EQ(genus("menger_sponge", {.tets = 1000, .level = 1}), 5);
  EXPECT_EQ(genus("menger_sponge", {.tets = 5000, .level = 2}), 81);
}

TEST(Shapes, SizeScalesAndThicknessThickens) {
  EXPECT_NEAR(total_volume(make_shape("bar", {.tets = 1000, .size = 2})), 8 * 0.0625, 1e-12);
  EXPECT_NEAR(total_volume(make_shape("bar", {.tets = 1000, .thickness = 0.1})), 0.01, 1e-12);
}

TEST(Shapes, StructuredGridsGoToTwoMillionTets) {
  const TetMesh mesh = make_shape("bar", {.tets = 2000000});
  EXPECT_LT(relative(static_cast<double>(mesh.tet_count()), 2e6), 0.05);
  EXPECT_NEAR(total_volume(mesh), 0.0625, 1e-9);
}

TEST(Shapes, ShellsHaveTheCountAskedForAndTheRightBorders) {
  for (const std::string& name : names_of(ShapeKind::shell))
    for (const Index triangles : {1000, 10000}) {
      SCOPED_TRACE(name);
      const TriMesh mesh = make_shell(name, {.triangles = triangles});
      EXPECT_LT(relative(static_cast<double>(mesh.triangle_count()), static_cast<double>(triangles)), 0.15);
      EXPECT_EQ(test::component_count(mesh.vertex_count(), mesh.triangles), 1);
      const auto topology = test::surface_topology(mesh.vertex_count(), mesh.triangles);
      EXPECT_EQ(topology.bad_edges, 0);
      EXPECT_EQ(topology.unused_vertices, 0);
      EXPECT_EQ(topology.genus(), 0);
      EXPECT_EQ(topology.border_loops, name == "cylinder_shell" ? 2 : 1);
      EXPECT_NEAR((mesh.vertices.colwise().maxCoeff() - mesh.vertices.colwise().minCoeff()).maxCoeff(), 1,
                  0.12);
    }
  EXPECT_LT(relative(static_cast<double>(make_shell("plate_shell", {.vertices = 5000}).vertex_count()), 5000),
            0.15);
}

TEST(Shapes, ShellsFaceOutward) {
  const TriMesh plate = make_shell("plate_shell", {.triangles = 1000}),
                cylinder = make_shell("cylinder_shell", {.triangles = 1000});
  const auto area_vector = [](const TriMesh& mesh, Index t) {
    const Vector3d a = mesh.vertices.row(mesh.triangles(t, 0)), b = mesh.vertices.row(mesh.triangles(t, 1)),
                   c = mesh.vertices.row(mesh.triangles(t, 2));
    return Vector3d((b - a).cross(c - a) / 2);
  };
  for (Index t = 0; t < plate.triangle_count(); ++t) EXPECT_GT(area_vector(plate, t).y(), 0);
  for (Index t = 0; t < cylinder.triangle_count(); ++t) {
    const Vector3d p = cylinder.vertices.row(cylinder.triangles(t, 0));
    EXPECT_GT(area_vector(cylinder, t).dot(Vector3d(p.x(), 0, p.z())), 0);
  }
}

TEST(Shapes, AGlovesTrianglesAreGoodAndItsWristIsCutStraight) {
  const TriMesh glove = make_shell("glove", {.triangles = 8000});
  EXPECT_GT(triangle_quality(glove).min_angle, 10);
  EXPECT_GT(enclosed_volume(glove), 0);  // outward; the missing lid lies in y = 0 and adds nothing
  EXPECT_EQ(glove.vertices.col(1).minCoeff(), 0);
  // The border is the set of vertices at y = 0.
  const auto topology = test::surface_topology(glove.vertex_count(), glove.triangles);
  EXPECT_EQ((glove.vertices.col(1).array() == 0).count(), topology.border_edges);
}

TEST(Shapes, BadOptionsGetASentence) {
  try {
    make_shape("sqiud");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("\"sqiud\""), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("menger_sponge"), std::string::npos);
  }
  EXPECT_THROW(make_shape("plate_shell"), InputError);
  EXPECT_THROW(make_shell("bar"), InputError);
  EXPECT_THROW(make_shape("bar", {.tets = 0}), InputError);
  EXPECT_THROW(make_shape("bar", {.vertices = -5}), InputError);
  EXPECT_THROW(make_shape("bar", {.size = std::nan("")}), InputError);
  EXPECT_THROW(make_shape("bar", {.thickness = 1e-9}), InputError);
  EXPECT_THROW(make_shape("menger_sponge", {.level = 9}), InputError);
}

}  // namespace pliant
