#pragma once
// Loops of SampledEvaluator in SIMD.
#include "pliant/base/parallel.h"

namespace pliant::detail {

/// Lines of samples in groups of eight: of group g out[3 lines][stride] from 8 g on, from rest[g][3 lines][8] and coefficients
/// [entry][4][lines][8] of its entries first[g] to first[g + 1] - 1.
template <class T>
struct LinesJob {
  int lines;
  Index groups;
  const int *first, *handles;
  const T *coefficients, *rest, *q;
  T* out;
  Index stride;
};
void evaluate_lines(const LinesJob<float>& job);
void evaluate_lines(const LinesJob<double>& job);

/// What groups of eight samples say to handles, the lanes kept apart: sums[slot of an entry][4][3][8] += coefficients of the entry,
/// of which the first `used` lines count, times values[g][used][3][8]. A slot's first entry says ~slot: the sum begins there.
template <class T>
struct PullJob {
  int lines, used;
  Index groups;
  const int *first, *slots;
  const T *coefficients, *values;
  T* sums;
};
void pull_groups(const PullJob<float>& job);
void pull_groups(const PullJob<double>& job);

/// out[i][0 to 11] = sums[i][12][8] over the eight lanes; a row of out has sixteen numbers.
template <class T>
struct LaneSumsJob {
  Index count;
  const T* sums;
  T* out;
};
void sum_lanes(const LaneSumsJob<float>& job);
void sum_lanes(const LaneSumsJob<double>& job);

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
