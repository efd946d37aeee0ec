#include "pliant/hyperreduction/weighted_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pliant/base/error.h"
#include "pliant/hyperreduction/constraint_samples.h"
#include "pliant/hyperreduction/sample_regions.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

WeightedSamples weighted_samples(const ProjectiveConstraints& constraints, ProjectiveKind kind,
                                 const SkinningBasis& basis, GeodesicSolver& solver, int count) {
  const ProjectiveGroup& group = constraints.group(kind);
  if (group.size() == 0) throw InputError("weighted samples: the body has no constraint of this kind");
  if (count < 1) throw InputError(fmt::format("weighted samples: {} samples; expected at least one", count));
  // === Those that resist something
  const auto is_moved = [&](int v) {
    const auto begin = basis.weights.weight.begin();
    return std::any_of(begin + basis.weights.first[at(v)], begin + basis.weights.first[at(v) + 1],
                       [](double weight) { return weight > 0; });
  };
  std::vector<char> rests(at(group.size()), 0);  // none of their vertices moves
  std::vector<int> border;  // of what is held: some of their vertices move and some do not
  Index moving = 0;
  for (Index c = 0; c < group.size(); ++c) {
    const auto ids = group.vertices_of(c);
    const auto moved = std::count_if(ids.begin(), ids.end(), is_moved);
    rests[at(c)] = moved == 0;
    moving += moved > 0;
    if (moved > 0 && moved < std::ssize(ids)) border.push_back(static_cast<int>(c));
  }
  if (moving == 0) throw InputError("weighted samples: no constraint of this kind is moved by the subspace");

  constexpr Index least_a_handle = 8;
  count = static_cast<int>(
      std::min(std::max<Index>(count, least_a_handle * basis.weights.count()), group.size()));
  if (group.size() < 6 * Index{count})
    count = static_cast<int>(std::min<Index>(3 * Index{count}, group.size()));

  std::vector<int> start = constraints_at(group, basis.weights.handles, solver.vertex_count());
  if (2 * border.size() <= at(count)) {
    // They hold all the rest, and on a coarse mesh are strained each in its own way.
    count = static_cast<int>(std::min(Index{count} + std::ssize(border), group.size()));
    std::vector<int> both;
    std::set_union(start.begin(), start.end(), border.begin(), border.end(), std::back_inserter(both));
    start = std::move(both);
  }

  WeightedSamples out;
  const double share = static_cast<double>(moving) / static_cast<double>(group.size());
  const auto spread = static_cast<int>(std::min(std::ceil(count / share), static_cast<double>(group.size())));
  out.samples = spread_constraints(group, std::move(start), solver, spread);
  std::erase_if(out.samples, [&](int c) { return rests[at(c)] != 0; });

  // === What they stand for
  const auto size_of = [&](Index c) {
    MatrixXd S;
    const double lambda = constraint_rows(group, c, S);
    if (kind != ProjectiveKind::spring) return lambda;
    const auto ids = group.vertices_of(c);
    return lambda * (constraints.rest.row(ids[0]) - constraints.rest.row(ids[1])).squaredNorm();
  };
  out.region = sample_regions(constraints, group, out.samples, solver, rests);
  out.weights.setZero(static_cast<Index>(out.samples.size()));
  for (Index c = 0; c < group.size(); ++c)
    if (const int sample = out.region[at(c)]; sample >= 0) out.weights[sample] += size_of(c);
  for (std::size_t i = 0; i < out.samples.size(); ++i) {
    const double own = size_of(out.samples[i]);
    out.weights[static_cast<Index>(i)] = own > 0 ? out.weights[static_cast<Index>(i)] / own : 0;
  }
  return out;
}

}  // namespace pliant
