// Highway compiles this file once a target: tets of an ElementSet.
#include <cstddef>

#include "pliant/elasticity/element_set.h"

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/elasticity/element_kernel.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target

#include "pliant/elasticity/tet_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {

inline constexpr Index lanes_of_pack = ElementPack::width;

/// The 81 entries of the second derivative by F: its block of columns a and b of F is that of the unit vectors a and b.
template <bool turned, class D>
PLIANT_KERNEL_PART void store_hessian(D d, hn::Vec<D> volume, const SpectralLanes<D>& H,
                                      const Svd3Lanes<D>& svd, double* out) {
  using Vec = hn::Vec<D>;
  const HessianBlocks<turned, D> hessian(d, volume, H, svd.U);
  Vec b[3][3];
  for (int a = 0; a < 3; ++a)
    for (int i = 0; i < 3; ++i) {
      if constexpr (turned)
        b[a][i] = svd.V[a + 3 * i];
      else
        b[a][i] = hn::Set(d, a == i ? 1.0 : 0.0);
    }
  for (int a = 0; a < 3; ++a)
    for (int c = a; c < 3; ++c) {
      Vec K[9];
      hessian.block(b[a], b[c], a == c, K);
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) {
          const Index row = i + 3 * a, column = k + 3 * c;
          hn::StoreU(K[i + 3 * k], d, out + (row + 9 * column) * lanes_of_pack);
          if (a != c) hn::StoreU(K[i + 3 * k], d, out + (column + 9 * row) * lanes_of_pack);
        }
    }
}

/// `blocks` vectors of a pack from `lane` on.
template <class Density, bool stiffness, int blocks, class D>
PLIANT_KERNEL_PART void evaluate_lanes(D d, const ElementPack& pack, const double* z, int lane,
                                       const ElementOutputs& out, bool projected) {
  using Vec = hn::Vec<D>;
  const int lanes = static_cast<int>(hn::Lanes(d));
  Mat3Lanes<D> F[blocks], scaled[blocks];
  Svd3Lanes<D> svd[blocks];
  for (int k = 0; k < blocks; ++k) {
    for (int i = 0; i < 9; ++i) F[k].m[i] = hn::LoadU(d, z + lanes_of_pack * i + lane + k * lanes);
    scaled[k] = F[k];
  }
  if constexpr (needs_svd<Density, stiffness>) svd3_lanes(d, scaled, svd);
  for (int k = 0; k < blocks; ++k) {
    const int at = lane + k * lanes;
    const auto volume = hn::Load(d, pack.parameters[0] + at);
    Vec p[density_parameter_count];
    for (int i = 0; i < density_parameter_count; ++i) p[i] = hn::Load(d, pack.parameters[1 + i] + at);
    Vec W, P[9];
    SpectralLanes<D> H;
    evaluate_density<Density, stiffness>(d, F[k], svd[k], p, W, P, H);
    if (out.energies) hn::StoreU(hn::Mul(volume, W), d, out.energies + at);
    if (out.gradients)
      for (int i = 0; i < 9; ++i)
        hn::StoreU(hn::Mul(volume, P[i]), d, out.gradients + lanes_of_pack * i + at);
    if constexpr (stiffness) {
      if (projected) project(d, H);
      store_hessian<!std::is_same_v<Density, LinearLanes>>(d, volume, H, svd[k], out.hessians + at);
    }
  }
}

template <class Density, bool stiffness>
void evaluate_packs(const detail::ElementJob& job) {
  const hn::CappedTag<double, ElementPack::width> d;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  for (Index k = 0; k < job.count; ++k) {
    const ElementPack& pack = job.packs[k];
    const double* z = job.z + 9 * lanes_of_pack * k;
    ElementOutputs out;
    if (job.out.energies) out.energies = job.out.energies + lanes_of_pack * k;
    if (job.out.gradients) out.gradients = job.out.gradients + 9 * lanes_of_pack * k;
    if (stiffness) out.hessians = job.out.hessians + 81 * lanes_of_pack * k;
    // Two vectors side by side hide each other's latencies, as in svd3.
    if constexpr (2 * lanes <= ElementPack::width) {
      for (int lane = 0; lane < ElementPack::width; lane += 2 * lanes)
        evaluate_lanes<Density, stiffness, 2>(d, pack, z, lane, out, job.projected);
    } else {
      evaluate_lanes<Density, stiffness, 1>(d, pack, z, 0, out, job.projected);
    }
  }
}

template <bool stiffness>
void evaluate_kind(const detail::ElementJob& job) {
  switch (job.kind) {  // as the variant Material has them
    case 0:
      return evaluate_packs<LinearLanes, stiffness>(job);
    case 1:
      return evaluate_packs<StvkLanes, stiffness>(job);
    case 2:
      return evaluate_packs<CorotatedLanes, stiffness>(job);
    case 3:
      return evaluate_packs<NeoHookeanLanes, stiffness>(job);
    case 4:
      return evaluate_packs<MooneyRivlinLanes, stiffness>(job);
    case 5:
      return evaluate_packs<FungLanes, stiffness>(job);
    case 6:
      return evaluate_packs<ArrudaBoyceLanes, stiffness>(job);
  }
}

void evaluate_tet_packs(const detail::ElementJob& job) {
  if (job.out.hessians)
    evaluate_kind<true>(job);
  else
    evaluate_kind<false>(job);
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(evaluate_tet_packs);

namespace detail {
void evaluate_tet_packs(const ElementJob& job) { HWY_DYNAMIC_DISPATCH(evaluate_tet_packs)(job); }
}  // namespace detail

}  // namespace pliant
#endif
