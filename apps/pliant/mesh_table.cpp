#include "mesh_table.h"

#include <fmt/format.h>

namespace pliant::app {

MeshSummary summarize(const MeshData& mesh) {
  return mesh.has_tets() ? pliant::summarize(TetMesh{mesh.vertices, mesh.tets})
                         : pliant::summarize(TriMesh{mesh.vertices, mesh.triangles});
}

MeshData to_mesh_data(TetMesh mesh) {
  return {std::move(mesh.vertices), Triangles(0, 3), std::move(mesh.tets)};
}
MeshData to_mesh_data(TriMesh mesh) {
  return {std::move(mesh.vertices), std::move(mesh.triangles), Tets(0, 4)};
}

std::string with_commas(Index number) {
  std::string text = std::to_string(number);
  for (Index i = static_cast<Index>(text.size()) - 3; i > 0; i -= 3)
    text.insert(static_cast<std::size_t>(i), ",");
  return text;
}

std::string to_table(const std::string& title, const MeshSummary& summary) {
  const Vector3d size = summary.box.size();
  std::string text = title + "\n";
  const auto row = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", name, value);
  };
  row("vertices", with_commas(summary.vertices));
  if (summary.tets > 0) row("tets", with_commas(summary.tets));
  row("triangles", with_commas(summary.triangles) + (summary.tets > 0 ? " on the boundary"
                                                     : summary.closed ? ", closed"
                                                                      : ", open"));
  row("components", with_commas(summary.components));
  row("box", fmt::format("{:.4g} x {:.4g} x {:.4g} m, from ({:.4g}, {:.4g}, {:.4g})", size.x(), size.y(),
                         size.z(), summary.box.low.x(), summary.box.low.y(), summary.box.low.z()));
  row("area", fmt::format("{:.4g} m^2", summary.area));
  if (summary.tets > 0 || summary.closed) row("volume", fmt::format("{:.4g} m^3", summary.volume));
  row("mean edge", fmt::format("{:.4g} m", summary.mean_edge));
  row("angles", fmt::format("{:.1f} to {:.1f} degrees{}", summary.min_angle, summary.max_angle,
                            summary.tets > 0 ? " (dihedral)" : ""));
  return text;
}

Json to_json(const MeshSummary& summary) {
  const auto vector = [](const Vector3d& v) { return Json::array({v.x(), v.y(), v.z()}); };
  return {{"vertices", summary.vertices},
          {"triangles", summary.triangles},
          {"tets", summary.tets},
          {"components", summary.components},
          {"closed", summary.closed},
          {"box", {{"low", vector(summary.box.low)}, {"high", vector(summary.box.high)}}},
          {"area", summary.area},
          {"volume", summary.volume},
          {"mean_edge", summary.mean_edge},
          {"min_angle", summary.min_angle},
          {"max_angle", summary.max_angle}};
}

}  // namespace pliant::app
