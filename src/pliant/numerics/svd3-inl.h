// The singular value decomposition and polar decomposition of 3x3 matrices, one matrix a SIMD lane: the
// kernel that svd3.cpp and polar3.cpp wrap, and that hot loops may call on matrices they already hold in
// registers. Include it after hwy/foreach_target.h, as any Highway "-inl.h" header; it is compiled once a
// target.
//
// === Method, for F with entries scaled to order 1
// 1. Of the three eigenvalues of the symmetric FᵀF, the middle one has most of the gap between the others on
//    one side: the largest or the smallest lies alone, at least half of that gap away from the other two.
//    This one is a well conditioned root of the characteristic polynomial, and its eigenvector w is found
//    from cross products without cancellation, both in closed form (the other two may be arbitrarily close,
//    where closed forms lose all digits: they are not asked for).
// 2. Deflation: V = [w a b] is any rotation that begins with w; U = [u t1 t2] any that begins with u along
//    F w where w belongs to the largest value, and along F a x F b where it belongs to the smallest (whose F w
//    may vanish): lengths bounded from below by the other values. What is left of the first row and column
//    of Uᵀ F V is of order eps σ1, and the 2x2 block M = [t1 t2]ᵀ F [a b] holds the other two singular
//    values, not squared.
// 3. The SVD of M in closed form: M is a multiple of a rotation plus a multiple of a reflection. So each σ
//    is right to a few eps σ1, and U and V are rotations to a few eps whatever F is.
#if defined(PLIANT_NUMERICS_SVD3_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIANT_NUMERICS_SVD3_INL_H_
#undef PLIANT_NUMERICS_SVD3_INL_H_
#else
#define PLIANT_NUMERICS_SVD3_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A batch of 3x3 matrices, one a lane: entry (row, column) is m[row + 3 * column].
template <class D>
struct Mat3Lanes {
  hn::Vec<D> m[9];
};

/// F = U diag(sigma) Vᵀ, U and V proper rotations, sigma[0] >= sigma[1] >= |sigma[2]|.
template <class D>
struct Svd3Lanes {
  hn::Vec<D> U[9], sigma[3], V[9];
};

namespace svd3_detail {

// Added under square roots, so that nothing is divided by zero; the square of what is far below eps.
inline constexpr double tiny = 1e-34;

template <class D, class V>
HWY_INLINE V dot3(D, const V* a, const V* b) {
  return hn::MulAdd(a[2], b[2], hn::MulAdd(a[1], b[1], hn::Mul(a[0], b[0])));
}

/// 1 / sqrt(x) for x between 1e-35 and 1e35, to about one unit in the last place: a guess of float and
/// refinements. The hardware's square root and division, one after the other, take several times as long.
template <class D>
HWY_INLINE hn::Vec<D> inverse_sqrt(D d, hn::Vec<D> x) {
  using T = hn::TFromD<D>;
  const auto one = hn::Set(d, T(1)), c1 = hn::Set(d, T(0.5)), c2 = hn::Set(d, T(0.375));
  // With e = 1 - x y², 1/sqrt(x) = y (1 + e/2 + 3/8 e² + O(e³)); y has 8 bits at least, 12 on x86.
  const auto refined = [&](hn::Vec<D> y) HWY_ATTR {
    const auto e = hn::NegMulAdd(hn::Mul(x, y), y, one);
    return hn::MulAdd(hn::Mul(y, e), hn::MulAdd(c2, e, c1), y);
  };
  if constexpr (std::is_same_v<T, float>) {
    return refined(hn::ApproximateReciprocalSqrt(x));
  } else {
    const hn::Rebind<float, D> df;
    return refined(refined(hn::PromoteTo(d, hn::ApproximateReciprocalSqrt(hn::DemoteTo(df, x)))));
  }
}

/// sqrt(x² + y²), never quite zero.
template <class D>
HWY_INLINE hn::Vec<D> length_of(D d, hn::Vec<D> x, hn::Vec<D> y) {
  const auto squared = hn::MulAdd(y, y, hn::MulAdd(x, x, hn::Set(d, hn::TFromD<D>(tiny))));
  if constexpr (std::is_same_v<hn::TFromD<D>, float>)
    return hn::Mul(squared, inverse_sqrt(d, squared));
  else
    return hn::Sqrt(squared);
}

/// A power of two near x and its inverse; x >= 0 is first brought to where both are normal numbers.
template <class D>
HWY_INLINE hn::Vec<D> power_of_two(D d, hn::Vec<D> x, hn::Vec<D>& inverse) {
  using T = hn::TFromD<D>;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const hn::RebindToUnsigned<D> du;
  constexpr int mantissa = sizeof(T) == 4 ? 23 : 52;
  constexpr Bits bias = sizeof(T) == 4 ? 127 : 1023;
  const auto smallest = hn::BitCast(d, hn::Set(du, Bits(1) << mantissa));
  const auto largest = hn::BitCast(d, hn::Set(du, (2 * bias - 1) << mantissa));
  const auto clamped = hn::BitCast(du, hn::Min(hn::Max(x, smallest), largest));
  const auto exponent = hn::And(clamped, hn::Set(du, (2 * bias + 1) << mantissa));
  inverse = hn::BitCast(d, hn::Sub(hn::Set(du, (2 * bias) << mantissa), exponent));
  return hn::BitCast(d, exponent);
}

/// What F was multiplied by, undone by multiplying with both.
template <class D>
struct Scale3Lanes {
  hn::Vec<D> power, unboost;
};

/// Multiplies F by a power of two so that its largest entry is of order 1. Denormal matrices take two
/// steps: the power alone would not be a number. An infinite or NaN entry makes every entry NaN, and so all
/// that follows.
template <class D>
PLIANT_KERNEL_PART Scale3Lanes<D> take_scale(D d, Mat3Lanes<D>& F) {
  using T = hn::TFromD<D>;
  constexpr T step = sizeof(T) == 4 ? T(1 << 24) : T(std::int64_t{1} << 53);
  constexpr T near_denormal = sizeof(T) == 4 ? T(1e-30) : T(1e-290);
  auto largest = hn::Abs(F.m[0]);
  for (int i = 1; i < 9; ++i) largest = hn::Max(largest, hn::Abs(F.m[i]));
  const auto boosted = hn::Lt(largest, hn::Set(d, near_denormal));
  const auto boost = hn::IfThenElse(boosted, hn::Set(d, step), hn::Set(d, T(1)));
  hn::Vec<D> inverse;
  const auto power = power_of_two(d, hn::Mul(largest, boost), inverse);
  auto poison = hn::Zero(d);  // 0 * x is NaN where x is not finite
  for (int i = 0; i < 9; ++i) poison = hn::MulAdd(hn::Zero(d), F.m[i], poison);
  for (int i = 0; i < 9; ++i) F.m[i] = hn::MulAdd(hn::Mul(F.m[i], boost), inverse, poison);
  return {power, hn::IfThenElse(boosted, hn::Set(d, T(1) / step), hn::Set(d, T(1)))};
}

/// F v for one vector a lane.
template <class D>
HWY_INLINE void apply(D, const Mat3Lanes<D>& F, const hn::Vec<D>* v, hn::Vec<D>* out) {
  for (int i = 0; i < 3; ++i)
    out[i] = hn::MulAdd(F.m[i + 6], v[2], hn::MulAdd(F.m[i + 3], v[1], hn::Mul(F.m[i], v[0])));
}

/// cos and sin of half the angle of the vector (x, y) with this length_of; the sign of the pair is free.
template <class D>
PLIANT_KERNEL_PART void half_angle(D d, hn::Vec<D> x, hn::Vec<D> y, hn::Vec<D> length, hn::Vec<D>& c,
                                   hn::Vec<D>& s) {
  // tan(a/2) = y / (length + x) = (length - x) / y: whichever does not cancel.
  const auto sum = hn::Add(length, hn::Abs(x));
  const auto left = hn::Lt(x, hn::Zero(d));
  const auto inverse = inverse_sqrt(d, hn::MulAdd(sum, sum, hn::Mul(y, y)));
  const auto large = hn::Mul(sum, inverse), small = hn::Mul(y, inverse);
  c = hn::IfThenElse(left, small, large);
  s = hn::IfThenElse(left, large, small);
}

/// What the steps below hand on, for one vector of matrices.
template <class D>
struct Steps3Lanes {
  using Vector = hn::Vec<D>;
  Mat3Lanes<D> F;          ///< of order 1
  Scale3Lanes<D> scale;    ///< what F was multiplied by
  Vector A[6];             ///< FᵀF less the mean of its eigenvalues, of order 1: 00 11 22 12 20 01
  Vector lambda;           ///< the eigenvalue of A that lies alone
  hn::Mask<D> is_largest;  ///< lambda, of the three
  Vector w[3], a[3], b[3], u[3], t1[3], t2[3];  ///< [w a b] and [u t1 t2] are rotations
  Vector sigma_w, M[4];                         ///< uᵀ F w, [t1 t2]ᵀ F [a b] column by column
};

template <class D>
PLIANT_KERNEL_PART void normal_matrix(D d, Steps3Lanes<D>& x) {
  using T = hn::TFromD<D>;
  x.scale = take_scale(d, x.F);
  const auto* F = x.F.m;
  for (int k = 0; k < 3; ++k) {
    x.A[k] = dot3(d, F + 3 * k, F + 3 * k);
    x.A[k + 3] = dot3(d, F + 3 * ((k + 1) % 3), F + 3 * ((k + 2) % 3));
  }
  const auto mean = hn::Mul(hn::Set(d, T(1) / T(3)), hn::Add(x.A[0], hn::Add(x.A[1], x.A[2])));
  for (int k = 0; k < 3; ++k) x.A[k] = hn::Sub(x.A[k], mean);
  auto largest = hn::Abs(x.A[0]);
  for (int k = 1; k < 6; ++k) largest = hn::Max(largest, hn::Abs(x.A[k]));
  hn::Vec<D> shrink;
  power_of_two(d, largest, shrink);
  for (auto& entry : x.A) entry = hn::Mul(entry, shrink);
}

/// c0 + c1 r + c2 r² + c3 r³ + c4 r⁴, in few steps one after another.
template <class D>
HWY_INLINE hn::Vec<D> quartic(D d, const hn::TFromD<D> (&c)[5], hn::Vec<D> r, hn::Vec<D> rr) {
  const auto low = hn::MulAdd(hn::Set(d, c[1]), r, hn::Set(d, c[0]));
  const auto high = hn::MulAdd(hn::Set(d, c[4]), rr, hn::MulAdd(hn::Set(d, c[3]), r, hn::Set(d, c[2])));
  return hn::MulAdd(high, rr, low);
}

/// The lone root of λ³ - 3 s² λ - det A, s² = |A|²/6: λ = ± s x with x³ - 3 x = 2 r and 0 <= r <= 1, thus
/// x = 2 cos(acos(r)/3) between √3 and 2.
template <class D>
PLIANT_KERNEL_PART void lone_eigenvalue(D d, Steps3Lanes<D>& steps) {
  using T = hn::TFromD<D>;
  const auto* A = steps.A;
  const auto square = hn::MulAdd(hn::Set(d, T(2)), dot3(d, A + 3, A + 3), dot3(d, A, A));
  const auto s2 = hn::MulAdd(hn::Set(d, T(1) / T(6)), square, hn::Set(d, T(tiny)));
  const auto inverse = inverse_sqrt(d, s2);
  const auto minor0 = hn::NegMulAdd(A[3], A[3], hn::Mul(A[1], A[2]));
  const auto minor1 = hn::NegMulAdd(A[5], A[2], hn::Mul(A[3], A[4]));
  const auto minor2 = hn::NegMulAdd(A[4], A[1], hn::Mul(A[5], A[3]));
  const auto determinant = hn::MulAdd(A[4], minor2, hn::MulAdd(A[5], minor1, hn::Mul(A[0], minor0)));
  steps.is_largest = hn::Ge(determinant, hn::Zero(d));
  const auto twice = hn::Mul(hn::Mul(hn::Mul(hn::Abs(determinant), inverse), inverse), inverse);

  // Chebyshev's polynomial, to 1e-5 or 3e-9, and one step of Newton's method.
  const auto r = hn::Mul(hn::Set(d, T(0.5)), twice), rr = hn::Mul(r, r);
  hn::Vec<D> x;
  if constexpr (sizeof(T) == 4) {
    x = quartic(d, {T(1.73205971), T(0.332858037), T(-0.0920105227), T(0.0352847298), T(-0.00819881091)}, r,
                rr);
  } else {
    const auto high = quartic(
        d, {T(-0.0302495263), T(0.0188401491), T(-0.00994513631), T(0.00358192109), T(-0.00061864037)}, r,
        rr);
    const auto low =
        quartic(d, {T(1.73205081), T(0.333332799), T(-0.0962100435), T(0.0492176639), T(0)}, r, rr);
    x = hn::MulAdd(high, hn::Mul(rr, rr), low);
  }
  const auto three = hn::Set(d, T(3)), xx = hn::Mul(x, x);
  const auto value = hn::MulSub(x, hn::Sub(xx, three), twice), slope = hn::MulSub(three, xx, three);
  x = hn::Sub(x, hn::Div(value, slope));
  const auto size = hn::Mul(x, hn::Mul(s2, inverse));
  steps.lambda = hn::IfThenElse(steps.is_largest, size, hn::Neg(size));
}

/// All columns of the adjugate of A - λ are multiples of w: the one with the largest diagonal entry.
template <class D>
PLIANT_KERNEL_PART void lone_eigenvector(D d, Steps3Lanes<D>& steps) {
  using T = hn::TFromD<D>;
  using Vector = hn::Vec<D>;
  const auto* A = steps.A;
  const auto one = hn::Set(d, T(1));
  const Vector B[3] = {hn::Sub(A[0], steps.lambda), hn::Sub(A[1], steps.lambda), hn::Sub(A[2], steps.lambda)};
  Vector c[6];
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    c[k] = hn::NegMulAdd(A[k + 3], A[k + 3], hn::Mul(B[i], B[j]));
    c[k + 3] = hn::NegMulAdd(A[k + 3], B[k], hn::Mul(A[i + 3], A[j + 3]));
  }
  const auto second = hn::Lt(c[0], c[1]), third = hn::Lt(hn::Max(c[0], c[1]), c[2]);
  const Vector column[3] = {hn::IfThenElse(third, c[4], hn::IfThenElse(second, c[5], c[0])),
                            hn::IfThenElse(third, c[3], hn::IfThenElse(second, c[1], c[5])),
                            hn::IfThenElse(third, c[2], hn::IfThenElse(second, c[3], c[4]))};
  // Where A vanishes every vector is an eigenvector: take x.
  const auto squared = dot3(d, column, column);
  const auto vanishes = hn::Le(squared, hn::Set(d, T(tiny)));
  const auto inverse = inverse_sqrt(d, hn::IfThenElse(vanishes, one, squared));
  for (int i = 0; i < 3; ++i) steps.w[i] = hn::Mul(column[i], inverse);
  steps.w[0] = hn::IfThenElse(vanishes, one, steps.w[0]);
}

/// t1 and t2 that complete the unit vector u to a rotation [u t1 t2], without a branch [Duff et al. 2017].
template <class D>
PLIANT_KERNEL_PART void complete(D d, const hn::Vec<D>* u, hn::Vec<D>* t1, hn::Vec<D>* t2) {
  const auto one = hn::Set(d, hn::TFromD<D>(1));
  const auto sign = hn::And(u[2], hn::SignBit(d));
  const auto signed_one = hn::Or(one, sign);
  const auto a = hn::Neg(hn::Div(one, hn::Add(signed_one, u[2])));
  const auto b = hn::Mul(hn::Mul(u[0], u[1]), a);
  t1[0] = hn::MulAdd(hn::Xor(hn::Mul(u[0], u[0]), sign), a, one);
  t1[1] = hn::Xor(b, sign);
  t1[2] = hn::Neg(hn::Xor(u[0], sign));
  t2[0] = b;
  t2[1] = hn::MulAdd(hn::Mul(u[1], u[1]), a, signed_one);
  t2[2] = hn::Neg(u[1]);
}

/// u along F w or F a x F b (for F = 0 along x), and what is left of F beside u and w.
template <class D>
PLIANT_KERNEL_PART void deflate(D d, Steps3Lanes<D>& x) {
  using T = hn::TFromD<D>;
  using Vector = hn::Vec<D>;
  const auto one = hn::Set(d, T(1));
  Vector Fw[3], Fa[3], Fb[3];
  complete(d, x.w, x.a, x.b);
  apply(d, x.F, x.w, Fw);
  apply(d, x.F, x.a, Fa);
  apply(d, x.F, x.b, Fb);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    x.u[i] = hn::IfThenElse(x.is_largest, Fw[i], hn::NegMulAdd(Fa[k], Fb[j], hn::Mul(Fa[j], Fb[k])));
  }
  const auto squared = dot3(d, x.u, x.u);
  const auto vanishes = hn::Le(squared, hn::Set(d, T(tiny)));
  const auto inverse = inverse_sqrt(d, hn::IfThenElse(vanishes, one, squared));
  for (int i = 0; i < 3; ++i) x.u[i] = hn::Mul(x.u[i], inverse);
  x.u[0] = hn::IfThenElse(vanishes, one, x.u[0]);
  x.sigma_w = dot3(d, x.u, Fw);
  complete(d, x.u, x.t1, x.t2);
  x.M[0] = dot3(d, x.t1, Fa), x.M[1] = dot3(d, x.t2, Fa);
  x.M[2] = dot3(d, x.t1, Fb), x.M[3] = dot3(d, x.t2, Fb);
}

/// M = Q rotation(β) + R reflection(α): singular values Q + R and Q - R, angles half the sum and difference.
template <class D>
PLIANT_KERNEL_PART void finish(D d, const Steps3Lanes<D>& x, Svd3Lanes<D>& out) {
  using Vector = hn::Vec<D>;
  const auto* M = x.M;
  const auto largest = hn::Max(hn::Max(hn::Abs(M[0]), hn::Abs(M[1])), hn::Max(hn::Abs(M[2]), hn::Abs(M[3])));
  Vector shrink;
  const auto size = power_of_two(d, largest, shrink);
  const auto half = hn::Mul(hn::Set(d, hn::TFromD<D>(0.5)), shrink);
  const auto e = hn::Mul(half, hn::Add(M[0], M[3])), h = hn::Mul(half, hn::Sub(M[1], M[2]));
  const auto f = hn::Mul(half, hn::Sub(M[0], M[3])), g = hn::Mul(half, hn::Add(M[1], M[2]));
  const auto Q = length_of(d, e, h), R = length_of(d, f, g);
  Vector cb, sb, ca, sa;
  half_angle(d, e, h, Q, cb, sb);
  half_angle(d, f, g, R, ca, sa);
  const auto cu = hn::NegMulAdd(sa, sb, hn::Mul(ca, cb)), su = hn::MulAdd(sa, cb, hn::Mul(ca, sb));
  const auto cv = hn::MulAdd(sa, sb, hn::Mul(ca, cb)), sv = hn::NegMulAdd(ca, sb, hn::Mul(sa, cb));

  // === w and u are the first or the last of three: [w a b] and [a b w] are both rotations
  for (int i = 0; i < 3; ++i) {
    const auto u1 = hn::MulAdd(su, x.t2[i], hn::Mul(cu, x.t1[i]));
    const auto u2 = hn::NegMulAdd(su, x.t1[i], hn::Mul(cu, x.t2[i]));
    const auto v1 = hn::MulAdd(sv, x.b[i], hn::Mul(cv, x.a[i]));
    const auto v2 = hn::NegMulAdd(sv, x.a[i], hn::Mul(cv, x.b[i]));
    out.U[i] = hn::IfThenElse(x.is_largest, x.u[i], u1);
    out.U[i + 3] = hn::IfThenElse(x.is_largest, u1, u2);
    out.U[i + 6] = hn::IfThenElse(x.is_largest, u2, x.u[i]);
    out.V[i] = hn::IfThenElse(x.is_largest, x.w[i], v1);
    out.V[i + 3] = hn::IfThenElse(x.is_largest, v1, v2);
    out.V[i + 6] = hn::IfThenElse(x.is_largest, v2, x.w[i]);
  }
  const auto sum = hn::Mul(size, hn::Add(Q, R)), difference = hn::Mul(size, hn::Sub(Q, R));
  const auto sigma1 = hn::IfThenElse(x.is_largest, x.sigma_w, sum);
  const auto sigma2 = hn::IfThenElse(x.is_largest, sum, difference);
  const auto sigma3 = hn::IfThenElse(x.is_largest, difference, x.sigma_w);
  // Where values are equal to rounding, keep them in order.
  const auto first = hn::Max(sigma1, sigma2), middle = hn::Min(sigma1, sigma2);
  const auto last = hn::Max(hn::Neg(middle), hn::Min(middle, sigma3));
  out.sigma[0] = hn::Mul(hn::Mul(first, x.scale.power), x.scale.unboost);
  out.sigma[1] = hn::Mul(hn::Mul(middle, x.scale.power), x.scale.unboost);
  out.sigma[2] = hn::Mul(hn::Mul(last, x.scale.power), x.scale.unboost);
}

}  // namespace svd3_detail

/// Decomposes `blocks` vectors of matrices at once. The steps are long chains of dependent operations; four
/// blocks side by side, step by step, fill each other's waits.
template <int blocks, class D>
PLIANT_KERNEL_PART void svd3_lanes(D d, const Mat3Lanes<D> (&F)[blocks], Svd3Lanes<D> (&out)[blocks]) {
  svd3_detail::Steps3Lanes<D> steps[blocks];
  for (int k = 0; k < blocks; ++k) steps[k].F = F[k];
  for (auto& x : steps) svd3_detail::normal_matrix(d, x);
  for (auto& x : steps) svd3_detail::lone_eigenvalue(d, x);
  for (auto& x : steps) svd3_detail::lone_eigenvector(d, x);
  for (auto& x : steps) svd3_detail::deflate(d, x);
  for (int k = 0; k < blocks; ++k) svd3_detail::finish(d, steps[k], out[k]);
}

/// R = U Vᵀ, the proper rotation nearest to F.
template <class D>
HWY_INLINE Mat3Lanes<D> rotation_of(D, const Svd3Lanes<D>& svd) {
  Mat3Lanes<D> R;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      R.m[i + 3 * j] = hn::MulAdd(svd.U[i + 6], svd.V[j + 6],
                                  hn::MulAdd(svd.U[i + 3], svd.V[j + 3], hn::Mul(svd.U[i], svd.V[j])));
  return R;
}

/// S = V diag(sigma) Vᵀ, symmetric to the bit, so that F = R S.
template <class D>
HWY_INLINE Mat3Lanes<D> stretch_of(D, const Svd3Lanes<D>& svd) {
  Mat3Lanes<D> S;
  for (int j = 0; j < 3; ++j) {
    const auto w0 = hn::Mul(svd.sigma[0], svd.V[j]), w1 = hn::Mul(svd.sigma[1], svd.V[j + 3]),
               w2 = hn::Mul(svd.sigma[2], svd.V[j + 6]);
    for (int i = 0; i <= j; ++i)
      S.m[i + 3 * j] = S.m[j + 3 * i] =
          hn::MulAdd(w2, svd.V[i + 6], hn::MulAdd(w1, svd.V[i + 3], hn::Mul(w0, svd.V[i])));
  }
  return S;
}

/// Rows of numbers, entry i of row r at data[r * stride + i]: what a batch is written to.
template <class T>
struct Rows {
  T* data;
  std::ptrdiff_t stride;
  int count;
};

/// Decomposes `count` matrices, entry (row, column) of matrix i at F[(row + 3 * column) * stride + i], and
/// hands them on: write(svd, outputs, offset) stores one vector of them at `offset` of each output's rows.
/// The last, partial vectors go through a padded buffer and the same instructions, so a matrix gets the
/// same bits wherever it stands in whichever batch.
template <int outputs, class D, class Write>
HWY_INLINE void svd3_batch(D d, std::ptrdiff_t count, const hn::TFromD<D>* F, std::ptrdiff_t stride,
                           const Rows<hn::TFromD<D>> (&results)[outputs], Write&& write) {
  using T = hn::TFromD<D>;
  constexpr int blocks = 4;
  constexpr std::ptrdiff_t widest = blocks * static_cast<std::ptrdiff_t>(hn::MaxLanes(D()));
  const std::ptrdiff_t lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d)), width = blocks * lanes;
  HWY_ALIGN T padded_in[9 * widest];
  HWY_ALIGN T padded_out[outputs][9 * widest];
  for (std::ptrdiff_t first = 0; first < count; first += width) {
    const std::ptrdiff_t used = count - first < width ? count - first : width;
    const T* in = F + first;
    std::ptrdiff_t in_stride = stride;
    Rows<T> targets[outputs];
    for (int k = 0; k < outputs; ++k)
      targets[k] = {results[k].data + first, results[k].stride, results[k].count};
    if (used < width) {
      for (int r = 0; r < 9; ++r)
        for (std::ptrdiff_t i = 0; i < width; ++i)
          padded_in[r * width + i] = i < used ? in[r * stride + i] : T(0);
      in = padded_in;
      in_stride = width;
      for (int k = 0; k < outputs; ++k) targets[k] = {padded_out[k], width, results[k].count};
    }
    Mat3Lanes<D> block[blocks];
    Svd3Lanes<D> svd[blocks];
    for (int k = 0; k < blocks; ++k)
      for (int r = 0; r < 9; ++r) block[k].m[r] = hn::LoadU(d, in + r * in_stride + k * lanes);
    svd3_lanes(d, block, svd);
    for (int k = 0; k < blocks; ++k) write(svd[k], targets, k * lanes);
    if (used < width)
      for (int k = 0; k < outputs; ++k)
        for (int r = 0; r < results[k].count; ++r)
          for (std::ptrdiff_t i = 0; i < used; ++i)
            results[k].data[r * results[k].stride + first + i] = padded_out[k][r * width + i];
  }
}

template <class D>
HWY_INLINE void store_rows(D d, const hn::Vec<D>* values, const Rows<hn::TFromD<D>>& rows,
                           std::ptrdiff_t offset) {
  for (int r = 0; r < rows.count; ++r) hn::StoreU(values[r], d, rows.data + r * rows.stride + offset);
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#endif
