#include "pliant/server/drawn_body.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "pliant/base/parallel.h"
#include "pliant/elasticity/edge_flaps.h"
#include "pliant/geometry/surface.h"
#include "pliant/io/safetensors.h"
#include "pliant/reduced/hrpd.h"
#include "pliant/reduced/newmark_broyden.h"

namespace pliant::server {
namespace {

/// Above, a subspace is not worth sending.
constexpr double largest_dense = 256.0 * (1 << 20);

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// === Points

struct PointList {
  std::vector<Vector4i> corners;
  std::vector<Vector4d> weights;

  int add_vertex(int v) { return add(Vector4i::Constant(v), Vector4d::UnitX()); }
  /// The middle of some vertices; negative ones do not count.
  int add_middle(const Vector4i& vertices) {
    const int count = static_cast<int>((vertices.array() >= 0).count());
    Vector4i corners_of = vertices;
    Vector4d weights_of = Vector4d::Zero();
    for (int k = 0; k < 4; ++k) {
      if (vertices[k] < 0)
        corners_of[k] = vertices[0];
      else
        weights_of[k] = 1.0 / count;
    }
    return add(corners_of, weights_of);
  }
  int add(const Vector4i& c, const Vector4d& w) {
    corners.push_back(c);
    weights.push_back(w);
    return static_cast<int>(corners.size()) - 1;
  }
};

/// The surface as a person sees it: carried points, or vertices that triangles use.
void add_surface(const ShownMesh& shown, PointList& points, DrawnBody& out) {
  if (shown.embedding) {
    const Embedding& e = *shown.embedding;
    for (Index p = 0; p < e.point_count(); ++p) {
      points.add(e.vertices.row(p).transpose(), e.weights.row(p).transpose());
      Index nearest = 0;
      e.weights.row(p).maxCoeff(&nearest);
      out.pick.push_back(e.vertices(p, nearest));
    }
    out.triangles = shown.mesh.triangles;
  } else {
    const Surface surface =
        compact_surface(shown.rest_positions,
                        shown.mesh.has_tets() ? boundary_triangles(shown.mesh.tets) : shown.mesh.triangles);
    for (Index p = 0; p < surface.source.size(); ++p) {
      points.add_vertex(surface.source[p]);
      out.pick.push_back(surface.source[p]);
    }
    out.triangles = surface.mesh.triangles;
  }
  out.surface = static_cast<Index>(points.corners.size());
}

void finish_weights(const std::vector<double>& weights, DrawnBody& out) {
  double mean = 0;
  for (const double w : weights) mean += w / static_cast<double>(weights.size());
  out.sample_weights.resize(static_cast<Index>(weights.size()));
  for (std::size_t i = 0; i < weights.size(); ++i)
    out.sample_weights[static_cast<Index>(i)] = static_cast<float>(mean > 0 ? weights[i] / mean : 1);
}

/// Samples of hyper-reduced projective dynamics weigh by the size of what they stand on.
void add_marks(const HrpdModel& model, PointList& points, DrawnBody& out) {
  const Points& X = model.basis.rest;
  std::vector<double> weights;
  for (const ReducedConstraints& kind : model.kinds) {
    const Tets& corners = kind.samples.corners;
    for (Index i = 0; i < corners.rows(); ++i) {
      const Vector4i c = corners.row(i).transpose();
      out.sample_points.push_back(points.add_middle(c));
      const auto edge = [&](int k) { return Vector3d((X.row(c[k]) - X.row(c[0])).transpose()); };
      double size = 1;
      if (c[3] >= 0)
        size = std::abs(edge(1).dot(edge(2).cross(edge(3)))) / 6;
      else if (c[2] >= 0)
        size = edge(1).cross(edge(2)).norm() / 2;
      weights.push_back(size);
    }
  }
  finish_weights(weights, out);
  for (const int v : model.basis.weights.handles) out.handle_points.push_back(points.add_vertex(v));
}

/// Elements of a cubature: tets, or edge flaps of a shell.
void add_marks(const ReducedFem& model, PointList& points, DrawnBody& out) {
  if (model.polynomial) return;
  const std::vector<int>& elements = model.elements.elements().elements();
  const VectorXd weights = model.elements.weights();
  std::vector<double> kept;
  std::vector<Vector4i> flaps;
  if (model.tets.rows() == 0) {
    // Flaps are numbered by the mesh alone, whatever the shell is made of.
    const ShellMaterial any{.stretch = 1, .area = 1, .bending = 1, .density = 1};
    for (const EdgeFlap& flap : edge_flaps(make_discrete_shell({model.rest_positions, model.triangles}, any)))
      flaps.push_back(flap.vertices);
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const int e = elements[i];
    if (model.tets.rows() > 0 && e < model.tets.rows())
      out.sample_points.push_back(points.add_middle(model.tets.row(e).transpose()));
    else if (at(e) < flaps.size())
      out.sample_points.push_back(points.add_middle(flaps[at(e)]));
    else
      continue;
    kept.push_back(weights[static_cast<Index>(i)]);
  }
  finish_weights(kept, out);
}

// === How they follow the coordinates

void add_skinning(const SkinningBasis& basis, DrawnBody& out) {
  const Index count = out.points();
  std::vector<std::vector<std::pair<int, Vector4d>>> entries(at(count));
  parallel_for(count, 1024, [&](Index p) {
    auto& list = entries[at(p)];
    for (int k = 0; k < 4; ++k) {
      const double weight = out.weights(p, k);
      if (weight == 0) continue;
      const int v = out.corners(p, k);
      for (Index e = basis.weights.first[at(v)]; e < basis.weights.first[at(v) + 1]; ++e)
        list.emplace_back(basis.weights.handle[at(e)], weight * columns_of(basis, v, e));
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::size_t last = 0;
    for (std::size_t i = 1; i < list.size(); ++i) {
      if (list[i].first == list[last].first)
        list[last].second += list[i].second;
      else
        list[++last] = list[i];
    }
    if (!list.empty()) list.resize(last + 1);
  });
  out.first.assign(1, 0);
  for (const auto& list : entries) {
    for (const auto& [handle, columns] : list) {
      out.handle.push_back(static_cast<std::uint16_t>(handle));
      for (int k = 0; k < 4; ++k) out.columns.push_back(static_cast<float>(columns[k]));
    }
    out.first.push_back(static_cast<std::uint32_t>(out.handle.size()));
  }
}

void add_dense(const RowMajorMatrix<float>& U, DrawnBody& out) {
  out.U.setZero(3 * out.points(), U.cols());
  parallel_for(out.points(), 256, [&](Index p) {
    for (int k = 0; k < 4; ++k)
      if (out.weights(p, k) != 0)
        out.U.middleRows(3 * p, 3) +=
            static_cast<float>(out.weights(p, k)) * U.middleRows(3 * Index{out.corners(p, k)}, 3);
  });
}

}  // namespace

std::string_view name(Decode decode) {
  switch (decode) {
    case Decode::skinning:
      return "skinning";
    case Decode::dense:
      return "dense";
    case Decode::positions:
      break;
  }
  return "positions";
}

DrawnBody drawn_body(const Simulator& simulator, const ShownMesh& shown) {
  DrawnBody out;
  PointList points;
  add_surface(shown, points, out);
  const auto* hrpd = dynamic_cast<const Hrpd*>(&simulator);
  const auto* fem = dynamic_cast<const NewmarkBroyden*>(&simulator);
  if (hrpd) add_marks(hrpd->model(), points, out);
  if (fem) add_marks(fem->model(), points, out);

  const auto count = static_cast<Index>(points.corners.size());
  out.corners.resize(count, 4);
  out.weights.resize(count, 4);
  for (Index p = 0; p < count; ++p) {
    out.corners.row(p) = points.corners[at(p)].transpose();
    out.weights.row(p) = points.weights[at(p)].transpose();
  }
  combine(out, shown.rest_positions, count, out.rest);
  const std::vector<int>& fixed = simulator.fixed();
  for (Index p = 0; p < out.surface; ++p)
    if (std::binary_search(fixed.begin(), fixed.end(), out.pick[at(p)]))
      out.fixed_points.push_back(static_cast<int>(p));

  if (hrpd) {
    out.decode = Decode::skinning;
    add_skinning(hrpd->model().basis, out);
  } else if (fem && 12.0 * static_cast<double>(count * fem->model().dimension()) <= largest_dense) {
    out.decode = Decode::dense;
    add_dense(fem->model().U, out);
  }
  return out;
}

Bytes data_blob(const DrawnBody& body) {
  SafetensorsWriter writer;
  writer.set_metadata("decode", std::string(name(body.decode)));
  const auto ids = [](const std::vector<int>& list) {
    return std::vector<std::uint32_t>(list.begin(), list.end());
  };
  writer.add("rest", body.rest.cast<float>());
  writer.add("triangles", body.triangles.cast<std::uint32_t>());
  writer.add("pick", ids(body.pick));
  writer.add("sample_point", ids(body.sample_points));
  writer.add("sample_weight", body.sample_weights);
  writer.add("handle_point", ids(body.handle_points));
  writer.add("fixed_point", ids(body.fixed_points));
  if (body.decode == Decode::skinning) {
    writer.add_view("first", std::span<const std::uint32_t>(body.first));
    writer.add_view("handle", std::span<const std::uint16_t>(body.handle));
    writer.add_view("columns", std::span<const float>(body.columns),
                    {static_cast<Index>(body.handle.size()), 4});
  }
  if (body.decode == Decode::dense)
    writer.add_view("U", std::span<const float>(body.U.data(), at(body.U.size())),
                    {body.U.rows(), body.U.cols()});
  std::ostringstream stream;
  writer.write(stream);
  return std::make_shared<const std::string>(std::move(stream).str());
}

void combine(const DrawnBody& body, const Points& vertices, Index count, Points& out) {
  out.resize(count, 3);
  parallel_for(count, 4096, [&](Index p) {
    Eigen::RowVector3d sum = body.weights(p, 0) * vertices.row(body.corners(p, 0));
    for (int k = 1; k < 4; ++k)
      if (body.weights(p, k) != 0) sum += body.weights(p, k) * vertices.row(body.corners(p, k));
    out.row(p) = sum;
  });
}

void drawn_positions(const DrawnBody& body, Simulator& simulator, Points& out) {
  combine(body, simulator.positions(), body.points(), out);
}

Points drawn_positions(const DrawnBody& body, Simulator& simulator, std::span<const int> points) {
  std::vector<int> vertices;
  for (const int p : points)
    for (int k = 0; k < 4; ++k) vertices.push_back(body.corners(p, k));
  Points corners;
  simulator.positions_of(vertices, corners);
  Points out = Points::Zero(static_cast<Index>(points.size()), 3);
  for (Index i = 0; i < out.rows(); ++i)
    for (int k = 0; k < 4; ++k) out.row(i) += body.weights(points[at(i)], k) * corners.row(4 * i + k);
  return out;
}

std::vector<float> drawn_coordinates(const DrawnBody& body, const Simulator& simulator) {
  if (body.decode == Decode::skinning) return to_floats(dynamic_cast<const Hrpd&>(simulator).coordinates());
  if (body.decode == Decode::dense)
    return to_floats(dynamic_cast<const NewmarkBroyden&>(simulator).coordinates());
  return {};
}

std::vector<float> to_floats(const MatrixXd& q) {
  std::vector<float> out;
  out.reserve(at(q.size()));
  for (Index i = 0; i < q.rows(); ++i)
    for (Index c = 0; c < q.cols(); ++c) out.push_back(static_cast<float>(q(i, c)));
  return out;
}

std::vector<float> to_floats(const VectorXd& q) {
  std::vector<float> out(at(q.size()));
  for (Index i = 0; i < q.size(); ++i) out[at(i)] = static_cast<float>(q[i]);
  return out;
}

}  // namespace pliant::server
