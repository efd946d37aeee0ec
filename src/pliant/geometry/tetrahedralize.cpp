#include "pliant/geometry/tetrahedralize.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/geometry/components.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/signed_distance.h"
#include "pliant/geometry/stuffing.h"
#include "pliant/geometry/surface.h"
#include "pliant/geometry/thickness.h"

namespace pliant {
namespace {

Vector3d corner(const TriMesh& mesh, Index t, int k) { return mesh.vertices.row(mesh.triangles(t, k)); }

TriMesh chosen_triangles(const TriMesh& mesh, const std::vector<Index>& chosen) {
  Triangles triangles(static_cast<Index>(chosen.size()), 3);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    triangles.row(static_cast<Index>(i)) = mesh.triangles.row(chosen[i]);
  return compact_surface(mesh.vertices, triangles).mesh;
}

// === A few far vertices can make a box in which single precision, and with it the search for the closest
// triangle, no longer tells the body's triangles apart
void require_one_scale(const TriMesh& soup, const BoundingBox& box) {
  const Index count = soup.triangle_count();
  std::vector<double> along[3];
  Index small = 0;
  for (Index t = 0; t < count; ++t) {
    const Vector3d a = corner(soup, t, 0), b = corner(soup, t, 1), c = corner(soup, t, 2);
    small += std::max((b - a).norm(), (c - a).norm()) < 1e-6 * box.diagonal();
    for (std::size_t k = 0; k < 3; ++k) along[k].push_back(a[static_cast<Index>(k)]);
  }
  if (2 * small <= count) return;
  Vector3d middle;
  for (std::size_t k = 0; k < 3; ++k) {
    std::nth_element(along[k].begin(), along[k].begin() + count / 2, along[k].end());
    middle[static_cast<Index>(k)] = along[k][static_cast<std::size_t>(count / 2)];
  }
  Index farthest = soup.triangles(0, 0);
  for (Index i = 0; i < soup.triangles.size(); ++i)
    if (const Index v = soup.triangles.data()[i]; (soup.vertices.row(v).transpose() - middle).norm() >
                                                  (soup.vertices.row(farthest).transpose() - middle).norm())
      farthest = v;
  throw InputError(fmt::format(
      "tetrahedralize: {} of {} triangles are smaller than a millionth of the surface, which is "
      "{:.3g} m long; remove what lies far from the rest, such as vertex {} at ({:.3g}, {:.3g}, {:.3g})",
      small, count, box.diagonal(), farthest, soup.vertices(farthest, 0), soup.vertices(farthest, 1),
      soup.vertices(farthest, 2)));
}

// === Which open pieces bound a solid, and which are sheets
// Just behind a closed surface the winding number is 1; behind a sheet it is near 1/2. Averaged over a piece,
// how far it is from a whole number tells how much of the piece is hole.
constexpr double sheet_winding = 0.15;

std::vector<char> sheet_components(const CleanSoup& soup, const Components& pieces, OpenSurface open) {
  std::vector<char> is_sheet(static_cast<std::size_t>(pieces.count), 0);
  if (soup.open_edges == 0 || open == OpenSurface::solid) return is_sheet;
  const TriMesh& mesh = soup.mesh;

  // Pieces with an open edge: an edge that occurs once, whichever way round.
  std::vector<std::array<std::int32_t, 3>> edges;  // low, high, piece
  for (Index t = 0; t < mesh.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = mesh.triangles(t, k), b = mesh.triangles(t, (k + 1) % 3);
      edges.push_back({std::min(a, b), std::max(a, b), pieces.of_element[t]});
    }
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 0, j; i < edges.size(); i = j) {
    for (j = i + 1; j < edges.size() && edges[j][0] == edges[i][0] && edges[j][1] == edges[i][1];) ++j;
    if (j - i == 1) is_sheet[static_cast<std::size_t>(edges[i][2])] = 1;
  }
  if (open == OpenSurface::shell) return is_sheet;

  // Some hundred samples a piece are enough for an average.
  const WindingNumber winding(mesh);
  const VectorXd areas = triangle_areas(mesh);
  const double behind = 1e-4 * bounding_box(mesh.vertices).diagonal();
  std::vector<double> hole(is_sheet.size(), 0), area(is_sheet.size(), 0);
  std::vector<Index> seen(is_sheet.size(), 0);
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const auto piece = static_cast<std::size_t>(pieces.of_element[t]);
    const Index every = 1 + pieces.element_count[static_cast<Index>(piece)] / 500;
    if (!is_sheet[piece] || seen[piece]++ % every != 0 || !(areas[t] > 0)) continue;
    const Vector3d a = corner(mesh, t, 0), b = corner(mesh, t, 1), c = corner(mesh, t, 2);
    const double w = winding(Vector3d((a + b + c) / 3 - behind * (b - a).cross(c - a).normalized()));
    hole[piece] += areas[t] * std::abs(w - std::round(w));
    area[piece] += areas[t];
  }
  for (std::size_t i = 0; i < is_sheet.size(); ++i) is_sheet[i] &= !(hole[i] <= sheet_winding * area[i]);
  return is_sheet;
}

// An open surface taken as a solid has an inside where its winding number passes 1/2; behind a flat one it only
// comes near that.
void require_inside(const CleanSoup& soup) {
  if (soup.open_edges == 0) return;
  const TriMesh& mesh = soup.mesh;
  const WindingNumber winding(mesh);
  const double behind = 1e-4 * bounding_box(mesh.vertices).diagonal();
  const Index every = 1 + mesh.triangle_count() / 2000;
  for (Index t = 0; t < mesh.triangle_count(); t += every) {
    const Vector3d a = corner(mesh, t, 0), b = corner(mesh, t, 1), c = corner(mesh, t, 2);
    const Vector3d normal = (b - a).cross(c - a).stableNormalized();
    if (winding(Vector3d((a + b + c) / 3 - behind * normal)) > 0.501) return;
  }
  throw InputError(
      "tetrahedralize: open is solid, but the surface is flat or nearly so and nothing is inside it; "
      "expected a "
      "surface that bounds a solid, but for holes; take it as a shell to give it a thickness");
}

// === The solid to fill, for any cell size
class Solid {
 public:
  Solid(const CleanSoup& soup, const TetrahedralizeOptions& options, Tetrahedralization& report)
      : options_(options) {
    const Components pieces = connected_components(soup.mesh);
    const std::vector<char> is_sheet = sheet_components(soup, pieces, options.open);
    std::vector<Index> of_solid, of_sheets;
    for (Index t = 0; t < soup.mesh.triangle_count(); ++t)
      (is_sheet[static_cast<std::size_t>(pieces.of_element[t])] ? of_sheets : of_solid).push_back(t);
    if (options.open == OpenSurface::solid) require_inside(soup);
    report.input_components = pieces.count;
    report.shells = static_cast<int>(std::count(is_sheet.begin(), is_sheet.end(), 1));
    if (!of_solid.empty()) {
      solid_mesh_ = chosen_triangles(soup.mesh, of_solid);
      solid_.emplace(solid_mesh_, SignedDistanceOptions{.accuracy = 1.3, .clean = false});
      solid_closed_ = soup.open_edges == 0 && soup.non_manifold_edges == 0;
    }
    if (!of_sheets.empty()) sheets_ = chosen_triangles(soup.mesh, of_sheets);
    area_ = total_area(soup.mesh);
  }

  double solid_area() const { return solid_ ? total_area(solid_mesh_) : 0; }
  double solid_volume() const { return solid_ ? std::abs(enclosed_volume(solid_mesh_)) : 0; }
  double sheet_area() const { return sheets_.triangle_count() > 0 ? total_area(sheets_) : 0; }

  /// Measures the thickness wherever it may fall below min_thickness cells of up to `cell` metres.
  void measure_thickness(double cell) {
    if (!solid_ || options_.min_thickness == 0) return;
    samples_ = subdivided(solid_mesh_, 2 * cell, 4'000'000);
    sample_areas_ = triangle_areas(samples_);
    thickness_ = local_thickness(samples_, solid_mesh_, solid_->bvh());
    parallel_for(samples_.triangle_count(), 256, [&](Index t) {
      double& thickness = thickness_.solid[t];
      // A ray that finds no way out of a closed surface slipped between sides too close to tell apart.
      if (!std::isfinite(thickness) && solid_closed_) thickness = 0;
      if (!(thickness < options_.min_thickness * cell)) return;
      // A face that lies inside another part is no surface of the solid.
      const Vector3d a = corner(samples_, t, 0), b = corner(samples_, t, 1), c = corner(samples_, t, 2);
      const Vector3d normal = (b - a).cross(c - a).stableNormalized();
      if (solid_->inside((a + b + c) / 3 + std::min(0.05 * cell, 0.5 * thickness_.gap[t]) * normal))
        thickness = std::numeric_limits<double>::infinity();
    });
  }

  /// Grows what is thin for this cell size.
  void set_cell(double cell, Tetrahedralization& report) {
    const double least = options_.min_thickness * cell;
    // Offsets in steps of a sixteenth of the thickness, rounded up: a tree a step, each a plain closest point.
    constexpr int steps = 8;
    const double step = 0.5 * least / steps;
    std::vector<std::vector<Index>> grown(steps + 1);
    double thin_area = sheet_area(), thickened_area = sheet_area();
    std::vector<Index> candidates;
    for (Index t = 0; t < samples_.triangle_count(); ++t)
      if (thickness_.solid[t] < least && sample_areas_[t] > 0) candidates.push_back(t);
    const std::vector<char> stands_out = beyond_reach(candidates, cell);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!stands_out[i]) continue;
      const Index t = candidates[i];
      const double thickness = thickness_.solid[t];
      thin_area += sample_areas_[t];
      // Outward by half of what is missing on either side. Where that would close a gap, only as much as the
      // part needs to survive: a ball of 0.6 cells always holds a lattice point.
      const double wanted = 0.5 * (least - thickness), needed = std::max(0.0, 0.6 * cell - 0.5 * thickness);
      const double offset =
          std::max(std::min(wanted, 0.5 * (thickness_.gap[t] - cell)), std::min(needed, wanted));
      if (!(offset > 0)) continue;
      thickened_area += sample_areas_[t];
      grown[static_cast<std::size_t>(std::clamp(std::ceil(offset / step), 1.0, double{steps}))].push_back(t);
    }

    layers_.clear();
    // Sheets have no thickness of their own.
    if (sheets_.triangle_count() > 0)
      layers_.push_back({TriangleBvh(sheets_), 0.5 * std::max(least, 1.2 * cell)});
    for (int i = steps; i > 0; --i)
      if (const std::vector<Index>& triangles = grown[static_cast<std::size_t>(i)]; !triangles.empty())
        layers_.push_back({TriangleBvh(chosen_triangles(samples_, triangles)), i * step});
    report.thin_fraction = thin_area / area_;
    report.thickened_fraction = thickened_area / area_;
    report.max_thickening = 2 * max_offset();
  }

  double max_offset() const {
    double offset = 0;
    for (const Layer& layer : layers_) offset = std::max(offset, layer.offset);
    return offset;
  }

  /// Negative inside.
  double operator()(const Vector3d& p) const {
    double distance = solid_ ? (*solid_)(p) : std::numeric_limits<double>::infinity();
    for (const Layer& layer : layers_) {
      const double reach = distance + layer.offset;
      if (reach <= 0) continue;
      distance = std::min(distance, layer.bvh.closest(p, reach).distance - layer.offset);
    }
    return distance;
  }

 private:
  // Which samples stand out by more than half a cell from all places where the solid is thick: the others are
  // wrinkles, and growing them would swell the body. Thick is where a ball of min_thickness fits, and such a
  // ball's centre lies at most half a cell farther than its radius. Looked for in 26 directions, once for
  // samples of like normals in a cube of half a cell.
  std::vector<char> beyond_reach(const std::vector<Index>& candidates, double cell) const {
    using Group = std::array<std::int64_t, 4>;
    std::vector<std::pair<Group, std::size_t>> groups(candidates.size());
    const auto middle = [&](Index t) -> Vector3d {
      return (corner(samples_, t, 0) + corner(samples_, t, 1) + corner(samples_, t, 2)) / 3;
    };
    parallel_for(static_cast<Index>(candidates.size()), 1024, [&](Index i) {
      const Index t = candidates[static_cast<std::size_t>(i)];
      const Vector3d a = corner(samples_, t, 0), at = (middle(t) - solid_->bvh().lower()) / (0.5 * cell);
      const Vector3d normal = (corner(samples_, t, 1) - a).cross(corner(samples_, t, 2) - a);
      Group group;
      for (int k = 0; k < 3; ++k) group[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(at[k]);
      group[3] = (normal.x() > 0) + 2 * (normal.y() > 0) + 4 * (normal.z() > 0);
      groups[static_cast<std::size_t>(i)] = {group, static_cast<std::size_t>(i)};
    });
    std::sort(groups.begin(), groups.end());
    std::vector<std::size_t> first;  // of every group
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (i == 0 || groups[i].first != groups[i - 1].first) first.push_back(i);

    std::vector<char> result(candidates.size(), 0);
    const double radius = 0.5 * options_.min_thickness * cell;
    parallel_for(static_cast<Index>(first.size()), 32, [&](Index g) {
      const std::size_t begin = first[static_cast<std::size_t>(g)],
                        end = static_cast<std::size_t>(g) + 1 < first.size()
                                  ? first[static_cast<std::size_t>(g) + 1]
                                  : groups.size();
      const Vector3d place = middle(candidates[groups[begin].second]);
      bool near_core = false;
      for (int i = 0; i < 27 && !near_core; ++i) {
        const Vector3d direction(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
        if (i == 13) continue;
        const Vector3d centre = place + (radius + 0.6 * cell) * direction.normalized();
        near_core = solid_->bvh().closest(centre, radius).triangle < 0 && solid_->inside(centre);
      }
      for (std::size_t i = begin; i < end; ++i) result[groups[i].second] = !near_core;
    });
    return result;
  }

  struct Layer {
    TriangleBvh bvh;
    double offset;  // by which its triangles are grown
  };

  const TetrahedralizeOptions& options_;
  TriMesh solid_mesh_, sheets_{Points(0, 3), Triangles(0, 3)};
  std::optional<SignedDistance> solid_;
  bool solid_closed_ = false;
  double area_ = 0;

  TriMesh samples_{Points(0, 3), Triangles(0, 3)};  // triangles no longer than a few cells
  VectorXd sample_areas_;
  LocalThickness thickness_;  // of the samples
  std::vector<Layer> layers_;
};

// === How many tets a cell size gives
// A lattice of body-centred cubes has 12 tets a cell, and cut cells a few more; graded, cells double at these
// depths (in cells), as counted on balls of 1 to 56 cells radius.
constexpr double doubling_depth[3] = {3.4, 5.3, 17.7};

double tets_a_cell(double depth_in_cells, bool graded) {
  double tets = 13;
  for (const double depth : doubling_depth)
    if (graded && depth_in_cells > depth) tets /= 8;
  return tets;
}

struct DepthSample {
  double depth, volume;
};

double predicted_tets(const std::vector<DepthSample>& samples, double sheet_area, double cell,
                      const TetrahedralizeOptions& options) {
  // Sheets are all surface, where cut cells have more tets.
  double tets = 15 * std::max(options.min_thickness, 1.2) * sheet_area / (cell * cell);
  for (const DepthSample& sample : samples)
    tets += sample.volume / (cell * cell * cell) * tets_a_cell(sample.depth / cell, options.graded);
  return tets;
}

// The cell size at which the prediction meets the target; predictions fall as cells grow. Where the body is as
// long as `size` it has at least a strand of two by two cells along that.
double predicted_cell(const std::vector<DepthSample>& samples, double sheet_area, double target, double size,
                      const TetrahedralizeOptions& options) {
  double low = std::log(1e-5 * size), high = std::log(10 * size);
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (predicted_tets(samples, sheet_area, std::exp(middle), options) > target ? low : high) = middle;
  }
  return std::max(std::exp(0.5 * (low + high)), 60 * size / target);
}

// Depths of a body of this area and volume, as if it were a ball.
std::vector<DepthSample> ball_depths(double area, double volume) {
  std::vector<DepthSample> samples;
  if (!(area > 0) || !(volume > 0)) return samples;
  const double radius = 3 * volume / area;
  constexpr int layers = 100;
  for (int i = 0; i < layers; ++i) {
    const double outer = 1 - static_cast<double>(i) / layers, inner = 1 - (i + 1.0) / layers;
    samples.push_back(
        {(1 - 0.5 * (outer + inner)) * radius, volume * (outer * outer * outer - inner * inner * inner)});
  }
  return samples;
}

std::vector<DepthSample> mesh_depths(const TetMesh& mesh, const Solid& solid) {
  std::vector<DepthSample> samples(static_cast<std::size_t>(mesh.tet_count()));
  const VectorXd volumes = tet_volumes(mesh);
  parallel_for(mesh.tet_count(), 256, [&](Index t) {
    Vector3d middle = Vector3d::Zero();
    for (int k = 0; k < 4; ++k) middle += 0.25 * mesh.vertices.row(mesh.tets(t, k)).transpose();
    samples[static_cast<std::size_t>(t)] = {std::max(0.0, -solid(middle)), volumes[t]};
  });
  return samples;
}

StuffedMesh fill(const Solid& solid, const BoundingBox& box, double cell,
                 const TetrahedralizeOptions& options, const Progress& progress) {
  const Vector3d margin = Vector3d::Constant(solid.max_offset() + cell);
  StuffingOptions stuffing;
  stuffing.cell = cell;
  stuffing.graded = options.graded;
  stuffing.tolerance = 1e-3;  // the input is far less certain
  stuffing.progress = progress;
  return stuff_isosurface([&](const Vector3d& p) { return solid(p); }, box.low - margin, box.high + margin,
                          stuffing);
}

// Leaves out pieces of less than a cell's volume, but never the largest piece.
void remove_islands(TetMesh& mesh, double cell, Tetrahedralization& report) {
  const Components pieces = connected_components(mesh);
  report.components = pieces.count;
  if (pieces.count <= 1) return;
  const VectorXd volumes = tet_volumes(mesh);
  VectorXd volume = VectorXd::Zero(pieces.count);
  for (Index t = 0; t < mesh.tet_count(); ++t) volume[pieces.of_element[t]] += volumes[t];
  const double least = std::min(volume.maxCoeff(), cell * cell * cell);
  report.removed_islands = static_cast<int>((volume.array() < least).count());
  if (report.removed_islands == 0) return;
  report.components = pieces.count - report.removed_islands;

  std::vector<std::int32_t> id(static_cast<std::size_t>(mesh.vertex_count()), -1);
  Index vertices = 0, tets = 0;
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    if (const int piece = pieces.of_vertex[v]; piece >= 0 && volume[piece] >= least) {
      mesh.vertices.row(vertices) = mesh.vertices.row(v).eval();
      id[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(vertices++);
    }
  for (Index t = 0; t < mesh.tet_count(); ++t)
    if (volume[pieces.of_element[t]] >= least) {
      for (int k = 0; k < 4; ++k) mesh.tets(tets, k) = id[static_cast<std::size_t>(mesh.tets(t, k))];
      ++tets;
    }
  mesh.vertices.conservativeResize(vertices, 3);
  mesh.tets.conservativeResize(tets, 4);
}

constexpr double most_tets = 2e8;  // about 12 GB

// Of the box: finer cells are beyond the single precision in which triangles are found.
constexpr double finest_cell = 1e-5;

// The filling whose count is nearest to the target. Cells grow no further than leaves the body's likeness: half
// its longest side, and parts grown by less than that.
StuffedMesh fill_to_count(Solid& solid, const BoundingBox& box, const TetrahedralizeOptions& options,
                          Tetrahedralization& result) {
  const double target = static_cast<double>(options.target_tets), size = box.diagonal();
  const double finest = finest_cell * size, half_side = 0.5 * box.size().maxCoeff();
  double coarsest = half_side, measured = 0;
  const auto use_cell = [&](double wanted) {
    double cell = std::clamp(wanted, finest, coarsest);
    if (measured == 0 || cell > measured || cell < measured / 4) {
      report(options.progress, "measuring thickness", 0);
      measured = 1.5 * cell;
      solid.measure_thickness(measured);
    }
    solid.set_cell(cell, result);
    for (; result.max_thickening > half_side; solid.set_cell(cell, result)) coarsest = cell *= 0.9;
    return cell;
  };

  // === A coarse filling of the solid tells how deep it is, and so which cell size gives the target
  const std::vector<DepthSample> as_a_ball = ball_depths(solid.solid_area(), solid.solid_volume());
  const auto cell_for = [&](const std::vector<DepthSample>& depths, double sheet_area, double count) {
    return predicted_cell(depths, sheet_area, count, size, options);
  };
  double cell = use_cell(cell_for(as_a_ball, solid.sheet_area(), target));
  if (!as_a_ball.empty()) {
    report(options.progress, "finding the cell size", 0);
    const double coarse_cell = cell_for(as_a_ball, solid.sheet_area(), std::max(target / 8, 1000.0));
    const StuffedMesh coarse = fill(solid, box, std::min(coarse_cell, coarsest), options, options.progress);
    if (coarse.mesh.tet_count() > 0) cell = cell_for(mesh_depths(coarse.mesh, solid), 0, target);
  }

  // === Fill, and correct the cell size while the count is off. Fillings far below the target cost little; five
  // near it are enough.
  StuffedMesh best;
  Tetrahedralization best_report = result;
  double best_error = std::numeric_limits<double>::infinity(), last_cell = 0, last_count = 0;
  for (int near = 0; near < 5 && best_error > 0.1;) {
    cell = use_cell(cell);
    StuffedMesh filled = fill(solid, box, cell, options, options.progress);
    const double count = static_cast<double>(filled.mesh.tet_count());
    near += count > target / 4;
    double power = 2.5;  // count ~ cell^-power: 3 for a volume, 2 for a surface, 1 for a strand
    if (last_count > 0 && count > 0 && std::abs(std::log(cell / last_cell)) > 1e-3)
      power = std::clamp(-std::log(count / last_count) / std::log(cell / last_cell), 1.0, 3.5);
    last_cell = cell, last_count = count;
    if (const double error = std::abs(std::log(std::max(count, 0.5) / target)); error < best_error) {
      best_error = error;
      best = std::move(filled);
      best_report = result;
    }
    // A lattice that fine sees whatever has an inside; finer ones would only cost.
    if (count == 0 && cell < size / 256) break;
    if (count < target && cell <= finest)
      throw InputError(fmt::format(
          "tetrahedralize: the surface is {:.3g} m long, but cells of {:.3g} m give only {} of {} "
          "tets; triangles that lie far from all others are likely: remove them first",
          size, cell, count, options.target_tets));
    if (count > target && cell >= coarsest) break;
    cell *= std::clamp(std::pow(count / target, 1 / power), 0.25, 4.0);
  }
  result = best_report;
  return best;
}

}  // namespace

Tetrahedralization tetrahedralize(const TriMesh& soup, const TetrahedralizeOptions& options) {
  require_triangles("tetrahedralize", soup);
  if (options.edge_length < 0 || !std::isfinite(options.edge_length))
    throw InputError(
        fmt::format("tetrahedralize: edge_length is {}; expected metres above 0, or 0 to aim at "
                    "target_tets",
                    options.edge_length));
  if (options.edge_length == 0 &&
      (options.target_tets < 1 || static_cast<double>(options.target_tets) > most_tets))
    throw InputError(
        fmt::format("tetrahedralize: target_tets is {}; expected 1 to {}", options.target_tets, most_tets));
  if (!(options.min_thickness >= 0 && options.min_thickness <= 10))
    throw InputError(
        fmt::format("tetrahedralize: min_thickness is {} cells; expected 0 to 10", options.min_thickness));

  // === Far from the origin, all is done near it
  Vector3d origin = Vector3d::Zero();
  TriMesh moved;
  const BoundingBox place = bounding_box(compact_surface(soup.vertices, soup.triangles).mesh.vertices);
  require_one_scale(soup, place);
  if (const Vector3d centre = place.low + 0.5 * place.size(); centre.norm() > place.diagonal()) {
    origin = centre;
    moved = {soup.vertices.rowwise() - origin.transpose(), soup.triangles};
  }

  Tetrahedralization result;
  report(options.progress, "cleaning", 0);
  const CleanSoup clean = clean_soup(moved.triangle_count() > 0 ? moved : soup);
  result.duplicates = clean.duplicates;
  result.degenerate = clean.degenerate;
  result.flipped = clean.flipped;
  if (clean.mesh.triangle_count() == 0 || !(total_area(clean.mesh) > 0))
    throw InputError(fmt::format("tetrahedralize: the {} triangles have no area; expected a surface",
                                 soup.triangle_count()));
  // Only what triangles use: a stray vertex must not stretch the lattice.
  const BoundingBox box =
      bounding_box(compact_surface(clean.mesh.vertices, clean.mesh.triangles).mesh.vertices);
  Solid solid(clean, options, result);

  StuffedMesh filled;
  if (options.edge_length > 0) {
    const double cell = options.edge_length;
    if (cell < finest_cell * box.diagonal() ||
        predicted_tets(ball_depths(solid.solid_area(), solid.solid_volume()), solid.sheet_area(), cell,
                       options) > most_tets)
      throw InputError(fmt::format(
          "tetrahedralize: an edge_length of {} is too short for a surface {} long; expected at most "
          "{} tets and an edge of {:.3g}; choose a longer one",
          cell, box.diagonal(), most_tets, finest_cell * box.diagonal()));
    report(options.progress, "measuring thickness", 0);
    solid.measure_thickness(cell);
    solid.set_cell(cell, result);
    filled = fill(solid, box, cell, options, options.progress);
  } else {
    filled = fill_to_count(solid, box, options, result);
  }

  result.mesh = std::move(filled.mesh);
  result.cell = filled.cell;
  result.min_dihedral = filled.min_dihedral;
  result.max_dihedral = filled.max_dihedral;
  remove_islands(result.mesh, result.cell, result);
  if (result.mesh.tet_count() == 0)
    throw InputError(
        fmt::format("tetrahedralize: cells of {} m find no inside of a surface {} m long; choose "
                    "more tets, a shorter edge_length or a min_thickness above 1",
                    result.cell, box.diagonal()));
  // The angles hold as long as rounding moves no vertex noticeably.
  const double furthest = (result.mesh.vertices.rowwise() + origin.transpose()).cwiseAbs().maxCoeff(),
               rounding = furthest * std::numeric_limits<double>::epsilon();
  if (rounding > 1e-5 * result.cell)
    throw InputError(fmt::format(
        "tetrahedralize: coordinates of {:.3g} m are rounded to {:.1g} m, too coarse for cells of "
        "{:.3g} m; move the surface towards the origin first",
        furthest, rounding, result.cell));
  result.mesh.vertices.rowwise() += origin.transpose();
  return result;
}

}  // namespace pliant
