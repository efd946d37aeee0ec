#include "pliant/numerics/inverse_factor.h"

#include <algorithm>

#include "pliant/numerics/thin_product.h"

namespace pliant {
namespace {

constexpr Index panel_rows = 32;
/// Numbers for which it is worth to ask a thread.
constexpr Index numbers_a_task = 6'000;
/// Columns of L⁻¹ that are found at once.
constexpr Index batch = 16;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

/// Where everything lies. In the down product a panel's columns are all places from below its part to its own last row; in the up
/// product they are those from its own first row to the end of its part, and all of the parts above.
template <class T>
void InverseFactor<T>::arrange(const DissectedCholesky& factor) {
  const auto parts = factor.parts();
  places_ = factor.places();
  between_.assign(at(3 * places_), T(0));
  for (Product* product : {&down_, &up_}) *product = {};
  for (auto* first : {&down_panel_, &up_panel_}) first->assign(parts.size(), 0);
  Index offset = 0, waiting = 0;
  const auto add = [&](Product& product, Index row, Index height, std::span<const Run> runs) {
    Index columns = 0;
    const Index first_run = std::ssize(product.runs);
    for (const Run& run : runs) {
      columns += run.count;
      if (std::ssize(product.runs) > first_run &&
          product.runs.back().first + product.runs.back().count == run.first)
        product.runs.back().count += run.count;
      else
        product.runs.push_back(run);
    }
    product.panels.push_back({row, height, offset, first_run, std::ssize(product.runs)});
    offset += columns * height;
    waiting += columns * height;
    if (waiting >= numbers_a_task) {
      const Index first = product.tasks.empty() ? 0 : product.tasks.back().end;
      product.tasks.push_back({first, std::ssize(product.panels)});
      waiting = 0;
    }
  };
  const auto finish = [&](Product& product, AlignedVector<T>& numbers) {
    const Index first = product.tasks.empty() ? 0 : product.tasks.back().end;
    if (first < std::ssize(product.panels)) product.tasks.push_back({first, std::ssize(product.panels)});
    numbers.assign(at(offset), T(0));
    offset = waiting = 0;
  };

  // The largest first: the last thread to end has little left then.
  for (Index p = std::ssize(parts) - 1; p >= 0; --p) {
    const auto& part = parts[at(p)];
    down_panel_[at(p)] = std::ssize(down_.panels);
    for (Index r = 0; r < part.size; r += panel_rows) {
      const Index height = std::min(panel_rows, part.size - r);
      const Run run{part.below, part.first + r + height - part.below};
      add(down_, part.first + r, height, std::span(&run, 1));
    }
  }
  finish(down_, down_numbers_);
  std::vector<Run> runs;
  for (Index p = 0; p < std::ssize(parts); ++p) {
    const auto& part = parts[at(p)];
    up_panel_[at(p)] = std::ssize(up_.panels);
    for (Index r = 0; r < part.size; r += panel_rows) {
      runs.assign(1, {part.first + r, part.size - r});
      for (int above = part.parent; above >= 0; above = parts[at(above)].parent)
        runs.push_back({parts[at(above)].first, parts[at(above)].size});
      add(up_, part.first + r, std::min(panel_rows, part.size - r), runs);
    }
  }
  finish(up_, up_numbers_);
}

template <class T>
void InverseFactor<T>::assign(const DissectedCholesky& factor) {
  if (places_ != factor.places() || down_panel_.size() != factor.parts().size()) arrange(factor);
  const auto parts = factor.parts();
  const auto unknown = factor.unknown();
  struct Columns {
    Index part, first, last;
  };
  std::vector<Columns> columns;
  for (Index p = 0; p < std::ssize(parts); ++p)
    for (Index j = 0; j < parts[at(p)].size; j += batch)
      columns.push_back({p, j, std::min(j + batch, parts[at(p)].size)});
  parallel_for(std::ssize(columns), 1, [&](Index c) {
    const auto [p, first, last] = columns[at(c)];
    const auto& part = parts[at(p)];
    std::vector<double> W(at(part.rows * (last - first)));
    factor.inverse_columns(p, first, last, W.data());
    for (Index j = first; j < last; ++j) {
      if (unknown[at(part.first + j)] < 0) continue;
      const double* column = W.data() + (j - first) * part.rows;
      const Panel& up = up_.panels[at(up_panel_[at(p)] + j / panel_rows)];
      const Index in_panel = part.first + j - up.row, skipped = up.row - part.first;
      T* to = up_numbers_.data() + up.offset + in_panel;
      Index row = 0;
      for (Index of = p; of >= 0; of = parts[at(of)].parent) {
        const Index begin = of == p ? j : 0;
        for (Index i = begin; i < parts[at(of)].size; ++i) {
          const Index place = parts[at(of)].first + i;
          if (unknown[at(place)] < 0) continue;
          const T value = static_cast<T>(column[row + i]);
          to[(row + i - skipped) * up.height] = value;
          const Panel& down = down_.panels[at(down_panel_[at(of)] + i / panel_rows)];
          down_numbers_[at(down.offset + (part.first + j - parts[at(of)].below) * down.height + place -
                           down.row)] = value;
        }
        row += parts[at(of)].size;
      }
    }
  });
}

template <class T>
void InverseFactor<T>::multiply(const Product& product, Index task, const T* numbers, const T* x, Index next,
                                Index apart, T* out, Index places) {
  for (Index p = product.tasks[at(task)].first; p < product.tasks[at(task)].end; ++p) {
    const Panel& panel = product.panels[at(p)];
    for (int c = 0; c < 3; ++c) std::fill_n(out + c * places + panel.row, panel.height, T(0));
    const T* matrix = numbers + panel.offset;
    for (Index r = panel.first_run; r < panel.end_run; ++r) {
      const Run& run = product.runs[at(r)];
      add_product(ThinProduct<T>{.matrix = matrix,
                                 .stride = panel.height,
                                 .rows = panel.height,
                                 .columns = run.count,
                                 .x = x + run.first * next,
                                 .next = next,
                                 .apart = apart,
                                 .out = out + panel.row,
                                 .out_apart = places});
      matrix += run.count * panel.height;
    }
  }
}

template <class T>
void InverseFactor<T>::apply(Team& team, const T* x, T* out) {
  team.run(std::ssize(down_.tasks), [&](Index task, int) {
    multiply(down_, task, down_numbers_.data(), x, 3, 1, between_.data(), places_);
  });
  team.run(std::ssize(up_.tasks), [&](Index task, int) {
    multiply(up_, task, up_numbers_.data(), between_.data(), 1, places_, out, places_);
  });
}

template class InverseFactor<float>;
template class InverseFactor<double>;

}  // namespace pliant
