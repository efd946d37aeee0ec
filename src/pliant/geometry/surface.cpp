#include "pliant/geometry/surface.h"

#include <algorithm>
#include <array>
#include <vector>

namespace pliant {
namespace {

// Face i is opposite vertex i, outward for a positive tet.
constexpr int face_of_tet[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

struct Face {
  std::array<std::int32_t, 3> key;  // sorted vertex ids
  std::int64_t owner;               // 4 * tet + face
};

}  // namespace

Triangles boundary_triangles(const Tets& tets) {
  std::vector<Face> faces(static_cast<std::size_t>(4 * tets.rows()));
  parallel_for(tets.rows(), 4096, [&](Index t) {
    for (int f = 0; f < 4; ++f) {
      std::array<std::int32_t, 3> key{tets(t, face_of_tet[f][0]), tets(t, face_of_tet[f][1]),
                                      tets(t, face_of_tet[f][2])};
      std::sort(key.begin(), key.end());
      faces[static_cast<std::size_t>(4 * t + f)] = {key, 4 * t + f};
    }
  });
  std::sort(faces.begin(), faces.end(),
            [](const Face& a, const Face& b) { return a.key != b.key ? a.key < b.key : a.owner < b.owner; });

  std::vector<std::int64_t> boundary;
  for (std::size_t begin = 0, end; begin < faces.size(); begin = end) {
    end = begin + 1;
    while (end < faces.size() && faces[end].key == faces[begin].key) ++end;
    if (end == begin + 1) boundary.push_back(faces[begin].owner);
  }
  std::sort(boundary.begin(), boundary.end());

  Triangles triangles(static_cast<Index>(boundary.size()), 3);
  for (std::size_t i = 0; i < boundary.size(); ++i)
    for (int k = 0; k < 3; ++k)
      triangles(static_cast<Index>(i), k) = tets(boundary[i] / 4, face_of_tet[boundary[i] % 4][k]);
  return triangles;
}

Surface compact_surface(const Points& vertices, const Triangles& triangles) {
  std::vector<std::int32_t> id(static_cast<std::size_t>(vertices.rows()), -1);
  for (Index i = 0; i < triangles.size(); ++i) id[static_cast<std::size_t>(triangles.data()[i])] = 0;
  std::int32_t count = 0;
  for (std::int32_t& i : id)
    if (i == 0) i = count++;

  Surface surface;
  surface.mesh.vertices.resize(count, 3);
  surface.source.resize(count);
  for (Index v = 0; v < vertices.rows(); ++v)
    if (const std::int32_t i = id[static_cast<std::size_t>(v)]; i >= 0) {
      surface.mesh.vertices.row(i) = vertices.row(v);
      surface.source[i] = static_cast<int>(v);
    }
  surface.mesh.triangles.resize(triangles.rows(), 3);
  for (Index i = 0; i < triangles.size(); ++i)
    surface.mesh.triangles.data()[i] = id[static_cast<std::size_t>(triangles.data()[i])];
  return surface;
}

Surface extract_surface(const TetMesh& mesh) {
  return compact_surface(mesh.vertices, boundary_triangles(mesh.tets));
}

}  // namespace pliant
