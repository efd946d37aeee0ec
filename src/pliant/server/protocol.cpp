#include "pliant/server/protocol.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "pliant/base/error.h"

namespace pliant::server {
namespace {

static_assert(std::endian::native == std::endian::little,
              "frames are little-endian, as this machine must be");

constexpr std::size_t most_points = 20000;  // in one message
constexpr std::size_t most_handles = 256;

// === Reading fields

[[noreturn]] void refuse(const char* key, const char* expected) {
  throw InputError(fmt::format("message: {} is missing or of another kind; expected {}", key, expected));
}

bool to_bool(const Json& value, const char* key) {
  if (!value.is_boolean()) refuse(key, "true or false");
  return value.get<bool>();
}

double to_number(const Json& value, const char* key) {
  if (!value.is_number()) refuse(key, "a number");
  const double number = value.get<double>();
  if (!std::isfinite(number)) refuse(key, "a finite number");
  return number;
}

int to_int(const Json& value, const char* key, double low = 0, double high = 2147483647) {
  const double number = to_number(value, key);
  if (number != std::floor(number) || number < low || number > high)
    refuse(key, "a whole number in its range");
  return static_cast<int>(number);
}

Vector3d to_vector(const Json& value, const char* key) {
  if (!value.is_array() || value.size() != 3) refuse(key, "three numbers");
  return {to_number(value[0], key), to_number(value[1], key), to_number(value[2], key)};
}

std::vector<int> to_ids(const Json& value, const char* key) {
  if (!value.is_array() || value.size() > most_points) refuse(key, "a list of up to 20000 whole numbers");
  std::vector<int> ids;
  ids.reserve(value.size());
  for (const Json& one : value) ids.push_back(to_int(one, key));
  return ids;
}

std::string to_word(const Json& value, const char* key) {
  if (!value.is_string() || value.get_ref<const std::string&>().size() > 200) refuse(key, "a word");
  return value.get<std::string>();
}

/// An object whose keys are asked for one by one; what is left over is refused in the end.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}

  const Json* find(const char* key) {
    const auto at = object_.find(key);
    if (at == object_.end()) return nullptr;
    ++found_;
    return &*at;
  }
  const Json& need(const char* key) {
    const Json* value = find(key);
    if (!value) refuse(key, "one");
    return *value;
  }
  template <class Read, class T>
  void maybe(const char* key, Read read, T& out) {
    if (const Json* value = find(key)) out = read(*value, key);
  }
  void end(const char* what) const {
    if (found_ != object_.size())
      throw InputError(fmt::format("message: {} has a key that the protocol does not know", what));
  }

 private:
  const Json& object_;
  std::size_t found_ = 0;
};

const Json& to_object(const Json& value, const char* key) {
  if (!value.is_object()) refuse(key, "an object");
  return value;
}

int to_id(const Json& value, const char* key) {
  return to_int(value, key, 0, std::numeric_limits<int>::max());
}

// === Each request

Set read_set(Fields& fields) {
  Set set;
  fields.maybe("stiffness", to_number, set.stiffness);
  fields.maybe("volume", to_number, set.volume);
  fields.maybe("damping", to_number, set.damping);
  fields.maybe("time_step", to_number, set.time_step);
  fields.maybe(
      "iterations", [](const Json& v, const char* key) { return to_int(v, key); }, set.iterations);
  fields.maybe("gravity", to_vector, set.gravity);
  fields.maybe("real_time", to_bool, set.real_time);
  if (const Json* value = fields.find("floor")) {
    Fields floor(to_object(*value, "floor"));
    set.floor.emplace();
    set.floor->on = to_bool(floor.need("on"), "floor.on");
    floor.maybe("height", to_number, set.floor->height);
    floor.end("floor");
  }
  if (const Json* value = fields.find("sphere")) {
    Fields sphere(to_object(*value, "sphere"));
    set.sphere.emplace();
    set.sphere->on = to_bool(sphere.need("on"), "sphere.on");
    sphere.maybe("center", to_vector, set.sphere->center);
    sphere.maybe("radius", to_number, set.sphere->radius);
    sphere.end("sphere");
  }
  return set;
}

Pull read_pull(Fields& fields) {
  Pull pull;
  pull.body = to_int(fields.need("body"), "body");
  pull.point = to_int(fields.need("point"), "point");
  pull.target = to_vector(fields.need("target"), "target");
  fields.maybe("strength", to_number, pull.strength);
  fields.maybe("id", to_id, pull.id);
  return pull;
}

Rebuild read_rebuild(Fields& fields) {
  Rebuild rebuild;
  rebuild.body = to_int(fields.need("body"), "body");
  rebuild.method = to_word(fields.need("method"), "method");
  if (const Json* value = fields.find("parameters")) rebuild.parameters = to_object(*value, "parameters");
  if (rebuild.parameters.size() > 100) refuse("parameters", "a few");
  return rebuild;
}

ModeChoice read_mode(Fields& fields) {
  ModeChoice mode;
  fields.maybe(
      "body", [](const Json& v, const char* key) { return to_int(v, key); }, mode.body);
  fields.maybe(
      "index", [](const Json& v, const char* key) { return to_int(v, key); }, mode.index);
  fields.maybe("amplitude", to_number, mode.amplitude);
  return mode;
}

EditHandles read_handles(Fields& fields) {
  const Json& list = fields.need("handles");
  if (!list.is_array() || list.size() > most_handles) refuse("handles", "a list of up to 256");
  EditHandles all;
  for (const Json& one : list) {
    Fields words(to_object(one, "handles"));
    EditedHandle handle;
    handle.points = to_ids(words.need("points"), "points");
    words.maybe("translation", to_vector, handle.translation);
    words.maybe("rotation", to_vector, handle.rotation);
    words.end("a handle");
    all.handles.push_back(std::move(handle));
  }
  return all;
}

EditMove read_move(Fields& fields) {
  EditMove move;
  move.handle = to_int(fields.need("handle"), "handle");
  fields.maybe("translation", to_vector, move.translation);
  fields.maybe("rotation", to_vector, move.rotation);
  return move;
}

Request read_fields(const std::string& type, Fields& fields) {
  const auto on = [&] { return to_bool(fields.need("on"), "on"); };
  if (type == "pull") return read_pull(fields);
  if (type == "release") {
    Release release;
    fields.maybe("id", to_id, release.id);
    return release;
  }
  if (type == "set") return read_set(fields);
  if (type == "wheel") return Wheel{};
  if (type == "pause") return Pause{on()};
  if (type == "step") return StepOnce{};
  if (type == "reset") return Reset{};
  if (type == "rebuild") return read_rebuild(fields);
  if (type == "ghost") return GhostSwitch{on()};
  if (type == "show") return Show{to_bool(fields.need("energy"), "energy")};
  if (type == "mode") return read_mode(fields);
  if (type == "record") return Record{on()};
  if (type == "edit") {
    Edit edit{on()};
    fields.maybe(
        "body", [](const Json& v, const char* key) { return to_int(v, key); }, edit.body);
    return edit;
  }
  if (type == "edit_handles") return read_handles(fields);
  if (type == "edit_move") return read_move(fields);
  if (type == "positions")
    return AskPositions{to_int(fields.need("body"), "body"), to_ids(fields.need("points"), "points")};
  if (type == "open") return OpenShape{to_word(fields.need("shape"), "shape")};
  throw InputError("message: type is not a word of the protocol");
}

}  // namespace

bool needs_the_wheel(const Request& request) {
  return !(std::holds_alternative<Wheel>(request) || std::holds_alternative<Show>(request) ||
           std::holds_alternative<AskPositions>(request) || std::holds_alternative<Joined>(request) ||
           std::holds_alternative<Left>(request) || std::holds_alternative<Upload>(request));
}

Request read_request(std::string_view message) {
  const Json json = Json::parse(message, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) throw InputError("message: not JSON; expected an object");
  Fields fields(json);
  const std::string type = to_word(fields.need("type"), "type");
  Request request = read_fields(type, fields);
  fields.end(type.c_str());
  return request;
}

// === Frames

namespace {

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::string with_header(const FrameHeader& header, std::uint32_t count, std::size_t payload) {
  std::string bytes(frame_header_bytes + payload, '\0');
  put(bytes, 0, static_cast<std::uint32_t>(header.kind));
  put(bytes, 4, header.version);
  put(bytes, 8, header.body);
  put(bytes, 10, static_cast<std::uint16_t>(header.paused ? 1 : 0));
  put(bytes, 12, count);
  put(bytes, 16, header.time);
  return bytes;
}

}  // namespace

Bytes coordinates_frame(const FrameHeader& header, std::span<const float> coordinates) {
  auto bytes = std::make_shared<std::string>(
      with_header(header, static_cast<std::uint32_t>(coordinates.size()), coordinates.size_bytes()));
  std::memcpy(bytes->data() + frame_header_bytes, coordinates.data(), coordinates.size_bytes());
  return bytes;
}

Bytes positions_frame(const FrameHeader& header, const Points& points) {
  const auto numbers = static_cast<std::size_t>(points.size());
  auto bytes = std::make_shared<std::string>(
      with_header(header, static_cast<std::uint32_t>(numbers), 6 * sizeof(float) + 2 * numbers));
  float low[3] = {}, step[3] = {};
  for (int c = 0; c < 3 && points.rows() > 0; ++c) {
    low[c] = static_cast<float>(points.col(c).minCoeff());
    step[c] = static_cast<float>((points.col(c).maxCoeff() - static_cast<double>(low[c])) / 65535.0);
    if (!(step[c] > 0)) step[c] = 0;
  }
  std::memcpy(bytes->data() + frame_header_bytes, low, sizeof low);
  std::memcpy(bytes->data() + frame_header_bytes + sizeof low, step, sizeof step);
  char* out = bytes->data() + frame_header_bytes + sizeof low + sizeof step;
  const double* in = points.data();
  double scale[3];
  for (int c = 0; c < 3; ++c) scale[c] = step[c] > 0 ? 1 / static_cast<double>(step[c]) : 0;
  for (std::size_t i = 0; i < numbers; i += 3)
    for (std::size_t c = 0; c < 3; ++c) {
      const double u = (in[i + c] - static_cast<double>(low[c])) * scale[c] + 0.5;
      const auto rounded = static_cast<std::uint16_t>(u > 65535 ? 65535 : u > 0 ? u : 0);
      std::memcpy(out + 2 * (i + c), &rounded, 2);
    }
  return bytes;
}

// === Sentences

Bytes text(const Json& message) {
  return std::make_shared<const std::string>(message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json to_json(const Vector3d& v) { return Json::array({v.x(), v.y(), v.z()}); }

}  // namespace pliant::server
