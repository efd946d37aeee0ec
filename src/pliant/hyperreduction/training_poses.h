#pragma once
// Poses from which hyper-reduction learns: drawn at random in the vibration modes of the subspace, or seen in motion.
#include "pliant/base/rng.h"
#include "pliant/subspace/dense_basis.h"

namespace pliant {

struct TrainingPosesOptions {
  int count = 1000;
  /// Deviations of coordinates fall as 1 / frequency^power. With 1 [von Tycowicz et al. 2013, section 4.1] all coordinates
  /// have the same energy in the mean, with 2 the same force. Motion has most of its energy in the softest ones: 3 is closest
  /// to it, and gives the smallest errors of forces in simulations (docs/hyperreduction.md).
  double power = 3;
  /// The median pose's largest displacement over the diagonal of the body's box.
  double scale = 0.1;
  /// The factor by which poses differ in size, up or down: sizes are spread evenly in the logarithm. 1: all are of the
  /// same distribution.
  double spread = 1;
};

struct TrainingPoses {
  MatrixXd q;        ///< d x T
  double scale = 0;  ///< the median pose's largest displacement over the diagonal of the body's box
};

/// Coordinates are normally distributed. Those without stiffness (rigid motions of a free body) stay zero: turning a body is
/// no deformation, and what only looks like a rotation strains every element. Other coordinates are as likely as their
/// frequencies say.
TrainingPoses training_poses(const DenseBasis& basis, Rng& rng, const TrainingPosesOptions& options = {});

/// The nearest poses of the subspace to displacements from its origin (3n x T), in the inner product of the stiffness there
/// (rigid coordinates: of the masses). What the subspace cannot follow then costs it the least strain, as in motion of its own;
/// nearest in the masses' sense, it would strain every element a little.
TrainingPoses poses_of_motion(const Body& body, const DenseBasis& basis, const MatrixXd& displacements);

/// The same in the inner product of the masses.
TrainingPoses poses_of_motion(const DenseBasis& basis, const VectorXd& masses, const MatrixXd& displacements);

/// Largest displacement of a vertex in each pose (T), metres.
VectorXd largest_displacements(const DenseBasis& basis, const MatrixXd& q);

}  // namespace pliant
