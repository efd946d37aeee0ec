#include "pliant/fullspace/vertex_responses.h"

#include <algorithm>

namespace pliant {
namespace {

constexpr int lanes = 4;  // of a panel
std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

VertexResponses::VertexResponses(Index vertices, std::vector<int> contacts, PanelSolver& solver)
    : contacts_(std::move(contacts)), solver_(solver) {
  panel_.assign(at(4 * vertices), 0);
  slot_.assign(contacts_.size(), -1);
}

void VertexResponses::forget() {
  std::fill(slot_.begin(), slot_.end(), -1);
  slots_ = 0;
  pins_.clear();
}

void VertexResponses::set_pins(std::span<const int> vertices) {
  if (std::equal(vertices.begin(), vertices.end(), pins_.begin(), pins_.end())) return;
  pins_.assign(vertices.begin(), vertices.end());
  const Index n = static_cast<Index>(panel_.size()) / 4, count = static_cast<Index>(pins_.size());
  pin_responses_.resize(n, count);
  for (Index first = 0; first < count; first += lanes) {
    const Index size = std::min<Index>(lanes, count - first);
    std::fill(panel_.begin(), panel_.end(), 0.0);
    for (Index i = 0; i < size; ++i) panel_[at(4 * Index{pins_[at(first + i)]} + i)] = 1;
    solver_.solve(panel_.data(), panel_.data());
    for (Index i = 0; i < size; ++i)
      for (Index v = 0; v < n; ++v) pin_responses_(v, first + i) = panel_[at(4 * v + i)];
  }
}

void VertexResponses::prepare(std::span<const Index> rows) {
  const Index contacts = static_cast<Index>(contacts_.size());
  Index batch[lanes], size = 0;
  const auto solve_batch = [&] {
    std::fill(panel_.begin(), panel_.end(), 0.0);
    for (Index i = 0; i < size; ++i) panel_[at(4 * Index{contacts_[at(batch[i])]} + i)] = 1;
    solver_.solve(panel_.data(), panel_.data());
    if (slots_ + size > responses_.cols())
      responses_.conservativeResize(contacts, std::max<Index>(64, 2 * responses_.cols()));
    for (Index i = 0; i < size; ++i) {
      for (Index c = 0; c < contacts; ++c)
        responses_(c, slots_ + i) = panel_[at(4 * Index{contacts_[at(c)]} + i)];
      slot_[at(batch[i])] = slots_ + i;
    }
    slots_ += size;
    size = 0;
  };
  for (const Index row : rows) {
    if (row >= contacts || slot_[at(row)] >= 0) continue;
    batch[size++] = row;
    if (size == lanes) solve_batch();
  }
  if (size > 0) solve_batch();
}

void VertexResponses::compliance(Index row, std::span<const Index> others, double* out) {
  const Index contacts = static_cast<Index>(contacts_.size());
  for (const Index other : others) {
    const Index by = std::max(row, other), moves = std::min(row, other);
    *out++ = by >= contacts ? pin_responses_(vertex(moves), by - contacts) : responses_(moves, slot_[at(by)]);
  }
}

void VertexResponses::push(std::span<const Index> rows, const MatrixXd& forces) {
  std::fill(panel_.begin(), panel_.end(), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int c = 0; c < 3; ++c)
      panel_[at(4 * Index{vertex(rows[i])} + c)] += forces(static_cast<Index>(i), c);
  solver_.solve(panel_.data(), panel_.data());
}

std::size_t VertexResponses::memory_bytes() const {
  return (panel_.size() + at(responses_.size()) + at(pin_responses_.size())) * sizeof(double);
}

}  // namespace pliant
