#pragma once
// Loops of SampledEvaluator in SIMD.
#include "pliant/base/parallel.h"

namespace pliant::detail {

/// Lines of eight samples: out[3 lines][stride], from rest[3 lines][8] and entries' coefficients [4][lines][8].
template <class T>
struct LinesJob {
  int lines;
  const int* handles;
  Index entries;
  const T *coefficients, *rest, *q;
  T* out;
  Index stride;
};
void evaluate_lines(const LinesJob<float>& job);
void evaluate_lines(const LinesJob<double>& job);

/// found[row][padded] += Σ_i fit[i][padded] * values[row][i], for three rows of values.
template <class T>
struct FitJob {
  const T* fit;
  const T* values;
  Index value_stride, count, padded;
  T* found;
};
void accumulate_fit(const FitJob<float>& job);
void accumulate_fit(const FitJob<double>& job);

/// out[c][out_stride] += map[column][rows] * found[c][column], rows begin to end - 1 (whole groups of eight), c = 0, 1, 2.
template <class T>
struct MapJob {
  const T* map;
  Index rows, begin, end, columns;
  const T* found;
  Index found_stride;
  T* out;
  Index out_stride;
};
void accumulate_map(const MapJob<float>& job);
void accumulate_map(const MapJob<double>& job);

/// What samples say to one handle: out (4 rows of 3) += Σ over entries, lines and lanes of coefficients times values. An entry
/// is a group of eight samples that know the handle: its coefficients [4][lines][8], of which the first `used` lines count,
/// and its values [used][3][8].
template <class T>
struct PullJob {
  int lines, used;
  const int *entries, *groups;
  Index count;
  const T *coefficients, *values;
  T* out;
};
void pull_to_handle(const PullJob<float>& job);
void pull_to_handle(const PullJob<double>& job);

/// Of a tile's samples: out [groups of eight][rows][8] = weights[samples] (projections - lines)[rows][samples].
template <class T>
struct WeighJob {
  Index samples, rows;
  const T *weights, *projections, *lines;
  T* out;
};
void weigh_samples(const WeighJob<float>& job);
void weigh_samples(const WeighJob<double>& job);

}  // namespace pliant::detail
