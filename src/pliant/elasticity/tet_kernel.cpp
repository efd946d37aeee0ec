// Highway compiles this file once a target: the kernels behind TetElements.
#include <cstddef>

#include "pliant/elasticity/tet_elements.h"

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/elasticity/tet_kernel.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target

#include "pliant/elasticity/tet_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {

inline constexpr int pack_width = TetPack::width;

/// What a pack gives, lane by lane: energy, gradient at vertices 1 to 3 (that of vertex 0 is minus their sum), and ten
/// blocks.
struct PackResults {
  alignas(64) double energy[pack_width];
  alignas(64) double gradient[9][pack_width];
  alignas(64) double blocks[90][pack_width];
};

template <class D>
HWY_INLINE hn::Vec<D> gather(D d, const double* x, const std::int32_t* offsets) {
  const hn::RebindToSigned<D> d64;
  const hn::Rebind<std::int32_t, D> d32;
  return hn::GatherIndex(d, x, hn::PromoteTo(d64, hn::LoadU(d32, offsets)));
}

/// F = Σ (x_a - x_0) ⊗ ∇N_a.
template <class D>
PLIANT_KERNEL_PART void deformation_gradient(D d, const double* x, const TetPack& pack, int lane,
                                             Mat3Lanes<D>& F) {
  for (int i = 0; i < 3; ++i) {
    const auto origin = gather(d, x + i, pack.offset[0] + lane);
    hn::Vec<D> edge[3];
    for (int a = 0; a < 3; ++a) edge[a] = hn::Sub(gather(d, x + i, pack.offset[a + 1] + lane), origin);
    for (int j = 0; j < 3; ++j) {
      auto sum = hn::Mul(edge[0], hn::Load(d, pack.gradient[j] + lane));
      sum = hn::MulAdd(edge[1], hn::Load(d, pack.gradient[3 + j] + lane), sum);
      F.m[i + 3 * j] = hn::MulAdd(edge[2], hn::Load(d, pack.gradient[6 + j] + lane), sum);
    }
  }
}

template <class D>
PLIANT_KERNEL_PART void store_gradient(D d, const TetPack& pack, int lane, hn::Vec<D> volume,
                                       const hn::Vec<D>* P, PackResults& out) {
  for (int a = 0; a < 3; ++a)
    for (int i = 0; i < 3; ++i) {
      auto sum = hn::Mul(P[i], hn::Load(d, pack.gradient[3 * a] + lane));
      sum = hn::MulAdd(P[i + 3], hn::Load(d, pack.gradient[3 * a + 1] + lane), sum);
      sum = hn::MulAdd(P[i + 6], hn::Load(d, pack.gradient[3 * a + 2] + lane), sum);
      hn::Store(hn::Mul(volume, sum), d, out.gradient[3 * a + i] + lane);
    }
}

/// The blocks K_ab = volume ∂²W/∂F² : ∇N_a ⊗ ∇N_b for a, b from 1 to 3 in the frame of U and V, turned back, and those
/// of vertex 0 from the sums that translations make zero.
template <bool turned, class D>
PLIANT_KERNEL_PART void store_blocks(D d, const TetPack& pack, int lane, hn::Vec<D> volume,
                                     const SpectralLanes<D>& H, const hn::Vec<D>* U, const hn::Vec<D>* V,
                                     PackResults& out) {
  using Vec = hn::Vec<D>;
  const HessianBlocks<turned, D> hessian(d, volume, H, U);
  Vec b[3][3];
  for (int a = 0; a < 3; ++a)
    for (int i = 0; i < 3; ++i) {
      if constexpr (turned) {
        auto sum = hn::Mul(V[3 * i], hn::Load(d, pack.gradient[3 * a] + lane));
        sum = hn::MulAdd(V[3 * i + 1], hn::Load(d, pack.gradient[3 * a + 1] + lane), sum);
        b[a][i] = hn::MulAdd(V[3 * i + 2], hn::Load(d, pack.gradient[3 * a + 2] + lane), sum);
      } else {
        b[a][i] = hn::Load(d, pack.gradient[3 * a + i] + lane);
      }
    }

  Vec column[3][9];  // minus the sum over a of K_ab: the block of vertex 0 and vertex b
  for (auto& block : column)
    for (auto& entry : block) entry = hn::Zero(d);
  const int first_of[3] = {4, 7, 9};  // the diagonal blocks among the ten
  for (int a = 0; a < 3; ++a)
    for (int c = a; c < 3; ++c) {
      Vec K[9];
      hessian.block(b[a], b[c], a == c, K);
      double(*target)[pack_width] = out.blocks + 9 * (first_of[a] + c - a);
      for (int e = 0; e < 9; ++e) {
        hn::Store(K[e], d, target[e] + lane);
        column[c][e] = hn::Sub(column[c][e], K[e]);
      }
      if (a != c)
        for (int k = 0; k < 3; ++k)
          for (int i = 0; i < 3; ++i) column[a][i + 3 * k] = hn::Sub(column[a][i + 3 * k], K[k + 3 * i]);
    }
  for (int c = 0; c < 3; ++c)
    for (int e = 0; e < 9; ++e) hn::Store(column[c][e], d, out.blocks[9 * (1 + c) + e] + lane);
  for (int k = 0; k < 3; ++k)
    for (int i = k; i < 3; ++i) {
      const int e = i + 3 * k;
      const auto sum = hn::Neg(hn::Add(hn::Add(column[0][e], column[1][e]), column[2][e]));
      hn::Store(sum, d, out.blocks[e] + lane);
      hn::Store(sum, d, out.blocks[k + 3 * i] + lane);
    }
}

/// `blocks` vectors of elements of a pack from `lane` on.
template <class Density, bool stiffness, int blocks, class D>
PLIANT_KERNEL_PART void evaluate_lanes(D d, const double* x, const TetPack& pack, int lane, bool projected,
                                       PackResults& out) {
  using Vec = hn::Vec<D>;
  const int lanes = static_cast<int>(hn::Lanes(d));
  Mat3Lanes<D> F[blocks];
  Svd3Lanes<D> svd[blocks];
  for (int k = 0; k < blocks; ++k) deformation_gradient(d, x, pack, lane + k * lanes, F[k]);
  if constexpr (needs_svd<Density, stiffness>) svd3_lanes(d, F, svd);
  for (int k = 0; k < blocks; ++k) {
    const int at = lane + k * lanes;
    const auto volume = hn::Load(d, pack.volume + at);
    Vec p[TetPack::parameter_count];
    for (int i = 0; i < TetPack::parameter_count; ++i) p[i] = hn::Load(d, pack.parameters[i] + at);
    Vec W, P[9];
    SpectralLanes<D> H;
    evaluate_density<Density, stiffness>(d, F[k], svd[k], p, W, P, H);
    hn::Store(hn::Mul(volume, W), d, out.energy + at);
    store_gradient(d, pack, at, volume, P, out);
    if constexpr (stiffness) {
      if (projected) project(d, H);
      store_blocks<!std::is_same_v<Density, LinearLanes>>(d, pack, at, volume, H, svd[k].U, svd[k].V, out);
    }
  }
}

template <class Density, bool stiffness>
void evaluate_tile(const detail::TetJob& job) {
  const hn::CappedTag<double, pack_width> d;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  PackResults results;
  double energy = 0;
  for (int first = 0; first < job.count; first += pack_width) {
    const TetPack& pack = job.packs[first / pack_width];
    // Two vectors side by side hide each other's latencies, as in svd3.
    if constexpr (2 * lanes <= pack_width) {
      for (int lane = 0; lane < pack_width; lane += 2 * lanes)
        evaluate_lanes<Density, stiffness, 2>(d, job.x, pack, lane, job.what.projected, results);
    } else {
      evaluate_lanes<Density, stiffness, 1>(d, job.x, pack, 0, job.what.projected, results);
    }
    const int used = job.count - first < pack_width ? job.count - first : pack_width;
    for (int lane = 0; lane < used; ++lane) energy += results.energy[lane];
    if (job.what.gradient)
      for (int lane = 0; lane < used; ++lane) {
        const std::uint16_t* slot = job.vertex_slots + 4 * (first + lane);
        for (int i = 0; i < 3; ++i) {
          const double g1 = results.gradient[i][lane], g2 = results.gradient[3 + i][lane],
                       g3 = results.gradient[6 + i][lane];
          job.gradient[3 * slot[0] + i] -= g1 + g2 + g3;
          job.gradient[3 * slot[1] + i] += g1;
          job.gradient[3 * slot[2] + i] += g2;
          job.gradient[3 * slot[3] + i] += g3;
        }
      }
    if constexpr (stiffness)
      for (int lane = 0; lane < used; ++lane) {
        const std::uint16_t* slot = job.block_slots + 10 * (first + lane);
        for (int b = 0; b < 10; ++b) {
          double* target = job.blocks + 9 * slot[b];
          for (int e = 0; e < 9; ++e) target[e] += results.blocks[9 * b + e][lane];
        }
      }
  }
  *job.energy = energy;
}

template <bool stiffness>
void evaluate_kind(const detail::TetJob& job) {
  switch (job.kind) {  // as the variant Material has them
    case 0:
      return evaluate_tile<LinearLanes, stiffness>(job);
    case 1:
      return evaluate_tile<StvkLanes, stiffness>(job);
    case 2:
      return evaluate_tile<CorotatedLanes, stiffness>(job);
    case 3:
      return evaluate_tile<NeoHookeanLanes, stiffness>(job);
    case 4:
      return evaluate_tile<MooneyRivlinLanes, stiffness>(job);
    case 5:
      return evaluate_tile<FungLanes, stiffness>(job);
    case 6:
      return evaluate_tile<ArrudaBoyceLanes, stiffness>(job);
  }
}

void evaluate_tets(const detail::TetJob& job) {
  if (job.what.stiffness)
    evaluate_kind<true>(job);
  else
    evaluate_kind<false>(job);
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(evaluate_tets);

namespace detail {
void evaluate_tets(const TetJob& job) { HWY_DYNAMIC_DISPATCH(evaluate_tets)(job); }
}  // namespace detail

}  // namespace pliant
#endif
