#pragma once
// A plate of equilateral triangles.
#include "pliant/geometry/tri_mesh.h"

namespace pliant::testing_support {

/// columns x rows equilateral triangle pairs of side `h` in the plane z = 0, rows shifted to and fro by half a side.
inline TriMesh equilateral_plate(int columns, int rows, double h) {
  TriMesh mesh;
  mesh.vertices.resize((columns + 1) * (rows + 1), 3);
  mesh.triangles.resize(2 * columns * rows, 3);
  for (int j = 0; j <= rows; ++j)
    for (int i = 0; i <= columns; ++i)
      mesh.vertices.row(j * (columns + 1) + i) << (i + 0.5 * (j % 2)) * h, j * h * std::sqrt(3.0) / 2, 0;
  Index t = 0;
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i) {
      const int a = j * (columns + 1) + i, b = a + 1, c = a + columns + 2, d = a + columns + 1;
      if (j % 2 == 0) {
        mesh.triangles.row(t++) << a, b, d;
        mesh.triangles.row(t++) << b, c, d;
      } else {
        mesh.triangles.row(t++) << a, b, c;
        mesh.triangles.row(t++) << a, c, d;
      }
    }
  return mesh;
}

}  // namespace pliant::testing_support
