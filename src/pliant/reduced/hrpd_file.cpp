#include "pliant/reduced/hrpd_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "pliant/base/error.h"

namespace pliant {
namespace {

constexpr const char* who = "hrpd";
constexpr int version = 2;  // 2: samples may have weights

/// Beginnings of lists that lie one after the other: `count` of them, `entries` in all.
bool are_beginnings(const std::vector<int>& first, Index count, std::size_t entries) {
  return static_cast<Index>(first.size()) == count + 1 && first.front() == 0 &&
         static_cast<std::size_t>(first.back()) == entries && std::is_sorted(first.begin(), first.end());
}

/// Of the lists of handles: each ascending, each handle once.
bool ascending_in_lists(const std::vector<int>& first, const std::vector<int>& handle) {
  for (std::size_t i = 0; i + 1 < first.size(); ++i)
    if (std::adjacent_find(handle.begin() + first[i], handle.begin() + first[i + 1],
                           std::greater_equal<>()) != handle.begin() + first[i + 1])
      return false;
  return true;
}

void check_size(const MatrixXd& m, const std::string& what, Index rows, Index columns) {
  require(m.rows() == rows && m.cols() == columns, who,
          fmt::format("{} is {} x {}; expected {} x {}", what, m.rows(), m.cols(), rows, columns));
  require(m.allFinite(), who, fmt::format("{} has a number that is not finite", what));
}

void check_basis(const SkinningBasis& basis) {
  const HandleWeights& w = basis.weights;
  const Index n = basis.vertex_count(), k = w.count();
  require(k > 0, who, "no handles; expected some");
  require(all_within(w.handles, n), who, fmt::format("a handle outside of the vertices 0 to {}", n - 1));
  require(std::isfinite(w.radius) && w.radius > 0, who,
          fmt::format("the radius of weights is {}; expected a positive number", w.radius));
  require(w.weight.size() == w.handle.size() && are_beginnings(w.first, n, w.handle.size()), who,
          "lists of weights that do not fit the vertices; expected one list a vertex");
  require(all_within(w.handle, k) && ascending_in_lists(w.first, w.handle), who,
          fmt::format("weights of a handle outside of 0 to {}, or of one twice", k - 1));
  require(std::all_of(w.weight.begin(), w.weight.end(), [](double x) { return std::isfinite(x); }), who,
          "a weight is not finite");
  check_size(basis.centers, "centers", k, 3);
  if (basis.given.cols() > 0)
    check_size(MatrixXd(basis.given), "columns", 4, static_cast<Index>(w.handle.size()));
  require(static_cast<Index>(basis.dropped.size()) == 4 * k, who,
          fmt::format("{} marks of dropped columns; expected {}", basis.dropped.size(), 4 * k));
}

void check_kind(const ReducedConstraints& kind, Index handles, Index vertices) {
  const SampledConstraints& s = kind.samples;
  const std::string name_of_kind(name(s.kind));
  const auto check_part = [&](const MatrixXd& m, const char* what, Index rows, Index columns) {
    check_size(m, name_of_kind + "." + what, rows, columns);
  };
  const ProjectiveShape shape = shape_of(s.kind);
  const Index count = s.size(), lines = line_count(s.kind), d = s.dimension(), columns = 4 * handles;
  require(
      count > 0 && (d > 0) != s.weighted(), who,
      fmt::format(
          "{}: {} samples, {} fitted dimensions and {} weights; expected samples with weights or with a fit",
          name_of_kind, count, d, s.weights.size()));
  if (s.weighted()) {
    check_part(s.weights, "weights", count, 1);
    check_part(s.lambdas, "lambdas", count, 1);
    require(s.weights.minCoeff() >= 0 && s.lambdas.minCoeff() >= 0, who,
            name_of_kind + ": a negative weight; expected zero or more");
  }
  require(are_beginnings(s.first, count, s.handle.size()), who,
          name_of_kind + ": lists of coefficients that do not fit the samples");
  require(all_within(s.handle, handles) && ascending_in_lists(s.first, s.handle), who,
          fmt::format("{}: coefficients of a handle outside of 0 to {}, or of one twice", name_of_kind,
                      handles - 1));
  check_part(s.parameters, "parameters", shape.parameters, count);
  check_part(s.rest_lines, "rest_lines", 3 * lines, count);
  check_part(s.rest_projections, "rest_projections", shape.outputs, count);
  check_part(s.coefficients, "coefficients", 4 * lines, static_cast<Index>(s.handle.size()));
  check_part(s.fit, "fit", d, s.rows * count);
  require(
      s.corners.rows() == 0 || s.corners.rows() == count, who,
      fmt::format("{}: corners of {} samples; expected {}, or none", name_of_kind, s.corners.rows(), count));
  require(s.corners.size() == 0 || (s.corners.minCoeff() >= -1 && s.corners.maxCoeff() < vertices &&
                                    s.corners.col(0).minCoeff() >= 0),
          who, fmt::format("{}: a corner outside of the vertices 0 to {}", name_of_kind, vertices - 1));
  check_part(kind.map, "map", columns, s.width / 3 * d);
  check_part(kind.metric, "metric", d, 1);
  check_part(kind.stiffness, "stiffness", columns, columns);
  check_part(kind.rest_force, "rest_force", columns, 3);
}

/// One constraint after the other, as they are.
void check_group(const ProjectiveGroup& group, Index vertices) {
  const std::string group_name = "all." + std::string(name(group.kind));
  const ProjectiveShape shape = shape_of(group.kind);
  const bool bending = group.kind == ProjectiveKind::bending;
  const Index count = group.size();
  require(count >= 0 && are_beginnings(group.first, count, group.vertices.size()), who,
          group_name + ": lists of vertices that do not fit the constraints");
  require(all_within(group.vertices, vertices), who,
          fmt::format("{}: a vertex id outside of 0 to {}", group_name, vertices - 1));
  if (count > 0) check_size(group.parameters, group_name + ".parameters", shape.parameters, count);
  for (std::size_t c = 0; c + 1 < group.first.size(); ++c) {
    const int corners = group.first[c + 1] - group.first[c];
    require(bending ? corners >= 2 : corners == shape.vertices, who,
            fmt::format("{}: a constraint of {} vertices", group_name, corners));
  }
  require(!bending || (group.weights.size() == group.vertices.size() &&
                       static_cast<Index>(group.sides.size()) == count),
          who, group_name + ": weights or sides that do not fit the constraints");
  require(std::all_of(group.weights.begin(), group.weights.end(), [](double w) { return std::isfinite(w); }),
          who, group_name + ": a weight is not finite");
  for (const auto& side : group.sides)
    require(all_within(side, vertices), who, group_name + ": the side of a vertex that is not there");
}

}  // namespace

void check(const HrpdModel& m) {
  check(m, m.basis.rest, who);
  check_basis(m.basis);
  check_size(m.mass, "mass", m.columns(), m.columns());
  require(m.degrees_of_freedom() > 0, who, "every column is dropped; expected some that move");
  require(!m.kinds.empty(), who, "no constraints; expected some");
  for (const ReducedConstraints& kind : m.kinds) {
    if (m.all)
      check_size(kind.stiffness, std::string(name(kind.samples.kind)) + ".stiffness", m.columns(),
                 m.columns());
    else
      check_kind(kind, m.basis.weights.count(), m.vertex_count());
  }
  if (m.all)
    for (const ProjectiveGroup& group : m.all->groups) check_group(group, m.vertex_count());
  require(m.iterations >= 1 && m.iterations <= 10000, who,
          fmt::format("{} iterations; expected 1 to 10000", m.iterations));
}

namespace {

void write_group(const ProjectiveGroup& group, SafetensorsWriter& writer) {
  const std::string prefix = "all." + std::string(name(group.kind)) + ".";
  writer.add(prefix + "parameters", group.parameters);
  writer.add(prefix + "vertices", group.vertices);
  writer.add(prefix + "first", group.first);
  if (group.kind != ProjectiveKind::bending) return;
  writer.add(prefix + "weights", group.weights);
  std::vector<int> sides;
  for (const auto& side : group.sides) sides.insert(sides.end(), side.begin(), side.end());
  writer.add(prefix + "sides", sides, {static_cast<Index>(group.sides.size()), 3});
}

void read_group(const SafetensorsFile& file, ProjectiveGroup& group) {
  const std::string prefix = "all." + std::string(name(group.kind)) + ".";
  group.parameters = file.matrix<double>(prefix + "parameters");
  group.vertices = read_ids(file, prefix + "vertices");
  group.first = read_ids(file, prefix + "first");
  if (group.kind != ProjectiveKind::bending) return;
  const auto weights = file.values<double>(prefix + "weights");
  group.weights.assign(weights.begin(), weights.end());
  const auto sides = file.matrix<int>(prefix + "sides", 3);
  for (Index i = 0; i < sides.rows(); ++i) group.sides.push_back({sides(i, 0), sides(i, 1), sides(i, 2)});
}

}  // namespace

void write_hrpd(const HrpdModel& m, const std::filesystem::path& file) {
  check(m);
  SafetensorsWriter writer;
  writer.set_format(hrpd_format, version);
  writer.set_metadata("method", who);
  writer.set_metadata("iterations", std::to_string(m.iterations));
  write_body(m, m.basis.rest, writer);

  const HandleWeights& w = m.basis.weights;
  writer.add("handles", w.handles);
  writer.add("handles.centers", m.basis.centers);
  writer.add("handles.dropped", std::vector<std::int8_t>(m.basis.dropped.begin(), m.basis.dropped.end()));
  writer.add("weights.radius", std::vector<double>{w.radius});
  writer.add("weights.first", w.first);
  writer.add("weights.handle", w.handle);
  writer.add_view("weights.weight", std::span<const double>(w.weight));
  if (m.basis.given.cols() > 0) writer.add("weights.columns", m.basis.given);
  writer.add("mass", m.mass);
  for (const ReducedConstraints& kind : m.kinds) {
    const SampledConstraints& s = kind.samples;
    const std::string prefix = std::string(name(s.kind)) + ".";
    writer.add(prefix + "stiffness", kind.stiffness);
    if (m.all) {
      write_group(m.all->group(s.kind), writer);
      continue;
    }
    writer.add(prefix + "parameters", s.parameters);
    writer.add(prefix + "rest_lines", s.rest_lines);
    writer.add(prefix + "rest_projections", s.rest_projections);
    writer.add(prefix + "first", s.first);
    writer.add(prefix + "handle", s.handle);
    writer.add(prefix + "coefficients", s.coefficients);
    if (s.weighted()) {
      writer.add(prefix + "weights", s.weights);
      writer.add(prefix + "lambdas", s.lambdas);
    } else {
      writer.add(prefix + "fit", s.fit);
      writer.add(prefix + "map", kind.map);
      writer.add(prefix + "metric", kind.metric);
    }
    if (s.corners.rows() > 0) writer.add(prefix + "corners", s.corners);
    writer.add(prefix + "rest_force", kind.rest_force);
  }
  writer.write(file);
}

namespace {

HrpdModel read_unchecked(const SafetensorsFile& file) {
  HrpdModel m;
  const std::string& iterations = file.metadata("iterations");
  m.iterations = 0;
  std::from_chars(iterations.data(), iterations.data() + iterations.size(), m.iterations);
  read_body(file, m, m.basis.rest);

  HandleWeights& w = m.basis.weights;
  w.handles = read_ids(file, "handles");
  m.basis.centers = file.matrix<double>("handles.centers", 3);
  const auto dropped = file.values<std::int8_t>("handles.dropped");
  m.basis.dropped.assign(dropped.begin(), dropped.end());
  const auto radius = file.values<double>("weights.radius");
  require(radius.size() == 1, who, "weights.radius is not one number");
  w.radius = radius[0];
  w.first = read_ids(file, "weights.first");
  w.handle = read_ids(file, "weights.handle");
  const auto weight = file.values<double>("weights.weight");
  w.weight.assign(weight.begin(), weight.end());
  if (file.has("weights.columns")) {
    const auto given = file.matrix<double>("weights.columns");
    require(given.rows() == 4, who, fmt::format("columns have {} rows; expected 4", given.rows()));
    m.basis.given = given;
  }
  m.mass = file.matrix<double>("mass");
  std::shared_ptr<ProjectiveConstraints> all;
  for (int k = 0; k < projective_kinds; ++k) {
    const std::string prefix = std::string(name(static_cast<ProjectiveKind>(k))) + ".";
    if (!file.has(prefix + "stiffness")) continue;
    ReducedConstraints kind;
    SampledConstraints& s = kind.samples;
    s.kind = static_cast<ProjectiveKind>(k);
    kind.stiffness = file.matrix<double>(prefix + "stiffness");
    m.can_change_volume = m.can_change_volume || s.kind == ProjectiveKind::tet_volume;
    if (file.has("all." + prefix + "first")) {
      if (!all) all = std::make_shared<ProjectiveConstraints>(m.basis.rest);
      read_group(file, all->group(s.kind));
      m.kinds.push_back(std::move(kind));
      continue;
    }
    const bool tets = shape_of(s.kind).vertices == 4;
    s.rows = tets ? 1 : shape_of(s.kind).outputs / 3, s.width = tets ? 9 : 3;
    s.parameters = file.matrix<double>(prefix + "parameters");
    s.rest_lines = file.matrix<double>(prefix + "rest_lines");
    s.rest_projections = file.matrix<double>(prefix + "rest_projections");
    s.first = read_ids(file, prefix + "first");
    s.handle = read_ids(file, prefix + "handle");
    s.coefficients = file.matrix<double>(prefix + "coefficients");
    if (file.has(prefix + "weights")) {
      s.weights = file.matrix<double>(prefix + "weights", 1);
      s.lambdas = file.matrix<double>(prefix + "lambdas", 1);
      s.fit.resize(0, s.rows * s.size());
      kind.map.resize(m.mass.rows(), 0);
      kind.metric.resize(0);
    } else {
      s.fit = file.matrix<double>(prefix + "fit");
      kind.map = file.matrix<double>(prefix + "map");
      kind.metric = file.matrix<double>(prefix + "metric", 1);
    }
    if (file.has(prefix + "corners")) s.corners = file.matrix<int>(prefix + "corners", 4);
    kind.rest_force = file.matrix<double>(prefix + "rest_force", 3);
    m.kinds.push_back(std::move(kind));
  }
  m.all = std::move(all);
  return m;
}

}  // namespace

HrpdModel read_hrpd(const SafetensorsFile& file) {
  file.format_version(hrpd_format, version);
  HrpdModel m = read_unchecked(file);
  with_context(file.name(), [&] { check(m); });
  return m;
}

HrpdModel read_hrpd(const std::filesystem::path& file) { return read_hrpd(SafetensorsFile(file)); }

}  // namespace pliant
