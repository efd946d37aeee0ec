// Every format and variant gives back the mesh that was written.
#include <gtest/gtest.h>

#include "pliant/geometry/surface.h"
#include "pliant/io/input_file.h"
#include "pliant/io/ply.h"
#include "sample_meshes.h"

#include <sstream>

namespace pliant {
namespace {

using namespace testing_support;

MeshData surface_of(const MeshData& mesh) {
  if (!mesh.has_tets()) return mesh;
  const Surface surface = extract_surface({mesh.vertices, mesh.tets});
  return {surface.mesh.vertices, surface.mesh.triangles, {}};
}

struct Variant {
  const char* extension;
  WriteOptions options;
  const char* name;
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

const Variant exact_variants[] = {
    {".obj", {}, "obj"},
    {".off", {}, "off"},
    {".ply", {.binary = true}, "ply_binary"},
    {".ply", {.binary = false}, "ply_text"},
    {".ele", {}, "tetgen_ele"},
    {".mesh", {}, "mesh"},
    {".meshb", {}, "meshb"},
    {".msh", {.binary = true, .msh_version = 22}, "msh_22_binary"},
    {".msh", {.binary = false, .msh_version = 22}, "msh_22_text"},
    {".msh", {.binary = true, .msh_version = 41}, "msh_41_binary"},
    {".msh", {.binary = false, .msh_version = 41}, "msh_41_text"},
    {".node", {}, "tetgen_node"},
    {".veg", {}, "veg"},
    {".vtk", {.binary = true}, "vtk_binary"},
    {".vtk", {.binary = false}, "vtk_text"},
    {".vtu", {.binary = true}, "vtu_binary"},
    {".vtu", {.binary = false}, "vtu_text"},
};

const MeshFormat& format_of(const std::string& extension) {
  for (const MeshFormat& format : mesh_formats())
    if (format.extension == extension) return format;
  throw std::runtime_error(extension);
}

struct RoundTrip : testing::TestWithParam<Variant> {
  TemporaryFolder folder;
};

}  // namespace

TEST_P(RoundTrip, GivesBackEveryBit) {
  const Variant& variant = GetParam();
  const MeshFormat& format = format_of(variant.extension);
  ASSERT_TRUE(format.reads && format.writes);
  for (const char* compression : {"", ".gz"}) {
    const auto path = folder.path() / (std::string("mesh") + variant.extension + compression);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      if (format.surfaces) {
        const MeshData surface = random_surface(seed);
        write_mesh(path, surface, variant.options);
        expect_identical(read_mesh(path), surface);
      }
      const MeshData solid = random_tets(seed);
      write_mesh(path, solid, variant.options);
      expect_identical(read_mesh(path), format.tets ? solid : surface_of(solid));
      if (format.surfaces && format.tets) {
        MeshData both = solid;
        both.triangles = boundary_triangles(solid.tets);
        write_mesh(path, both, variant.options);
        expect_identical(read_mesh(path), both);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllVariants, RoundTrip, testing::ValuesIn(exact_variants),
                         [](const auto& test) { return test.param.name; });

TEST(RoundTripPly, BigEndianGivesBackEveryBit) {
  const MeshData surface = random_surface(3);
  std::ostringstream out;
  write_ply(out, {surface.vertices, surface.triangles}, {.binary = true, .big_endian = true});
  expect_identical(read_ply(out.str()), surface);
}

// STL has no indices and no -0; equal positions merge in the order of first use.
TEST(RoundTripStl, GivesBackTheSameTrianglesInSpace) {
  TemporaryFolder folder;
  for (const bool binary : {true, false})
    for (const char* name : {"mesh.stl", "mesh.stl.gz"}) {
      MeshData surface = random_surface(4);
      if (binary) surface.vertices = surface.vertices.cast<float>().cast<double>().eval();
      write_mesh(folder.path() / name, surface, {.binary = binary});
      const MeshData read = read_mesh(folder.path() / name);
      ASSERT_EQ(read.triangles.rows(), surface.triangles.rows());
      std::int32_t seen = 0;
      std::map<std::array<double, 3>, std::int32_t> merged;
      for (Index i = 0; i < surface.triangles.size(); ++i) {
        std::array<double, 3> p;
        for (int k = 0; k < 3; ++k)
          p[static_cast<std::size_t>(k)] = surface.vertices(surface.triangles.data()[i], k);
        const auto [entry, is_new] = merged.emplace(p, seen);
        if (is_new) ++seen;
        ASSERT_EQ(read.triangles.data()[i], entry->second);
        for (int k = 0; k < 3; ++k)
          ASSERT_EQ(read.vertices(entry->second, k), p[static_cast<std::size_t>(k)]);
      }
      EXPECT_EQ(read.vertices.rows(), seen);
    }
}

TEST(RoundTripEmpty, AMeshWithoutCellsStaysOne) {
  TemporaryFolder folder;
  MeshData mesh;
  mesh.vertices = Points::Random(3, 3);
  mesh.triangles.resize(0, 3);
  mesh.tets.resize(0, 4);
  for (const MeshFormat& format : mesh_formats()) {
    if (!format.reads || !format.writes || !format.surfaces || format.extension == ".stl") continue;
    if (format.extension.starts_with(".gl")) continue;  // glTF knows no empty arrays
    const auto path = folder.path() / ("mesh" + format.extension);
    SCOPED_TRACE(format.extension);
    write_mesh(path, mesh);
    expect_identical(read_mesh(path), mesh);
  }
}

TEST(RoundTripNaN, IsKeptForValidationToReport) {
  TemporaryFolder folder;
  MeshData mesh = random_surface(6);
  mesh.vertices(3, 1) = std::numeric_limits<double>::quiet_NaN();
  mesh.vertices(4, 2) = -std::numeric_limits<double>::infinity();
  for (const Variant& variant : exact_variants) {
    if (!format_of(variant.extension).surfaces) continue;
    const auto path = folder.path() / (std::string("mesh") + variant.extension);
    SCOPED_TRACE(variant.name);
    write_mesh(path, mesh, variant.options);
    const MeshData read = read_mesh(path);
    EXPECT_TRUE(std::isnan(read.vertices(3, 1)));
    EXPECT_EQ(read.vertices(4, 2), mesh.vertices(4, 2));
    EXPECT_EQ(read.triangles, mesh.triangles);
  }
}

}  // namespace pliant
