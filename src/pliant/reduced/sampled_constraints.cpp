#include "pliant/reduced/sampled_constraints.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "pliant/reduced/sampled_kernel.h"

namespace pliant {
namespace {

constexpr Index tile = projective_tile;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

int line_count(ProjectiveKind kind) {
  switch (kind) {
    case ProjectiveKind::tet_strain:
    case ProjectiveKind::tet_volume:
    case ProjectiveKind::tet_example:
    case ProjectiveKind::bending:
      return 3;
    case ProjectiveKind::triangle_strain:
      return 2;
    case ProjectiveKind::spring:
      break;
  }
  return 1;
}

namespace {

/// Beyond so many the order of samples stays as it is.
constexpr Index most_ordered = 20'000;

/// Samples in an order in which those that share handles stand in the same group of eight, whose list is short then: the first
/// that is left, and the seven that share most with it.
std::vector<int> grouped_order(const SampledConstraints& s, Index lanes) {
  const Index count = s.size();
  std::vector<int> order(at(count));
  std::iota(order.begin(), order.end(), 0);
  if (count > most_ordered || s.handle.empty()) return order;
  const int handles = *std::max_element(s.handle.begin(), s.handle.end()) + 1;
  std::vector<std::vector<int>> knows(at(handles));
  for (Index i = 0; i < count; ++i)
    for (int e = s.first[at(i)]; e < s.first[at(i) + 1]; ++e)
      knows[at(s.handle[at(e)])].push_back(static_cast<int>(i));
  std::vector<char> taken(at(count), 0);
  std::vector<int> shared(at(count), 0), near;
  order.clear();
  for (Index seed = 0; seed < count; ++seed) {
    if (taken[at(seed)]) continue;
    near.clear();
    for (int e = s.first[at(seed)]; e < s.first[at(seed) + 1]; ++e)
      for (const int i : knows[at(s.handle[at(e)])])
        if (!taken[at(i)] && shared[at(i)]++ == 0) near.push_back(i);
    shared[at(seed)] = std::numeric_limits<int>::max();
    if (near.empty()) near.push_back(static_cast<int>(seed));
    // Of two that share as much, the one that knows fewer others makes the list less long.
    const auto more = [&](int a, int b) {
      if (shared[at(a)] != shared[at(b)]) return shared[at(a)] > shared[at(b)];
      const int of_a = s.first[at(a) + 1] - s.first[at(a)], of_b = s.first[at(b) + 1] - s.first[at(b)];
      return of_a != of_b ? of_a < of_b : a < b;
    };
    const auto last = near.begin() + std::min<Index>(lanes, static_cast<Index>(near.size()));
    std::partial_sort(near.begin(), last, near.end(), more);
    for (auto i = near.begin(); i != last; ++i) taken[at(*i)] = 1, order.push_back(*i);
    for (const int i : near) shared[at(i)] = 0;
    shared[at(seed)] = 0;
  }
  return order;
}

}  // namespace

template <class T>
SampledEvaluator<T>::SampledEvaluator(const SampledConstraints& s)
    : kind_(s.kind),
      size_(s.size()),
      dimension_(s.dimension()),
      width_(s.width),
      rows_(s.rows),
      weighted_(s.weighted()),
      used_(shape_of(s.kind).outputs / 3) {
  const ProjectiveShape shape = shape_of(kind_);
  const Index lines = line_count(kind_), groups = tiles() * tile / lanes;
  padded_ = (dimension_ + lanes - 1) / lanes * lanes;
  const std::vector<int> order = grouped_order(s, lanes);

  // === Groups of eight samples and the handles that any of them knows
  first_ = {0};
  rest_lines_.assign(at(groups * 3 * lines * lanes), T(0));
  std::vector<int> around;
  for (Index g = 0; g < groups; ++g) {
    around.clear();
    const Index begin = std::min(g * lanes, size_), end = std::min(begin + lanes, size_);
    for (Index i = begin; i < end; ++i) {
      const auto sample = at(order[at(i)]);
      around.insert(around.end(), s.handle.begin() + s.first[sample], s.handle.begin() + s.first[sample + 1]);
    }
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    const std::size_t place = coefficients_.size();
    coefficients_.resize(place + around.size() * at(4 * lines * lanes), T(0));
    for (Index i = begin; i < end; ++i) {
      const int sample = order[at(i)];
      for (Index r = 0; r < 3 * lines; ++r)
        rest_lines_[at((g * 3 * lines + r) * lanes + i - begin)] = static_cast<T>(s.rest_lines(r, sample));
      for (int e = s.first[at(sample)]; e < s.first[at(sample) + 1]; ++e) {
        const auto slot = static_cast<Index>(std::lower_bound(around.begin(), around.end(), s.handle[at(e)]) -
                                             around.begin());
        for (Index line = 0; line < lines; ++line)
          for (Index k = 0; k < 4; ++k)
            coefficients_[place + at(((slot * 4 + k) * lines + line) * lanes + i - begin)] =
                static_cast<T>(s.coefficients(4 * line + k, e));
      }
    }
    handle_.insert(handle_.end(), around.begin(), around.end());
    first_.push_back(static_cast<int>(handle_.size()));
  }

  if (weighted_) {
    const int count = handle_.empty() ? 0 : *std::max_element(handle_.begin(), handle_.end()) + 1;
    of_handle_first_.assign(at(count) + 1, 0);
    for (const int h : handle_) ++of_handle_first_[at(h) + 1];
    std::partial_sum(of_handle_first_.begin(), of_handle_first_.end(), of_handle_first_.begin());
    of_handle_.resize(handle_.size());
    group_of_.resize(handle_.size());
    std::vector<int> next(of_handle_first_.begin(), of_handle_first_.end() - 1);
    for (Index g = 0; g < groups; ++g)
      for (int e = first_[at(g)]; e < first_[at(g) + 1]; ++e) {
        const auto to = at(next[at(handle_[at(e)])]++);
        of_handle_[to] = e;
        group_of_[to] = static_cast<int>(g);
      }
    weights_.assign(at(tiles() * tile), T(0));
    shares_ = weights_;
    for (Index i = 0; i < size_; ++i) {
      const int sample = order[at(i)];
      weights_[at(i)] = static_cast<T>(s.weights[sample] * s.lambdas[sample]);
      shares_[at(i)] = static_cast<T>(s.weights[sample]);
    }
  }

  // === Tiles
  parameters_.assign(at(tiles() * shape.parameters * tile), T(0));
  rest_projections_.assign(at(tiles() * shape.outputs * tile), T(0));
  fit_.assign(at(tiles() * rows_ * tile * padded_), T(0));
  for (Index i = 0; i < size_; ++i) {
    const Index t = i / tile, lane = i % tile, sample = order[at(i)];
    for (Index r = 0; r < shape.parameters; ++r)
      parameters_[at((t * shape.parameters + r) * tile + lane)] = static_cast<T>(s.parameters(r, sample));
    for (Index r = 0; r < shape.outputs; ++r)
      rest_projections_[at((t * shape.outputs + r) * tile + lane)] =
          static_cast<T>(s.rest_projections(r, sample));
    for (Index r = 0; r < rows_; ++r)
      for (Index k = 0; k < dimension_; ++k)
        fit_[at(((t * rows_ + r) * tile + lane) * padded_ + k)] =
            static_cast<T>(s.fit(k, rows_ * sample + r));
  }
}

template <class T>
Index SampledEvaluator<T>::scratch() const {
  return (9 + shape_of(kind_).outputs + 1) * tile;
}

template <class T>
void SampledEvaluator<T>::evaluate_lines(Index t, const T* q, T* inputs) const {
  const int lines = line_count(kind_);
  for (Index g = t * tile / lanes; g < (t + 1) * tile / lanes; ++g)
    detail::evaluate_lines(
        detail::LinesJob<T>{.lines = lines,
                            .handles = handle_.data() + first_[at(g)],
                            .entries = first_[at(g) + 1] - first_[at(g)],
                            .coefficients = coefficients_.data() + Index{first_[at(g)]} * 4 * lines * lanes,
                            .rest = rest_lines_.data() + g * 3 * lines * lanes,
                            .q = q,
                            .out = inputs + (g * lanes) % tile,
                            .stride = tile});
}

/// p of a tile's samples at coordinates q.
template <class T>
void SampledEvaluator<T>::project(Index t, const T* q, double volume, T* inputs, T* projections,
                                  T* energies) const {
  const ProjectiveShape shape = shape_of(kind_);
  evaluate_lines(t, q, inputs);
  if (kind_ == ProjectiveKind::bending) {
    // The side: edges become their normal.
    T* edges = inputs + 3 * tile;
    for (Index i = 0; i < tile; ++i) {
      const T a[3] = {edges[i], edges[tile + i], edges[2 * tile + i]};
      const T b[3] = {edges[3 * tile + i], edges[4 * tile + i], edges[5 * tile + i]};
      for (int r = 0; r < 3; ++r)
        edges[r * tile + i] = a[(r + 1) % 3] * b[(r + 2) % 3] - a[(r + 2) % 3] * b[(r + 1) % 3];
    }
  }
  project_tile(kind_,
               ProjectiveTile<T>{.inputs = inputs,
                                 .parameters = parameters_.data() + t * shape.parameters * tile,
                                 .projections = projections,
                                 .energies = energies},
               volume);
}

template <class T>
void SampledEvaluator<T>::evaluate(Index first_tile, Index last_tile, const T* q, double volume, T* scratch,
                                   T* found) const {
  const ProjectiveShape shape = shape_of(kind_);
  T *inputs = scratch, *projections = scratch + 9 * tile;
  for (Index t = first_tile; t < last_tile; ++t) {
    project(t, q, volume, inputs, projections, nullptr);
    const T* rest = rest_projections_.data() + t * shape.outputs * tile;
    for (Index i = 0; i < shape.outputs * tile; ++i) projections[i] -= rest[i];
    for (Index three = 0; three < shape.outputs / 3; ++three) {
      // In tets the fit is the same for all nine entries; else each row has its own.
      const Index row = rows_ == 1 ? 0 : three, target = rows_ == 1 ? three : 0;
      detail::accumulate_fit(detail::FitJob<T>{.fit = fit_.data() + (t * rows_ + row) * tile * padded_,
                                               .values = projections + 3 * three * tile,
                                               .value_stride = tile,
                                               .count = tile,
                                               .padded = padded_,
                                               .found = found + 3 * target * padded_});
    }
  }
}

template <class T>
void SampledEvaluator<T>::measure(Index first_tile, Index last_tile, const T* q, T* scratch, T* lines) const {
  const Index outputs = shape_of(kind_).outputs;
  for (Index t = first_tile; t < last_tile; ++t) {
    evaluate_lines(t, q, scratch);
    std::copy_n(scratch, outputs * tile, lines + t * outputs * tile);
  }
}

template <class T>
void SampledEvaluator<T>::weigh(Index first_tile, Index last_tile, const T* q, double volume, const T* lines,
                                T* scratch, T* values) const {
  const Index outputs = shape_of(kind_).outputs;
  T *inputs = scratch, *projections = scratch + 9 * tile;
  for (Index t = first_tile; t < last_tile; ++t) {
    project(t, q, volume, inputs, projections, nullptr);
    detail::weigh_samples(detail::WeighJob<T>{.samples = tile,
                                              .rows = outputs,
                                              .weights = weights_.data() + t * tile,
                                              .projections = projections,
                                              .lines = lines + t * outputs * tile,
                                              .out = values + t * outputs * tile});
  }
}

template <class T>
void SampledEvaluator<T>::pull(Index handle, const T* values, T* out) const {
  const int begin = of_handle_first_[at(handle)];
  detail::pull_to_handle(detail::PullJob<T>{.lines = line_count(kind_),
                                            .used = used_,
                                            .entries = of_handle_.data() + begin,
                                            .groups = group_of_.data() + begin,
                                            .count = of_handle_first_[at(handle) + 1] - begin,
                                            .coefficients = coefficients_.data(),
                                            .values = values,
                                            .out = out});
}

template <class T>
double SampledEvaluator<T>::energy(const T* q, double volume, T* scratch) const {
  T *inputs = scratch, *projections = inputs + 9 * tile,
    *energies = projections + shape_of(kind_).outputs * tile;
  double sum = 0;
  for (Index t = 0; t < tiles(); ++t) {
    project(t, q, volume, inputs, projections, energies);
    for (Index i = 0; i < std::min(tile, size_ - t * tile); ++i)
      sum += static_cast<double>(shares_[at(t * tile + i)] * energies[i]);
  }
  return sum;
}

template <class T>
std::size_t SampledEvaluator<T>::memory_bytes() const {
  return (coefficients_.size() + rest_lines_.size() + parameters_.size() + rest_projections_.size() +
          fit_.size() + weights_.size() + shares_.size()) *
             sizeof(T) +
         (first_.size() + handle_.size() + of_handle_first_.size() + of_handle_.size() + group_of_.size()) *
             sizeof(int);
}

template class SampledEvaluator<float>;
template class SampledEvaluator<double>;

template <class T>
void add_panels(const T* panels, Index begin, Index end, Index rows, Index columns, const T* found,
                Index found_stride, T* out) {
  for (Index row = begin; row < end; row += panel_rows)
    detail::accumulate_map(detail::MapJob<T>{.map = panels + row * columns,
                                             .rows = panel_rows,
                                             .begin = 0,
                                             .end = panel_rows,
                                             .columns = columns,
                                             .found = found,
                                             .found_stride = found_stride,
                                             .out = out + row,
                                             .out_stride = rows});
}
template void add_panels(const float*, Index, Index, Index, Index, const float*, Index, float*);
template void add_panels(const double*, Index, Index, Index, Index, const double*, Index, double*);

template <class T>
void add_map(const T* map, Index rows, Index begin, Index end, Index dimension, Index padded, Index blocks,
             const T* found, T* out) {
  for (Index block = 0; block < blocks; ++block)
    detail::accumulate_map(detail::MapJob<T>{.map = map + block * dimension * rows,
                                             .rows = rows,
                                             .begin = begin,
                                             .end = end,
                                             .columns = dimension,
                                             .found = found + 3 * block * padded,
                                             .found_stride = padded,
                                             .out = out,
                                             .out_stride = rows});
}
template void add_map(const float*, Index, Index, Index, Index, Index, Index, const float*, float*);
template void add_map(const double*, Index, Index, Index, Index, Index, Index, const double*, double*);

}  // namespace pliant
