#include "pliant/hyperreduction/cubature_nn_htp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/numerics/nnls.h"
#include "pliant/numerics/nnls_subset.h"

namespace pliant {
namespace {

using Columns = CubatureProblem::Columns;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// H+_s: the places of the `count` largest positive entries, largest first; ties go to the lower place.
std::vector<int> largest_positive(const VectorXd& values, Index count) {
  std::vector<int> places;
  for (Index i = 0; i < values.size(); ++i)
    if (values[i] > 0) places.push_back(static_cast<int>(i));
  const auto more = [&](int a, int b) { return values[a] != values[b] ? values[a] > values[b] : a < b; };
  count = std::min(count, static_cast<Index>(places.size()));
  std::partial_sort(places.begin(), places.begin() + count, places.end(), more);
  places.resize(at(count));
  return places;
}

/// A set of elements with its normal equations and weights.
struct Support {
  Columns columns;
  MatrixXd AtA;
  VectorXd Atb, weights;
  double error = 1;

  /// |A w - b|^2 = w . (A^T A w - 2 A^T b) + |b|^2, |b|^2 being the number of poses
  void measure(Index poses) {
    const double f = weights.dot(AtA * weights - 2 * Atb) + static_cast<double>(poses);
    error = std::sqrt(std::max(0.0, f) / static_cast<double>(poses));
  }
  void fit(Index poses) {
    weights = nnls(AtA, Atb, weights).x;
    measure(poses);
  }
  void keep(const std::vector<int>& places) {
    columns = chosen(columns, places);
    AtA = AtA(places, places).eval();
    Atb = Atb(places).eval();
    weights = weights(places).eval();
  }
  /// The best `count` that elimination finds, or exchanges with the present ones if these come out better.
  void choose(Index count, Index poses) {
    const double present = weights.dot(AtA * weights - 2 * Atb);
    NnlsSubset found = nnls_eliminate(AtA, Atb, count, weights);
    if (found.objective >= present) found = nnls_exchange(AtA, Atb, count, weights);
    keep(found.places);
    weights = found.x;
    measure(poses);
  }
  void add(const CubatureProblem& problem, const std::vector<int>& elements) {
    const Columns fresh = problem.columns(elements);
    const Index before = columns.count(), now = before + fresh.count();
    MatrixXd grown(now, now);
    grown.topLeftCorner(before, before) = AtA;
    if (before > 0) {
      grown.topRightCorner(before, fresh.count()) = problem.inner_products(columns, fresh);
      grown.bottomLeftCorner(fresh.count(), before) = grown.topRightCorner(before, fresh.count()).transpose();
    }
    const MatrixXd own = problem.inner_products(fresh, fresh);
    grown.bottomRightCorner(fresh.count(), fresh.count()) = (own + own.transpose()) / 2;
    AtA = std::move(grown);
    Atb.conservativeResize(now);
    Atb.tail(fresh.count()) = problem.transposed_product(fresh, problem.right_side());
    weights.conservativeResize(now);
    weights.tail(fresh.count()).setZero();
    columns = joined(columns, fresh);
  }
};

/// The set after single exchanges with candidates that are too many for all their products. Poses of `part` show which; it
/// counts what becomes of the error in all of them.
Support exchanged(const CubatureProblem& problem, const CubatureProblem& part, const Support& support,
                  const std::vector<int>& candidates, Index count) {
  const Columns present = part.columns(support.columns.elements), fresh = part.columns(candidates);
  const MatrixXd AtA = part.inner_products(present, present);
  const auto products_with = [&](Index o) -> VectorXd {
    return part.inner_products(fresh, chosen(fresh, std::vector<int>{static_cast<int>(o)}));
  };
  const NnlsSubset found =
      nnls_exchange((AtA + AtA.transpose()) / 2, part.transposed_product(present, part.right_side()), count,
                    support.weights,
                    {part.inner_products(present, fresh), part.squared_norms(fresh),
                     part.transposed_product(fresh, part.right_side()), products_with});
  std::vector<int> staying, entering;
  for (const int place : found.places)
    if (place < present.count())
      staying.push_back(place);
    else
      entering.push_back(candidates[at(place - present.count())]);
  Support out = support;
  out.keep(staying);
  out.add(problem, entering);
  out.weights = found.x;
  out.fit(problem.pose_count());
  out.keep(largest_positive(out.weights, count));
  return out;
}

/// The best set so far, and whether it is time to stop.
class Best {
 public:
  explicit Best(const CubatureNnHtpOptions& options)
      : tolerance_(options.tolerance), patience_(options.patience) {}

  void see(const Support& support) {
    errors_.push_back(support.error);
    if (support.error < error_) {
      error_ = support.error;
      cubature_ = detail::sorted_cubature(support.columns.elements, support.weights);
    }
    ++since_gain_;
    if (error_ < 0.99 * gained_from_) start_again(patience_);
  }
  void start_again(int patience) {
    patience_ = patience;
    gained_from_ = error_;
    since_gain_ = 0;
  }
  double error() const { return error_; }
  bool settled() const { return error_ <= tolerance_ || since_gain_ >= patience_; }
  Cubature result() {
    cubature_.error = error_;
    cubature_.errors = std::move(errors_);
    return std::move(cubature_);
  }

 private:
  double tolerance_;
  int patience_;
  Cubature cubature_;
  std::vector<double> errors_;
  double error_ = 1, gained_from_ = 1;
  int since_gain_ = 0;  // of a hundredth
};

void check(const CubatureProblem& problem, const CubatureNnHtpOptions& o) {
  if (o.samples < 1 || o.samples > problem.element_count())
    throw InputError(fmt::format("cubature: {} samples of {} elements; expected 1 to {}", o.samples,
                                 problem.element_count(), problem.element_count()));
  if (!(o.candidates > 0) || !std::isfinite(o.candidates))
    throw InputError(
        fmt::format("cubature: candidates is {}; expected a multiple of the samples", o.candidates));
  if (o.max_iterations < 1 || o.patience < 1)
    throw InputError(fmt::format("cubature: max_iterations is {} and patience {}; expected at least 1",
                                 o.max_iterations, o.patience));
  if (o.wide_rounds < 0 || o.wide_candidates < 1 || o.wide_poses < 1)
    throw InputError(
        fmt::format("cubature: {} wide rounds of {} candidates on {} poses; expected at least 0, 1 and 1",
                    o.wide_rounds, o.wide_candidates, o.wide_poses));
}

/// Elements that alone make a quarter of the force or more, measured on a few poses; the largest first, at most `most`. A mesh
/// with slivers has some, and without them no weights help: too few for a draw of candidates to be likely to meet them.
std::vector<int> outstanding_elements(const CubatureProblem& problem, Index most) {
  std::vector<int> poses, elements(at(problem.element_count()));
  const Index few = std::min<Index>(16, problem.pose_count());
  for (Index t = 0; t < few; ++t) poses.push_back(static_cast<int>(t * problem.pose_count() / few));
  std::iota(elements.begin(), elements.end(), 0);
  const CubatureProblem part = problem.on_poses(poses);
  const VectorXd share =
      part.correlate(elements, part.right_side()).norms / std::sqrt(static_cast<double>(few));
  std::vector<int> found;
  for (const int e : largest_positive(share, most))
    if (share[e] > 0.25) found.push_back(e);
  return found;
}

/// Where a few poses lack half their force, or are much further off than the rest, they miss a few elements that hardly
/// count in others (slivers again), and that a draw is unlikely to meet: those of all elements that help these poses most,
/// at most `most`. Ordinary bodies have no such poses, and their candidates stay random.
std::vector<int> elements_for_worst_poses(const CubatureProblem& problem, const MatrixXd& residual,
                                          Index most) {
  const VectorXd errors = residual.colwise().norm();
  const double far_off =
      std::min(0.5, 4 * std::sqrt(errors.squaredNorm() / static_cast<double>(errors.size())));
  std::vector<int> worst;
  for (const int t : largest_positive(errors, 8))
    if (errors[t] > far_off) worst.push_back(t);
  if (worst.empty()) return {};
  std::sort(worst.begin(), worst.end());
  std::vector<int> elements(at(problem.element_count()));
  std::iota(elements.begin(), elements.end(), 0);
  const auto correlations = problem.on_poses(worst).correlate(elements, residual(Eigen::all, worst));
  VectorXd descent = -correlations.products;
  for (Index i = 0; i < descent.size(); ++i)
    descent[i] = correlations.norms[i] > 0 ? descent[i] / correlations.norms[i] : 0;
  return largest_positive(descent, most);
}

/// Adds elements that are neither in the list yet nor in use.
void add_new(std::span<const int> elements, std::span<const int> in_use, std::vector<int>& list) {
  std::vector<int> known(list);
  known.insert(known.end(), in_use.begin(), in_use.end());
  std::sort(known.begin(), known.end());
  for (const int e : elements)
    if (!std::binary_search(known.begin(), known.end(), e)) list.push_back(e);
}

}  // namespace

Cubature cubature_nn_htp(const CubatureProblem& problem, Rng& rng, const CubatureNnHtpOptions& options) {
  check(problem, options);
  const Index s = options.samples, poses = problem.pose_count();
  const auto draw = static_cast<Index>(std::ceil(options.candidates * static_cast<double>(s)));
  Support support;
  Best best(options);
  const auto at_part = [&](int iteration, int of, double from, double to) {
    report(options.progress, "cubature", from + (to - from) * iteration / of);
  };
  for (int iteration = 0; iteration < options.max_iterations && !best.settled(); ++iteration) {
    at_part(iteration, options.max_iterations, 0, options.wide_rounds > 0 ? 0.5 : 1);
    // === The gradient at candidates drawn anew (divided by 2, which only scales it)
    const MatrixXd residual = problem.product(support.columns, support.weights) - problem.right_side();
    std::vector<int> candidates =
        detail::draw_elements(rng, problem.element_count(), draw, support.columns.elements);
    add_new(iteration == 0 ? outstanding_elements(problem, s)
                           : elements_for_worst_poses(problem, residual, std::max<Index>(1, s / 4)),
            support.columns.elements, candidates);
    const auto correlations = problem.correlate(candidates, residual);
    VectorXd descent = -correlations.products;
    if (options.normalize)
      for (Index i = 0; i < descent.size(); ++i)
        descent[i] = correlations.norms[i] > 0 ? descent[i] / correlations.norms[i] : 0;

    // === S (eq. 8): the present elements and the s best of the others
    std::vector<int> entering;
    for (const int place : largest_positive(descent, s)) entering.push_back(candidates[at(place)]);
    support.add(problem, entering);
    const VectorXd norms = options.normalize ? VectorXd(support.AtA.diagonal().cwiseSqrt())
                                             : VectorXd(VectorXd::Ones(support.columns.count()));

    // === Which s of them stay
    if (options.exchange == CubatureExchange::pursuit) {
      support.choose(s, poses);
    } else {
      // Eq. 7 and half of eq. 9 in unknowns v = |a| w, for which the gradient is divided by |a| once more
      const VectorXd gradient =
          (2 * (support.AtA * support.weights - support.Atb)).cwiseQuotient(norms).cwiseQuotient(norms);
      const VectorXd scaled = gradient.cwiseProduct(norms);
      const double curvature = gradient.dot(support.AtA * gradient);
      const double step = curvature > 0 ? 0.5 * scaled.squaredNorm() / curvature : 0;
      const VectorXd stepped = support.weights - step * gradient;
      const auto staying = largest_positive(stepped.cwiseProduct(norms), s);
      support.weights = stepped;
      support.keep(staying);
      support.fit(poses);  // non-negative least squares, from the weights that they have
      support.keep(largest_positive(support.weights, s));
    }
    best.see(support);
  }

  // === Single exchanges with many more candidates at a time
  if (options.exchange == CubatureExchange::pursuit && best.error() > options.tolerance) {
    best.start_again(3 * options.patience);
    const auto bytes_an_element =
        9 * sizeof(double) * at(problem.dimension() + std::min<Index>(options.wide_poses, poses));
    const Index wide = std::clamp<Index>(static_cast<Index>(problem.options().memory / bytes_an_element), 1,
                                         options.wide_candidates);
    for (int round = 0; round < options.wide_rounds && !best.settled(); ++round) {
      at_part(round, options.wide_rounds, 0.5, 1);
      const auto candidates =
          detail::draw_elements(rng, problem.element_count(), wide, support.columns.elements);
      const auto few = detail::draw_elements(rng, poses, options.wide_poses, {});
      const CubatureProblem part = problem.on_poses(few);
      Support next = exchanged(problem, part, support, candidates, s);
      if (next.error < support.error) support = std::move(next);
      best.see(support);
    }
  }
  report(options.progress, "cubature", 1);
  return best.result();
}

}  // namespace pliant
