#pragma once
// The subspace of positions alone: local and global steps with every constraint, at a cost that grows with the mesh. What
// the fit of projections is measured against.
#include <memory>
#include <vector>

#include "pliant/elasticity/projective_forces.h"
#include "pliant/reduced/hrpd_engine.h"

namespace pliant {

/// Drives as HrpdEngine does, in double precision. With f = Sᵀ Λ (p - S x) summed at the vertices of all constraints,
///     q = s̃ - A⁻¹ K s̃ + A⁻¹ K q₀ + A⁻¹ Uᵀ f,
/// q₀ being where f was evaluated: then Uᵀ f + K q₀ is what the projections pull with.
class HrpdExactEngine {
 public:
  explicit HrpdExactEngine(const HrpdModel& model);

  void set_system(const HrpdModel& model, const HrpdSystem& system);

  void begin_step(Team& team, const MatrixXd& target);
  void local_step(Team& team, const MatrixXd& q, double volume);
  void global_step(Team& team, MatrixXd& q);

  double energy(const MatrixXd& q, double volume);  ///< joules, at stiffness 1
  std::size_t memory_bytes() const;

 private:
  void project(const MatrixXd& q, double volume, bool with_energies);

  const SkinningBasis* basis_;  // of the model, which outlives the engine
  ProjectiveForces<double> forces_;
  MatrixXd stiffness_, inverse_, base_, at_, found_;  // A⁻¹ K, and A⁻¹ times the factor on stiffness
  Points x_, f_;
};

}  // namespace pliant
