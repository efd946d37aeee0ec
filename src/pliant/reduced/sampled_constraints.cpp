#include "pliant/reduced/sampled_constraints.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "pliant/numerics/dissection.h"
#include "pliant/numerics/thin_product.h"
#include "pliant/reduced/sampled_kernel.h"

namespace pliant {
namespace {

constexpr Index tile = projective_tile;
/// Tiles in a chunk. Many, so that handles stand in few of them; not so many that what they sum up leaves the nearest cache.
constexpr Index chunk_tiles = 4;

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

/// Handles in the order in which a graph is taken apart that joins those that samples share.
/// @param knows  samples of every handle
std::vector<int> places_of_handles(const SampledConstraints& s, std::span<const std::vector<int>> knows) {
  std::vector<std::vector<int>> neighbors(knows.size());
  for (std::size_t h = 0; h < knows.size(); ++h) {
    std::vector<int>& around = neighbors[h];
    for (const int i : knows[h])
      around.insert(around.end(), s.handle.begin() + s.first[at(i)], s.handle.begin() + s.first[at(i) + 1]);
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
  }
  std::vector<int> place(knows.size());
  int next = 0;
  for (const Dissection::Part& part : dissect(neighbors, 1).parts)
    for (const int h : part.vertices) place[at(h)] = next++;
  return place;
}

/// Samples in an order in which those that share handles stand in the same group of eight, whose list is short then, and groups
/// that share handles stand near each other. A group grows by the sample that adds least to its list; groups follow each other as
/// their handles do, where the graph of handles is taken apart.
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

  // === Where groups may begin
  const std::vector<int> place = places_of_handles(s, knows);
  std::vector<int> first_place(at(count), handles);
  for (Index i = 0; i < count; ++i)
    for (int e = s.first[at(i)]; e < s.first[at(i) + 1]; ++e)
      first_place[at(i)] = std::min(first_place[at(i)], place[at(s.handle[at(e)])]);
  std::vector<int> starts = order;
  std::stable_sort(starts.begin(), starts.end(),
                   [&](int a, int b) { return first_place[at(a)] < first_place[at(b)]; });

  // === How they grow
  std::vector<char> taken(at(count), 0), listed(at(handles), 0);
  std::vector<int> shared(at(count), 0), near, list;
  order.clear();
  const auto take = [&](int sample) {
    taken[at(sample)] = 1;
    order.push_back(sample);
    for (int e = s.first[at(sample)]; e < s.first[at(sample) + 1]; ++e) {
      const int h = s.handle[at(e)];
      if (listed[at(h)]) continue;
      listed[at(h)] = 1;
      list.push_back(h);
      for (const int i : knows[at(h)])
        if (!taken[at(i)] && shared[at(i)]++ == 0) near.push_back(i);
    }
  };
  const auto adds = [&](int i) { return s.first[at(i) + 1] - s.first[at(i)] - shared[at(i)]; };
  const auto adds_less = [&](int a, int b) {
    if (adds(a) != adds(b)) return adds(a) < adds(b);
    return shared[at(a)] != shared[at(b)] ? shared[at(a)] > shared[at(b)] : a < b;
  };
  std::size_t next_start = 0;
  while (std::ssize(order) < count) {
    for (Index i = 0; i < lanes && std::ssize(order) < count; ++i) {
      int next = -1;
      for (const int candidate : near)
        if (!taken[at(candidate)] && (next < 0 || adds_less(candidate, next))) next = candidate;
      while (taken[at(starts[next_start])]) ++next_start;
      take(next >= 0 ? next : starts[next_start]);
    }
    for (const int i : near) shared[at(i)] = 0;
    for (const int h : list) listed[at(h)] = 0;
    near.clear(), list.clear();
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
  line_place_.resize(at(size_));
  group_of_.resize(at(size_));
  for (Index i = 0; i < size_; ++i) {
    line_place_[at(order[at(i)])] = i / tile * 3 * lines * tile + i % tile;
    group_of_[at(order[at(i)])] = i / lanes;
  }

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
    slot_.resize(handle_.size());
    std::vector<std::vector<int>> of_handle;
    for (Index c = 0; c < chunks(); ++c) {
      const Index first = first_[at(c * chunk_tiles * tile / lanes)],
                  last = first_[at(std::min((c + 1) * chunk_tiles, tiles()) * tile / lanes)];
      std::vector<int> known(handle_.begin() + first, handle_.begin() + last);
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
      std::vector<char> begun(known.size(), 0);
      for (Index e = first; e < last; ++e) {
        const auto slot =
            static_cast<int>(std::lower_bound(known.begin(), known.end(), handle_[at(e)]) - known.begin());
        slot_[at(e)] = begun[at(slot)] ? slot : ~slot;
        begun[at(slot)] = 1;
      }
      for (std::size_t slot = 0; slot < known.size(); ++slot) {
        of_handle.resize(std::max(of_handle.size(), at(known[slot]) + 1));
        of_handle[at(known[slot])].push_back(slot_first_.back() + static_cast<int>(slot));
      }
      slot_first_.push_back(slot_first_.back() + static_cast<int>(known.size()));
      most_slots_ = std::max(most_slots_, std::ssize(known));
    }
    for (const std::vector<int>& slots : of_handle) {
      slots_.insert(slots_.end(), slots.begin(), slots.end());
      slots_first_.push_back(static_cast<int>(slots_.size()));
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
Index SampledEvaluator<T>::chunks() const {
  return (tiles() + chunk_tiles - 1) / chunk_tiles;
}

template <class T>
Index SampledEvaluator<T>::scratch() const {
  const Index outputs = shape_of(kind_).outputs;
  return (9 + outputs + 1 + outputs) * tile + 12 * lanes * most_slots_;
}

template <class T>
void SampledEvaluator<T>::evaluate_groups(Index first, Index count, const T* rest, const T* q, T* out) const {
  detail::evaluate_lines(detail::LinesJob<T>{.lines = line_count(kind_),
                                             .groups = count,
                                             .first = first_.data() + first,
                                             .handles = handle_.data(),
                                             .coefficients = coefficients_.data(),
                                             .rest = rest,
                                             .q = q,
                                             .out = out,
                                             .stride = tile});
}

template <class T>
void SampledEvaluator<T>::evaluate_lines(Index t, const T* q, T* inputs) const {
  evaluate_groups(t * tile / lanes, tile / lanes, rest_lines_.data() + t * 3 * line_count(kind_) * tile, q,
                  inputs);
}

template <class T>
Index SampledEvaluator<T>::place_of_group(Index group) const {
  const Index first = group * lanes;
  return first / tile * 3 * line_count(kind_) * tile + first % tile;
}

template <class T>
void SampledEvaluator<T>::lines(Index group, const T* q, T* out) const {
  evaluate_groups(group, 1, rest_lines_.data() + group * 3 * line_count(kind_) * lanes, q,
                  out + place_of_group(group));
}

template <class T>
void SampledEvaluator<T>::moves(Index group, const T* q, T* out) const {
  alignas(64) static constexpr T nothing[9 * lanes] = {};  // no kind has more than three lines
  evaluate_groups(group, 1, nothing, q, out + place_of_group(group));
}

/// p of a tile's samples from their lines, which may change.
template <class T>
void SampledEvaluator<T>::project_lines(Index t, double volume, T* inputs, T* projections,
                                        T* energies) const {
  const ProjectiveShape shape = shape_of(kind_);
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
void SampledEvaluator<T>::evaluate(Index chunk, const T* q, double volume, T* scratch, T* found) const {
  const ProjectiveShape shape = shape_of(kind_);
  T *inputs = scratch, *projections = scratch + 9 * tile;
  for (Index t = chunk * chunk_tiles; t < std::min((chunk + 1) * chunk_tiles, tiles()); ++t) {
    evaluate_lines(t, q, inputs);
    project_lines(t, volume, inputs, projections, nullptr);
    const T* rest = rest_projections_.data() + t * shape.outputs * tile;
    for (Index i = 0; i < shape.outputs * tile; ++i) projections[i] -= rest[i];
    for (Index three = 0; three < shape.outputs / 3; ++three) {
      // In tets the fit is the same for all nine entries; else each row has its own.
      const Index row = rows_ == 1 ? 0 : three, target = rows_ == 1 ? three : 0;
      add_product(ThinProduct<T>{.matrix = fit_.data() + (t * rows_ + row) * tile * padded_,
                                 .stride = padded_,
                                 .rows = padded_,
                                 .columns = tile,
                                 .x = projections + 3 * three * tile,
                                 .next = 1,
                                 .apart = tile,
                                 .out = found + 3 * target * padded_,
                                 .out_apart = padded_});
    }
  }
}

template <class T>
void SampledEvaluator<T>::gather(Index chunk, const T* q, double volume, bool begins, T* lines, T* scratch,
                                 T* parts) const {
  const Index outputs = shape_of(kind_).outputs;
  constexpr Index groups = tile / lanes;
  T *inputs = scratch, *projections = inputs + 9 * tile, *values = projections + (outputs + 1) * tile,
    *sums = values + outputs * tile;
  const Index first_slot = slot_first_[at(chunk)], slots = slot_first_[at(chunk) + 1] - first_slot;
  for (Index t = chunk * chunk_tiles; t < std::min((chunk + 1) * chunk_tiles, tiles()); ++t) {
    T* compared = lines + t * outputs * tile;
    evaluate_lines(t, q, inputs);
    if (begins) std::copy_n(inputs, outputs * tile, compared);
    project_lines(t, volume, inputs, projections, nullptr);
    detail::weigh_samples(detail::WeighJob<T>{.samples = tile,
                                              .rows = outputs,
                                              .weights = weights_.data() + t * tile,
                                              .projections = projections,
                                              .lines = compared,
                                              .out = values});
    detail::pull_groups(detail::PullJob<T>{.lines = line_count(kind_),
                                           .used = used_,
                                           .groups = groups,
                                           .first = first_.data() + t * groups,
                                           .slots = slot_.data(),
                                           .coefficients = coefficients_.data(),
                                           .values = values,
                                           .sums = sums});
  }
  detail::sum_lanes(detail::LaneSumsJob<T>{.count = slots, .sums = sums, .out = parts + 16 * first_slot});
}

template <class T>
void SampledEvaluator<T>::add_parts(Index handle, const T* parts, T factor, T* sum) const {
  if (handle + 1 >= std::ssize(slots_first_)) return;
  for (int i = slots_first_[at(handle)]; i < slots_first_[at(handle) + 1]; ++i) {
    const T* part = parts + 16 * Index{slots_[at(i)]};
    for (Index k = 0; k < 12; ++k) sum[k] += factor * part[k];
  }
}

template <class T>
double SampledEvaluator<T>::energy(const T* q, double volume, T* scratch) const {
  T *inputs = scratch, *projections = inputs + 9 * tile,
    *energies = projections + shape_of(kind_).outputs * tile;
  double sum = 0;
  for (Index t = 0; t < tiles(); ++t) {
    evaluate_lines(t, q, inputs);
    project_lines(t, volume, inputs, projections, energies);
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
         (first_.size() + handle_.size() + slot_.size() + slot_first_.size() + slots_first_.size() +
          slots_.size()) *
             sizeof(int);
}

template class SampledEvaluator<float>;
template class SampledEvaluator<double>;

}  // namespace pliant
