#include "pliant/hyperreduction/sample_regions.h"

#include <limits>

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Vector3d middle(const ProjectiveGroup& group, Index c, const Points& x) {
  Vector3d sum = Vector3d::Zero();
  const auto ids = group.vertices_of(c);
  for (const int v : ids) sum += x.row(v).transpose();
  return sum / static_cast<double>(ids.size());
}

}  // namespace

std::vector<int> sample_regions(const ProjectiveConstraints& constraints, const ProjectiveGroup& group,
                                std::span<const int> samples, GeodesicSolver& solver,
                                std::span<const char> left_out) {
  // === The samples next to every vertex
  std::vector<char> is_source(at(solver.vertex_count()), 0);
  std::vector<int> sources, sample_of_source;
  std::vector<int> place(at(group.size()), -1);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    place[at(samples[i])] = static_cast<int>(i);
    for (const int v : group.vertices_of(samples[i])) {
      if (is_source[at(v)]) continue;
      is_source[at(v)] = 1;
      sources.push_back(v);
      sample_of_source.push_back(static_cast<int>(i));
    }
  }
  const VectorXi nearest = solver.distance_from(sources).nearest_source;

  // === The nearest of those at the vertices of a constraint
  std::vector<int> region(at(group.size()), -1);
  for (Index c = 0; c < group.size(); ++c) {
    if (!left_out.empty() && left_out[at(c)]) continue;
    int best = place[at(c)];
    double least = std::numeric_limits<double>::infinity();
    const Vector3d here = middle(group, c, constraints.rest);
    for (const int v : group.vertices_of(c)) {
      if (place[at(c)] >= 0 || nearest[v] < 0) continue;
      const int sample = sample_of_source[at(nearest[v])];
      const double distance = (middle(group, samples[at(sample)], constraints.rest) - here).squaredNorm();
      if (distance < least) least = distance, best = sample;
    }
    region[at(c)] = best;
  }
  return region;
}

VectorXd weights_of_regions(const ProjectiveGroup& group, std::span<const int> region, Index samples) {
  VectorXd weights = VectorXd::Zero(samples);
  MatrixXd S;
  for (Index c = 0; c < group.size(); ++c)
    if (region[at(c)] >= 0) weights[region[at(c)]] += constraint_rows(group, c, S);
  return weights;
}

}  // namespace pliant
