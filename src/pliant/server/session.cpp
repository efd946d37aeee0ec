#include "pliant/server/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"

namespace pliant::server {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr double request_time = 0.005;    // seconds a turn
constexpr double furthest_behind = 0.25;  // seconds: then time is given up
constexpr double stats_interval = 0.25, progress_interval = 0.1, recorded_interval = 1.0 / 30;
constexpr double mode_rate = 0.6;  // swings a second that modes are shown with, whatever their own

template <class Point>
Point after(Point time, double seconds) {
  return time + std::chrono::duration_cast<typename Point::duration>(Seconds(seconds));
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

Session::Session(StageSource source, const std::string& title, const SessionOptions& options)
    : options_(options), stage_(std::make_shared<Stage>(std::move(source), title)) {
  switches_.paused = options.paused;
  switches_.real_time = options.real_time;
  for (std::size_t b = 0; b < stage_->size(); ++b)
    shelf_.put(fmt::format("/data/{}/{}", version_, b), stage_->data(b));
}

Session::~Session() { stop(); }

void Session::start(Outbox outbox) {
  outbox_ = std::move(outbox);
  thread_ = std::thread([this] { run(); });
}

void Session::stop() {
  stop_ = true;
  queue_.wake();
  if (thread_.joinable()) thread_.join();
}

// === The loop

void Session::run() {
  next_step_ = last_stats_ = Clock::now();
  while (!stop_) {
    handle_requests();
    try {
      move_on();
      tell(Clock::now());
    } catch (const std::exception& error) {
      switches_.paused = true, single_steps_ = 0;
      pose_.reset();
      switches_.edit.reset(), switches_.mode.reset();
      state_changed_ = true;
      energy_askers_.clear();
      send_to_all(error_message(fmt::format("stopped: {}", error.what())));
    }
    wait(Clock::now());
  }
  pose_.reset();  // while the stage is there
}

/// No more than a part of the time: who asks much must not stop the body for the others.
void Session::handle_requests() {
  const Clock::time_point until = after(Clock::now(), request_time);
  do {
    if (next_asked_ == asked_.size()) asked_ = queue_.take(), next_asked_ = 0;
    if (asked_.empty()) return;
    const Asked asked = std::move(asked_[next_asked_++]);
    handle(asked.client, asked.request);
  } while (!stop_ && Clock::now() < until);
}

void Session::move_on() {
  take_preparation();
  write_recording();
  take_ghost();
  const Clock::time_point now = Clock::now();
  if (pose_ && !pose_->settled()) {
    if (const std::optional<Json> report = pose_->advance()) send_to_all(*report);
    dirty_ = true;
  } else if (!pose_ && wants_step(now)) {
    step_once(now);
  }
}

bool Session::wants_step(Clock::time_point now) const {
  if (ghost_steps_ || switches_.mode) return false;
  if (single_steps_ > 0) return true;
  if (switches_.paused || (options_.pause_without_viewers && clients_.empty())) return false;
  return !switches_.real_time || now >= next_step_;
}

void Session::step_once(Clock::time_point now) {
  const double h = stage_->settings().time_step;
  if (single_steps_ > 0) {
    --single_steps_;
    next_step_ = now;
  } else {
    next_step_ = now - next_step_ > Seconds(furthest_behind) ? now : after(next_step_, h);
  }
  const Clock::time_point start = Clock::now();
  const StepReport report = stage_->step();
  statistics_.add(*stage_, report, 1e6 * Seconds(Clock::now() - start).count());
  ++steps_;
  if (ghost_) {
    ghost_->follow(*stage_);
    ghost_thread_.start([ghost = ghost_](const Progress&) {
      ghost->step();
      return Background::Finish();
    });
    ghost_steps_ = true;
  } else {
    dirty_ = true;
  }
  if (recorder_ && stage_->time() - recorder_->last_time() > recorded_interval - 1e-9) {
    if (!recorder_->add(*stage_)) {
      send_to_all(
          {{"type", "notice"}, {"message", "the recording is as long as there is memory for: it ends here"}});
      end_recording();
    } else if (recorder_->frames() % 30 == 0) {
      state_changed_ = true;
    }
  }
}

void Session::take_ghost() {
  const std::optional<Background::Result> result = ghost_thread_.take();
  if (!result) return;
  ghost_steps_ = false;
  dirty_ = true;
  if (!ghost_) return;
  if (!result->error.empty()) {
    ghost_.reset();
    switches_.ghost = false, state_changed_ = true;
    send_to_all(error_message("ghost: " + result->error));
    return;
  }
  if (std::exchange(ghost_restarts_, false)) ghost_->start(*stage_);
  ghost_surfaces_.resize(stage_->size());
  GhostError error;
  Index count = 0;
  Points own;
  for (std::size_t b = 0; b < stage_->size(); ++b) {
    const DrawnBody& drawn = stage_->drawn(b);
    ghost_->surface(b, drawn, ghost_surfaces_[b]);
    combine(drawn, stage_->simulator(b).positions(), drawn.surface, own);
    const VectorXd distance = (own - ghost_surfaces_[b]).rowwise().norm() / stage_->diagonal();
    error.mean += distance.sum();
    error.largest = std::max(error.largest, distance.maxCoeff());
    count += distance.size();
  }
  error.mean /= static_cast<double>(std::max<Index>(count, 1));
  ghost_error_ = error;
}

void Session::take_preparation() {
  std::optional<Background::Result> result = preparation_.take();
  if (!result) return;
  const std::string what = std::exchange(preparing_, {});
  std::string problem = result->error;
  try {
    if (problem.empty() && result->finish) result->finish();
  } catch (const std::exception& error) {
    problem = error.what();
  }
  send_to_all({{"type", "progress"}, {"what", what}, {"part", 1}, {"done", true}});
  if (!problem.empty()) {
    replace_all(problem, hidden_path_, "");
    replace_all(problem, "bodies[0].", "");
    send_to_all(error_message(problem));
    switches_.ghost = ghost_ != nullptr;
    switches_.recording = recorder_ != nullptr;
  }
  hidden_path_.clear();
  state_changed_ = true;
}

// === What is seen

std::vector<Bytes> Session::frames() {
  std::vector<Bytes> all;
  for (std::size_t b = 0; b < stage_->size(); ++b) {
    const DrawnBody& drawn = stage_->drawn(b);
    FrameHeader header{.version = version_,
                       .body = static_cast<std::uint16_t>(b),
                       .paused = switches_.paused || switches_.mode || pose_,
                       .time = stage_->time()};
    if (drawn.decode == Decode::positions) {
      header.kind = FrameKind::positions;
      Points points;
      drawn_positions(drawn, stage_->simulator(b), points);
      all.push_back(positions_frame(header, points));
    } else {
      std::vector<float> coordinates = drawn_coordinates(drawn, stage_->simulator(b));
      if (switches_.mode && static_cast<std::size_t>(switches_.mode->body) == b) {
        const double swing = switches_.mode->amplitude * stage_->diagonal() *
                             std::sin(2 * M_PI * mode_rate * Seconds(Clock::now() - mode_start_).count());
        coordinates = modes_[b].vectors[static_cast<std::size_t>(switches_.mode->index.value_or(0))];
        for (float& q : coordinates) q *= static_cast<float>(swing);
      }
      all.push_back(coordinates_frame(header, coordinates));
    }
    if (ghost_ && b < ghost_surfaces_.size() && ghost_surfaces_[b].rows() == drawn.surface) {
      header.kind = FrameKind::ghost;
      all.push_back(positions_frame(header, ghost_surfaces_[b]));
    }
  }
  return all;
}

void Session::publish(bool in_order) {
  latest_ = frames();
  if (!clients_.empty()) outbox_.frames(latest_, in_order);
  dirty_ = false;
}

void Session::tell(Clock::time_point now) {
  if (std::exchange(state_changed_, false)) {
    switches_.recorded_frames = recorder_ ? recorder_->frames() : 0;
    send_to_all(state_message(*stage_, switches_));
  }
  if (clients_.empty()) return;
  if ((dirty_ || switches_.mode) && now >= next_frame_) {
    publish();
    const double interval = 1 / options_.frames_per_second;
    next_frame_ = std::max(after(next_frame_, interval), after(now, 0.5 * interval));
  }
  if (!preparing_.empty() && now >= next_progress_) {
    const Background::State progress = preparation_.progress();
    send_to_all({{"type", "progress"},
                 {"what", progress.what.empty() ? preparing_ : preparing_ + ": " + progress.what},
                 {"part", progress.part},
                 {"done", false}});
    next_progress_ = after(now, progress_interval);
  }
  if (now < next_stats_) return;
  if (energy_askers_.empty()) {
    energy_.reset();
  } else if (now >= next_energy_) {
    // No more than a tenth of the time goes into it.
    energy_ = Measures();
    for (std::size_t b = 0; b < stage_->size(); ++b) {
      const Measures one = stage_->simulator(b).measure();
      energy_->kinetic += one.kinetic, energy_->elastic += one.elastic,
          energy_->gravitational += one.gravitational;
    }
    next_energy_ = after(Clock::now(), 9 * Seconds(Clock::now() - now).count());
  }
  statistics_.seconds = Seconds(now - last_stats_).count();
  send_to_all(stats_message(*stage_, statistics_, energy_, ghost_ ? ghost_error_ : std::nullopt));
  const StepReport last = statistics_.last;
  statistics_ = {};
  statistics_.last = last;
  last_stats_ = now;
  next_stats_ = after(now, stats_interval);
}

void Session::wait(Clock::time_point now) {
  if (stop_ || single_steps_ > 0 || (pose_ && !pose_->settled())) {
    if (!ghost_steps_ && !switches_.mode) return;
  }
  if (next_asked_ < asked_.size()) return;
  Clock::time_point due = after(now, 0.25);
  const bool runs = !switches_.paused && !pose_ && !switches_.mode && !ghost_steps_ &&
                    !(options_.pause_without_viewers && clients_.empty());
  if (runs) due = switches_.real_time ? std::min(due, next_step_) : now;
  if (!clients_.empty()) {
    due = std::min(due, next_stats_);
    if (dirty_ || switches_.mode) due = std::min(due, next_frame_);
    if (!preparing_.empty()) due = std::min(due, next_progress_);
  }
  if (due > now) queue_.wait_until(due);
}

// === Another scene

void Session::show(std::shared_ptr<Stage> stage, std::shared_ptr<ScratchFolder> files) {
  end_recording();
  end_specials();
  pulls_.clear();
  ghost_.reset(), ghost_surfaces_.clear(), ghost_error_.reset();
  switches_.ghost = false;
  modes_.clear();
  stage_ = std::move(stage);
  motion_.reset();
  files_ = std::move(files);
  announce_scene();
}

void Session::announce_scene() {
  ++version_;
  for (std::size_t b = 0; b < stage_->size(); ++b)
    shelf_.put(fmt::format("/data/{}/{}", version_, b), stage_->data(b));
  // A viewer may be on its way to fetch the one before.
  for (int b = 0; b < 1000 && shelf_.get(fmt::format("/data/{}/{}", version_ - 2, b)); ++b)
    shelf_.remove(fmt::format("/data/{}/{}", version_ - 2, b));
  send_to_all(scene_message(*stage_, version_));
  send_to_all(state_message(*stage_, switches_));
  publish(true);
  next_step_ = Clock::now();
}

}  // namespace pliant::server
