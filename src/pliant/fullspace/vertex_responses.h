#pragma once
// How vertices of a body in full space answer forces, by solves with the factor of its system (contact/active_points.h).
#include "pliant/contact/active_points.h"
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/panel_solver.h"

namespace pliant {

/// Rows are contact vertices, in their order, and after them pins. What is known of a contact vertex is kept until the factor
/// changes: one solve each, four at once.
class VertexResponses final : public PointResponses {
 public:
  VertexResponses(Index vertices, std::vector<int> contacts, PanelSolver& solver);

  void forget();                                 ///< after a factorisation
  void set_pins(std::span<const int> vertices);  ///< solves for them where they are others than before

  std::span<const int> contacts() const { return contacts_; }
  Index pin_row(std::size_t pin) const { return static_cast<Index>(contacts_.size() + pin); }
  int vertex(Index row) const {
    const auto i = static_cast<std::size_t>(row);
    return i < contacts_.size() ? contacts_[i] : pins_[i - contacts_.size()];
  }

  void prepare(std::span<const Index> rows) override;
  void compliance(Index row, std::span<const Index> others, double* out) override;
  void push(std::span<const Index> rows, const MatrixXd& forces) override;
  Vector3d moved(Index row) const override { return moved_vertex(vertex(row)); }
  Vector3d moved_vertex(Index vertex) const {  ///< by the last push, metres
    return Eigen::Map<const Vector3d>(panel_.data() + 4 * vertex);
  }

  std::size_t memory_bytes() const;

 private:
  std::vector<int> contacts_, pins_;
  PanelSolver& solver_;
  AlignedVector<double> panel_;  // n x 4: forces, then what they move
  // Of a pair, what is kept is how the one with the smaller row moves with a force at the other: the same number whichever
  // came first.
  MatrixXd responses_;       // contacts x slots
  std::vector<Index> slot_;  // of a contact; -1: not known
  Index slots_ = 0;
  MatrixXd pin_responses_;  // n x pins
};

}  // namespace pliant
