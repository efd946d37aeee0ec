#pragma once
// Meshes that tests write and read again, and what "the same mesh" means.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pliant/base/rng.h"
#include "pliant/io/mesh_file.h"
#include "support/temporary_folder.h"

namespace pliant::testing_support {

/// Coordinates of every magnitude a double has, and all kinds of zero.
inline Points random_points(Index count, Rng& rng) {
  Points points(count, 3);
  for (Index i = 0; i < points.size(); ++i) {
    const double scale = std::pow(10.0, i % 7 == 0 ? rng.uniform(-300, 300) : rng.uniform(-3, 3));
    points.data()[i] = i % 11 == 0 ? (i % 2 == 0 ? 0.0 : -0.0) : rng.normal() * scale;
  }
  return points;
}

template <int N>
Eigen::Matrix<std::int32_t, Eigen::Dynamic, N, Eigen::RowMajor> random_cells(Index count, Index vertices,
                                                                             Rng& rng) {
  Eigen::Matrix<std::int32_t, Eigen::Dynamic, N, Eigen::RowMajor> cells(count, N);
  for (Index c = 0; c < count; ++c)
    for (int k = 0; k < N; ++k) {
      const auto repeated = [&] {
        for (int j = 0; j < k; ++j)
          if (cells(c, j) == cells(c, k)) return true;
        return false;
      };
      do cells(c, k) = static_cast<std::int32_t>(rng.integer(vertices));
      while (repeated());
    }
  return cells;
}

inline MeshData random_surface(std::uint64_t seed) {
  Rng rng(seed);
  MeshData mesh;
  mesh.vertices = random_points(60, rng);
  mesh.triangles = random_cells<3>(111, 60, rng);
  return mesh;
}

inline MeshData random_tets(std::uint64_t seed) {
  Rng rng(seed);
  MeshData mesh;
  mesh.vertices = random_points(40, rng);
  mesh.tets = random_cells<4>(97, 40, rng);
  return mesh;
}

/// The same vertices bit for bit, the same cells in the same order.
inline void expect_identical(const MeshData& a, const MeshData& b) {
  ASSERT_EQ(a.vertices.rows(), b.vertices.rows());
  ASSERT_EQ(a.triangles.rows(), b.triangles.rows());
  ASSERT_EQ(a.tets.rows(), b.tets.rows());
  EXPECT_EQ(std::memcmp(a.vertices.data(), b.vertices.data(),
                        sizeof(double) * static_cast<std::size_t>(a.vertices.size())),
            0);
  EXPECT_EQ(a.triangles, b.triangles);
  EXPECT_EQ(a.tets, b.tets);
}

/// What every reader promises: vertices, and indices that name them.
inline bool is_a_mesh(const MeshData& mesh) {
  if (mesh.vertices.rows() == 0) return false;
  const auto inside = [&](const auto& cells) {
    return cells.size() == 0 || (cells.minCoeff() >= 0 && cells.maxCoeff() < mesh.vertices.rows());
  };
  return inside(mesh.triangles) && inside(mesh.tets);
}

}  // namespace pliant::testing_support
