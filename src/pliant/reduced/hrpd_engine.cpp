#include "pliant/reduced/hrpd_engine.h"

#include <algorithm>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

/// Tiles that one task takes: the same whatever the number of threads.
constexpr Index tiles_a_chunk = 4;
/// Rows of a matrix that one task takes.
constexpr Index rows_a_task = 512;
/// The same of A⁻¹, which has more columns.
constexpr Index inverse_rows_a_task = 128;
/// Handles that one task pulls at.
constexpr Index handles_a_task = 16;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Column-major with `rows` rows, zeros below.
template <class T>
void pack(const MatrixXd& m, Index rows, AlignedVector<T>& out) {
  out.assign(at(rows * m.cols()), T(0));
  for (Index j = 0; j < m.cols(); ++j)
    for (Index i = 0; i < m.rows(); ++i) out[at(j * rows + i)] = static_cast<T>(m(i, j));
}

/// The same in panels.
template <class T>
void pack_panels(const MatrixXd& m, Index rows, AlignedVector<T>& out) {
  out.assign(at(rows * m.cols()), T(0));
  for (Index j = 0; j < m.cols(); ++j)
    for (Index i = 0; i < m.rows(); ++i)
      out[at(i / panel_rows * panel_rows * m.cols() + j * panel_rows + i % panel_rows)] =
          static_cast<T>(m(i, j));
}

}  // namespace

template <class T>
HrpdEngine<T>::HrpdEngine(const HrpdModel& model) : columns_(model.columns()) {
  constexpr Index lanes = SampledEvaluator<T>::lanes;
  static_assert(panel_rows % lanes == 0);
  rows_ = (columns_ + panel_rows - 1) / panel_rows * panel_rows;
  for (const ReducedConstraints& kind : model.kinds) {
    Kind made;
    made.evaluator = SampledEvaluator<T>(kind.samples);
    made.first_chunk = chunks_;
    made.chunks = (made.evaluator.tiles() + tiles_a_chunk - 1) / tiles_a_chunk;
    chunks_ += made.chunks;
    const Index numbers = made.evaluator.width() * made.evaluator.padded();
    made.found.assign(at(numbers), T(0));
    if (made.evaluator.weighted()) {
      weighted_ = true;
      made.values.assign(at(made.evaluator.value_count()), T(0));
      made.lines = made.values;
    } else {
      fitted_ = true;
    }
    found_stride_ = std::max(found_stride_, numbers);
    scratch_stride_ = std::max(scratch_stride_, made.evaluator.scratch());
    kinds_.push_back(std::move(made));
  }
  found_.assign(at(chunks_ * found_stride_), T(0));
  scratch_.assign(at(chunks_ * scratch_stride_), T(0));
  for (AlignedVector<T>* v : {&rest_, &base_, &target_, &out_}) v->assign(at(3 * rows_), T(0));
  q_.assign(at(3 * columns_), T(0));
  if (weighted_) pulled_.assign(at(3 * rows_), T(0));
}

template <class T>
void HrpdEngine<T>::set_matrices(const MatrixXd& stiffness, const std::vector<MatrixXd>& maps,
                                 const MatrixXd& inverse, const MatrixXd& rest,
                                 std::span<const double> factors) {
  pack_panels(stiffness, rows_, stiffness_);
  pack(rest, rows_, rest_);
  if (weighted_) pack_panels(inverse, rows_, inverse_);
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    kinds_[k].factor = static_cast<T>(factors[k]);
    if (!kinds_[k].evaluator.weighted()) pack(maps[k], rows_, kinds_[k].map);
  }
}

template <class T>
void HrpdEngine<T>::take(const MatrixXd& q) {
  for (Index i = 0; i < columns_; ++i)
    for (int c = 0; c < 3; ++c) q_[at(3 * i + c)] = static_cast<T>(q(i, c));
}

template <class T>
void HrpdEngine<T>::begin_step(const MatrixXd& target) {
  for (int c = 0; c < 3; ++c)
    for (Index i = 0; i < columns_; ++i) target_[at(c * rows_ + i)] = static_cast<T>(-target(i, c));
  base_ = rest_;
  if (fitted_ && !stiffness_.empty())
    parallel_for_chunks(rows_, rows_a_task, [&](Index begin, Index end) {
      add_panels(stiffness_.data(), begin, end, rows_, columns_, target_.data(), rows_, base_.data());
    });
  for (Index i = 0; i < 3 * rows_; ++i) base_[at(i)] -= target_[at(i)];
  if (!weighted_) return;
  take(target);
  for (Kind& kind : kinds_)
    if (kind.evaluator.weighted())
      kind.evaluator.measure(0, kind.evaluator.tiles(), q_.data(), scratch_.data(), kind.lines.data());
}

template <class T>
void HrpdEngine<T>::local_step(const MatrixXd& q, double volume) {
  take(q);
  parallel_for(chunks_, 1, [&](Index chunk) {
    const auto kind = std::find_if(kinds_.begin(), kinds_.end(),
                                   [&](const Kind& k) { return chunk < k.first_chunk + k.chunks; });
    const Index first = (chunk - kind->first_chunk) * tiles_a_chunk,
                last = std::min(first + tiles_a_chunk, kind->evaluator.tiles());
    T* scratch = scratch_.data() + chunk * scratch_stride_;
    if (kind->evaluator.weighted()) {
      kind->evaluator.weigh(first, last, q_.data(), volume, kind->lines.data(), scratch, kind->values.data());
      return;
    }
    T* found = found_.data() + chunk * found_stride_;
    std::fill_n(found, found_stride_, T(0));
    kind->evaluator.evaluate(first, last, q_.data(), volume, scratch, found);
  });
  if (weighted_)
    parallel_for_chunks(columns_ / 4, handles_a_task, [&](Index begin, Index end) {
      for (Index h = begin; h < end; ++h) {
        T sum[12] = {};
        for (const Kind& kind : kinds_) {
          if (!kind.evaluator.weighted() || h >= kind.evaluator.handles()) continue;
          T part[12] = {};
          kind.evaluator.pull(h, kind.values.data(), part);
          for (int i = 0; i < 12; ++i) sum[i] += kind.factor * part[i];
        }
        for (int k = 0; k < 4; ++k)
          for (int c = 0; c < 3; ++c) pulled_[at(c * rows_ + 4 * h + k)] = sum[3 * k + c];
      }
    });
  for (Kind& kind : kinds_) {
    if (kind.evaluator.weighted()) continue;
    std::fill(kind.found.begin(), kind.found.end(), T(0));
    for (Index chunk = kind.first_chunk; chunk < kind.first_chunk + kind.chunks; ++chunk)
      for (std::size_t i = 0; i < kind.found.size(); ++i)
        kind.found[i] += found_[at(chunk * found_stride_) + i];
  }
}

template <class T>
void HrpdEngine<T>::global_step(MatrixXd& q) {
  out_ = base_;
  parallel_for_chunks(rows_, rows_a_task, [&](Index begin, Index end) {
    for (const Kind& kind : kinds_)
      if (!kind.evaluator.weighted())
        add_map(kind.map.data(), rows_, begin, end, kind.evaluator.dimension(), kind.evaluator.padded(),
                kind.evaluator.width() / 3, kind.found.data(), out_.data());
  });
  if (weighted_)
    parallel_for_chunks(rows_, inverse_rows_a_task, [&](Index begin, Index end) {
      add_panels(inverse_.data(), begin, end, rows_, columns_, pulled_.data(), rows_, out_.data());
    });
  for (int c = 0; c < 3; ++c)
    for (Index i = 0; i < columns_; ++i) q(i, c) = static_cast<double>(out_[at(c * rows_ + i)]);
}

template <class T>
MatrixXd HrpdEngine<T>::pulled() const {
  MatrixXd out = MatrixXd::Zero(columns_, 3);
  for (int c = 0; c < 3 && weighted_; ++c)
    for (Index i = 0; i < columns_; ++i) out(i, c) = static_cast<double>(pulled_[at(c * rows_ + i)]);
  return out;
}

template <class T>
double HrpdEngine<T>::energy(std::size_t kind, const MatrixXd& q, double volume) {
  take(q);
  return kinds_[kind].evaluator.energy(q_.data(), volume, scratch_.data());
}

template <class T>
MatrixXd HrpdEngine<T>::found(std::size_t kind) const {
  const Kind& k = kinds_[kind];
  MatrixXd out(k.evaluator.dimension(), k.evaluator.width());
  for (Index r = 0; r < out.cols(); ++r)
    for (Index i = 0; i < out.rows(); ++i)
      out(i, r) = static_cast<double>(k.found[at(r * k.evaluator.padded() + i)]);
  return out;
}

template <class T>
std::size_t HrpdEngine<T>::memory_bytes() const {
  std::size_t sum = (stiffness_.size() + found_.size() + scratch_.size() + 4 * base_.size() +
                     inverse_.size() + pulled_.size()) *
                    sizeof(T);
  for (const Kind& kind : kinds_)
    sum += (kind.map.size() + 2 * kind.values.size()) * sizeof(T) + kind.evaluator.memory_bytes();
  return sum;
}

template class HrpdEngine<float>;
template class HrpdEngine<double>;

}  // namespace pliant
