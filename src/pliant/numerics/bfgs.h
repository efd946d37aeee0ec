#pragma once
// Minima of smooth functions of a few hundred unknowns, from gradients: BFGS [Dennis and Schnabel 1983] with
// a dense inverse Hessian.
#include "pliant/base/function_ref.h"
#include "pliant/numerics/types.h"

namespace pliant {

struct BfgsOptions {
  int max_iterations = 500;
  double tolerance = 1e-6;  ///< ends once a step is shorter than this, in the units of x
};

struct BfgsReport {
  bool converged = false;
  int iterations = 0, evaluations = 0;  ///< of the function and its gradient
  double value = 0;
  double step = 0;  ///< length of the last one
};

/// The value at x; its gradient into the second argument, which has the right size.
using SmoothFunction = FunctionRef<double(const VectorXd& x, VectorXd& gradient)>;

/// Keeps its vectors: nothing is allocated once warm. Not to converge is an outcome; x is then the best point
/// found. A function that is not finite somewhere is not entered there.
class Bfgs {
 public:
  /// Starts from x and from this inverse Hessian (symmetric positive definite, size x size), which is learned
  /// from then on.
  BfgsReport minimize(SmoothFunction function, VectorXd& x, MatrixXd& inverse_hessian,
                      const BfgsOptions& options = {});

 private:
  struct Point {
    VectorXd x, gradient;
    double value = 0, slope = 0, part = 0;  // along the line
  };
  bool search_line(SmoothFunction function, const VectorXd& direction, BfgsReport& report);
  void evaluate(SmoothFunction function, const VectorXd& direction, double part, Point& out,
                BfgsReport& report);
  void learn(MatrixXd& B);

  Point here_, low_, trial_;
  VectorXd direction_, s_, y_, By_;
};

}  // namespace pliant
