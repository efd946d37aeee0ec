#include "pliant/reduced/hrpd_engine.h"

#include <algorithm>
#include <numeric>

#include "pliant/numerics/thin_product.h"

namespace pliant {
namespace {

/// Rows of a matrix that one task takes.
constexpr Index rows_a_task = 256;
/// Handles at which one task sums up what was said to them.
constexpr Index handles_a_task = 128;
/// Numbers of columns are rounded up to whole vectors.
constexpr Index granularity = 8;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Column-major with `rows` rows, zeros below.
template <class T>
void pack(const MatrixXd& m, Index rows, AlignedVector<T>& out) {
  out.assign(at(rows * m.cols()), T(0));
  for (Index j = 0; j < m.cols(); ++j)
    for (Index i = 0; i < m.rows(); ++i) out[at(j * rows + i)] = static_cast<T>(m(i, j));
}

}  // namespace

template <class T>
HrpdEngine<T>::HrpdEngine(const HrpdModel& model, const VectorXd& constant)
    : columns_(model.columns()), target_(MatrixXd::Zero(model.columns(), 3)), q_(model.columns(), constant) {
  rows_ = (columns_ + granularity - 1) / granularity * granularity;
  for (const ReducedConstraints& kind : model.kinds) {
    Kind made;
    made.evaluator = SampledEvaluator<T>(kind.samples);
    made.first_chunk = chunks_;
    chunks_ += made.evaluator.chunks();
    const Index numbers = made.evaluator.width() * made.evaluator.padded();
    made.found.assign(at(numbers), T(0));
    if (made.evaluator.weighted()) {
      weighted_ = true;
      made.lines.assign(at(made.evaluator.line_numbers()), T(0));
      made.parts.assign(at(made.evaluator.part_numbers()), T(0));
    } else {
      fitted_ = true;
    }
    found_stride_ = std::max(found_stride_, numbers);
    scratch_stride_ = std::max(scratch_stride_, made.evaluator.scratch());
    kinds_.push_back(std::move(made));
  }
  if (fitted_) found_.assign(at(chunks_ * found_stride_), T(0));
  scratch_.assign(at(Team::workers() * scratch_stride_), T(0));
  for (AlignedVector<T>* v : {&rest_, &base_, &out_}) v->assign(at(3 * rows_), T(0));
  if (!weighted_) return;
  place_.resize(at(columns_));
  std::iota(place_.begin(), place_.end(), 0);
  pulled_.assign(at(3 * columns_), T(0));
}

template <class T>
void HrpdEngine<T>::set_matrices(const MatrixXd& stiffness, const std::vector<MatrixXd>& maps,
                                 const DissectedCholesky& factor, const MatrixXd& rest,
                                 std::span<const double> factors) {
  if (fitted_) pack(stiffness, rows_, stiffness_);
  pack(rest, rows_, rest_);
  if (weighted_) {
    inverse_.assign(factor);
    place_.assign(factor.place().begin(), factor.place().end());
    for (AlignedVector<T>* v : {&pulled_, &answer_}) v->assign(at(3 * factor.places()), T(0));
  }
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    kinds_[k].factor = static_cast<T>(factors[k]);
    if (!kinds_[k].evaluator.weighted()) pack(maps[k], rows_, kinds_[k].map);
  }
}

template <class T>
void HrpdEngine<T>::begin_step(Team& team, const MatrixXd& target) {
  base_ = rest_;
  if (!stiffness_.empty()) {
    q_.take(target, T(-1));
    team.run(row_tasks(), [&](Index task, int) {
      add_rows(task, stiffness_.data(), columns_, q_.data(), 3, 1, base_.data());
    });
  }
  target_ = target;
  begins_ = true;
}

template <class T>
void HrpdEngine<T>::local_step(Team& team, const MatrixXd& q, double volume) {
  q_.take(q);
  team.run(chunks_, [&](Index chunk, int worker) {
    const auto kind = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& k) {
      return chunk < k.first_chunk + k.evaluator.chunks();
    });
    const Index own = chunk - kind->first_chunk;
    T* scratch = scratch_.data() + worker * scratch_stride_;
    if (kind->evaluator.weighted()) {
      kind->evaluator.gather(own, q_.data(), volume, begins_, kind->lines.data(), scratch,
                             kind->parts.data());
      return;
    }
    T* found = found_.data() + chunk * found_stride_;
    std::fill_n(found, found_stride_, T(0));
    kind->evaluator.evaluate(own, q_.data(), volume, scratch, found);
  });
  begins_ = false;
  if (weighted_)
    team.run((columns_ / 4 + handles_a_task - 1) / handles_a_task, [&](Index task, int) {
      for (Index h = task * handles_a_task; h < std::min((task + 1) * handles_a_task, columns_ / 4); ++h) {
        T sum[12] = {};
        for (const Kind& kind : kinds_)
          if (kind.evaluator.weighted()) kind.evaluator.add_parts(h, kind.parts.data(), kind.factor, sum);
        std::copy_n(sum, 12, pulled_.data() + 3 * Index{place_[at(4 * h)]});
      }
    });
  for (Kind& kind : kinds_) {
    if (kind.evaluator.weighted()) continue;
    std::fill(kind.found.begin(), kind.found.end(), T(0));
    for (Index chunk = kind.first_chunk; chunk < kind.first_chunk + kind.evaluator.chunks(); ++chunk)
      for (std::size_t i = 0; i < kind.found.size(); ++i)
        kind.found[i] += found_[at(chunk * found_stride_) + i];
  }
}

template <class T>
void HrpdEngine<T>::global_step(Team& team, MatrixXd& q) {
  if (fitted_) {
    out_ = base_;
    team.run(row_tasks(), [&](Index task, int) {
      for (const Kind& kind : kinds_) {
        if (kind.evaluator.weighted()) continue;
        // Three numbers a column: some columns from the first three rows of what was found, some from the next three, ...
        const Index dimension = kind.evaluator.dimension(), padded = kind.evaluator.padded();
        for (Index block = 0; block < kind.evaluator.width() / 3; ++block)
          add_rows(task, kind.map.data() + block * dimension * rows_, dimension,
                   kind.found.data() + 3 * block * padded, 1, padded, out_.data());
      }
    });
  }
  if (weighted_) inverse_.apply(team, pulled_.data(), answer_.data());
  for (int c = 0; c < 3; ++c)
    for (Index i = 0; i < columns_; i += 4) {
      const T* from = (fitted_ ? out_ : base_).data() + c * rows_ + i;
      const double* target = target_.data() + c * columns_ + i;
      double* to = q.data() + c * columns_ + i;
      if (weighted_) {
        const T* moved = answer_.data() + c * inverse_.places() + place_[at(i)];
        for (Index k = 0; k < 4; ++k) to[k] = target[k] + static_cast<double>(from[k] + moved[k]);
      } else {
        for (Index k = 0; k < 4; ++k) to[k] = target[k] + static_cast<double>(from[k]);
      }
    }
}

/// out += some rows of a matrix times x.
template <class T>
void HrpdEngine<T>::add_rows(Index task, const T* matrix, Index columns, const T* x, Index next, Index apart,
                             T* out) const {
  const Index begin = task * rows_a_task;
  add_product(ThinProduct<T>{.matrix = matrix + begin,
                             .stride = rows_,
                             .rows = std::min(rows_a_task, rows_ - begin),
                             .columns = columns,
                             .x = x,
                             .next = next,
                             .apart = apart,
                             .out = out + begin,
                             .out_apart = rows_});
}

template <class T>
Index HrpdEngine<T>::row_tasks() const {
  return (rows_ + rows_a_task - 1) / rows_a_task;
}

template <class T>
MatrixXd HrpdEngine<T>::pulled() const {
  MatrixXd out = MatrixXd::Zero(columns_, 3);
  for (Index i = 0; i < columns_ && weighted_; ++i)
    for (int c = 0; c < 3; ++c) out(i, c) = static_cast<double>(pulled_[at(3 * Index{place_[at(i)]} + c)]);
  return out;
}

template <class T>
double HrpdEngine<T>::energy(std::size_t kind, const MatrixXd& q, double volume) {
  q_.take(q);
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
  std::size_t sum = (stiffness_.size() + found_.size() + scratch_.size() + 3 * base_.size() + pulled_.size() +
                     answer_.size()) *
                        sizeof(T) +
                    inverse_.memory_bytes();
  for (const Kind& kind : kinds_)
    sum +=
        (kind.map.size() + kind.lines.size() + kind.parts.size()) * sizeof(T) + kind.evaluator.memory_bytes();
  return sum;
}

template class HrpdEngine<float>;
template class HrpdEngine<double>;

}  // namespace pliant
