#pragma once
// Hyper-reduced projective dynamics [Brandt et al. 2018], the offline stage: two subspaces, sampled constraints, and the
// small matrices that are left of the body. This is what a model file of this method holds.
#include <memory>
#include <string_view>
#include <vector>

#include "pliant/base/progress.h"
#include "pliant/elasticity/body.h"
#include "pliant/elasticity/projective_constraints.h"
#include "pliant/hyperreduction/projection_snapshots.h"
#include "pliant/hyperreduction/weighted_samples.h"
#include "pliant/reduced/model_body.h"
#include "pliant/reduced/sampled_constraints.h"
#include "pliant/subspace/skinning.h"

namespace pliant {

/// All constraints of one kind, made small.
struct ReducedConstraints {
  SampledConstraints samples;
  MatrixXd map;         ///< Uᵀ Sᵀ Λ V, see ProjectionFitting
  VectorXd metric;      ///< the same
  MatrixXd stiffness;   ///< Uᵀ Sᵀ Λ S U, 4k x 4k
  MatrixXd rest_force;  ///< Uᵀ Sᵀ Λ (p₀ - S X), 4k x 3: zero where the rest state is at rest
};

/// Positions are x = X + U q, q with three numbers a column of U. Plain data.
struct HrpdModel : ModelBody {
  SkinningBasis basis;
  MatrixXd mass;  ///< Uᵀ M U, 4k x 4k
  std::vector<ReducedConstraints> kinds;
  /// Without a fit: all constraints. Their kinds hold nothing but a stiffness then.
  std::shared_ptr<const ProjectiveConstraints> all;
  bool can_change_volume = false;
  int iterations = 10;  ///< local/global turns a step that it is meant to be run with

  Index columns() const { return basis.columns(); }
  Index degrees_of_freedom() const;  ///< three a column that is not dropped
};

/// Joins the two subspaces for one kind.
/// @param K  its matrix, see projective_matrix
ReducedConstraints reduced_constraints(const ProjectiveConstraints& constraints, const SkinningBasis& basis,
                                       const ProjectionFitting& fitting, const SparseMatrix& K);

/// The same of samples with weights: nothing is fitted, and the stiffness is that of the samples.
/// @param smoothing  see ReduceHrpdOptions
ReducedConstraints reduced_constraints(const ProjectiveConstraints& constraints, const SkinningBasis& basis,
                                       ProjectiveKind kind, const WeightedSamples& samples, double smoothing);

/// Of every handle those that move something that it moves, too.
std::vector<std::vector<int>> joined_handles(const HrpdModel& model);

/// What the fit makes of S U: (width / 3) blocks of d rows, one after the other, 4k columns.
MatrixXd fitted_lines(const ReducedConstraints& kind);
/// What the fit makes of strain: Uᵀ Sᵀ Λ V (fit) S U, 4k x 4k. The stiffness itself, if V had every S U q.
MatrixXd seen_stiffness(const ReducedConstraints& kind);

RadialFunction radial_function(std::string_view name);  ///< "smooth", "kinked"; InputError for another

/// How sampled constraints stand for all.
enum class Sampling {
  weighted,  ///< by weights: the energy is a sum over the samples (weighted_samples.h)
  fitted,  ///< projections of all are fitted to those of the samples, as in the paper (projection_fitting.h)
};
Sampling sampling(std::string_view name);  ///< "weighted", "fitted"; InputError for another

struct ReduceHrpdOptions {
  SkinningOptions positions = {};
  /// Instead of skinning: this subspace, as of snapshots. Its `fixed` vertices must have no columns.
  std::shared_ptr<const SkinningBasis> basis = {};
  ProjectionFittingOptions projections = {};
  /// Instead of affine maps at handles: kinds that are among these are fitted in what was recorded of them, with
  /// `projections.dimension` and `projections.samples`.
  std::vector<ProjectionFrames> recorded = {};
  SampleChoice sample_choice = SampleChoice::automatic;  ///< of these
  Sampling sampling = Sampling::weighted;
  /// Of samples with weights, in tets that strain or keep their volume: how much of the strain of a sample is the mean over what
  /// it stands for, 0 to 1. Weights of handles make strain vary between them where the body would bend evenly, and resist that;
  /// means leave it out. With all of it left out some of the body's own detail gives no resistance; 0.6 keeps a sixth of its
  /// energy. Costs nothing in a step.
  double smoothing = 0.6;
  bool fit = true;  ///< false: every constraint is evaluated, at a cost that grows with the mesh
  /// On the surface, and half as many inside; in a subspace that is given no more than three for two of its columns, and none
  /// inside.
  int contact_samples = 600;
  int iterations = 10;  ///< of the model
  bool measure =
      true;  ///< of a body: runs it for half a second and writes down how well the fit knows its projections
  Progress progress = {};
};

/// @param solver   on the mesh of the constraints; does without tests of sight afterwards if that is large
/// @param masses   n, kg
/// @param surface  triangles that may touch obstacles
/// `options.positions.fixed` are the vertices that never move.
HrpdModel reduce_hrpd(const ProjectiveConstraints& constraints, const VectorXd& masses,
                      GeodesicSolver& solver, const Triangles& surface,
                      const ReduceHrpdOptions& options = {});

/// A body of tets or a shell, with these constraints in place of its materials, or with those of the same small-strain
/// moduli. Vertices that the body fixes never move. What it measured is in the model: seconds of each stage, and means of
/// `fit_error` and `fit_error_of_elastic_force` over a motion: stretched by a fifth, and let go.
HrpdModel reduce_hrpd(const Body& body, const ProjectiveConstraints& constraints,
                      const ReduceHrpdOptions& options = {});
HrpdModel reduce_hrpd(const Body& body, const ReduceHrpdOptions& options = {});

/// How well a fit knows all projections at coordinates q, relative to the whole right-hand side Uᵀ Sᵀ Λ p, and to the
/// elastic force Uᵀ Sᵀ Λ (p - S x), which is what is left of it. As slow as the mesh is large.
struct FitError {
  double right_hand_side = 0;
  double elastic_force = 0;
};
/// @param prediction  see HrpdOptions; of a body that moves little in a step
FitError fit_error(const ProjectiveConstraints& constraints, const HrpdModel& model, const MatrixXd& q,
                   double prediction = 0.6);

}  // namespace pliant
