// Eigenvalues and eigenvectors of symmetric 3x3 matrices by cyclic Jacobi rotations, one matrix a SIMD
// lane, in double. Include it after hwy/foreach_target.h, as any Highway "-inl.h" header.
#if defined(PLIANT_NUMERICS_JACOBI3_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIANT_NUMERICS_JACOBI3_INL_H_
#undef PLIANT_NUMERICS_JACOBI3_INL_H_
#else
#define PLIANT_NUMERICS_JACOBI3_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A matrix on its way to diagonal: the diagonal, the entries opposite to each index, and the rotations so far
/// as a quaternion (x, y, z, w) that is not normalised: four numbers to turn instead of nine.
template <class D>
struct Jacobi3Lanes {
  hn::Vec<D> diagonal[3], opposite[3], q[4];
};

/// One Jacobi rotation of columns p and q = p + 1 (cyclically) that zeroes the entry (p, q), by an angle of
/// at most 45 degrees (which is what makes the cyclic order converge [Forsythe and Henrici 1960]).
template <int p, class D>
PLIANT_KERNEL_PART void jacobi3_rotate(D d, Jacobi3Lanes<D>& S) {
  constexpr int q = (p + 1) % 3, r = (p + 2) % 3;
  const auto half = hn::Set(d, 0.5), one = hn::Set(d, 1.0);
  const auto difference = hn::Sub(S.diagonal[q], S.diagonal[p]);
  const auto doubled = hn::Add(S.opposite[r], S.opposite[r]);
  // tan 2θ = doubled / difference; (adjacent, doubled) is a vector at the angle θ. Never a division by zero.
  const auto length =
      hn::Sqrt(hn::MulAdd(doubled, doubled, hn::MulAdd(difference, difference, hn::Set(d, 1e-300))));
  const auto adjacent = hn::Add(hn::Abs(difference), length);
  const auto scale = hn::Div(one, hn::Sqrt(hn::MulAdd(adjacent, adjacent, hn::Mul(doubled, doubled))));
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

/// The rotation matrix of a quaternion of any length: the eigenvectors as columns.
template <class D>
PLIANT_KERNEL_PART void rotation_matrix(D d, const hn::Vec<D>* q, hn::Vec<D>* V) {
  const auto squared =
      hn::MulAdd(q[3], q[3], hn::MulAdd(q[2], q[2], hn::MulAdd(q[1], q[1], hn::Mul(q[0], q[0]))));
  const auto twice = hn::Div(hn::Set(d, 2.0), squared);
  const auto x = hn::Mul(twice, q[0]), y = hn::Mul(twice, q[1]), z = hn::Mul(twice, q[2]);
  const auto xx = hn::Mul(x, q[0]), yy = hn::Mul(y, q[1]), zz = hn::Mul(z, q[2]);
  const auto wx = hn::Mul(x, q[3]), wy = hn::Mul(y, q[3]), wz = hn::Mul(z, q[3]);
  const auto one = hn::Set(d, 1.0);
  V[0] = hn::Sub(one, hn::Add(yy, zz)), V[4] = hn::Sub(one, hn::Add(zz, xx)),
  V[8] = hn::Sub(one, hn::Add(xx, yy));
  V[1] = hn::MulAdd(x, q[1], wz), V[3] = hn::MulSub(x, q[1], wz);
  V[2] = hn::MulSub(x, q[2], wy), V[6] = hn::MulAdd(x, q[2], wy);
  V[5] = hn::MulAdd(y, q[2], wx), V[7] = hn::MulSub(y, q[2], wx);
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#endif
