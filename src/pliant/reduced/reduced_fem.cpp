#include "pliant/reduced/reduced_fem.h"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr const char* format = "pliant-reduced-fem";
constexpr int version = 1;

void require(bool good, const std::string& what) {
  if (!good) throw InputError("reduced_fem: " + what);
}

template <class Ids>
bool within(const Ids& ids, Index count) {
  return std::all_of(ids.begin(), ids.end(), [&](int id) { return id >= 0 && id < count; });
}

template <class Matrix>
std::span<const int> entries(const Matrix& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

bool ascending(const std::vector<int>& ids) {
  return std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end();
}

}  // namespace

double elastic_energy(const ReducedFem& m, const VectorXd& q, ReducedForceWorkspace& work) {
  return m.polynomial ? m.polynomial->energy(q, work.polynomial) : m.elements.energy(q, work.elements);
}

double elastic_force(const ReducedFem& m, const VectorXd& q, VectorXd& force, ReducedForceWorkspace& work) {
  return m.polynomial ? m.polynomial->force(q, force, work.polynomial)
                      : m.elements.force(q, force, work.elements);
}

double elastic_stiffness(const ReducedFem& m, const VectorXd& q, MatrixXd& K, VectorXd& force,
                         ReducedForceWorkspace& work, Projection projection) {
  return m.polynomial ? m.polynomial->stiffness(q, K, force, work.polynomial, projection)
                      : m.elements.stiffness(q, K, force, work.elements, projection);
}

void positions(const ReducedFem& model, const VectorXd& q, Points& out) {
  out.resize(model.vertex_count(), 3);
  Eigen::Map<VectorXd> stacked(out.data(), out.size());
  const Eigen::VectorXf single = q.cast<float>();
  parallel_for_chunks(model.vertex_count(), 2048, [&](Index begin, Index end) {
    stacked.segment(3 * begin, 3 * (end - begin)) =
        (model.U.middleRows(3 * begin, 3 * (end - begin)) * single).cast<double>();
  });
  out += model.rest_positions;
}

Points positions(const ReducedFem& model, const VectorXd& q) {
  if (q.size() != model.dimension())
    throw InputError(
        fmt::format("positions: {} coordinates; expected {}, as the model has", q.size(), model.dimension()));
  Points out;
  positions(model, q, out);
  return out;
}

MeshData shown(const ReducedFem& model, const Points& positions) {
  if (positions.rows() != model.vertex_count())
    throw InputError(fmt::format("shown: positions of {} vertices; expected {}, as the model has",
                                 positions.rows(), model.vertex_count()));
  if (model.carried)
    return {model.carried->embedding.positions(positions), model.carried->mesh.triangles, Tets(0, 4)};
  if (model.tets.rows() > 0) return {positions, Triangles(0, 3), model.tets};
  return {positions, model.triangles, Tets(0, 4)};
}

void check(const ReducedFem& m) {
  const Index n = m.vertex_count(), d = m.dimension();
  require(n > 0 && d > 0, fmt::format("{} vertices and {} coordinates; expected some", n, d));
  require(m.U.rows() == 3 * n,
          fmt::format("a subspace of {} rows for {} vertices; expected three each", m.U.rows(), n));
  const Index of_forces = m.polynomial ? m.polynomial->dimension() : m.elements.dimension();
  require(m.eigenvalues.size() == d && of_forces == d,
          fmt::format("{} eigenvalues and forces of {} coordinates; expected {} of both",
                      m.eigenvalues.size(), of_forces, d));
  require(m.masses.size() == n && m.local_stiffness.size() == n,
          fmt::format("{} masses and {} local stiffnesses; expected {} of both", m.masses.size(),
                      m.local_stiffness.size(), n));
  require(m.rest_positions.allFinite() && m.U.allFinite() && m.eigenvalues.allFinite() &&
              m.masses.allFinite() && m.local_stiffness.allFinite(),
          "a number is not finite; expected finite ones");
  require(m.masses.minCoeff() > 0 && m.local_stiffness.minCoeff() >= 0,
          "a vertex without mass or with negative stiffness; expected positive numbers");
  require(m.damping.mass >= 0 && m.damping.stiffness >= 0, "negative damping; expected 0 or more");
  require(within(entries(m.tets), n) && within(entries(m.triangles), n) && within(m.fixed, n) &&
              within(m.contact_vertices, n),
          fmt::format("a vertex id outside of 0 to {}", n - 1));
  if (m.carried) {
    const Index points = m.carried->mesh.vertex_count();
    const Embedding& e = m.carried->embedding;
    require(e.tets.size() == points && e.vertices.rows() == points && e.weights.rows() == points &&
                e.distance.size() == points && e.vertex_count == n,
            fmt::format("a carried surface of {} points whose embedding has another size", points));
    require(within(entries(m.carried->mesh.triangles), points) && within(entries(e.vertices), n) &&
                within(entries(e.tets), m.tets.rows()) && e.weights.allFinite() &&
                m.carried->mesh.vertices.allFinite(),
            "a carried surface with an id or a number that is out of range");
  }
  require(ascending(m.fixed) && ascending(m.contact_vertices),
          "fixed or contact vertices are not in order; expected ascending ids, each once");
}

void write_reduced_fem(const ReducedFem& m, const std::filesystem::path& file) {
  check(m);
  SafetensorsWriter writer;
  writer.set_format(format, version);
  writer.set_metadata("method", "reduced_fem");
  writer.set_metadata("basis", m.basis);
  writer.set_metadata("units", "metres, kilograms, seconds");
  for (const auto& [name, value] : m.measured)
    writer.set_metadata("measured." + name, fmt::format("{:.17g}", value));
  writer.add("rest_positions", m.rest_positions);
  writer.add("tets", m.tets);
  writer.add("triangles", m.triangles);
  writer.add_view("U", std::span<const float>(m.U.data(), static_cast<std::size_t>(m.U.size())),
                  {m.U.rows(), m.U.cols()});
  writer.add("eigenvalues", m.eigenvalues);
  writer.add("damping", Eigen::Vector2d(m.damping.mass, m.damping.stiffness));
  writer.add("masses", m.masses);
  writer.add("local_stiffness", m.local_stiffness);
  writer.add("fixed", m.fixed);
  writer.add("contact_vertices", m.contact_vertices);
  if (m.carried) {
    writer.add("carried.vertices", m.carried->mesh.vertices);
    writer.add("carried.triangles", m.carried->mesh.triangles);
    writer.add("carried.tets", m.carried->embedding.tets);
    writer.add("carried.corners", m.carried->embedding.vertices);
    writer.add("carried.weights", m.carried->embedding.weights);
    writer.add("carried.distance", m.carried->embedding.distance);
  }
  if (m.polynomial) {
    writer.add("polynomial", m.polynomial->coefficients());
    writer.write(file);
    return;
  }
  const ElementArrays arrays = m.elements.elements().arrays();
  writer.add("elements.ids", arrays.elements);
  writer.add("elements.kinds", arrays.kinds);
  writer.add("elements.parameters", arrays.parameters);
  writer.add("elements.rest", arrays.rest);
  writer.add("elements.weights", m.elements.weights());
  writer.add("elements.gradients", m.elements.gradients());
  writer.write(file);
}

ReducedFem read_reduced_fem(const SafetensorsFile& file) {
  file.format_version(format, version);
  ReducedFem m;
  m.basis = file.metadata("basis");
  constexpr std::string_view prefix = "measured.";
  for (const auto& [key, value] : file.metadata())
    if (key.starts_with(prefix)) m.measured[key.substr(prefix.size())] = std::strtod(value.c_str(), nullptr);
  m.rest_positions = file.matrix<double>("rest_positions", 3);
  m.tets = file.matrix<int>("tets", 4);
  m.triangles = file.matrix<int>("triangles", 3);
  m.U = file.matrix<float>("U");
  m.eigenvalues = file.matrix<double>("eigenvalues", 1);
  const auto damping = file.values<double>("damping");
  require(damping.size() == 2, "damping has not two numbers");
  m.damping = {.mass = damping[0], .stiffness = damping[1]};
  m.masses = file.matrix<double>("masses", 1);
  m.local_stiffness = file.matrix<double>("local_stiffness", 1);
  const auto list = [&](const char* name) {
    const auto ids = file.values<int>(name);
    return std::vector<int>(ids.begin(), ids.end());
  };
  m.fixed = list("fixed");
  m.contact_vertices = list("contact_vertices");
  if (file.has("carried.vertices"))
    m.carried =
        CarriedSurface{{file.matrix<double>("carried.vertices", 3), file.matrix<int>("carried.triangles", 3)},
                       {.tets = file.matrix<int>("carried.tets", 1),
                        .vertices = file.matrix<int>("carried.corners", 4),
                        .weights = file.matrix<double>("carried.weights", 4),
                        .distance = file.matrix<double>("carried.distance", 1),
                        .vertex_count = m.vertex_count()}};
  if (file.has("polynomial")) {
    m.polynomial.emplace(m.dimension(), file.matrix<double>("polynomial", 1));
    check(m);
    return m;
  }
  const ElementArrays arrays{.elements = file.matrix<int>("elements.ids", 1),
                             .kinds = file.matrix<int>("elements.kinds", 1),
                             .parameters = file.matrix<double>("elements.parameters"),
                             .rest = file.matrix<double>("elements.rest")};
  m.elements = ReducedElements(ElementSet(arrays), file.matrix<double>("elements.weights", 1),
                               file.matrix<float>("elements.gradients"));
  check(m);
  return m;
}

ReducedFem read_reduced_fem(const std::filesystem::path& file) {
  return read_reduced_fem(SafetensorsFile(file));
}

}  // namespace pliant
