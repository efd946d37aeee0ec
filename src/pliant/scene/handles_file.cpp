#include "pliant/scene/handles_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/io/input_file.h"
#include "pliant/scene/region.h"

namespace pliant {
namespace {

ObjectType handle_type() {
  const Json zero = {0, 0, 0};
  return {.name = "handle",
          .text = "a part of a body that is moved and turned as a whole; held where it is without either",
          .fields = {
              {"where", object(region_type()), {}, "which part", true},
              {"translation", vector3(), zero, "m"},
              {"rotation_axis", vector3(), Json{0, 1, 0}, "direction of the axis"},
              {"rotation_degrees", number(), 0.0, "about the axis; may exceed 360"},
              {"center", vector3(), {}, "a point on the axis, m; the middle of the part by default"},
              {"stiffness", between(1e-6, 1e6), 1.0, "factor on how firmly a handle holds by default"},
          }};
}

Handle to_handle(const Json& json, const HandleBody& body, const std::string& path) {
  Handle handle;
  handle.vertices = select_vertices(json["where"], body.rest_positions, path + ".where");
  handle.translation = to_vector3(json["translation"]);
  const Vector3d axis = to_vector3(json["rotation_axis"]);
  if (!(axis.norm() > 0)) throw InputError(path + ".rotation_axis is zero; expected a direction");
  handle.rotation = json["rotation_degrees"].get<double>() * M_PI / 180 * axis.normalized();
  if (json.contains("center")) handle.centre = to_vector3(json["center"]);
  handle.stiffness = json["stiffness"].get<double>() * body.stiffness;

  const auto is_fixed = [&](int v) { return std::binary_search(body.fixed.begin(), body.fixed.end(), v); };
  const bool moves = !handle.translation.isZero(0) || !handle.rotation.isZero(0);
  if (moves && std::all_of(handle.vertices.begin(), handle.vertices.end(), is_fixed))
    throw InputError(fmt::format(
        "{}.where selects {} vertices that are all fixed in the body; expected some that can move", path,
        handle.vertices.size()));
  return handle;
}

}  // namespace

const ObjectType& handles_type() {
  static const ObjectType type{
      .name = "handles file",
      .text = "parts of a body that are moved and turned by hand",
      .fields = {
          {"$schema", text(), {}, "where the schema is, for editors"},
          {"handles", list_of(object(handle_type()), 1), {}, "which parts go where", true},
          {"samples", integer(1, 1e6), 150, "springs that pull a handle, at most"},
      }};
  return type;
}

Json handles_schema() { return json_schema(handles_type(), "Pliant handles"); }

HandlesFile read_handles_text(std::string_view text, const HandleBody& body) {
  const Json json = validate(parse_json(text), handles_type());
  HandlesFile file;
  file.samples = json["samples"].get<int>();
  for (std::size_t i = 0; i < json["handles"].size(); ++i)
    file.handles.push_back(to_handle(json["handles"][i], body, fmt::format("handles[{}]", i)));
  return file;
}

HandlesFile read_handles(const std::filesystem::path& file, const HandleBody& body) {
  const InputFile input(file);
  return with_context(file.string(), [&] { return read_handles_text(input.bytes(), body); });
}

}  // namespace pliant
