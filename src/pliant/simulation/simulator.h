#pragma once
// The one interface by which command line, viewer and Python drive a body, whatever moves it.
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "pliant/base/trace.h"
#include "pliant/contact/obstacle.h"
#include "pliant/numerics/types.h"
#include "pliant/simulation/state.h"

namespace pliant {

/// How a step went. Not to converge is an outcome, not an error: the state is finite and usable all the same.
struct StepReport {
  bool converged = true;
  int iterations = 0;
  double residual = 0;  ///< relative; what it measures is the simulator's own
};

/// A vertex pulled towards a point, as with a mouse.
struct Drag {
  int id = 0;
  int vertex = 0;
  Vector3d target = Vector3d::Zero();  ///< metres
  double strength = 1;                 ///< 1: a firm pull for a body of any size and stiffness; 0 to 100
};

/// Sums over the body; O(n), and so never part of a step.
struct Measures {
  double kinetic = 0;                            ///< joules
  double elastic = 0;                            ///< joules
  double gravitational = 0;                      ///< joules, zero at the origin
  Vector3d momentum = Vector3d::Zero();          ///< kg m/s
  Vector3d angular_momentum = Vector3d::Zero();  ///< about the origin, kg m^2/s
  double total() const { return kinetic + elastic + gravitational; }
};

/// A body in motion. One thread at a time. Changes made between steps count from the next step on.
class Simulator {
 public:
  virtual ~Simulator() = default;

  // === Time
  virtual StepReport step() = 0;
  double time() const { return time_; }  ///< seconds
  std::int64_t step_count() const { return steps_; }
  double time_step() const { return time_step_; }  ///< seconds
  void set_time_step(double seconds);              ///< 1e-6 to 1
  void set_time(double seconds);                   ///< the clock alone: paths of obstacles are read there
  virtual const Trace& trace() const = 0;          ///< of the last step

  // === Reading
  virtual std::string_view kind() const = 0;  ///< "newton", "projective_dynamics", ...
  Index vertex_count() const { return vertex_count_; }
  virtual const Points& positions() = 0;                                       ///< n x 3; may be O(n)
  virtual void positions_of(std::span<const int> vertices, Points& out) = 0;   ///< resizes `out` where needed
  virtual void velocities_of(std::span<const int> vertices, Points& out) = 0;  ///< m/s
  /// The force by which the world holds these vertices in the last step, newtons; zero for those not fixed.
  virtual void reactions_of(std::span<const int> vertices, Points& out) = 0;
  virtual Measures measure() = 0;

  // === Acting
  /// Adds forces (k x 3, newtons) at vertices, for the next step only.
  void apply_force(std::span<const int> vertices, const Points& forces);
  int begin_drag(int vertex, const Vector3d& target, double strength = 1);  ///< returns its id
  void move_drag(int id, const Vector3d& target);
  void end_drag(int id);
  const std::vector<Drag>& drags() const { return drags_; }

  /// Holds vertices where they are now, or moves held ones: they arrive at the end of the next step.
  void fix(std::span<const int> vertices);
  void move_fixed(std::span<const int> vertices, const Points& targets);
  void release(std::span<const int> vertices);
  const std::vector<int>& fixed() const { return fixed_; }        ///< ascending
  const Points& fixed_targets() const { return fixed_targets_; }  ///< where they are held, one row each

  void set_obstacles(std::vector<Obstacle> obstacles);
  const std::vector<Obstacle>& obstacles() const { return obstacles_; }
  void set_gravity(const Vector3d& acceleration);  ///< m/s^2
  const Vector3d& gravity() const { return gravity_; }
  /// Factor on the stiffness that the body was made with, 1e-6 to 1e6.
  void set_stiffness(double factor);
  double stiffness() const { return stiffness_; }
  /// Factor on the rest volume, 0.01 to 100; only for simulators that `can_change_volume`.
  void set_volume(double factor);
  double volume() const { return volume_; }
  virtual bool can_change_volume() const { return false; }
  /// Velocities fade as exp(-damping t), 1/s.
  void set_damping(double per_second);
  double damping() const { return damping_; }
  /// Places and moves all vertices: rest, random, flattened, whatever comes, as long as it is finite.
  void set_motion(const Points& positions, const Points& velocities);

  // === State: everything that the next steps depend on, but for obstacles (functions of time)
  State save() const;
  void restore(const State& state);  ///< of the same kind and body; otherwise throws and changes nothing

 protected:
  /// What was changed since the last step; simulators answer at the beginning of the next.
  struct Changes {
    bool time_step = true, stiffness = true, volume = true, fixed = true, obstacles = true;
  };

  explicit Simulator(Index vertex_count) : vertex_count_(vertex_count) {}

  // Each simulator's own part of the above. The numbers are already checked.
  virtual void write_state(StateWriter& writer) const = 0;
  virtual void read_state(StateReader& reader) = 0;
  virtual void motion_set(const Points& positions, const Points& velocities) = 0;
  /// Vertices that the simulator cannot let go or move, since its subspace does not move them.
  virtual bool holds(int /*vertex*/) const { return false; }
  /// So many others can be held while running.
  virtual std::size_t most_held() const { return std::numeric_limits<std::size_t>::max(); }

  /// What is held stays, however hard it is dragged.
  bool is_fixed(int vertex) const;
  /// InputError where one of them is not there.
  void check_vertices(std::string_view who, std::span<const int> vertices) const;

  /// Ends a step: time goes on, forces applied for one step are dropped, changes are answered.
  void finish_step();

  struct AppliedForce {
    int vertex;
    Vector3d force;
  };

  Index vertex_count_ = 0;
  double time_ = 0, time_step_ = 1.0 / 60;
  std::int64_t steps_ = 0;
  Vector3d gravity_ = Vector3d(0, -9.81, 0);
  double stiffness_ = 1, volume_ = 1, damping_ = 0;
  std::vector<Drag> drags_;
  std::vector<AppliedForce> applied_;
  std::vector<int> fixed_;  // ascending
  Points fixed_targets_;    // one row a fixed vertex
  std::vector<Obstacle> obstacles_;
  Changes changes_;

 private:
  void check_count_held(std::string_view who, std::span<const int> fixed) const;
  void check_not_held(std::string_view who, std::span<const int> vertices) const;
  int next_drag_ = 1;
};

}  // namespace pliant
