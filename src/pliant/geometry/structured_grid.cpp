#include "pliant/geometry/structured_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "pliant/base/error.h"

namespace pliant {
namespace {

// The regular tet, and the four it leaves at the corners, by the colour of corner 0. All positive.
constexpr int tets_of_hex[2][5][4] = {
    {{0, 5, 3, 6}, {1, 0, 5, 3}, {2, 3, 6, 0}, {4, 5, 0, 6}, {7, 6, 3, 5}},
    {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}},
};

std::vector<double> subdivide(const std::vector<double>& lines, const std::vector<int>& cells) {
  std::vector<double> fine;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i)
    for (int k = 0; k < cells[i]; ++k) fine.push_back(lines[i] + (lines[i + 1] - lines[i]) * k / cells[i]);
  fine.push_back(lines.back());
  return fine;
}

// Deals `total` cells out to the intervals in proportion to their lengths. Rounding outwards from the middle
// keeps what is symmetric symmetric.
std::vector<int> deal_cells(const std::vector<double>& lines, int total) {
  const double middle = (lines.front() + lines.back()) / 2;
  const double density = total / (lines.back() - lines.front());
  std::vector<int> cells(lines.size() - 1);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    // The nudge decides ties that rounding errors of the lines would otherwise decide.
    const auto place = [&](double line) {
      const double offset = (line - middle) * density;
      return static_cast<int>(std::lround(offset + std::copysign(1e-9, offset)));
    };
    cells[i] = std::max(1, place(lines[i + 1]) - place(lines[i]));
  }
  return cells;
}

// The parts that a blocky solid is made of: blocks, and the faces, edges and corners between them, in a grid
// of twice the resolution. A part with cells n along an axis holds n cells (a block) or n - 1 vertices
// (inside it).
class BlockParts {
 public:
  explicit BlockParts(const Blocks& blocks) {
    for (int a = 0; a < 3; ++a) blocks_[a] = static_cast<int>(blocks.lines[a].size()) - 1;
    for (int k = 0; k <= 2 * blocks_[2]; ++k)
      for (int j = 0; j <= 2 * blocks_[1]; ++j)
        for (int i = 0; i <= 2 * blocks_[0]; ++i)
          if (touches_filled(blocks, {i, j, k})) parts_.push_back({i, j, k});
  }

  double tets(const BlockCells& cells) const {
    double sum = 0;
    for (const Vector3i& part : parts_)
      if (part[0] & part[1] & part[2] & 1)
        sum += 5.0 * cells[0][part[0] / 2] * cells[1][part[1] / 2] * cells[2][part[2] / 2];
    return sum;
  }

  double vertices(const BlockCells& cells) const {
    double sum = 0;
    for (const Vector3i& part : parts_) {
      double product = 1;
      for (int a = 0; a < 3; ++a)
        if (part[a] & 1) product *= cells[a][part[a] / 2] - 1;
      sum += product;
    }
    return sum;
  }

 private:
  bool touches_filled(const Blocks& blocks, const Vector3i& part) const {
    // An odd coordinate lies inside block part / 2; an even one borders the blocks on both sides.
    int low[3], high[3];
    for (int a = 0; a < 3; ++a) {
      low[a] = std::max(0, (part[a] - 1) / 2);
      high[a] = std::min(blocks_[a] - 1, part[a] / 2);
    }
    for (int k = low[2]; k <= high[2]; ++k)
      for (int j = low[1]; j <= high[1]; ++j)
        for (int i = low[0]; i <= high[0]; ++i)
          if (blocks.filled[static_cast<std::size_t>((k * blocks_[1] + j) * blocks_[0] + i)]) return true;
    return false;
  }

  int blocks_[3];
  std::vector<Vector3i> parts_;
};

}  // namespace

TetMesh split_hexes(Points vertices, const Hexes& hexes, const std::vector<std::uint8_t>& odd) {
  TetMesh mesh{std::move(vertices), Tets(5 * hexes.rows(), 4)};
  parallel_for(hexes.rows(), 4096, [&](Index h) {
    const auto& pattern = tets_of_hex[odd[static_cast<std::size_t>(hexes(h, 0))] & 1];
    for (int t = 0; t < 5; ++t)
      for (int v = 0; v < 4; ++v) mesh.tets(5 * h + t, v) = hexes(h, pattern[t][v]);
  });
  return mesh;
}

TetMesh structured_grid(const Vector3d& lower, const Vector3d& upper, const Vector3i& counts) {
  GridLines lines;
  for (int a = 0; a < 3; ++a) {
    if (counts[a] < 1)
      throw InputError(
          fmt::format("structured_grid: {} cells along {}; expected at least 1", counts[a], "xyz"[a]));
    lines[a] = subdivide({lower[a], upper[a]}, {counts[a]});
  }
  return structured_grid(lines, [](int, int, int) { return true; });
}

TetMesh structured_grid(const GridLines& lines, FunctionRef<bool(int, int, int)> filled) {
  for (int a = 0; a < 3; ++a) {
    if (lines[a].size() < 2)
      throw InputError(fmt::format("structured_grid: {} planes across {}; expected at least 2",
                                   lines[a].size(), "xyz"[a]));
    for (std::size_t i = 0; i + 1 < lines[a].size(); ++i)
      if (!(lines[a][i] < lines[a][i + 1]))
        throw InputError(
            fmt::format("structured_grid: planes {} and {} across {} are at {} and {}; expected ascending", i,
                        i + 1, "xyz"[a], lines[a][i], lines[a][i + 1]));
  }
  const Index nx = static_cast<Index>(lines[0].size()), ny = static_cast<Index>(lines[1].size()),
              nz = static_cast<Index>(lines[2].size());
  if (static_cast<double>(nx) * static_cast<double>(ny) * static_cast<double>(nz) >
      std::numeric_limits<std::int32_t>::max())
    throw InputError(fmt::format(
        "structured_grid: {} x {} x {} vertices are more than 32-bit ids can number; use fewer", nx, ny, nz));

  // === Mark what the filled cells use
  std::vector<std::uint8_t> cell_filled(static_cast<std::size_t>((nx - 1) * (ny - 1) * (nz - 1)));
  std::vector<std::int32_t> id(static_cast<std::size_t>(nx * ny * nz), -1);
  const auto corner = [&](Index i, Index j, Index k, int c) {
    return static_cast<std::size_t>(((k + (c >> 2 & 1)) * ny + j + (c >> 1 & 1)) * nx + i + (c & 1));
  };
  Index hex_count = 0;
  std::size_t cell = 0;
  for (Index k = 0; k + 1 < nz; ++k)
    for (Index j = 0; j + 1 < ny; ++j)
      for (Index i = 0; i + 1 < nx; ++i, ++cell)
        if (filled(static_cast<int>(i), static_cast<int>(j), static_cast<int>(k))) {
          cell_filled[cell] = 1;
          ++hex_count;
          for (int c = 0; c < 8; ++c) id[corner(i, j, k, c)] = 0;
        }

  // === Number the vertices in the order of the grid, and colour them as a chessboard
  const Index vertex_count = static_cast<Index>(std::count(id.begin(), id.end(), 0));
  Points vertices(vertex_count, 3);
  std::vector<std::uint8_t> odd(static_cast<std::size_t>(vertex_count));
  std::int32_t next = 0;
  for (Index k = 0; k < nz; ++k)
    for (Index j = 0; j < ny; ++j)
      for (Index i = 0; i < nx; ++i)
        if (std::int32_t& v = id[corner(i, j, k, 0)]; v == 0) {
          vertices.row(next) << lines[0][static_cast<std::size_t>(i)], lines[1][static_cast<std::size_t>(j)],
              lines[2][static_cast<std::size_t>(k)];
          odd[static_cast<std::size_t>(next)] = (i + j + k) & 1;
          v = next++;
        }

  Hexes hexes(hex_count, 8);
  Index hex = 0;
  cell = 0;
  for (Index k = 0; k + 1 < nz; ++k)
    for (Index j = 0; j + 1 < ny; ++j)
      for (Index i = 0; i + 1 < nx; ++i, ++cell)
        if (cell_filled[cell]) {
          for (int c = 0; c < 8; ++c) hexes(hex, c) = id[corner(i, j, k, c)];
          ++hex;
        }
  return split_hexes(std::move(vertices), hexes, odd);
}

TetMesh block_grid(const Blocks& blocks, const BlockCells& cells) {
  GridLines lines;
  std::array<std::vector<int>, 3> block_of_cell;
  for (int a = 0; a < 3; ++a) {
    lines[a] = subdivide(blocks.lines[a], cells[a]);
    for (std::size_t b = 0; b < cells[a].size(); ++b)
      block_of_cell[a].insert(block_of_cell[a].end(), static_cast<std::size_t>(cells[a][b]),
                              static_cast<int>(b));
  }
  const std::size_t bx = cells[0].size(), by = cells[1].size();
  return structured_grid(lines, [&](int i, int j, int k) {
    return blocks.filled[(static_cast<std::size_t>(block_of_cell[2][k]) * by +
                          static_cast<std::size_t>(block_of_cell[1][j])) *
                             bx +
                         static_cast<std::size_t>(block_of_cell[0][i])] != 0;
  });
}

BlockCells fit_cells(const Blocks& blocks, Index target, bool count_vertices) {
  const BlockParts parts(blocks);
  const auto count = [&](const BlockCells& cells) {
    return count_vertices ? parts.vertices(cells) : parts.tets(cells);
  };
  const auto total_for = [&](int axis, double size) {
    const double length = blocks.lines[axis].back() - blocks.lines[axis].front();
    return 2 * std::max(1, static_cast<int>(std::lround(length / size / 2)));
  };
  const auto cells_for = [&](const Vector3i& totals) {
    return BlockCells{deal_cells(blocks.lines[0], totals[0]), deal_cells(blocks.lines[1], totals[1]),
                      deal_cells(blocks.lines[2], totals[2])};
  };

  // === The size of a cubic cell, by bisection: the count falls as the size grows
  double longest = 0;
  for (int a = 0; a < 3; ++a) longest = std::max(longest, blocks.lines[a].back() - blocks.lines[a].front());
  double fine = longest / 2000, coarse = longest;
  for (int step = 0; step < 40; ++step) {
    const double size = std::sqrt(fine * coarse);
    const Vector3i totals(total_for(0, size), total_for(1, size), total_for(2, size));
    (count(cells_for(totals)) > static_cast<double>(target) ? fine : coarse) = size;
  }

  // === Near it, the best trade of the right count against cubic cells
  BlockCells best;
  double best_score = std::numeric_limits<double>::max();
  const int reach = 3;
  for (int code = 0; code < (2 * reach + 1) * (2 * reach + 1) * (2 * reach + 1); ++code) {
    Vector3i totals;
    double smallest = std::numeric_limits<double>::max(), largest = 0;
    for (int a = 0, rest = code; a < 3; ++a, rest /= 2 * reach + 1) {
      totals[a] = std::max(2, total_for(a, coarse) + 2 * (rest % (2 * reach + 1) - reach));
      const double size = (blocks.lines[a].back() - blocks.lines[a].front()) / totals[a];
      smallest = std::min(smallest, size);
      largest = std::max(largest, size);
    }
    BlockCells cells = cells_for(totals);
    const double score =
        std::abs(std::log(count(cells) / static_cast<double>(target))) + 0.1 * std::log(largest / smallest);
    if (score < best_score) {
      best_score = score;
      best = std::move(cells);
    }
  }
  return best;
}

}  // namespace pliant
