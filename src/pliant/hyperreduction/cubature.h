#pragma once
// The problem of optimized cubature [An et al. 2008]: a few elements e with weights w_e >= 0 so that in training poses q_t
//     sum_e w_e f_e(q_t)  is nearly  f(q_t),   f_e = U^T of the element's force, f the sum of all.
// With every pose's part divided by |f(q_t)|, columns a_e and the right side b, this is  min |A w - b|,  and |A w - b| /
// sqrt(T) is the relative error [von Tycowicz et al. 2013, eqs. 5 and 6].
//
// A has d T rows and a column an element. Not even columns are formed: a_e is G_e^T P_e with G_e (9 x d) the element's map
// into the subspace and P_e (9 x T) the derivatives of its energy, so that
//     a_e . r = <P_e, G_e r>,   a_e . a_f = <G_e G_f^T, P_e P_f^T>,   A w = sum_e w_e G_e^T P_e
// for less work than with columns, in less memory by d/9.
#include <memory>
#include <span>

#include "pliant/base/progress.h"
#include "pliant/base/rng.h"
#include "pliant/hyperreduction/reduced_elements.h"
#include "pliant/subspace/dense_basis.h"

namespace pliant {

/// How long a reduced force is.
enum class ForceNorm {
  /// |f|^2 = sum_k f_k^2 / omega_k^2: the energy of the small deformation that the force makes. Does not depend on how the
  /// basis is scaled. Coordinates without stiffness count as the softest of the others.
  energy,
  /// Euclidean, in mass-orthonormal coordinates. A force in a stiff coordinate counts as much as one in a soft coordinate,
  /// though it moves the body less by the square of the frequencies' ratio: the stiffest drown all others.
  plain,
};

struct CubatureProblemOptions {
  ForceNorm norm = ForceNorm::energy;
  std::size_t memory = std::size_t{512} << 20;  ///< bytes that batches of poses may take
  Progress progress = {};
};

/// Elements with their weights.
struct Cubature {
  std::vector<int> elements;   ///< ascending
  VectorXd weights;            ///< positive
  double error = 0;            ///< relative, on the training poses
  std::vector<double> errors;  ///< after each iteration of the method that found it
};

/// Poses with their exact reduced forces, and products with columns of A. Same bits on any number of threads. The body and
/// the basis must outlive it.
class CubatureProblem {
 public:
  /// @param poses  d x T. Poses without force (at rest) are left out.
  CubatureProblem(const Body& body, const DenseBasis& basis, const MatrixXd& poses,
                  const CubatureProblemOptions& options = {});

  Index dimension() const { return poses_.rows(); }
  Index pose_count() const { return poses_.cols(); }
  Index element_count() const { return elements_->arrays.elements.size(); }
  const CubatureProblemOptions& options() const { return options_; }
  const MatrixXd& right_side() const { return b_; }  ///< b as d x T: every column has length 1

  /// The same problem on some of its poses.
  CubatureProblem on_poses(std::span<const int> poses) const;

  /// Some columns of A, as the factors that they are made of: nine rows an element.
  struct Columns {
    std::vector<int> elements;
    MatrixXd G;  ///< 9 s x d
    MatrixXd P;  ///< 9 s x T
    Index count() const { return static_cast<Index>(elements.size()); }
  };
  Columns columns(std::span<const int> elements) const;

  struct Correlations {
    VectorXd products;  ///< a_e . r
    VectorXd norms;     ///< |a_e|
  };
  /// Of many elements, a batch at a time. r is d x T.
  Correlations correlate(std::span<const int> elements, const MatrixXd& r) const;

  VectorXd transposed_product(const Columns& columns, const MatrixXd& r) const;  ///< A^T r
  MatrixXd product(const Columns& columns, const VectorXd& weights) const;       ///< A w, d x T
  MatrixXd inner_products(const Columns& a, const Columns& b) const;             ///< A^T B
  VectorXd squared_norms(const Columns& columns) const;                          ///< of each column

  /// |A w - b| of each pose: its relative error.
  VectorXd errors(const Cubature& cubature) const;

 private:
  struct Elements {
    ElementArrays arrays;
    std::vector<ElementMap> maps;
  };
  CubatureProblem(const CubatureProblem& all, std::span<const int> poses);
  void choose_scale();
  void compute_forces(const MatrixXd& poses);
  double rounding_of_forces() const;
  void fill(std::span<const int> elements, Eigen::Ref<MatrixXd> G, Eigen::Ref<MatrixXd> P) const;

  const Body& body_;
  const DenseBasis& basis_;
  CubatureProblemOptions options_;
  std::shared_ptr<const Elements> elements_;  // of the whole body, each at its number
  VectorXd scale_;  // what coordinates are multiplied by, and forces divided, so that the norm is Euclidean
  MatrixXd poses_, b_;  // scaled
  VectorXd norms_;      // of the forces
};

/// Columns one below the other.
CubatureProblem::Columns joined(const CubatureProblem::Columns& a, const CubatureProblem::Columns& b);
/// Those at `places`, in this order.
CubatureProblem::Columns chosen(const CubatureProblem::Columns& a, std::span<const int> places);

/// The weighted elements ready to be evaluated.
ReducedElements reduced_elements(const Body& body, const DenseBasis& basis, const Cubature& cubature);

/// Relative force errors of a cubature on any poses (d x T): |f_w - f| / |f| of each.
VectorXd force_errors(const Body& body, const DenseBasis& basis, const Cubature& cubature,
                      const MatrixXd& poses, ForceNorm norm = ForceNorm::energy);

namespace detail {
/// Ascending elements, zeros left out.
Cubature sorted_cubature(std::span<const int> elements, const VectorXd& weights);
/// `count` different ones of 0 to total - 1 that are not `taken`, in random order; all where there are no more.
std::vector<int> draw_elements(Rng& rng, Index total, Index count, std::span<const int> taken);
}  // namespace detail

}  // namespace pliant
