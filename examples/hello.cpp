// A surface is filled with tets, which carry it along; how far is everything from one vertex?
#include "pliant/geometry/embedding.h"
#include "pliant/geometry/geodesics.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/tetrahedralize.h"
#include "pliant/io/mesh_file.h"

int main() {
  using namespace pliant;
  const TetMesh squid = make_shape("squid");
  write_mesh("squid.obj", {.vertices = squid.vertices, .triangles = {}, .tets = squid.tets});  // its boundary

  const MeshData surface = read_mesh("squid.obj");  // or yours, dirty or not
  const TetMesh solid = tetrahedralize({surface.vertices, surface.triangles}, {.target_tets = 50'000}).mesh;
  const Embedding carried = embed(solid, surface.vertices);  // the surface moves with the tets
  const VectorXd distance = geodesic_distance(solid, std::vector{0});
  write_mesh("squid.vtu", {.vertices = solid.vertices, .triangles = {}, .tets = solid.tets});
  return carried.point_count() == surface.vertices.rows() && distance.size() == solid.vertex_count() ? 0 : 1;
}
