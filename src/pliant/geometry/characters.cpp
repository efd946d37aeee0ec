#include "pliant/geometry/characters.h"

#include <array>
#include <numbers>

#include "pliant/geometry/sdf.h"

namespace pliant::detail {
namespace {

constexpr double pi = std::numbers::pi;

double degrees(double angle) { return angle * pi / 180; }

double mix(double a, double b, double t) { return a + (b - a) * t; }

// A limb that starts at `root` heading `azimuth` (0: towards +z, 90 degrees: +x) and follows a heading that
// turns from pitch to pitch (-90 degrees: straight down, 0: level) at the given shares of its length.
struct Limb {
  Vector3d root;
  double azimuth, sway;                            // radians; sway: how far the azimuth turns along the limb
  double length;                                   // metres
  std::vector<std::pair<double, double>> pitches;  // share of the length, radians
  std::vector<std::pair<double, double>> radii;    // share of the length, metres
};

double along(const std::vector<std::pair<double, double>>& keys, double t) {
  // Smooth between keys, so that neither heading nor thickness has a kink.
  for (std::size_t i = 0; i + 1 < keys.size(); ++i)
    if (t <= keys[i + 1].first) {
      const double s = (t - keys[i].first) / (keys[i + 1].first - keys[i].first);
      return mix(keys[i].second, keys[i + 1].second, s * s * (3 - 2 * s));
    }
  return keys.back().second;
}

sdf::Chain grow(const Limb& limb, double thinnest, int segments) {
  std::vector<Vector3d> centres{limb.root};
  std::vector<double> radii{std::max(thinnest, along(limb.radii, 0))};
  for (int i = 1; i <= segments; ++i) {
    const double t = (i - 0.5) / segments, pitch = along(limb.pitches, t),
                 azimuth = limb.azimuth + limb.sway * t * t;
    const Vector3d heading(std::cos(pitch) * std::sin(azimuth), std::sin(pitch),
                           std::cos(pitch) * std::cos(azimuth));
    centres.push_back(centres.back() + heading * (limb.length / segments));
    radii.push_back(std::max(thinnest, along(limb.radii, static_cast<double>(i) / segments)));
  }
  return {std::move(centres), std::move(radii)};
}

// The limb at the length that makes it touch the ground.
sdf::Chain grow_to_ground(Limb limb, double thinnest, int segments) {
  double shorter = 0, longer = 2;
  for (int step = 0; step < 50; ++step) {
    limb.length = (shorter + longer) / 2;
    const sdf::Chain chain = grow(limb, thinnest, segments);
    double lowest = limb.root.y();
    for (std::size_t i = 0; i < chain.centres().size(); ++i)
      lowest = std::min(lowest, chain.centres()[i].y() - chain.radii()[i]);
    (lowest > 0 ? shorter : longer) = limb.length;
  }
  return grow(limb, thinnest, segments);
}

// The limbs' union. Blended, so that the clefts between them end round, not in a wedge thinner than any cell.
double blended(const std::vector<sdf::Chain>& limbs, const Vector3d& p, double blend) {
  double all = std::numeric_limits<double>::max();
  for (const sdf::Chain& limb : limbs) all = sdf::smooth_union(all, limb.distance(p, all + blend), blend);
  return all;
}

}  // namespace

Implicit squid(double thinnest) {
  // === Eight arms that stand on the ground, and two tentacles held up, around the mouth
  std::vector<sdf::Chain> limbs;
  const double mouth = 0.345;
  const std::array<double, 8> azimuths = {18, 54, 126, 162, 198, 234, 306, 342};
  const std::array<double, 8> sways = {18, 24, 16, 22, 18, 24, 14, 20};
  const std::array<double, 8> curls = {165, 125, 150, 130, 160, 140, 175, 135};
  for (std::size_t i = 0; i < 8; ++i) {
    const double azimuth = degrees(azimuths[i]);
    limbs.push_back(grow_to_ground(
        {.root = {0.066 * std::sin(azimuth), mouth, 0.066 * std::cos(azimuth)},
         .azimuth = azimuth,
         .sway = degrees(sways[i]),  // all the same way round, so that no two tips meet
         .length = 0.5,
         .pitches = {{0, degrees(-58)}, {0.3, degrees(-66)}, {0.66, 0}, {1, degrees(curls[i])}},
         .radii = {{0, 0.038}, {0.35, 0.031}, {0.7, 0.026}, {1, 0.015}}},
        thinnest, 22));
  }
  for (const double side : {-1.0, 1.0})
    limbs.push_back(
        grow({.root = {0.055 * side, mouth + 0.01, 0},
              .azimuth = side * degrees(90),
              .sway = side * degrees(-30),
              .length = 0.62,
              .pitches = {{0, degrees(-35)}, {0.35, degrees(-40)}, {0.6, degrees(10)}, {1, degrees(115)}},
              .radii = {{0, 0.034}, {0.25, 0.022}, {0.70, 0.020}, {0.86, 0.037}, {1, 0.016}}},
             thinnest, 28));

  // === Mantle: a string of spheres upwards, leaning back a little
  std::vector<Vector3d> centres;
  std::vector<double> radii;
  for (int i = 0; i <= 24; ++i) {
    const double t = i / 24.0;
    centres.emplace_back(0, 0.50 + 0.475 * t, -0.06 * t * t);
    radii.push_back(0.022 + 0.112 * std::pow(1 - t * t, 0.85) * (1 + 0.52 * t));
  }
  const sdf::Chain mantle(std::move(centres), std::move(radii));

  const auto distance = [limbs, mantle, thinnest](const Vector3d& p) {
    const Vector3d mirrored(std::abs(p.x()), p.y(), p.z());
    const double arms = blended(limbs, p, 0.02);

    double head = sdf::round_cone(p, {0, 0.435, 0}, 0.106, {0, 0.35, 0}, 0.082);
    head = sdf::smooth_union(head, sdf::sphere(mirrored, {0.084, 0.405, 0.066}, 0.066), 0.02);
    head = sdf::smooth_union(head, arms, 0.035);

    // The mantle ends in a collar around the neck.
    const double collar = sdf::smooth_intersection(mantle.distance(p), 0.462 - p.y(), 0.035);
    const double fin_plane = p.z() + 0.04 + 0.10 * mirrored.x(), fin_radius = std::max(thinnest, 0.013);
    const Vector3d flat(mirrored.x(), p.y(), 0);
    const double outline =
        std::max(0.0, sdf::thick_triangle(flat, {0, 0.94, 0}, {0, 0.72, 0}, {0.195, 0.80, 0}, 0.03));
    const double fins = std::hypot(outline, fin_plane / std::hypot(1.0, 0.1)) / 1.05 - fin_radius;
    const double all = sdf::smooth_union(sdf::smooth_union(collar, fins, 0.05), head, 0.012);
    return sdf::smooth_subtraction(all, sdf::sphere(mirrored, {0.136, 0.414, 0.130}, 0.036), 0.02);  // pupils
  };
  return {distance, {-0.6, -0.05, -0.6}, {0.6, 1.05, 0.6}};
}

Implicit bear(double thinnest) {
  const auto distance = [thinnest](const Vector3d& p) {
    const Vector3d m(std::abs(p.x()), p.y(), p.z());  // a bear is its own mirror image

    double head = sdf::ellipsoid(p, {0, 0.775, 0.01}, {0.192, 0.170, 0.165});
    head = sdf::smooth_union(head, sdf::ellipsoid(p, {0, 0.728, 0.150}, {0.098, 0.075, 0.080}), 0.03);
    const double ear = sdf::smooth_subtraction(sdf::sphere(m, {0.145, 0.915, -0.005}, 0.078),
                                               sdf::sphere(m, {0.150, 0.925, 0.085}, 0.060), 0.03);
    head = sdf::smooth_union(head, ear, 0.025);
    head = sdf::smooth_union(head, sdf::ellipsoid(p, {0, 0.768, 0.220}, {0.044, 0.032, 0.030}), 0.01);
    head = sdf::smooth_union(head, sdf::sphere(m, {0.082, 0.815, 0.148}, 0.027), 0.008);

    double body = sdf::round_cone(p, {0, 0.335, 0.02}, 0.200, {0, 0.53, -0.005}, 0.130);
    const double arm =
        sdf::round_cone(m, {0.13, 0.55, 0.0}, 0.062, {0.295, 0.405, 0.06}, std::max(thinnest, 0.074));
    const double leg =
        sdf::smooth_union(sdf::round_cone(m, {0.108, 0.28, 0.02}, 0.100, {0.128, 0.10, 0.03}, 0.088),
                          sdf::ellipsoid(m, {0.133, 0.068, 0.085}, {0.086, 0.068, 0.118}), 0.05);
    body = sdf::smooth_union(body, arm, 0.04);
    body = sdf::smooth_union(body, leg, 0.035);
    body = sdf::smooth_union(body, sdf::sphere(p, {0, 0.27, -0.195}, 0.055), 0.02);
    return sdf::smooth_union(body, head, 0.03);
  };
  return {distance, {-0.45, -0.05, -0.35}, {0.45, 1.05, 0.35}};
}

Implicit cactus(double thinnest) {
  const double arm = std::max(thinnest, 0.062);
  // A trunk and two arms that leave it sideways, turn up at the elbow, and end at different heights.
  const sdf::Chain trunk({{0, -0.02, 0}, {0, 0.35, 0}, {0, 0.90, 0}}, {0.105, 0.115, 0.095});
  const auto bent = [arm](double side, double height, double reach, double top, double depth) {
    const double bend = 0.11;
    std::vector<Vector3d> centres{{0, height, 0}};
    for (int i = 0; i <= 10; ++i) {
      const double angle = degrees(9.0 * i);
      centres.emplace_back(side * (reach - bend + bend * std::sin(angle)),
                           height + bend * (1 - std::cos(angle)), depth);
    }
    centres.emplace_back(side * reach, top, depth);
    std::vector<double> radii(centres.size(), arm);
    radii.back() = 0.9 * arm;
    return sdf::Chain(std::move(centres), std::move(radii));
  };
  const sdf::Chain left = bent(-1, 0.36, 0.27, 0.72, 0.03), right = bent(1, 0.48, 0.25, 0.80, -0.02);
  const auto distance = [trunk, left, right](const Vector3d& p) {
    const double arms = std::min(left.distance(p), right.distance(p));
    const double standing = sdf::smooth_intersection(trunk.distance(p), -p.y(), 0.03);
    return sdf::smooth_union(standing, arms, 0.06);
  };
  return {distance, {-0.4, -0.05, -0.2}, {0.4, 1.05, 0.2}};
}

Implicit hand(double thinnest) {
  const auto finger = [&](const Vector3d& root, const Vector3d& tip, double r) {
    r = std::max(thinnest, r);
    const Vector3d middle = (root + tip) / 2 + Vector3d(0, 0, 0.015);  // a relaxed hand is never quite flat
    return sdf::Chain({root, middle, tip}, {r, 0.97 * r, 0.88 * r});
  };
  const std::vector<sdf::Chain> fingers = {finger({-0.122, 0.48, 0}, {-0.260, 0.78, 0.0}, 0.045),
                                           finger({-0.042, 0.50, 0}, {-0.092, 0.91, 0.0}, 0.048),
                                           finger({0.043, 0.50, 0}, {0.085, 0.93, 0.0}, 0.048),
                                           finger({0.124, 0.48, 0}, {0.250, 0.84, 0.0}, 0.046),
                                           finger({0.105, 0.30, 0.01}, {0.340, 0.515, 0.06}, 0.056)};
  const auto distance = [fingers](const Vector3d& p) {
    const double digits = blended(fingers, p, 0.035);
    const double palm = sdf::box(p - Vector3d(0, 0.40, 0), {0.180, 0.185, 0.068}, 0.066);
    // The cuff: a flattened tube that runs on below the ground, where a glove is cut open.
    const double cuff = sdf::box(p - Vector3d(0, 0.05, 0), {0.125, 0.30, 0.080}, 0.078);
    return sdf::smooth_union(sdf::smooth_union(palm, cuff, 0.08), digits, 0.045);
  };
  return {distance, {-0.35, -0.35, -0.2}, {0.45, 1.05, 0.25}};
}

}  // namespace pliant::detail
