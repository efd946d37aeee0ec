#include "pliant/geometry/stuffing_stencils.h"

#include <utility>

namespace pliant::detail {
namespace {

using Corner = std::int8_t;

bool long_edge(Corner a, Corner b) { return (a ^ b) == 1; }  // 0-1 and 2-3

// A face with two points a, b inside and one outside, o, leaves a quadrilateral a, b, bo, ao between its
// points and its two cut points. Both tets at the face must cut it along the same diagonal: true for a - bo,
// false for b - ao. The better one for the angles meets the cut point of the long edge, if one of the two cut
// edges is long. If both are short, a b is long, and the two diagonals mirror each other: then the parity of
// the lattice decides (the parity rule of Labelle and Shewchuk): from a, count the coordinates in which the
// way to o goes up. One differs between a and b, so exactly one of them is even; and one differs between the
// two points o, p that make a BCC tet with a, b, so that the two quadrilaterals of such a tet are cut from
// different ends, which is what keeps the angles of the wedge between them large.
bool diagonal_from_first(const CutTet& tet, Corner a, Corner b, Corner o) {
  if (long_edge(b, o)) return true;
  if (long_edge(a, o)) return false;
  const Vector3i way =
      tet.coordinates[static_cast<std::size_t>(o)] - tet.coordinates[static_cast<std::size_t>(a)];
  return (way.array() > 0).count() % 2 == 0;
}

}  // namespace

int lattice_slot(const Vector3i& d) {
  if (d.x() != 0 && d.y() != 0) return 6 + (d.x() > 0 ? 1 : 0) + (d.y() > 0 ? 2 : 0) + (d.z() > 0 ? 4 : 0);
  if (d.x() != 0) return d.x() > 0 ? 1 : 0;
  if (d.y() != 0) return d.y() > 0 ? 3 : 2;
  return d.z() > 0 ? 5 : 4;
}

Vector3i lattice_direction(int slot) {
  if (slot >= 6) {
    const int bits = slot - 6;
    return {bits & 1 ? 1 : -1, bits & 2 ? 1 : -1, bits & 4 ? 1 : -1};
  }
  Vector3i direction = Vector3i::Zero();
  direction[slot / 2] = slot % 2 == 1 ? 2 : -2;
  return direction;
}

// In the names below, a, b, c are inside, z on the surface, o, p outside, and ao is the cut point on edge a
// o. Moving a corner of a positive tet along an edge towards another corner leaves it positive, which shows
// the orientation of every tet written here.
Stencil stencil(const CutTet& tet) {
  // === Sort the corners inside, surface, outside, keeping the orientation
  std::array<Corner, 4> v{0, 1, 2, 3};
  const auto rank = [&](Corner corner) {
    return static_cast<int>(tet.side[static_cast<std::size_t>(corner)]);
  };
  bool odd = false;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j + 1 < 4 - i; ++j)
      if (rank(v[j]) > rank(v[j + 1])) std::swap(v[j], v[j + 1]), odd = !odd;
  if (odd) {  // four corners, three sides: two are alike
    std::size_t j = 0;
    while (rank(v[j]) != rank(v[j + 1])) ++j;
    std::swap(v[j], v[j + 1]);
  }
  std::array<int, 3> count{0, 0, 0};
  for (const Side side : tet.side) ++count[static_cast<std::size_t>(side)];
  const int inside = count[0], outside = count[2];

  const auto at = [](Corner corner) { return StencilVertex{corner, corner}; };
  const auto cut = [](Corner in, Corner out) { return StencilVertex{in, out}; };
  Stencil result;
  const auto emit = [&](StencilVertex p, StencilVertex q, StencilVertex r, StencilVertex s) {
    result.tets[static_cast<std::size_t>(result.count++)] = {p, q, r, s};
  };

  if (inside == 0) return result;

  // === Nothing outside: the tet itself
  if (outside == 0) {
    emit(at(v[0]), at(v[1]), at(v[2]), at(v[3]));
    return result;
  }

  // === One corner inside: a small tet at it
  if (inside == 1) {
    const auto kept = [&](Corner corner) { return rank(corner) == 2 ? cut(v[0], corner) : at(corner); };
    emit(at(v[0]), kept(v[1]), kept(v[2]), kept(v[3]));
    return result;
  }

  // === Three inside, one outside: a prism (a, b, c) - (ao, bo, co)
  // "x before y" when the diagonal is x - yo. The point whose edge to o is long comes last, so the order is
  // total.
  if (inside == 3) {
    Corner a = v[0], b = v[1], c = v[2];
    const Corner o = v[3];
    while (!long_edge(c, o)) {  // turn, keeping the orientation
      const Corner first = a;
      a = b, b = c, c = first;
    }
    if (diagonal_from_first(tet, a, b, o)) {
      emit(at(a), at(b), at(c), cut(c, o));
      emit(at(a), at(b), cut(c, o), cut(b, o));
      emit(at(a), cut(b, o), cut(c, o), cut(a, o));
    } else {
      emit(at(a), at(b), at(c), cut(c, o));
      emit(at(a), at(b), cut(c, o), cut(a, o));
      emit(cut(a, o), at(b), cut(c, o), cut(b, o));
    }
    return result;
  }

  const Corner a = v[0], b = v[1];
  if (outside == 1) {
    // === Two inside, one on the surface, one outside: a pyramid with apex z over a, b, bo, ao
    const Corner z = v[2], o = v[3];
    if (diagonal_from_first(tet, a, b, o)) {
      emit(at(a), at(b), at(z), cut(b, o));
      emit(at(a), cut(b, o), at(z), cut(a, o));
    } else {
      emit(at(a), at(b), at(z), cut(a, o));
      emit(cut(a, o), at(b), at(z), cut(b, o));
    }
    return result;
  }

  // === Two inside, two outside: a wedge (a, ao, ap) - (b, bo, bp)
  // The diagonals of the quadrilaterals on a b o and a b p always start at different ends, and leave one
  // choice for the third, on the surface.
  const Corner o = v[2], p = v[3];
  if (diagonal_from_first(tet, a, b, o)) {  // a - bo and b - ap, then bo - ap
    emit(at(a), at(b), cut(b, o), cut(a, p));
    emit(at(a), cut(b, o), cut(a, o), cut(a, p));
    emit(at(b), cut(a, p), cut(b, p), cut(b, o));
  } else {  // b - ao and a - bp, then ao - bp
    emit(at(a), at(b), cut(a, o), cut(b, p));
    emit(at(a), cut(b, p), cut(a, o), cut(a, p));
    emit(at(b), cut(a, o), cut(b, p), cut(b, o));
  }
  return result;
}

}  // namespace pliant::detail
