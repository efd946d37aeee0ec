#include "pliant/scene/body_mesh.h"

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/tetrahedralize.h"
#include "pliant/scene/placement.h"

namespace pliant {
namespace {

bool has_shape(const std::string& name, ShapeKind kind) {
  return std::any_of(shapes().begin(), shapes().end(),
                     [&](const ShapeInfo& shape) { return shape.name == name && shape.kind == kind; });
}

void take_solid(TetMesh mesh, BodyMesh& out) {
  out.shown.vertices = mesh.vertices;
  out.shown.tets = mesh.tets;
  out.solid = std::move(mesh);
}

void take_shell(TriMesh mesh, BodyMesh& out) {
  out.shown.vertices = mesh.vertices;
  out.shown.triangles = mesh.triangles;
  out.shell = std::move(mesh);
}

void make(const Json& json, const std::string& as, const Progress& progress, BodyMesh& out) {
  const auto name = json["name"].get<std::string>();
  ShapeOptions options;
  options.tets = json["tets"].get<Index>();
  options.triangles = json["triangles"].get<Index>();
  options.size = json["size"].get<double>();
  options.thickness = json["thickness"].get<double>();
  options.level = json["level"].get<int>();
  options.text = json["text"].get<std::string>();
  options.progress = progress;
  const bool solid = as == "solid" || (as == "automatic" && has_shape(name, ShapeKind::solid));
  if (solid)
    take_solid(make_shape(name, options), out);
  else
    take_shell(make_shell(name, options), out);
}

void read(const std::filesystem::path& file, const std::string& as, Index tets, const Progress& progress,
          BodyMesh& out) {
  MeshData data = read_mesh(file);
  if (data.has_tets()) {
    if (as == "shell") throw InputError("the file holds tets; expected a surface for a shell");
    take_solid({std::move(data.vertices), std::move(data.tets)}, out);
    return;
  }
  if (data.triangles.rows() == 0) throw InputError("the file holds no triangle and no tet; expected a mesh");
  TriMesh surface{std::move(data.vertices), std::move(data.triangles)};
  if (as == "shell") {
    take_shell(std::move(surface), out);
    return;
  }
  TetrahedralizeOptions options;
  options.target_tets = tets;
  options.progress = progress;
  out.solid = tetrahedralize(surface, options).mesh;
  out.embedding = embed(out.solid, surface.vertices);
  out.shown.vertices = std::move(surface.vertices);
  out.shown.triangles = std::move(surface.triangles);
}

}  // namespace

BodyMesh body_mesh(const Json& body, const std::string& path, const std::filesystem::path& folder,
                   const Progress& progress) {
  BodyMesh mesh;
  const auto as = body["as"].get<std::string>();
  if (body.contains("shape"))
    with_context(path + ".shape", [&] { make(body["shape"], as, progress, mesh); });
  else
    with_context(path + ".mesh", [&] {
      read(folder / body["mesh"].get<std::string>(), as, body["tets"].get<Index>(), progress, mesh);
    });

  const double scale = body["scale"].get<double>();
  const Matrix3d turn = to_rotation(body["rotation"]).toRotationMatrix() * scale;
  const Vector3d position = to_vector3(body["position"]);
  for (Points* points : {&mesh.solid.vertices, &mesh.shell.vertices, &mesh.shown.vertices})
    *points = ((*points) * turn.transpose()).rowwise() + position.transpose();
  return mesh;
}

Points posed(const Points& rest, const std::string& pose, Rng& rng) {
  Points positions = rest;
  const BoundingBox box = bounding_box(rest);
  if (pose == "flattened") positions.col(1).setConstant(box.low.y());
  if (pose == "inverted") positions.col(0) = (box.low.x() + box.high.x()) - rest.col(0).array();
  if (pose == "random")
    for (Index i = 0; i < positions.rows(); ++i)
      for (int c = 0; c < 3; ++c) positions(i, c) = rng.uniform(box.low[c], box.high[c]);
  return positions;
}

Points rigid_velocities(const Points& positions, const Vector3d& velocity, const Vector3d& angular_velocity) {
  const BoundingBox box = bounding_box(positions);
  const Vector3d center = (box.low + box.high) / 2;
  Points velocities(positions.rows(), 3);
  for (Index i = 0; i < positions.rows(); ++i)
    velocities.row(i) =
        (velocity + angular_velocity.cross(positions.row(i).transpose() - center)).transpose();
  return velocities;
}

}  // namespace pliant
