#include "pliant/elasticity/edge_flaps.h"

#include <algorithm>
#include <tuple>

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

struct Side {
  std::int32_t low, high, triangle, from, to, apex;
};

AreaTerm part_of(const AreaTerm& term, double part) { return {term.rest, part * term.stiffness}; }

}  // namespace

std::vector<EdgeFlap> edge_flaps(const DiscreteShell& shell) {
  // === Sides in the order that edges and hinges were made from
  std::vector<Side> sides;
  sides.reserve(at(3 * shell.triangles.rows()));
  for (Index t = 0; t < shell.triangles.rows(); ++t)
    for (int k = 0; k < 3; ++k) {
      const std::int32_t from = shell.triangles(t, k), to = shell.triangles(t, (k + 1) % 3);
      sides.push_back({std::min(from, to), std::max(from, to), static_cast<std::int32_t>(t), from, to,
                       shell.triangles(t, (k + 2) % 3)});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });

  // === An edge's terms go to its hinges in equal parts, or to one flap of the border
  std::vector<EdgeFlap> flaps;
  flaps.reserve(at(shell.hinges.rows()) + shell.edge_terms.size());
  std::size_t edge = 0, hinge = 0;
  for (std::size_t begin = 0, end; begin < sides.size(); begin = end, ++edge) {
    const Side& first = sides[begin];
    for (end = begin; end < sides.size() && sides[end].low == first.low && sides[end].high == first.high;)
      ++end;
    const EdgeTerm& length = shell.edge_terms[edge];
    const AreaTerm& area = shell.area_terms[at(first.triangle)];
    if (end == begin + 1) {
      const HingeTerm none{0, 0, length.rest, area.rest};
      flaps.push_back({{first.from, first.to, first.apex, first.apex},
                       false,
                       length,
                       {part_of(area, 1.0 / 3), part_of(area, 0)},
                       none});
      continue;
    }
    const double part = 1.0 / static_cast<double>(end - begin - 1);
    for (std::size_t s = begin + 1; s < end; ++s, ++hinge)
      flaps.push_back({shell.hinges.row(static_cast<Index>(hinge)).transpose(),
                       true,
                       {length.rest, part * length.stiffness},
                       {part_of(area, part / 3), part_of(shell.area_terms[at(sides[s].triangle)], 1.0 / 3)},
                       shell.hinge_terms[hinge]});
  }
  return flaps;
}

}  // namespace pliant
