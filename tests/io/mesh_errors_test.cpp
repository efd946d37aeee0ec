// What a person reads when a mesh file is wrong: where, what was found, what was expected.
#include <gtest/gtest.h>

#include <fstream>

#include "pliant/base/error.h"
#include "pliant/io/atomic_file.h"
#include "sample_meshes.h"

namespace pliant {
namespace {

using namespace testing_support;
namespace fs = std::filesystem;

struct MeshErrors : testing::Test {
  TemporaryFolder folder;

  // The message without the folder in front.
  std::string message_of(const std::string& name, const std::string& content) {
    const fs::path path = folder.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    try {
      read_mesh(path);
    } catch (const InputError& error) {
      const std::string text = error.what(), prefix = path.parent_path().string() + "/";
      return text.rfind(prefix, 0) == 0 ? text.substr(prefix.size()) : text;
    }
    return "no error";
  }
};

}  // namespace

TEST_F(MeshErrors, NameTheLineWhatWasFoundAndWhatWasExpected) {
  EXPECT_EQ(message_of("a.obj", "v 0 0 0\nv 1 0 zero\n"),
            "a.obj: line 2: found 'zero'; expected a coordinate");
  EXPECT_EQ(message_of("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"),
            "a.obj: line 4: found vertex 4 in a face; expected 1 to 3");
  EXPECT_EQ(message_of("a.obj", "v 0 0 0\nf -1 -2 -3\n"),
            "a.obj: line 2: found '-2' in a face; expected a vertex from 1 on, or from -1 to -1");
  EXPECT_EQ(message_of("a.off", "OFF\n2 1 0\n0 0 0\n1 0 0\n3 0 1 2\n"),
            "a.off: line 5: found vertex 2 in a face; expected 0 to 1");
  EXPECT_EQ(message_of("a.off", "OFF\n1000000 1 0\n0 0 0\n"),
            "a.off: line 2: found 1000000 as the number of vertices, but only 11 bytes follow");
  EXPECT_EQ(
      message_of("a.mesh",
                 "MeshVersionFormatted 1\nDimension 3\nVertices\n1\n0 0 0 0\nTetrahedra\n1\n1 2 3 4 0\n"),
      "a.mesh: line 8: found vertex 4; expected 1 to 1");
  EXPECT_EQ(message_of("a.mesh", "MeshVersionFormatted 1\nDimension 3\nHexahedra\n1\n"),
            "a.mesh: line 3: found Hexahedra; expected tetrahedra");
  EXPECT_EQ(message_of("a.msh", "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n"),
            "a.msh: line 2: found version 4; expected 2.0 to 2.2, or 4.1; save it again in one of these");
  EXPECT_EQ(
      message_of(
          "a.msh",
          "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 5 0 1\n"),
      "a.msh: line 10: found a hexahedron; expected tetrahedra, triangles or quadrangles with straight "
      "edges");
  EXPECT_EQ(message_of("a.veg", "*VERTICES\n1 3 0 0\n1 0 0 0\n*ELEMENTS\nCUBIC\n1 8 0\n"),
            "a.veg: line 5: found 'CUBIC'; expected TET; other elements are not read");
  EXPECT_EQ(message_of("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n"),
            "a.ply: the header gives 'vertex' no property 'y'; expected x, y and z");
  EXPECT_EQ(message_of("a.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_GRID\n"),
            "a.vtk: line 4: found 'STRUCTURED_GRID'; expected UNSTRUCTURED_GRID or POLYDATA");
  EXPECT_EQ(message_of("a.vtu", "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">\n"),
            "a.vtu: line 1: found compressor 'vtkLZ4DataCompressor'; expected vtkZLibDataCompressor or none");
  EXPECT_EQ(message_of("a.stl", std::string(80, ' ') + std::string("\x02\0\0\0", 4) + "xyz"),
            "a.stl: byte 84: the file ends after 3 more bytes; expected facets, 100 bytes");
  EXPECT_EQ(message_of("a.node", "1 3 0 0\n1 0 0 0\n"), "a.node: found no a.ele beside it; expected one");
}

TEST_F(MeshErrors, AnUnknownExtensionListsTheKnownOnes) {
  const std::string message = message_of("a.xyz", "");
  EXPECT_NE(message.find("'.xyz'"), std::string::npos) << message;
  EXPECT_NE(message.find(".obj"), std::string::npos) << message;
}

TEST_F(MeshErrors, AnEmptyFileIsASentenceInEveryFormat) {
  for (const MeshFormat& format : mesh_formats()) {
    if (!format.reads || format.extension == ".obj") continue;  // an .obj without vertices is an empty mesh
    EXPECT_NE(message_of("empty" + format.extension, ""), "no error") << format.extension;
  }
}

TEST_F(MeshErrors, WritingLeavesTheOldFile) {
  const fs::path path = folder.path() / "a.veg";
  write_mesh(path, random_tets(1));
  EXPECT_THROW(write_mesh(path, random_surface(1)), InputError);  // .veg holds tets only
  MeshData broken = random_tets(2);
  broken.tets(3, 1) = 4000;
  EXPECT_THROW(write_mesh(path, broken), InputError);
  expect_identical(read_mesh(path), random_tets(1));
}

TEST_F(MeshErrors, VegaIncludesOnlyWhatLiesBesideIt) {
  std::ofstream(folder.path() / "nodes.txt") << "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
  std::ofstream(folder.path() / "a.veg")
      << "*VERTICES\n*INCLUDE nodes.txt\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n";
  EXPECT_EQ(read_mesh(folder.path() / "a.veg").tets.rows(), 1);
  EXPECT_NE(message_of("b.veg", "*VERTICES\n*INCLUDE ../nodes.txt\n").find("in the same folder"),
            std::string::npos);
  EXPECT_NE(message_of("c.veg", "*INCLUDE c.veg\n").find("at most 8"), std::string::npos);
}

TEST_F(MeshErrors, TetGenFindsItsOtherFileFromEither) {
  std::ofstream(folder.path() / "a.1.node") << "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n# end\n";
  std::ofstream(folder.path() / "a.1.ele") << "# tets\n1 4 0\n0 0 1 2 3\n";
  expect_identical(read_mesh(folder.path() / "a.1.node"), read_mesh(folder.path() / "a.1.ele"));
  EXPECT_EQ(read_mesh(folder.path() / "a.1.ele").tets.row(0), Vector4i(0, 1, 2, 3).transpose());
}

}  // namespace pliant
