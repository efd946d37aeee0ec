#include "pliant/numerics/dissected_cholesky.h"

#include <algorithm>
#include <atomic>
#include <cassert>

#include "pliant/numerics/dense_front.h"

namespace pliant {
namespace {

constexpr Index granularity = 8;  // of the places of a part
/// Columns that are solved for at once.
constexpr Index batch = 16;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

DissectedCholesky::DissectedCholesky(const Dissection& pattern, int block, const std::vector<char>& left_out)
    : left_out_(left_out) {
  place_.resize(left_out.size());
  children_.resize(pattern.parts.size());
  for (const Dissection::Part& from : pattern.parts) {
    Part part;
    part.first = static_cast<Index>(unknown_.size());
    part.parent = from.parent;
    part.below = from.first == static_cast<int>(parts_.size()) ? part.first : parts_[at(from.first)].first;
    for (const int vertex : from.vertices)
      for (int k = 0; k < block; ++k) {
        const int unknown = vertex * block + k;
        place_[at(unknown)] = static_cast<int>(unknown_.size());
        unknown_.push_back(left_out[at(unknown)] ? -1 : unknown);
      }
    while (unknown_.size() % granularity != 0) unknown_.push_back(-1);
    part.size = static_cast<Index>(unknown_.size()) - part.first;
    if (part.parent >= 0) children_[at(part.parent)].push_back(static_cast<int>(parts_.size()));
    parts_.push_back(part);
  }
  // Parents stand behind their children.
  std::vector<std::size_t> depth(parts_.size(), 0);
  for (Index p = std::ssize(parts_) - 1; p >= 0; --p) {
    Part& part = parts_[at(p)];
    part.rows = part.size + (part.parent >= 0 ? parts_[at(part.parent)].rows : 0);
    if (part.parent >= 0) depth[at(p)] = depth[at(part.parent)] + 1;
    if (by_depth_.size() <= depth[at(p)]) by_depth_.resize(depth[at(p)] + 1);
    by_depth_[depth[at(p)]].push_back(static_cast<int>(p));
  }
  std::reverse(by_depth_.begin(), by_depth_.end());
  for (auto* numbers : {&panels_, &rests_, &strips_}) numbers->resize(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Index rows = parts_[p].rows, size = parts_[p].size;
    panels_[p].resize(at(rows * size));
    rests_[p].resize(at((rows - size) * (rows - size)));
    strips_[p].resize(front_workspace(static_cast<int>(rows), static_cast<int>(size)));
  }
}

/// The columns of a part, below the diagonal, in the places of its front; zeros where there is no unknown.
void DissectedCholesky::gather(Index p, const MatrixXd& matrix, AlignedVector<double>& out) const {
  const Part& part = parts_[at(p)];
  out.assign(at(part.rows * part.size), 0.0);
  for (Index j = 0; j < part.size; ++j) {
    const int unknown = unknown_[at(part.first + j)];
    if (unknown < 0) continue;
    double* to = out.data() + j * part.rows;
    for (const Part* of = &part;; of = &parts_[at(of->parent)]) {
      for (Index i = of == &part ? j : 0; i < of->size; ++i)
        if (const int other = unknown_[at(of->first + i)]; other >= 0) to[i] = matrix(other, unknown);
      to += of->size;
      if (of->parent < 0) break;
    }
  }
}

void DissectedCholesky::set_terms(std::span<const MatrixXd* const> matrices) {
  terms_.assign(matrices.size(), std::vector<AlignedVector<double>>(parts_.size()));
  for (std::size_t t = 0; t < matrices.size(); ++t)
    parallel_for(std::ssize(parts_), 1, [&](Index p) { gather(p, *matrices[t], terms_[t][at(p)]); });
}

bool DissectedCholesky::factorize_part(Index p, std::span<const double> factors, double added,
                                       bool parallel) {
  const Part& part = parts_[at(p)];
  const Front front{.rows = static_cast<int>(part.rows),
                    .columns = static_cast<int>(part.size),
                    .panel = panels_[at(p)].data(),
                    .rest = rests_[at(p)].data(),
                    .strips = strips_[at(p)].data()};
  const auto add_children = [&](int begin, int end) {
    for (const int child : children_[at(p)]) {
      const int left = static_cast<int>(parts_[at(child)].rows - parts_[at(child)].size);
      const RowRun all{.from = 0, .to = 0, .count = left};  // a child leaves just the rows of this front
      add_rest(rests_[at(child)].data(), left, std::span(&all, 1), begin, end, front);
    }
  };

  // === The columns of A, and what the children left
  parallel_for(part.size, parallel ? 32 : part.size, [&](Index j) {
    double* column = front.panel + j * part.rows;
    std::fill_n(column + j, part.rows - j, 0.0);
    for (std::size_t t = 0; t < factors.size(); ++t) {
      const double* term = terms_[t][at(p)].data() + j * part.rows;
      for (Index i = j; i < part.rows; ++i) column[i] += factors[t] * term[i];
    }
    if (unknown_[at(part.first + j)] < 0)
      column[j] = 1;
    else
      column[j] += added;
  });
  add_children(0, front.columns);
  if (!factor_front(front, parallel)) return false;
  add_children(front.columns, front.rows);
  return true;
}

bool DissectedCholesky::factorize(std::span<const double> factors, double added) {
  assert(factors.size() == terms_.size());
  std::atomic<bool> definite = true;
  for (const std::vector<int>& level : by_depth_)
    parallel_for(static_cast<Index>(level.size()), 1, [&](Index i) {
      if (!factorize_part(level[at(i)], factors, added, level.size() == 1)) definite = false;
    });
  return definite;
}

void DissectedCholesky::solve(double* x, int count, double* workspace) const {
  const Index n = places();
  double *all = workspace, *front = workspace + count * n;
  for (int c = 0; c < count; ++c)
    for (Index i = 0; i < n; ++i) {
      const int unknown = unknown_[at(i)];
      all[c * n + i] = unknown >= 0 ? x[c * size() + unknown] : 0;
    }
  // Rows of a part and of those above it, to and from what a front works on.
  const auto each_run = [&](const Part& part, auto&& copy) {
    Index row = 0;
    for (const Part* of = &part;; of = &parts_[at(of->parent)]) {
      for (int c = 0; c < count; ++c) copy(all + c * n + of->first, front + c * part.rows + row, of->size);
      row += of->size;
      if (of->parent < 0) break;
    }
  };
  const auto load = [](const double* a, double* f, Index size) { std::copy_n(a, size, f); };
  const auto store = [](double* a, const double* f, Index size) { std::copy_n(f, size, a); };
  const auto solve_part = [&](std::size_t p, auto solve_front) {
    const Part& part = parts_[p];
    each_run(part, load);
    solve_front(panels_[p].data(), static_cast<int>(part.rows), static_cast<int>(part.size), front, part.rows,
                count);
    each_run(part, store);
  };
  for (std::size_t p = 0; p < parts_.size(); ++p) solve_part(p, solve_front_down);
  for (std::size_t p = parts_.size(); p-- > 0;) solve_part(p, solve_front_up);
  for (int c = 0; c < count; ++c)
    for (Index i = 0; i < size(); ++i) x[c * size() + i] = left_out_[at(i)] ? 0 : all[c * n + place_[at(i)]];
}

void DissectedCholesky::solve(MatrixXd& x) const {
  parallel_for_chunks(x.cols(), batch, [&](Index begin, Index end) {
    const int count = static_cast<int>(end - begin);
    AlignedVector<double> own(at(workspace(count)));
    solve(x.col(begin).data(), count, own.data());
  });
}

void DissectedCholesky::inverse_columns(Index p, Index first, Index last, double* out) const {
  const Part& part = parts_[at(p)];
  std::fill_n(out, (last - first) * part.rows, 0.0);
  for (Index j = first; j < last; ++j) out[(j - first) * part.rows + j] = 1;
  // What a front leaves is what the one above it begins with.
  Index row = 0;
  for (const Part* of = &part;; of = &parts_[at(of->parent)]) {
    solve_front_down(panels_[at(of - parts_.data())].data(), static_cast<int>(of->rows),
                     static_cast<int>(of->size), out + row, part.rows, static_cast<int>(last - first));
    row += of->size;
    if (of->parent < 0) break;
  }
}

std::size_t DissectedCholesky::memory_bytes() const {
  std::size_t numbers = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p)
    numbers += (1 + terms_.size()) * panels_[p].size() + rests_[p].size() + strips_[p].size();
  return numbers * sizeof(double);
}

}  // namespace pliant
