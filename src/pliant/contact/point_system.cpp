#include "pliant/contact/point_system.h"

#include <algorithm>
#include <cmath>

#include "pliant/numerics/thin_product.h"

namespace pliant {
namespace {

/// Where points depend on each other nearly, rounding may make the matrix indefinite: so much is added to its diagonal then, of
/// itself, and ten times as much until that does.
constexpr double least_added = 1e-9, most_added = 1e-2;

/// Points that are eliminated: so many take no memory.
constexpr Index most_without_memory = 256;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

void PointSystem::reserve(Index points) {
  room_ = std::max({points, room_, ChangingInverse::most});
  rows_.reserve(at(room_));
  matrix_.resize(at(std::max(whole_vectors(room_), ChangingInverse::stride) * room_));
  inverse_.reserve();
  factor_.reserve(room_);
  rest_.resize(matrix_.size());
  const Index first = std::min(room_, most_without_memory);
  first_factor_.reserve(first);
  answers_.resize(at(first * room_));
}

void PointSystem::forget() {
  rows_.clear();
  inverse_.clear();
  kept_ = changed_ = false;
  first_ = 0;
}

bool PointSystem::assign(PointResponses& responses, std::span<const Index> rows, bool soft,
                         Softness softness) {
  if (!changed_ && !rows.empty() && std::ranges::equal(rows, rows_)) return true;
  const Index count = std::ssize(rows);
  if (count > room_ || room_ == 0) reserve(count);  // points may be added to none, too
  forget();
  rows_.assign(rows.begin(), rows.end());
  kept_ = soft && count <= ChangingInverse::most;
  stride_ = kept_ ? ChangingInverse::stride : whole_vectors(count);
  responses.prepare(rows);
  bool done = true;
  for (Index j = 0; j < count && done; ++j) {
    double* column = matrix_.data() + j * stride_;
    responses.compliance(rows[at(j)], rows.first(at(j + 1)), column);
    column[j] += softness(j, column[j]);
    for (Index i = 0; i < j; ++i) matrix_[at(i * stride_ + j)] = column[i];
    if (kept_) done = inverse_.add(column);
  }
  if (!kept_) done = factorize();
  if (!done) forget();
  return done;
}

bool PointSystem::factorize() {
  Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>> matrix(matrix_.data(), size(), size(),
                                                       Eigen::OuterStride<>(stride_));
  if (!matrix.allFinite()) return false;
  for (double added = least_added; !factor_.factorize(matrix); added *= 10) {
    if (added > most_added) return false;
    matrix.diagonal() *= 1 + added;
  }
  return true;
}

bool PointSystem::add(PointResponses& responses, Index row, Softness softness) {
  const Index last = size();
  rows_.push_back(row);
  changed_ = true;
  responses.prepare(std::span(&row, 1));
  double* column = matrix_.data() + last * stride_;
  responses.compliance(row, rows_, column);
  column[last] += softness(last, column[last]);
  for (Index i = 0; i < last; ++i) matrix_[at(i * stride_ + last)] = column[i];
  if (inverse_.add(column)) return true;
  forget();
  return false;
}

void PointSystem::remove(Index place) {
  inverse_.remove(place);
  changed_ = true;
  const Index last = size() - 1;
  rows_[at(place)] = rows_[at(last)];
  rows_.pop_back();
  if (place == last) return;
  double *from = matrix_.data() + last * stride_, *to = matrix_.data() + place * stride_;
  const double own = from[last];
  std::copy_n(from, last, to);
  to[place] = own;
  for (Index j = 0; j < last; ++j) matrix_[at(j * stride_ + place)] = to[j];
}

bool PointSystem::eliminate(Index first) {
  if (first_ == first) return true;
  using Columns = Eigen::Map<const MatrixXd, 0, Eigen::OuterStride<>>;
  const Columns whole(matrix_.data(), size(), size(), Eigen::OuterStride<>(stride_));
  const Index others = size() - first;
  if (std::ssize(answers_) < first * others) answers_.resize(at(first * others));
  if (!first_factor_.factorize(whole.topLeftCorner(first, first))) return false;
  first_ = first;
  for (Index j = 0; j < others; ++j)
    std::copy_n(whole.col(first + j).data(), first, &answers_[at(j * first)]);
  first_factor_.solve(answers_.data(), static_cast<int>(others), first);
  const Columns W(answers_.data(), first, others, Eigen::OuterStride<>(first));
  for (Index j = 0; j < others; ++j) {
    for (Index i = 0; i <= j; ++i)
      rest_[at(i * stride() + j)] = rest_[at(j * stride() + i)] =
          whole(first + i, first + j) - whole.col(first + i).head(first).dot(W.col(j));
    std::fill_n(&rest_[at(j * stride() + others)], stride() - others, 0.0);
  }
  return true;
}

const double* PointSystem::matrix() const { return first_ > 0 ? rest_.data() : matrix_.data(); }
Index PointSystem::stride() const { return first_ > 0 ? whole_vectors(size() - first_) : stride_; }

void PointSystem::follow(const double* change, Index apart, MatrixXd& f) const {
  for (Index c = 0; c < 3; ++c)
    for (Index j = 0; j < size() - first_; ++j)
      for (Index i = 0; i < first_; ++i) f(i, c) -= answers_[at(j * first_ + i)] * change[c * apart + j];
}

void PointSystem::beyond(const double* f, const MatrixXd& g, double* out, Index apart) const {
  const Index others = size() - first_;
  for (Index c = 0; c < 3; ++c)
    for (Index i = 0; i < others; ++i) {
      double gap = g(first_ + i, c);
      for (Index k = 0; k < first_; ++k) gap -= answers_[at(i * first_ + k)] * g(k, c);
      out[c * apart + i] = -gap;
    }
  add_product(ThinProduct<double>{.matrix = matrix(),
                                  .stride = stride(),
                                  .rows = whole_vectors(others),
                                  .columns = others,
                                  .x = f,
                                  .next = 1,
                                  .apart = apart,
                                  .out = out,
                                  .out_apart = apart});
}

void PointSystem::solve(const MatrixXd& g, MatrixXd& f) {
  if (kept_) return inverse_.multiply(g.data(), g.rows(), f.data(), f.rows());
  f.topRows(size()) = g.topRows(size());
  factor_.solve(f.data(), 3, f.rows());
}

}  // namespace pliant
