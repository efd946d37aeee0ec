#include "pliant/geometry/stuffing_stencils.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "pliant/base/rng.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/stuffing.h"

namespace pliant::detail {
namespace {

using Coordinates = std::array<Vector3i, 4>;

// The twelve BCC tets around the +x, +y and +z faces of a cell: every orientation that the lattice has, in
// the order in which background tets list their points.
std::vector<Coordinates> bcc_tets(const Vector3i& centre) {
  std::vector<Coordinates> result;
  for (int axis = 0; axis < 3; ++axis) {
    Vector3i n = Vector3i::Zero(), u = n, v = n;
    n[axis] = u[(axis + 1) % 3] = v[(axis + 2) % 3] = 1;
    const std::array<Vector3i, 5> corners{centre + n - u - v, centre + n + u - v, centre + n + u + v,
                                          centre + n - u + v, centre + n - u - v};
    for (std::size_t i = 0; i < 4; ++i)
      result.push_back({centre, centre + 2 * n, corners[i], corners[i + 1]});
  }
  return result;
}

// A place that a warped lattice point can have: where it moved, and towards which lattice point.
struct Place {
  Vector3d position;
  std::optional<Vector3i> towards;
};

// Where a corner of an output tet can be, at these parts (0 to 1) of each of its motions.
std::vector<Place> places(const CutTet& tet, const StencilVertex& corner, const std::vector<double>& parts,
                          const StuffingOptions& options) {
  const auto a = static_cast<std::size_t>(corner.inside), b = static_cast<std::size_t>(corner.outside);
  const Vector3i from = tet.coordinates[a];
  const auto alpha = [&](const Vector3i& way) {
    return is_long(lattice_slot(way)) ? options.alpha_long : options.alpha_short;
  };
  std::vector<Place> result;
  const auto add = [&](const Vector3i& way, double fraction, std::optional<Vector3i> towards) {
    result.push_back({0.5 * (from.cast<double>() + fraction * way.cast<double>()), towards});
  };
  if (a != b) {  // a cut point: too near neither end
    const Vector3i way = tet.coordinates[b] - from;
    for (const double part : parts) add(way, alpha(way) + part * (1 - 2 * alpha(way)), std::nullopt);
  } else if (tet.side[a] == Side::surface) {
    for (int slot = 0; slot < lattice_slots; ++slot) {
      const Vector3i way = lattice_direction(slot);
      for (const double part : parts)
        if (part > 0) add(way, part * alpha(way), from + way);
    }
    add(Vector3i::Zero(), 0, std::nullopt);
  } else {
    add(Vector3i::Zero(), 0, std::nullopt);
  }
  return result;
}

// Whether the warps can have happened one after the other. A warp voids all cuts on the edges of its point,
// so whoever moves towards a warped point did so before it: no two move towards each other, nor three in a
// ring.
bool possible(const Coordinates& tet, const StencilTet& corners, const std::array<Place, 4>& place) {
  std::array<int, 4> towards{-1, -1, -1, -1};
  for (std::size_t k = 0; k < 4; ++k) {
    if (!place[k].towards) continue;
    const auto next = std::find(tet.begin(), tet.end(), *place[k].towards);
    if (next != tet.end())
      towards[static_cast<std::size_t>(corners[k].inside)] = static_cast<int>(next - tet.begin());
  }
  for (int start = 0; start < 4; ++start) {
    int at = towards[static_cast<std::size_t>(start)];
    for (int steps = 0; steps < 4 && at >= 0; ++steps) {
      if (at == start) return false;
      at = towards[static_cast<std::size_t>(at)];
    }
  }
  return true;
}

void measure(const Coordinates& tet, const StencilTet& corners, const std::array<Place, 4>& place,
             TetMesh& one, double& least, double& most) {
  if (!possible(tet, corners, place)) return;
  for (std::size_t k = 0; k < 4; ++k) one.vertices.row(static_cast<Index>(k)) = place[k].position.transpose();
  const auto angles = dihedral_angles(one);
  // Angles do not see the sign of the volume: an inverted tet counts as flat.
  const bool positive = tet_volumes(one)[0] > 0;
  least = std::min(least, positive ? angles(0, 0) : 0.0);
  most = std::max(most, angles(0, 1));
}

}  // namespace

TEST(StuffingStencils, SlotsNameTheFourteenEdges) {
  for (int slot = 0; slot < lattice_slots; ++slot) {
    const Vector3i direction = lattice_direction(slot);
    EXPECT_EQ(lattice_slot(direction), slot);
    EXPECT_EQ(lattice_slot(-direction), opposite_slot(slot));
    EXPECT_EQ(direction.squaredNorm(), is_long(slot) ? 4 : 3);
  }
}

// The bounds that the documentation promises, over what can happen to one BCC tet: every way of sides, every
// direction of every warp, cuts at the ends and in the middle of their range. First the extremes and middles
// of all motions, in all combinations; then random places in between.
TEST(StuffingStencils, AnglesStayInBoundsWhateverTheSurfaceDoes) {
  const StuffingOptions options;
  Rng rng(11);
  double least = 180, most = 0, least_between = 180, most_between = 0;
  TetMesh one;
  one.vertices.resize(4, 3);
  one.tets.resize(1, 4);
  one.tets << 0, 1, 2, 3;
  const std::vector<Coordinates> all = bcc_tets({1, 1, 1});
  for (const std::size_t which :
       {0, 1}) {  // the lattice maps any BCC tet to either; the two differ in parity
    const Coordinates& tet = all[which];
    for (int code = 0; code < 81; ++code) {
      CutTet cut{tet, {}};
      for (int k = 0, rest = code; k < 4; ++k, rest /= 3)
        cut.side[static_cast<std::size_t>(k)] = static_cast<Side>(rest % 3);
      const Stencil filled = stencil(cut);
      for (int t = 0; t < filled.count; ++t) {
        const StencilTet& corners = filled.tets[static_cast<std::size_t>(t)];
        std::array<std::vector<Place>, 4> choices;
        for (std::size_t k = 0; k < 4; ++k) choices[k] = places(cut, corners[k], {0.0, 0.5, 1.0}, options);
        std::array<std::size_t, 4> pick{};
        for (bool more = true; more;) {
          std::array<Place, 4> chosen;
          for (std::size_t k = 0; k < 4; ++k) chosen[k] = choices[k][pick[k]];
          measure(tet, corners, chosen, one, least, most);
          std::size_t k = 0;
          while (k < 4 && ++pick[k] == choices[k].size()) pick[k++] = 0;
          more = k < 4;
        }
        for (int sample = 0; sample < 500; ++sample) {
          std::array<Place, 4> chosen;
          for (std::size_t k = 0; k < 4; ++k) {
            const std::vector<Place> some = places(cut, corners[k], {rng.uniform()}, options);
            chosen[k] = some[static_cast<std::size_t>(rng.integer(static_cast<std::int64_t>(some.size())))];
          }
          measure(tet, corners, chosen, one, least_between, most_between);
        }
      }
    }
  }
  EXPECT_GE(least, 10.78);
  EXPECT_LE(most, 164.74);
  EXPECT_GE(least_between, least);
  EXPECT_LE(most_between, most);
  // And no better than that: the bounds are reached.
  EXPECT_LT(least, 10.79);
  EXPECT_GT(most, 164.72);
}

// Cut where a linear function vanishes, the stencil's tets fill exactly the part where it is negative.
TEST(StuffingStencils, FillThePartInside) {
  for (const Coordinates& tet : bcc_tets({3, 1, 5})) {
    for (int code = 1; code < 15; ++code) {
      // Values +-1 and the like: any choice gives a cut in the middle range of its edge.
      std::array<double, 4> value{};
      CutTet cut{tet, {}};
      for (std::size_t k = 0; k < 4; ++k) {
        const bool in = code >> k & 1;
        value[k] = (in ? -1 : 1) * (1 + 0.1 * static_cast<double>(k));
        cut.side[k] = in ? Side::inside : Side::outside;
      }
      double filled = 0;
      const Stencil result = stencil(cut);
      for (int t = 0; t < result.count; ++t) {
        std::array<Vector3d, 4> p;
        for (std::size_t k = 0; k < 4; ++k) {
          const StencilVertex corner = result.tets[static_cast<std::size_t>(t)][k];
          const auto a = static_cast<std::size_t>(corner.inside),
                     b = static_cast<std::size_t>(corner.outside);
          p[k] = tet[a].cast<double>();
          if (a != b) p[k] += value[a] / (value[a] - value[b]) * (tet[b] - tet[a]).cast<double>();
        }
        filled += (p[1] - p[0]).cross(p[2] - p[0]).dot(p[3] - p[0]) / 6;
      }
      // The share of a simplex where a linear function is negative (divided differences):
      // the sum over its negative corners i of prod over j != i of v_i / (v_i - v_j).
      double share = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        if (value[i] >= 0) continue;
        double product = 1;
        for (std::size_t j = 0; j < 4; ++j)
          if (j != i) product *= value[i] / (value[i] - value[j]);
        share += product;
      }
      EXPECT_NEAR(filled, share * 8 / 12, 1e-12) << "sides " << code;  // twelve BCC tets to a cell
    }
  }
}

}  // namespace pliant::detail
