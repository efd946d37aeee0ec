#include "pliant/reduced/reduced_fem.h"

#include <fmt/format.h>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr const char* who = "reduced_fem";
constexpr int version = 1;

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

void check(const ReducedFem& m) {
  check(m, m.rest_positions, who);
  const Index n = m.vertex_count(), d = m.dimension();
  require(d > 0, who, "no coordinates; expected some");
  require(m.U.rows() == 3 * n, who,
          fmt::format("a subspace of {} rows for {} vertices; expected three each", m.U.rows(), n));
  const Index of_forces = m.polynomial ? m.polynomial->dimension() : m.elements.dimension();
  require(m.eigenvalues.size() == d && of_forces == d, who,
          fmt::format("{} eigenvalues and forces of {} coordinates; expected {} of both",
                      m.eigenvalues.size(), of_forces, d));
  require(m.U.allFinite() && m.eigenvalues.allFinite(), who, "a number is not finite; expected finite ones");
  require(m.damping.mass >= 0 && m.damping.stiffness >= 0, who, "negative damping; expected 0 or more");
}

void write_reduced_fem(const ReducedFem& m, const std::filesystem::path& file) {
  check(m);
  SafetensorsWriter writer;
  writer.set_format(reduced_fem_format, version);
  writer.set_metadata("method", who);
  writer.set_metadata("basis", m.basis);
  write_body(m, m.rest_positions, writer);
  writer.add_view("U", std::span<const float>(m.U.data(), static_cast<std::size_t>(m.U.size())),
                  {m.U.rows(), m.U.cols()});
  writer.add("eigenvalues", m.eigenvalues);
  writer.add("damping", Eigen::Vector2d(m.damping.mass, m.damping.stiffness));
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

namespace {

ReducedFem read_unchecked(const SafetensorsFile& file) {
  ReducedFem m;
  m.basis = file.metadata("basis");
  read_body(file, m, m.rest_positions);
  m.U = file.matrix<float>("U");
  m.eigenvalues = file.matrix<double>("eigenvalues", 1);
  const auto damping = file.values<double>("damping");
  require(damping.size() == 2, who, "damping has not two numbers");
  m.damping = {.mass = damping[0], .stiffness = damping[1]};
  if (file.has("polynomial")) {
    m.polynomial.emplace(m.dimension(), file.matrix<double>("polynomial", 1));
    return m;
  }
  const ElementArrays arrays{.elements = file.matrix<int>("elements.ids", 1),
                             .kinds = file.matrix<int>("elements.kinds", 1),
                             .parameters = file.matrix<double>("elements.parameters"),
                             .rest = file.matrix<double>("elements.rest")};
  m.elements = ReducedElements(ElementSet(arrays), file.matrix<double>("elements.weights", 1),
                               file.matrix<float>("elements.gradients"));
  return m;
}

}  // namespace

ReducedFem read_reduced_fem(const SafetensorsFile& file) {
  file.format_version(reduced_fem_format, version);
  ReducedFem m = read_unchecked(file);
  with_context(file.name(), [&] { check(m); });
  return m;
}

ReducedFem read_reduced_fem(const std::filesystem::path& file) {
  return read_reduced_fem(SafetensorsFile(file));
}

}  // namespace pliant
