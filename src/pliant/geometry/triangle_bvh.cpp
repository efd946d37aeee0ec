#include "pliant/geometry/triangle_bvh.h"

#include <embree3/rtcore.h>
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/geometry/nearest_hit.h"

namespace pliant {
namespace {

RTCDevice shared_device() {
  // One for the program: a device holds threads and settings, no geometry.
  static const RTCDevice device = rtcNewDevice(nullptr);
  if (!device) throw Error("triangle_bvh: Embree cannot start on this machine");
  return device;
}

Vector3d closest_point_on_segment(const Vector3d& p, const Vector3d& a, const Vector3d& b) {
  const Vector3d ab = b - a;
  const double length2 = ab.squaredNorm();
  if (!(length2 > 0)) return a;
  const double t = ab.dot(p - a) / length2;
  if (t <= 0) return a;
  if (t >= 1) return b;
  // From the nearer end, so that a point beside b keeps its digits.
  return t < 0.5 ? Vector3d(a + t * ab) : Vector3d(b - ((b - p).dot(ab) / length2) * ab);
}

}  // namespace

void require_triangles(std::string_view who, const TriMesh& mesh) {
  if (mesh.triangle_count() == 0)
    throw InputError(fmt::format("{}: the surface has no triangles; expected at least one", who));
  for (Index t = 0; t < mesh.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k)
      if (mesh.triangles(t, k) < 0 || mesh.triangles(t, k) >= mesh.vertex_count())
        throw InputError(fmt::format("{}: triangle {} names vertex {}; expected 0 to {}", who, t,
                                     mesh.triangles(t, k), mesh.vertex_count() - 1));
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    if (!mesh.vertices.row(v).allFinite())
      throw InputError(fmt::format("{}: vertex {} is ({}, {}, {}); expected finite coordinates", who, v,
                                   mesh.vertices(v, 0), mesh.vertices(v, 1), mesh.vertices(v, 2)));
}

Vector3d closest_point_on_triangle(const Vector3d& p, const Vector3d& a, const Vector3d& b,
                                   const Vector3d& c) {
  const Vector3d ab = b - a, bc = c - b, ca = a - c;
  const Vector3d n = ab.cross(-ca);
  const double n2 = n.squaredNorm();
  // Side of p against the three planes through an edge along n. This form keeps its digits on slivers, where
  // barycentric coordinates from dot products lose them.
  const double side_ab = n.dot(ab.cross(p - a)), side_bc = n.dot(bc.cross(p - b)),
               side_ca = n.dot(ca.cross(p - c));
  // Narrower than this at a, rounding decides where n points: the edges are the triangle.
  const bool flat = !(n2 > 1e-16 * ab.squaredNorm() * ca.squaredNorm());
  if (!flat && side_ab >= 0 && side_bc >= 0 && side_ca >= 0) return p - (n.dot(p - a) / n2) * n;

  // Outside: the closest point lies on an edge that separates p from the triangle.
  Vector3d best = a;
  double best2 = std::numeric_limits<double>::infinity();
  const auto consider = [&](const Vector3d& from, const Vector3d& to) {
    const Vector3d q = closest_point_on_segment(p, from, to);
    if (const double d2 = (q - p).squaredNorm(); d2 < best2) best = q, best2 = d2;
  };
  if (flat || side_ab < 0) consider(a, b);
  if (flat || side_bc < 0) consider(b, c);
  if (flat || side_ca < 0) consider(c, a);
  return best;
}

struct TriangleBvh::Tree {
  RTCScene scene = nullptr;
  Points corners;  // 3t x 3: the corners of triangle t lie together, in the mesh's own coordinates
  Vector3d lower, upper, centre;
  double scale = 1;  // Embree sees (x - centre) * scale, within [-1, 1]

  ~Tree() {
    if (scene) rtcReleaseScene(scene);
  }
  Vector3d corner(Index t, int k) const { return corners.row(3 * t + k); }
};

namespace {

struct Search {
  const Points* corners;
  Vector3d p;
  double scale, slack;  // slack: what single precision may get wrong, in the unit box
  double best2;         // squared distance in the mesh's coordinates
  Vector3d point = Vector3d::Zero();
  int triangle = -1;

  bool offer(int t) {
    const Vector3d a = corners->row(3 * t), b = corners->row(3 * t + 1), c = corners->row(3 * t + 2);
    // Most triangles offered are too far by their own box already; the margin is for rounding.
    const Vector3d low = a.cwiseMin(b).cwiseMin(c), high = a.cwiseMax(b).cwiseMax(c);
    const double box2 = (low - p).cwiseMax(p - high).cwiseMax(0.0).squaredNorm();
    if (box2 > best2 * (1 + 1e-12)) return false;
    const Vector3d q = closest_point_on_triangle(p, a, b, c);
    const double d2 = (q - p).squaredNorm();
    const bool nearer = d2 < best2;
    if (nearer || (d2 == best2 && (triangle < 0 || t < triangle))) {
      best2 = d2, point = q, triangle = t;
    }
    return nearer;
  }
  float radius() const {
    return std::nextafter(static_cast<float>(std::sqrt(best2) * scale * (1 + 1e-6) + slack),
                          std::numeric_limits<float>::infinity());
  }
};

// Neighbouring points are often asked for one after the other. The triangle that was closest last time, on
// this thread and in this tree, bounds the search from its start; it changes the time taken, never the result.
int& last_closest(const void* tree) {
  thread_local std::array<std::pair<const void*, int>, 16> memory{};
  auto& [owner, triangle] = memory[(reinterpret_cast<std::uintptr_t>(tree) >> 6) % memory.size()];
  if (owner != tree) owner = tree, triangle = 0;
  return triangle;
}

bool visit(RTCPointQueryFunctionArguments* arguments) {
  Search& search = *static_cast<Search*>(arguments->userPtr);
  if (!search.offer(static_cast<int>(arguments->primID))) return false;
  const float radius = search.radius();
  if (!(radius < arguments->query->radius)) return false;
  arguments->query->radius = radius;
  return true;
}

}  // namespace

TriangleBvh::TriangleBvh(const TriMesh& mesh) {
  require_triangles("triangle_bvh", mesh);
  auto tree = std::make_unique<Tree>();
  const Index count = mesh.triangle_count();
  tree->corners.resize(3 * count, 3);
  for (Index i = 0; i < 3 * count; ++i) tree->corners.row(i) = mesh.vertices.row(mesh.triangles.data()[i]);
  tree->lower = tree->corners.colwise().minCoeff();
  tree->upper = tree->corners.colwise().maxCoeff();
  tree->centre = 0.5 * tree->lower + 0.5 * tree->upper;
  const double half = (0.5 * tree->upper - 0.5 * tree->lower).maxCoeff();
  // Embree refuses rays longer than about 1e18 in its own units.
  if (half > 1e15 || (half > 0 && half < 1e-15))
    throw InputError(
        fmt::format("triangle_bvh: the box of the triangles is {:.3g} m wide; expected 1e-15 to 1e15; "
                    "scale the mesh first",
                    2 * half));
  tree->scale = half > 0 ? 1 / half : 1;

  const RTCDevice device = shared_device();
  const RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertices = static_cast<float*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                              static_cast<std::size_t>(mesh.vertex_count())));
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    for (int k = 0; k < 3; ++k)
      vertices[3 * v + k] = static_cast<float>((mesh.vertices(v, k) - tree->centre[k]) * tree->scale);
  auto* indices = static_cast<std::uint32_t*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(std::uint32_t),
                              static_cast<std::size_t>(count)));
  for (Index i = 0; i < 3 * count; ++i) indices[i] = static_cast<std::uint32_t>(mesh.triangles.data()[i]);
  rtcSetGeometryPointQueryFunction(geometry, visit);
  rtcCommitGeometry(geometry);

  tree->scene = rtcNewScene(device);
  rtcSetSceneFlags(tree->scene, static_cast<RTCSceneFlags>(RTC_SCENE_FLAG_ROBUST |
                                                           RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION));
  rtcAttachGeometry(tree->scene, geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(tree->scene);
  if (const RTCError error = rtcGetDeviceError(device); error != RTC_ERROR_NONE)
    throw Error(fmt::format("triangle_bvh: Embree reports error {} for {} triangles", static_cast<int>(error),
                            count));
  tree_ = std::move(tree);
}

TriangleBvh::~TriangleBvh() = default;
TriangleBvh::TriangleBvh(TriangleBvh&&) noexcept = default;
TriangleBvh& TriangleBvh::operator=(TriangleBvh&&) noexcept = default;

Vector3d TriangleBvh::corner(Index triangle, int k) const { return tree_->corner(triangle, k); }
const Vector3d& TriangleBvh::lower() const { return tree_->lower; }
const Vector3d& TriangleBvh::upper() const { return tree_->upper; }

ClosestPoint TriangleBvh::closest(const Vector3d& p, double radius) const {
  if (!p.allFinite())
    throw InputError(
        fmt::format("triangle_bvh: the point ({}, {}, {}) has no closest triangle; expected "
                    "finite coordinates",
                    p.x(), p.y(), p.z()));
  const Vector3d unit = (p - tree_->centre) * tree_->scale;
  const double reach = unit.cwiseAbs().maxCoeff();
  const int count = static_cast<int>(tree_->corners.rows() / 3);

  // Rounding to single precision moves the point by at most reach * 2^-24 an axis and a corner by 2^-24; the
  // distance to a box rounds by a few units more.
  Search search{.corners = &tree_->corners,
                .p = p,
                .scale = tree_->scale,
                .slack = 16 * 0x1p-24 * (reach + 1),
                .best2 = radius * radius};
  if (reach < 1e5) {
    int& memory = last_closest(tree_.get());
    if (memory < count) search.offer(memory);
    RTCPointQuery query{static_cast<float>(unit.x()), static_cast<float>(unit.y()),
                        static_cast<float>(unit.z()), 0.0f, search.radius()};
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(tree_->scene, &query, &context, nullptr, &search);
    if (search.triangle >= 0) memory = search.triangle;
  } else {
    // So far away, single precision no longer tells the boxes apart.
    for (int t = 0; t < count; ++t) search.offer(t);
  }
  if (search.triangle < 0) return {};
  return {search.point, std::sqrt(search.best2), search.triangle};
}

std::vector<ClosestPoint> TriangleBvh::closest_points(const Points& points) const {
  std::vector<ClosestPoint> result(static_cast<std::size_t>(points.rows()));
  parallel_for(points.rows(), 256,
               [&](Index i) { result[static_cast<std::size_t>(i)] = closest(Vector3d(points.row(i))); });
  return result;
}

std::optional<RayHit> TriangleBvh::first_hit(const Vector3d& origin, const Vector3d& direction,
                                             double start) const {
  const Vector3d unit = (origin - tree_->centre) * tree_->scale, along = direction * tree_->scale;
  RTCRayHit ray{};
  ray.ray.org_x = static_cast<float>(unit.x());
  ray.ray.org_y = static_cast<float>(unit.y());
  ray.ray.org_z = static_cast<float>(unit.z());
  ray.ray.dir_x = static_cast<float>(along.x());
  ray.ray.dir_y = static_cast<float>(along.y());
  ray.ray.dir_z = static_cast<float>(along.z());
  ray.ray.tnear = static_cast<float>(start);
  ray.ray.tfar = std::numeric_limits<float>::infinity();
  ray.ray.mask = 0xffffffffu;
  ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  detail::NearestHitContext context;
  rtcIntersect1(tree_->scene, &context.embree, &ray);
  if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) return std::nullopt;
  return RayHit{ray.ray.tfar, static_cast<int>(ray.hit.primID)};
}

}  // namespace pliant
