#include "pliant/io/animation_writer.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "pliant/base/error.h"
#include "pliant/geometry/surface.h"
#include "pliant/io/asset_file.h"
#include "pliant/io/point_cache.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using testing_support::contains;
using testing_support::file_bytes;
using testing_support::message_of;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

// A cube around a vertex in its middle, which no surface has.
MeshData solid() {
  MeshData mesh;
  mesh.vertices.resize(9, 3);
  mesh.vertices.row(0) << 0.5, 0.5, 0.5;
  for (int i = 0; i < 8; ++i) mesh.vertices.row(1 + i) << i % 2, i / 2 % 2, i / 4;
  const int quads[6][4] = {{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5},
                           {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}};
  mesh.tets.resize(12, 4);
  for (int q = 0; q < 6; ++q) {
    const auto& quad = quads[q];
    mesh.tets.row(2 * q) << quad[0], quad[2], quad[1], 0;
    mesh.tets.row(2 * q + 1) << quad[0], quad[3], quad[2], 0;
  }
  return mesh;
}

MeshData surface_only() {
  const Surface surface = extract_surface({solid().vertices, solid().tets});
  return {surface.mesh.vertices, surface.mesh.triangles, {}};
}

Points moved(const MeshData& mesh, int frame) {
  Points x = mesh.vertices;
  x.col(1) += 0.1 * frame * x.col(0);
  x.col(2).array() += frame;
  return x;
}

AnimationReport write(const std::filesystem::path& path, const MeshData& mesh, int frames) {
  const auto writer = AnimationWriter::open(path, mesh);
  for (int f = 0; f < frames; ++f) writer->add(moved(mesh, f), f / 30.0);
  return writer->finish();
}

std::set<std::string> names(const std::filesystem::path& folder) {
  std::set<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    result.insert(entry.path().filename().string());
  return result;
}

}  // namespace

TEST(AnimationWriter, AnObjSequenceHasOneFileAFrame) {
  const TemporaryFolder folder;
  for (const MeshData& mesh : {solid(), surface_only()}) {
    const AnimationReport report = write(folder / "out.obj", mesh, 3);
    EXPECT_EQ(report.frames, 3);
    EXPECT_EQ(names(folder.path()), (std::set<std::string>{"out_0001.obj", "out_0002.obj", "out_0003.obj"}));
    for (int f = 0; f < 3; ++f) {
      const MeshData read = read_mesh(report.files.at(static_cast<std::size_t>(f)));
      EXPECT_EQ(read.vertices, moved(surface_only(), f));
      EXPECT_EQ(read.triangles, surface_only().triangles);
    }
  }
}

TEST(AnimationWriter, AParaViewSeriesKeepsTetsAndTimes) {
  const TemporaryFolder folder;
  const AnimationReport report = write(folder / "out.pvd", solid(), 2);
  EXPECT_EQ(names(folder.path()), (std::set<std::string>{"out.pvd", "out_0001.vtu", "out_0002.vtu"}));
  EXPECT_EQ(report.files.back(), folder / "out.pvd");
  for (int f = 0; f < 2; ++f) {
    const MeshData read = read_mesh(report.files.at(static_cast<std::size_t>(f)));
    EXPECT_EQ(read.vertices, moved(solid(), f));
    EXPECT_EQ(read.tets, solid().tets);
  }
  const std::string index = file_bytes(folder / "out.pvd");
  EXPECT_TRUE(contains(index, "timestep=\"0\" part=\"0\" file=\"out_0001.vtu\""));
  EXPECT_TRUE(contains(index, "timestep=\"0.03333333333333333\" part=\"0\" file=\"out_0002.vtu\""));
}

TEST(AnimationWriter, APointCacheMovesTheSurface) {
  const TemporaryFolder folder;
  const AnimationReport report = write(folder / "out.pc2", solid(), 4);
  EXPECT_EQ(report.files, std::vector{folder / "out.pc2"});
  const PointCache cache = read_pc2_file(folder / "out.pc2");
  ASSERT_EQ(cache.frames.size(), 4u);
  EXPECT_EQ(cache.frames[3], moved(surface_only(), 3).cast<float>().cast<double>());
}

TEST(AnimationWriter, AGltfStatesItsError) {
  const TemporaryFolder folder;
  for (const char* name : {"out.glb", "out.gltf"}) {
    const AnimationReport report = write(folder / name, solid(), 10);
    ASSERT_TRUE(report.error);
    EXPECT_LE(report.error->targets, 2);  // a shear and a shift
    EXPECT_LT(report.error->largest, 1e-5);
    EXPECT_EQ(read_asset(folder / name).vertices, surface_only().vertices);
  }
}

TEST(AnimationWriter, WithoutAnEndNothingRemainsAndNothingIsLost) {
  for (const std::string& extension : animation_formats()) {
    SCOPED_TRACE(extension);
    const TemporaryFolder folder;
    write_bytes(folder / ("out" + extension), "earlier");
    write_bytes(folder / "out_0001.obj", "earlier");
    const auto before = names(folder.path());
    {
      const auto writer = AnimationWriter::open(folder / ("out" + extension), solid());
      writer->add(solid().vertices, 0);
    }
    EXPECT_EQ(names(folder.path()), before);
    EXPECT_EQ(file_bytes(folder / ("out" + extension)), "earlier");
    EXPECT_EQ(file_bytes(folder / "out_0001.obj"), "earlier");
  }
}

TEST(AnimationWriter, MisuseIsASentence) {
  const TemporaryFolder folder;
  EXPECT_TRUE(
      contains(message_of([&] { AnimationWriter::open(folder / "out.avi", solid()); }),
               "'.avi' is no animation format known here; expected one of .pvd .pc2 .glb .gltf .obj"));
  EXPECT_THROW(AnimationWriter::open(folder / "no" / "out.obj", solid()), Error);
  const auto writer = AnimationWriter::open(folder / "out.obj", solid());
  EXPECT_TRUE(contains(message_of([&] { writer->finish(); }), "no frame"));
  writer->add(solid().vertices, 1);
  EXPECT_TRUE(contains(message_of([&] { writer->add(solid().vertices, 1); }), "frame 2 is at 1 s"));
  EXPECT_TRUE(
      contains(message_of([&] { writer->add(Points::Zero(2, 3), 2); }), "has 2 vertices; expected 9"));
  EXPECT_TRUE(contains(message_of([&] { writer->add(Points::Constant(9, 3, NAN), 2); }), "finite"));
  writer->finish();
  EXPECT_TRUE(contains(message_of([&] { writer->add(solid().vertices, 3); }), "after the end"));
}

}  // namespace pliant
