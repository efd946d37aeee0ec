#include "pliant/numerics/nnls_subset.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/numerics/nnls.h"

namespace pliant {
namespace {

constexpr double dependent = 1e-10;  // of a column of length 1, the square of what others leave of it

/// The swept matrix of normal equations [Beale et al. 1967]: with the unknowns I in the fit and O outside, H = (AᵀA)⁻¹ on I,
///     M_II = -H,   M_IO = H A_IO,   M_OO = A_OO - A_OI H A_IO,   v_I = x_I,   v_O = (Aᵀ(b - A x))_O.
/// An unknown enters or leaves by one sweep. Columns are scaled to length 1.
class Tableau {
 public:
  Tableau(const MatrixXd& AtA, const VectorXd& Atb, const std::vector<int>& inside)
      : inside_(static_cast<std::size_t>(Atb.size()), 0) {
    scale_ = AtA.diagonal().cwiseMax(0).cwiseSqrt().unaryExpr([](double n) { return n > 0 ? 1 / n : 0; });
    M_ = scale_.asDiagonal() * AtA * scale_.asDiagonal();
    v_ = scale_.cwiseProduct(Atb);
    const std::vector<int>& I = inside;
    for (const int i : I) inside_[static_cast<std::size_t>(i)] = 1;
    std::vector<int> O;
    for (Index i = 0; i < size(); ++i)
      if (!is_inside(i)) O.push_back(static_cast<int>(i));
    const MatrixXd A_IO = M_(I, O);
    const MatrixXd H =
        Eigen::LLT<MatrixXd>(MatrixXd(M_(I, I)))
            .solve(MatrixXd::Identity(static_cast<Index>(I.size()), static_cast<Index>(I.size())));
    const MatrixXd HA = H * A_IO;
    const VectorXd x = H * v_(I);
    M_(I, I) = -H;
    M_(I, O) = HA;
    M_(O, I) = HA.transpose();
    M_(O, O) = (M_(O, O) - A_IO.transpose() * HA).eval();
    const VectorXd rest = A_IO.transpose() * x;
    for (std::size_t k = 0; k < O.size(); ++k) v_[O[k]] -= rest[static_cast<Index>(k)];
    for (std::size_t k = 0; k < I.size(); ++k) v_[I[k]] = x[static_cast<Index>(k)];
    count_ = static_cast<Index>(I.size());
  }

  Index size() const { return v_.size(); }
  Index count() const { return count_; }
  bool is_inside(Index i) const { return inside_[static_cast<std::size_t>(i)]; }
  /// In the end, to be fitted: unknowns inside.
  std::vector<int> inside() const {
    std::vector<int> out;
    for (Index i = 0; i < size(); ++i)
      if (is_inside(i)) out.push_back(static_cast<int>(i));
    return out;
  }

  void sweep(Index k) {
    const double pivot = M_(k, k), sign = is_inside(k) ? -1 : 1, at_k = v_[k] / pivot;
    column_ = M_.col(k);
    column_[k] = 0;
    v_ -= at_k * column_;
    parallel_for(size(), 1 + 50000 / size(), [&](Index j) {
      if (column_[j] != 0) M_.col(j) -= (column_[j] / pivot) * column_;
    });
    M_.col(k) = sign / pivot * column_;
    M_.row(k) = M_.col(k).transpose();
    M_(k, k) = -1 / pivot;
    v_[k] = sign * at_k;
    inside_[static_cast<std::size_t>(k)] ^= 1;
    count_ += is_inside(k) ? 1 : -1;
  }

  /// The next to leave: one that has become negative, or without which the objective rises least, by x² / H_ee.
  Index to_spare() const {
    Index best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (Index e = 0; e < size(); ++e)
      if (is_inside(e)) {
        const double loss = v_[e] > 0 ? v_[e] * v_[e] / -M_(e, e) : v_[e];
        if (loss < least) least = loss, best = e;
      }
    return best;
  }

  double gain(Index o) const {
    return !is_inside(o) && v_[o] > 0 && M_(o, o) > dependent ? v_[o] * v_[o] / M_(o, o) : 0;
  }

  /// Which unknown would leave for `o`, and what the objective would fall by in all; -1 if o itself would, or if others
  /// became negative. With `room` none needs to leave: the place is then `o`.
  std::pair<Index, double> exchange(Index o, bool room) {
    const double x_o = v_[o] / M_(o, o), gained = gain(o);
    after_ = v_ - x_o * M_.col(o);  // of those inside
    Index leaving = o;
    double least = x_o * x_o * M_(o, o);
    if (!room)
      for (Index e = 0; e < size(); ++e)
        if (is_inside(e)) {
          const double H = -M_(e, e) + M_(e, o) * M_(e, o) / M_(o, o);
          const double loss = after_[e] * after_[e] / H;
          if (loss < least) least = loss, leaving = e;
        }
    if (!room && leaving == o) return {-1, 0};
    if (!room) {
      const Index e = leaving;
      const double H_ee = -M_(e, e) + M_(e, o) * M_(e, o) / M_(o, o), share = after_[e] / H_ee;
      const double x_o_after = x_o + M_(e, o) / M_(o, o) * share;
      if (x_o_after <= 0) return {-1, 0};
      after_ -= share * (M_(e, o) / M_(o, o) * M_.col(o) - M_.col(e));
      after_[e] = 0;
    }
    for (Index i = 0; i < size(); ++i)
      if (is_inside(i) && i != leaving && after_[i] <= 0) return {-1, 0};
    return {leaving, room ? gained : gained - least};
  }

 private:
  MatrixXd M_;
  VectorXd scale_, v_, column_, after_;
  std::vector<char> inside_;
  Index count_ = 0;
};

std::vector<int> positive_places(const VectorXd& x) {
  std::vector<int> places;
  for (Index i = 0; i < x.size(); ++i)
    if (x[i] > 0) places.push_back(static_cast<int>(i));
  return places;
}

/// Exchanges until none gains more than this. No exchange gains more than its new unknown alone, so few have to be tried.
int improve(Tableau& tableau, Index count, double tolerance) {
  int exchanges = 0;
  for (bool found = true; found && exchanges < 2 * count;) {
    found = false;
    std::vector<int> order;
    for (Index o = 0; o < tableau.size(); ++o)
      if (tableau.gain(o) > tolerance) order.push_back(static_cast<int>(o));
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      const double ga = tableau.gain(a), gb = tableau.gain(b);
      return ga != gb ? ga > gb : a < b;
    });
    double best = tolerance;
    Index entering = -1, leaving = -1;
    for (const int o : order) {
      if (tableau.gain(o) <= best) break;
      const auto [place, gained] = tableau.exchange(o, tableau.count() < count);
      if (place >= 0 && gained > best) best = gained, entering = o, leaving = place;
    }
    if (entering >= 0) {
      tableau.sweep(entering);
      if (leaving != entering) tableau.sweep(leaving);
      ++exchanges;
      found = true;
    }
  }
  return exchanges;
}

void check(const MatrixXd& AtA, const VectorXd& Atb, Index count, const VectorXd& start) {
  if (AtA.rows() != Atb.size() || AtA.cols() != Atb.size())
    throw InputError(
        fmt::format("nnls_subset: AtA is {} x {} for {} unknowns", AtA.rows(), AtA.cols(), Atb.size()));
  if (count < 1 || (start.size() != 0 && start.size() != Atb.size()))
    throw InputError(
        fmt::format("nnls_subset: {} unknowns above zero and a start of {}; expected at least 1, and {} or 0",
                    count, start.size(), Atb.size()));
}

/// From the fit x, of any number of unknowns above zero.
NnlsSubset search(const MatrixXd& AtA, const VectorXd& Atb, Index count, const VectorXd& x) {
  NnlsSubset out;
  Tableau tableau(AtA, Atb, positive_places(x));
  // === The most dispensable leave
  while (tableau.count() > count) tableau.sweep(tableau.to_spare());
  // === Exchanges
  out.exchanges = improve(tableau, count, 1e-12 * Atb.dot(x));
  // === Weights of those that stay
  const std::vector<int> places = tableau.inside();
  const VectorXd fitted = nnls(AtA(places, places), Atb(places)).x;
  const std::vector<int> positive = positive_places(fitted);
  for (const int i : positive) out.places.push_back(places[static_cast<std::size_t>(i)]);
  out.x = fitted(positive);
  out.objective = out.x.dot(AtA(out.places, out.places) * out.x - 2 * Atb(out.places));
  return out;
}

}  // namespace

NnlsSubset nnls_exchange(const MatrixXd& AtA, const VectorXd& Atb, Index count, const VectorXd& start) {
  check(AtA, Atb, count, start);
  VectorXd x = VectorXd::Zero(Atb.size());
  const std::vector<int> places = positive_places(start);
  if (static_cast<Index>(places.size()) > count)
    throw InputError(fmt::format("nnls_exchange: the start has {} entries above zero; expected at most {}",
                                 places.size(), count));
  if (!places.empty()) x(places) = nnls(AtA(places, places), Atb(places), start(places)).x;
  return search(AtA, Atb, count, x);
}

NnlsSubset nnls_eliminate(const MatrixXd& AtA, const VectorXd& Atb, Index count, const VectorXd& start) {
  check(AtA, Atb, count, start);
  return search(AtA, Atb, count, nnls(AtA, Atb, start).x);
}

}  // namespace pliant
