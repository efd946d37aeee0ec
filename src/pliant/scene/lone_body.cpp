#include "pliant/scene/lone_body.h"

#include "pliant/geometry/measures.h"
#include "pliant/io/mesh_file.h"

namespace pliant {
namespace {

void put_floor(SceneBody& body) {
  const auto heights = body.rest_positions.col(1);
  const double low = heights.minCoeff(), fall = 0.3 * (heights.maxCoeff() - low);
  body.simulator->set_obstacles({Obstacle{.path = {{Keyframe{.position = Vector3d(0, low - fall, 0)}}}}});
}

}  // namespace

double size_free_young(const Points& vertices, double density) {
  // A column of height H sags by ρ g H² / (2 E): this is 5 % of H.
  const BoundingBox box = bounding_box(vertices);
  const double young = 10 * density * 9.81 * (box.high.y() - box.low.y());
  return young > 0 ? young : 1e5;  // what is wrong with the mesh or the density is told later
}

Json lone_body_words(const std::string& input, const std::filesystem::path& folder, int tets) {
  const std::filesystem::path path(input);
  if (path.extension() == ".pliant") return {{"model", input}};
  constexpr double density = 1000, poisson = 0.4;
  Json body = {{"density", density}, {"simulator", {{"kind", "hrpd"}}}};
  double young = 1e5;
  if (path.has_extension() || std::filesystem::exists(folder / path)) {
    body["mesh"] = input, body["tets"] = tets;
    young = size_free_young(read_mesh(folder / path).vertices, density);
  } else {
    body["shape"] = {{"name", input}, {"tets", tets}};
  }
  body["material"] = {{"kind", "neo_hookean"}, {"young", young}, {"poisson", poisson}};
  return body;
}

Scene lone_scene(const Json& body_words, const std::filesystem::path& folder, bool floor,
                 const Progress& progress) {
  const Json words = {{"bodies", Json::array({body_words})}};
  Scene scene = Scene::from_text(words.dump(), folder, progress);
  SceneBody& body = scene.bodies().front();
  if (floor && body.simulator->fixed().empty()) put_floor(body);
  return scene;
}

}  // namespace pliant
