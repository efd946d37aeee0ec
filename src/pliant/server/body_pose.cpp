#include "pliant/server/body_pose.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "pliant/base/error.h"
#include "pliant/reduced/newmark_broyden.h"

namespace pliant::server {
namespace {

constexpr int samples = 150;         // held vertices of a region, at most
constexpr int most_steps = 600;      // until a held body must rest
constexpr double damping = 8;        // 1/s
constexpr double rest_speed = 2e-3;  // box diagonals a second

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

BodyPose::BodyPose(Stage& stage, std::size_t body)
    : stage_(stage),
      body_(body),
      simulator_(stage.simulator(body)),
      before_(simulator_.save()),
      held_before_(simulator_.fixed()) {
  clock_ = simulator_.time();
  if (auto* fem = dynamic_cast<NewmarkBroyden*>(&simulator_)) {
    editor_.emplace(fem->model());
    editor_->set_q(fem->coordinates());
  }
  calm();
}

void BodyPose::calm() {
  if (editor_) return;
  simulator_.set_gravity(Vector3d::Zero());
  simulator_.set_damping(damping);
}

BodyPose::~BodyPose() {
  simulator_.restore(before_);
  stage_.apply_settings(body_);
}

void BodyPose::set_handles(const std::vector<EditedHandle>& wanted) {
  const DrawnBody& drawn = stage_.drawn(body_);
  std::vector<Handle> handles;
  for (const EditedHandle& one : wanted) {
    Handle handle;
    handle.centre = Vector3d::Zero();
    for (const int p : one.points) {
      if (p >= drawn.surface)
        throw InputError(fmt::format("edit: point {} given; expected 0 to {}", p, drawn.surface - 1));
      *handle.centre += drawn.rest.row(p).transpose() / static_cast<double>(one.points.size());
      const int vertex = drawn.pick[static_cast<std::size_t>(p)];
      if (!std::binary_search(held_before_.begin(), held_before_.end(), vertex))
        handle.vertices.push_back(vertex);
    }
    std::sort(handle.vertices.begin(), handle.vertices.end());
    handle.vertices.erase(std::unique(handle.vertices.begin(), handle.vertices.end()), handle.vertices.end());
    if (handle.vertices.empty())
      throw InputError("edit: a handle without a vertex that can move; expected some points of the surface");
    handle.translation = one.translation;
    handle.rotation = one.rotation;
    handles.push_back(std::move(handle));
  }
  handles_ = std::move(handles);
  if (editor_)
    editor_->set_handles(handles_, {.samples = samples, .stiffness = 0});
  else
    hold();
  settled_ = false;
}

void BodyPose::hold() {
  if (!held_.empty()) simulator_.release(held_);
  held_.clear();
  springs_ = {};
  if (handles_.empty()) return;
  springs_ = sample_handles(stage_.rest_positions(body_), handles_, {.samples = samples, .stiffness = 1});
  held_ = springs_.vertices;
  simulator_.fix(held_);
  move_held();
}

void BodyPose::move_held() {
  steps_ = 0, milliseconds_ = 0;
  if (!held_.empty()) simulator_.move_fixed(held_, handle_targets(springs_, handles_));
}

void BodyPose::move_handle(int handle, const Vector3d& translation, const Vector3d& rotation) {
  if (handle < 0 || handle >= static_cast<int>(handles_.size()))
    throw InputError(fmt::format("edit: handle {} given; there are {}", handle, handles_.size()));
  handles_[static_cast<std::size_t>(handle)].translation = translation;
  handles_[static_cast<std::size_t>(handle)].rotation = rotation;
  if (editor_)
    editor_->move_handle(handle, translation, rotation);
  else
    move_held();
  settled_ = false;
}

std::optional<Json> BodyPose::advance() {
  if (settled_) return std::nullopt;
  const auto start = std::chrono::steady_clock::now();
  if (editor_) {
    settled_ = true;
    return solve();
  }
  simulator_.step();
  simulator_.set_time(clock_);
  ++steps_;
  milliseconds_ += milliseconds_since(start);
  const DrawnBody& drawn = stage_.drawn(body_);
  std::vector<int> some;
  const std::size_t stride = std::max<std::size_t>(1, drawn.pick.size() / 200);
  for (std::size_t p = 0; p < drawn.pick.size(); p += stride) some.push_back(drawn.pick[p]);
  Points velocities;
  simulator_.velocities_of(some, velocities);
  const bool rests = steps_ > 5 && velocities.rowwise().norm().maxCoeff() < rest_speed * stage_.diagonal();
  if (!rests && steps_ < most_steps) return std::nullopt;
  settled_ = true;
  double error = 0;
  if (!held_.empty()) {
    Points now;
    simulator_.positions_of(held_, now);
    error = std::sqrt((now - handle_targets(springs_, handles_)).rowwise().squaredNorm().mean());
  }
  return Json{{"type", "pose"},        {"body", body_},
              {"iterations", steps_},  {"milliseconds", milliseconds_},
              {"handle_error", error}, {"converged", rests}};
}

Json BodyPose::solve() {
  const auto start = std::chrono::steady_clock::now();
  const PoseReport report = editor_->solve({.max_iterations = 300});
  const VectorXd& q = editor_->q();
  dynamic_cast<NewmarkBroyden&>(simulator_).set_coordinates(q, VectorXd::Zero(q.size()));
  return Json{{"type", "pose"},
              {"body", body_},
              {"iterations", report.iterations},
              {"milliseconds", milliseconds_since(start)},
              {"handle_error", report.handle_error},
              {"converged", report.converged}};
}

}  // namespace pliant::server
