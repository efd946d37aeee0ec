#pragma once
// What is on show: the bodies of a scene, or one simulator of somebody else's, behind one door.
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "pliant/scene/scene.h"
#include "pliant/server/drawn_body.h"

namespace pliant::server {

/// A simulator that nobody wrote a scene for, and the mesh that it moves.
struct LoneSimulator {
  std::shared_ptr<Simulator> simulator;
  Points rest_positions;
  MeshData mesh;  ///< tets or triangles on these vertices; or a surface of its own, carried by the embedding
  std::optional<Embedding> embedding = {};
  std::string name = "body";
};

/// With the mesh that the simulator itself knows. InputError for one that knows none.
LoneSimulator lone_simulator(std::shared_ptr<Simulator> simulator);

using StageSource = std::variant<std::shared_ptr<Scene>, LoneSimulator>;

/// What sliders and switches say, of all bodies together.
struct Settings {
  double stiffness = 1, volume = 1, damping = 0, time_step = 1.0 / 60;
  int iterations = 0;  ///< 0: no body has them
  Vector3d gravity = Vector3d(0, -9.81, 0);
  bool floor = false, sphere = false;
  double floor_height = 0, sphere_radius = 0.1;
  Vector3d sphere_center = Vector3d::Zero();
};

/// Limits of what may be set.
Settings clamped(Settings settings, double box_diagonal);

class Stage {
 public:
  Stage(StageSource source, std::string title);

  std::size_t size() const { return bodies_.size(); }
  Simulator& simulator(std::size_t b) const { return *bodies_[b].simulator; }
  const DrawnBody& drawn(std::size_t b) const { return *bodies_[b].drawn; }
  const Points& rest_positions(std::size_t b) const;  ///< of the simulator's vertices
  const Bytes& data(std::size_t b) const { return bodies_[b].data; }
  const std::string& title() const { return title_; }
  std::string name(std::size_t b) const;
  Index tets(std::size_t b) const;
  /// The words of a body that can be made anew; null otherwise.
  const Json* words(std::size_t b) const;
  std::filesystem::path folder() const { return scene_ ? scene_->folder() : std::filesystem::path(); }

  StepReport step();
  double time() const { return simulator(0).time(); }
  void restart();  ///< to how it was in the beginning, with the settings of now

  const Settings& settings() const { return settings_; }
  void set(const Settings& settings);
  void apply_settings(std::size_t b) { apply(simulator(b)); }  ///< again, after its state was another
  int obstacle_changes() const { return obstacle_changes_; }   ///< so far
  int other_obstacles() const { return static_cast<int>(others_.size()); }

  /// Puts a body made anew in the place of another, moving as that does.
  void replace(std::size_t b, SceneBody body, const Json& words, std::shared_ptr<const DrawnBody> drawn,
               Bytes data);

  double diagonal() const { return diagonal_; }  ///< of the box of everything at rest
  Vector3d low() const { return low_; }
  Vector3d high() const { return high_; }

 private:
  struct Shown {
    Simulator* simulator = nullptr;
    std::shared_ptr<const DrawnBody> drawn;
    Bytes data;
    State start;
    Json words;  // null: cannot be made anew
  };

  void draw(Shown& shown, const ShownMesh& mesh);
  void take_settings();
  void apply(Simulator& simulator) const;
  void place_obstacles(const Settings& before);
  void measure_box();

  std::shared_ptr<Scene> scene_;
  std::optional<LoneSimulator> lone_;
  std::string title_;
  std::vector<Shown> bodies_;
  Settings settings_;
  std::vector<Obstacle> others_;  // beside floor and sphere
  Obstacle floor_obstacle_;       // as the scene has it
  int obstacle_changes_ = 0;
  double diagonal_ = 1;
  Vector3d low_ = Vector3d::Zero(), high_ = Vector3d::Zero();
};

}  // namespace pliant::server
