// The fuzzers' seeds, one a variant of each format, made by other means than our writers: what they hold is
// known. Cut short anywhere, they still read or fail with a sentence.
#include <gtest/gtest.h>

#include <functional>

#include "pliant/base/error.h"
#include "pliant/io/gmsh.h"
#include "pliant/io/input_file.h"
#include "pliant/io/medit.h"
#include "pliant/io/medit_binary.h"
#include "pliant/io/obj.h"
#include "pliant/io/off.h"
#include "pliant/io/ply.h"
#include "pliant/io/stl.h"
#include "pliant/io/tetgen.h"
#include "pliant/io/vega.h"
#include "pliant/io/vtk.h"
#include "pliant/io/vtu.h"
#include "sample_meshes.h"
#include "support/source_folder.h"

namespace pliant {
namespace {

using namespace testing_support;
namespace fs = std::filesystem;

using Reader = std::function<MeshData(std::string_view)>;
// The file, then one that *INCLUDE finds whatever name it gives, with a NUL between them.
MeshData read_vega_seed(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  const std::string included(bytes.substr(std::min(end + 1, bytes.size())));
  return read_vega(bytes.substr(0, end), [&](const std::string&) { return included; });
}

// The three files of TetGen stand in one seed, with a NUL between them.
MeshData read_tetgen_seed(std::string_view bytes) {
  TetgenBytes files;
  const std::size_t first = bytes.find('\0'),
                    second = first < bytes.size() ? bytes.find('\0', first + 1) : first;
  files.node = bytes.substr(0, first);
  if (first < bytes.size())
    files.ele = bytes.substr(first + 1, second < bytes.size() ? second - first - 1 : second);
  if (second < bytes.size()) files.face = bytes.substr(second + 1);
  return read_tetgen(files);
}

const std::vector<std::pair<std::string, Reader>> readers = {
    {"gmsh", read_gmsh},
    {"medit", read_medit},
    {"medit_binary", read_medit_binary},
    {"obj", read_obj},
    {"off", read_off},
    {"ply", read_ply},
    {"stl", read_stl},
    {"tetgen", read_tetgen_seed},
    {"vega", read_vega_seed},
    {"vtk", read_vtk},
    {"vtu", read_vtu},
};

std::vector<fs::path> seeds_of(const std::string& reader) {
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::directory_iterator(testing_support::source_folder() / "fuzz" / "seeds" / reader))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool starts_with(const fs::path& path, const std::string& prefix) {
  return path.filename().string().rfind(prefix, 0) == 0;
}

// Six times the volume that the triangles enclose.
double six_volumes(const MeshData& mesh) {
  double sum = 0;
  for (Index t = 0; t < mesh.triangles.rows(); ++t) {
    const Vector3d a = mesh.vertices.row(mesh.triangles(t, 0)), b = mesh.vertices.row(mesh.triangles(t, 1)),
                   c = mesh.vertices.row(mesh.triangles(t, 2));
    sum += a.dot(b.cross(c));
  }
  return sum;
}

}  // namespace

TEST(Seeds, HoldTheUnitTetOrTheUnitCube) {
  for (const auto& [name, read] : readers) {
    const auto paths = seeds_of(name);
    EXPECT_FALSE(paths.empty()) << name;
    for (const fs::path& path : paths) {
      SCOPED_TRACE(path.string());
      const InputFile file(path);
      if (starts_with(path, "tet")) {
        const MeshData mesh = read(file.bytes());
        Points corners = Points::Zero(4, 3);
        corners.bottomRows(3).setIdentity();
        EXPECT_EQ(mesh.vertices, corners);
        ASSERT_EQ(mesh.tets.rows(), 1);
        EXPECT_EQ(mesh.tets.row(0), Vector4i(0, 1, 2, 3).transpose());
      } else if (starts_with(path, "cube")) {
        const MeshData mesh = read(file.bytes());
        ASSERT_EQ(mesh.vertices.rows(), 8);
        EXPECT_EQ(mesh.triangles.rows(), 12);
        EXPECT_EQ(mesh.tets.rows(), 0);
        EXPECT_EQ(six_volumes(mesh), 6);
        for (int v = 0; v < 8 && name != "stl"; ++v)  // which has no order of its own
          EXPECT_EQ(mesh.vertices.row(v), Vector3d(v & 1, v >> 1 & 1, v >> 2 & 1).transpose());
      } else {
        try {
          EXPECT_TRUE(is_a_mesh(read(file.bytes())));
        } catch (const InputError&) {
        }
      }
    }
  }
}

TEST(Seeds, EveryPrefixReadsOrFailsWithASentence) {
  for (const auto& [name, read] : readers)
    for (const fs::path& path : seeds_of(name)) {
      SCOPED_TRACE(path.string());
      const InputFile file(path);
      for (std::size_t size = 0; size < std::min<std::size_t>(file.bytes().size(), 8000); ++size) {
        // A copy of just that size, so that the address sanitizer sees every byte read beyond it.
        const std::vector<char> prefix(file.bytes().begin(),
                                       file.bytes().begin() + static_cast<std::ptrdiff_t>(size));
        try {
          EXPECT_TRUE(is_a_mesh(read({prefix.data(), prefix.size()})));
        } catch (const InputError& error) {
          EXPECT_GT(std::string(error.what()).size(), 10u);
        }
      }
    }
}

// One byte changed, everywhere, to what breaks readers most: the slow and certain brother of the fuzzers.
TEST(Seeds, AChangedByteReadsOrFailsWithASentence) {
  for (const auto& [name, read] : readers)
    for (const fs::path& path : seeds_of(name)) {
      SCOPED_TRACE(path.string());
      const InputFile file(path);
      std::vector<char> bytes(file.bytes().begin(), file.bytes().end());
      for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 8000); ++i) {
        const char before = bytes[i];
        for (const char c : {'\xff', '\x7f', '\0', '9', '-', '\n', ' ', '<'}) {
          bytes[i] = c;
          try {
            EXPECT_TRUE(is_a_mesh(read({bytes.data(), bytes.size()})));
          } catch (const InputError&) {
          }
        }
        bytes[i] = before;
      }
    }
}

}  // namespace pliant
