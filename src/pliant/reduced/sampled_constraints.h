#pragma once
// The inner loop of hyper-reduced projective dynamics in SIMD: from subspace coordinates to the projections of sampled
// constraints, to their fit, to the right-hand side. Nothing here knows the size of the mesh.
#include <span>
#include <vector>

#include "pliant/elasticity/projective_tile.h"
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/types.h"

namespace pliant {

/// What is evaluated of the sampled constraints of one kind: plain data, as a model keeps it. Lines are linear functions of
/// the coordinates, three numbers each: the rows of S, and for bending two edges of the triangle that tells the side.
struct SampledConstraints {
  ProjectiveKind kind = ProjectiveKind::tet_strain;
  MatrixXd
      parameters;  ///< as projective_tile.h lists them, a column a sample; edges are measured in units of rest: B = 1
  MatrixXd rest_lines;        ///< 3 lines x samples: at rest
  MatrixXd rest_projections;  ///< outputs x samples
  // Lines of sample i are rest_lines + Σ coefficients x coordinates over entries first[i] to first[i + 1] - 1.
  std::vector<int> first = {0};
  std::vector<int> handle;
  MatrixXd coefficients;  ///< (4 lines) x entries: four of the first line, of the second, ...
  MatrixXd fit;           ///< d x (rows * samples), see ProjectionFitting; nothing where samples have weights
  VectorXd weights;       ///< w of each sample, see WeightedSamples; empty where projections are fitted
  VectorXd lambdas;       ///< beside weights: λ of each sample
  Index rows = 1, width = 9;
  /// samples x 4: the vertices of each, -1 where it has fewer; of bending, the middle one. For those who show them: empty in
  /// files of before they were kept.
  Tets corners = Tets(0, 4);

  Index size() const { return static_cast<Index>(first.size()) - 1; }
  Index dimension() const { return fit.rows(); }
  bool weighted() const { return weights.size() > 0; }
};

int line_count(ProjectiveKind kind);

/// The same arranged for evaluation: samples in groups of eight lanes, which share one list of handles.
template <class T>
class SampledEvaluator {
 public:
  SampledEvaluator() = default;
  explicit SampledEvaluator(const SampledConstraints& samples);

  static constexpr Index lanes = 8;
  ProjectiveKind kind() const { return kind_; }
  Index dimension() const { return dimension_; }  ///< of the fit
  Index padded() const { return padded_; }        ///< the same, rounded up to whole groups of lanes
  Index width() const { return width_; }
  Index tiles() const { return (size_ + projective_tile - 1) / projective_tile; }
  bool weighted() const { return weighted_; }
  Index handles() const { return static_cast<Index>(of_handle_first_.size()) - 1; }

  /// Numbers of scratch that a call of `evaluate` wants, aligned to 64 bytes.
  Index scratch() const;
  /// Projects the samples of tiles first to last - 1 at coordinates q (12 a handle: four rows of three) and adds what they
  /// say to `found` (width rows of `padded`).
  void evaluate(Index first_tile, Index last_tile, const T* q, double volume, T* scratch, T* found) const;

  // === Of samples with weights
  Index value_count() const { return tiles() * projective_tile * 3 * used_; }
  /// S x at coordinates q, into `lines`: as many as values.
  void measure(Index first_tile, Index last_tile, const T* q, T* scratch, T* lines) const;
  /// w λ (p - lines) at coordinates q, into `values`: groups of eight samples.
  void weigh(Index first_tile, Index last_tile, const T* q, double volume, const T* lines, T* scratch,
             T* values) const;
  /// out (4 rows of 3) += what all samples say to one handle.
  void pull(Index handle, const T* values, T* out) const;
  /// Σ wλ/2 |S x - p|² at coordinates q, joules.
  double energy(const T* q, double volume, T* scratch) const;
  std::size_t memory_bytes() const;

 private:
  ProjectiveKind kind_ = ProjectiveKind::tet_strain;
  Index size_ = 0, dimension_ = 0, padded_ = 0, width_ = 9, rows_ = 1;
  std::vector<int> first_, handle_;  // of groups of eight samples
  AlignedVector<T> coefficients_;    // an entry: four rows of coordinates x lines x eight lanes
  AlignedVector<T> rest_lines_;      // a group: 3 lines x eight lanes
  AlignedVector<T> parameters_, rest_projections_;  // tiles
  AlignedVector<T> fit_;                            // tiles: rows x 64 x padded
  bool weighted_ = false;
  int used_ = 3;                       // lines that are rows of S
  AlignedVector<T> weights_, shares_;  // w λ and w of samples, whole tiles
  // Where each handle stands in the lists of groups: entries, and the groups that they belong to.
  std::vector<int> of_handle_first_ = {0}, of_handle_, group_of_;

  void evaluate_lines(Index tile, const T* q, T* inputs) const;
  void project(Index tile, const T* q, double volume, T* inputs, T* projections, T* energies) const;
};

/// Large matrices lie in panels of so many rows, each column after column: read from end to end.
constexpr Index panel_rows = 32;
/// out (3 rows of `rows`) += a matrix in panels times found (3 rows of `found_stride`), for whole panels.
template <class T>
void add_panels(const T* panels, Index begin, Index end, Index rows, Index columns, const T* found,
                Index found_stride, T* out);

/// out (3 rows of `rows`, a multiple of eight) += map (column-major, `rows` x (blocks * d)) times found: three numbers a
/// column, d columns from the first three rows of found, d from the next three, and so on.
template <class T>
void add_map(const T* map, Index rows, Index begin, Index end, Index dimension, Index padded, Index blocks,
             const T* found, T* out);

}  // namespace pliant
