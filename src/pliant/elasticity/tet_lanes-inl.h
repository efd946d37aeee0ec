// A density at deformation gradients on SIMD lanes: energy, stress, and the blocks of its Hessian. Include it after
// hwy/foreach_target.h, as any Highway "-inl.h" header; it is compiled once a target.
#if defined(PLIANT_ELASTICITY_TET_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIANT_ELASTICITY_TET_LANES_INL_H_
#undef PLIANT_ELASTICITY_TET_LANES_INL_H_
#else
#define PLIANT_ELASTICITY_TET_LANES_INL_H_
#endif

#include <type_traits>

#include "pliant/elasticity/density_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {

template <class D>
HWY_INLINE hn::Vec<D> determinant(D, const Mat3Lanes<D>& F) {
  const auto* m = F.m;
  const auto c0 = hn::NegMulAdd(m[5], m[7], hn::Mul(m[4], m[8]));
  const auto c1 = hn::NegMulAdd(m[3], m[8], hn::Mul(m[5], m[6]));
  const auto c2 = hn::NegMulAdd(m[4], m[6], hn::Mul(m[3], m[7]));
  return hn::MulAdd(m[0], c0, hn::MulAdd(m[1], c1, hn::Mul(m[2], c2)));
}

/// Whether a density needs the singular values of F, for its stress or for its Hessian.
template <class Density, bool stiffness>
inline constexpr bool needs_svd =
    !std::is_same_v<Density, LinearLanes> && (stiffness || !Density::of_invariants);

/// Energy density W, stress P and, with `stiffness`, the Hessian in the frame of the singular vectors.
template <class Density, bool stiffness, class D>
PLIANT_KERNEL_PART void evaluate_density(D d, const Mat3Lanes<D>& F, const Svd3Lanes<D>& svd,
                                         const hn::Vec<D>* p, hn::Vec<D>& W, hn::Vec<D>* P,
                                         SpectralLanes<D>& H) {
  using Vec = hn::Vec<D>;
  if constexpr (Density::of_invariants) {
    Vec C[6];
    auto inv = invariants_of(d, F, C);
    inv.J = determinant(d, F);
    const auto density = Density::density(d, p, inv);
    W = density.W;
    stress_of(d, density, F, C, inv.I1, P);
    if constexpr (stiffness) H = spectral_of(d, density, svd.sigma);
  } else if constexpr (std::is_same_v<Density, CorotatedLanes>) {
    // W = mu Σ(s-1)² + lambda/2 (Σs - 3)², P = U diag(2 mu (s-1) + lambda (Σs - 3)) Vᵀ
    Vec strain[3];
    for (int i = 0; i < 3; ++i) strain[i] = hn::Sub(svd.sigma[i], hn::Set(d, 1.0));
    const auto trace = hn::Add(hn::Add(strain[0], strain[1]), strain[2]), pressure = hn::Mul(p[1], trace);
    const auto squared = svd3_detail::dot3(d, strain, strain);
    W = hn::MulAdd(p[0], squared, hn::Mul(hn::Mul(hn::Set(d, 0.5), pressure), trace));
    Vec US[9];
    for (int j = 0; j < 3; ++j) {
      const auto tension = hn::MulAdd(hn::Add(p[0], p[0]), strain[j], pressure);
      for (int i = 0; i < 3; ++i) US[i + 3 * j] = hn::Mul(svd.U[i + 3 * j], tension);
    }
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        P[i + 3 * j] = hn::MulAdd(US[i + 6], svd.V[j + 6],
                                  hn::MulAdd(US[i + 3], svd.V[j + 3], hn::Mul(US[i], svd.V[j])));
    if constexpr (stiffness) H = corotated_spectral(d, p[0], p[1], svd.sigma);
  } else {
    // W = mu e:e + lambda/2 tr(e)², P = 2 mu e + lambda tr(e) I, e = sym(F) - I
    Vec e[9];
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        e[i + 3 * j] = hn::Mul(hn::Set(d, 0.5), hn::Add(F.m[i + 3 * j], F.m[j + 3 * i]));
    for (int i = 0; i < 3; ++i) e[4 * i] = hn::Sub(F.m[4 * i], hn::Set(d, 1.0));
    const auto trace = hn::Add(hn::Add(e[0], e[4]), e[8]), pressure = hn::Mul(p[1], trace);
    auto squared = hn::Mul(e[0], e[0]);
    for (int i = 1; i < 9; ++i) squared = hn::MulAdd(e[i], e[i], squared);
    W = hn::MulAdd(p[0], squared, hn::Mul(hn::Mul(hn::Set(d, 0.5), pressure), trace));
    for (int i = 0; i < 9; ++i) P[i] = hn::Mul(hn::Add(p[0], p[0]), e[i]);
    for (int i = 0; i < 3; ++i) P[4 * i] = hn::Add(P[4 * i], pressure);
    if constexpr (stiffness) H = linear_spectral(d, p[0], p[1]);
  }
}

/// volume ∂²W/∂F² as blocks: block(b, c) = volume ∂²W/∂F² : b ⊗ c, 3x3, for vectors b, c in the frame of V.
/// `turned`: the frame is that of the singular vectors; otherwise the identity, and U is not read.
template <bool turned, class D>
struct HessianBlocks {
  using Vec = hn::Vec<D>;
  Vec A[3][3], alpha[3][3], beta[3][3];
  const Vec* U;

  PLIANT_KERNEL_PART HessianBlocks(D d, hn::Vec<D> volume, const SpectralLanes<D>& H, const hn::Vec<D>* frame)
      : U(frame) {
    const auto half = hn::Mul(hn::Set(d, 0.5), volume);
    for (int i = 0; i < 3; ++i) A[i][i] = hn::Mul(volume, H.diagonal[i]);
    for (int p = 0; p < 3; ++p) {
      const int i = pair_first[p], j = pair_second[p];
      A[i][j] = A[j][i] = hn::Mul(volume, H.off[p]);
      alpha[i][j] = alpha[j][i] = hn::Mul(half, hn::Add(H.symmetric[p], H.skew[p]));
      beta[i][j] = beta[j][i] = hn::Mul(half, hn::Sub(H.symmetric[p], H.skew[p]));
    }
  }

  /// Entry (i, k) at i + 3 k. `symmetric`: b and c are the same.
  PLIANT_KERNEL_PART void block(const Vec* b, const Vec* c, bool symmetric, Vec* K) const {
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      auto sum = hn::Mul(A[i][i], hn::Mul(b[i], c[i]));
      sum = hn::MulAdd(alpha[i][j], hn::Mul(b[j], c[j]), sum);
      K[4 * i] = hn::MulAdd(alpha[i][k], hn::Mul(b[k], c[k]), sum);
      for (const int l : {j, k})
        K[i + 3 * l] = hn::MulAdd(A[i][l], hn::Mul(b[i], c[l]), hn::Mul(beta[i][l], hn::Mul(b[l], c[i])));
    }
    if constexpr (turned) {  // U K Uᵀ
      Vec T[9];
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
          T[i + 3 * k] =
              hn::MulAdd(U[i + 6], K[2 + 3 * k], hn::MulAdd(U[i + 3], K[1 + 3 * k], hn::Mul(U[i], K[3 * k])));
      for (int k = 0; k < 3; ++k)
        for (int i = symmetric ? k : 0; i < 3; ++i)
          K[i + 3 * k] = hn::MulAdd(T[i + 6], U[k + 6], hn::MulAdd(T[i + 3], U[k + 3], hn::Mul(T[i], U[k])));
      if (symmetric) K[3] = K[1], K[6] = K[2], K[7] = K[5];
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#endif
