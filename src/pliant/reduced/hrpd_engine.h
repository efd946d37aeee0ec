#pragma once
// Local and global steps of hyper-reduced projective dynamics, in float or double.
#include <vector>

#include "pliant/base/trace.h"
#include "pliant/numerics/aligned_vector.h"
#include "pliant/reduced/hrpd_model.h"

namespace pliant {

/// With s̃ where the body would go by itself, a global step is
///     q = s̃ - A⁻¹ K s̃ + A⁻¹ r₀ + A⁻¹ map p̃,   A = Uᵀ M U / h² + K, K = Uᵀ Sᵀ Λ S U
/// (of K s̃ only what is left to the fit, where a part of the projections is predicted: see HrpdOptions):
/// the first three stay the same during a step, and A⁻¹ map is made with the factorisation. Written from s̃ on, so that
/// bodies that only fly or turn are not touched by rounding. Samples with weights are not fitted; for them it is
///     q = s̃ + A⁻¹ r,   r = Uᵀ Sᵀ w Λ (p - S s̃)
/// with sums over the samples, S s̃ being evaluated once a step.
template <class T>
class HrpdEngine {
 public:
  HrpdEngine() = default;
  explicit HrpdEngine(const HrpdModel& model);

  /// What belongs to a factorisation.
  /// @param stiffness  A⁻¹ K of the kinds that are fitted, 4k x 4k
  /// @param maps       A⁻¹ map of each kind; nothing for those with weights
  /// @param inverse    A⁻¹, 4k x 4k, where there are any of those
  /// @param rest       A⁻¹ r₀ of the kinds that are fitted, 4k x 3
  /// @param factors    on the stiffness of each kind
  void set_matrices(const MatrixXd& stiffness, const std::vector<MatrixXd>& maps, const MatrixXd& inverse,
                    const MatrixXd& rest, std::span<const double> factors);

  void begin_step(const MatrixXd& target);  ///< s̃, 4k x 3
  /// The projections at q (4k x 3) of the sampled constraints, and their fit.
  void local_step(const MatrixXd& q, double volume);
  /// The best coordinates for these projections.
  void global_step(MatrixXd& q);

  /// Of the last local step: p̃ of a kind, d x width.
  MatrixXd found(std::size_t kind) const;
  /// Of samples with weights: r of all kinds after the last local step, 4k x 3; and the energy of a kind at q.
  MatrixXd pulled() const;
  double energy(std::size_t kind, const MatrixXd& q, double volume);
  std::size_t memory_bytes() const;

 private:
  struct Kind {
    SampledEvaluator<T> evaluator;
    AlignedVector<T> map;  // rows x (blocks * d)
    Index first_chunk = 0, chunks = 0;
    AlignedVector<T> found;          // width x padded
    AlignedVector<T> lines, values;  // of samples with weights: S s̃, and what they say
    T factor = 1;
  };
  void take(const MatrixXd& q);
  std::vector<Kind> kinds_;
  Index columns_ = 0, rows_ = 0;  // 4k, and rounded up to whole groups
  Index chunks_ = 0;
  bool weighted_ = false, fitted_ = false;  // kinds of these are there
  AlignedVector<T> stiffness_, rest_, base_, target_, q_, out_;
  AlignedVector<T> inverse_;  // A⁻¹, for samples with weights
  AlignedVector<T> pulled_;   // r: a coordinate of space after the other
  Index found_stride_ = 0, scratch_stride_ = 0;
  AlignedVector<T> found_, scratch_;  // of every chunk of tiles
};

}  // namespace pliant
