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
    return message_of(path);
  }
  std::string message_of(const fs::path& path) {
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

TEST_F(MeshErrors, WhatIsNoMeshIsASentenceInEveryFormat) {
  std::vector<std::pair<std::string, std::string>> contents = {
      {"nothing", ""},
      {"an empty line", "\n"},
      {"a comment", "# made by hand\n"},
      {"prose", "The quick brown fox\njumps over the lazy dog.\n"},
      {"numbers", "0 0 0\n"},
      {"zeros", std::string(1000, '\0')},
      {"an empty list", "[]"},
  };
  Rng rng(3);
  for (const std::size_t size : {1, 7, 100, 3000, 50000}) {
    std::string bytes(size, ' ');
    for (char& c : bytes) c = static_cast<char>(rng.integer(256));
    contents.emplace_back("random bytes", bytes);
  }
  for (const MeshFormat& format : mesh_formats())
    for (const auto& [name, content] : contents) {
      SCOPED_TRACE(format.extension + " of " + name);
      const bool tetgen = format.extension == ".node" || format.extension == ".ele";
      if (tetgen)  // whose files come together
        for (const char* extension : {".node", ".ele"})
          std::ofstream(folder.path() / (std::string("a") + extension), std::ios::binary) << content;
      const std::string message = message_of("a" + format.extension, content);
      EXPECT_EQ(message.rfind(tetgen ? "a.node: " : "a" + format.extension + ": ", 0), 0u) << message;
      EXPECT_NE(message.find("expected"), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

TEST_F(MeshErrors, AHeaderWithNothingBehindItIsASentence) {
  EXPECT_EQ(message_of("a.obj", "# made by hand\nmtllib a.mtl\no thing\n"),
            "a.obj: line 2: found 'mtllib'; expected a vertex somewhere in the file, as 'v 0 0 0'");
  EXPECT_EQ(message_of("a.off", "OFF\n"), "a.off: line 2: the file ends; expected the number of vertices");
  EXPECT_EQ(message_of("a.off", "OFF\n0 0 0\n"), "a.off: found no vertices; expected at least one");
  EXPECT_EQ(message_of("a.ply", "ply\nformat ascii 1.0\nend_header\n"),
            "a.ply: the header names no element 'vertex'; expected one");
  EXPECT_EQ(message_of("a.stl", "solid nothing\nendsolid nothing\n"),
            "a.stl: found no vertices; expected at least one");
  EXPECT_EQ(message_of("a.mesh", "MeshVersionFormatted 2\nDimension 3\nEnd\n"),
            "a.mesh: found no vertices; expected at least one");
  EXPECT_EQ(message_of("a.meshb", std::string("\1\0\0\0\3\0\0\0", 8)),
            "a.meshb: found no vertices; expected at least one");
  for (const char* version : {"2.2", "4.1"}) {
    const std::string header = std::string("$MeshFormat\n") + version + " 0 8\n$EndMeshFormat\n";
    EXPECT_EQ(message_of("a.msh", header), "a.msh: line 4: the file ends; expected a section $Nodes");
    EXPECT_EQ(message_of("a.msh", header + "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n"),
              "a.msh: line 8: the file ends; expected a section $Nodes");
  }
  EXPECT_EQ(message_of("a.veg", "*VERTICES\n1 3 0 0\n1 0 0 0\n"),
            "a.veg: line 4: the file ends; expected a section *ELEMENTS");
  EXPECT_EQ(message_of("a.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"),
            "a.vtk: found no vertices; expected at least one");
  EXPECT_EQ(message_of("a.vtu", "<VTKFile type=\"UnstructuredGrid\"></VTKFile>\n"),
            "a.vtu: found no vertices; expected at least one");
  std::ofstream(folder.path() / "a.ele") << "0 4 0\n";
  EXPECT_EQ(message_of("a.node", "0 3 0 0\n"), "a.node: line 2: the file ends; expected at least one node");
}

// The lines of an .obj are not counted anywhere, so that half of them may be a mesh.
TEST_F(MeshErrors, HalfAFileIsASentence) {
  MeshData mesh = random_tets(7);
  mesh.vertices.setRandom();  // glTF has nothing as large as the others take
  for (const MeshFormat& format : mesh_formats())
    for (const bool binary : {true, false})
      for (const int version : {22, 41}) {
        if (!format.writes || format.extension == ".obj") continue;
        SCOPED_TRACE(format.extension + (binary ? " binary" : " text"));
        const fs::path path = folder.path() / ("a" + format.extension);
        write_mesh(path, mesh, {.binary = binary, .msh_version = version});
        ASSERT_EQ(message_of(path), "no error");
        fs::resize_file(path, fs::file_size(path) / 2);
        EXPECT_EQ(message_of(path).rfind("a" + format.extension + ": ", 0), 0u) << message_of(path);
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
}

// Ten files of which each includes the next one ten times would be a text of ten thousand million lines.
TEST_F(MeshErrors, VegaIncludesEachFileOnce) {
  EXPECT_EQ(message_of("c.veg", "*INCLUDE c.veg\n"),
            "c.veg: line 1: found *INCLUDE 'c.veg' a second time; expected each file once");
  for (char name = 'a'; name < 'k'; ++name) {
    std::ofstream file(folder.path() / (std::string(1, name) + ".txt"));
    file << "# " << name << "\n*INCLUDE " << static_cast<char>(name + 1) << ".txt\n";
  }
  EXPECT_NE(message_of("d.veg", "*INCLUDE a.txt\n").find("at most 8 files inside each other"),
            std::string::npos);
  std::string many =
      "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n";
  std::ofstream(folder.path() / "set.txt") << "# a set\n";
  EXPECT_EQ(message_of("e.veg", many + "*INCLUDE set.txt\n"), "no error");
  EXPECT_EQ(message_of("e.veg", many + "*INCLUDE set.txt\n*INCLUDE set.txt\n"),
            "e.veg: line 12: found *INCLUDE 'set.txt' a second time; expected each file once");
}

// All compressed files that one file includes share one allowance to grow.
TEST_F(MeshErrors, VegaIncludesCannotGrowWithoutEnd) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    const std::string name = "bomb" + std::to_string(i) + ".gz";
    write_atomically(folder.path() / name, [](std::ostream& out) { out << std::string(30 << 20, '\n'); });
    text += "*INCLUDE " + name + "\n";
  }
  const std::string message = message_of("a.veg", text);
  EXPECT_NE(message.find("bomb2.gz: gzip: "), std::string::npos) << message;
}

// The chain of sections goes on behind the one just read: two that share their bytes would be read twice.
TEST_F(MeshErrors, SectionsOfABinaryMeditFileDoNotOverlap) {
  std::string bytes;
  const auto put = [&](std::int32_t value) { bytes.append(reinterpret_cast<const char*>(&value), 4); };
  const auto build = [&](std::int32_t second) {
    bytes.clear();
    put(1), put(1);  // endianness, version
    put(4), put(second), put(3);
    for (int v = 0; v < 3; ++v)
      for (int k = 0; k < 4; ++k) put(0);
    put(6), put(0), put(1);
    put(1), put(2), put(3), put(0);
    return bytes;
  };
  EXPECT_EQ(message_of("a.meshb", build(68)), "no error");
  EXPECT_EQ(message_of("a.meshb", build(64)),
            "a.meshb: byte 8: found the next section at byte 64; expected 68 to 96");
  EXPECT_EQ(message_of("a.meshb", build(8)),
            "a.meshb: byte 8: found the next section at byte 8; expected 68 to 96");
}

TEST_F(MeshErrors, TetGenNamesTheFileThatIsMissingOrWrong) {
  EXPECT_EQ(message_of("a.ele", "1 4 0\n1 1 2 3 4\n"), "a.ele: found no a.node beside it; expected one");
  std::ofstream(folder.path() / "a.node") << "2 3 0 0\n1 0 0 0\n2 0 zero 0\n";
  EXPECT_EQ(message_of(folder.path() / "a.ele"), "a.node: line 3: found 'zero'; expected a coordinate");
}

TEST_F(MeshErrors, TheEndingGzMayBeWrittenInCapitals) {
  MeshData mesh = random_surface(1);
  mesh.vertices.setRandom();
  for (const char* name : {"a.OBJ.GZ", "a.ele.GZ", "a.Mesh.Gz", "a.GLTF.GZ"}) {
    SCOPED_TRACE(name);
    const fs::path path = folder.path() / name;
    write_mesh(path, mesh);
    EXPECT_EQ(read_mesh(path).triangles, mesh.triangles);
    std::ifstream file(path, std::ios::binary);
    EXPECT_EQ(file.get(), 0x1f);  // compressed
  }
}

TEST_F(MeshErrors, TetGenFindsItsOtherFileFromEither) {
  std::ofstream(folder.path() / "a.1.node") << "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n# end\n";
  std::ofstream(folder.path() / "a.1.ele") << "# tets\n1 4 0\n0 0 1 2 3\n";
  expect_identical(read_mesh(folder.path() / "a.1.node"), read_mesh(folder.path() / "a.1.ele"));
  EXPECT_EQ(read_mesh(folder.path() / "a.1.ele").tets.row(0), Vector4i(0, 1, 2, 3).transpose());
}

}  // namespace pliant
