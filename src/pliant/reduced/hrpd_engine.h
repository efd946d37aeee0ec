#pragma once
// Local and global steps of hyper-reduced projective dynamics, in float or double.
#include <vector>

#include "pliant/base/team.h"
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/inverse_factor.h"
#include "pliant/reduced/hrpd_model.h"
#include "pliant/reduced/local_coordinates.h"

namespace pliant {

/// A factorisation: A = Uᵀ M U / h² + Σ (factor of a kind) (its stiffness) + (a little on the diagonal).
struct HrpdSystem {
  const DissectedCholesky& factor;
  double inertia = 0;               ///< 1 / h²
  std::span<const double> factors;  ///< of kinds
  double added = 0;                 ///< on the diagonal
};

/// With s̃ where the body would go by itself, a global step is
///     q = s̃ - A⁻¹ K s̃ + A⁻¹ r₀ + A⁻¹ map p̃,   A = Uᵀ M U / h² + K, K = Uᵀ Sᵀ Λ S U:
/// the first three stay the same during a step, and A⁻¹ map is made with the factorisation. Of K a part is what the fit makes of it,
/// map F with F q the fit of S U q, where a part (`prediction`, see HrpdOptions) of the projections is taken to be S s̃: in all
///     q = s̃ - (1 - prediction) (s̃ - A⁻¹ B s̃) + A⁻¹ r₀ + A⁻¹ map (p̃ - prediction F s̃),   B = A - K,
/// in which nothing but A⁻¹ map is a full matrix: B is M / h² and kinds with weights, if there are any. (Where K is smaller than B, s̃ - A⁻¹ B s̃
/// is A⁻¹ K s̃ again.) Written from s̃ on, which stays in
/// double precision, so that bodies that only fly or turn are not touched by rounding. Samples with weights are not fitted; for them it is
///     q = s̃ + A⁻¹ r,   r = Uᵀ Sᵀ w Λ (p - S s̃)
/// with sums over the samples, S s̃ being evaluated once a step.
template <class T>
class HrpdEngine {
 public:
  HrpdEngine() = default;
  /// @param constant    see LocalCoordinates
  /// @param prediction  see HrpdOptions
  explicit HrpdEngine(const HrpdModel& model, const VectorXd& constant = {}, double prediction = 0);

  /// After a factorisation, and before global steps.
  void set_system(const HrpdModel& model, const HrpdSystem& system);

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
  InverseFactor<T>& inverse() { return inverse_; }  ///< A⁻¹
  std::size_t memory_bytes() const;

 private:
  struct Kind {
    SampledEvaluator<T> evaluator;
    AlignedVector<T> map;  // A⁻¹ map: rows x (blocks * d)
    AlignedVector<T> fit;  // prediction F: blocks of padded x 4k
    Index first_chunk = 0;
    AlignedVector<T> found, predicted, pushed;  // width x padded: p̃, prediction F s̃, and the difference
    AlignedVector<T> lines, parts;  // of samples with weights: S s̃, and what chunks of them say to handles
    T factor = 1;
  };
  Index row_tasks() const;
  void set_others(const HrpdModel& model, const HrpdSystem& system);
  void add_rows(Index task, const T* matrix, Index columns, const T* x, Index next, Index apart,
                T* out) const;
  std::vector<Kind> kinds_;
  Index columns_ = 0, rows_ = 0;  // 4k, and rounded up to whole groups
  Index chunks_ = 0;
  bool weighted_ = false, fitted_ = false;  // kinds of these are there
  bool begins_ = false;                     // the next local step is the first of a step
  MatrixXd target_;                         // s̃
  LocalCoordinates<T> q_;
  T prediction_ = 0;
  AlignedVector<T> rest_, base_, out_;  // A⁻¹ r₀, and what is added to s̃ in every turn
  // === K of kinds that are fitted, or B, of which the other is larger: blocks of 4 x 4 numbers, row by row; those of a handle are others_first_[h] to [h + 1] - 1
  std::vector<int> others_first_, others_;  // others: handles
  AlignedVector<T> other_blocks_;
  bool others_are_fitted_ = false;  // K
  // === Solves, with the columns in the places of the factor
  InverseFactor<T> inverse_;  // A⁻¹
  std::vector<int> place_;    // of every column
  AlignedVector<T> pulled_;   // r: three numbers a place
  AlignedVector<T> answer_;   // A⁻¹ r: three rows of all places
  Index found_stride_ = 0, scratch_stride_ = 0;
  AlignedVector<T> found_;    // of every chunk of samples that are fitted
  AlignedVector<T> scratch_;  // of every worker of a team
};

}  // namespace pliant
