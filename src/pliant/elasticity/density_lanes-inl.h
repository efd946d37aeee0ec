// The energy densities on SIMD lanes, one element a lane. Include it after hwy/foreach_target.h, as any Highway
// "-inl.h" header; it is compiled once a target.
//
// === One mechanism for all isotropic densities
// Most are functions W(I1, I2, J) of the invariants: a policy gives W and its derivatives by these. With F = U diag(s)
// Vᵀ, the Hessian splits in the frame of U and V [Smith et al. 2019]: a 3x3 matrix A_ij = ∂²W/∂s_i∂s_j acts on the
// diagonal, and for each pair i < j, k the third, two numbers act on the symmetric and on the skew part:
//     (W_i - W_j)/(s_i - s_j) = 2 W_1 + 2 W_2 (s_k² - s_i s_j) - s_k W_J
//     (W_i + W_j)/(s_i + s_j) = 2 W_1 + 2 W_2 (s_k² + s_i s_j) + s_k W_J
// written without a division. Its positive part is A's positive part and the six numbers where they are positive.
#if defined(PLIANT_ELASTICITY_DENSITY_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIANT_ELASTICITY_DENSITY_LANES_INL_H_
#undef PLIANT_ELASTICITY_DENSITY_LANES_INL_H_
#else
#define PLIANT_ELASTICITY_DENSITY_LANES_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "pliant/elasticity/continued_power.h"
#include "pliant/elasticity/corotated.h"
#include "pliant/elasticity/fung.h"
#include "pliant/numerics/jacobi3-inl.h"
#include "pliant/numerics/svd3-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Invariants of F; the last two do not cancel near rest.
template <class D>
struct InvariantLanes {
  hn::Vec<D> I1, I2, J;
  hn::Vec<D> growth;  ///< I1 - 3
  hn::Vec<D> EE;      ///< E:E, E = (C - I)/2
};

/// A density and its derivatives by I1, I2 and J.
template <class D>
struct DensityLanes {
  hn::Vec<D> W, W1, W2, WJ, W11, W12, W1J, W22, W2J, WJJ;
};

template <class D>
HWY_INLINE DensityLanes<D> zero_density(D d) {
  const auto zero = hn::Zero(d);
  return {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
}

/// The Hessian in the frame of U and V; pairs in the order (0,1), (0,2), (1,2).
template <class D>
struct SpectralLanes {
  hn::Vec<D> diagonal[3], off[3];  ///< A_00, A_11, A_22; A_01, A_02, A_12
  hn::Vec<D> symmetric[3], skew[3];
};

inline constexpr int pair_first[3] = {0, 0, 1}, pair_second[3] = {1, 2, 2}, pair_third[3] = {2, 1, 0};

template <class D>
PLIANT_KERNEL_PART InvariantLanes<D> invariants_of(D d, const Mat3Lanes<D>& F, hn::Vec<D>* C) {
  // C by columns: xx, yy, zz, xy, xz, yz
  for (int i = 0; i < 3; ++i) C[i] = svd3_detail::dot3(d, F.m + 3 * i, F.m + 3 * i);
  for (int p = 0; p < 3; ++p)
    C[3 + p] = svd3_detail::dot3(d, F.m + 3 * pair_first[p], F.m + 3 * pair_second[p]);
  const auto one = hn::Set(d, 1.0);
  auto off = hn::Mul(C[3], C[3]);
  off = hn::MulAdd(C[4], C[4], off);
  off = hn::MulAdd(C[5], C[5], off);
  auto on = hn::Zero(d), growth = hn::Zero(d);
  for (int i = 0; i < 3; ++i) {
    const auto e = hn::Sub(C[i], one);
    growth = hn::Add(growth, e);
    on = hn::MulAdd(e, e, on);
  }
  InvariantLanes<D> inv;
  inv.growth = growth;
  inv.I1 = hn::Add(hn::Add(C[0], C[1]), C[2]);
  // The sum of the principal 2x2 minors of C.
  inv.I2 = hn::Sub(hn::MulAdd(C[0], C[1], hn::MulAdd(C[0], C[2], hn::Mul(C[1], C[2]))), off);
  inv.EE = hn::MulAdd(hn::Set(d, 0.5), off, hn::Mul(hn::Set(d, 0.25), on));
  return inv;
}

/// J^p continued below continued_below, for `power` = max(J, continued_below)^p and `inverse` = 1/max(J, ...).
template <class D>
struct PowerLanes {
  hn::Vec<D> value, first, second;
};
template <class D>
PLIANT_KERNEL_PART PowerLanes<D> continued_lanes(D d, double p, hn::Vec<D> power, hn::Vec<D> inverse,
                                                 hn::Vec<D> step) {
  const auto first = hn::Mul(hn::Mul(hn::Set(d, p), power), inverse);
  const auto second = hn::Mul(hn::Mul(hn::Set(d, p - 1), first), inverse);
  const auto half_second = hn::Mul(hn::Set(d, 0.5), second);
  return {hn::MulAdd(step, hn::MulAdd(step, half_second, first), power), hn::MulAdd(step, second, first),
          second};
}

// === The densities of invariants. Parameters are those that tet_elements.cpp writes for the kind.

struct StvkLanes {
  static constexpr bool of_invariants = true;
  // W of Saint Venant and Kirchhoff with W1, W2, W11; also what Fung's density is made of.
  template <class D>
  static PLIANT_KERNEL_PART DensityLanes<D> of(D d, hn::Vec<D> mu, hn::Vec<D> lambda,
                                               const InvariantLanes<D>& inv) {
    const auto half = hn::Set(d, 0.5), quarter = hn::Set(d, 0.25);
    auto w = zero_density(d);
    const auto soft = hn::Mul(quarter, lambda);
    w.W = hn::MulAdd(mu, inv.EE, hn::Mul(hn::Mul(hn::Mul(half, soft), inv.growth), inv.growth));
    w.W1 = hn::MulAdd(hn::Mul(half, mu), hn::Sub(inv.I1, hn::Set(d, 1.0)), hn::Mul(soft, inv.growth));
    w.W2 = hn::Neg(hn::Mul(half, mu));
    w.W11 = hn::MulAdd(half, mu, soft);
    return w;
  }
  template <class D>
  static PLIANT_KERNEL_PART DensityLanes<D> density(D d, const hn::Vec<D>* p, const InvariantLanes<D>& inv) {
    return of(d, p[0], p[1], inv);
  }
};

struct NeoHookeanLanes {
  static constexpr bool of_invariants = true;
  template <class D>
  static PLIANT_KERNEL_PART DensityLanes<D> density(D d, const hn::Vec<D>* p, const InvariantLanes<D>& inv) {
    const auto half = hn::Set(d, 0.5), mu = p[0], stiff = hn::Add(p[0], p[1]);
    const auto growth = hn::Sub(inv.J, hn::Set(d, 1.0));
    auto w = zero_density(d);
    w.WJ = hn::MulSub(stiff, growth, mu);
    w.W1 = hn::Mul(half, mu);
    w.WJJ = stiff;
    w.W = hn::MulAdd(w.W1, inv.growth, hn::Mul(hn::MulSub(hn::Mul(half, stiff), growth, mu), growth));
    return w;
  }
};

/// max(J, continued_below)^(-2/3), its inverse base, and how far J lies below.
template <class D>
struct IsochoricLanes {
  hn::Vec<D> power, inverse, step;
  HWY_INLINE IsochoricLanes(D d, hn::Vec<D> J) {
    const auto at = hn::Max(J, hn::Set(d, continued_below));
    inverse = hn::Div(hn::Set(d, 1.0), at);
    power = hn::Exp(d, hn::Mul(hn::Set(d, -2.0 / 3), hn::Log(d, at)));
    step = hn::Sub(J, at);
  }
};

struct MooneyRivlinLanes {
  static constexpr bool of_invariants = true;
  template <class D>
  static PLIANT_KERNEL_PART DensityLanes<D> density(D d, const hn::Vec<D>* p, const InvariantLanes<D>& inv) {
    const auto three = hn::Set(d, 3.0), half = hn::Set(d, 0.5);
    const IsochoricLanes<D> J(d, inv.J);
    const auto g1 = continued_lanes(d, -2.0 / 3, J.power, J.inverse, J.step);
    const auto g2 = continued_lanes(d, -4.0 / 3, hn::Mul(J.power, J.power), J.inverse, J.step);
    const auto a = p[0], b = p[1], kappa = p[2], growth = hn::Sub(inv.J, hn::Set(d, 1.0));
    auto w = zero_density(d);
    w.W1 = hn::Mul(a, g1.value), w.W2 = hn::Mul(b, g2.value);
    w.W1J = hn::Mul(a, g1.first), w.W2J = hn::Mul(b, g2.first);
    const auto pressure = hn::Mul(kappa, growth);
    w.WJ = hn::MulAdd(w.W1J, inv.I1, hn::MulAdd(w.W2J, inv.I2, pressure));
    w.WJJ = hn::MulAdd(hn::Mul(a, g1.second), inv.I1, hn::MulAdd(hn::Mul(b, g2.second), inv.I2, kappa));
    w.W = hn::Mul(a, hn::MulSub(g1.value, inv.I1, three));
    w.W = hn::MulAdd(b, hn::MulSub(g2.value, inv.I2, three), w.W);
    w.W = hn::MulAdd(hn::Mul(half, pressure), growth, w.W);
    return w;
  }
};

struct FungLanes {
  static constexpr bool of_invariants = true;
  template <class D>
  static PLIANT_KERNEL_PART DensityLanes<D> density(D d, const hn::Vec<D>* p, const InvariantLanes<D>& inv) {
    auto w = StvkLanes::of(d, p[0], p[1], inv);
    const auto inner = StvkLanes::of(d, p[3], p[4], inv);
    const auto one = hn::Set(d, 1.0), half = hn::Set(d, 0.5), c = p[2];
    const auto at = hn::Min(inner.W, hn::Set(d, fung_largest_exponent)), step = hn::Sub(inner.W, at);
    const auto e2 = hn::Exp(d, at);  // the second derivative of the continued exponential
    const auto e1 = hn::MulAdd(e2, step, e2);
    const auto e0 = hn::MulAdd(e2, hn::MulAdd(hn::Mul(half, step), step, step), e2);
    const auto c1 = hn::Mul(c, e1), c2 = hn::Mul(c, e2);
    w.W = hn::MulAdd(c, hn::Sub(e0, one), w.W);
    w.W1 = hn::MulAdd(c1, inner.W1, w.W1);
    w.W2 = hn::MulAdd(c1, inner.W2, w.W2);
    w.W11 = hn::Add(hn::MulAdd(c1, inner.W11, w.W11), hn::Mul(hn::Mul(c2, inner.W1), inner.W1));
    w.W12 = hn::Mul(hn::Mul(c2, inner.W1), inner.W2);
    w.W22 = hn::Mul(hn::Mul(c2, inner.W2), inner.W2);
    return w;
  }
};

struct ArrudaBoyceLanes {
  static constexpr bool of_invariants = true;
  // Parameters: kappa, then the five coefficients of the chain.
  template <class D>
  static PLIANT_KERNEL_PART DensityLanes<D> density(D d, const hn::Vec<D>* p, const InvariantLanes<D>& inv) {
    const IsochoricLanes<D> J(d, inv.J);
    const auto growth = hn::Sub(inv.J, hn::Set(d, 1.0));
    auto w = zero_density(d);
    w.WJ = hn::Mul(p[0], growth);
    w.WJJ = p[0];
    w.W = hn::Mul(hn::Mul(hn::Set(d, 0.5), w.WJ), growth);
    auto power = J.power;                                            // J^(-2i/3)
    auto lower = hn::Zero(d), low = hn::Set(d, 1.0), high = inv.I1;  // I1^(i-2), I1^(i-1), I1^i
    double three = 3;
    for (int i = 1; i <= 5; ++i) {
      const auto g = continued_lanes(d, -2.0 / 3 * i, power, J.inverse, J.step);
      const auto c = p[i], once = hn::Mul(hn::Set(d, double(i)), low);
      const auto twice = hn::Mul(hn::Set(d, double(i * (i - 1))), lower);
      const auto cg = hn::Mul(c, g.value), cg1 = hn::Mul(c, g.first);
      w.W = hn::MulAdd(c, hn::MulSub(g.value, high, hn::Set(d, three)), w.W);
      w.W1 = hn::MulAdd(cg, once, w.W1);
      w.W11 = hn::MulAdd(cg, twice, w.W11);
      w.WJ = hn::MulAdd(cg1, high, w.WJ);
      w.W1J = hn::MulAdd(cg1, once, w.W1J);
      w.WJJ = hn::MulAdd(hn::Mul(c, g.second), high, w.WJJ);
      power = hn::Mul(power, J.power);
      lower = low, low = high, high = hn::Mul(high, inv.I1);
      three *= 3;
    }
    return w;
  }
};

// === The two that are not functions of these invariants

struct CorotatedLanes {
  static constexpr bool of_invariants = false;
};
struct LinearLanes {
  static constexpr bool of_invariants = false;
};

// === Stress and Hessian from them

/// P = 2 W_1 F + 2 W_2 (I1 F - F C) + W_J cof F.
template <class D>
PLIANT_KERNEL_PART void stress_of(D d, const DensityLanes<D>& w, const Mat3Lanes<D>& F, const hn::Vec<D>* C,
                                  hn::Vec<D> I1, hn::Vec<D>* P) {
  const auto two = hn::Set(d, 2.0);
  const auto W2 = hn::Mul(two, w.W2), along = hn::MulAdd(W2, I1, hn::Mul(two, w.W1));
  const int entry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  for (int j = 0; j < 3; ++j) {
    const int a = (j + 1) % 3, b = (j + 2) % 3;
    for (int i = 0; i < 3; ++i) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
      auto FC = hn::Mul(F.m[i], C[entry[0][j]]);
      FC = hn::MulAdd(F.m[i + 3], C[entry[1][j]], FC);
      FC = hn::MulAdd(F.m[i + 6], C[entry[2][j]], FC);
      const auto cofactor =
          hn::NegMulAdd(F.m[i2 + 3 * a], F.m[i1 + 3 * b], hn::Mul(F.m[i1 + 3 * a], F.m[i2 + 3 * b]));
      P[i + 3 * j] = hn::MulAdd(along, F.m[i + 3 * j], hn::NegMulAdd(W2, FC, hn::Mul(w.WJ, cofactor)));
    }
  }
}

template <class D>
PLIANT_KERNEL_PART SpectralLanes<D> spectral_of(D d, const DensityLanes<D>& w, const hn::Vec<D>* s) {
  using V = hn::Vec<D>;
  const auto two = hn::Set(d, 2.0);
  V square[3], g1[3], g2[3], gJ[3];  // first derivatives of I1, I2, J by s
  for (int i = 0; i < 3; ++i) square[i] = hn::Mul(s[i], s[i]);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    g1[i] = hn::Mul(two, s[i]);
    g2[i] = hn::Mul(g1[i], hn::Add(square[j], square[k]));
    gJ[i] = hn::Mul(s[j], s[k]);
  }
  const auto W1 = hn::Mul(two, w.W1), W2 = hn::Mul(two, w.W2);
  // Σ W_ab (∂I_a/∂s_i)(∂I_b/∂s_j)
  const auto product = [&](int i, int j) HWY_ATTR {
    auto sum = hn::Mul(g1[i], hn::MulAdd(w.W11, g1[j], hn::MulAdd(w.W12, g2[j], hn::Mul(w.W1J, gJ[j]))));
    sum = hn::MulAdd(g2[i], hn::MulAdd(w.W12, g1[j], hn::MulAdd(w.W22, g2[j], hn::Mul(w.W2J, gJ[j]))), sum);
    return hn::MulAdd(gJ[i], hn::MulAdd(w.W1J, g1[j], hn::MulAdd(w.W2J, g2[j], hn::Mul(w.WJJ, gJ[j]))), sum);
  };
  SpectralLanes<D> out;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out.diagonal[i] = hn::Add(product(i, i), hn::MulAdd(W2, hn::Add(square[j], square[k]), W1));
  }
  for (int p = 0; p < 3; ++p) {
    const int i = pair_first[p], j = pair_second[p], k = pair_third[p];
    const auto both = hn::Mul(s[i], s[j]), tilt = hn::Mul(s[k], w.WJ);
    out.off[p] = hn::Add(product(i, j), hn::MulAdd(hn::Mul(two, W2), both, tilt));
    out.symmetric[p] = hn::Sub(hn::MulAdd(W2, hn::Sub(square[k], both), W1), tilt);
    out.skew[p] = hn::Add(hn::MulAdd(W2, hn::Add(square[k], both), W1), tilt);
  }
  return out;
}

template <class D>
PLIANT_KERNEL_PART SpectralLanes<D> corotated_spectral(D d, hn::Vec<D> mu, hn::Vec<D> lambda,
                                                       const hn::Vec<D>* s) {
  const auto two = hn::Set(d, 2.0), mu2 = hn::Mul(two, mu);
  const auto spread = hn::Sub(hn::Add(hn::Add(s[0], s[1]), s[2]), hn::Set(d, 3.0));
  const auto numerator = hn::Mul(two, hn::MulSub(lambda, spread, mu2));
  SpectralLanes<D> out;
  for (int p = 0; p < 3; ++p) {
    out.diagonal[p] = hn::Add(mu2, lambda);
    out.off[p] = lambda;
    out.symmetric[p] = mu2;
    const auto sum = hn::Max(hn::Add(s[pair_first[p]], s[pair_second[p]]), hn::Set(d, corotated_floor));
    out.skew[p] = hn::Add(mu2, hn::Div(numerator, sum));
  }
  return out;
}

template <class D>
PLIANT_KERNEL_PART SpectralLanes<D> linear_spectral(D d, hn::Vec<D> mu, hn::Vec<D> lambda) {
  SpectralLanes<D> out;
  const auto mu2 = hn::Add(mu, mu);
  for (int p = 0; p < 3; ++p) {
    out.diagonal[p] = hn::Add(mu2, lambda);
    out.off[p] = lambda;
    out.symmetric[p] = mu2;
    out.skew[p] = hn::Zero(d);
  }
  return out;
}

/// The positive part; lanes that are positive semi-definite already keep their bits.
template <class D>
PLIANT_KERNEL_PART void project(D d, SpectralLanes<D>& H) {
  const auto zero = hn::Zero(d);
  for (int p = 0; p < 3; ++p) {
    H.symmetric[p] = hn::Max(H.symmetric[p], zero);
    H.skew[p] = hn::Max(H.skew[p], zero);
  }
  // A is positive definite where its leading minors are.
  const auto minor = hn::NegMulAdd(H.off[0], H.off[0], hn::Mul(H.diagonal[0], H.diagonal[1]));
  const auto c1 = hn::NegMulAdd(H.off[2], H.off[2], hn::Mul(H.diagonal[1], H.diagonal[2]));
  const auto c2 = hn::NegMulAdd(H.off[1], H.off[2], hn::Mul(H.off[0], H.diagonal[2]));
  const auto c3 = hn::NegMulAdd(H.off[1], H.diagonal[1], hn::Mul(H.off[0], H.off[2]));
  const auto determinant = hn::MulAdd(H.off[1], c3, hn::NegMulAdd(H.off[0], c2, hn::Mul(H.diagonal[0], c1)));
  const auto positive =
      hn::And(hn::And(hn::Gt(H.diagonal[0], zero), hn::Gt(minor, zero)), hn::Gt(determinant, zero));
  if (hn::AllTrue(d, positive)) return;

  // Eigenvalues and -vectors by Jacobi rotations.
  Jacobi3Lanes<D> S;
  for (int i = 0; i < 3; ++i) {
    S.diagonal[i] = H.diagonal[i];
    S.q[i] = zero;
  }
  S.opposite[2] = H.off[0], S.opposite[1] = H.off[1], S.opposite[0] = H.off[2];
  S.q[3] = hn::Set(d, 1.0);
  for (int sweep = 0; sweep < 5; ++sweep) {
    jacobi3_rotate<0>(d, S);
    jacobi3_rotate<1>(d, S);
    jacobi3_rotate<2>(d, S);
  }
  hn::Vec<D> Q[9];
  rotation_matrix(d, S.q, Q);
  for (int i = 0; i < 3; ++i) S.diagonal[i] = hn::Max(S.diagonal[i], zero);
  const auto entry = [&](int i, int j) HWY_ATTR {
    auto sum = hn::Mul(hn::Mul(Q[i], S.diagonal[0]), Q[j]);
    sum = hn::MulAdd(hn::Mul(Q[i + 3], S.diagonal[1]), Q[j + 3], sum);
    return hn::MulAdd(hn::Mul(Q[i + 6], S.diagonal[2]), Q[j + 6], sum);
  };
  for (int i = 0; i < 3; ++i) H.diagonal[i] = hn::IfThenElse(positive, H.diagonal[i], entry(i, i));
  for (int p = 0; p < 3; ++p)
    H.off[p] = hn::IfThenElse(positive, H.off[p], entry(pair_first[p], pair_second[p]));
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#endif
