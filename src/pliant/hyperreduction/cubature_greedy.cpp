#include "pliant/hyperreduction/cubature_greedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/numerics/nnls.h"

namespace pliant {

Cubature cubature_greedy(const CubatureProblem& problem, Rng& rng, const CubatureGreedyOptions& options) {
  const Index poses = problem.pose_count();
  if (options.samples < 1 || options.samples > problem.element_count())
    throw InputError(fmt::format("cubature: {} samples of {} elements; expected 1 to {}", options.samples,
                                 problem.element_count(), problem.element_count()));
  if (options.candidates < 1 || options.subset < 0)
    throw InputError(
        fmt::format("cubature: {} candidates and a subset of {} poses; expected at least 1 and 0",
                    options.candidates, options.subset));
  CubatureProblem::Columns columns;
  MatrixXd AtA;
  VectorXd Atb, weights;
  MatrixXd residual = -problem.right_side();
  double error = 1;
  std::vector<double> errors;
  while (columns.count() < options.samples && error > options.tolerance) {
    const Index k = columns.count();
    report(options.progress, "greedy cubature", static_cast<double>(k) / options.samples);
    // === The candidate along the residual
    const auto candidates =
        detail::draw_elements(rng, problem.element_count(), options.candidates, columns.elements);
    CubatureProblem::Correlations correlations;
    if (options.subset > 0 && options.subset < poses) {
      const auto few = detail::draw_elements(rng, poses, options.subset, {});
      correlations = problem.on_poses(few).correlate(candidates, residual(Eigen::all, few));
    } else {
      correlations = problem.correlate(candidates, residual);
    }
    Index best = 0;
    const auto along = [&](Index i) {
      return correlations.norms[i] > 0 ? -correlations.products[i] / correlations.norms[i] : -1e300;
    };
    for (Index i = 1; i < correlations.products.size(); ++i)
      if (along(i) > along(best)) best = i;

    // === All weights anew
    const auto fresh = problem.columns(std::vector<int>{candidates[static_cast<std::size_t>(best)]});
    AtA.conservativeResize(k + 1, k + 1);
    if (k > 0) {
      AtA.col(k).head(k) = problem.inner_products(columns, fresh);
      AtA.row(k).head(k) = AtA.col(k).head(k).transpose();
    }
    AtA(k, k) = problem.inner_products(fresh, fresh)(0, 0);
    Atb.conservativeResize(k + 1);
    Atb[k] = problem.transposed_product(fresh, problem.right_side())[0];
    weights.conservativeResize(k + 1);
    weights[k] = 0;
    columns = joined(columns, fresh);
    weights = nnls(AtA, Atb, weights).x;
    residual = problem.product(columns, weights) - problem.right_side();
    error = residual.norm() / std::sqrt(static_cast<double>(poses));
    errors.push_back(error);
  }
  report(options.progress, "greedy cubature", 1);
  Cubature out = detail::sorted_cubature(columns.elements, weights);
  out.error = error;
  out.errors = std::move(errors);
  return out;
}

}  // namespace pliant
