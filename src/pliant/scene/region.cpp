#include "pliant/scene/region.h"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/geometry/measures.h"

namespace pliant {
namespace {

std::string box_words(const BoundingBox& box) {
  return fmt::format("[{:.4g}, {:.4g}, {:.4g}] to [{:.4g}, {:.4g}, {:.4g}]", box.low.x(), box.low.y(),
                     box.low.z(), box.high.x(), box.high.y(), box.high.z());
}

std::vector<int> listed(const Json& numbers, Index count, const std::string& path) {
  std::vector<int> vertices;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto v = numbers[i].get<std::int64_t>();
    if (v >= count)
      throw InputError(
          fmt::format("{}.vertices[{}] is {}; expected 0 to {}, as the mesh has", path, i, v, count - 1));
    vertices.push_back(static_cast<int>(v));
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

}  // namespace

ObjectType region_type() {
  const Field relative{"relative", boolean(), false,
                       "coordinates are fractions of the body's box, 0 to 1, instead of metres"};
  return {.name = "region",
          .text = "a part of a body, chosen where its vertices stand at rest, in the scene's coordinates",
          .fields =
              {
                  {"all", boolean(), {}, "every vertex"},
                  {"box",
                   object({"box",
                           "the vertices in a box",
                           {{"low", vector3(), {}, "lowest corner, m", true},
                            {"high", vector3(), {}, "highest corner, m", true}}}),
                   {},
                   "the vertices in a box, borders included"},
                  {"sphere",
                   object({"sphere",
                           "the vertices in a sphere",
                           {{"center", vector3(), {}, "m", true}, {"radius", above(0), {}, "m", true}}}),
                   {},
                   "the vertices in a sphere"},
                  {"plane",
                   object({"plane",
                           "the vertices behind a plane",
                           {{"point", vector3(), {}, "a point on it, m", true},
                            {"normal", vector3(), {}, "away from the vertices chosen", true}}}),
                   {},
                   "the vertices behind a plane"},
                  {"vertices", list_of(integer(0, 2147483647), 1), {}, "vertex numbers, from 0"},
                  relative,
              },
          .exactly_one = {"all", "box", "sphere", "plane", "vertices"}};
}

Vector3d to_vector3(const Json& value) {
  return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
}

std::vector<int> select_vertices(const Json& region, const Points& rest, const std::string& path) {
  if (region.contains("vertices")) return listed(region["vertices"], rest.rows(), path);

  const BoundingBox box = bounding_box(rest);
  // Fractions of the box stand for points of it; along an axis on which a body is flat all fractions are one.
  const bool relative = region["relative"].get<bool>();
  const auto point = [&](const Json& value) {
    const Vector3d p = to_vector3(value);
    return relative ? Vector3d(box.low + p.cwiseProduct(box.size())) : p;
  };
  // A border drawn through vertices takes them, whatever rounding did to their coordinates.
  const double slack = 1e-9 * box.diagonal();

  std::vector<int> vertices;
  const auto take = [&](auto&& belongs) {
    for (Index i = 0; i < rest.rows(); ++i)
      if (belongs(Vector3d(rest.row(i).transpose()))) vertices.push_back(static_cast<int>(i));
  };
  if (region.contains("box")) {
    const Vector3d low = point(region["box"]["low"]), high = point(region["box"]["high"]);
    take([&](const Vector3d& x) {
      return ((x - low).array() >= -slack).all() && ((high - x).array() >= -slack).all();
    });
  } else if (region.contains("sphere")) {
    const Vector3d center = point(region["sphere"]["center"]);
    const double radius = region["sphere"]["radius"].get<double>() * (relative ? box.size().maxCoeff() : 1.0);
    take([&](const Vector3d& x) { return (x - center).norm() <= radius + slack; });
  } else if (region.contains("plane")) {
    const Vector3d at = point(region["plane"]["point"]), normal = to_vector3(region["plane"]["normal"]);
    if (!(normal.norm() > 0)) throw InputError(path + ".plane.normal is zero; expected a direction");
    take([&](const Vector3d& x) { return (x - at).dot(normal.normalized()) <= slack; });
  } else if (region["all"].get<bool>()) {
    take([](const Vector3d&) { return true; });
  }
  if (vertices.empty())
    throw InputError(
        fmt::format("{} selects no vertex; the body's vertices lie in {}", path, box_words(box)));
  return vertices;
}

}  // namespace pliant
