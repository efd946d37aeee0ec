#include "pliant/geometry/surface.h"

#include <algorithm>
#include <array>
#include <vector>

namespace pliant {
namespace {

// Face i is opposite vertex i, outward for a positive tet.
constexpr int face_of_tet[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

struct Face {
  std::int32_t middle, high;  // the other two vertex ids, sorted; the lowest is the bucket
  std::int64_t owner;         // 4 * tet + face
};

std::array<std::int32_t, 3> sorted_face(const Tets& tets, Index t, int f) {
  std::array<std::int32_t, 3> key{tets(t, face_of_tet[f][0]), tets(t, face_of_tet[f][1]),
                                  tets(t, face_of_tet[f][2])};
  std::sort(key.begin(), key.end());
  return key;
}

}  // namespace

Boundary boundary_faces(const Tets& tets) {
  // === Faces into buckets by their lowest vertex: a mesh has few faces a vertex, so little is left to sort
  const std::int32_t vertex_count = tets.size() > 0 ? tets.maxCoeff() + 1 : 0;
  std::vector<std::int64_t> begin(static_cast<std::size_t>(vertex_count) + 1, 0);
  for (Index t = 0; t < tets.rows(); ++t)
    for (int f = 0; f < 4; ++f) ++begin[static_cast<std::size_t>(sorted_face(tets, t, f)[0]) + 1];
  for (std::size_t v = 1; v < begin.size(); ++v) begin[v] += begin[v - 1];
  std::vector<Face> faces(static_cast<std::size_t>(4 * tets.rows()));
  std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
  for (Index t = 0; t < tets.rows(); ++t)
    for (int f = 0; f < 4; ++f) {
      const auto key = sorted_face(tets, t, f);
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(key[0])]++);
      faces[place] = {key[1], key[2], 4 * t + f};
    }

  // === A face that is alone in its bucket is boundary
  std::vector<char> alone(static_cast<std::size_t>(4 * tets.rows()), 0);
  parallel_for(vertex_count, 1024, [&](Index v) {
    const auto first = faces.begin() + begin[static_cast<std::size_t>(v)],
               last = faces.begin() + begin[static_cast<std::size_t>(v) + 1];
    std::sort(first, last, [](const Face& a, const Face& b) {
      return a.middle != b.middle ? a.middle < b.middle : a.high < b.high;
    });
    for (auto i = first, j = first; i != last; i = j) {
      while (j != last && j->middle == i->middle && j->high == i->high) ++j;
      if (j - i == 1) alone[static_cast<std::size_t>(i->owner)] = 1;
    }
  });

  Boundary boundary;
  const Index count = std::count(alone.begin(), alone.end(), 1);
  boundary.triangles.resize(count, 3);
  boundary.tets.resize(count);
  Index next_triangle = 0;
  for (Index face = 0; face < 4 * tets.rows(); ++face) {
    if (!alone[static_cast<std::size_t>(face)]) continue;
    for (int k = 0; k < 3; ++k)
      boundary.triangles(next_triangle, k) = tets(face / 4, face_of_tet[face % 4][k]);
    boundary.tets[next_triangle++] = static_cast<int>(face / 4);
  }
  return boundary;
}

Triangles boundary_triangles(const Tets& tets) { return boundary_faces(tets).triangles; }

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
