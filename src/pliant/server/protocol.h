#pragma once
// The words between server and viewer, as docs/protocol.md has them: what a viewer may ask for, and frames.
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant::server {

using Json = nlohmann::ordered_json;
/// Made once, sent to many.
using Bytes = std::shared_ptr<const std::string>;

inline constexpr int protocol_version = 1;
inline constexpr std::size_t longest_message = 64 * 1024;  ///< bytes of text that a viewer may send at once

// === What a viewer asks for

struct Wheel {};  ///< to be the one who drives
struct Pause {
  bool on = true;
};
struct StepOnce {};
struct Reset {};
/// Begins this viewer's pull, or moves it.
struct Pull {
  int body = 0, point = 0;
  Vector3d target = Vector3d::Zero();
  double strength = 1;
  int id = 0;
};
struct Release {
  int id = 0;
};
struct FloorWords {
  bool on = false;
  std::optional<double> height;
};
struct SphereWords {
  bool on = false;
  std::optional<Vector3d> center;
  std::optional<double> radius;
};
struct Set {
  std::optional<double> stiffness, volume, damping, time_step;
  std::optional<int> iterations;
  std::optional<Vector3d> gravity;
  std::optional<bool> real_time;
  std::optional<FloorWords> floor;
  std::optional<SphereWords> sphere;
};
struct Rebuild {
  int body = 0;
  std::string method;
  Json parameters = Json::object();
};
struct GhostSwitch {
  bool on = false;
};
struct Show {
  bool energy = false;
};
/// A mode that swings; without an index: none any more.
struct ModeChoice {
  int body = 0;
  std::optional<int> index;
  double amplitude = 0.1;  ///< largest displacement, in box diagonals
};
struct Record {
  bool on = false;
};
struct Edit {
  bool on = false;
  int body = 0;
};
struct EditedHandle {
  std::vector<int> points;
  Vector3d translation = Vector3d::Zero();
  Vector3d rotation = Vector3d::Zero();  ///< axis times angle, radians
};
struct EditHandles {
  std::vector<EditedHandle> handles;
};
struct EditMove {
  int handle = 0;
  Vector3d translation = Vector3d::Zero();
  Vector3d rotation = Vector3d::Zero();
};
struct AskPositions {
  int body = 0;
  std::vector<int> points;
};
struct OpenShape {
  std::string shape;
};

// === What happens without a message

struct Joined {};
struct Left {};
/// A mesh or a model that was sent as a file.
struct Upload {
  std::string name;
  Bytes bytes;
};

using Request =
    std::variant<Wheel, Pause, StepOnce, Reset, Pull, Release, Set, Rebuild, GhostSwitch, Show, ModeChoice,
                 Record, Edit, EditHandles, EditMove, AskPositions, OpenShape, Joined, Left, Upload>;

/// Only the viewer who drives may ask for it.
bool needs_the_wheel(const Request& request);

/// Throws InputError, with a sentence, for anything that the protocol does not have.
Request read_request(std::string_view text);

// === Frames

enum class FrameKind : std::uint32_t { coordinates = 1, positions = 2, ghost = 3 };

struct FrameHeader {
  FrameKind kind = FrameKind::coordinates;
  std::uint32_t version = 0;  ///< of the scene
  std::uint16_t body = 0;
  bool paused = false;
  double time = 0;  ///< seconds, simulated
};
inline constexpr std::size_t frame_header_bytes = 24;

Bytes coordinates_frame(const FrameHeader& header, std::span<const float> coordinates);
/// Sixteen bits a number, between the corners of the box of these points.
Bytes positions_frame(const FrameHeader& header, const Points& points);

// === Sentences

Bytes text(const Json& message);
Json to_json(const Vector3d& v);

}  // namespace pliant::server
