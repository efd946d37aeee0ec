// Meshes made by other programs, where this machine has them: the counts that their list states, and every
// conversion there and back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/surface.h"
#include "sample_meshes.h"
#include "support/meshes.h"

namespace pliant {
namespace {

using namespace testing_support;
namespace fs = std::filesystem;

struct Known {
  const char* path;
  Index vertices, tets, triangles;  // of a solid: its boundary's
};

// The largest first, so that the last to finish are small.
const Known known_meshes[] = {
    {"tet/squid_340k.mesh.gz", 340453, 1693402, 287766},
    {"tet/dragon_206k.mesh.gz", 205924, 884176, 254426},
    {"tet/neptune_160k.mesh.gz", 159957, 697817, 191290},
    {"tet/hand_96k.mesh.gz", 95166, 538102, 36826},
    {"tet/elephant_53k.mesh.gz", 53753, 267671, 41710},
    {"tet/skull_38k.mesh.gz", 38309, 189400, 30666},
    {"tet/capsule_29k.mesh.gz", 29160, 164770, 11356},
    {"rig/cheb_tet.mesh.gz", 27273, 143229, 17048},
    {"tet/bunny_22k.mesh.gz", 22616, 121406, 12528},
    {"tet/fertility_20k.mesh.gz", 20858, 100017, 18640},
    {"tet/dragon_26k.mesh.gz", 25955, 96700, 37884},
    {"tet/asiandragon_26k.mesh.gz", 26116, 93391, 40150},
    {"tet/lionvase_17k.mesh.gz", 16968, 77718, 16962},
    {"veg/quintupleTorus.veg", 15789, 71427, -1},
    {"tet/armadillo_19k.mesh.gz", 19392, 69451, 29424},
    {"tet/armadillo_13k_polyfem.mesh.gz", 13230, 54985, 17296},
    {"tet/dinosaur_13k_polyfem.mesh.gz", 13270, 49973, 17212},
    {"tet/aorta_9k.mesh.gz", 8698, 38525, 9340},
    {"tet/squid_10k_fastcody.mesh.gz", 10166, 33386, 15696},
    {"tet/hand_7k_libigl.mesh.gz", 7234, 29998, 9556},
    {"tet/elephant_8k_fastcody.mesh.gz", 7842, 29011, 10732},
    {"veg/simpleBridge.veg", 4000, 12827, -1},
    {"tet/fork_3k.mesh.gz", 3029, 8379, 5664},
    {"tet/spot_2k.mesh.gz", 1992, 8127, 2502},
    {"tet/bunny_1k.mesh.gz", 1179, 4464, 1634},
    {"tet/armadillo_4k_pbd.mesh.gz", 1180, 3717, 2102},
    {"tet/bar_1k.mesh.gz", 1000, 3120, 1312},
    {"tet/asiandragon_vega.mesh.gz", 959, 2591, 1854},
    {"veg/asianDragon.veg", 959, 2591, 1854},
    {"rig/elephant_cd.mesh", 494, 1502, -1},
    {"tet/turtle_vega.mesh.gz", 347, 1185, 530},
    {"veg/turtle.veg", 347, 1185, 530},
    {"veg/beam3_tet.veg", 208, 450, -1},
    {"surf/skull_50k.off.gz", 49999, 0, 100002},
    {"surf/elephant_44k.off.gz", 44460, 0, 88928},
    {"shell/bunny_35k_open.off.gz", 34834, 0, 69451},
    {"surf/bunny_30k.off.gz", 29834, 0, 59664},
    {"surf/armadillo_26k.off.gz", 26002, 0, 52000},
    {"surf/asiandragon_25k.off.gz", 25002, 0, 50000},
    {"surf/elephant_25k.off.gz", 24955, 0, 49918},
    {"shell/beetle_20k.off.gz", 19887, 0, 38656},
    {"surf/fertility_18k.off.gz", 17827, 0, 35666},
    {"shell/skirt_16k.off.gz", 16384, 0, 32256},
    {"surf/neptune_15k.off.gz", 14814, 0, 29636},
    {"shell/glove_13k.off.gz", 12849, 0, 25632},
    {"surf/spot_12k.off.gz", 11533, 0, 23062},
    {"surf/chineselion_10k.off.gz", 10000, 0, 19994},
    {"seq/horse_reference.off.gz", 8431, 0, 16843},
    {"surf/hand_8k.off.gz", 7993, 0, 15982},
    {"rig/cheb_surface.off.gz", 6669, 0, 13334},
    {"surf/aorta_6k.off.gz", 6468, 0, 12932},
    {"shell/clothpanel_6k.off.gz", 5894, 0, 11469},
    {"surf/cow_3k.off.gz", 2762, 0, 5520},
    {"rig/CesiumMan.glb", 3273, 0, 4672},
    {"shell/vase_open_2k.off.gz", 1750, 0, 3312},
    {"rig/webxr_hand_left.glb", 1360, 0, 2314},
    {"rig/Fox.glb", 1728, 0, 576},
};

// Formats that give back every bit; STL and glTF merge or split vertices, and have tests of their own.
bool keeps_everything(const MeshFormat& format) {
  const std::string& e = format.extension;
  return format.reads && format.writes && e != ".stl" && e != ".glb" && e != ".gltf";
}

bool same(const MeshData& a, const MeshData& b) {
  const auto equal = [](const auto& x, const auto& y) {
    if (x.rows() != y.rows() || x.rows() == 0) return x.rows() == y.rows();
    return std::memcmp(x.data(), y.data(), sizeof(*x.data()) * static_cast<std::size_t>(x.size())) == 0;
  };
  return equal(a.vertices, b.vertices) && equal(a.triangles, b.triangles) && equal(a.tets, b.tets);
}

// The corners of all triangles in space, as float32 has them: what STL and glTF keep.
bool same_in_space(const MeshData& a, const MeshData& b) {
  if (a.triangles.rows() != b.triangles.rows()) return false;
  for (Index i = 0; i < a.triangles.size(); ++i)
    for (int k = 0; k < 3; ++k)
      if (static_cast<float>(a.vertices(a.triangles.data()[i], k)) !=
          static_cast<float>(b.vertices(b.triangles.data()[i], k)))
        return false;
  return true;
}

// Under a sanitizer large meshes share the formats: each goes through every fourth, beginning at another one.
#ifdef __SANITIZE_ADDRESS__
constexpr Index large_mesh = 20000, format_stride = 4;
#else
constexpr Index large_mesh = 0, format_stride = 1;
#endif

// Empty when the mesh comes back from every format that can hold it; else what went wrong.
std::string try_conversions(const MeshData& mesh, const fs::path& folder, Index turn = 0) {
  std::string complaints;
  const auto convert = [&](const std::string& name, const WriteOptions& options, const MeshData& expected,
                           bool exact) {
    if (mesh.vertices.rows() > large_mesh && turn++ % format_stride != 0) return;
    try {
      write_mesh(folder / name, mesh, options);
      const MeshData back = read_mesh(folder / name);
      if (!(exact ? same(back, expected) : same_in_space(back, expected))) complaints += name + " differs; ";
    } catch (const Error& error) {
      complaints += std::string(error.what()) + "; ";
    }
    for (const auto& entry : fs::directory_iterator(folder)) fs::remove(entry.path());
  };
  for (const MeshFormat& format : mesh_formats()) {
    if (format.extension == ".ele") continue;  // writes and reads the same files as .node
    const bool holds = mesh.has_tets() ? format.tets : format.surfaces;
    if (!holds || !keeps_everything(format)) continue;
    MeshData expected = mesh;
    if (!format.surfaces) expected.triangles.resize(0, 3);
    convert("mesh" + format.extension, {}, expected, true);
  }
  convert("old.msh", {.msh_version = 22}, mesh, true);
  if (!mesh.has_tets())
    for (const char* name : {"mesh.stl", "mesh.glb", "mesh.gltf"}) convert(name, {}, mesh, false);
  return complaints;
}

}  // namespace

TEST(OwnShapes, ConvertThereAndBack) {
  for (const char* name : {"bar", "menger_sponge", "squid"}) {
    const TetMesh solid = make_shape(name, {.tets = 3000});
    const Surface boundary = extract_surface(solid);
    const TemporaryFolder scratch;
    EXPECT_EQ(try_conversions({solid.vertices, {}, solid.tets}, scratch.path()), "") << name;
    EXPECT_EQ(try_conversions({boundary.mesh.vertices, boundary.mesh.triangles, {}}, scratch.path()), "")
        << name;
  }
}

TEST(RealMeshes, ReadWithTheirCountsAndConvertThereAndBack) {
  const auto folder = real_meshes();
  if (!folder) GTEST_SKIP() << "no real meshes on this machine";
  const auto count = static_cast<Index>(std::size(known_meshes));
  std::vector<std::string> complaints(static_cast<std::size_t>(count));
  parallel_for(count, 1, [&](Index i) {
    const Known& known = known_meshes[i];
    std::string& complaint = complaints[static_cast<std::size_t>(i)];
    try {
      const MeshData mesh = read_mesh(*folder / known.path);
      if (mesh.vertices.rows() != known.vertices || mesh.tets.rows() != known.tets)
        complaint += fmt::format("has {} vertices, {} tets; ", mesh.vertices.rows(), mesh.tets.rows());
      MeshData surface = mesh;
      if (mesh.has_tets()) {
        const Surface boundary = extract_surface({mesh.vertices, mesh.tets});
        surface = {boundary.mesh.vertices, boundary.mesh.triangles, {}};
      }
      if (known.triangles >= 0 && surface.triangles.rows() != known.triangles)
        complaint += fmt::format("has {} triangles; ", surface.triangles.rows());
      const TemporaryFolder scratch;
      if (mesh.has_tets()) complaint += try_conversions(mesh, scratch.path(), i);
      complaint += try_conversions(surface, scratch.path(), i);
    } catch (const Error& error) {
      complaint = error.what();
    }
  });
  for (Index i = 0; i < count; ++i)
    EXPECT_EQ(complaints[static_cast<std::size_t>(i)], "") << known_meshes[i].path;
}

}  // namespace pliant
