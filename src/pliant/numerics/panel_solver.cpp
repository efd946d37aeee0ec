#include "pliant/numerics/panel_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/elimination_tree.h"

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/numerics/panel_solver.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target
#include <hwy/highway.h>

#ifndef PLIANT_PANEL_SOLVER_ONCE
#define PLIANT_PANEL_SOLVER_ONCE
namespace pliant::panel_detail {

constexpr int widest = 8;

/// Up to eight neighbouring columns of L. Rows are places in the branch's own workspace.
struct Panel {
  int width = 0;
  int first = 0;               // place of its first column
  int rows = 0;                // below its diagonal block
  std::ptrdiff_t indices = 0;  // where in `indices` they begin
  std::ptrdiff_t values =
      0;  // where in `values`: width² of the diagonal block (inverse diagonal), then row by row
  // Where CHOLMOD keeps it:
  std::ptrdiff_t source = 0;  // of its first diagonal entry
  std::ptrdiff_t stride = 0;  // of columns
};

}  // namespace pliant::panel_detail
#endif

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using panel_detail::Panel;
using panel_detail::widest;

// A row of four numbers: one vector where the machine has such, else two.
using D4 = hn::CappedTag<double, 4>;
constexpr int parts = 4 / static_cast<int>(hn::MaxLanes(D4()));
struct Row {
  hn::Vec<D4> v[parts];
};

HWY_INLINE Row load_row(const double* p) {
  const D4 d;
  Row r;
  for (int i = 0; i < parts; ++i) r.v[i] = hn::Load(d, p + i * static_cast<int>(hn::Lanes(d)));
  return r;
}
HWY_INLINE void store_row(const Row& r, double* p) {
  const D4 d;
  for (int i = 0; i < parts; ++i) hn::Store(r.v[i], d, p + i * static_cast<int>(hn::Lanes(d)));
}
/// r -= a x
HWY_INLINE void subtract(double a, const Row& x, Row& r) {
  const D4 d;
  const auto scale = hn::Set(d, a);
  for (int i = 0; i < parts; ++i) r.v[i] = hn::NegMulAdd(scale, x.v[i], r.v[i]);
}
HWY_INLINE void multiply(double a, Row& r) {
  const D4 d;
  const auto scale = hn::Set(d, a);
  for (int i = 0; i < parts; ++i) r.v[i] = hn::Mul(scale, r.v[i]);
}

/// L y = b within the panel, then its rows below lose L y.
template <int width>
HWY_INLINE void forward(const Panel& panel, const int* HWY_RESTRICT indices,
                        const double* HWY_RESTRICT values, double* HWY_RESTRICT work) {
  Row x[width];
  double* own = work + 4 * static_cast<std::ptrdiff_t>(panel.first);
  for (int k = 0; k < width; ++k) {
    x[k] = load_row(own + 4 * k);
    for (int j = 0; j < k; ++j) subtract(values[k * width + j], x[j], x[k]);
    multiply(values[k * width + k], x[k]);
    store_row(x[k], own + 4 * k);
  }
  const double* L = values + width * width;
  for (int i = 0; i < panel.rows; ++i, L += width) {
    double* at = work + 4 * static_cast<std::ptrdiff_t>(indices[i]);
    Row r = load_row(at);
    for (int k = 0; k < width; ++k) subtract(L[k], x[k], r);
    store_row(r, at);
  }
}

/// Lᵀ x = y: the panel gathers from the rows below, then solves within.
template <int width>
HWY_INLINE void backward(const Panel& panel, const int* HWY_RESTRICT indices,
                         const double* HWY_RESTRICT values, double* HWY_RESTRICT work) {
  Row x[width];
  double* own = work + 4 * static_cast<std::ptrdiff_t>(panel.first);
  for (int k = 0; k < width; ++k) x[k] = load_row(own + 4 * k);
  const double* L = values + width * width;
  for (int i = 0; i < panel.rows; ++i, L += width) {
    const Row r = load_row(work + 4 * static_cast<std::ptrdiff_t>(indices[i]));
    for (int k = 0; k < width; ++k) subtract(L[k], r, x[k]);
  }
  for (int k = width - 1; k >= 0; --k) {
    for (int j = k + 1; j < width; ++j) subtract(values[j * width + k], x[j], x[k]);
    multiply(values[k * width + k], x[k]);
    store_row(x[k], own + 4 * k);
  }
}

void solve_panels(bool up, const Panel* panels, Index count, const int* indices, const double* values,
                  double* work) {
  for (Index n = 0; n < count; ++n) {
    const Panel& panel = panels[up ? n : count - 1 - n];
    const int* rows = indices + panel.indices;
    const double* numbers = values + panel.values;
    switch (panel.width) {
#define PLIANT_PANEL_WIDTH(w)                                                              \
  case w:                                                                                  \
    up ? forward<w>(panel, rows, numbers, work) : backward<w>(panel, rows, numbers, work); \
    break;
      PLIANT_PANEL_WIDTH(1)
      PLIANT_PANEL_WIDTH(2)
      PLIANT_PANEL_WIDTH(3)
      PLIANT_PANEL_WIDTH(4)
      PLIANT_PANEL_WIDTH(5)
      PLIANT_PANEL_WIDTH(6)
      PLIANT_PANEL_WIDTH(7)
      PLIANT_PANEL_WIDTH(8)
#undef PLIANT_PANEL_WIDTH
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(solve_panels);

using panel_detail::Panel;
using panel_detail::widest;

namespace {

/// Part of the elimination tree that one thread works through: some subtrees, or the top that joins them.
struct Branch {
  std::vector<int> columns;   // of L, ascending: places 0, 1, ... of the workspace
  std::vector<int> boundary;  // places in the top's workspace that the following places here contribute to
  std::vector<Panel> panels;
  std::vector<int> indices;
  AlignedVector<double> values;
  AlignedVector<double> work;
};

constexpr double worth_a_branch = 5e3;  // numbers of L; below, waking a thread costs more

}  // namespace

struct PanelSolver::Data {
  std::vector<Branch> branches;
  Branch top;
  std::vector<int> order;  // column of L -> row of A

  void build(Branch& branch, const CholeskyFactor& factor, const std::vector<int>& supernodes,
             std::vector<int>& places, const std::vector<int>& top_places);
  static void copy_values(Branch& branch, const CholeskyFactor& factor);
};

PanelSolver::PanelSolver() : data_(std::make_unique<Data>()) {}
PanelSolver::~PanelSolver() = default;
PanelSolver::PanelSolver(PanelSolver&&) noexcept = default;
PanelSolver& PanelSolver::operator=(PanelSolver&&) noexcept = default;

/// @param places      scratch, -1 everywhere; place of a column in this branch
/// @param top_places  place of a column in the top, -1 where it is not there; empty while building the top itself
void PanelSolver::Data::build(Branch& branch, const CholeskyFactor& factor,
                              const std::vector<int>& supernodes, std::vector<int>& places,
                              const std::vector<int>& top_places) {
  for (int k : supernodes)
    for (int c = factor.first_column[k]; c < factor.first_column[k + 1]; ++c) {
      places[static_cast<std::size_t>(c)] = static_cast<int>(branch.columns.size());
      branch.columns.push_back(c);
    }
  // === Rows outside: places after those of its own columns
  std::vector<int> outside;
  for (int k : supernodes)
    for (int r = factor.first_row[k]; r < factor.first_row[k + 1]; ++r)
      if (places[static_cast<std::size_t>(factor.rows[r])] < 0) outside.push_back(factor.rows[r]);
  std::sort(outside.begin(), outside.end());
  outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
  for (std::size_t i = 0; i < outside.size(); ++i) {
    places[static_cast<std::size_t>(outside[i])] = static_cast<int>(branch.columns.size() + i);
    branch.boundary.push_back(top_places[static_cast<std::size_t>(outside[i])]);
  }
  // === Panels
  std::ptrdiff_t values = 0;
  for (int k : supernodes) {
    const int rows = factor.first_row[k + 1] - factor.first_row[k];
    const int columns = factor.first_column[k + 1] - factor.first_column[k];
    const auto indices = static_cast<std::ptrdiff_t>(branch.indices.size());
    for (int r = 0; r < rows; ++r)
      branch.indices.push_back(places[static_cast<std::size_t>(factor.rows[factor.first_row[k] + r])]);
    for (int c = 0; c < columns; c += widest) {
      Panel panel;
      panel.width = std::min(widest, columns - c);
      panel.first = places[static_cast<std::size_t>(factor.first_column[k] + c)];
      panel.rows = rows - c - panel.width;
      panel.indices = indices + c + panel.width;
      panel.values = values;
      panel.source =
          static_cast<std::ptrdiff_t>(factor.first_value[k]) + static_cast<std::ptrdiff_t>(c) * rows + c;
      panel.stride = rows;
      values += static_cast<std::ptrdiff_t>(panel.width) * (panel.width + panel.rows);
      branch.panels.push_back(panel);
    }
  }
  branch.values.resize(static_cast<std::size_t>(values));
  branch.work.assign(4 * (branch.columns.size() + branch.boundary.size()), 0);
  for (int c : branch.columns) places[static_cast<std::size_t>(c)] = -1;
  for (int r : outside) places[static_cast<std::size_t>(r)] = -1;
}

void PanelSolver::Data::copy_values(Branch& branch, const CholeskyFactor& factor) {
  for (const Panel& panel : branch.panels) {
    double* out = branch.values.data() + panel.values;
    for (int i = 0; i < panel.width + panel.rows; ++i)
      for (int k = 0; k < panel.width; ++k) {
        const double L = i < k ? 0 : factor.values[panel.source + k * panel.stride + i];
        *out++ = i == k ? 1 / L : L;
      }
  }
}

void PanelSolver::analyze(const CholeskyFactor& factor) {
  data_ = std::make_unique<Data>();
  Data& d = *data_;
  d.order.assign(factor.order, factor.order + factor.size);
  std::vector<double> work(static_cast<std::size_t>(factor.supernodes));
  for (Index k = 0; k < factor.supernodes; ++k)
    work[static_cast<std::size_t>(k)] = static_cast<double>(factor.columns_of(k)) * factor.rows_of(k);
  const TreeCut cut = cut_tree(elimination_tree(factor), work, worth_a_branch);
  std::vector<int> places(static_cast<std::size_t>(factor.size), -1), top_places(places);
  d.build(d.top, factor, cut.top, places, {});
  for (std::size_t i = 0; i < d.top.columns.size(); ++i)
    top_places[static_cast<std::size_t>(d.top.columns[i])] = static_cast<int>(i);
  d.branches.resize(cut.branches.size());
  for (std::size_t b = 0; b < cut.branches.size(); ++b)
    d.build(d.branches[b], factor, cut.branches[b], places, top_places);
  assign(factor);
}

void PanelSolver::assign(const CholeskyFactor& factor) {
  Data& d = *data_;
  if (static_cast<Index>(d.order.size()) != factor.size)
    throw InputError(fmt::format("panel_solver: a factor of {} rows, but {} were analyzed; analyze it first",
                                 factor.size, d.order.size()));
  parallel_for(static_cast<Index>(d.branches.size()) + 1, 1, [&](Index b) {
    Data::copy_values(b == 0 ? d.top : d.branches[static_cast<std::size_t>(b) - 1], factor);
  });
}

void PanelSolver::solve(const double* B, double* X) {
  Data& d = *data_;
  const auto run = [](bool up, Branch& branch) {
    HWY_DYNAMIC_DISPATCH(solve_panels)
    (up, branch.panels.data(), static_cast<Index>(branch.panels.size()), branch.indices.data(),
     branch.values.data(), branch.work.data());
  };
  const auto load = [&](Branch& branch) {
    double* to = branch.work.data();
    for (int c : branch.columns) {
      std::copy_n(B + 4 * static_cast<Index>(d.order[static_cast<std::size_t>(c)]), 4, to);
      to += 4;
    }
    std::fill_n(to, 4 * branch.boundary.size(), 0.0);
  };
  const auto store = [&](const Branch& branch) {
    const double* from = branch.work.data();
    for (int c : branch.columns) {
      std::copy_n(from, 4, X + 4 * static_cast<Index>(d.order[static_cast<std::size_t>(c)]));
      from += 4;
    }
  };
  // === Up: branches by themselves, what they leave for the top in their boundaries
  parallel_for(static_cast<Index>(d.branches.size()), 1, [&](Index b) {
    Branch& branch = d.branches[static_cast<std::size_t>(b)];
    load(branch);
    run(true, branch);
  });
  // === The top: boundaries added in the branches' order; up and down
  load(d.top);
  for (const Branch& branch : d.branches) {
    const double* from = branch.work.data() + 4 * branch.columns.size();
    for (int place : branch.boundary) {
      double* to = d.top.work.data() + 4 * static_cast<Index>(place);
      for (int r = 0; r < 4; ++r) to[r] += from[r];
      from += 4;
    }
  }
  run(true, d.top);
  run(false, d.top);
  store(d.top);
  // === Down
  parallel_for(static_cast<Index>(d.branches.size()), 1, [&](Index b) {
    Branch& branch = d.branches[static_cast<std::size_t>(b)];
    double* to = branch.work.data() + 4 * branch.columns.size();
    for (int place : branch.boundary) {
      std::copy_n(d.top.work.data() + 4 * static_cast<Index>(place), 4, to);
      to += 4;
    }
    run(false, branch);
    store(branch);
  });
}

Index PanelSolver::size() const { return static_cast<Index>(data_->order.size()); }

std::size_t PanelSolver::memory_bytes() const {
  const Data& d = *data_;
  std::size_t bytes = d.order.size() * sizeof(int);
  const auto add = [&](const Branch& b) {
    bytes += (b.columns.size() + b.boundary.size() + b.indices.size()) * sizeof(int) +
             b.panels.size() * sizeof(Panel) + (b.values.size() + b.work.size()) * sizeof(double);
  };
  add(d.top);
  for (const Branch& b : d.branches) add(b);
  return bytes;
}

double PanelSolver::sequential_part() const {
  double all = static_cast<double>(data_->top.values.size());
  for (const Branch& b : data_->branches) all += static_cast<double>(b.values.size());
  return all > 0 ? static_cast<double>(data_->top.values.size()) / all : 0;
}

}  // namespace pliant
#endif
