#include "pliant/geometry/shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "pliant/base/error.h"
#include "pliant/geometry/letters.h"
#include "pliant/geometry/structured_shapes.h"
#include "pliant/geometry/stuffed_shapes.h"

namespace pliant {
namespace {

using detail::Target;

struct Solid {
  const char* name;
  const char* description;
  std::function<TetMesh(const Target&, const ShapeOptions&)> make;
};

struct Shell {
  const char* name;
  const char* description;
  std::function<TriMesh(const Target&, const ShapeOptions&)> make;
};

double thickness_or(const ShapeOptions& options, double own) {
  return options.thickness > 0 ? options.thickness : own;
}

TetMesh stuffed(detail::ImplicitFamily family, const Target& target, const ShapeOptions& options) {
  return detail::stuffed_shape(family, target, options.graded, options.progress);
}

const std::vector<Solid>& solids() {
  static const std::vector<Solid> table = {
      {"bar", "a bar along x, 1 x 0.25 x 0.25 m",
       [](const Target& target, const ShapeOptions& options) {
         return detail::blocks_shape(detail::bar_blocks(thickness_or(options, 0.25)), target);
       }},
      {"plate", "a lying square plate, 1 x 0.04 x 1 m",
       [](const Target& target, const ShapeOptions& options) {
         return detail::blocks_shape(detail::plate_blocks(thickness_or(options, 0.04)), target);
       }},
      {"cylinder", "an upright cylinder, 1 m high, 0.3 m across",
       [](const Target& target, const ShapeOptions& options) {
         return detail::cylinder_shape(thickness_or(options, 0.3) / 2, 1, target);
       }},
      {"tube", "an upright pipe, 1 m high, 0.4 m across, its wall 0.06 m",
       [](const Target& target, const ShapeOptions& options) {
         return detail::tube_shape(0.2, std::min(0.18, thickness_or(options, 0.06)), 1, target);
       }},
      {"u_beam", "a square beam bent to a U, 0.8 x 1 x 0.2 m",
       [](const Target& target, const ShapeOptions&) {
         return detail::blocks_shape(detail::u_beam_blocks(), target);
       }},
      {"fork", "a handle, a bridge and three tines, 0.5 x 1 x 0.1 m",
       [](const Target& target, const ShapeOptions&) {
         return detail::blocks_shape(detail::fork_blocks(), target);
       }},
      {"menger_sponge", "a cube drilled through and through, 1 m wide (option level)",
       [](const Target& target, const ShapeOptions& options) {
         const Index tets = target.vertices ? 4 * target.count : target.count;
         const int level = options.level > 0 ? options.level : tets < 1750 ? 1 : 2;
         return detail::blocks_shape(detail::menger_sponge_blocks(level), target);
       }},
      {"sphere", "a ball, 1 m across",
       [](const Target& target, const ShapeOptions& options) {
         return stuffed([](double) { return detail::sphere(); }, target, options);
       }},
      {"capsule", "a lying capsule, 1 m long, 0.3 m thick",
       [](const Target& target, const ShapeOptions& options) {
         return stuffed([](double) { return detail::capsule(); }, target, options);
       }},
      {"torus", "a lying ring, 1 m across, 0.28 m thick",
       [](const Target& target, const ShapeOptions& options) {
         return stuffed([](double) { return detail::torus(); }, target, options);
       }},
      {"cactus", "a trunk with two bent arms, 1 m high",
       [](const Target& target, const ShapeOptions& options) {
         return stuffed(&detail::cactus, target, options);
       }},
      {"letters", "a line of text on a rail, 1 m long (option text)",
       [](const Target& target, const ShapeOptions& options) {
         return stuffed([&](double thinnest) { return detail::letters(options.text, thinnest); }, target,
                        options);
       }},
      {"squid", "a squid standing on eight curled arms, two tentacles held up, 1 m high",
       [](const Target& target, const ShapeOptions& options) {
         return stuffed(&detail::squid, target, options);
       }},
      {"bear", "a small bear standing, 1 m high",
       [](const Target& target, const ShapeOptions& options) {
         return stuffed(&detail::bear, target, options);
       }},
  };
  return table;
}

const std::vector<Shell>& shells() {
  static const std::vector<Shell> table = {
      {"plate_shell", "a lying square sheet, 1 x 1 m",
       [](const Target& target, const ShapeOptions&) { return detail::plate_shell(1, target); }},
      {"cylinder_shell", "an upright cylinder without lids, 1 m high, 0.5 m across",
       [](const Target& target, const ShapeOptions& options) {
         return detail::cylinder_shell(thickness_or(options, 0.5) / 2, 1, target);
       }},
      {"glove", "a bag in the shape of a hand, 1 m high, open at the wrist",
       [](const Target& target, const ShapeOptions& options) {
         return detail::cut_shell(&detail::hand, target, options.progress);
       }},
  };
  return table;
}

std::string names_of(ShapeKind kind) {
  std::vector<std::string> names;
  for (const ShapeInfo& shape : shapes())
    if (shape.kind == kind) names.push_back(shape.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

template <class Table>
const auto& find_shape(const Table& table, std::string_view name, std::string_view who, ShapeKind kind) {
  for (const auto& shape : table)
    if (shape.name == name) return shape;
  for (const ShapeInfo& shape : shapes())
    if (shape.name == name)
      throw InputError(
          kind == ShapeKind::solid
              ? fmt::format("{}: {} is a shell; expected a solid; call make_shell for it", who, name)
              : fmt::format("{}: {} is a solid; expected a shell; call make_shape for it", who, name));
  throw InputError(
      fmt::format("{}: no shape is called \"{}\"; expected one of {}", who, name, names_of(kind)));
}

void check_options(const ShapeOptions& options, std::string_view who) {
  constexpr Index most = 50'000'000;  // leaves 32-bit ids room for the search around the target
  const auto check_count = [&](const char* what, Index count, Index least) {
    if (count < least || count > most)
      throw InputError(fmt::format("{}: {} is {}; expected {} to {}", who, what, count, least, most));
  };
  if (options.vertices != 0) check_count("vertices", options.vertices, 8);
  check_count("tets", options.tets, 1);
  check_count("triangles", options.triangles, 1);
  if (!(options.size > 0 && options.size < 1e9))
    throw InputError(fmt::format("{}: size is {}; expected above 0 and below 1e9", who, options.size));
  if (!(options.thickness >= 0 && options.thickness <= 1))
    throw InputError(fmt::format("{}: thickness is {}; expected 0 to 1 m", who, options.thickness));
  if (options.thickness > 0 && options.thickness < 1e-3)
    throw InputError(fmt::format("{}: thickness is {}; expected 0 (the shape's own) or at least 0.001 m", who,
                                 options.thickness));
  if (options.level < 0 || options.level > 4)
    throw InputError(fmt::format("{}: level is {}; expected 0 to 4", who, options.level));
}

}  // namespace

const std::vector<ShapeInfo>& shapes() {
  static const std::vector<ShapeInfo> list = [] {
    std::vector<ShapeInfo> all;
    for (const Solid& solid : solids()) all.push_back({solid.name, solid.description, ShapeKind::solid});
    for (const Shell& shell : shells()) all.push_back({shell.name, shell.description, ShapeKind::shell});
    return all;
  }();
  return list;
}

TetMesh make_shape(std::string_view name, const ShapeOptions& options) {
  const Solid& solid = find_shape(solids(), name, "make_shape", ShapeKind::solid);
  check_options(options, "make_shape");
  const bool by_vertices = options.vertices > 0;
  TetMesh mesh = solid.make({by_vertices ? options.vertices : options.tets, by_vertices}, options);
  if (options.size != 1) mesh.vertices *= options.size;
  return mesh;
}

TriMesh make_shell(std::string_view name, const ShapeOptions& options) {
  const Shell& shell = find_shape(shells(), name, "make_shell", ShapeKind::shell);
  check_options(options, "make_shell");
  const bool by_vertices = options.vertices > 0;
  TriMesh mesh = shell.make({by_vertices ? options.vertices : options.triangles, by_vertices}, options);
  if (options.size != 1) mesh.vertices *= options.size;
  return mesh;
}

}  // namespace pliant
