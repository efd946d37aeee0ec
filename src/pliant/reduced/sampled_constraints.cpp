#include "pliant/reduced/sampled_constraints.h"

#include <algorithm>

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

template <class T>
SampledEvaluator<T>::SampledEvaluator(const SampledConstraints& s)
    : kind_(s.kind), size_(s.size()), dimension_(s.dimension()), width_(s.width), rows_(s.rows) {
  const ProjectiveShape shape = shape_of(kind_);
  const Index lines = line_count(kind_), groups = tiles() * tile / lanes;
  padded_ = (dimension_ + lanes - 1) / lanes * lanes;

  // === Groups of eight samples and the handles that any of them knows
  first_ = {0};
  rest_lines_.assign(at(groups * 3 * lines * lanes), T(0));
  std::vector<int> around;
  for (Index g = 0; g < groups; ++g) {
    around.clear();
    const Index begin = std::min(g * lanes, size_), end = std::min(begin + lanes, size_);
    for (Index i = begin; i < end; ++i)
      around.insert(around.end(), s.handle.begin() + s.first[at(i)], s.handle.begin() + s.first[at(i) + 1]);
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    const std::size_t place = coefficients_.size();
    coefficients_.resize(place + around.size() * at(4 * lines * lanes), T(0));
    for (Index i = begin; i < end; ++i) {
      for (Index r = 0; r < 3 * lines; ++r)
        rest_lines_[at((g * 3 * lines + r) * lanes + i - begin)] = static_cast<T>(s.rest_lines(r, i));
      for (int e = s.first[at(i)]; e < s.first[at(i) + 1]; ++e) {
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

  // === Tiles
  parameters_.assign(at(tiles() * shape.parameters * tile), T(0));
  rest_projections_.assign(at(tiles() * shape.outputs * tile), T(0));
  fit_.assign(at(tiles() * rows_ * tile * padded_), T(0));
  for (Index i = 0; i < size_; ++i) {
    const Index t = i / tile, lane = i % tile;
    for (Index r = 0; r < shape.parameters; ++r)
      parameters_[at((t * shape.parameters + r) * tile + lane)] = static_cast<T>(s.parameters(r, i));
    for (Index r = 0; r < shape.outputs; ++r)
      rest_projections_[at((t * shape.outputs + r) * tile + lane)] = static_cast<T>(s.rest_projections(r, i));
    for (Index r = 0; r < rows_; ++r)
      for (Index k = 0; k < dimension_; ++k)
        fit_[at(((t * rows_ + r) * tile + lane) * padded_ + k)] = static_cast<T>(s.fit(k, rows_ * i + r));
  }
}

template <class T>
Index SampledEvaluator<T>::scratch() const {
  return (9 + shape_of(kind_).outputs) * tile;
}

template <class T>
void SampledEvaluator<T>::evaluate(Index first_tile, Index last_tile, const T* q, double volume, T* scratch,
                                   T* found) const {
  const ProjectiveShape shape = shape_of(kind_);
  const int lines = line_count(kind_);
  T *inputs = scratch, *projections = scratch + 9 * tile;
  for (Index t = first_tile; t < last_tile; ++t) {
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
                                   .projections = projections},
                 volume);
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
std::size_t SampledEvaluator<T>::memory_bytes() const {
  return (coefficients_.size() + rest_lines_.size() + parameters_.size() + rest_projections_.size() +
          fit_.size()) *
             sizeof(T) +
         (first_.size() + handle_.size()) * sizeof(int);
}

template class SampledEvaluator<float>;
template class SampledEvaluator<double>;

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
                                             .out = out});
}
template void add_map(const float*, Index, Index, Index, Index, Index, Index, const float*, float*);
template void add_map(const double*, Index, Index, Index, Index, Index, Index, const double*, double*);

}  // namespace pliant
