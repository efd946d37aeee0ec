// The singular value decomposition and polar decomposition of 3x3 matrices, one matrix a SIMD lane: the
// kernel that svd3.cpp and polar3.cpp wrap, and that hot loops may call on matrices they already hold in
// registers. Include it after hwy/foreach_target.h, as any Highway "-inl.h" header; it is compiled once a
// target.
//
// === Method, for F with entries scaled to order 1
// 1. Cyclic Jacobi on the symmetric FᵀF, as [McAdams et al. 2011] do, a fixed number of sweeps without a
//    branch. Squaring costs half the digits of the small singular values; so of all that is found here,
//    only the eigenvector v1 of the largest eigenvalue is trusted: with F v1 = σ1 u1, the rest of the first
//    row and column of Uᵀ F V is of order eps σ1.
// 2. Deflation: V = [v1 v2 v3] is any rotation that begins with v1, U = [u1 t1 t2] any that begins with u1,
//    and the 2x2 block M = [t1 t2]ᵀ F [v2 v3] holds the other two singular values, not squared.
// 3. The SVD of M in closed form: M is a multiple of a rotation plus a multiple of a reflection. So each σ
//    is right to a few eps σ1, and U and V are rotations to a few eps whatever F is: all steps only divide
//    by lengths that are bounded from below.
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

// Jacobi rotations: three sweeps of three and one more in float, four sweeps in double. Convergence is
// quadratic, so it is sudden: with one rotation less tests/numerics/svd3_test.cpp fails, with one more
// nothing improves.
template <class T>
inline constexpr int rotations = std::is_same_v<T, float> ? 10 : 12;

// Added under square roots, so that nothing is divided by zero; below eps^2 of what it is added to.
template <class T>
inline constexpr T tiny = std::is_same_v<T, float> ? T(1e-36) : T(1e-300);

template <class D, class V>
HWY_INLINE V dot3(D, const V* a, const V* b) {
  return hn::MulAdd(a[2], b[2], hn::MulAdd(a[1], b[1], hn::Mul(a[0], b[0])));
}

/// 1 / sqrt(x) for normal x > 0, to about one unit in the last place. In float a guess and one refinement:
/// the hardware's square root and division, one after the other, would take most of the time of a rotation.
template <class D>
HWY_INLINE hn::Vec<D> inverse_sqrt(D d, hn::Vec<D> x) {
  using T = hn::TFromD<D>;
  const auto one = hn::Set(d, T(1));
  if constexpr (std::is_same_v<T, float>) {
    // With e = 1 - x y², 1/sqrt(x) = y (1 + e/2 + 3/8 e² + O(e³)); y has 8 bits at least, 12 on x86.
    const auto y = hn::ApproximateReciprocalSqrt(x);
    const auto e = hn::NegMulAdd(hn::Mul(x, y), y, one);
    return hn::MulAdd(hn::Mul(y, e), hn::MulAdd(hn::Set(d, T(0.375)), e, hn::Set(d, T(0.5))), y);
  } else {
    return hn::Div(one, hn::Sqrt(x));
  }
}

/// sqrt(x² + y²), never quite zero.
template <class D>
HWY_INLINE hn::Vec<D> length_of(D d, hn::Vec<D> x, hn::Vec<D> y) {
  const auto squared = hn::MulAdd(y, y, hn::MulAdd(x, x, hn::Set(d, tiny<hn::TFromD<D>>)));
  if constexpr (std::is_same_v<hn::TFromD<D>, float>)
    return hn::Mul(squared, inverse_sqrt(d, squared));
  else
    return hn::Sqrt(squared);
}

/// FᵀF on its way to diagonal: the diagonal, the entries opposite to each index, and the rotations so far
/// as a quaternion (x, y, z, w) that is not normalised: four numbers to turn instead of nine.
template <class D>
struct Jacobi3Lanes {
  hn::Vec<D> diagonal[3], opposite[3], q[4];
};

/// One Jacobi rotation of columns p and q = p + 1 (cyclically) that zeroes the entry (p, q), by an angle of
/// at most 45 degrees (which is what makes the cyclic order converge [Forsythe and Henrici 1960]).
template <int p, class D>
HWY_INLINE void rotate(D d, Jacobi3Lanes<D>& S) {
  using T = hn::TFromD<D>;
  constexpr int q = (p + 1) % 3, r = (p + 2) % 3;
  const auto half = hn::Set(d, T(0.5));
  const auto difference = hn::Sub(S.diagonal[q], S.diagonal[p]);
  const auto doubled = hn::Add(S.opposite[r], S.opposite[r]);
  // tan 2θ = doubled / difference; (adjacent, doubled) is a vector at the angle θ.
  const auto length = length_of(d, difference, doubled);
  const auto adjacent = hn::Add(hn::Abs(difference), length);
  const auto scale = inverse_sqrt(d, hn::MulAdd(adjacent, adjacent, hn::Mul(doubled, doubled)));
  const auto sign = hn::And(difference, hn::SignBit(d));
  const auto c = hn::Mul(adjacent, scale);
  const auto s = hn::Xor(hn::Mul(doubled, scale), sign);

  const auto mean = hn::Mul(half, hn::Add(S.diagonal[p], S.diagonal[q]));
  const auto spread = hn::Xor(hn::Mul(half, length), sign);
  S.diagonal[p] = hn::Sub(mean, spread);
  S.diagonal[q] = hn::Add(mean, spread);
  const auto rp = S.opposite[q], rq = S.opposite[p];
  S.opposite[q] = hn::NegMulAdd(s, rq, hn::Mul(c, rp));
  S.opposite[p] = hn::MulAdd(s, rp, hn::Mul(c, rq));
  S.opposite[r] = hn::Zero(d);

  // A turn by -θ about axis r is the quaternion cos(θ/2) - sin(θ/2) r, a multiple of (1 + c) - s r.
  const auto ch = hn::MulAdd(half, c, half), sh = hn::Mul(half, s);
  const auto qp = S.q[p], qq = S.q[q], qr = S.q[r], qw = S.q[3];
  S.q[p] = hn::NegMulAdd(sh, qq, hn::Mul(ch, qp));
  S.q[q] = hn::MulAdd(sh, qp, hn::Mul(ch, qq));
  S.q[r] = hn::NegMulAdd(sh, qw, hn::Mul(ch, qr));
  S.q[3] = hn::MulAdd(sh, qr, hn::Mul(ch, qw));
}

template <class D>
HWY_INLINE Jacobi3Lanes<D> normal_matrix(D d, const Mat3Lanes<D>& F) {
  Jacobi3Lanes<D> S;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    S.diagonal[k] = dot3(d, F.m + 3 * k, F.m + 3 * k);
    S.opposite[k] = dot3(d, F.m + 3 * i, F.m + 3 * j);
    S.q[k] = hn::Zero(d);
  }
  S.q[3] = hn::Set(d, hn::TFromD<D>(1));
  return S;
}

/// The rotation matrix of a quaternion of any length.
template <class D>
HWY_INLINE void rotation_matrix(D d, const hn::Vec<D>* q, hn::Vec<D>* V) {
  using T = hn::TFromD<D>;
  const auto squared = hn::MulAdd(q[3], q[3], dot3(d, q, q));
  const auto twice = hn::Div(hn::Set(d, T(2)), squared);
  const auto x = hn::Mul(twice, q[0]), y = hn::Mul(twice, q[1]), z = hn::Mul(twice, q[2]);
  const auto xx = hn::Mul(x, q[0]), yy = hn::Mul(y, q[1]), zz = hn::Mul(z, q[2]);
  const auto wx = hn::Mul(x, q[3]), wy = hn::Mul(y, q[3]), wz = hn::Mul(z, q[3]);
  const auto one = hn::Set(d, T(1));
  V[0] = hn::Sub(one, hn::Add(yy, zz)), V[4] = hn::Sub(one, hn::Add(zz, xx)),
  V[8] = hn::Sub(one, hn::Add(xx, yy));
  V[1] = hn::MulAdd(x, q[1], wz), V[3] = hn::MulSub(x, q[1], wz);
  V[2] = hn::MulSub(x, q[2], wy), V[6] = hn::MulAdd(x, q[2], wy);
  V[5] = hn::MulAdd(y, q[2], wx), V[7] = hn::MulSub(y, q[2], wx);
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
HWY_INLINE Scale3Lanes<D> take_scale(D d, Mat3Lanes<D>& F) {
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
HWY_INLINE void half_angle(D d, hn::Vec<D> x, hn::Vec<D> y, hn::Vec<D> length, hn::Vec<D>& c, hn::Vec<D>& s) {
  // tan(a/2) = y / (length + x) = (length - x) / y: whichever does not cancel.
  const auto sum = hn::Add(length, hn::Abs(x));
  const auto left = hn::Lt(x, hn::Zero(d));
  const auto inverse = inverse_sqrt(d, hn::MulAdd(sum, sum, hn::Mul(y, y)));
  const auto large = hn::Mul(sum, inverse), small = hn::Mul(y, inverse);
  c = hn::IfThenElse(left, small, large);
  s = hn::IfThenElse(left, large, small);
}

/// Steps 2 and 3: from F and the eigenvectors of FᵀF to the decomposition of F.
template <class D>
HWY_INLINE void deflate(D d, const Mat3Lanes<D>& F, const Jacobi3Lanes<D>& S, Svd3Lanes<D>& out) {
  using T = hn::TFromD<D>;
  using Vector = hn::Vec<D>;
  const auto one = hn::Set(d, T(1));

  // === v1: the eigenvector of the largest eigenvalue; v2, v3 complete it to a rotation
  Vector* v1 = out.V;
  Vector eigenvectors[9], v2[3], v3[3];
  rotation_matrix(d, S.q, eigenvectors);
  const auto swap1 = hn::Lt(S.diagonal[0], S.diagonal[1]);
  const auto larger = hn::Max(S.diagonal[0], S.diagonal[1]);
  const auto swap2 = hn::Lt(larger, S.diagonal[2]);
  for (int i = 0; i < 3; ++i) {
    const auto first = eigenvectors[i], second = eigenvectors[i + 3], third = eigenvectors[i + 6];
    v1[i] = hn::IfThenElse(swap2, third, hn::IfThenElse(swap1, second, first));
    v2[i] = hn::IfThenElse(swap1, first, second);
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    v3[i] = hn::NegMulAdd(v1[k], v2[j], hn::Mul(v1[j], v2[k]));
  }

  // === u1 along F v1; for F = 0 along x
  Vector* u1 = out.U;
  Vector b1[3];
  apply(d, F, v1, b1);
  const auto squared = dot3(d, b1, b1);
  const auto vanishes = hn::Le(squared, hn::Set(d, tiny<T>));
  const auto inverse = inverse_sqrt(d, hn::IfThenElse(vanishes, one, squared));
  const auto sigma1 = hn::Mul(squared, inverse);
  for (int i = 0; i < 3; ++i) u1[i] = hn::Mul(b1[i], inverse);
  u1[0] = hn::IfThenElse(vanishes, one, u1[0]);

  // === t1, t2 complete it to a rotation, without a branch [Duff et al. 2017]
  const auto sign = hn::And(u1[2], hn::SignBit(d));
  const auto signed_one = hn::Or(one, sign);
  const auto a = hn::Neg(hn::Div(one, hn::Add(signed_one, u1[2])));
  const auto b = hn::Mul(hn::Mul(u1[0], u1[1]), a);
  const Vector t1[3] = {hn::MulAdd(hn::Xor(hn::Mul(u1[0], u1[0]), sign), a, one), hn::Xor(b, sign),
                        hn::Neg(hn::Xor(u1[0], sign))};
  const Vector t2[3] = {b, hn::MulAdd(hn::Mul(u1[1], u1[1]), a, signed_one), hn::Neg(u1[1])};

  // === M = [t1 t2]ᵀ F [v2 v3], scaled to order 1
  Vector b2[3], b3[3];
  apply(d, F, v2, b2);
  apply(d, F, v3, b3);
  auto m11 = dot3(d, t1, b2), m12 = dot3(d, t1, b3), m21 = dot3(d, t2, b2), m22 = dot3(d, t2, b3);
  const auto largest = hn::Max(hn::Max(hn::Abs(m11), hn::Abs(m12)), hn::Max(hn::Abs(m21), hn::Abs(m22)));
  Vector shrink;
  const auto size = power_of_two(d, largest, shrink);
  m11 = hn::Mul(m11, shrink), m12 = hn::Mul(m12, shrink);
  m21 = hn::Mul(m21, shrink), m22 = hn::Mul(m22, shrink);

  // === M = Q rotation(β) + R reflection(α): singular values Q + R and Q - R, angles half the sum and
  // difference
  const auto half = hn::Set(d, T(0.5));
  const auto e = hn::Mul(half, hn::Add(m11, m22)), h = hn::Mul(half, hn::Sub(m21, m12));
  const auto f = hn::Mul(half, hn::Sub(m11, m22)), g = hn::Mul(half, hn::Add(m21, m12));
  const auto Q = length_of(d, e, h), R = length_of(d, f, g);
  Vector cb, sb, ca, sa;
  half_angle(d, e, h, Q, cb, sb);
  half_angle(d, f, g, R, ca, sa);
  const auto cu = hn::NegMulAdd(sa, sb, hn::Mul(ca, cb)), su = hn::MulAdd(sa, cb, hn::Mul(ca, sb));
  const auto cv = hn::MulAdd(sa, sb, hn::Mul(ca, cb)), sv = hn::NegMulAdd(ca, sb, hn::Mul(sa, cb));
  for (int i = 0; i < 3; ++i) {
    out.U[i + 3] = hn::MulAdd(su, t2[i], hn::Mul(cu, t1[i]));
    out.U[i + 6] = hn::NegMulAdd(su, t1[i], hn::Mul(cu, t2[i]));
    out.V[i + 3] = hn::MulAdd(sv, v3[i], hn::Mul(cv, v2[i]));
    out.V[i + 6] = hn::NegMulAdd(sv, v2[i], hn::Mul(cv, v3[i]));
  }
  // Where values are equal to rounding, keep them in order.
  const auto sigma2 = hn::Mul(size, hn::Add(Q, R)), sigma3 = hn::Mul(size, hn::Sub(Q, R));
  out.sigma[0] = hn::Max(sigma1, sigma2);
  out.sigma[1] = hn::Min(sigma1, sigma2);
  out.sigma[2] = hn::Max(hn::Neg(out.sigma[1]), hn::Min(out.sigma[1], sigma3));
}

}  // namespace svd3_detail

/// Decomposes `blocks` vectors of matrices at once. A rotation is a long chain of dependent operations; two
/// blocks side by side fill each other's waits.
template <int blocks, class D>
HWY_INLINE void svd3_lanes(D d, Mat3Lanes<D> (&F)[blocks], Svd3Lanes<D> (&out)[blocks]) {
  using T = hn::TFromD<D>;
  svd3_detail::Scale3Lanes<D> scale[blocks];
  svd3_detail::Jacobi3Lanes<D> S[blocks];
  for (int k = 0; k < blocks; ++k) {
    scale[k] = svd3_detail::take_scale(d, F[k]);
    S[k] = svd3_detail::normal_matrix(d, F[k]);
  }
  for (int n = 0; n + 2 < svd3_detail::rotations<T>; n += 3) {
    for (int k = 0; k < blocks; ++k) svd3_detail::rotate<0>(d, S[k]);
    for (int k = 0; k < blocks; ++k) svd3_detail::rotate<1>(d, S[k]);
    for (int k = 0; k < blocks; ++k) svd3_detail::rotate<2>(d, S[k]);
  }
  if constexpr (svd3_detail::rotations<T> % 3 > 0)
    for (int k = 0; k < blocks; ++k) svd3_detail::rotate<0>(d, S[k]);
  if constexpr (svd3_detail::rotations<T> % 3 > 1)
    for (int k = 0; k < blocks; ++k) svd3_detail::rotate<1>(d, S[k]);
  for (int k = 0; k < blocks; ++k) {
    svd3_detail::deflate(d, F[k], S[k], out[k]);
    for (auto& sigma : out[k].sigma) sigma = hn::Mul(hn::Mul(sigma, scale[k].power), scale[k].unboost);
  }
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
  constexpr int blocks = 2;
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
