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
HrpdEngine<T>::HrpdEngine(const HrpdModel& model, const VectorXd& constant, double prediction)
    : columns_(model.columns()),
      target_(MatrixXd::Zero(model.columns(), 3)),
      q_(model.columns(), constant),
      prediction_(static_cast<T>(prediction)) {
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
      for (AlignedVector<T>* v : {&made.predicted, &made.pushed}) v->assign(at(numbers), T(0));
      if (prediction > 0) {
        const MatrixXd F = prediction * fitted_lines(kind);
        const Index d = made.evaluator.dimension(), padded = made.evaluator.padded();
        AlignedVector<T> block;
        for (Index b = 0; b < made.evaluator.width() / 3; ++b) {
          pack(F.middleRows(b * d, d), padded, block);
          made.fit.insert(made.fit.end(), block.begin(), block.end());
        }
      }
    }
    found_stride_ = std::max(found_stride_, numbers);
    scratch_stride_ = std::max(scratch_stride_, made.evaluator.scratch());
    kinds_.push_back(std::move(made));
  }
  if (fitted_) {
    found_.assign(at(chunks_ * found_stride_), T(0));
    others_first_.push_back(0);
    for (const std::vector<int>& joined : joined_handles(model)) {
      others_.insert(others_.end(), joined.begin(), joined.end());
      others_first_.push_back(static_cast<int>(others_.size()));
    }
    other_blocks_.assign(16 * others_.size(), T(0));
  }
  scratch_.assign(at(Team::workers() * scratch_stride_), T(0));
  for (AlignedVector<T>* v : {&rest_, &base_, &out_}) v->assign(at(3 * rows_), T(0));
  place_.resize(at(columns_));
  std::iota(place_.begin(), place_.end(), 0);
  pulled_.assign(at(3 * columns_), T(0));
}

template <class T>
void HrpdEngine<T>::set_system(const HrpdModel& model, const HrpdSystem& system) {
  inverse_.assign(system.factor);
  place_.assign(system.factor.place().begin(), system.factor.place().end());
  for (AlignedVector<T>* v : {&pulled_, &answer_}) v->assign(at(3 * system.factor.places()), T(0));
  // In double precision: columns of a map move a body as a whole by next to nothing, and A⁻¹ would make much of what rounding adds to that.
  const auto solved = [&](MatrixXd columns, AlignedVector<T>& out) {
    system.factor.solve(columns);
    pack(columns, rows_, out);
  };
  MatrixXd rest = MatrixXd::Zero(columns_, 3);
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    kinds_[k].factor = static_cast<T>(system.factors[k]);
    if (kinds_[k].evaluator.weighted()) continue;
    solved(system.factors[k] * model.kinds[k].map, kinds_[k].map);
    rest += system.factors[k] * model.kinds[k].rest_force;
  }
  if (!fitted_) return;
  solved(rest, rest_);
  set_others(model, system);
}

template <class T>
void HrpdEngine<T>::set_others(const HrpdModel& model, const HrpdSystem& system) {
  // Whichever is smaller: where the other is next to nothing beside it, the difference would be rounding.
  double of_fitted = 0,
         of_others = system.inertia * model.mass.trace() + system.added * static_cast<double>(columns_);
  for (std::size_t k = 0; k < kinds_.size(); ++k)
    (kinds_[k].evaluator.weighted() ? of_others : of_fitted) +=
        system.factors[k] * model.kinds[k].stiffness.trace();
  others_are_fitted_ = of_fitted < of_others;
  const auto block_of = [&](Index a, Index b) {
    Eigen::Matrix4d block = Eigen::Matrix4d::Zero();
    if (!others_are_fitted_) block = system.inertia * model.mass.block<4, 4>(4 * a, 4 * b);
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (kinds_[k].evaluator.weighted() != others_are_fitted_)
        block += system.factors[k] * model.kinds[k].stiffness.block<4, 4>(4 * a, 4 * b);
    if (a == b && !others_are_fitted_) block.diagonal().array() += system.added;
    return block;
  };
  for (Index a = 0; a < columns_ / 4; ++a)
    for (int e = others_first_[at(a)]; e < others_first_[at(a + 1)]; ++e)
      Eigen::Map<Eigen::Matrix<T, 4, 4, Eigen::RowMajor>>(other_blocks_.data() + 16 * Index{e}) =
          block_of(a, others_[at(e)]).template cast<T>();
}

template <class T>
void HrpdEngine<T>::begin_step(Team& team, const MatrixXd& target) {
  target_ = target;
  begins_ = true;
  base_ = rest_;
  if (!fitted_ || inverse_.places() == 0) return;  // there may be no system: for local steps alone
  q_.take(target);
  // === What is predicted of the projections
  for (Kind& kind : kinds_) {
    if (kind.fit.empty()) continue;
    const Index padded = kind.evaluator.padded();
    std::fill(kind.predicted.begin(), kind.predicted.end(), T(0));
    team.run(kind.evaluator.width() / 3, [&](Index block, int) {
      add_product(ThinProduct<T>{.matrix = kind.fit.data() + block * padded * columns_,
                                 .stride = padded,
                                 .rows = padded,
                                 .columns = columns_,
                                 .x = q_.data(),
                                 .next = 3,
                                 .apart = 1,
                                 .out = kind.predicted.data() + 3 * block * padded,
                                 .out_apart = padded});
    });
  }
  // === K s̃, or B s̃
  const Index handles = columns_ / 4;
  team.run((handles + handles_a_task - 1) / handles_a_task, [&](Index task, int) {
    for (Index h = task * handles_a_task; h < std::min((task + 1) * handles_a_task, handles); ++h) {
      T sum[12] = {};
      for (int e = others_first_[at(h)]; e < others_first_[at(h + 1)]; ++e) {
        const T *block = other_blocks_.data() + 16 * Index{e}, *q = q_.data() + 12 * Index{others_[at(e)]};
        for (int i = 0; i < 4; ++i)
          for (int k = 0; k < 4; ++k)
            for (int c = 0; c < 3; ++c) sum[3 * i + c] += block[4 * i + k] * q[3 * k + c];
      }
      std::copy_n(sum, 12, pulled_.data() + 3 * Index{place_[at(4 * h)]});
    }
  });
  inverse_.apply(team, pulled_.data(), answer_.data());
  for (Index c = 0; c < 3; ++c)
    for (Index i = 0; i < columns_; ++i) {
      const T answer = answer_[at(c * inverse_.places() + place_[at(i)])];
      base_[at(c * rows_ + i)] -=
          (1 - prediction_) * (others_are_fitted_ ? answer : q_.data()[3 * i + c] - answer);
    }
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
    for (std::size_t i = 0; i < kind.found.size(); ++i) kind.pushed[i] = kind.found[i] - kind.predicted[i];
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
                   kind.pushed.data() + 3 * block * padded, 1, padded, out_.data());
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
  std::size_t sum = (other_blocks_.size() + found_.size() + scratch_.size() + 3 * base_.size() +
                     pulled_.size() + answer_.size()) *
                        sizeof(T) +
                    inverse_.memory_bytes();
  for (const Kind& kind : kinds_)
    sum += (kind.map.size() + kind.fit.size() + kind.lines.size() + kind.parts.size()) * sizeof(T) +
           kind.evaluator.memory_bytes();
  return sum;
}

template class HrpdEngine<float>;
template class HrpdEngine<double>;

}  // namespace pliant
