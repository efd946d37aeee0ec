// Nearest points of the constraint sets, one constraint a SIMD lane: the kernels that projective_tile.cpp runs over
// tiles. Include it after hwy/foreach_target.h, as any Highway "-inl.h" header.
#if defined(PLIANT_ELASTICITY_PROJECTIVE_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIANT_ELASTICITY_PROJECTIVE_TILE_INL_H_
#undef PLIANT_ELASTICITY_PROJECTIVE_TILE_INL_H_
#else
#define PLIANT_ELASTICITY_PROJECTIVE_TILE_INL_H_
#endif

#include <limits>

#include "pliant/numerics/svd3-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {

template <class D>
HWY_INLINE hn::Vec<D> clamped(D, hn::Vec<D> x, hn::Vec<D> low, hn::Vec<D> high) {
  return hn::Min(hn::Max(x, low), high);
}

// === Volume: the point nearest to s with x1 x2 x3 = 1, for s1 >= s2 >= |s3|
//
// With a multiplier ν the conditions are xᵢ (xᵢ - sᵢ) = ν for all i: two roots each. At a minimum x1 and x2 take the
// larger root (a smaller root of one of two larger values could be exchanged at a gain), x3 may take either. So x3 = t
// parametrises all candidates:
//     ν = t (t - s3),   xᵢ = (sᵢ + rᵢ)/2,   rᵢ² = sᵢ² + 4ν = sᵢ² - s3² + (2t - s3)²,   g(t) = t x1 x2 - 1 = 0.
// For t >= s3/2, g is increasing and convex, with g(1) >= 0: Newton from t = 1 falls onto the root without passing it.
// This is the answer unless the element is much too large: then x3 may be better off collapsing (t < s3/2, where a
// body blown up beyond 1.89 times its size comes near its volume soonest by going flat). There g rises from
// g(1/(s1 s2)) <= 0, nearly straight, and Newton climbs from this point. Where both roots exist, the nearer is taken.

template <class D>
struct VolumeCurve {
  hn::Vec<D> s[3], a1, a2;  ///< aᵢ = sᵢ² - s3²

  PLIANT_KERNEL_PART void at(D d, hn::Vec<D> t, hn::Vec<D>& x1, hn::Vec<D>& x2, hn::Vec<D>& g,
                             hn::Vec<D>& slope) const {
    using T = hn::TFromD<D>;
    const auto half = hn::Set(d, T(0.5)), least = hn::Set(d, std::numeric_limits<T>::min());
    const auto y = hn::Sub(hn::Add(t, t), s[2]);
    const auto r1 = hn::Sqrt(hn::Max(hn::MulAdd(y, y, a1), least));
    const auto r2 = hn::Sqrt(hn::Max(hn::MulAdd(y, y, a2), least));
    x1 = hn::Mul(half, hn::Add(s[0], r1));
    x2 = hn::Mul(half, hn::Add(s[1], r2));
    const auto area = hn::Mul(x1, x2);
    g = hn::MulSub(t, area, hn::Set(d, T(1)));
    // y/r1 x2 + y/r2 x1 over one division
    const auto sum = hn::Div(hn::Mul(y, hn::MulAdd(r2, x2, hn::Mul(r1, x1))), hn::Mul(r1, r2));
    slope = hn::MulAdd(t, sum, area);
  }
};

template <class D>
PLIANT_KERNEL_PART void nearest_unit_volume(D d, const hn::Vec<D>* sigma, hn::Vec<D>* x) {
  using T = hn::TFromD<D>;
  using Vector = hn::Vec<D>;
  constexpr T eps = std::numeric_limits<T>::epsilon();
  constexpr int falls = sizeof(T) == 4 ? 10 : 14, climbs = sizeof(T) == 4 ? 14 : 30;
  // Beyond any deformation that matters; keeps the products finite.
  const auto limit = hn::Set(d, sizeof(T) == 4 ? T(1e6) : T(1e30));
  const auto one = hn::Set(d, T(1)), half = hn::Set(d, T(0.5)), zero = hn::Zero(d);
  VolumeCurve<D> curve;
  for (int i = 0; i < 3; ++i) curve.s[i] = clamped(d, sigma[i], hn::Neg(limit), limit);
  const Vector* s = curve.s;
  curve.a1 = hn::Mul(hn::Sub(s[0], s[2]), hn::Add(s[0], s[2]));
  curve.a2 = hn::Mul(hn::Sub(s[1], s[2]), hn::Add(s[1], s[2]));
  const auto middle = hn::Mul(half, s[2]);
  Vector x1, x2, g, slope;

  // === The larger root, falling from 1. A lane that has arrived rests: its bits do not depend on its neighbours.
  const auto low = hn::Max(middle, zero);
  auto t = hn::Max(one, low);
  auto moving = hn::Eq(t, t);
  for (int n = 0; n < falls && !hn::AllFalse(d, moving); ++n) {
    curve.at(d, t, x1, x2, g, slope);
    const auto next = hn::Max(hn::Sub(t, hn::Div(g, slope)), low);
    const auto step = hn::Sub(t, next);
    t = hn::IfThenElse(moving, next, t);
    moving = hn::And(moving, hn::Gt(hn::Abs(step), hn::Mul(hn::Set(d, 2 * eps), t)));
  }

  // === The smaller root can only exist where the product is above two
  const auto inflated = hn::Gt(hn::Mul(s[0], hn::Mul(s[1], s[2])), hn::Set(d, T(2)));
  if (!hn::AllFalse(d, inflated)) {
    curve.at(d, middle, x1, x2, g, slope);
    const auto larger_exists = hn::Le(g, zero);
    const auto area = hn::IfThenElse(inflated, hn::Mul(s[0], s[1]), one);
    auto u = hn::Min(hn::Div(one, area), middle);
    const auto only = hn::AndNot(larger_exists, inflated);  // g changes sign below the middle
    auto climbing = inflated, lost = hn::Not(inflated);
    for (int n = 0; n < climbs && !hn::AllFalse(d, climbing); ++n) {
      curve.at(d, u, x1, x2, g, slope);
      // Beyond the top of g: back half the way where a root is known to be there, else it is lost.
      const auto beyond = hn::Le(slope, zero);
      const auto next =
          hn::IfThenElse(beyond, hn::Mul(half, u), hn::Min(hn::Sub(u, hn::Div(g, slope)), middle));
      const auto passed = hn::AndNot(only, hn::And(climbing, hn::Or(beyond, hn::Ge(next, middle))));
      lost = hn::Or(lost, passed);
      climbing = hn::AndNot(passed, climbing);
      const auto step = hn::Abs(hn::Sub(next, u));
      u = hn::IfThenElse(climbing, next, u);
      climbing = hn::And(climbing, hn::Gt(step, hn::Mul(hn::Set(d, 2 * eps), u)));
    }
    const auto cost = [&](Vector v) HWY_ATTR {
      curve.at(d, v, x1, x2, g, slope);
      const auto d1 = hn::Sub(x1, s[0]), d2 = hn::Sub(x2, s[1]), d3 = hn::Sub(v, s[2]);
      return hn::MulAdd(d3, d3, hn::MulAdd(d2, d2, hn::Mul(d1, d1)));
    };
    const auto nearer = hn::Lt(cost(u), cost(t));
    t = hn::IfThenElse(hn::AndNot(lost, hn::Or(only, nearer)), u, t);
  }
  curve.at(d, t, x1, x2, g, slope);
  x[0] = hn::Add(x1, hn::Sub(sigma[0], s[0]));
  x[1] = hn::Add(x2, hn::Sub(sigma[1], s[1]));
  x[2] = t;
}

// === Tets

/// F = [edges] B.
template <class D>
PLIANT_KERNEL_PART void tet_gradient(D d, const hn::TFromD<D>* edges, const hn::TFromD<D>* B,
                                     Mat3Lanes<D>& F) {
  for (int c = 0; c < 3; ++c) {
    const auto b0 = hn::Load(d, B + (3 * c) * projective_tile);
    const auto b1 = hn::Load(d, B + (3 * c + 1) * projective_tile);
    const auto b2 = hn::Load(d, B + (3 * c + 2) * projective_tile);
    for (int r = 0; r < 3; ++r)
      F.m[r + 3 * c] = hn::MulAdd(hn::Load(d, edges + (r + 6) * projective_tile), b2,
                                  hn::MulAdd(hn::Load(d, edges + (r + 3) * projective_tile), b1,
                                             hn::Mul(hn::Load(d, edges + r * projective_tile), b0)));
  }
}

/// Forces [edges] = G Bᵀ, G = λ (P - F).
template <class D>
PLIANT_KERNEL_PART void tet_forces(D d, const hn::Vec<D>* G, const hn::TFromD<D>* B, hn::TFromD<D>* forces) {
  for (int k = 0; k < 3; ++k) {
    const auto b0 = hn::Load(d, B + k * projective_tile);
    const auto b1 = hn::Load(d, B + (k + 3) * projective_tile);
    const auto b2 = hn::Load(d, B + (k + 6) * projective_tile);
    for (int r = 0; r < 3; ++r)
      hn::Store(hn::MulAdd(G[r + 6], b2, hn::MulAdd(G[r + 3], b1, hn::Mul(G[r], b0))), d,
                forces + (r + 3 * k) * projective_tile);
  }
}

/// U diag(x) Vᵀ.
template <class D>
PLIANT_KERNEL_PART void recompose(D, const Svd3Lanes<D>& svd, const hn::Vec<D>* x, hn::Vec<D>* out) {
  for (int c = 0; c < 3; ++c) {
    const auto v0 = hn::Mul(x[0], svd.V[c]), v1 = hn::Mul(x[1], svd.V[c + 3]),
               v2 = hn::Mul(x[2], svd.V[c + 6]);
    for (int r = 0; r < 3; ++r)
      out[r + 3 * c] = hn::MulAdd(svd.U[r + 6], v2, hn::MulAdd(svd.U[r + 3], v1, hn::Mul(svd.U[r], v0)));
  }
}

/// Clamped singular values, and with them (`with_volume`) those of the right product.
template <bool with_volume, class D>
PLIANT_KERNEL_PART void finish_tets(D d, const ProjectiveTile<hn::TFromD<D>>& tile, Index i,
                                    hn::TFromD<D> growth, const Svd3Lanes<D>& svd) {
  using T = hn::TFromD<D>;
  using Vector = hn::Vec<D>;
  const T* parameters = tile.parameters + i;
  const auto weight = hn::Load(d, parameters + 9 * projective_tile);
  const auto low = hn::Load(d, parameters + 10 * projective_tile);
  const auto high = hn::Load(d, parameters + 11 * projective_tile);
  const auto half = hn::Set(d, T(0.5));
  Vector pull[3];  // λ (x - σ), summed over both sets
  auto energy = hn::Zero(d), total = weight;
  for (int k = 0; k < 3; ++k) {
    const auto move = hn::Sub(clamped(d, svd.sigma[k], low, high), svd.sigma[k]);
    pull[k] = hn::Mul(weight, move);
    energy = hn::MulAdd(pull[k], move, energy);
  }
  if constexpr (with_volume) {
    const auto volume_weight = hn::Load(d, parameters + 12 * projective_tile);
    const auto scale = hn::Mul(hn::Load(d, parameters + 13 * projective_tile), hn::Set(d, growth));
    const auto least = hn::Set(d, std::numeric_limits<T>::min());
    const auto inverse = hn::Div(hn::Set(d, T(1)), hn::Max(scale, least));
    Vector s[3], x[3];
    for (int k = 0; k < 3; ++k) s[k] = hn::Mul(svd.sigma[k], inverse);
    nearest_unit_volume(d, s, x);
    for (int k = 0; k < 3; ++k) {
      const auto move = hn::Mul(hn::Sub(x[k], s[k]), scale);
      pull[k] = hn::MulAdd(volume_weight, move, pull[k]);
      energy = hn::MulAdd(hn::Mul(volume_weight, move), move, energy);
    }
    total = hn::Add(total, volume_weight);
  }
  if (tile.energies) hn::Store(hn::Mul(half, energy), d, tile.energies + i);
  if (tile.forces) {
    Vector G[9];
    recompose(d, svd, pull, G);
    tet_forces(d, G, parameters, tile.forces + i);
  }
  if (tile.projections) {
    Vector x[3], P[9];
    const auto inverse = hn::Div(hn::Set(d, T(1)), hn::Max(total, hn::Set(d, std::numeric_limits<T>::min())));
    for (int k = 0; k < 3; ++k) x[k] = hn::MulAdd(pull[k], inverse, svd.sigma[k]);
    recompose(d, svd, x, P);
    for (int k = 0; k < 9; ++k) hn::Store(P[k], d, tile.projections + i + k * projective_tile);
  }
}

template <bool with_volume, class D>
HWY_NOINLINE void project_tets(D d, const ProjectiveTile<hn::TFromD<D>>& tile, hn::TFromD<D> growth) {
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  constexpr int blocks = 4;
  static_assert(projective_tile % (blocks * hn::MaxLanes(D())) == 0);
  for (Index i = 0; i < projective_tile; i += blocks * lanes) {
    Mat3Lanes<D> F[blocks];
    Svd3Lanes<D> svd[blocks];
    for (int k = 0; k < blocks; ++k)
      tet_gradient(d, tile.inputs + i + k * lanes, tile.parameters + i + k * lanes, F[k]);
    svd3_lanes(d, F, svd);
    for (int k = 0; k < blocks; ++k) finish_tets<with_volume>(d, tile, i + k * lanes, growth, svd[k]);
  }
}

// === Example tets: the nearest R S(w), S(w) = Σ wᵢ Sᵢ, by turns
//
//   R for a given w: the rotation nearest to F S(w)
//   w for a given R: the symmetric part of RᵀF is brought near S(w), a quadratic problem over w >= 0, Σ w = 1, solved by
//       moving weight between two poses at a time, each time by the best amount
// No turn takes the distance up. Beginning with the nearest pose, eight turns are enough for poses that stretch each tet
// by factors of 1/2 to 2. (For an inverted F the distance may have a second minimum in w, a percent or so above.)

/// <a, b> of symmetric matrices (xx yy zz yz zx xy).
template <class D>
HWY_INLINE hn::Vec<D> symmetric_dot(D, const hn::Vec<D>* a, const hn::Vec<D>* b) {
  const auto off = hn::MulAdd(a[5], b[5], hn::MulAdd(a[4], b[4], hn::Mul(a[3], b[3])));
  return hn::MulAdd(a[2], b[2], hn::MulAdd(a[1], b[1], hn::MulAdd(a[0], b[0], hn::Add(off, off))));
}

/// A S, S symmetric.
template <class D>
HWY_INLINE void times_symmetric(D, const hn::Vec<D>* A, const hn::Vec<D>* S, hn::Vec<D>* out) {
  constexpr int at[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r)
      out[r + 3 * c] =
          hn::MulAdd(A[r + 6], S[at[2][c]], hn::MulAdd(A[r + 3], S[at[1][c]], hn::Mul(A[r], S[at[0][c]])));
}

template <class D>
PLIANT_KERNEL_PART void fit_poses(D d, const hn::Vec<D> (&poses)[projective_poses][6], const hn::Vec<D>* goal,
                                  hn::Vec<D>* w, hn::Vec<D>* S) {
  using T = hn::TFromD<D>;
  const auto least = hn::Set(d, std::numeric_limits<T>::min() * T(1e6));
  for (int sweep = 0; sweep < 3; ++sweep)
    for (int i = 1; i < projective_poses; ++i)
      for (int j = 0; j < i; ++j) {
        hn::Vec<D> direction[6], rest[6];
        for (int k = 0; k < 6; ++k) {
          direction[k] = hn::Sub(poses[i][k], poses[j][k]);
          rest[k] = hn::Sub(goal[k], S[k]);
        }
        const auto length = symmetric_dot(d, direction, direction);
        const auto best = hn::Div(symmetric_dot(d, direction, rest), hn::Max(length, least));
        const auto move = clamped(d, best, hn::Neg(w[i]), w[j]);
        w[i] = hn::Add(w[i], move);
        w[j] = hn::Sub(w[j], move);
        for (int k = 0; k < 6; ++k) S[k] = hn::MulAdd(move, direction[k], S[k]);
      }
}

/// Not inline: the kernel below needs it at two places.
template <class D>
HWY_NOINLINE void decompose(D d, Mat3Lanes<D> (&F)[1], Svd3Lanes<D> (&out)[1]) {
  svd3_lanes(d, F, out);
}

template <class D>
HWY_NOINLINE void project_examples(D d, const ProjectiveTile<hn::TFromD<D>>& tile) {
  using T = hn::TFromD<D>;
  using Vector = hn::Vec<D>;
  constexpr int turns = 8, symmetric_row[6] = {0, 1, 2, 1, 2, 0}, symmetric_column[6] = {0, 1, 2, 2, 0, 1};
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto half = hn::Set(d, T(0.5));
  for (Index i = 0; i < projective_tile; i += lanes) {
    const T* parameters = tile.parameters + i;
    Vector poses[projective_poses][6], w[projective_poses], S[6];
    for (int p = 0; p < projective_poses; ++p) {
      for (int k = 0; k < 6; ++k) poses[p][k] = hn::Load(d, parameters + (10 + 6 * p + k) * projective_tile);
      w[p] = hn::Zero(d);
    }
    Mat3Lanes<D> F, turned[1];
    Svd3Lanes<D> svd[1];
    tet_gradient(d, tile.inputs + i, parameters, F);
    // |F - R S|² = |F|² + |S|² - 2 Σ σ(F S) for the best R
    auto least = hn::Zero(d);
    for (int p = 0; p < projective_poses; ++p) {
      times_symmetric(d, F.m, poses[p], turned[0].m);
      decompose(d, turned, svd);
      const auto sum = hn::Add(svd[0].sigma[0], hn::Add(svd[0].sigma[1], svd[0].sigma[2]));
      const auto distance = hn::Sub(symmetric_dot(d, poses[p], poses[p]), hn::Add(sum, sum));
      const auto nearer = p == 0 ? hn::Eq(distance, distance) : hn::Lt(distance, least);
      least = hn::IfThenElse(nearer, distance, least);
      for (int k = 0; k < 6; ++k) S[k] = p == 0 ? poses[0][k] : hn::IfThenElse(nearer, poses[p][k], S[k]);
      for (int o = 0; o < p; ++o) w[o] = hn::IfThenZeroElse(nearer, w[o]);
      w[p] = hn::IfThenElseZero(nearer, hn::Set(d, T(1)));
    }
    times_symmetric(d, F.m, S, turned[0].m);
    Vector R[9];
    for (int turn = 0; turn <= turns; ++turn) {
      decompose(d, turned, svd);
      const Mat3Lanes<D> rotation = rotation_of(d, svd[0]);
      for (int k = 0; k < 9; ++k) R[k] = rotation.m[k];
      if (turn == turns) break;
      Vector goal[6];  // the symmetric part of Rᵀ F
      for (int k = 0; k < 6; ++k) {
        const int r = symmetric_row[k], c = symmetric_column[k];
        goal[k] = hn::Mul(half, hn::Add(svd3_detail::dot3(d, R + 3 * r, F.m + 3 * c),
                                        svd3_detail::dot3(d, R + 3 * c, F.m + 3 * r)));
      }
      fit_poses(d, poses, goal, w, S);
      times_symmetric(d, F.m, S, turned[0].m);
    }
    Vector P[9], G[9];
    times_symmetric(d, R, S, P);
    const auto weight = hn::Load(d, parameters + 9 * projective_tile);
    auto energy = hn::Zero(d);
    for (int k = 0; k < 9; ++k) {
      const auto move = hn::Sub(P[k], F.m[k]);
      G[k] = hn::Mul(weight, move);
      energy = hn::MulAdd(G[k], move, energy);
    }
    if (tile.energies) hn::Store(hn::Mul(half, energy), d, tile.energies + i);
    if (tile.forces) tet_forces(d, G, parameters, tile.forces + i);
    if (tile.projections)
      for (int k = 0; k < 9; ++k) hn::Store(P[k], d, tile.projections + i + k * projective_tile);
  }
}

// === Triangles: F = [t1 t2] A with an orthonormal pair t1, t2, and the SVD of the 2 x 2 matrix A in closed form: a
// multiple of a rotation plus a multiple of a reflection.

template <class D>
HWY_NOINLINE void project_triangles(D d, const ProjectiveTile<hn::TFromD<D>>& tile) {
  using T = hn::TFromD<D>;
  using Vector = hn::Vec<D>;
  constexpr T eps = std::numeric_limits<T>::epsilon();
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto one = hn::Set(d, T(1)), half = hn::Set(d, T(0.5)), zero = hn::Zero(d);
  for (Index i = 0; i < projective_tile; i += lanes) {
    const auto parameter = [&](int row)
                               HWY_ATTR { return hn::Load(d, tile.parameters + i + row * projective_tile); };
    Vector c1[3], c2[3];  // the columns of F
    for (int r = 0; r < 3; ++r) {
      const auto e1 = hn::Load(d, tile.inputs + i + r * projective_tile);
      const auto e2 = hn::Load(d, tile.inputs + i + (r + 3) * projective_tile);
      c1[r] = hn::MulAdd(e2, parameter(1), hn::Mul(e1, parameter(0)));
      c2[r] = hn::MulAdd(e2, parameter(3), hn::Mul(e1, parameter(2)));
    }
    // === To order 1, so that squares neither vanish nor overflow
    auto largest = hn::Abs(c1[0]);
    for (int r = 0; r < 3; ++r) largest = hn::Max(largest, hn::Max(hn::Abs(c1[r]), hn::Abs(c2[r])));
    Vector shrink;
    const auto size = svd3_detail::power_of_two(d, largest, shrink);
    for (int r = 0; r < 3; ++r) c1[r] = hn::Mul(c1[r], shrink), c2[r] = hn::Mul(c2[r], shrink);

    // === t1 along the first column, t2 along what the second adds; any pair where these vanish
    const auto squared1 = svd3_detail::dot3(d, c1, c1);
    const auto none1 = hn::Le(squared1, hn::Set(d, eps * eps));
    const auto inverse1 = svd3_detail::inverse_sqrt(d, hn::IfThenElse(none1, one, squared1));
    Vector t1[3], t2[3], w[3];
    for (int r = 0; r < 3; ++r) t1[r] = hn::IfThenElse(none1, r == 0 ? one : zero, hn::Mul(c1[r], inverse1));
    for (int r = 0; r < 3; ++r) w[r] = c2[r];
    for (int pass = 0; pass < 2; ++pass) {  // twice: once leaves a rest of order eps
      const auto along = svd3_detail::dot3(d, t1, w);
      for (int r = 0; r < 3; ++r) w[r] = hn::NegMulAdd(along, t1[r], w[r]);
    }
    const auto squared2 = svd3_detail::dot3(d, w, w);
    const auto none2 = hn::Le(squared2, hn::Set(d, 1024 * eps * eps));
    const auto inverse2 = svd3_detail::inverse_sqrt(d, hn::IfThenElse(none2, one, squared2));
    // A unit vector across t1 [Duff et al. 2017].
    const auto sign = hn::And(t1[2], hn::SignBit(d));
    const auto a = hn::Neg(hn::Div(one, hn::Add(hn::Or(one, sign), t1[2])));
    const auto b = hn::Mul(hn::Mul(t1[0], t1[1]), a);
    const Vector across[3] = {b, hn::MulAdd(hn::Mul(t1[1], t1[1]), a, hn::Or(one, sign)), hn::Neg(t1[1])};
    for (int r = 0; r < 3; ++r) t2[r] = hn::IfThenElse(none2, across[r], hn::Mul(w[r], inverse2));

    // === A = [m11 m12; m21 m22] = U diag(σ) Vᵀ
    const auto m11 = svd3_detail::dot3(d, t1, c1), m12 = svd3_detail::dot3(d, t1, c2);
    const auto m21 = svd3_detail::dot3(d, t2, c1), m22 = svd3_detail::dot3(d, t2, c2);
    const auto e = hn::Mul(half, hn::Add(m11, m22)), h = hn::Mul(half, hn::Sub(m21, m12));
    const auto f = hn::Mul(half, hn::Sub(m11, m22)), g = hn::Mul(half, hn::Add(m21, m12));
    const auto Q = svd3_detail::length_of(d, e, h), R = svd3_detail::length_of(d, f, g);
    Vector cb, sb, ca, sa;
    svd3_detail::half_angle(d, e, h, Q, cb, sb);
    svd3_detail::half_angle(d, f, g, R, ca, sa);
    const auto cu = hn::NegMulAdd(sa, sb, hn::Mul(ca, cb)), su = hn::MulAdd(sa, cb, hn::Mul(ca, sb));
    const auto cv = hn::MulAdd(sa, sb, hn::Mul(ca, cb)), sv = hn::NegMulAdd(ca, sb, hn::Mul(sa, cb));
    const auto difference = hn::Sub(Q, R);
    const auto mirror = hn::And(difference, hn::SignBit(d));  // in space a turn by 180 degrees undoes it
    const auto sigma1 = hn::Mul(size, hn::Add(Q, R)), sigma2 = hn::Mul(size, hn::Abs(difference));

    const auto weight = parameter(4), low = parameter(5), high = parameter(6);
    const auto x1 = clamped(d, sigma1, low, high), x2 = clamped(d, sigma2, low, high);
    const auto move1 = hn::Sub(x1, sigma1), move2 = hn::Sub(x2, sigma2);
    if (tile.energies)
      hn::Store(hn::Mul(hn::Mul(half, weight), hn::MulAdd(move2, move2, hn::Mul(move1, move1))), d,
                tile.energies + i);
    Vector u1[3], u2[3];
    for (int r = 0; r < 3; ++r) {
      u1[r] = hn::MulAdd(su, t2[r], hn::Mul(cu, t1[r]));
      u2[r] = hn::Xor(hn::NegMulAdd(su, t1[r], hn::Mul(cu, t2[r])), mirror);
    }
    // The columns of u1 k1 v1ᵀ + u2 k2 v2ᵀ, v1 = (cv, sv), v2 = (-sv, cv).
    const auto column = [&](int r, int c, Vector k1, Vector k2) HWY_ATTR {
      return c == 0 ? hn::NegMulAdd(u2[r], hn::Mul(k2, sv), hn::Mul(u1[r], hn::Mul(k1, cv)))
                    : hn::MulAdd(u2[r], hn::Mul(k2, cv), hn::Mul(u1[r], hn::Mul(k1, sv)));
    };
    if (tile.forces) {
      const auto k1 = hn::Mul(weight, move1), k2 = hn::Mul(weight, move2);
      for (int r = 0; r < 3; ++r) {
        const auto g1 = column(r, 0, k1, k2), g2 = column(r, 1, k1, k2);
        hn::Store(hn::MulAdd(g2, parameter(2), hn::Mul(g1, parameter(0))), d,
                  tile.forces + i + r * projective_tile);
        hn::Store(hn::MulAdd(g2, parameter(3), hn::Mul(g1, parameter(1))), d,
                  tile.forces + i + (r + 3) * projective_tile);
      }
    }
    if (tile.projections)
      for (int k = 0; k < 6; ++k)
        hn::Store(column(k % 3, k / 3, x1, x2), d, tile.projections + i + k * projective_tile);
  }
}

// === Vectors of a certain length: springs, and mean curvature vectors

template <class D>
PLIANT_KERNEL_PART void finish_vectors(D d, const ProjectiveTile<hn::TFromD<D>>& tile, Index i,
                                       const hn::Vec<D>* v, const hn::Vec<D>* p) {
  using T = hn::TFromD<D>;
  const auto weight = hn::Load(d, tile.parameters + i);
  auto energy = hn::Zero(d);
  for (int r = 0; r < 3; ++r) {
    const auto move = hn::Sub(p[r], v[r]), force = hn::Mul(weight, move);
    energy = hn::MulAdd(force, move, energy);
    if (tile.forces) hn::Store(force, d, tile.forces + i + r * projective_tile);
    if (tile.projections) hn::Store(p[r], d, tile.projections + i + r * projective_tile);
  }
  if (tile.energies) hn::Store(hn::Mul(hn::Set(d, T(0.5)), energy), d, tile.energies + i);
}

template <class D>
HWY_NOINLINE void project_springs(D d, const ProjectiveTile<hn::TFromD<D>>& tile) {
  using T = hn::TFromD<D>;
  const auto least = hn::Set(d, std::numeric_limits<T>::min());
  const auto one = hn::Set(d, T(1)), zero = hn::Zero(d);
  for (Index i = 0; i < projective_tile; i += static_cast<Index>(hn::Lanes(d))) {
    hn::Vec<D> v[3], p[3];
    for (int r = 0; r < 3; ++r) v[r] = hn::Load(d, tile.inputs + i + r * projective_tile);
    const auto squared = svd3_detail::dot3(d, v, v);
    const auto none = hn::Le(squared, least);  // any direction is nearest
    const auto length = hn::Sqrt(squared);
    const auto target = clamped(d, length, hn::Load(d, tile.parameters + i + projective_tile),
                                hn::Load(d, tile.parameters + i + 2 * projective_tile));
    const auto scale = hn::Div(target, hn::IfThenElse(none, one, length));
    for (int r = 0; r < 3; ++r) p[r] = hn::IfThenElse(none, r == 0 ? target : zero, hn::Mul(scale, v[r]));
    finish_vectors(d, tile, i, v, p);
  }
}

/// The rest norm along v, on the side of the surface where it was at rest [Brandt et al. 2018, appendix A]: this
/// keeps a crease from staying inverted after heavy buckling.
template <class D>
HWY_NOINLINE void project_bending(D d, const ProjectiveTile<hn::TFromD<D>>& tile) {
  using T = hn::TFromD<D>;
  const auto least = hn::Set(d, std::numeric_limits<T>::min());
  const auto one = hn::Set(d, T(1)), zero = hn::Zero(d);
  for (Index i = 0; i < projective_tile; i += static_cast<Index>(hn::Lanes(d))) {
    hn::Vec<D> v[3], normal[3], p[3];
    for (int r = 0; r < 3; ++r) v[r] = hn::Load(d, tile.inputs + i + r * projective_tile);
    for (int r = 0; r < 3; ++r) normal[r] = hn::Load(d, tile.inputs + i + (r + 3) * projective_tile);
    const auto target = hn::Load(d, tile.parameters + i + projective_tile);
    const auto side = hn::Load(d, tile.parameters + i + 2 * projective_tile);
    // A vanishing vector takes the normal's direction, or x.
    const auto squared = svd3_detail::dot3(d, v, v), normal_squared = svd3_detail::dot3(d, normal, normal);
    const auto none = hn::Le(squared, least), no_normal = hn::Le(normal_squared, least);
    const auto flipped = hn::Lt(hn::Mul(side, svd3_detail::dot3(d, v, normal)), zero);
    const auto along = hn::IfThenElse(flipped, hn::Neg(target), target);
    const auto scale = hn::Div(along, hn::Sqrt(hn::IfThenElse(none, one, squared)));
    const auto up = hn::Div(hn::IfThenElse(hn::Lt(side, zero), hn::Neg(target), target),
                            hn::Sqrt(hn::IfThenElse(no_normal, one, normal_squared)));
    for (int r = 0; r < 3; ++r) {
      const auto instead = hn::IfThenElse(no_normal, r == 0 ? target : zero, hn::Mul(up, normal[r]));
      p[r] = hn::IfThenElse(none, instead, hn::Mul(scale, v[r]));
    }
    finish_vectors(d, tile, i, v, p);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#endif
