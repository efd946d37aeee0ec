#pragma once
// Makes a triangle soup speak with one voice about its inside, without moving anything.
#include "pliant/geometry/tri_mesh.h"

namespace pliant {

/// The soup with every piece of surface present once and facing outward, and what had to be done for it.
struct CleanSoup {
  TriMesh mesh;                  ///< vertices merged where their coordinates are equal
  Index degenerate = 0;          ///< triangles dropped because two corners coincide
  Index duplicates = 0;          ///< triangles dropped because another has the same corners
  Index flipped = 0;             ///< triangles turned round
  Index patches = 0;             ///< pieces joined by edges that exactly two triangles share
  Index open_edges = 0;          ///< edges of one triangle only
  Index non_manifold_edges = 0;  ///< edges of three or more triangles
};

/// Prepares a soup for winding numbers, so that duplicated, two-sided and wrongly facing triangles do not
/// change what is inside:
/// - Of triangles with the same corners one remains. A pair that faces both ways is a two-sided face, and one
///   remains; except where two solids touch (each edge around the pair is closed without it): there, none.
/// - Within a patch all triangles agree with the majority (by area) about which side is out.
/// - A patch whose back sees more of the sky than its front is turned round, by rays to infinity [Takayama et
///   al. 2014]. A patch that sees no sky (the inside of a hollow, an eye in its socket) is turned only if
///   most of what sees the sky was: so cavities stay cavities, and an inside-out model comes right as a
///   whole.
CleanSoup clean_soup(const TriMesh& soup);

}  // namespace pliant
