#include "pliant/elasticity/element_set.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/elasticity/edge_flaps.h"

namespace pliant {
namespace {

constexpr int width = ElementPack::width;
constexpr int flap_kind = static_cast<int>(std::variant_size_v<Material>);
constexpr const char* kind_names[] = {"linear",        "stvk", "corotated",    "neo_hookean",
                                      "mooney_rivlin", "fung", "arruda_boyce", "edge flap"};
static_assert(std::size(kind_names) == flap_kind + 1);

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

std::vector<int> all_elements(const Body& body) {
  std::vector<int> elements(at(element_count(body)));
  std::iota(elements.begin(), elements.end(), 0);
  return elements;
}

void check_elements(const Body& body, std::span<const int> elements) {
  const Index count = element_count(body);
  for (const int e : elements)
    if (e < 0 || e >= count)
      throw InputError(fmt::format("elements: element {}; expected 0 to {}", e, count - 1));
}

/// Columns are the edges of tet t from its first vertex.
Matrix3d tet_edges(const Body& body, Index t) {
  Matrix3d edges;
  const Points& X = body.rest_positions();
  for (int a = 0; a < 3; ++a)
    edges.col(a) = (X.row(body.tets()(t, a + 1)) - X.row(body.tets()(t, 0))).transpose();
  return edges;
}

ElementMap tet_map(const Body& body, Index t) {
  ElementMap map;
  map.vertices = body.tets().row(t).transpose();
  // F = sum (x_a - x_0) grad N_a^T, row a-1 of the inverse being the gradient of N_a.
  const Matrix3d gradients = tet_edges(body, t).inverse();
  map.coefficients.rightCols<3>() = gradients.transpose();
  map.coefficients.col(0) = -gradients.colwise().sum().transpose();
  return map;
}

ElementMap flap_map(const EdgeFlap& flap) {
  ElementMap map;
  map.vertices = flap.vertices;
  map.coefficients << -1, 1, 0, 0, -1, 0, 1, 0, -1, 0, 0, 1;
  return map;
}

Eigen::Matrix<double, 9, 1> z_of(const ElementMap& map, const Points& x) {
  Matrix3d z = Matrix3d::Zero();
  for (int a = 0; a < 4; ++a) z += x.row(map.vertices[a]).transpose() * map.coefficients.col(a).transpose();
  return z.reshaped();
}

ElementArrays arrays_of(const Body& body, std::span<const int> elements, const Points* origin = nullptr) {
  const Index count = static_cast<Index>(elements.size());
  check_elements(body, elements);
  if (origin && origin->rows() != body.vertex_count())
    throw InputError(
        fmt::format("elements: the origin has {} positions for {} vertices; expected one a vertex",
                    origin->rows(), body.vertex_count()));
  ElementArrays out;
  out.elements.resize(count);
  out.kinds.resize(count);
  out.parameters.setZero(ElementArrays::parameter_count, count);
  out.rest.resize(9, count);
  const auto flaps = body.is_shell() ? edge_flaps(body.shell()) : std::vector<EdgeFlap>();
  for (Index k = 0; k < count; ++k) {
    const int e = elements[at(k)];
    out.elements[k] = e;
    auto parameters = out.parameters.col(k);
    if (body.is_shell()) {
      const EdgeFlap& f = flaps[at(e)];
      out.kinds[k] = flap_kind;
      parameters.head<10>() << f.edge.rest, f.edge.stiffness, f.areas[0].rest, f.areas[0].stiffness,
          f.areas[1].rest, f.areas[1].stiffness, f.hinge.rest, f.hinge.stiffness, f.hinge.length,
          f.hinge.area;
      out.rest.col(k) = z_of(flap_map(f), origin ? *origin : body.rest_positions());
    } else {
      const Material& material = body.palette()[at(body.material_of_tet()[at(e)])].material;
      out.kinds[k] = static_cast<int>(material.index());
      parameters[0] = tet_edges(body, e).determinant() / 6;
      const auto density = density_parameters(material);
      for (int i = 0; i < density_parameter_count; ++i) parameters[1 + i] = density[at(i)];
      if (origin)
        out.rest.col(k) = z_of(tet_map(body, e), *origin);
      else
        out.rest.col(k) = Matrix3d::Identity().reshaped();
    }
  }
  return out;
}

void check_arrays(const ElementArrays& a) {
  const Index count = a.elements.size();
  const auto refuse_size = [&](const char* what, Index rows, Index columns, Index expected) {
    throw InputError(fmt::format("elements: {} is {} x {} for {} elements; expected {} x {}", what, rows,
                                 columns, count, expected, count));
  };
  if (a.kinds.size() != count) refuse_size("kinds", 1, a.kinds.size(), 1);
  if (a.parameters.rows() != ElementArrays::parameter_count || a.parameters.cols() != count)
    refuse_size("parameters", a.parameters.rows(), a.parameters.cols(), ElementArrays::parameter_count);
  if (a.rest.rows() != 9 || a.rest.cols() != count) refuse_size("rest", a.rest.rows(), a.rest.cols(), 9);
  for (Index k = 0; k < count; ++k) {
    if (a.elements[k] < 0)
      throw InputError(
          fmt::format("elements: entry {} is element {}; expected at least 0", k, a.elements[k]));
    if (a.kinds[k] < 0 || a.kinds[k] > flap_kind)
      throw InputError(
          fmt::format("elements: entry {} is of kind {}; expected 0 to {}", k, a.kinds[k], flap_kind));
    if (!a.parameters.col(k).allFinite() || !a.rest.col(k).allFinite())
      throw InputError(fmt::format("elements: entry {} holds a number that is not finite", k));
    const auto p = a.parameters.col(k);
    const bool sound = a.kinds[k] == flap_kind
                           ? p[0] > 0 && p[2] > 0 && p[4] > 0 && p[8] > 0 && p[9] > 0 && p[1] >= 0 &&
                                 p[3] >= 0 && p[5] >= 0 && p[7] >= 0 && std::abs(p[6]) <= M_PI + 1e-9
                           : p[0] > 0;
    if (!sound)
      throw InputError(
          fmt::format("elements: entry {} ({}) has parameters out of range; expected sizes at rest "
                      "above 0 and no negative stiffness",
                      k, kind_names[a.kinds[k]]));
  }
}

}  // namespace

Index element_count(const Body& body) {
  if (!body.is_shell()) return body.tets().rows();
  // One flap a hinge, and one for each edge that has none. Hinges of one edge follow each other.
  const DiscreteShell& shell = body.shell();
  Index with_hinge = 0;
  const auto edge = [&](Index h) { return std::minmax({shell.hinges(h, 0), shell.hinges(h, 1)}); };
  for (Index h = 0; h < shell.hinges.rows(); ++h) with_hinge += h == 0 || edge(h) != edge(h - 1);
  return shell.edges.rows() - with_hinge + shell.hinges.rows();
}

std::vector<ElementMap> element_maps(const Body& body, std::span<const int> elements) {
  check_elements(body, elements);
  std::vector<ElementMap> maps;
  maps.reserve(elements.size());
  const auto flaps = body.is_shell() ? edge_flaps(body.shell()) : std::vector<EdgeFlap>();
  for (const int e : elements) maps.push_back(body.is_shell() ? flap_map(flaps[at(e)]) : tet_map(body, e));
  return maps;
}

std::vector<ElementMap> element_maps(const Body& body) { return element_maps(body, all_elements(body)); }

ElementSet::ElementSet(const Body& body) { pack(arrays_of(body, all_elements(body))); }

ElementSet::ElementSet(const Body& body, std::span<const int> elements) { pack(arrays_of(body, elements)); }

ElementSet::ElementSet(const Body& body, std::span<const int> elements, const Points& origin) {
  pack(arrays_of(body, elements, &origin));
}

ElementSet::ElementSet(const ElementArrays& arrays) {
  check_arrays(arrays);
  pack(arrays);
}

void ElementSet::pack(const ElementArrays& arrays) {
  const Index count = arrays.elements.size();
  std::vector<int> order(at(count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return arrays.kinds[a] < arrays.kinds[b]; });
  elements_.reserve(at(count));
  slots_.reserve(at(count));
  int lane = width;
  for (const int k : order) {
    const int kind = arrays.kinds[k];
    if (lane == width || kinds_.back() != kind) {
      // Free slots repeat the first element of the pack without its energy.
      kinds_.push_back(kind);
      packs_.push_back({});
      rest_.resize(rest_.size() + 9 * width);
      lane = 0;
    }
    ElementPack& pack = packs_.back();
    double* rest = rest_.data() + rest_.size() - 9 * width;
    for (int l = lane; l < (lane == 0 ? width : lane + 1); ++l) {
      for (int i = 0; i < ElementArrays::parameter_count; ++i)
        pack.parameters[i][l] = arrays.parameters(i, k);
      for (int i = 0; i < 9; ++i) rest[i * width + l] = arrays.rest(i, k);
      if (l == lane) continue;
      if (kind == flap_kind)
        for (const int stiffness : {1, 3, 5, 7}) pack.parameters[stiffness][l] = 0;
      else
        pack.parameters[0][l] = 0;
    }
    elements_.push_back(arrays.elements[k]);
    slots_.push_back(static_cast<int>(packs_.size() - 1) * width + lane);
    ++lane;
  }
}

ElementArrays ElementSet::arrays() const {
  ElementArrays out;
  out.elements = Eigen::Map<const VectorXi>(elements_.data(), count());
  out.kinds.resize(count());
  out.parameters.resize(ElementArrays::parameter_count, count());
  for (Index k = 0; k < count(); ++k) {
    const int slot = slots_[at(k)];
    out.kinds[k] = kinds_[at(slot / width)];
    for (int i = 0; i < ElementArrays::parameter_count; ++i)
      out.parameters(i, k) = packs_[at(slot / width)].parameters[i][slot % width];
  }
  out.rest = rest_z();
  return out;
}

void ElementSet::evaluate(Index first, Index count, const double* z, const ElementOutputs& out,
                          Projection projection) const {
  for (Index begin = first, end; begin < first + count; begin = end) {
    end = begin + 1;
    while (end < first + count && kinds_[at(end)] == kinds_[at(begin)]) ++end;
    const Index from = (begin - first) * width;
    const ElementOutputs here{out.energies ? out.energies + from : nullptr,
                              out.gradients ? out.gradients + 9 * from : nullptr,
                              out.hessians ? out.hessians + 81 * from : nullptr};
    const detail::ElementJob job{kinds_[at(begin)],
                                 &packs_[at(begin)],
                                 end - begin,
                                 z + 9 * from,
                                 here,
                                 projection == Projection::positive};
    if (job.kind == flap_kind)
      detail::evaluate_flap_packs(job);
    else
      detail::evaluate_tet_packs(job);
  }
}

// === Plain matrices

namespace {

void to_lanes(const std::vector<int>& slots, const MatrixXd& columns, AlignedVector<double>& lanes) {
  const Index rows = columns.rows();
  for (std::size_t k = 0; k < slots.size(); ++k)
    for (Index i = 0; i < rows; ++i)
      lanes[at((slots[k] / width * rows + i) * width + slots[k] % width)] = columns(i, static_cast<Index>(k));
}

MatrixXd from_lanes(const std::vector<int>& slots, const AlignedVector<double>& lanes, Index rows) {
  MatrixXd columns(rows, static_cast<Index>(slots.size()));
  for (std::size_t k = 0; k < slots.size(); ++k)
    for (Index i = 0; i < rows; ++i)
      columns(i, static_cast<Index>(k)) = lanes[at((slots[k] / width * rows + i) * width + slots[k] % width)];
  return columns;
}

AlignedVector<double> lanes_of(const ElementSet& set, const MatrixXd& z) {
  if (z.rows() != 9 || z.cols() != set.count())
    throw InputError(fmt::format("elements: z is {} x {}; expected 9 x {}", z.rows(), z.cols(), set.count()));
  AlignedVector<double> lanes = set.rest();
  to_lanes(set.slots(), z, lanes);
  return lanes;
}

}  // namespace

MatrixXd ElementSet::rest_z() const { return from_lanes(slots_, rest_, 9); }

VectorXd ElementSet::energies(const MatrixXd& z) const {
  AlignedVector<double> out(at(slot_count()));
  evaluate(0, pack_count(), lanes_of(*this, z).data(), {.energies = out.data()});
  return from_lanes(slots_, out, 1).row(0);
}

MatrixXd ElementSet::gradients(const MatrixXd& z) const {
  AlignedVector<double> out(at(9 * slot_count()));
  evaluate(0, pack_count(), lanes_of(*this, z).data(), {.gradients = out.data()});
  return from_lanes(slots_, out, 9);
}

MatrixXd ElementSet::hessians(const MatrixXd& z, Projection projection) const {
  AlignedVector<double> out(at(81 * slot_count()));
  evaluate(0, pack_count(), lanes_of(*this, z).data(), {.hessians = out.data()}, projection);
  return from_lanes(slots_, out, 81);
}

std::size_t ElementSet::memory_bytes() const {
  return packs_.size() * (sizeof(ElementPack) + sizeof(int)) + rest_.size() * sizeof(double) +
         2 * elements_.size() * sizeof(int);
}

}  // namespace pliant
