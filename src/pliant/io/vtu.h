#pragma once
// VTK's .vtu (XML unstructured grid): tets and triangles, with numbers on vertices and cells.
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/io/mesh_file.h"

namespace pliant {

/// Named numbers, one row a vertex or cell: a displacement has three columns, a temperature one.
struct MeshField {
  std::string name;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values;
};
struct MeshFields {
  std::vector<MeshField> vertices;
  std::vector<MeshField> cells;  ///< the triangles first, then the tets
};

/// Text, base64 and appended data (raw or base64), plain or compressed with zlib, both endiannesses, any
/// number of pieces. Points and lines are passed over; quads and polygons become triangles.
MeshData read_vtu(std::string_view bytes);

struct VtuContent {
  MeshData mesh;
  MeshFields fields;  ///< only of a file whose one piece holds nothing but triangles, then tets
};
VtuContent read_vtu_fields(std::string_view bytes);

/// Appended raw little-endian data, double precision; `binary` false writes text.
void write_vtu(std::ostream& out, const MeshData& mesh, const MeshFields& fields = {}, bool binary = true);

}  // namespace pliant
