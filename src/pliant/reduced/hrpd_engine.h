#pragma once
// Local and global steps of hyper-reduced projective dynamics, in float or double.
#include <vector>

#include "pliant/base/team.h"
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/inverse_factor.h"
#include "pliant/reduced/hrpd_model.h"
#include "pliant/reduced/local_coordinates.h"

namespace pliant {

/// With s̃ where the body would go by itself, a global step is
///     q = s̃ - A⁻¹ K s̃ + A⁻¹ r₀ + A⁻¹ map p̃,   A = Uᵀ M U / h² + K, K = Uᵀ Sᵀ Λ S U
/// (of K s̃ only what is left to the fit, where a part of the projections is predicted: see HrpdOptions):
/// the first three stay the same during a step, and A⁻¹ map is made with the factorisation. Written from s̃ on, which stays in double
/// precision, so that bodies that only fly or turn are not touched by rounding. Samples with weights are not fitted; for them it is
///     q = s̃ + A⁻¹ r,   r = Uᵀ Sᵀ w Λ (p - S s̃)
/// with sums over the samples, S s̃ being evaluated once a step.
template <class T>
class HrpdEngine {
 public:
  HrpdEngine() = default;
  /// @param constant  see LocalCoordinates
  explicit HrpdEngine(const HrpdModel& model, const VectorXd& constant = {});

  /// What belongs to a factorisation.
  /// @param stiffness  A⁻¹ K of the kinds that are fitted, 4k x 4k
  /// @param maps       A⁻¹ map of each kind; nothing for those with weights
  /// @param factor     of A; those with weights are solved with it
  /// @param rest       A⁻¹ r₀ of the kinds that are fitted, 4k x 3
  /// @param factors    on the stiffness of each kind
  void set_matrices(const MatrixXd& stiffness, const std::vector<MatrixXd>& maps,
                    const DissectedCholesky& factor, const MatrixXd& rest, std::span<const double> factors);

  /// @param target  s̃, 4k x 3: where the first local step afterwards must be
  void begin_step(Team& team, const MatrixXd& target);
  /// The projections at q (4k x 3) of the sampled constraints, and their fit.
  void local_step(Team& team, const MatrixXd& q, double volume);
  /// The best coordinates for these projections.
  void global_step(Team& team, MatrixXd& q);

  /// Of the last local step: p̃ of a kind, d x width.
  MatrixXd found(std::size_t kind) const;
  /// Of samples with weights: r of all kinds after the last local step, 4k x 3; and the energy of a kind at q.
  MatrixXd pulled() const;
  double energy(std::size_t kind, const MatrixXd& q, double volume);
  /// A⁻¹, where there are samples with weights; else null.
  InverseFactor<T>* inverse() { return weighted_ ? &inverse_ : nullptr; }
  std::size_t memory_bytes() const;

 private:
  struct Kind {
    SampledEvaluator<T> evaluator;
    AlignedVector<T> map;  // rows x (blocks * d)
    Index first_chunk = 0;
    AlignedVector<T> found;         // width x padded
    AlignedVector<T> lines, parts;  // of samples with weights: S s̃, and what chunks of them say to handles
    T factor = 1;
  };
  Index row_tasks() const;
  void add_rows(Index task, const T* matrix, Index columns, const T* x, Index next, Index apart,
                T* out) const;
  std::vector<Kind> kinds_;
  Index columns_ = 0, rows_ = 0;  // 4k, and rounded up to whole groups
  Index chunks_ = 0;
  bool weighted_ = false, fitted_ = false;  // kinds of these are there
  bool begins_ = false;                     // the next local step is the first of a step
  MatrixXd target_;                         // s̃
  LocalCoordinates<T> q_;
  AlignedVector<T> stiffness_, rest_, base_, out_;  // base: what is added to s̃ in every turn
  // === Of samples with weights, with the columns in the places of the factor
  InverseFactor<T> inverse_;  // A⁻¹
  std::vector<int> place_;    // of every column
  AlignedVector<T> pulled_;   // r: three numbers a place
  AlignedVector<T> answer_;   // A⁻¹ r: three rows of all places
  Index found_stride_ = 0, scratch_stride_ = 0;
  AlignedVector<T> found_;    // of every chunk of samples that are fitted
  AlignedVector<T> scratch_;  // of every worker of a team
};

}  // namespace pliant
