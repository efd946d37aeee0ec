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

  /// Samples are evaluated in chunks, which are the same whatever the number of threads.
  Index chunks() const;
  /// Numbers of scratch that evaluating a chunk wants, aligned to 64 bytes.
  Index scratch() const;
  /// Of samples that are fitted: projects those of a chunk at coordinates q (12 a handle: four rows of three) and adds what they
  /// say to `found` (width rows of `padded`).
  void evaluate(Index chunk, const T* q, double volume, T* scratch, T* found) const;

  /// Lines of a group of eight samples at coordinates q: of sample i the numbers out[3 lines] that begin at line_place(i),
  /// `projective_tile` apart.
  void lines(Index group, const T* q, T* out) const;
  /// The same without what they are at rest.
  void moves(Index group, const T* q, T* out) const;
  Index groups() const { return tiles() * projective_tile / lanes; }
  Index group_of(Index sample) const { return group_of_[static_cast<std::size_t>(sample)]; }
  Index line_place(Index sample) const { return line_place_[static_cast<std::size_t>(sample)]; }
  Index all_lines() const { return tiles() * projective_tile * 3 * line_count(kind_); }

  // === Of samples with weights
  Index line_numbers() const { return tiles() * projective_tile * 3 * used_; }
  Index part_numbers() const { return 16 * Index{slot_first_.back()}; }
  /// Uᵀ Sᵀ w λ (p - lines) of a chunk's samples at coordinates q: its part, of all the `parts`.
  /// @param lines  S x that projections are compared with; made that of q itself where `begins`
  void gather(Index chunk, const T* q, double volume, bool begins, T* lines, T* scratch, T* parts) const;
  /// sum (four rows of three) += factor times what all chunks say to a handle.
  void add_parts(Index handle, const T* parts, T factor, T* sum) const;
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
  int used_ = 3;                              // lines that are rows of S
  AlignedVector<T> weights_, shares_;         // w λ and w of samples, whole tiles
  std::vector<Index> line_place_, group_of_;  // of samples
  Index most_slots_ = 0;                      // of a chunk
  // Of samples with weights: each chunk sums up for every handle that it knows in a slot of its own.
  std::vector<int> slot_;  // of every entry, counted within its chunk; ~slot of the first that has it
  std::vector<int> slot_first_ = {0};           // of chunks, in all slots
  std::vector<int> slots_first_ = {0}, slots_;  // of handles

  void evaluate_groups(Index first, Index count, const T* rest, const T* q, T* out) const;
  Index place_of_group(Index group) const;
  void evaluate_lines(Index tile, const T* q, T* inputs) const;
  void project_lines(Index tile, double volume, T* inputs, T* projections, T* energies) const;
};

}  // namespace pliant
