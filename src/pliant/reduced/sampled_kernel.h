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

/// out[c][rows] += map[column][rows] * found[c][column], rows begin to end - 1 (whole groups of eight), c = 0, 1, 2.
template <class T>
struct MapJob {
  const T* map;
  Index rows, begin, end, columns;
  const T* found;
  Index found_stride;
  T* out;
};
void accumulate_map(const MapJob<float>& job);
void accumulate_map(const MapJob<double>& job);

}  // namespace pliant::detail
