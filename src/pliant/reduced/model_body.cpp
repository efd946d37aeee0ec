#include "pliant/reduced/model_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "pliant/base/error.h"

namespace pliant {
namespace {

constexpr std::string_view measured_prefix = "measured.";

bool ascending(const std::vector<int>& ids) {
  return std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end();
}

}  // namespace

MeshData shown(const ModelBody& body, const Points& positions) {
  if (positions.rows() != body.vertex_count())
    throw InputError(fmt::format("shown: positions of {} vertices; expected {}, as the model has",
                                 positions.rows(), body.vertex_count()));
  if (body.carried)
    return {body.carried->embedding.positions(positions), body.carried->mesh.triangles, Tets(0, 4)};
  if (body.tets.rows() > 0) return {positions, Triangles(0, 3), body.tets};
  return {positions, body.triangles, Tets(0, 4)};
}

// === Checks

void require(bool good, std::string_view who, const std::string& what) {
  if (!good) throw InputError(fmt::format("{}: {}", who, what));
}

bool all_within(std::span<const int> ids, Index count) {
  return std::all_of(ids.begin(), ids.end(), [&](int id) { return id >= 0 && id < count; });
}

void check(const ModelBody& b, const Points& rest_positions, std::string_view who) {
  const Index n = rest_positions.rows();
  require(n > 0, who, "no vertices; expected some");
  require(b.masses.size() == n && b.local_stiffness.size() == n, who,
          fmt::format("{} masses and {} local stiffnesses; expected {} of both", b.masses.size(),
                      b.local_stiffness.size(), n));
  require(rest_positions.allFinite() && b.masses.allFinite() && b.local_stiffness.allFinite(), who,
          "a number is not finite; expected finite ones");
  require(b.masses.minCoeff() > 0 && b.local_stiffness.minCoeff() >= 0, who,
          "a vertex without mass or with negative stiffness; expected positive numbers");
  require(all_within(ids_of(b.tets), n) && all_within(ids_of(b.triangles), n) && all_within(b.fixed, n) &&
              all_within(b.contact_vertices, n),
          who, fmt::format("a vertex id outside of 0 to {}", n - 1));
  if (b.carried) {
    const Index points = b.carried->mesh.vertex_count();
    const Embedding& e = b.carried->embedding;
    require(e.tets.size() == points && e.vertices.rows() == points && e.weights.rows() == points &&
                e.distance.size() == points && e.vertex_count == n,
            who, fmt::format("a carried surface of {} points whose embedding has another size", points));
    require(all_within(ids_of(b.carried->mesh.triangles), points) && all_within(ids_of(e.vertices), n) &&
                all_within(ids_of(e.tets), b.tets.rows()) && e.weights.allFinite() &&
                b.carried->mesh.vertices.allFinite(),
            who, "a carried surface with an id or a number that is out of range");
  }
  require(ascending(b.fixed) && ascending(b.contact_vertices), who,
          "fixed or contact vertices are not in order; expected ascending ids, each once");
}

// === Files

void write_body(const ModelBody& b, const Points& rest_positions, SafetensorsWriter& writer) {
  writer.set_metadata("units", "metres, kilograms, seconds");
  for (const auto& [name, value] : b.measured)
    writer.set_metadata(std::string(measured_prefix) + name, fmt::format("{:.17g}", value));
  writer.add("rest_positions", rest_positions);
  writer.add("tets", b.tets);
  writer.add("triangles", b.triangles);
  writer.add("masses", b.masses);
  writer.add("local_stiffness", b.local_stiffness);
  writer.add("fixed", b.fixed);
  writer.add("contact_vertices", b.contact_vertices);
  if (b.carried) {
    writer.add("carried.vertices", b.carried->mesh.vertices);
    writer.add("carried.triangles", b.carried->mesh.triangles);
    writer.add("carried.tets", b.carried->embedding.tets);
    writer.add("carried.corners", b.carried->embedding.vertices);
    writer.add("carried.weights", b.carried->embedding.weights);
    writer.add("carried.distance", b.carried->embedding.distance);
  }
}

void read_body(const SafetensorsFile& file, ModelBody& b, Points& rest_positions) {
  for (const auto& [key, value] : file.metadata())
    if (key.starts_with(measured_prefix))
      b.measured[key.substr(measured_prefix.size())] = std::strtod(value.c_str(), nullptr);
  rest_positions = file.matrix<double>("rest_positions", 3);
  b.tets = file.matrix<int>("tets", 4);
  b.triangles = file.matrix<int>("triangles", 3);
  b.masses = file.matrix<double>("masses", 1);
  b.local_stiffness = file.matrix<double>("local_stiffness", 1);
  b.fixed = read_ids(file, "fixed");
  b.contact_vertices = read_ids(file, "contact_vertices");
  if (file.has("carried.vertices"))
    b.carried =
        CarriedSurface{{file.matrix<double>("carried.vertices", 3), file.matrix<int>("carried.triangles", 3)},
                       {.tets = file.matrix<int>("carried.tets", 1),
                        .vertices = file.matrix<int>("carried.corners", 4),
                        .weights = file.matrix<double>("carried.weights", 4),
                        .distance = file.matrix<double>("carried.distance", 1),
                        .vertex_count = rest_positions.rows()}};
}

std::vector<int> read_ids(const SafetensorsFile& file, const std::string& name) {
  const auto ids = file.values<int>(name);
  return {ids.begin(), ids.end()};
}

}  // namespace pliant
