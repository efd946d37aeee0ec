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

/// The rows of the tableau that belong to unknowns in the fit, and of the others only the diagonal:
///     H = (A_IᵀA_I)⁻¹,   B = H C,   C = A_IᵀA_O,   left = |a_o|² - c_o·H c_o,   r = A_Oᵀ(b - A x).
/// There is room for one row more than unknowns may be above zero: who enters comes before who leaves goes.
class WideTableau {
 public:
  /// @param inside  unknowns in the fit
  WideTableau(const MatrixXd& AtA, const VectorXd& Atb, const std::vector<int>& inside, Index most,
              const NnlsCandidates& candidates)
      : candidates_(candidates), most_(most), places_(inside), inside_(static_cast<std::size_t>(size()), 0) {
    const Index k = count(), room = std::max(most, k) + 1;
    gram_.resize(room, room);
    H_.resize(room, room);
    B_.resize(room, size());
    C_.resize(room, size());
    right_.resize(room);
    x_.resize(room);
    left_.resize(size());
    r_.resize(size());
    gram_.topLeftCorner(k, k) = AtA(inside, inside);
    right_.head(k) = Atb(inside);
    const MatrixXd H =
        Eigen::LLT<MatrixXd>(MatrixXd(gram_.topLeftCorner(k, k))).solve(MatrixXd::Identity(k, k));
    H_.topLeftCorner(k, k) = H;
    x_.head(k) = H * right_.head(k);
    C_.topRows(k) = candidates.products(inside, Eigen::all);
    parallel_for_chunks(size(), 64, [&](Index begin, Index end) {
      B_.block(0, begin, k, end - begin).noalias() = H * C_.block(0, begin, k, end - begin);
      for (Index o = begin; o < end; ++o) {
        left_[o] = candidates.squares[o] - C_.col(o).head(k).dot(B_.col(o).head(k));
        r_[o] = candidates.Atb[o] - C_.col(o).head(k).dot(x_.head(k));
      }
    });
  }

  Index size() const { return candidates_.squares.size(); }
  Index count() const { return static_cast<Index>(places_.size()); }

  double gain(Index o) const {
    const bool can_enter =
        !inside_[static_cast<std::size_t>(o)] && r_[o] > 0 && left_[o] > dependent * candidates_.squares[o];
    return can_enter ? r_[o] * r_[o] / left_[o] : 0;
  }

  /// Which row would leave for candidate o, and what the objective would fall by in all; -1 if o itself would, or if others
  /// became negative. With room for one more none needs to leave: the row is then count().
  std::pair<Index, double> exchange(Index o) const {
    const double x_o = r_[o] / left_[o];
    Index leaving = -1;
    double least = r_[o] * x_o, share = 0, b = 0;
    if (count() < most_) {
      leaving = count();
      least = 0;
    } else {
      for (Index e = 0; e < count(); ++e) {
        const double x = x_[e] - x_o * B_(e, o), H = H_(e, e) + B_(e, o) * B_(e, o) / left_[o];
        if (x * x < least * H) least = x * x / H, leaving = e;
      }
      if (leaving < 0) return {-1, 0};
      b = B_(leaving, o);
      share = (x_[leaving] - x_o * b) / (H_(leaving, leaving) + b * b / left_[o]);
      if (x_o + share * b / left_[o] <= 0) return {-1, 0};
    }
    for (Index e = 0; e < count(); ++e) {
      if (e == leaving) continue;
      double x = x_[e] - x_o * B_(e, o);
      if (share != 0) x -= share * (H_(e, leaving) + B_(e, o) * b / left_[o]);
      if (x <= 0) return {-1, 0};
    }
    return {leaving, r_[o] * x_o - least};
  }

  void enter(Index o) {
    const Index k = count();
    const VectorXd b = B_.col(o).head(k), c = C_.col(o).head(k), products = candidates_.products_with(o);
    const double d = left_[o], x_o = r_[o] / d;
    H_.topLeftCorner(k, k) += b * b.transpose() / d;
    set_row(H_, k, -b / d, 1 / d);
    set_row(gram_, k, c, candidates_.squares[o]);
    x_.head(k) -= x_o * b;
    x_[k] = x_o;
    right_[k] = candidates_.Atb[o];
    parallel_for(size(), 64, [&](Index j) {
      const double p = products[j] - b.dot(C_.col(j).head(k));
      B_.col(j).head(k) -= p / d * b;
      B_(k, j) = p / d;
      C_(k, j) = products[j];
      left_[j] -= p * p / d;
      r_[j] -= x_o * p;
    });
    inside_[static_cast<std::size_t>(o)] = 1;
    places_.push_back(static_cast<int>(candidates_.products.rows() + o));
  }

  void leave(Index e) {
    const Index k = count(), last = k - 1;
    const double h = H_(e, e), x_e = x_[e];
    const VectorXd column = H_.col(e).head(k);
    x_.head(k) -= x_e / h * column;
    parallel_for(size(), 64, [&](Index j) {
      const double b = B_(e, j);
      B_.col(j).head(k) -= b / h * column;
      left_[j] += b * b / h;
      r_[j] += x_e * b / h;
      // The last takes its row, here and below.
      B_(e, j) = B_(last, j);
      C_(e, j) = C_(last, j);
    });
    H_.topLeftCorner(k, k) -= column * column.transpose() / h;
    for (MatrixXd* M : {&H_, &gram_}) {
      M->row(e).head(k) = M->row(last).head(k).eval();
      M->col(e).head(k) = M->col(last).head(k).eval();
    }
    x_[e] = x_[last];
    right_[e] = right_[last];
    places_[static_cast<std::size_t>(e)] = places_.back();
    places_.pop_back();
  }

  /// Those inside, with weights that are not negative.
  NnlsSubset fitted() const {
    const Index k = count();
    const MatrixXd gram = gram_.topLeftCorner(k, k);
    const VectorXd right = right_.head(k), x = nnls(gram, right).x;
    std::vector<std::pair<int, double>> positive;
    for (Index e = 0; e < k; ++e)
      if (x[e] > 0) positive.emplace_back(places_[static_cast<std::size_t>(e)], x[e]);
    std::sort(positive.begin(), positive.end());
    NnlsSubset out;
    out.x.resize(static_cast<Index>(positive.size()));
    for (std::size_t i = 0; i < positive.size(); ++i) {
      out.places.push_back(positive[i].first);
      out.x[static_cast<Index>(i)] = positive[i].second;
    }
    out.objective = x.dot(gram * x - 2 * right);
    return out;
  }

 private:
  static void set_row(MatrixXd& M, Index k, const VectorXd& row, double diagonal) {
    M.col(k).head(k) = row;
    M.row(k).head(k) = row.transpose();
    M(k, k) = diagonal;
  }

  const NnlsCandidates& candidates_;
  Index most_;
  std::vector<int> places_;   // of each row: an unknown, or behind all of these a candidate
  std::vector<char> inside_;  // of candidates: in, or in and out again
  MatrixXd gram_, H_, B_, C_;
  VectorXd right_, x_, left_, r_;
};

std::vector<int> positive_places(const VectorXd& x) {
  std::vector<int> places;
  for (Index i = 0; i < x.size(); ++i)
    if (x[i] > 0) places.push_back(static_cast<int>(i));
  return places;
}

struct Exchange {
  Index entering = -1, leaving = -1;  ///< -1: none gains
};

/// The one that gains most, and more than `tolerance`, of what `exchange` says of each candidate: who leaves for it, and the
/// gain. None gains more than its new unknown alone, so that few have to be asked.
template <class AnyTableau, class Ask>
Exchange best_exchange(const AnyTableau& tableau, double tolerance, const Ask& exchange) {
  std::vector<int> order;
  for (Index o = 0; o < tableau.size(); ++o)
    if (tableau.gain(o) > tolerance) order.push_back(static_cast<int>(o));
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const double ga = tableau.gain(a), gb = tableau.gain(b);
    return ga != gb ? ga > gb : a < b;
  });
  Exchange best;
  double most = tolerance;
  for (const int o : order) {
    if (tableau.gain(o) <= most) break;
    const auto [leaving, gained] = exchange(o);
    if (leaving >= 0 && gained > most) most = gained, best = {o, leaving};
  }
  return best;
}

/// Exchanges until none gains more than this.
int improve(Tableau& tableau, Index count, double tolerance) {
  int exchanges = 0;
  for (bool found = true; found && exchanges < 2 * count;) {
    found = false;
    const bool room = tableau.count() < count;
    const auto [entering, leaving] =
        best_exchange(tableau, tolerance, [&](Index o) { return tableau.exchange(o, room); });
    if (entering >= 0) {
      tableau.sweep(entering);
      if (leaving != entering) tableau.sweep(leaving);
      ++exchanges;
      found = true;
    }
  }
  return exchanges;
}

int improve(WideTableau& tableau, double tolerance) {
  int exchanges = 0;
  for (const Index most = 2 * tableau.count(); exchanges < most; ++exchanges) {
    const auto [entering, leaving] =
        best_exchange(tableau, tolerance, [&](Index o) { return tableau.exchange(o); });
    if (entering < 0) break;
    const bool room = leaving == tableau.count();
    tableau.enter(entering);
    if (!room) tableau.leave(leaving);
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

NnlsSubset nnls_exchange(const MatrixXd& AtA, const VectorXd& Atb, Index count, const VectorXd& start,
                         const NnlsCandidates& candidates) {
  check(AtA, Atb, count, start);
  const Index N = candidates.squares.size();
  if (candidates.products.rows() != Atb.size() || candidates.products.cols() != N ||
      candidates.Atb.size() != N)
    throw InputError(fmt::format(
        "nnls_exchange: products are {} x {} and right sides {} for {} unknowns and {} candidates",
        candidates.products.rows(), candidates.products.cols(), candidates.Atb.size(), Atb.size(), N));
  std::vector<int> places = positive_places(start);
  const VectorXd x = nnls(AtA(places, places), Atb(places), start(places)).x;
  std::vector<int> inside;
  for (const int i : positive_places(x)) inside.push_back(places[static_cast<std::size_t>(i)]);
  WideTableau tableau(AtA, Atb, inside, count, candidates);
  const int exchanges = improve(tableau, 1e-12 * Atb(places).dot(x));
  NnlsSubset out = tableau.fitted();
  out.exchanges = exchanges;
  return out;
}

}  // namespace pliant
