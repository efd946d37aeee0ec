#pragma once
// What happens when: the script of a scene, applied before every step.
#include <string>
#include <vector>

#include "pliant/scene/scene_body.h"
#include "pliant/scene/schema.h"

namespace pliant {

/// Actions are functions of time wherever they can be; what cannot (a drag that has begun, a vertex that was held
/// where it then stood) is the script's own state, saved with the scene's.
class Script {
 public:
  /// Throws InputError naming "script[i]" for a body that does not exist or a region that selects nothing.
  Script(const Json& actions, const Vector3d& gravity, std::vector<SceneBody>& bodies);

  /// Prepares the bodies for the step from their time to one time step later.
  void apply(std::vector<SceneBody>& bodies);

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  enum class Kind { stiffness, volume, gravity, drag, force, move, fix, release };

  struct Action {
    Kind kind = Kind::stiffness;
    double time = 0, until = 0;  ///< until == time: at once
    std::vector<std::size_t> bodies;
    std::vector<int> vertices = {};
    double factor = 1;                   ///< of stiffness and volume; strength of a drag
    Vector3d vector = Vector3d::Zero();  ///< gravity, force a vertex, translation, how far a drag goes
    Vector3d axis = Vector3d::UnitY(), center = Vector3d::Zero();
    double angle = 0;    ///< radians
    double reached = 0;  ///< when a drag's target arrives
  };

  void apply_factors(SceneBody& body, std::size_t b, double time);
  void apply_once(Action& action, std::size_t i, SceneBody& body);
  void apply_drag(const Action& action, std::size_t i, SceneBody& body, double start, double end);
  void apply_moves(SceneBody& body, std::size_t b, double end);

  std::vector<Action> actions_;  // by time; of equal times, as written
  Vector3d gravity_;             // before any action

  // === State
  std::vector<std::int32_t> started_;  // an action: 0 not yet; 1 done; a drag: its id
  std::vector<Points> held_;           // a body: where its vertices stand that are held, before any move
};

}  // namespace pliant
