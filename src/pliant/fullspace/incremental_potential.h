#pragma once
// The function whose minimum is the end of a step: implicit Euler, average-acceleration Newmark and statics alike.
//
//     Φ(x) = c/2 |x - s|²_M + k E(x) - f·x + springs + contact + damping,      x over all free vertices
//
// implicit Euler: c = 1/h², s = x₀ + h v₀ + h² M⁻¹ f;  Newmark: c = 4/h², s = x₀ + h v₀ + h²/4 a₀ (and f apart);
// statics: c = 0. Its gradient is what the forces lack for balance, and at held vertices minus the force of what holds.
//
// Rayleigh damping acts on the velocity v = c₁ (x - x₀) - c₂ v₀ at the end of the step, with the (positive part of
// the) stiffness at its beginning: so it has a potential too.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pliant/contact/penalty.h"
#include "pliant/elasticity/body.h"

namespace pliant {

/// A vertex pulled towards a place.
struct Spring {
  int vertex = 0;
  Vector3d target = Vector3d::Zero();  ///< metres
  double stiffness = 0;                ///< N/m
};

class IncrementalPotential {
 public:
  explicit IncrementalPotential(std::shared_ptr<const Body> body);

  // === What a step sets, before begin()
  double inertia = 0;    ///< c, 1/s²
  Points target;         ///< s, n x 3
  Points external;       ///< f, n x 3
  double stiffness = 1;  ///< k, a factor on the body's energy
  std::vector<Spring> springs;
  double velocity_rate = 0;      ///< c₁, 1/s
  double velocity_kept = 0;      ///< c₂
  Points start, start_velocity;  ///< x₀, v₀
  std::vector<char> held;        ///< 1 for vertices that do not take part
  std::vector<PlacedObstacle> obstacles;

  /// Vertices that may touch obstacles, and the stiffness of contact at each (N/m); none: no contact.
  void set_contact(std::vector<int> vertices, VectorXd contact_stiffness, const PenaltyOptions& options);
  void clear_contact() { contact_.reset(); }

  /// Freezes what stays the same during a step: friction, damping. `time_step` is 0 in statics.
  void begin(double time_step);

  /// Φ, and the sum of its terms' magnitudes for telling a decrease from rounding.
  struct Value {
    double total = 0, magnitude = 0;
  };
  Value value(const Points& x);
  Value value_and_gradient(const Points& x, Points& gradient);
  /// Also the Hessian, with the rows and columns of held vertices those of the identity.
  Value system(const Points& x, Projection projection, Points& gradient, SymmetricBlocks& A);

  /// M a₀: forces of all kinds at the start of the step, for Newmark.
  void forces_at_start(Points& out);

  const Body& body() const { return *body_; }
  BodyWorkspace& workspace() { return work_; }

 private:
  /// All but the elastic term; adds to the gradient where there is one.
  void add_terms(const Points& x, bool hessians, bool projected, Points* gradient, Value& value);

  std::shared_ptr<const Body> body_;
  BodyWorkspace work_;
  Points forces_, moved_, damped_;
  std::optional<PenaltyContact> contact_;
  PenaltyTerms contact_terms_;
  std::vector<int> contact_place_;  // vertex -> its place in the contact set, or -1
  SymmetricBlocks start_stiffness_;
  bool damps_stiffness_ = false;
  std::vector<Value> partial_;
};

}  // namespace pliant
