#include "pliant/contact/point_system.h"

#include <algorithm>
#include <cmath>

#include "pliant/numerics/thin_product.h"

namespace pliant {
namespace {

/// Where points depend on each other nearly, rounding may make the matrix indefinite: so much is added to its diagonal then, of
/// itself, and ten times as much until that does.
constexpr double least_added = 1e-9, most_added = 1e-2;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

void PointSystem::reserve(Index points) {
  room_ = std::max({points, room_, ChangingInverse::most});
  rows_.reserve(at(room_));
  matrix_.resize(at(std::max(whole_vectors(room_), ChangingInverse::stride) * room_));
  inverse_.reserve();
  factor_.reserve(room_);
}

void PointSystem::forget() {
  rows_.clear();
  inverse_.clear();
  kept_ = changed_ = false;
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

void PointSystem::beyond(const double* f, const MatrixXd& g, double* out, Index apart) const {
  for (Index c = 0; c < 3; ++c)
    for (Index i = 0; i < size(); ++i) out[c * apart + i] = -g(i, c);
  add_product(ThinProduct<double>{.matrix = matrix_.data(),
                                  .stride = stride_,
                                  .rows = whole_vectors(size()),
                                  .columns = size(),
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
