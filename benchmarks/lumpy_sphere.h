#pragma once
#include <cmath>
#include <numbers>

#include "pliant/geometry/tri_mesh.h"

namespace pliant {

/// A closed surface of 4 rings (rings - 1) triangles; 133 rings: 70,224.
inline TriMesh lumpy_sphere(int rings) {
  const int around = 2 * rings;
  TriMesh mesh{Points((rings - 1) * around + 2, 3), Triangles(2 * around * (rings - 1), 3)};
  const auto place = [](double polar, double turn) -> Eigen::RowVector3d {
    const Eigen::RowVector3d n(std::sin(polar) * std::cos(turn), std::cos(polar),
                               -std::sin(polar) * std::sin(turn));
    return (1 + 0.3 * std::sin(5 * n.x()) * std::sin(4 * n.y() + 1) * std::cos(3 * n.z())) * n;
  };
  for (int i = 1; i < rings; ++i)
    for (int j = 0; j < around; ++j)
      mesh.vertices.row((i - 1) * around + j) =
          place(std::numbers::pi * i / rings, 2 * std::numbers::pi * j / around);
  const int top = (rings - 1) * around, bottom = top + 1;
  mesh.vertices.row(top) = place(0, 0);
  mesh.vertices.row(bottom) = place(std::numbers::pi, 0);
  Index t = 0;
  for (int j = 0; j < around; ++j) {
    const int next = (j + 1) % around;
    mesh.triangles.row(t++) << top, j, next;
    mesh.triangles.row(t++) << bottom, (rings - 2) * around + next, (rings - 2) * around + j;
    for (int i = 0; i + 2 < rings; ++i) {
      const int a = i * around + j, b = i * around + next, c = a + around, d = b + around;
      mesh.triangles.row(t++) << a, c, d;
      mesh.triangles.row(t++) << a, d, b;
    }
  }
  return mesh;
}

}  // namespace pliant
