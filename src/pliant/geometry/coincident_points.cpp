#include "pliant/geometry/coincident_points.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace pliant {

std::vector<std::int32_t> first_at_same_place(const Points& points) {
  std::vector<std::int32_t> order, first(static_cast<std::size_t>(points.rows()));
  std::iota(first.begin(), first.end(), 0);
  for (const std::int32_t v : first)
    if (points.row(v).allFinite()) order.push_back(v);
  const auto place = [&](std::int32_t v) {
    return std::array<double, 3>{points(v, 0) + 0.0, points(v, 1) + 0.0, points(v, 2) + 0.0};  // -0 is 0
  };
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const auto pa = place(a), pb = place(b);
    return pa != pb ? pa < pb : a < b;
  });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (place(order[i]) == place(order[i - 1]))
      first[static_cast<std::size_t>(order[i])] = first[static_cast<std::size_t>(order[i - 1])];
  return first;
}

}  // namespace pliant
