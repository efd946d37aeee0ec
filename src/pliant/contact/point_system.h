#pragma once
// Points that feel each other: the forces that move them by given gaps, while points come and go.
#include <span>
#include <vector>

#include "pliant/base/function_ref.h"
#include "pliant/numerics/changing_inverse.h"
#include "pliant/numerics/dense_cholesky.h"

namespace pliant {

/// How points of a body answer forces. Points have numbers that stay the same from step to step ("rows").
class PointResponses {
 public:
  virtual ~PointResponses() = default;
  virtual void prepare(std::span<const Index> rows) = 0;  ///< before their compliance is asked for
  /// How far these points move with a unit of force at one, m/N, both ways the same. They and it have been prepared.
  virtual void compliance(Index row, std::span<const Index> others, double* out) = 0;
  /// Moves all points by what these forces do, N: one a row of `forces`, which may have more.
  virtual void push(std::span<const Index> rows, const MatrixXd& forces) = 0;
  virtual Vector3d moved(Index row) const = 0;  ///< by the last push, metres
};

/// (C + D) f = g: C(i, j) how far point i moves with a unit of force at point j, D the softness of each. A few hundred soft points
/// keep their inverse while some come and go; more of them, or points that are hardly soft, are factorised anew.
class PointSystem {
 public:
  /// Of the point with this place, D, given how far it moves with a unit of force at itself.
  using Softness = FunctionRef<double(Index place, double alone)>;

  void reserve(Index points);  ///< takes the memory for so many
  void forget();               ///< after answers or softnesses have changed

  // Each is false where something is not finite; there is nothing to solve with then, and `assign` comes next.
  /// Exactly these. Costs nothing where they are those of the last time, and none has come or gone.
  /// @param soft  D is no less than a thousandth or so of C: an inverse can be kept. Else points are made softer by as much as it
  ///              takes to factorise.
  bool assign(PointResponses& responses, std::span<const Index> rows, bool soft, Softness softness);
  /// Whether so many may come.
  bool can_change(Index points) const { return kept_ && size() + points <= ChangingInverse::most; }
  bool add(PointResponses& responses, Index row, Softness softness);  ///< where it can change, at the end
  void remove(Index place);  ///< where it can change; the last takes its place

  Index size() const { return static_cast<Index>(rows_.size()); }
  std::span<const Index> rows() const { return rows_; }
  /// f of g, three columns each of at least size() rows.
  void solve(const MatrixXd& g, MatrixXd& f);

  /// Takes the first points out of what follows: they get the forces that leave them no gap, whatever those of the others. With a for
  /// these and b for the others, what is left is S f_b = g_b - Wᵀ g_a, where W = (C + D)_aa⁻¹ C_ab and S = (C + D)_bb - C_ba W.
  /// False where that has no solution.
  bool eliminate(Index first);
  const double* matrix() const;  ///< S, or C + D where none are eliminated; columns `stride` apart
  Index stride() const;          ///< a multiple of eight
  /// out = S f_b - (g_b - Wᵀ g_a) of three rows of numbers, `apart` numbers from one to the next, a multiple of eight no less than
  /// there are points left.
  void beyond(const double* f, const MatrixXd& g, double* out, Index apart) const;
  /// Forces of those that are eliminated, where the others have changed theirs.
  /// @param change  of the others, as f of `beyond`
  void follow(const double* change, Index apart, MatrixXd& f) const;

 private:
  bool factorize();

  std::vector<Index> rows_;
  bool kept_ = false;     // their inverse
  bool changed_ = false;  // since they were assigned
  Index first_ = 0;       // points that are eliminated
  Index room_ = 0;        // points that there is memory for
  AlignedVector<double> matrix_;
  Index stride_ = 0;
  ChangingInverse inverse_;
  DenseCholesky factor_;  // where it is not kept
  // === Where points are eliminated
  DenseCholesky first_factor_;
  AlignedVector<double> answers_;  // W, columns first_ numbers apart
  AlignedVector<double> rest_;     // S
};

}  // namespace pliant
