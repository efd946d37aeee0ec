#pragma once
// Pictures of meshes: a small ray tracer with a soft key light, a sky and contact shadows.
#include <cstdint>
#include <vector>

#include "pliant/base/progress.h"
#include "pliant/geometry/image.h"
#include "pliant/geometry/tet_mesh.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant {

/// One thing in a picture. Colours are sRGB, 0 to 1.
struct RenderObject {
  TriMesh mesh;
  Vector3d color{0.89, 0.46, 0.35};
  Points vertex_colors;        ///< n x 3 instead of `color`: a strain, a distance; empty: none
  bool smooth = true;          ///< shade across edges flatter than `crease_degrees`; otherwise flat triangles
  double crease_degrees = 60;  ///< edges sharper than this stay sharp
  bool edges = false;          ///< draw the edges of the triangles
  double edge_width = 1.1;     ///< pixels
  double gloss = 0.35;         ///< 0: chalk; 1: wet
};

struct RenderOptions {
  int width = 1200, height = 900;  ///< pixels
  int samples = 64;           ///< at most, a pixel, where a few do not suffice; noise falls with its root
  bool dark = false;          ///< a dark background instead of a light one
  bool ground = true;         ///< shadows on a floor under the lowest vertex
  bool transparent = false;   ///< RGBA: no background; shadows stay as darkness
  double azimuth = 32;        ///< degrees the camera stands to the right of the front, which faces +z
  double elevation = 18;      ///< degrees the camera stands above the horizon
  double field_of_view = 26;  ///< degrees, of the picture's height
  double zoom = 1;            ///< 1 fits all objects into four fifths of the picture; 2 is twice as large
  std::uint64_t seed = 1;     ///< of the samples
  Progress progress{};        ///< called between bands of the picture
};

/// Renders all objects together. The camera fits them unless zoomed. The same objects and options give the
/// same bits on any number of threads. Throws InputError where there is no triangle to see, a vertex is not
/// finite, an id is out of range or an option makes no sense.
Image render(const std::vector<RenderObject>& objects, const RenderOptions& options = {});

/// A solid cut open: whole tets in front of the plane are left out, so that the others show as they are.
struct CutAwayOptions {
  Vector3d normal{1, 0, 0};  ///< towards the part that is left out
  double offset = 0.5;  ///< where the plane stands: 0 at the lowest, 1 at the highest vertex along `normal`
  Vector3d color{0.89, 0.46, 0.35};         ///< of the solid's own surface
  Vector3d inside_color{0.97, 0.87, 0.68};  ///< of the faces that the cut lays open
};

/// The objects that show a cut-away solid: its surface without edges, and the opened tets with theirs.
/// Either may be empty.
std::vector<RenderObject> cut_away(const TetMesh& mesh, const CutAwayOptions& options = {});

}  // namespace pliant
