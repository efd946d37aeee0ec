#pragma once
// Editing a pose: regions of a body are moved and turned, and the rest follows.
#include <memory>
#include <optional>
#include <vector>

#include "pliant/editing/pose_editing.h"
#include "pliant/server/protocol.h"
#include "pliant/server/stage.h"

namespace pliant::server {

/// Bodies of reduced finite elements have poses that are solved for. Others are held at samples of the regions, without
/// gravity and heavily damped, until they rest. When it ends the body goes on from where it was before.
class BodyPose {
 public:
  BodyPose(Stage& stage, std::size_t body);
  ~BodyPose();
  BodyPose(const BodyPose&) = delete;
  BodyPose& operator=(const BodyPose&) = delete;

  std::size_t body() const { return body_; }
  void set_handles(const std::vector<EditedHandle>& handles);
  void move_handle(int handle, const Vector3d& translation, const Vector3d& rotation);

  /// Again without gravity and heavily damped, after settings were applied.
  void calm();

  bool settled() const { return settled_; }
  /// Goes on towards the pose: a little, so that it can be seen. Once it is there, a report.
  std::optional<Json> advance();

 private:
  void hold();
  void move_held();
  Json solve();

  Stage& stage_;
  std::size_t body_;
  Simulator& simulator_;
  std::optional<PoseEditor> editor_;
  State before_;
  std::vector<int> held_before_;
  std::vector<Handle> handles_;
  HandleSprings springs_;
  std::vector<int> held_;  // of handles
  double clock_ = 0;       // stands while a pose is edited
  bool settled_ = true;
  int steps_ = 0;
  double milliseconds_ = 0;
};

}  // namespace pliant::server
