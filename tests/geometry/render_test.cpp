#include "pliant/geometry/render.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "pliant/base/error.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/structured_grid.h"
#include "support/simple_meshes.h"

namespace pliant {
namespace {

using testing_support::icosphere;

RenderObject sphere(int levels = 4) {
  RenderObject object;
  object.mesh = icosphere(levels);
  return object;
}

double opacity_sum(const Image& image) {
  double sum = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) sum += image.pixel(x, y)[3] / 255.0;
  return sum;
}

double brightness(const Image& image, int x, int y) {
  const std::uint8_t* p = image.pixel(x, y);
  return p[0] + p[1] + p[2];
}

double mean_brightness(const Image& image) {
  double sum = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) sum += brightness(image, x, y);
  return sum / (image.width * image.height);
}

}  // namespace

// The camera stands where the cone around the sphere fills four fifths of the height, so the outline is a
// circle of that diameter wherever the camera looks from.
TEST(Render, TheOutlineOfASphereIsTheCircleTheCameraFits) {
  for (double azimuth : {0.0, 70.0, 215.0})
    for (double zoom : {1.0, 0.5}) {
      const Image image = render({sphere(5)}, {.width = 160,
                                               .height = 120,
                                               .samples = 16,
                                               .ground = false,
                                               .transparent = true,
                                               .azimuth = azimuth,
                                               .zoom = zoom});
      const double radius = 0.4 * 120 * zoom;
      EXPECT_NEAR(opacity_sum(image) / (std::numbers::pi * radius * radius), 1, 0.01);
    }
}

TEST(Render, UnitsAndPlaceDoNotMatter) {
  const RenderOptions options{.width = 60, .height = 45, .samples = 8};
  RenderObject moved = sphere(3);
  const Image before = render({moved}, options);
  moved.mesh.vertices *= 1024;
  EXPECT_EQ(render({moved}, options).pixels, before.pixels);
  moved.mesh.vertices.rowwise() += Eigen::RowVector3d(1 << 20, 0, -(1 << 20));
  const Image far = render({moved}, options);
  double worst = 0;
  for (int y = 0; y < 45; ++y)
    for (int x = 0; x < 60; ++x)
      worst = std::max(worst, std::abs(brightness(far, x, y) - brightness(before, x, y)));
  EXPECT_LT(worst, 60);  // of 765: a sample at an outline may fall to the other side
}

TEST(Render, ParallelTilesGiveTheSameBitsOnAnyNumberOfThreads) {
  RenderObject object = sphere(3);
  object.edges = true;
  const RenderOptions options{.width = 90, .height = 70, .samples = 4};
  Image reference;
  {
    const ScopedThreadCount one(1);
    reference = render({object}, options);
  }
  for (int threads : {2, 4}) {
    const ScopedThreadCount scope(threads);
    EXPECT_EQ(render({object}, options).pixels, reference.pixels);
  }
}

// A square of two colours lies twice in the same place, in either order: the first object is the one that
// is seen.
TEST(Render, OfTwoTrianglesInOnePlaceTheFirstIsSeen) {
  RenderObject red, blue;
  red.mesh = blue.mesh = testing_support::grid_plane(40, 40, 0.025);
  red.color = {1, 0, 0};
  blue.color = {0, 0, 1};
  const RenderOptions options{
      .width = 64, .height = 64, .samples = 2, .ground = false, .azimuth = 0, .elevation = 0};
  const Image red_first = render({red, blue}, options), blue_first = render({blue, red}, options);
  for (int y = 10; y < 54; ++y)
    for (int x = 10; x < 54; ++x) {
      ASSERT_GT(red_first.pixel(x, y)[0], red_first.pixel(x, y)[2]);
      ASSERT_LT(blue_first.pixel(x, y)[0], blue_first.pixel(x, y)[2]);
    }
}

TEST(Render, TheFloorDarkensUnderTheObjectAndIsTheBackgroundFarAway) {
  const RenderOptions options{.width = 160, .height = 120, .samples = 32, .zoom = 0.5};
  const Image with = render({sphere()}, options);
  RenderOptions bare = options;
  bare.ground = false;
  const Image without = render({sphere()}, bare);
  EXPECT_EQ(brightness(with, 0, 0), brightness(without, 0, 0));
  const int below = 60 + 25;  // just under the outline, whose radius is 24 pixels
  EXPECT_LT(brightness(with, 80, below), brightness(without, 80, below) - 60);
}

TEST(Render, TheKeyLightComesFromTheUpperLeft) {
  const Image image = render({sphere()}, {.width = 120, .height = 90, .samples = 16, .ground = false});
  EXPECT_GT(brightness(image, 60 - 18, 45 - 18), brightness(image, 60 + 22, 45 + 20) + 60);
}

TEST(Render, DarkPicturesAreDark) {
  const RenderOptions light{.width = 40, .height = 30, .samples = 4};
  RenderOptions dark = light;
  dark.dark = true;
  EXPECT_GT(mean_brightness(render({sphere(2)}, light)), 2 * mean_brightness(render({sphere(2)}, dark)));
}

TEST(Render, EdgesAreDrawnWhereTrianglesMeet) {
  // Two triangles that fill a square facing the camera: the diagonal passes through its middle.
  RenderObject square;
  square.mesh = testing_support::grid_plane(1, 1, 1.0);
  square.edges = true;
  square.edge_width = 3;
  const RenderOptions options{
      .width = 100, .height = 100, .samples = 16, .ground = false, .azimuth = 0, .elevation = 0};
  const Image image = render({square}, options);
  EXPECT_LT(brightness(image, 50, 50), 0.6 * brightness(image, 65, 50));
}

TEST(Render, VertexColorsAreMixedAcrossTriangles) {
  RenderObject square;
  square.mesh = testing_support::grid_plane(4, 4, 0.25);
  square.vertex_colors.resize(square.mesh.vertex_count(), 3);
  for (Index v = 0; v < square.mesh.vertex_count(); ++v) {
    const double x = square.mesh.vertices(v, 0);
    square.vertex_colors.row(v) << 1 - x, 0, x;
  }
  const Image image = render(
      {square}, {.width = 100, .height = 100, .samples = 8, .ground = false, .azimuth = 0, .elevation = 0});
  EXPECT_GT(image.pixel(15, 50)[0], 3 * image.pixel(15, 50)[2]);
  EXPECT_GT(image.pixel(85, 50)[2], 3 * image.pixel(85, 50)[0]);
  EXPECT_NEAR(image.pixel(50, 50)[0], image.pixel(50, 50)[2], 25);
}

TEST(Render, TellsHowFarItIsAndCanBeStopped) {
  double last = -1;
  RenderOptions options{.width = 32, .height = 40, .samples = 1};
  options.progress = [&](std::string_view, double fraction) {
    EXPECT_GE(fraction, last);
    last = fraction;
  };
  render({sphere(1)}, options);
  EXPECT_EQ(last, 1);
  options.progress = [](std::string_view, double) { throw Interrupted(); };
  EXPECT_THROW(render({sphere(1)}, options), Interrupted);
}

TEST(Render, BadInputGetsASentence) {
  const std::vector<RenderObject> good{sphere(1)};
  EXPECT_THROW(render(good, {.width = 0}), InputError);
  EXPECT_THROW(render(good, {.height = 100000}), InputError);
  EXPECT_THROW(render(good, {.samples = 0}), InputError);
  EXPECT_THROW(render(good, {.elevation = 91}), InputError);
  EXPECT_THROW(render(good, {.field_of_view = 180}), InputError);
  EXPECT_THROW(render(good, {.zoom = -1}), InputError);
  EXPECT_THROW(render(good, {.zoom = std::numeric_limits<double>::quiet_NaN()}), InputError);
  EXPECT_THROW(render({}), InputError);
  EXPECT_THROW(render({RenderObject{}}), InputError);
  auto bad = good;
  bad[0].mesh.vertices(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(render(bad), InputError);
  bad = good;
  bad[0].mesh.triangles(3, 1) = 12345;
  EXPECT_THROW(render(bad), InputError);
  bad = good;
  bad[0].vertex_colors = Points::Ones(2, 3);
  EXPECT_THROW(render(bad), InputError);
}

TEST(Render, DegenerateMeshesGiveAPictureAllTheSame) {
  RenderObject flat;  // one triangle without area, and one vertex alone
  flat.mesh.vertices = Points::Zero(4, 3);
  flat.mesh.triangles.resize(1, 3);
  flat.mesh.triangles << 0, 1, 2;
  EXPECT_EQ(render({flat}, {.width = 8, .height = 8, .samples = 1}).pixels.size(), 8u * 8 * 3);
}

TEST(CutAway, WhatIsLeftIsClosedAndEnclosesTheKeptTets) {
  const TetMesh box = structured_grid({0, 0, 0}, {2, 1, 1}, {8, 4, 4});
  const std::vector<RenderObject> parts = cut_away(box, {.normal = {1, 0, 0}, .offset = 0.5});
  ASSERT_EQ(parts.size(), 2u);
  TriMesh both;
  both.vertices.resize(parts[0].mesh.vertex_count() + parts[1].mesh.vertex_count(), 3);
  both.vertices << parts[0].mesh.vertices, parts[1].mesh.vertices;
  both.triangles.resize(parts[0].mesh.triangle_count() + parts[1].mesh.triangle_count(), 3);
  both.triangles << parts[0].mesh.triangles,
      (parts[1].mesh.triangles.array() + static_cast<std::int32_t>(parts[0].mesh.vertex_count())).matrix();
  EXPECT_NEAR(enclosed_volume(both), 1, 1e-12);      // cells do not straddle the plane x = 1
  EXPECT_NEAR(total_area(parts[1].mesh), 1, 1e-12);  // the opened cross-section
  EXPECT_NEAR(total_area(parts[0].mesh), 5, 1e-12);  // the other five sides
  EXPECT_TRUE(parts[1].edges);
}

TEST(CutAway, BadInputGetsASentence) {
  const TetMesh box = structured_grid({0, 0, 0}, {1, 1, 1}, {1, 1, 1});
  EXPECT_THROW(cut_away(box, {.normal = {0, 0, 0}}), InputError);
  EXPECT_THROW(cut_away({Points(0, 3), Tets(0, 4)}), InputError);
}

}  // namespace pliant
