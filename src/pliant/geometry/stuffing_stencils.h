#pragma once
// How a BCC tet is cut where the surface passes through it.
#include <array>
#include <cstdint>

#include "pliant/numerics/types.h"

namespace pliant::detail {

/// Where a lattice point lies. Points on the surface are lattice points that were warped to a cut point.
enum class Side : std::int8_t { inside, surface, outside };

/// One of the 14 edges at a lattice point, from the difference of coordinates in half cells: 0 to 5 are long
/// (-x, +x, -y, ...), 6 to 13 short (bit 0 of slot - 6 set: +x, bit 1: +y, bit 2: +z).
int lattice_slot(const Vector3i& difference);
Vector3i lattice_direction(int slot);
constexpr int lattice_slots = 14;
constexpr bool is_long(int slot) { return slot < 6; }
/// The slot of the same edge seen from its other end.
constexpr int opposite_slot(int slot) { return slot < 6 ? slot ^ 1 : 6 + ((slot - 6) ^ 7); }

/// A BCC tet to be cut: positively oriented, points 0-1 and 2-3 are the long edges.
struct CutTet {
  std::array<Vector3i, 4> coordinates;  ///< on the lattice before warping, in half cells
  std::array<Side, 4> side;
};

/// A corner of an output tet: corner `inside` of the CutTet itself when outside == inside, else the cut point
/// on the edge between the two.
struct StencilVertex {
  std::int8_t inside, outside;
};
using StencilTet = std::array<StencilVertex, 4>;

/// The part of a tet that is inside, as up to three positive tets. Neighbours agree on shared faces.
struct Stencil {
  int count = 0;
  std::array<StencilTet, 3> tets;
};

Stencil stencil(const CutTet& tet);

}  // namespace pliant::detail
