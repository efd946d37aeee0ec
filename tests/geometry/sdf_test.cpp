#include "pliant/geometry/sdf.h"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "pliant/base/rng.h"
#include "pliant/geometry/characters.h"
#include "pliant/geometry/letters.h"

namespace pliant {
namespace {

using Function = std::function<double(const Vector3d&)>;

Vector3d random_point(Rng& rng, double half) {
  return {rng.uniform(-half, half), rng.uniform(-half, half), rng.uniform(-half, half)};
}

// Largest |f(p) - f(q)| / |p - q| over near and far pairs.
double steepest_slope(const Function& f, const Vector3d& lower, const Vector3d& upper) {
  Rng rng(5);
  double steepest = 0;
  for (int i = 0; i < 20000; ++i) {
    Vector3d p;
    for (int a = 0; a < 3; ++a) p[a] = rng.uniform(lower[a], upper[a]);
    const Vector3d q = p + random_point(rng, std::pow(10.0, rng.uniform(-4, -0.5)));
    steepest = std::max(steepest, std::abs(f(p) - f(q)) / (p - q).norm());
  }
  return steepest;
}

// The distance to points on the surface, tested by walking: from p, the point p - f ∇f lies on the surface.
double worst_foot(const Function& f) {
  Rng rng(6);
  double worst = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vector3d p = random_point(rng, 1.5);
    Vector3d gradient;
    for (int a = 0; a < 3; ++a)
      gradient[a] = (f(p + 1e-6 * Vector3d::Unit(a)) - f(p - 1e-6 * Vector3d::Unit(a))) / 2e-6;
    if (f(p) < 0 || std::abs(gradient.norm() - 1) > 1e-6) continue;  // inside, or beside a ridge
    worst = std::max(worst, std::abs(f(p - f(p) * gradient)));
  }
  return worst;
}

}  // namespace

TEST(Sdf, PrimitivesAreExactDistancesOutside) {
  const Vector3d a(-0.4, 0.1, 0.2), b(0.5, -0.2, 0.1), c(0.1, 0.6, -0.3);
  for (const Function& f : std::vector<Function>{
           [&](const Vector3d& p) { return sdf::sphere(p, a, 0.3); },
           [&](const Vector3d& p) { return sdf::capsule(p, a, b, 0.2); },
           [&](const Vector3d& p) { return sdf::round_cone(p, a, 0.3, b, 0.1); },
           [&](const Vector3d& p) { return sdf::round_cone(p, a, 0.05, b, 0.2); },
           [&](const Vector3d& p) { return sdf::round_cone(p, a, 0.05, a + Vector3d(0, 0.1, 0), 0.3); },
           [&](const Vector3d& p) {
             return sdf::box(p, {0.5, 0.3, 0.2});
           },
           [&](const Vector3d& p) {
             return sdf::box(p, {0.5, 0.3, 0.2}, 0.1);
           },
           [&](const Vector3d& p) { return sdf::torus(p, 0.6, 0.2); },
           [&](const Vector3d& p) { return sdf::thick_triangle(p, a, b, c, 0.1); }}) {
    EXPECT_LT(worst_foot(f), 1e-6);
    EXPECT_LT(steepest_slope(f, Vector3d::Constant(-1), Vector3d::Constant(1)), 1 + 1e-9);
  }
}

TEST(Sdf, RoundConeIsTheUnionOfItsSpheres) {
  const Vector3d a(-0.4, 0.1, 0.2), b(0.5, -0.2, 0.1);
  Rng rng(3);
  for (int i = 0; i < 300; ++i) {
    const Vector3d p = random_point(rng, 1);
    double nearest = 1e9;
    for (int k = 0; k <= 20000; ++k) {
      const double t = k / 20000.0;
      nearest = std::min(nearest, sdf::sphere(p, a + t * (b - a), 0.3 + t * (0.1 - 0.3)));
    }
    if (nearest > 0) {
      EXPECT_NEAR(sdf::round_cone(p, a, 0.3, b, 0.1), nearest, 1e-6);
    }
  }
}

TEST(Sdf, BlendsStayWithinAQuarterOfTheirWidth) {
  Rng rng(4);
  for (int i = 0; i < 1000; ++i) {
    const double a = rng.uniform(-1, 1), b = rng.uniform(-1, 1), k = rng.uniform(0.01, 0.5);
    EXPECT_LE(sdf::smooth_union(a, b, k), std::min(a, b));
    EXPECT_GE(sdf::smooth_union(a, b, k), std::min(a, b) - k / 4);
    EXPECT_EQ(sdf::smooth_union(a, b, k), sdf::smooth_union(b, a, k));
    EXPECT_GE(sdf::smooth_subtraction(a, b, k), std::max(a, -b));
    EXPECT_GE(sdf::smooth_intersection(a, b, k), std::max(a, b));
    if (std::abs(a - b) >= k) {
      EXPECT_EQ(sdf::smooth_union(a, b, k), std::min(a, b));
    }
  }
}

TEST(Sdf, ChainsCullWithoutChangingTheResult) {
  const std::vector<Vector3d> centres{{-0.6, 0, 0}, {-0.2, 0.3, 0.1}, {0.2, 0.2, -0.2}, {0.6, -0.1, 0.1}};
  const std::vector<double> radii{0.2, 0.1, 0.15, 0.05};
  const sdf::Chain chain(centres, radii);
  Rng rng(8);
  for (int i = 0; i < 2000; ++i) {
    const Vector3d p = random_point(rng, 1);
    double nearest = 1e9;
    for (std::size_t k = 0; k < 3; ++k)
      nearest = std::min(nearest, sdf::round_cone(p, centres[k], radii[k], centres[k + 1], radii[k + 1]));
    EXPECT_EQ(chain.distance(p), nearest);
    EXPECT_EQ(chain.distance(p, 0.1), std::min(nearest, 0.1));
    EXPECT_EQ(chain.distance(p, -0.02), std::min(nearest, -0.02));
  }
}

TEST(Sdf, CharactersHaveSlopeAtMostOne) {
  for (const double thinnest : {0.0, 0.06})
    for (const detail::Implicit& solid :
         {detail::squid(thinnest), detail::bear(thinnest), detail::cactus(thinnest), detail::hand(thinnest),
          detail::letters("PLIANT 0123", thinnest)}) {
      EXPECT_LT(steepest_slope(solid.distance, solid.lower, solid.upper), 1 + 1e-9);
    }
}

TEST(Sdf, TheBearIsItsOwnMirrorImage) {
  const Function bear = detail::bear(0).distance;
  Rng rng(9);
  for (int i = 0; i < 1000; ++i) {
    const Vector3d p = random_point(rng, 1);
    EXPECT_EQ(bear(p), bear({-p.x(), p.y(), p.z()}));
  }
}

}  // namespace pliant
