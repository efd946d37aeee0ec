#include "pliant/numerics/nnls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/numerics/growing_factor.h"

namespace pliant {
Nnls nnls(const MatrixXd& AtA, const VectorXd& Atb, const VectorXd& start, const NnlsOptions& options) {
  const Index n = Atb.size();
  if (AtA.rows() != n || AtA.cols() != n || (start.size() != 0 && start.size() != n))
    throw InputError(
        fmt::format("nnls: AtA is {} x {}, Atb has {} entries and the start {}; expected one size",
                    AtA.rows(), AtA.cols(), n, start.size()));
  Nnls out;
  out.x = VectorXd::Zero(n);
  out.multipliers = Atb;
  if (n == 0) {
    out.converged = true;
    return out;
  }
  const double tolerance = options.tolerance * Atb.cwiseAbs().maxCoeff();
  const int limit = options.max_iterations > 0 ? options.max_iterations : static_cast<int>(30 * n);

  // === Positive unknowns of the start; the rest is zero
  GrowingFactor factor(AtA, options.dependent);
  for (Index i = 0; i < start.size(); ++i)
    if (start[i] > 0 && factor.add(i)) out.x[i] = start[i];
  const auto update_multipliers = [&] { out.multipliers = Atb - AtA * out.x; };

  std::vector<bool> blocked(static_cast<std::size_t>(n), false);
  bool fresh = factor.size() > 0;  // the factor has changed since its last solution
  Index entering = -1;
  while (true) {
    // === The best point on the positive unknowns; where it is not feasible, as far towards it as can be
    while (fresh && factor.size() > 0) {
      if (++out.iterations > limit) {
        update_multipliers();
        return out;
      }
      const VectorXd target = factor.solve(Atb);
      double step = 1;
      for (Index j = 0; j < target.size(); ++j) {
        const double x = out.x[factor.members()[static_cast<std::size_t>(j)]];
        if (target[j] <= 0) step = std::min(step, x / (x - target[j]));
      }
      if (!(step >= 0)) step = 0;
      fresh = false;
      for (Index j = target.size(); j-- > 0;) {
        const Index i = factor.members()[static_cast<std::size_t>(j)];
        double& x = out.x[i];
        const bool leaves = target[j] <= 0 && x <= step * (x - target[j]) * (1 + 1e-14);
        x = std::max(0.0, x + step * (target[j] - x));
        if (!leaves) continue;
        x = 0;
        factor.remove(j);
        fresh = true;
        // What came in only to leave at once would come again for ever; rounding alone made it attractive.
        if (i == entering)
          blocked[static_cast<std::size_t>(i)] = true;
        else
          std::fill(blocked.begin(), blocked.end(), false);
      }
    }
    fresh = false;

    // === The unknown whose growth helps most
    update_multipliers();
    do {
      entering = -1;
      double most = tolerance;
      for (Index i = 0; i < n; ++i)
        if (!(out.x[i] > 0) && !blocked[static_cast<std::size_t>(i)] && out.multipliers[i] > most) {
          most = out.multipliers[i];
          entering = i;
        }
      if (entering < 0) {
        out.converged = true;
        return out;
      }
      fresh = factor.add(entering);
      if (!fresh) blocked[static_cast<std::size_t>(entering)] = true;
    } while (!fresh);
  }
}

}  // namespace pliant
