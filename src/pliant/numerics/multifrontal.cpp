#include "pliant/numerics/multifrontal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/dense_front.h"
#include "pliant/numerics/elimination_tree.h"

namespace pliant {
namespace {

constexpr double worth_a_branch = 5e4;  // multiplications; below, waking a thread costs more
constexpr double worth_tiles = 5e5;     // multiplications of one front
constexpr int most_columns = 8;         // right-hand sides that are solved together

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Subtrees that one thread works through, and its memory.
struct Branch {
  std::vector<int> blocks;
  AlignedVector<double> rests;   // what fronts leave, until their parents take it
  AlignedVector<double> strips;  // of one front at a time
};

/// A block of the top.
struct TopBlock {
  int block = 0;
  int parent = -1;            // in the top, as below
  std::vector<int> children;  // those in the top
  int chain = 0;
};

/// Blocks of the top, each a child of the next: one memory serves them all.
struct Chain {
  std::array<AlignedVector<double>, 2> rests;  // of blocks at even and odd depth
  AlignedVector<double> strips;
};

}  // namespace

struct Multifrontal::Data {
  CholeskyFactor L;
  EliminationTree tree;
  std::vector<Branch> branches;
  std::vector<TopBlock> top;  // children first
  std::vector<int> top_roots;
  std::vector<Chain> chains;
  AlignedVector<double> values;
  std::vector<double> work;    // multiplications of each front
  std::vector<double*> rests;  // where a block's rest lies
  std::vector<int> places;   // as L.rows: the row in the parent's front, for rows after a block's own columns
  std::vector<RowRun> runs;  // the same, neighbours together
  std::vector<int> run_start;
  std::vector<int> entry_start, entries,
      targets;                     // entries of A that belong into each block, and where there
  AlignedVector<double> solution;  // as L.rows, for each right-hand side

  std::span<const RowRun> runs_of(Index k) const {
    return {runs.data() + run_start[at(k)], runs.data() + run_start[at(k + 1)]};
  }
  Index rest_size(Index k) const {
    const Index rest = L.rows_of(k) - L.columns_of(k);
    return (rest * rest + 7) / 8 * 8;  // whole cache lines
  }
  void map_rows();
  void map_entries(const SparseMatrix& A);
  void place(Branch& branch, const std::vector<char>& odd_depth);
  void place_top(const std::vector<int>& blocks, const std::vector<char>& odd_depth);

  void assemble_panel(Index k, const Front& front, const double* entry_values, int begin, int end);
  void add_children(Index k, const Front& front, int begin, int end);
  bool factorize(Index k, const double* entry_values, double* strips, bool parallel);
  void solve_down(Index k, const Eigen::Ref<const MatrixXd>& B, Index first, int count);
  void solve_up(Index k, Eigen::Ref<MatrixXd>& X, Index first, int count);

  using Visit = FunctionRef<void(const TopBlock& block)>;
  void rise(int t, Visit visit) const;
  void sink(int t, Visit visit) const;
};

Multifrontal::Multifrontal() : data_(std::make_unique<Data>()) {}
Multifrontal::~Multifrontal() = default;
Multifrontal::Multifrontal(Multifrontal&&) noexcept = default;
Multifrontal& Multifrontal::operator=(Multifrontal&&) noexcept = default;

/// Two stacks, for blocks of even and of odd depth: a block's rest goes onto one while its children's are on top of the
/// other, where it takes them off. Blocks are in postorder.
void Multifrontal::Data::place(Branch& branch, const std::vector<char>& odd_depth) {
  std::array<Index, 2> height{}, most{};
  std::vector<Index> offset;
  std::size_t workspace = 0;
  for (int k : branch.blocks) {
    const auto odd = at(odd_depth[at(k)]);
    offset.push_back(height[odd]);
    height[odd] += rest_size(k);
    most[odd] = std::max(most[odd], height[odd]);
    for (int child : tree.children_of(k)) height[1 - odd] -= rest_size(child);
    workspace = std::max(workspace, front_workspace(L.rows_of(k), L.columns_of(k)));
  }
  branch.rests.resize(at(most[0] + most[1]));
  for (std::size_t n = 0; n < branch.blocks.size(); ++n) {
    const int k = branch.blocks[n];
    rests[at(k)] = branch.rests.data() + (odd_depth[at(k)] ? most[0] : 0) + offset[n];
  }
  branch.strips.resize(workspace);
}

/// A block goes on with the memory of its first child in the top, whose rest, of the other depth, it still reads.
void Multifrontal::Data::place_top(const std::vector<int>& blocks, const std::vector<char>& odd_depth) {
  std::vector<std::array<std::size_t, 3>> sizes;  // of each chain: rests, strips
  for (int k : blocks) {
    TopBlock t{.block = k, .parent = -1, .children = {}, .chain = 0};
    for (int child : tree.children_of(k)) {
      const auto found = std::lower_bound(blocks.begin(), blocks.end(), child);
      if (found != blocks.end() && *found == child)
        t.children.push_back(static_cast<int>(found - blocks.begin()));
    }
    for (int child : t.children) top[at(child)].parent = static_cast<int>(top.size());
    if (t.children.empty()) sizes.push_back({});
    t.chain = t.children.empty() ? static_cast<int>(sizes.size()) - 1 : top[at(t.children[0])].chain;
    auto& size = sizes[at(t.chain)];
    std::size_t& rest = size[at(odd_depth[at(k)])];
    rest = std::max(rest, at(rest_size(k)));
    size[2] = std::max(size[2], front_workspace(L.rows_of(k), L.columns_of(k)));
    if (tree.parent[at(k)] < 0) top_roots.push_back(static_cast<int>(top.size()));
    top.push_back(std::move(t));
  }
  chains.resize(sizes.size());
  for (std::size_t c = 0; c < chains.size(); ++c) {
    for (std::size_t odd : {0, 1}) chains[c].rests[odd].resize(sizes[c][odd]);
    chains[c].strips.resize(sizes[c][2]);
  }
  for (const TopBlock& t : top)
    rests[at(t.block)] = chains[at(t.chain)].rests[at(odd_depth[at(t.block)])].data();
}

void Multifrontal::Data::map_rows() {
  places.assign(at(L.first_row[L.supernodes]), -1);
  std::vector<int> place(at(L.size));
  for (Index p = 0; p < L.supernodes; ++p) {
    for (int r = L.first_row[p]; r < L.first_row[p + 1]; ++r) place[at(L.rows[r])] = r - L.first_row[p];
    for (int k : tree.children_of(p))
      for (int r = L.first_row[k] + L.columns_of(k); r < L.first_row[k + 1]; ++r)
        places[at(r)] = place[at(L.rows[r])];
  }
  run_start.assign(at(L.supernodes + 1), 0);
  for (Index k = 0; k < L.supernodes; ++k) {
    const int* to = places.data() + L.first_row[k] + L.columns_of(k);
    for (int i = 0; i < L.rows_of(k) - L.columns_of(k); ++i)
      if (i > 0 && to[i] == to[i - 1] + 1)
        ++runs.back().count;
      else
        runs.push_back({i, to[i], 1});
    run_start[at(k + 1)] = static_cast<int>(runs.size());
  }
}

void Multifrontal::Data::map_entries(const SparseMatrix& A) {
  std::vector<int> place(at(L.size)), owner(at(L.size));  // column of L of a row of A; block of a column of L
  for (Index i = 0; i < L.size; ++i) place[at(L.order[i])] = static_cast<int>(i);
  for (Index k = 0; k < L.supernodes; ++k)
    std::fill(owner.begin() + L.first_column[k], owner.begin() + L.first_column[k + 1], static_cast<int>(k));
  const auto each_entry = [&](auto&& use) {  // use(entry, row and column in L)
    for (Index c = 0; c < L.size; ++c)
      for (int e = A.outerIndexPtr()[c]; e < A.outerIndexPtr()[c + 1]; ++e) {
        if (A.innerIndexPtr()[e] < c) continue;
        const int i = place[at(A.innerIndexPtr()[e])], j = place[at(c)];
        use(e, std::max(i, j), std::min(i, j));
      }
  };
  entry_start.assign(at(L.supernodes + 1), 0);
  each_entry([&](int, int, int column) { ++entry_start[at(owner[at(column)] + 1)]; });
  std::partial_sum(entry_start.begin(), entry_start.end(), entry_start.begin());
  std::vector<std::pair<int, int>> sorted(at(entry_start.back()));  // target and entry
  std::vector<int> next(entry_start.begin(), entry_start.end() - 1);
  each_entry([&](int e, int row, int column) {
    const int k = owner[at(column)];
    const int *first = L.rows + L.first_row[k], *last = L.rows + L.first_row[k + 1];
    const auto below = static_cast<int>(std::lower_bound(first, last, row) - first);
    sorted[at(next[at(k)]++)] = {(column - L.first_column[k]) * L.rows_of(k) + below, e};
  });
  entries.resize(sorted.size());
  targets.resize(sorted.size());
  for (Index k = 0; k < L.supernodes; ++k)
    std::sort(sorted.begin() + entry_start[at(k)], sorted.begin() + entry_start[at(k + 1)]);
  for (std::size_t i = 0; i < sorted.size(); ++i) std::tie(targets[i], entries[i]) = sorted[i];
}

void Multifrontal::analyze(const CholeskyFactor& structure, const SparseMatrix& A) {
  data_ = std::make_unique<Data>();
  Data& d = *data_;
  const CholeskyFactor& L = d.L = structure;
  const Index count = L.supernodes;
  d.tree = elimination_tree(L);

  d.map_rows();
  d.map_entries(A);
  d.values.resize(at(L.first_value[count]));

  // === Branches and their memory
  d.work.resize(at(count));
  std::vector<char> odd_depth(at(count), 0);
  for (Index k = count - 1; k >= 0; --k) {
    const double c = L.columns_of(k), rest = L.rows_of(k) - c;
    d.work[at(k)] = c * c * c / 6 + c * c * rest / 2 + (c + 4) * rest * rest / 2;  // 4: for assembly
    if (d.tree.parent[at(k)] >= 0) odd_depth[at(k)] = !odd_depth[at(d.tree.parent[at(k)])];
  }
  TreeCut cut = cut_tree(d.tree, d.work, worth_a_branch);
  d.rests.resize(at(count));
  d.branches.resize(cut.branches.size());
  for (std::size_t b = 0; b < cut.branches.size(); ++b) {
    d.branches[b].blocks = std::move(cut.branches[b]);
    d.place(d.branches[b], odd_depth);
  }
  d.place_top(cut.top, odd_depth);
}

/// Blocks of the top up to `t`, children first; siblings in parallel.
void Multifrontal::Data::rise(int t, Visit visit) const {
  int lowest = t;
  while (top[at(lowest)].children.size() == 1) lowest = top[at(lowest)].children[0];
  const std::vector<int>& children = top[at(lowest)].children;
  parallel_for(static_cast<Index>(children.size()), 1, [&](Index c) { rise(children[at(c)], visit); });
  for (; lowest != t; lowest = top[at(lowest)].parent) visit(top[at(lowest)]);
  visit(top[at(t)]);
}

/// The same, parents first.
void Multifrontal::Data::sink(int t, Visit visit) const {
  visit(top[at(t)]);
  while (top[at(t)].children.size() == 1) {
    t = top[at(t)].children[0];
    visit(top[at(t)]);
  }
  const std::vector<int>& children = top[at(t)].children;
  parallel_for(static_cast<Index>(children.size()), 1, [&](Index c) { sink(children[at(c)], visit); });
}

/// Columns [begin, end) of the panel: zeros, the entries of A, what the children left.
void Multifrontal::Data::assemble_panel(Index k, const Front& front, const double* entry_values, int begin,
                                        int end) {
  for (int j = begin; j < end; ++j)
    std::fill_n(front.panel + static_cast<Index>(j) * front.rows + j, front.rows - j, 0.0);
  const auto first = targets.begin() + entry_start[at(k)], last = targets.begin() + entry_start[at(k + 1)];
  const auto from = begin == 0 ? first : std::lower_bound(first, last, begin * front.rows);
  const auto to = end == front.columns ? last : std::lower_bound(from, last, end * front.rows);
  for (auto e = from - targets.begin(); e < to - targets.begin(); ++e)
    front.panel[targets[at(e)]] += entry_values[entries[at(e)]];
  add_children(k, front, begin, end);
}

void Multifrontal::Data::add_children(Index k, const Front& front, int begin, int end) {
  for (int child : tree.children_of(k))
    add_rest(rests[at(child)], L.rows_of(child) - L.columns_of(child), runs_of(child), begin, end, front);
}

bool Multifrontal::Data::factorize(Index k, const double* entry_values, double* strips, bool parallel) {
  const Front front{.rows = L.rows_of(k),
                    .columns = L.columns_of(k),
                    .panel = values.data() + L.first_value[k],
                    .rest = rests[at(k)],
                    .strips = strips};
  const int rest = front.rows - front.columns;
  const Index grain = parallel ? 64 : front.rows;  // columns a task
  parallel_for_chunks(front.columns, grain, [&](Index begin, Index end) {
    assemble_panel(k, front, entry_values, static_cast<int>(begin), static_cast<int>(end));
  });
  if (!factor_front(front, parallel)) return false;
  parallel_for_chunks(rest, grain, [&](Index begin, Index end) {
    add_children(k, front, front.columns + static_cast<int>(begin), front.columns + static_cast<int>(end));
  });
  return true;
}

bool Multifrontal::factorize(const SparseMatrix& A) {
  Data& d = *data_;
  const double* entry_values = A.valuePtr();
  std::atomic<bool> definite = true;
  parallel_for(static_cast<Index>(d.branches.size()), 1, [&](Index b) {
    Branch& branch = d.branches[at(b)];
    for (int k : branch.blocks)
      if (!definite || !d.factorize(k, entry_values, branch.strips.data(), false)) {
        definite = false;
        return;
      }
  });
  const auto visit = [&](const TopBlock& t) {
    if (!definite) return;
    const bool parallel = d.work[at(t.block)] > worth_tiles;
    if (!d.factorize(t.block, entry_values, d.chains[at(t.chain)].strips.data(), parallel)) definite = false;
  };
  parallel_for(static_cast<Index>(d.top_roots.size()), 1,
               [&](Index r) { d.rise(d.top_roots[at(r)], visit); });
  return definite;
}

void Multifrontal::Data::solve_down(Index k, const Eigen::Ref<const MatrixXd>& B, Index first, int count) {
  const int rows = L.rows_of(k), columns = L.columns_of(k);
  double* x = solution.data() + static_cast<Index>(L.first_row[k]) * count;
  for (int r = 0; r < count; ++r) {
    double* own = x + static_cast<Index>(r) * rows;
    for (int j = 0; j < columns; ++j) own[j] = B(L.order[L.first_column[k] + j], first + r);
    std::fill(own + columns, own + rows, 0.0);
    for (int child : tree.children_of(k)) {
      const int child_rows = L.rows_of(child);
      const double* left = solution.data() + static_cast<Index>(L.first_row[child]) * count +
                           static_cast<Index>(r) * child_rows;
      const int* place = places.data() + L.first_row[child];
      for (int i = L.columns_of(child); i < child_rows; ++i) own[place[i]] += left[i];
    }
  }
  solve_front_down(values.data() + L.first_value[k], rows, columns, x, rows, count);
}

void Multifrontal::Data::solve_up(Index k, Eigen::Ref<MatrixXd>& X, Index first, int count) {
  const int rows = L.rows_of(k), columns = L.columns_of(k), parent = tree.parent[at(k)];
  double* x = solution.data() + static_cast<Index>(L.first_row[k]) * count;
  const int* place = places.data() + L.first_row[k];
  for (int r = 0; r < count && parent >= 0; ++r) {
    double* own = x + static_cast<Index>(r) * rows;
    const double* known = solution.data() + static_cast<Index>(L.first_row[parent]) * count +
                          static_cast<Index>(r) * L.rows_of(parent);
    for (int i = columns; i < rows; ++i) own[i] = known[place[i]];
  }
  solve_front_up(values.data() + L.first_value[k], rows, columns, x, rows, count);
  for (int r = 0; r < count; ++r)
    for (int j = 0; j < columns; ++j)
      X(L.order[L.first_column[k] + j], first + r) = x[static_cast<Index>(r) * rows + j];
}

void Multifrontal::solve(const Eigen::Ref<const MatrixXd>& B, Eigen::Ref<MatrixXd> X) {
  Data& d = *data_;
  const auto branches = static_cast<Index>(d.branches.size()), roots = static_cast<Index>(d.top_roots.size());
  for (Index first = 0; first < B.cols(); first += most_columns) {
    const auto count = static_cast<int>(std::min<Index>(most_columns, B.cols() - first));
    d.solution.resize(std::max(d.solution.size(), d.places.size() * at(count)));
    parallel_for(branches, 1, [&](Index b) {
      for (int k : d.branches[at(b)].blocks) d.solve_down(k, B, first, count);
    });
    parallel_for(roots, 1, [&](Index r) {
      d.rise(d.top_roots[at(r)], [&](const TopBlock& t) { d.solve_down(t.block, B, first, count); });
      d.sink(d.top_roots[at(r)], [&](const TopBlock& t) { d.solve_up(t.block, X, first, count); });
    });
    parallel_for(branches, 1, [&](Index b) {
      const std::vector<int>& blocks = d.branches[at(b)].blocks;
      for (auto k = blocks.rbegin(); k != blocks.rend(); ++k) d.solve_up(*k, X, first, count);
    });
  }
}

const double* Multifrontal::values() const { return data_->values.data(); }

std::size_t Multifrontal::memory_bytes() const {
  const Data& d = *data_;
  std::size_t numbers = d.values.size() + d.work.size() + d.solution.size(), integers = 0;
  for (const Branch& branch : d.branches) {
    numbers += branch.rests.size() + branch.strips.size();
    integers += branch.blocks.size();
  }
  for (const Chain& chain : d.chains)
    numbers += chain.rests[0].size() + chain.rests[1].size() + chain.strips.size();
  integers += d.places.size() + d.entry_start.size() + d.entries.size() + d.targets.size() +
              2 * d.tree.parent.size() + d.tree.children.size() + d.run_start.size();
  return numbers * sizeof(double) + integers * sizeof(int) + d.rests.size() * sizeof(double*) +
         d.runs.size() * sizeof(RowRun);
}

}  // namespace pliant
