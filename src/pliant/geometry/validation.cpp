#include "pliant/geometry/validation.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "pliant/geometry/adjacency.h"
#include "pliant/geometry/coincident_points.h"

namespace pliant {
namespace {

constexpr Index grain = 4096;

enum class State : std::uint8_t { good, inverted, out_of_range, not_finite, repeated, degenerate, duplicate };

// Triangles and tets alike: rows of ids, `corners` long.
struct Elements {
  const std::int32_t* ids;
  Index count;
  int corners;
  const char* name;

  std::int32_t id(Index e, int k) const { return ids[e * corners + k]; }
};
Elements view(const TetMesh& mesh) { return {mesh.tets.data(), mesh.tet_count(), 4, "tet"}; }
Elements view(const TriMesh& mesh) { return {mesh.triangles.data(), mesh.triangle_count(), 3, "triangle"}; }

void note(Finding& finding, Index id) {
  if (finding.count++ < 5) finding.examples.push_back(id);
}

// Volume or area relative to the element's size: edges are divided by their longest extent first, so that
// neither tiny nor huge coordinates under- or overflow. Below the rounding of its coordinates it is zero.
State shape_of(const Points& x, const Elements& elements, Index e) {
  std::array<Vector3d, 3> edge;
  const Vector3d origin = x.row(elements.id(e, 0));
  double extent = 0, far = origin.cwiseAbs().maxCoeff();
  for (int k = 1; k < elements.corners; ++k) {
    const Vector3d corner = x.row(elements.id(e, k));
    edge[static_cast<std::size_t>(k - 1)] = corner - origin;
    extent = std::max(extent, (corner - origin).cwiseAbs().maxCoeff());
    far = std::max(far, corner.cwiseAbs().maxCoeff());
  }
  if (!(extent > 0) || !std::isfinite(extent)) return State::degenerate;
  for (int k = 1; k < elements.corners; ++k) edge[static_cast<std::size_t>(k - 1)] /= extent;
  const double rounding = 1e-12 + 8 * std::numeric_limits<double>::epsilon() * (far / extent);
  const Vector3d normal = edge[0].cross(edge[1]);
  const double size = elements.corners == 3 ? normal.norm() : normal.dot(edge[2]);
  if (!(std::abs(size) > rounding)) return State::degenerate;
  return size > 0 ? State::good : State::inverted;
}

State state_of(const Points& x, const Elements& elements, Index e) {
  for (int k = 0; k < elements.corners; ++k)
    if (elements.id(e, k) < 0 || elements.id(e, k) >= x.rows()) return State::out_of_range;
  for (int k = 0; k < elements.corners; ++k)
    if (!x.row(elements.id(e, k)).allFinite()) return State::not_finite;
  for (int k = 0; k < elements.corners; ++k)
    for (int j = 0; j < k; ++j)
      if (elements.id(e, j) == elements.id(e, k)) return State::repeated;
  return shape_of(x, elements, e);
}

bool usable(State s) { return s == State::good || s == State::inverted; }

// Elements with the same vertices, whatever their order: sorted into buckets by lowest vertex, then compared
// within a bucket. `states` becomes duplicate for all but the first.
void mark_duplicates(const Points& x, const Elements& elements, std::vector<State>& states) {
  struct Key {
    std::array<std::int32_t, 4> ids;
    std::int32_t element;
    bool operator<(const Key& other) const {
      return ids != other.ids ? ids < other.ids : element < other.element;
    }
  };
  const auto key_of = [&](Index e) {
    constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
    Key key{{none, none, none, none}, static_cast<std::int32_t>(e)};
    for (int k = 0; k < elements.corners; ++k) key.ids[static_cast<std::size_t>(k)] = elements.id(e, k);
    for (const auto& [i, j] : {std::pair{0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 2}})  // a sorting network
      if (key.ids[static_cast<std::size_t>(j)] < key.ids[static_cast<std::size_t>(i)])
        std::swap(key.ids[static_cast<std::size_t>(i)], key.ids[static_cast<std::size_t>(j)]);
    return key;
  };
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(x.rows()) + 1, 0);
  for (Index e = 0; e < elements.count; ++e)
    if (usable(states[static_cast<std::size_t>(e)]))
      ++offsets[static_cast<std::size_t>(key_of(e).ids[0]) + 1];
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v) offsets[v + 1] += offsets[v];
  std::vector<Key> keys(static_cast<std::size_t>(offsets.back()));
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  for (Index e = 0; e < elements.count; ++e) {
    if (!usable(states[static_cast<std::size_t>(e)])) continue;
    const Key key = key_of(e);
    keys[static_cast<std::size_t>(next[static_cast<std::size_t>(key.ids[0])]++)] = key;
  }
  parallel_for(x.rows(), grain, [&](Index v) {
    Key* const begin = keys.data() + offsets[static_cast<std::size_t>(v)];
    Key* const end = keys.data() + offsets[static_cast<std::size_t>(v) + 1];
    std::sort(begin, end);
    for (Key* key = begin; key < end; ++key)
      if (key > begin && key->ids == (key - 1)->ids)
        states[static_cast<std::size_t>(key->element)] = State::duplicate;
  });
}

std::vector<State> classify(const Points& x, const Elements& elements) {
  std::vector<State> states(static_cast<std::size_t>(elements.count));
  parallel_for(elements.count, grain,
               [&](Index e) { states[static_cast<std::size_t>(e)] = state_of(x, elements, e); });
  mark_duplicates(x, elements, states);
  return states;
}

ValidationReport inspect(const Points& x, const Elements& elements) {
  ValidationReport report;
  report.element = elements.name;
  report.vertices = x.rows();
  report.elements = elements.count;

  const std::vector<State> states = classify(x, elements);
  for (Index e = 0; e < elements.count; ++e) {
    switch (states[static_cast<std::size_t>(e)]) {
      case State::good:
        break;
      case State::inverted:
        note(report.inverted, e);
        break;
      case State::out_of_range:
        note(report.out_of_range, e);
        break;
      case State::not_finite:
        note(report.on_not_finite, e);
        break;
      case State::repeated:
        note(report.repeated, e);
        break;
      case State::degenerate:
        note(report.degenerate, e);
        break;
      case State::duplicate:
        note(report.duplicate, e);
        break;
    }
  }

  std::vector<std::uint8_t> used(static_cast<std::size_t>(x.rows()), 0);
  for (Index i = 0; i < elements.count * elements.corners; ++i)
    if (elements.ids[i] >= 0 && elements.ids[i] < x.rows())
      used[static_cast<std::size_t>(elements.ids[i])] = 1;
  const std::vector<std::int32_t> first = first_at_same_place(x);
  for (Index v = 0; v < x.rows(); ++v) {
    if (!x.row(v).allFinite()) note(report.not_finite, v);
    if (!used[static_cast<std::size_t>(v)]) note(report.unreferenced, v);
    if (first[static_cast<std::size_t>(v)] != v) note(report.coincident, v);
  }
  return report;
}

// The elements that can be looked at: no ids out of range.
template <class Ids>
Ids within_range(const Ids& all, Index vertex_count) {
  Ids kept(all.rows(), all.cols());
  Index count = 0;
  for (Index e = 0; e < all.rows(); ++e)
    if (all.row(e).minCoeff() >= 0 && all.row(e).maxCoeff() < vertex_count) kept.row(count++) = all.row(e);
  kept.conservativeResize(count, Eigen::NoChange);
  return kept;
}

// Sides shared by s elements stand in the table s times.
template <class Ids>
void count_sides(const Ids& across, ValidationReport& report) {
  for (Index i = 0; i < across.size(); ++i) {
    report.boundary_sides += across.data()[i] == no_neighbor;
    report.non_manifold_sides += across.data()[i] == many_neighbors;
  }
}

template <class Mesh, class Ids>
Repaired<Mesh> repaired(const Mesh& mesh, const Ids& ids, Ids Mesh::*member, const RepairOptions& options) {
  Repaired<Mesh> result;
  Ids elements = ids;
  const Points& x = mesh.vertices;
  const auto corners = static_cast<int>(ids.cols());
  const Elements seen{elements.data(), elements.rows(), corners, corners == 4 ? "tet" : "triangle"};
  result.log.element = seen.name;
  const auto in_range = [&](std::int32_t v) { return v >= 0 && v < x.rows(); };

  // === Vertices at the same place become the first of them
  std::vector<std::int32_t> first(static_cast<std::size_t>(x.rows()));
  std::iota(first.begin(), first.end(), 0);
  if (options.merge_coincident) {
    first = first_at_same_place(x);
    for (Index v = 0; v < x.rows(); ++v)
      result.log.merged_vertices += first[static_cast<std::size_t>(v)] != v;
    for (Index i = 0; i < elements.size(); ++i)
      if (std::int32_t& v = elements.data()[i]; in_range(v)) v = first[static_cast<std::size_t>(v)];
  }

  // === Elements that can be used stay; inverted ones are turned round
  const std::vector<State> states = classify(x, seen);
  std::vector<Index> kept;
  for (Index e = 0; e < elements.rows(); ++e) {
    switch (states[static_cast<std::size_t>(e)]) {
      case State::out_of_range:
        ++result.log.dropped_out_of_range;
        break;
      case State::not_finite:
        ++result.log.dropped_not_finite;
        break;
      case State::repeated:
        ++result.log.dropped_repeated;
        break;
      case State::degenerate:
        ++result.log.dropped_degenerate;
        break;
      case State::duplicate:
        ++result.log.dropped_duplicate;
        break;
      case State::inverted:
        std::swap(elements(e, corners - 2), elements(e, corners - 1));
        ++result.log.flipped;
        [[fallthrough]];
      case State::good:
        kept.push_back(e);
    }
  }

  // === Vertices that are still used stay
  std::vector<std::uint8_t> used(static_cast<std::size_t>(x.rows()), 0);
  for (const Index e : kept)
    for (int k = 0; k < corners; ++k) used[static_cast<std::size_t>(elements(e, k))] = 1;
  result.vertex_map.setConstant(x.rows(), -1);
  int count = 0;
  for (Index v = 0; v < x.rows(); ++v)
    if (used[static_cast<std::size_t>(v)]) result.vertex_map[v] = count++;
  result.mesh.vertices.resize(count, 3);
  for (Index v = 0; v < x.rows(); ++v) {
    if (result.vertex_map[v] >= 0) result.mesh.vertices.row(result.vertex_map[v]) = x.row(v);
    const std::int32_t stands_for = first[static_cast<std::size_t>(v)];
    if (stands_for != v) {
      result.vertex_map[v] = result.vertex_map[stands_for];
    } else if (result.vertex_map[v] < 0) {
      ++result.log.removed_vertices;
    }
  }

  Ids& target = result.mesh.*member;
  target.resize(static_cast<Index>(kept.size()), corners);
  result.element_source.resize(target.rows());
  for (Index i = 0; i < target.rows(); ++i) {
    const Index e = kept[static_cast<std::size_t>(i)];
    result.element_source[i] = static_cast<int>(e);
    for (int k = 0; k < corners; ++k) target(i, k) = result.vertex_map[elements(e, k)];
  }
  return result;
}

std::string counted(Index count, const std::string& singular, const std::string& plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

}  // namespace

bool ValidationReport::ok() const {
  return not_finite.count + unreferenced.count + out_of_range.count + on_not_finite.count + repeated.count +
             degenerate.count + inverted.count + duplicate.count ==
         0;
}

ValidationReport validate(const TetMesh& mesh) {
  ValidationReport report = inspect(mesh.vertices, view(mesh));
  count_sides(tet_neighbors(within_range(mesh.tets, mesh.vertex_count()), mesh.vertex_count()), report);
  return report;
}

ValidationReport validate(const TriMesh& mesh) {
  ValidationReport report = inspect(mesh.vertices, view(mesh));
  const Triangles triangles = within_range(mesh.triangles, mesh.vertex_count());
  const Triangles across = triangle_neighbors(triangles, mesh.vertex_count());
  count_sides(across, report);
  // Two triangles that face the same way run along their edge in opposite directions.
  for (Index t = 0; t < triangles.rows(); ++t)
    for (int i = 0; i < 3; ++i) {
      const std::int32_t other = across(t, i);
      if (other <= t) continue;
      for (int j = 0; j < 3; ++j)
        report.turned_edges += triangles(other, j) == triangles(t, (i + 1) % 3) &&
                               triangles(other, (j + 1) % 3) == triangles(t, (i + 2) % 3);
    }
  return report;
}

std::string to_text(const ValidationReport& report) {
  const std::string& one = report.element;
  const std::string many = one + "s";
  std::string text =
      fmt::format("{}, {}: {}\n", counted(report.vertices, "vertex", "vertices"),
                  counted(report.elements, one, many), report.ok() ? "no problems" : "problems");
  const auto line = [&](const Finding& finding, const std::string& singular, const std::string& plural) {
    if (finding.count == 0) return;
    text += fmt::format("  {}: {}{}\n", counted(finding.count, singular, plural),
                        fmt::join(finding.examples, ", "),
                        finding.count > static_cast<Index>(finding.examples.size()) ? ", ..." : "");
  };
  const auto tally = [&](Index count, const std::string& singular, const std::string& plural) {
    if (count > 0) text += fmt::format("  {} (for information)\n", counted(count, singular, plural));
  };
  line(report.not_finite, "vertex is not finite", "vertices are not finite");
  line(report.unreferenced, "vertex belongs to no " + one, "vertices belong to no " + one);
  line(report.out_of_range, one + " names a vertex that does not exist",
       many + " name a vertex that does not exist");
  line(report.on_not_finite, one + " has a vertex that is not finite",
       many + " have a vertex that is not finite");
  line(report.repeated, one + " names a vertex twice", many + " name a vertex twice");
  const std::string size = one == "tet" ? "volume" : "area";
  line(report.degenerate, one + " has no " + size, many + " have no " + size);
  line(report.inverted, one + " is inverted", many + " are inverted");
  line(report.duplicate, one + " repeats an earlier one", many + " repeat an earlier one");
  line(report.coincident, "vertex lies where an earlier one is (for information)",
       "vertices lie where an earlier one is (for information)");
  const std::string side = one == "tet" ? "face" : "edge";
  tally(report.boundary_sides, "boundary " + side, "boundary " + side + "s");
  const std::string crowded = "sides of " + many + " meet in " + side + "s of more than two";
  tally(report.non_manifold_sides, crowded, crowded);
  tally(report.turned_edges, "edge between triangles that face opposite ways",
        "edges between triangles that face opposite ways");
  return text;
}

bool RepairLog::changed() const {
  return dropped_out_of_range + dropped_not_finite + dropped_repeated + dropped_degenerate +
             dropped_duplicate + flipped + merged_vertices + removed_vertices >
         0;
}

std::string to_text(const RepairLog& log) {
  if (!log.changed()) return "nothing to repair\n";
  const std::string& one = log.element;
  const std::string many = one + "s";
  std::string text;
  const auto line = [&](const char* verb, Index count, const std::string& singular, const std::string& plural,
                        const std::string& rest) {
    if (count > 0) text += fmt::format("{} {}{}\n", verb, counted(count, singular, plural), rest);
  };
  line("dropped", log.dropped_out_of_range, one, many, " that named a vertex which does not exist");
  line("dropped", log.dropped_not_finite, one, many, " at a vertex that is not finite");
  line("dropped", log.dropped_repeated, one, many, " that named a vertex twice");
  line("dropped", log.dropped_degenerate, one, many, one == "tet" ? " without volume" : " without area");
  line("dropped", log.dropped_duplicate, one, many, " that repeated an earlier one");
  line("turned round", log.flipped, "inverted " + one, "inverted " + many, "");
  line("merged", log.merged_vertices, "vertex", "vertices", " into an earlier one at the same place");
  line("removed", log.removed_vertices, "vertex", "vertices", " that nothing uses");
  return text;
}

Repaired<TetMesh> repair(const TetMesh& mesh, const RepairOptions& options) {
  return repaired(mesh, mesh.tets, &TetMesh::tets, options);
}
Repaired<TriMesh> repair(const TriMesh& mesh, const RepairOptions& options) {
  return repaired(mesh, mesh.triangles, &TriMesh::triangles, options);
}

}  // namespace pliant
