#pragma once
// Contact by penalty: vertices inside an obstacle are pushed out by a force that grows with their depth, and held back
// by smoothed Coulomb friction. Both have an energy with two derivatives, for Newton with line search.
#include <span>
#include <vector>

#include "pliant/contact/obstacle.h"

namespace pliant {

// === The penalty of a depth: zero outside, and twice differentiable
//     up to the width w:  phi'' = k s / w,  phi' = k s^2 / (2 w),  phi = k s^3 / (6 w)
//     deeper:             phi'' = k,        phi' = k (s - w/2),    phi = k (s^2 - w s + w^2/3) / 2
// Width 0 is the plain quadratic penalty k s^2 / 2, once differentiable.
double penalty(double depth, double stiffness, double width);
double penalty_gradient(double depth, double stiffness, double width);
double penalty_hessian(double depth, double stiffness, double width);

// === The length of a slip, made smooth below `width` [Li et al. 2020, section 5: f0, and f1 its derivative]
//     y < w:  f0 = -y^3/(3 w^2) + y^2/w + w/3,  f1 = 2 y/w - y^2/w^2;   otherwise  f0 = y,  f1 = 1
double smooth_slip(double length, double width);
double smooth_slip_gradient(double length, double width);
double smooth_slip_hessian(double length, double width);

struct PenaltyOptions {
  double width = 1e-3;  ///< metres: over this depth the stiffness sets in; 0: at once (C1 only)
  double slip_speed =
      1e-2;  ///< m/s: friction of slower slips is less than Coulomb's, so a body at rest creeps
};

struct PenaltyEnergy {
  double penalty = 0;   ///< joules, stored in contacts
  double friction = 0;  ///< joules: the friction potential of the step, not a stored energy
  double total() const { return penalty + friction; }
};

/// What contact does to each vertex of the set: row or entry i is vertex vertices()[i].
struct PenaltyTerms {
  PenaltyEnergy energy;
  Points forces;                   ///< k x 3, newtons: -dE/dx
  std::vector<Matrix3d> hessians;  ///< k, N/m: d2E/dx2; contact couples no two vertices
  std::vector<char> touching;      ///< k: 1 where forces may differ from zero
};

/// Contact of a set of vertices. After the first step with as many obstacles, nothing is allocated.
class PenaltyContact {
 public:
  /// @param vertices   rows of the positions that are looked at
  /// @param stiffness  one a vertex, N/m. A mass m at rest sinks by m g / stiffness + width / 2.
  PenaltyContact(std::vector<int> vertices, VectorXd stiffness, const PenaltyOptions& options = {});

  /// @param obstacles  as they stand at the end of the step; the Obstacles behind them must live as long
  /// @param start      positions at its beginning; friction is frozen there
  /// @param time_step  seconds; 0: statics, without friction
  void begin_step(std::span<const PlacedObstacle> obstacles, const Points& start, double time_step);

  /// Freezes the normal forces and directions of friction at these positions instead of the start. Within one
  /// minimisation they must not change, or there is no potential to minimise [Li et al. 2020].
  void freeze_friction(const Points& positions);

  /// Energy alone, as line searches ask for it.
  PenaltyEnergy energy(const Points& positions);
  void forces(const Points& positions, PenaltyTerms& out);  ///< leaves `out.hessians` alone
  /// @param projected  Hessians positive semi-definite: the nearest such matrices, in closed form
  void forces_and_hessians(const Points& positions, bool projected, PenaltyTerms& out);

  const std::vector<int>& vertices() const { return vertices_; }
  const PenaltyOptions& options() const { return options_; }

 private:
  enum class Wanted { energy, forces, hessians, projected_hessians };
  struct Frozen {
    double limit = 0;  // friction coefficient times normal force, newtons
    Vector3d normal = Vector3d::UnitY();
    Vector3d moved = Vector3d::Zero();  // by the obstacle over the step, metres
  };
  void evaluate(const Points& positions, Wanted wanted, PenaltyTerms& out);

  std::vector<int> vertices_;
  VectorXd stiffness_;
  PenaltyOptions options_;
  std::vector<PlacedObstacle> obstacles_;
  Points start_;  // k x 3
  double time_step_ = 0;
  std::vector<Frozen> frozen_;          // k x obstacles
  std::vector<PenaltyEnergy> partial_;  // one a chunk of vertices, summed in order
  PenaltyTerms energy_only_;
};

}  // namespace pliant
