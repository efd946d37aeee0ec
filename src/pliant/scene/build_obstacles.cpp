#include <fmt/format.h>

#include "pliant/base/error.h"
#include "pliant/geometry/surface.h"
#include "pliant/io/mesh_file.h"
#include "pliant/scene/build.h"
#include "pliant/scene/placement.h"
#include "pliant/scene/region.h"

namespace pliant {
namespace {

ObstacleShape build_shape(const Json& json, const std::string& path, const std::filesystem::path& folder) {
  const auto kind = json["kind"].get<std::string>();
  if (kind == "sphere") return SphereShape{json["radius"].get<double>()};
  if (kind == "capsule") return CapsuleShape{json["radius"].get<double>(), json["length"].get<double>() / 2};
  if (kind == "box") {
    const Vector3d size = to_vector3(json["size"]);
    if (!(size.minCoeff() > 0))
      throw InputError(path + ".size has a side of 0 or less; expected positive ones");
    return BoxShape{size / 2};
  }
  if (kind == "mesh")
    return with_context(path + ".file", [&] {
      const MeshData mesh = read_mesh(folder / json["file"].get<std::string>());
      TriMesh surface{mesh.vertices * json["scale"].get<double>(), mesh.triangles};
      if (mesh.has_tets()) surface.triangles = boundary_triangles(mesh.tets);
      return ObstacleShape(MeshShape{std::make_shared<const SignedDistance>(surface)});
    });
  return PlaneShape{};
}

}  // namespace

std::vector<Obstacle> build_obstacles(const Json& json, const std::filesystem::path& folder) {
  std::vector<Obstacle> obstacles;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const Json& one = json[i];
    const std::string path = fmt::format("obstacles[{}]", i);
    Obstacle obstacle;
    obstacle.shape = build_shape(one, path, folder);
    obstacle.friction = one["friction"].get<double>();
    obstacle.restitution = one["restitution"].get<double>();
    obstacle.thickness = one["thickness"].get<double>();
    std::vector<Keyframe>& keyframes = obstacle.path.keyframes;
    keyframes = {{0, to_vector3(one["position"]), to_rotation(one["rotation"])}};
    if (!one["path"].empty()) keyframes.clear();
    for (const Json& key : one["path"])
      keyframes.push_back(
          {key["time"].get<double>(), to_vector3(key["position"]), to_rotation(key["rotation"])});
    with_context(path, [&] { check(obstacle); });
    obstacles.push_back(std::move(obstacle));
  }
  return obstacles;
}

}  // namespace pliant
