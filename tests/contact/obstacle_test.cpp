#include "pliant/contact/obstacle.h"

#include "contact/obstacles.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

double closest_of(const std::vector<Vector3d>& strewn, const Vector3d& p) {
  double best = std::numeric_limits<double>::infinity();
  for (const Vector3d& s : strewn) best = std::min(best, (s - p).squaredNorm());
  return std::sqrt(best);
}

void expect_distance(const ObstacleShape& shape, const std::vector<Vector3d>& strewn, double spacing,
                     auto inside) {
  Rng rng(1);
  const Obstacle obstacle{.shape = shape};
  const PlacedObstacle placed = place(obstacle, 0);
  int seen_inside = 0;
  for (int i = 0; i < 400; ++i) {
    const Vector3d p = random_vector(rng, 1.2);
    const double distance = contact_at(placed, p).distance, brute = closest_of(strewn, p);
    EXPECT_EQ(distance < 0, inside(p)) << p.transpose();
    EXPECT_LE(std::abs(distance), brute + 1e-12) << p.transpose();
    // By Pythagoras, and a little more where the surface curves away from p with a radius of at least 0.6 m.
    const double aside2 = spacing * spacing * (1 + std::abs(distance) / 0.6);
    EXPECT_GE(std::abs(distance), std::sqrt(std::max(0.0, brute * brute - aside2)) - 1e-12) << p.transpose();
    seen_inside += distance < 0;
  }
  EXPECT_GT(seen_inside, 20);
}

TEST(Obstacle, DistancesAreThoseToTheClosestOfManyPointsOnTheSurface) {
  const int n = 120;
  std::vector<Vector3d> sphere, capsule, box;
  const double r = 0.6, half = 0.5;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j < 2 * n; ++j) {
      const double a = M_PI * i / n, b = M_PI * j / n;
      const Vector3d s(std::sin(a) * std::cos(b), std::cos(a), std::sin(a) * std::sin(b));
      sphere.push_back(r * s);
      capsule.push_back(r * s + Vector3d(0, s.y() >= 0 ? half : -half, 0));
      const double y = half * (2.0 * i / n - 1);
      capsule.push_back(Vector3d(r * std::cos(b), y, r * std::sin(b)));
    }
  const double spacing = r * M_PI / n;  // no point of the surface is further than this from a strewn one
  expect_distance(SphereShape{r}, sphere, spacing, [&](const Vector3d& p) { return p.norm() < r; });
  expect_distance(CapsuleShape{r, half}, capsule, spacing, [&](const Vector3d& p) {
    if (std::abs(p.y()) < half) return std::hypot(p.x(), p.z()) < r;
    return (p - Vector3d(0, p.y() > 0 ? half : -half, 0)).norm() < r;
  });

  const Vector3d size(0.5, 0.3, 0.8);
  for (int axis = 0; axis < 3; ++axis)
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= n; ++j)
        for (double side : {-1.0, 1.0}) {
          Vector3d p;
          p[axis] = side, p[(axis + 1) % 3] = 2.0 * i / n - 1, p[(axis + 2) % 3] = 2.0 * j / n - 1;
          box.push_back(p.cwiseProduct(size));
        }
  expect_distance(BoxShape{size}, box, 2 * size.maxCoeff() / n,
                  [&](const Vector3d& p) { return (p.cwiseAbs().array() < size.array()).all(); });
}

TEST(Obstacle, ThePlaneIsSolidBelow) {
  const Obstacle plane{.path = {{{.position = {0, 2, 0}}}}};
  EXPECT_DOUBLE_EQ(contact_at(place(plane, 0), {5, 3, 1}).distance, 1);
  EXPECT_DOUBLE_EQ(contact_at(place(plane, 0), {5, -3, 1}).distance, -5);
}

TEST(Obstacle, ABoxOfTrianglesIsABox) {
  const Vector3d size(0.5, 0.3, 0.8);
  const Obstacle box{.shape = BoxShape{size}}, mesh{.shape = MeshShape{surface_of(box_surface(size))}};
  const PlacedObstacle placed_box = place(box, 0), placed_mesh = place(mesh, 0);
  Rng rng(2);
  int corners = 0, edges = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vector3d p = random_vector(rng, 1.2);
    const Contact a = contact_at(placed_box, p), b = contact_at(placed_mesh, p);
    EXPECT_NEAR(a.distance, b.distance, 1e-14);
    EXPECT_LT((a.normal - b.normal).norm(), 1e-12) << p.transpose();
    const Matrix3d ha = distance_hessian(placed_box, p), hb = distance_hessian(placed_mesh, p);
    EXPECT_LT((ha - hb).norm(), 1e-9 * (1 + ha.norm())) << p.transpose();
    const int rank = static_cast<int>(Eigen::FullPivLU<Matrix3d>(ha).setThreshold(1e-9).rank());
    corners += rank == 2, edges += rank == 1;
  }
  EXPECT_GT(corners, 50);
  EXPECT_GT(edges, 50);
}

TEST(Obstacle, AMeshOnItsSurfaceFacesOutward) {
  const TriMesh ball = icosphere(3);
  const Obstacle mesh{.shape = MeshShape{surface_of(ball)}};
  TriMesh inside_out = ball;
  inside_out.triangles.col(1).swap(inside_out.triangles.col(2));
  const Obstacle turned{.shape = MeshShape{surface_of(inside_out)}};
  for (const Obstacle* obstacle : {&mesh, &turned})
    for (Index t = 0; t < ball.triangle_count(); t += 7) {
      const Vector3d centre =
          (ball.vertices.row(ball.triangles(t, 0)) + ball.vertices.row(ball.triangles(t, 1)) +
           ball.vertices.row(ball.triangles(t, 2))) /
          3;
      const Contact contact = contact_at(place(*obstacle, 0), centre);
      EXPECT_NEAR(contact.distance, 0, 1e-14);
      EXPECT_GT(contact.normal.dot(centre.normalized()), 0.99);
    }
}

/// Whether the distance has a corner within `step` of p: there, no derivative.
bool near_corner(const PlacedObstacle& placed, const Vector3d& p, double step) {
  const Contact here = contact_at(placed, p);
  const Matrix3d hessian = distance_hessian(placed, p);
  for (int c = 0; c < 3; ++c)
    for (double side : {-step, step}) {
      const Vector3d q = p + side * Vector3d::Unit(c);
      if ((contact_at(placed, q).normal - here.normal).norm() > 0.02 ||
          (distance_hessian(placed, q) - hessian).norm() > 0.1 * (1 + hessian.norm()))
        return true;
    }
  return false;
}

TEST(Obstacle, NormalsAndHessiansAreDerivativesOfTheDistance) {
  for (const double thickness : {0.0, 0.1})
    for (const NamedObstacle& named : one_of_each(thickness)) {
      const PlacedObstacle placed = place(named.obstacle, 0);
      Rng rng(3);
      const double step = 1e-5;
      int tried = 0;
      for (int i = 0; i < 500; ++i) {
        const Vector3d p = random_vector(rng);
        if (near_corner(placed, p, 2 * step)) continue;
        ++tried;
        Vector3d gradient;
        Matrix3d hessian;
        for (int c = 0; c < 3; ++c) {
          const Contact plus = contact_at(placed, p + step * Vector3d::Unit(c));
          const Contact minus = contact_at(placed, p - step * Vector3d::Unit(c));
          gradient[c] = (plus.distance - minus.distance) / (2 * step);
          hessian.col(c) = (plus.normal - minus.normal) / (2 * step);
        }
        const Matrix3d exact = distance_hessian(placed, p);
        // Third derivatives are of the order of curvature squared.
        const double scale = 1 + exact.squaredNorm();
        EXPECT_LT((contact_at(placed, p).normal - gradient).norm(), 1e-8 * scale) << named.name;
        EXPECT_LT((exact - hessian).norm(), 1e-6 * scale * scale) << named.name << ' ' << p.transpose();
        EXPECT_NEAR(contact_at(placed, p).normal.norm(), 1, 1e-14);
      }
      EXPECT_GT(tried, 400) << named.name;
    }
}

TEST(Obstacle, AxesAndCentresHaveAnOutwardNormal) {
  const Obstacle sphere{.shape = SphereShape{}},
      capsule{.shape = CapsuleShape{.radius = 0.3, .half_length = 0.5}}, box{.shape = BoxShape{}};
  EXPECT_EQ(contact_at(place(sphere, 0), Vector3d::Zero()).distance, -1);
  EXPECT_EQ(contact_at(place(sphere, 0), Vector3d::Zero()).normal.norm(), 1);
  for (const double y : {0.0, 0.2, -0.5, 0.5}) {
    const Contact on_axis = contact_at(place(capsule, 0), {0, y, 0});
    EXPECT_EQ(on_axis.distance, -0.3);
    EXPECT_EQ(on_axis.normal, Vector3d::UnitX());  // sideways: along the axis would be the longer way out
  }
  EXPECT_EQ(contact_at(place(box, 0), Vector3d::Zero()).distance, -0.5);
  EXPECT_EQ(contact_at(place(box, 0), {0.1, -0.3, 0.2}).normal, Vector3d(0, -1, 0));
  EXPECT_EQ(contact_at(place(box, 0), {0.5, 0, 0}).distance, 0);
  for (const Obstacle* obstacle : {&sphere, &capsule, &box})
    EXPECT_TRUE(distance_hessian(place(*obstacle, 0), Vector3d::Zero()).allFinite());
}

TEST(Obstacle, WithinAgreesWithTheContact) {
  for (const NamedObstacle& named : one_of_each(0.05)) {
    const PlacedObstacle placed = place(named.obstacle, 0);
    Rng rng(4);
    for (int i = 0; i < 500; ++i) {
      const Vector3d p = random_vector(rng, 1.5);
      const double reach = rng.uniform(-0.2, 0.5);
      Contact found;
      const Contact contact = contact_at(placed, p);
      EXPECT_EQ(contact_within(placed, p, reach, found), contact.distance < reach) << named.name;
      if (contact.distance < reach) {
        EXPECT_EQ(found.distance, contact.distance);
        EXPECT_EQ(found.normal, contact.normal);
      }
    }
  }
}

TEST(Obstacle, VelocitiesAreThoseOfThePath) {
  Rng rng(6);
  Obstacle obstacle{.shape = SphereShape{}};
  obstacle.path.keyframes.clear();
  for (const double time : {0.5, 1.25, 2.0, 4.0})
    obstacle.path.keyframes.push_back(
        {.time = time, .position = random_vector(rng, 2), .rotation = random_rotation(rng)});
  const auto material_point = [&](double time, const Vector3d& local) {
    const PlacedObstacle placed = place(obstacle, time);
    return Vector3d(placed.position + placed.rotation * local);
  };
  const double step = 1e-6;
  for (int i = 0; i < 200; ++i) {
    const double time = rng.uniform(0, 5);
    const Vector3d local = random_vector(rng);
    const Vector3d difference =
        (material_point(time + step, local) - material_point(time - step, local)) / (2 * step);
    const Contact contact = contact_at(place(obstacle, time), material_point(time, local));
    EXPECT_LT((contact.velocity - difference).norm(), 1e-7) << time;
  }
  // Keyframes are met, rotations stay rotations, and before and after everything rests.
  for (const Keyframe& key : obstacle.path.keyframes) {
    const PlacedObstacle placed = place(obstacle, key.time);
    EXPECT_LT((placed.position - key.position).norm(), 1e-14);
    EXPECT_LT((placed.rotation - key.rotation.toRotationMatrix()).norm(), 1e-12);
  }
  for (const double time : {0.0, 4.5}) {
    EXPECT_EQ(place(obstacle, time).velocity, Vector3d::Zero());
    EXPECT_EQ(place(obstacle, time).angular_velocity, Vector3d::Zero());
  }
}

TEST(Obstacle, RotationsTakeTheShorterArc) {
  Obstacle obstacle;
  const Eigen::Quaterniond end(Eigen::AngleAxisd(1.0, Vector3d::UnitZ()));
  const Eigen::Quaterniond same(-end.w(), -end.x(), -end.y(), -end.z());
  for (const Eigen::Quaterniond& q : {end, same}) {
    obstacle.path.keyframes = {{.time = 0}, {.time = 2, .rotation = q}};
    EXPECT_LT((place(obstacle, 1).angular_velocity - Vector3d(0, 0, 0.5)).norm(), 1e-14);
  }
}

TEST(Obstacle, BadOnesGetASentence) {
  EXPECT_TRUE(contains(message_of([] { check({.shape = SphereShape{-1}}); }), "radius must be above 0"));
  EXPECT_TRUE(contains(message_of([] { check({.shape = BoxShape{{1, 0, 1}}}); }), "half_size"));
  EXPECT_TRUE(contains(message_of([] { check({.shape = MeshShape{}}); }), "needs its surface"));
  EXPECT_TRUE(contains(message_of([] { check({.friction = -0.1}); }), "friction must not be negative"));
  EXPECT_TRUE(contains(message_of([] { check({.restitution = 1.1}); }), "restitution must be 0 to 1"));
  EXPECT_TRUE(contains(message_of([] { check({.path = {{}}}); }), "at least one keyframe"));
  EXPECT_TRUE(contains(message_of([] { check({.path = {{{.time = 1}, {.time = 1}}}}); }), "must ascend"));
  EXPECT_EQ(message_of([] { check(Obstacle{}); }), "");
}

}  // namespace
}  // namespace pliant
