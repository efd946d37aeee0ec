#pragma once
// Surfaces and their motion as glTF 2.0, for any viewer: .glb (binary), or .gltf (text, buffers embedded).
//
// A linear subspace x = X + U q is a set of morph targets: column i of U is target i, and q(t) are the
// weights over time. A viewer that plays the file adds up the same product on the graphics card.
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "pliant/geometry/tri_mesh.h"

namespace pliant {

/// How a surface looks, and what is written with it.
struct GltfOptions {
  std::string name = "surface";
  std::array<double, 4> colour = {0.86, 0.42, 0.32, 1.0};  ///< linear red, green, blue, opacity; 0 to 1
  double roughness = 0.6;                                  ///< 0 mirror, 1 chalk
  bool double_sided = true;                                ///< shells are seen from inside, too
  bool normals = true;                                     ///< smooth shading; without: flat triangles
};

/// The most coordinates a file plays exactly.
inline constexpr int kMostMorphTargets = 64;

/// A still surface. The file appears whole or not at all, here and below.
void write_glb(const std::filesystem::path& path, const TriMesh& surface, const GltfOptions& options = {});

/// Motion in a linear subspace: at times[f] the surface is at vertices + sum_i weights(f, i) targets[i], and
/// between two times the weights are interpolated linearly.
struct MorphMotion {
  std::vector<Points> targets;  ///< k <= 64 displacement fields, each n x 3
  VectorXd times;               ///< f, seconds, from 0 on, ascending
  MatrixXd weights;             ///< f x k
};

/// Exact up to 32-bit floats. Normals cannot be: the file gets the targets' normals that fit the motion best.
void write_glb_morph(const std::filesystem::path& path, const TriMesh& surface, const MorphMotion& motion,
                     const GltfOptions& options = {});

struct GltfSequenceOptions {
  GltfOptions look = {};
  int targets = kMostMorphTargets;  ///< at most; 1 to 64
  VectorXd vertex_weights = {};  ///< n, what an error at each vertex costs (its area, its mass); empty: equal
  int fitted_frames =
      600;  ///< the targets come from this many frames, evenly spaced; all frames are then played
};

/// How far the played surface is from the recorded one, over all frames and vertices, with what the file
/// holds: floats. Also written into the file (extras.pliant of its mesh).
struct SequenceError {
  int targets = 0;     ///< in the file
  double largest = 0;  ///< distance, relative to the diagonal of the surface's box
  double rms = 0;      ///< likewise
};

/// Recorded motion, any motion: the targets that reproduce it best in the least-squares sense (principal
/// components of the displacements from the surface given). At most 64 frames are reproduced exactly.
SequenceError write_glb_sequence(const std::filesystem::path& path, const TriMesh& surface,
                                 const std::vector<Points>& frames, const VectorXd& times,
                                 const GltfSequenceOptions& options = {});

}  // namespace pliant
