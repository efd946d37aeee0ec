#include "pliant/numerics/bfgs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"

namespace pliant {
namespace {

constexpr double enough_decrease = 1e-4, enough_curvature = 0.9;  // of Wolfe's conditions, as is usual

/// The minimum of the cubic through two points of a line with their slopes, kept away from both.
double cubic_minimum(double a, double fa, double ga, double b, double fb, double gb) {
  const double d1 = ga + gb - 3 * (fa - fb) / (a - b);
  const double root = d1 * d1 - ga * gb;
  double t = (a + b) / 2;
  if (root >= 0) {
    const double d2 = std::copysign(std::sqrt(root), b - a);
    const double guess = b - (b - a) * (gb + d2 - d1) / (gb - ga + 2 * d2);
    if (std::isfinite(guess)) t = guess;
  }
  const double low = std::min(a, b), high = std::max(a, b), margin = 0.1 * (high - low);
  return std::clamp(t, low + margin, high - margin);
}

}  // namespace

void Bfgs::evaluate(SmoothFunction function, const VectorXd& direction, double part, Point& out,
                    BfgsReport& report) {
  out.part = part;
  out.x = here_.x + part * direction;
  out.gradient.resize(out.x.size());
  out.value = function(out.x, out.gradient);
  out.slope = out.gradient.dot(direction);
  if (!std::isfinite(out.value) || !std::isfinite(out.slope)) out.value = INFINITY;
  ++report.evaluations;
}

/// A point along the line that is lower and flatter, as Wolfe's conditions ask, into trial_. [Nocedal and
/// Wright 2006, section 3.5] low_ is the best point so far; the minimum lies between it and `end`.
bool Bfgs::search_line(SmoothFunction function, const VectorXd& direction, BfgsReport& report) {
  low_ = here_;
  low_.part = 0;
  low_.slope = here_.gradient.dot(direction);
  const double slope = low_.slope;
  // What rounding makes of differences of the value
  const double rounding = 1e-14 * std::abs(here_.value);
  const auto too_high = [&](const Point& p) {
    return !(p.value <= here_.value + enough_decrease * p.part * slope + rounding) ||
           (low_.part > 0 && p.value > low_.value + rounding);
  };
  double part = 1, end = 0, end_value = 0, end_slope = 0;
  bool bracketed = false;
  for (int attempt = 0; attempt < 30; ++attempt) {
    evaluate(function, direction, part, trial_, report);
    if (std::isfinite(trial_.value) && !too_high(trial_) &&
        std::abs(trial_.slope) <= -enough_curvature * slope)
      return true;
    if (too_high(trial_)) {
      bracketed = true;
      end = part, end_value = trial_.value, end_slope = trial_.slope;
    } else {
      if (trial_.slope * (bracketed ? end - low_.part : 1) >= 0) {
        bracketed = true;
        end = low_.part, end_value = low_.value, end_slope = low_.slope;
      }
      std::swap(low_, trial_);
    }
    if (!bracketed) {
      part *= 3;
    } else if (std::isfinite(end_value)) {
      part = cubic_minimum(low_.part, low_.value, low_.slope, end, end_value, end_slope);
    } else {
      part = low_.part + 0.2 * (end - low_.part);
    }
  }
  // Lower, at least, if not flatter
  std::swap(low_, trial_);
  return trial_.part > 0 && trial_.value < here_.value;
}

/// B := (1 - ρ s yᵀ) B (1 - ρ y sᵀ) + ρ s sᵀ,  ρ = 1 / yᵀs
void Bfgs::learn(MatrixXd& B) {
  s_ = trial_.x - here_.x;
  y_ = trial_.gradient - here_.gradient;
  const double ys = y_.dot(s_);
  if (!(ys > 1e-12 * y_.norm() * s_.norm())) return;  // no curvature to learn from
  By_.noalias() = B.selfadjointView<Eigen::Lower>() * y_;
  const double yBy = y_.dot(By_);
  const double a = (1 + yBy / ys) / ys;
  B.selfadjointView<Eigen::Lower>().rankUpdate(s_, a);
  B.selfadjointView<Eigen::Lower>().rankUpdate(s_, By_, -1 / ys);
}

BfgsReport Bfgs::minimize(SmoothFunction function, VectorXd& x, MatrixXd& B, const BfgsOptions& options) {
  if (B.rows() != x.size() || B.cols() != x.size())
    throw InputError(
        fmt::format("bfgs: the inverse Hessian is {} x {} for {} unknowns", B.rows(), B.cols(), x.size()));
  BfgsReport report;
  here_.x = x;
  here_.gradient.resize(x.size());
  here_.value = function(here_.x, here_.gradient);
  report.evaluations = 1;
  while (report.iterations < options.max_iterations && std::isfinite(here_.value)) {
    direction_.noalias() = B.selfadjointView<Eigen::Lower>() * here_.gradient;
    direction_ = -direction_;
    if (!(direction_.dot(here_.gradient) < 0)) {
      report.converged = here_.gradient.isZero(0);
      break;
    }
    if (direction_.norm() <= options.tolerance) {
      report.step = direction_.norm();
      report.converged = true;
      break;
    }
    if (!search_line(function, direction_, report)) break;
    ++report.iterations;
    learn(B);
    report.step = s_.norm();
    std::swap(here_, trial_);
  }
  x = here_.x;
  report.value = here_.value;
  B.triangularView<Eigen::StrictlyUpper>() = B.transpose();
  return report;
}

}  // namespace pliant
