// What viewers ask for, one by one, between steps.
#include <fmt/format.h>

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/geometry/shapes.h"
#include "pliant/scene/build.h"
#include "pliant/server/session.h"

namespace pliant::server {
namespace {

constexpr double most_turn = 100;  // radians

}  // namespace

void Session::handle(int client, const Request& request) {
  // One that left while its requests waited.
  const bool here = std::find(clients_.begin(), clients_.end(), client) != clients_.end();
  if (!here && !std::holds_alternative<Joined>(request) && !std::holds_alternative<Upload>(request)) return;
  if (needs_the_wheel(request) && client != driver_) {
    send(client, error_message("somebody else drives; take the wheel first"));
    return;
  }
  try {
    std::visit([&](const auto& one) { on(client, one); }, request);
  } catch (const std::exception& error) {
    if (client == nobody)
      send_to_all(error_message(error.what()));
    else
      send(client, error_message(error.what()));
  }
}

// === Who is here, who drives

void Session::on(int client, const Joined&) {
  clients_.push_back(client);
  const bool drives = driver_ == nobody;
  if (drives) driver_ = client;
  Json names = Json::array();  // that `open` takes
  for (const ShapeInfo& shape : shapes()) names.push_back(shape.name);
  send(client, {{"type", "hello"},
                {"protocol", protocol_version},
                {"client", client},
                {"driver", drives},
                {"shapes", names}});
  send(client, scene_message(*stage_, version_));
  switches_.recorded_frames = recorder_ ? recorder_->frames() : 0;
  send(client, state_message(*stage_, switches_));
  for (const auto& [b, modes] : modes_) {
    if (modes.frequencies.size() == 0) continue;
    send(client, {{"type", "modes"},
                  {"body", b},
                  {"frequencies", std::vector<double>(modes.frequencies.begin(), modes.frequencies.end())}});
  }
  if (dirty_ || latest_.empty() || switches_.mode) latest_ = frames();
  outbox_.frames_to(client, latest_);
  give_wheel(driver_);
}

void Session::on(int client, const Left&) {
  std::erase(clients_, client);
  energy_askers_.erase(client);
  end_pulls(client);
  if (driver_ == client) driver_ = clients_.empty() ? nobody : clients_.front();
  give_wheel(driver_);
}

void Session::on(int client, const Wheel&) {
  if (driver_ != client) end_pulls(driver_);
  give_wheel(client);
}

void Session::give_wheel(int client) {
  driver_ = client;
  for (const int one : clients_)
    send(one, {{"type", "driver"}, {"driver", one == driver_}, {"clients", clients_.size()}});
}

// === Time

void Session::on(int, const Pause& pause) {
  switches_.paused = pause.on;
  single_steps_ = 0;
  next_step_ = Clock::now();
  state_changed_ = true;
}

void Session::on(int, const StepOnce&) {
  end_specials();
  if (!switches_.paused) state_changed_ = true;
  switches_.paused = true;
  single_steps_ = std::min(single_steps_ + 1, 1000);
}

void Session::on(int, const Reset&) {
  end_specials();
  end_recording();
  pulls_.clear();
  stage_->restart();
  if (ghost_ && ghost_steps_)
    ghost_restarts_ = true;
  else if (ghost_)
    ghost_->start(*stage_);
  ghost_surfaces_.clear(), ghost_error_.reset();
  next_step_ = Clock::now();
  dirty_ = true;
}

// === Pulling and setting

std::size_t Session::checked_body(int body) const {
  if (body < 0 || static_cast<std::size_t>(body) >= stage_->size())
    throw InputError(fmt::format("body {} given; expected 0 to {}", body, stage_->size() - 1));
  return static_cast<std::size_t>(body);
}

void Session::on(int client, const Pull& pull) {
  if (pose_) throw InputError("pull: a pose is being edited; expected that to end first");
  const std::size_t b = checked_body(pull.body);
  const DrawnBody& drawn = stage_->drawn(b);
  if (pull.point >= drawn.surface)
    throw InputError(fmt::format("pull: point {} given; expected 0 to {}", pull.point, drawn.surface - 1));
  const int vertex = drawn.pick[static_cast<std::size_t>(pull.point)];
  const Vector3d reach = Vector3d::Constant(100 * stage_->diagonal());
  const Vector3d target = pull.target.cwiseMax(stage_->low() - reach).cwiseMin(stage_->high() + reach);
  const auto found = pulls_.find({client, pull.id});
  if (found != pulls_.end()) {
    if (found->second.body == b && found->second.vertex == vertex) {
      stage_->simulator(b).move_drag(found->second.drag, target);
      return;
    }
    let_go(found->second);
    pulls_.erase(found);
  }
  if (pulls_.size() >= 64) throw InputError("pull: 64 at once are enough; expected some to be released");
  const int drag = stage_->simulator(b).begin_drag(vertex, target, std::clamp(pull.strength, 0.0, 100.0));
  pulls_[{client, pull.id}] = {b, vertex, drag};
}

void Session::on(int client, const Release& release) {
  const auto found = pulls_.find({client, release.id});
  if (found == pulls_.end()) return;
  let_go(found->second);
  pulls_.erase(found);
}

/// Does nothing where the body has forgotten it, as one does whose state was restored.
void Session::let_go(const Held& held) {
  Simulator& simulator = stage_->simulator(held.body);
  const std::vector<Drag>& drags = simulator.drags();
  if (std::any_of(drags.begin(), drags.end(), [&](const Drag& drag) { return drag.id == held.drag; }))
    simulator.end_drag(held.drag);
}

void Session::end_pulls(int client) {
  for (auto at = pulls_.begin(); at != pulls_.end();) {
    if (at->first.first != client) {
      ++at;
      continue;
    }
    let_go(at->second);
    at = pulls_.erase(at);
  }
}

void Session::on(int, const Set& set) {
  Settings wanted = stage_->settings();
  if (set.stiffness) wanted.stiffness = *set.stiffness;
  if (set.volume) wanted.volume = *set.volume;
  if (set.damping) wanted.damping = *set.damping;
  if (set.time_step) wanted.time_step = *set.time_step;
  if (set.iterations && wanted.iterations > 0) wanted.iterations = std::max(1, *set.iterations);
  if (set.gravity) wanted.gravity = *set.gravity;
  if (set.floor) {
    wanted.floor = set.floor->on;
    if (set.floor->height) wanted.floor_height = *set.floor->height;
  }
  if (set.sphere) {
    wanted.sphere = set.sphere->on;
    if (set.sphere->center) wanted.sphere_center = *set.sphere->center;
    if (set.sphere->radius) wanted.sphere_radius = *set.sphere->radius;
  }
  if (pose_ && (set.gravity || set.damping))
    throw InputError("set: a pose is being edited, without gravity; expected that to end first");
  stage_->set(wanted);
  if (pose_) pose_->calm();
  if (set.real_time) {
    switches_.real_time = *set.real_time;
    next_step_ = Clock::now();
  }
  state_changed_ = true;
}

void Session::on(int client, const Show& show) {
  if (show.energy)
    energy_askers_.insert(client);
  else
    energy_askers_.erase(client);
}

void Session::on(int client, const AskPositions& asked) {
  const std::size_t b = checked_body(asked.body);
  const DrawnBody& drawn = stage_->drawn(b);
  for (const int p : asked.points)
    if (p >= drawn.points())
      throw InputError(fmt::format("positions: point {} given; expected 0 to {}", p, drawn.points() - 1));
  if (dirty_) publish(true);  // what is told is what was last seen
  const Points x = drawn_positions(drawn, stage_->simulator(b), asked.points);
  send(client, {{"type", "positions"},
                {"body", b},
                {"version", version_},
                {"time", stage_->time()},
                {"step", stage_->simulator(b).step_count()},
                {"values", std::vector<double>(x.data(), x.data() + x.size())}});
}

// === Modes and poses: time stands while they are shown

void Session::end_specials() {
  if (switches_.mode) switches_.mode.reset(), state_changed_ = dirty_ = true;
  if (!pose_) return;
  pose_.reset();
  switches_.edit.reset();
  if (ghost_ && ghost_steps_)
    ghost_restarts_ = true;
  else if (ghost_)
    ghost_->start(*stage_);
  state_changed_ = dirty_ = true;
  next_step_ = Clock::now();
}

void Session::on(int client, const ModeChoice& mode) {
  if (!mode.index) {
    end_specials();
    next_step_ = Clock::now();
    return;
  }
  const std::size_t b = checked_body(mode.body);
  const int count = mode_count(stage_->simulator(b));
  if (*mode.index >= count)
    throw InputError(count == 0
                         ? "mode: this body has none to show; expected a reduced one"
                         : fmt::format("mode: index {} given; expected 0 to {}", *mode.index, count - 1));
  if (const auto found = modes_.find(b); found != modes_.end()) {
    if (*mode.index >= found->second.frequencies.size())
      throw InputError(
          fmt::format("mode: index {} given; {} were found", *mode.index, found->second.frequencies.size()));
    if (pose_) end_specials();
    if (!switches_.mode) mode_start_ = Clock::now();
    switches_.mode = mode;
    switches_.mode->amplitude = std::clamp(mode.amplitude, -1.0, 1.0);
    state_changed_ = true;
    return;
  }
  prepare("modes", [this, client, mode, b, stage = stage_](const Progress& progress) {
    // A hyper-reduced model does not know its material; the words of its body do.
    std::optional<PhysicalBody> physical;
    if (stage->words(b) && stage->simulator(b).kind() == "hrpd")
      physical = build_physical_body(*stage->words(b), "body", stage->folder(), progress);
    auto modes = std::make_shared<BodyModes>(
        body_modes(stage->simulator(b), stage->drawn(b), physical ? &physical->body : nullptr, progress));
    return Background::Finish([this, client, mode, b, stage, modes] {
      if (stage != stage_) return;
      send_to_all(
          {{"type", "modes"},
           {"body", b},
           {"frequencies", std::vector<double>(modes->frequencies.begin(), modes->frequencies.end())}});
      modes_[b] = std::move(*modes);
      handle(client, mode);
    });
  });
}

void Session::on(int, const Edit& edit) {
  end_specials();
  if (!edit.on) return;
  const std::size_t b = checked_body(edit.body);
  for (const int one : std::vector<int>(clients_)) end_pulls(one);
  pose_ = std::make_unique<BodyPose>(*stage_, b);
  switches_.edit = edit.body;
  state_changed_ = true;
}

/// As far as pulls reach.
Vector3d Session::within_reach(const Vector3d& way) const {
  const double most = 100 * stage_->diagonal();
  return way.cwiseMax(-most).cwiseMin(most);
}

void Session::on(int, const EditHandles& edit) {
  if (!pose_) throw InputError("edit_handles: no pose is being edited; expected edit first");
  std::vector<EditedHandle> handles = edit.handles;
  for (EditedHandle& handle : handles) {
    handle.translation = within_reach(handle.translation);
    handle.rotation = handle.rotation.cwiseMax(-most_turn).cwiseMin(most_turn);
  }
  pose_->set_handles(handles);
}

void Session::on(int, const EditMove& edit) {
  if (!pose_) throw InputError("edit_move: no pose is being edited; expected edit first");
  pose_->move_handle(edit.handle, within_reach(edit.translation),
                     edit.rotation.cwiseMax(-most_turn).cwiseMin(most_turn));
}

}  // namespace pliant::server
