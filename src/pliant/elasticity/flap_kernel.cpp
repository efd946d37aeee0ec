// Highway compiles this file once a target: edge flaps of an ElementSet, energy and gradient in lanes. Their second
// derivatives are those of shell_terms, one flap after the other.
#include <cstddef>

#include "pliant/elasticity/element_set.h"
#include "pliant/elasticity/shell_terms.h"

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/elasticity/flap_kernel.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE void cross(D, const hn::Vec<D>* a, const hn::Vec<D>* b, hn::Vec<D>* out) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = hn::NegMulAdd(a[k], b[j], hn::Mul(a[j], b[k]));
  }
}

template <class D>
HWY_INLINE hn::Vec<D> dot(D, const hn::Vec<D>* a, const hn::Vec<D>* b) {
  return hn::MulAdd(a[0], b[0], hn::MulAdd(a[1], b[1], hn::Mul(a[2], b[2])));
}

/// 1/x, and 0 where x is 0.
template <class D>
HWY_INLINE hn::Vec<D> inverse_or_zero(D d, hn::Vec<D> x) {
  const auto is_zero = hn::Eq(x, hn::Zero(d)), one = hn::Set(d, 1.0);
  return hn::IfThenZeroElse(is_zero, hn::Div(one, hn::IfThenElse(is_zero, one, x)));
}

/// The angle of the vector (x, y), -pi to pi; 0 at the origin.
template <class D>
PLIANT_KERNEL_PART hn::Vec<D> angle_of(D d, hn::Vec<D> y, hn::Vec<D> x) {
  const auto ax = hn::Abs(x), ay = hn::Abs(y);
  const auto small = hn::Min(ax, ay), large = hn::Max(ax, ay);
  auto angle = hn::Atan(d, hn::Mul(small, inverse_or_zero(d, large)));
  angle = hn::IfThenElse(hn::Gt(ay, ax), hn::Sub(hn::Set(d, M_PI / 2), angle), angle);
  angle = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, M_PI), angle), angle);
  return hn::CopySign(angle, y);
}

/// The energies of shell_terms.h, written in z: corners at 0, z0, z1, z2.
template <class D>
PLIANT_KERNEL_PART void evaluate_flap_lanes(D d, const ElementPack& pack, const double* lanes_of_z, int lane,
                                            const ElementOutputs& out) {
  using Vec = hn::Vec<D>;
  constexpr Index width = ElementPack::width;
  const auto half = hn::Set(d, 0.5), zero = hn::Zero(d);
  const auto parameter = [&](int i) HWY_ATTR { return hn::Load(d, pack.parameters[i] + lane); };
  Vec z[3][3], g[3][3];
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) z[j][i] = hn::LoadU(d, lanes_of_z + width * (3 * j + i) + lane);

  // === Length
  const auto length = hn::Sqrt(dot(d, z[0], z[0]));
  const auto stretch = hn::Sub(length, parameter(0));
  const auto tension = hn::Mul(parameter(1), stretch);
  auto energy = hn::Mul(hn::Mul(half, tension), stretch);
  const auto pull = hn::Mul(tension, inverse_or_zero(d, length));
  for (int i = 0; i < 3; ++i) {
    g[0][i] = hn::Mul(pull, z[0][i]);
    g[1][i] = g[2][i] = zero;
  }

  // === Areas of (x0, x1, x2) and (x1, x0, x3); normals twice the area long
  Vec normal[2][3], square[2];
  cross(d, z[0], z[1], normal[0]);
  cross(d, z[2], z[0], normal[1]);
  for (int k = 0; k < 2; ++k) {
    square[k] = dot(d, normal[k], normal[k]);
    const auto twice = hn::Sqrt(square[k]);
    const auto growth = hn::Sub(hn::Mul(half, twice), parameter(2 + 2 * k));
    const auto pressure = hn::Mul(parameter(3 + 2 * k), growth);
    energy = hn::MulAdd(hn::Mul(half, pressure), growth, energy);
    auto push = hn::Mul(hn::Mul(half, pressure), inverse_or_zero(d, twice));
    if (k == 1) push = hn::Neg(push);  // the second normal is z2 x z0: the other way round
    // The area grows by half the unit normal with the opposite edge.
    Vec along_edge[3], along_side[3];
    cross(d, normal[k], z[0], along_edge);
    cross(d, z[1 + k], normal[k], along_side);
    for (int i = 0; i < 3; ++i) {
      g[1 + k][i] = hn::MulAdd(push, along_edge[i], g[1 + k][i]);
      g[0][i] = hn::MulAdd(push, along_side[i], g[0][i]);
    }
  }

  // === Angle. What divides by an edge or a triangle stops growing below a small part of its size at rest, as there.
  const auto least_hinge = hn::Set(d, 1e-4);
  Vec both[3];
  cross(d, normal[0], normal[1], both);
  const auto angle = angle_of(d, dot(d, z[0], both), hn::Mul(length, dot(d, normal[0], normal[1])));
  auto turn = hn::Sub(angle, parameter(6));
  const auto round = hn::Set(d, 2 * M_PI);
  turn = hn::IfThenElse(hn::Gt(turn, hn::Set(d, M_PI)), hn::Sub(turn, round), turn);
  turn = hn::IfThenElse(hn::Lt(turn, hn::Set(d, -M_PI)), hn::Add(turn, round), turn);
  const auto moment = hn::Mul(parameter(7), turn);
  energy = hn::MulAdd(hn::Mul(half, moment), turn, energy);
  const auto safe_length = hn::Max(length, hn::Mul(least_hinge, parameter(8)));
  const auto least_area = hn::Mul(hn::Set(d, 2.0), hn::Mul(least_hinge, parameter(9)));
  const auto per_length2 = hn::Div(hn::Set(d, 1.0), hn::Mul(safe_length, safe_length));
  for (int k = 0; k < 2; ++k) {
    // An apex that rises along its normal closes the angle by 1/height; the ends of the edge sink in proportion.
    const auto safe_square = hn::Max(square[k], hn::Mul(least_area, least_area));
    const auto rate = hn::Neg(hn::Div(hn::Mul(moment, safe_length), safe_square));
    Vec to_apex[3];
    for (int i = 0; i < 3; ++i) to_apex[i] = hn::Sub(z[0][i], z[1 + k][i]);
    const auto foot = hn::Mul(dot(d, to_apex, z[0]), per_length2);
    const auto share = hn::Mul(rate, hn::Sub(foot, hn::Set(d, 1.0)));
    for (int i = 0; i < 3; ++i) {
      g[1 + k][i] = hn::MulAdd(rate, normal[k][i], g[1 + k][i]);
      g[0][i] = hn::MulAdd(share, normal[k][i], g[0][i]);
    }
  }
  if (out.energies) hn::StoreU(energy, d, out.energies + lane);
  if (out.gradients)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) hn::StoreU(g[j][i], d, out.gradients + width * (3 * j + i) + lane);
}

void evaluate_flap_packs(const detail::ElementJob& job) {
  const hn::CappedTag<double, ElementPack::width> d;
  constexpr Index width = ElementPack::width;
  for (Index k = 0; k < job.count; ++k) {
    ElementOutputs out;
    if (job.out.energies) out.energies = job.out.energies + width * k;
    if (job.out.gradients) out.gradients = job.out.gradients + 9 * width * k;
    for (int lane = 0; lane < width; lane += static_cast<int>(hn::Lanes(d)))
      evaluate_flap_lanes(d, job.packs[k], job.z + 9 * width * k, lane, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {
namespace {

template <int N, class Term>
void add_hessian(const Term& term, const HingePositions& x, const int (&corners)[N], bool projected,
                 Eigen::Matrix<double, 9, 9>& sum) {
  if (!(term.stiffness > 0)) return;
  Eigen::Matrix<double, 3, N> positions;
  for (int a = 0; a < N; ++a) positions.col(a) = x.col(corners[a]);
  const Eigen::Matrix<double, 3 * N, 3 * N> H =
      projected ? projected_hessian(term, positions) : hessian(term, positions);
  for (int a = 0; a < N; ++a)
    for (int b = 0; b < N; ++b)
      if (corners[a] > 0 && corners[b] > 0)
        sum.block<3, 3>(3 * corners[a] - 3, 3 * corners[b] - 3) += H.template block<3, 3>(3 * a, 3 * b);
}

void add_flap_hessians(const detail::ElementJob& job) {
  constexpr Index width = ElementPack::width;
  for (Index k = 0; k < job.count; ++k)
    for (int lane = 0; lane < width; ++lane) {
      const auto& parameters = job.packs[k].parameters;
      const auto p = [&](int i) { return parameters[i][lane]; };
      HingePositions x = HingePositions::Zero();
      for (int i = 0; i < 9; ++i) x(i % 3, 1 + i / 3) = job.z[(9 * k + i) * width + lane];
      Eigen::Matrix<double, 9, 9> H = Eigen::Matrix<double, 9, 9>::Zero();
      add_hessian(EdgeTerm{p(0), p(1)}, x, {0, 1}, job.projected, H);
      add_hessian(AreaTerm{p(2), p(3)}, x, {0, 1, 2}, job.projected, H);
      add_hessian(AreaTerm{p(4), p(5)}, x, {1, 0, 3}, job.projected, H);
      add_hessian(HingeTerm{p(6), p(7), p(8), p(9)}, x, {0, 1, 2, 3}, job.projected, H);
      for (int i = 0; i < 81; ++i) job.out.hessians[(81 * k + i) * width + lane] = H.data()[i];
    }
}

}  // namespace

HWY_EXPORT(evaluate_flap_packs);

namespace detail {
void evaluate_flap_packs(const ElementJob& job) {
  HWY_DYNAMIC_DISPATCH(evaluate_flap_packs)(job);
  if (job.out.hessians) add_flap_hessians(job);
}
}  // namespace detail

}  // namespace pliant
#endif
