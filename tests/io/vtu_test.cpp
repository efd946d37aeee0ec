#include "pliant/io/vtu.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <sstream>

#include "pliant/base/error.h"
#include "sample_meshes.h"

namespace pliant {
namespace {

using namespace testing_support;

MeshFields random_fields(const MeshData& mesh) {
  MeshFields fields;
  fields.vertices.push_back({"displacement <mm> & \"more\"", Points::Random(mesh.vertices.rows(), 3)});
  fields.vertices.push_back({"temperature", VectorXd::Random(mesh.vertices.rows())});
  fields.cells.push_back({"stress", MatrixXd::Random(mesh.triangles.rows() + mesh.tets.rows(), 6)});
  return fields;
}

void expect_same_fields(const std::vector<MeshField>& a, const std::vector<MeshField>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].values, b[i].values);
  }
}

}  // namespace

TEST(Vtu, FieldsComeBack) {
  MeshData mesh = random_tets(1);
  mesh.triangles = random_surface(1).triangles.unaryExpr([](std::int32_t v) { return v % 40; });
  const MeshFields fields = random_fields(mesh);
  for (const bool binary : {true, false}) {
    std::ostringstream out;
    write_vtu(out, mesh, fields, binary);
    const VtuContent content = read_vtu_fields(out.str());
    expect_identical(content.mesh, mesh);
    expect_same_fields(content.fields.vertices, fields.vertices);
    expect_same_fields(content.fields.cells, fields.cells);
  }
}

TEST(Vtu, AFieldOfTheWrongLengthIsRefused) {
  const MeshData mesh = random_tets(1);
  std::ostringstream out;
  EXPECT_THROW(write_vtu(out, mesh, {.vertices = {{"x", VectorXd::Zero(3)}}, .cells = {}}), InputError);
}

TEST(Vtu, PiecesAreJoined) {
  const std::string piece =
      "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points><DataArray type=\"Float32\" "
      "NumberOfComponents=\"3\">"
      "0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points><Cells>"
      "<DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 3</DataArray>"
      "<DataArray type=\"Int32\" Name=\"offsets\">4</DataArray>"
      "<DataArray type=\"UInt8\" Name=\"types\">10</DataArray></Cells></Piece>";
  const MeshData mesh = read_vtu("<VTKFile type='UnstructuredGrid'><UnstructuredGrid>" + piece + piece +
                                 "</UnstructuredGrid></VTKFile>");
  EXPECT_EQ(mesh.vertices.rows(), 8);
  ASSERT_EQ(mesh.tets.rows(), 2);
  EXPECT_EQ(mesh.tets.row(1), Vector4i(4, 5, 6, 7).transpose());
}

// Many pieces that all point at the same appended data: a small file that asks for much memory.
TEST(Vtu, SharedDataCannotGrowWithoutEnd) {
  const std::uint64_t points = 20000;
  std::string text = "<VTKFile type='UnstructuredGrid' header_type='UInt64'><UnstructuredGrid>";
  for (int i = 0; i < 300; ++i)
    text +=
        "<Piece NumberOfPoints='20000'><Points><DataArray type='Float32' format='appended' "
        "offset='0'/></Points></Piece>";
  text += "</UnstructuredGrid><AppendedData encoding='raw'>_";
  const std::uint64_t size = 12 * points;
  text.append(reinterpret_cast<const char*>(&size), 8);
  text.append(size, '\0');
  text += "</AppendedData></VTKFile>";
  EXPECT_THROW(read_vtu(text), InputError);
}

// A block may shrink its data a thousandfold; what it says to hold is checked before it is inflated.
TEST(Vtu, CompressedDataHoldsNoMoreThanTheFileNeeds) {
  const auto file_of = [](std::uint64_t stated_points, std::uint64_t points) {
    const std::string zeros(12 * points, '\0');
    std::vector<Bytef> block(compressBound(zeros.size()));
    uLongf size = block.size();
    compress(block.data(), &size, reinterpret_cast<const Bytef*>(zeros.data()), zeros.size());
    std::string text =
        "<VTKFile type='UnstructuredGrid' header_type='UInt64' compressor='vtkZLibDataCompressor'>"
        "<UnstructuredGrid><Piece NumberOfPoints='" +
        std::to_string(stated_points) +
        "'><Points><DataArray type='Float32' format='appended' offset='0'/></Points></Piece>"
        "</UnstructuredGrid><AppendedData encoding='raw'>_";
    for (const std::uint64_t word : {std::uint64_t{1}, zeros.size(), zeros.size(), std::uint64_t{size}})
      text.append(reinterpret_cast<const char*>(&word), 8);
    text.append(reinterpret_cast<const char*>(block.data()), size);
    return text + "</AppendedData></VTKFile>";
  };
  EXPECT_EQ(read_vtu(file_of(100000, 100000)).vertices.rows(), 100000);
  EXPECT_EQ(message_of([&] { read_vtu(file_of(5, 100000)); }),
            "DataArray '': blocks 0 to 0 hold 300000 numbers; expected at most 15");
  const std::string large = file_of(3400000, 3400000);
  EXPECT_EQ(message_of([&] { read_vtu(large); }),
            fmt::format("DataArray '': blocks 0 to 0 hold 10200000 numbers; expected at most {}",
                        25 * large.size() + (8 << 20)));
}

}  // namespace pliant
