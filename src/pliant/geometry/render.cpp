#include "pliant/geometry/render.h"

#include <embree3/rtcore.h>
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pliant/base/error.h"
#include "pliant/base/rng.h"
#include "pliant/geometry/corner_normals.h"
#include "pliant/geometry/nearest_hit.h"

namespace pliant {
namespace {

using Vec = Eigen::Vector3f;
constexpr float pi = std::numbers::pi_v<float>;

Vec to_linear(const Vector3d& srgb) {
  return srgb
      .unaryExpr([](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); })
      .cast<float>();
}

std::uint8_t to_srgb_byte(float linear) {
  const float c = std::clamp(linear, 0.0f, 1.0f);
  const float s = c <= 0.0031308f ? 12.92f * c : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
  return static_cast<std::uint8_t>(std::lround(255 * s));
}

/// Light colours keep their place; what is brighter than white bends towards it.
float shoulder(float c) { return c < 0.7f ? c : 0.7f + 0.3f * std::tanh((c - 0.7f) / 0.3f); }

void check(const std::vector<RenderObject>& objects, const RenderOptions& options) {
  const auto require = [](bool ok, const std::string& what) {
    if (!ok) throw InputError("render: " + what);
  };
  require(options.width >= 1 && options.width <= 16384 && options.height >= 1 && options.height <= 16384,
          fmt::format("the picture is {} x {} pixels; expected 1 to 16384 each way", options.width,
                      options.height));
  require(options.samples >= 1 && options.samples <= 65536,
          fmt::format("samples is {}; expected 1 to 65536", options.samples));
  require(options.zoom > 0 && std::isfinite(options.zoom),
          fmt::format("zoom is {}; expected a positive number", options.zoom));
  require(options.field_of_view > 1 && options.field_of_view < 120,
          fmt::format("field_of_view is {} degrees; expected 1 to 120", options.field_of_view));
  require(std::isfinite(options.azimuth) && std::abs(options.elevation) <= 90,
          fmt::format(
              "the camera stands at azimuth {}, elevation {}; expected degrees, elevation within -90 to 90",
              options.azimuth, options.elevation));
  Index triangles = 0;
  for (std::size_t k = 0; k < objects.size(); ++k) {
    const RenderObject& object = objects[k];
    const Index n = object.mesh.vertex_count();
    triangles += object.mesh.triangle_count();
    require(object.mesh.vertices.allFinite(),
            fmt::format("object {} has a vertex that is not finite; repair the mesh first", k));
    require(object.mesh.triangle_count() == 0 ||
                (object.mesh.triangles.minCoeff() >= 0 && object.mesh.triangles.maxCoeff() < n),
            fmt::format("object {} has a triangle with a vertex outside 0 to {}", k, n - 1));
    require(object.vertex_colors.rows() == 0 || object.vertex_colors.rows() == n,
            fmt::format("object {} has {} vertex colours for {} vertices; give one a vertex, or none", k,
                        object.vertex_colors.rows(), n));
  }
  require(triangles > 0, "no object has a triangle; give at least one mesh with triangles");
}

/// The objects moved to the origin and scaled to radius 1, so that one set of offsets suits every unit.
struct Placement {
  Vector3d center = Vector3d::Zero();
  double scale = 1;
  Vec apply(const Vector3d& p) const { return ((p - center) * scale).cast<float>(); }
};

template <class Visit>
void each_vertex(const std::vector<RenderObject>& objects, Visit&& visit) {
  for (const RenderObject& object : objects)
    for (Index t = 0; t < object.mesh.triangle_count(); ++t)
      for (int k = 0; k < 3; ++k) visit(Vector3d(object.mesh.vertices.row(object.mesh.triangles(t, k))));
}

Placement place(const std::vector<RenderObject>& objects) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vector3d low = Vector3d::Constant(infinity), high = -low;
  each_vertex(objects, [&](const Vector3d& p) { low = low.cwiseMin(p), high = high.cwiseMax(p); });
  Placement placement;
  placement.center = low + 0.5 * (high - low);
  const double radius = 0.5 * (high - low).stableNorm();
  placement.scale = radius > 0 ? 1 / radius : 1;
  return placement;
}

struct Camera {
  Vec eye, right, up, back;
  float tangent;  ///< of half the field of view's height
  float aspect;
};

/// Looks from azimuth and elevation, as near as keeps every vertex in the frame, and centres what it sees.
Camera fit_camera(const std::vector<RenderObject>& objects, const Placement& placement,
                  const RenderOptions& options) {
  const double a = options.azimuth * std::numbers::pi / 180, e = options.elevation * std::numbers::pi / 180;
  Camera camera;
  camera.back = Vector3d(std::sin(a) * std::cos(e), std::sin(e), std::cos(a) * std::cos(e)).cast<float>();
  camera.right = Vector3d(std::cos(a), 0, -std::sin(a)).cast<float>();
  camera.up = camera.back.cross(camera.right);
  camera.tangent = static_cast<float>(std::tan(options.field_of_view * std::numbers::pi / 360));
  camera.aspect = static_cast<float>(options.width) / static_cast<float>(options.height);
  constexpr float margin = 0.80f;
  const float tan_x = margin * camera.tangent * camera.aspect, tan_y = margin * camera.tangent;
  Vec target = Vec::Zero();
  float distance = 1;
  for (int pass = 0; pass < 4; ++pass) {
    distance = 0.01f;
    each_vertex(objects, [&](const Vector3d& vertex) {
      const Vec p = placement.apply(vertex) - target;
      const float needed =
          std::max(std::abs(p.dot(camera.right)) / tan_x, std::abs(p.dot(camera.up)) / tan_y);
      distance = std::max(distance, needed + p.dot(camera.back));
    });
    float low_x = 1e9f, high_x = -1e9f, low_y = 1e9f, high_y = -1e9f;
    each_vertex(objects, [&](const Vector3d& vertex) {
      const Vec p = placement.apply(vertex) - target;
      const float depth = distance - p.dot(camera.back);
      const float x = p.dot(camera.right) / depth, y = p.dot(camera.up) / depth;
      low_x = std::min(low_x, x), high_x = std::max(high_x, x);
      low_y = std::min(low_y, y), high_y = std::max(high_y, y);
    });
    target += distance * 0.5f * ((low_x + high_x) * camera.right + (low_y + high_y) * camera.up);
  }
  camera.tangent /= static_cast<float>(options.zoom);
  camera.eye = target + distance * camera.back;
  return camera;
}

/// The objects as Embree sees them, and what it does not need to know.
class Scene {
 public:
  Scene(const std::vector<RenderObject>& objects, const Placement& placement) : objects_(objects) {
    device_ = rtcNewDevice(nullptr);
    if (!device_) throw Error("render: Embree cannot start on this machine");
    scene_ = rtcNewScene(device_);
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
    for (const RenderObject& object : objects) {
      const RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
      const auto n = static_cast<std::size_t>(object.mesh.vertex_count()),
                 t = static_cast<std::size_t>(object.mesh.triangle_count());
      if (t > 0) {
        auto* positions = static_cast<float*>(rtcSetNewGeometryBuffer(
            geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), n));
        auto* ids = static_cast<unsigned*>(rtcSetNewGeometryBuffer(
            geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), t));
        if (!positions || !ids) throw Error("render: out of memory for the mesh");
        for (std::size_t v = 0; v < n; ++v)
          Eigen::Map<Vec>(positions + 3 * v) =
              placement.apply(object.mesh.vertices.row(static_cast<Index>(v)).transpose());
        for (std::size_t k = 0; k < 3 * t; ++k)
          ids[k] = static_cast<unsigned>(object.mesh.triangles.data()[k]);
      }
      rtcCommitGeometry(geometry);
      rtcAttachGeometry(scene_, geometry);
      rtcReleaseGeometry(geometry);
      normals_.push_back(object.smooth ? corner_normals(object.mesh, object.crease_degrees) : Points(0, 3));
      colors_.push_back(to_linear(object.color));
    }
    rtcCommitScene(scene_);
    lowest_ = std::numeric_limits<float>::infinity();
    each_vertex(objects, [&](const Vector3d& p) { lowest_ = std::min(lowest_, placement.apply(p).y()); });
    scale_ = placement.scale;
  }
  ~Scene() {
    if (scene_) rtcReleaseScene(scene_);
    if (device_) rtcReleaseDevice(device_);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  struct Hit {
    float distance = std::numeric_limits<float>::infinity();
    unsigned object = RTC_INVALID_GEOMETRY_ID, triangle = 0;
    float u = 0, v = 0;
    Vec facet;  ///< unit normal of the triangle, towards where the ray came from
    bool found() const { return object != RTC_INVALID_GEOMETRY_ID; }
  };

  Hit intersect(const Vec& from, const Vec& direction) const {
    RTCRayHit query = ray(from, direction);
    detail::NearestHitContext context;
    rtcIntersect1(scene_, &context.embree, &query);
    Hit hit;
    hit.object = query.hit.geomID;
    if (!hit.found()) return hit;
    hit.triangle = query.hit.primID;
    hit.distance = query.ray.tfar;
    hit.u = query.hit.u, hit.v = query.hit.v;
    hit.facet = Vec(query.hit.Ng_x, query.hit.Ng_y, query.hit.Ng_z).normalized();
    if (hit.facet.dot(direction) > 0) hit.facet = -hit.facet;
    return hit;
  }

  bool occluded(const Vec& from, const Vec& direction) const {
    RTCRay shadow = ray(from, direction).ray;
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(scene_, &context, &shadow);
    return shadow.tfar < 0;
  }

  /// The smooth normal, on the facet's side.
  Vec normal(const Hit& hit) const {
    const Points& corners = normals_[hit.object];
    if (corners.rows() == 0) return hit.facet;
    const Index first = 3 * static_cast<Index>(hit.triangle);
    const Vec n = ((1 - hit.u - hit.v) * corners.row(first) + hit.u * corners.row(first + 1) +
                   hit.v * corners.row(first + 2))
                      .transpose()
                      .cast<float>()
                      .normalized();
    return n.dot(hit.facet) < 0 ? Vec(-n) : n;
  }

  /// The colour at a hit, with the edges drawn `pixel` wide in scene units.
  Vec albedo(const Hit& hit, float pixel) const {
    const RenderObject& object = objects_[hit.object];
    const auto corners = object.mesh.triangles.row(static_cast<Index>(hit.triangle));
    Vec color = colors_[hit.object];
    if (object.vertex_colors.rows() > 0)
      color = to_linear((1 - hit.u - hit.v) * object.vertex_colors.row(corners[0]) +
                        hit.u * object.vertex_colors.row(corners[1]) +
                        hit.v * object.vertex_colors.row(corners[2]));
    if (!object.edges || pixel <= 0) return color;
    const Vector3d p[3] = {object.mesh.vertices.row(corners[0]), object.mesh.vertices.row(corners[1]),
                           object.mesh.vertices.row(corners[2])};
    const double doubled_area = (p[1] - p[0]).cross(p[2] - p[0]).norm() * scale_ * scale_;
    const float weights[3] = {1 - hit.u - hit.v, hit.u, hit.v};
    for (int k = 0; k < 3; ++k) {
      const double side = (p[(k + 1) % 3] - p[(k + 2) % 3]).norm() * scale_;
      // The share of corner k falls linearly to 0 on the opposite side.
      if (weights[k] * doubled_area < 0.5 * object.edge_width * pixel * side) return 0.22f * color;
    }
    return color;
  }

  float gloss(const Hit& hit) const { return static_cast<float>(objects_[hit.object].gloss); }
  float lowest() const { return lowest_; }

 private:
  static RTCRayHit ray(const Vec& from, const Vec& direction) {
    RTCRayHit query{};
    query.ray.org_x = from.x(), query.ray.org_y = from.y(), query.ray.org_z = from.z();
    query.ray.dir_x = direction.x(), query.ray.dir_y = direction.y(), query.ray.dir_z = direction.z();
    query.ray.tfar = std::numeric_limits<float>::infinity();
    query.ray.mask = ~0u;
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    return query;
  }

  const std::vector<RenderObject>& objects_;
  std::vector<Points> normals_;
  std::vector<Vec> colors_;
  RTCDevice device_ = nullptr;
  RTCScene scene_ = nullptr;
  float lowest_ = 0;
  double scale_ = 1;
};

/// The direction whose angle to `axis` has this cosine, turned about the axis by `angle`.
Vec around(const Vec& axis, float cosine, float angle) {
  const Vec other = std::abs(axis.x()) < 0.5f ? Vec::UnitX() : Vec::UnitY();
  const Vec s = axis.cross(other).normalized(), t = axis.cross(s);
  const float sine = std::sqrt(std::max(0.0f, 1 - cosine * cosine));
  return cosine * axis + sine * (std::cos(angle) * s + std::sin(angle) * t);
}

struct Look {
  Vec background, sky, horizon, floor, key;
  float key_cosine;  ///< of the key light's angular radius
};

Look light_look() {
  return {to_linear({0.955, 0.96, 0.968}), Vec(0.60f, 0.64f, 0.71f), Vec(0.44f, 0.44f, 0.45f),
          Vec(0.33f, 0.31f, 0.29f),        Vec(1.02f, 0.95f, 0.85f), std::cos(7 * pi / 180)};
}
Look dark_look() {
  return {to_linear({0.075, 0.085, 0.105}), Vec(0.36f, 0.42f, 0.55f), Vec(0.17f, 0.19f, 0.24f),
          Vec(0.06f, 0.06f, 0.07f),         Vec(1.20f, 1.11f, 0.98f), std::cos(6 * pi / 180)};
}

/// What one sample of a pixel sees. Opacity is below 1 only where the bare background would be.
struct Radiance {
  Vec color;
  float opacity;
};

class Tracer {
 public:
  Tracer(const Scene& scene, const Camera& camera, const RenderOptions& options)
      : scene_(scene),
        camera_(camera),
        look_(options.dark ? dark_look() : light_look()),
        ground_(options.ground),
        dark_(options.dark),
        key_((-0.55f * camera.right + 0.80f * Vec::UnitY() + 0.38f * camera.back).normalized()),
        pixel_(2 * camera.tangent / static_cast<float>(options.height)) {}

  /// x to the right and y upwards, -1 to 1 over the picture; xi: four uniform numbers.
  Radiance sample(float x, float y, const float* xi) const {
    const Vec direction =
        (camera_.tangent * (x * camera_.aspect * camera_.right + y * camera_.up) - camera_.back).normalized();
    const Scene::Hit hit = scene_.intersect(camera_.eye, direction);
    if (ground_ && direction.y() < -1e-4f && camera_.eye.y() > scene_.lowest()) {
      const float distance = (scene_.lowest() - camera_.eye.y()) / direction.y();
      if (distance < hit.distance) return floor(camera_.eye + distance * direction, xi);
    }
    if (!hit.found()) return {look_.background, 0};
    return {surface(hit, direction, xi), 1};
  }

 private:
  Vec sky(const Vec& direction) const {
    const float up = direction.y();
    if (up < 0) return look_.horizon + (look_.floor - look_.horizon) * std::min(1.0f, -3 * up);
    return look_.horizon + (look_.sky - look_.horizon) * std::sqrt(up);
  }

  Vec key_direction(const float* xi) const {
    return around(key_, 1 - xi[0] * (1 - look_.key_cosine), 2 * pi * xi[1]);
  }

  Vec surface(const Scene::Hit& hit, const Vec& direction, const float* xi) const {
    const Vec point = camera_.eye + hit.distance * direction + 2e-4f * hit.facet;
    const Vec normal = scene_.normal(hit);
    const Vec albedo = scene_.albedo(hit, hit.distance * pixel_);

    // === Key light, a small disc: soft shadows
    const Vec to_key = key_direction(xi);
    const float facing = normal.dot(to_key);
    const bool lit = facing > 0 && !scene_.occluded(point, to_key);
    Vec light = lit ? Vec(facing * look_.key) : Vec(Vec::Zero());

    // === Sky, by the cosine; what blocks it gives back some of its own colour
    const Vec to_sky = around(normal, std::sqrt(1 - xi[2]), 2 * pi * xi[3]);
    if (to_sky.dot(hit.facet) > 0) {
      const Scene::Hit blocker = scene_.intersect(point, to_sky);
      light +=
          blocker.found() ? Vec(0.38f * scene_.albedo(blocker, 0).cwiseProduct(look_.horizon)) : sky(to_sky);
    }
    Vec color = albedo.cwiseProduct(light);

    // === A little gloss: the key light's reflection, and the sky's at grazing angles (Schlick)
    const float gloss = scene_.gloss(hit);
    const float seen = std::max(0.0f, -normal.dot(direction));
    if (lit) {
      const float half = std::max(0.0f, normal.dot((to_key - direction).normalized()));
      color += gloss * 0.45f * std::pow(half, 70.0f) * look_.key;
    }
    const Vec mirrored = direction + 2 * seen * normal;
    const float grazing = 0.03f + 0.97f * std::pow(1 - seen, 5.0f);
    color += gloss * 0.6f * grazing * sky(mirrored);
    return color.unaryExpr([](float c) { return shoulder(c); });
  }

  /// The floor is only where shadows fall: unshadowed it is the background, so it has no horizon.
  Radiance floor(const Vec& where, const float* xi) const {
    const Vec point = where + Vec(0, 2e-4f, 0);
    const float away = Vec(where.x(), 0, where.z()).norm();
    const float fade = std::exp(-0.10f * away * away);
    float shadow = 0;
    if (fade > 1e-3f) {
      if (scene_.occluded(point, key_direction(xi))) shadow += (dark_ ? 0.55f : 0.34f) * fade;
      const Scene::Hit blocker =
          scene_.intersect(point, around(Vec::UnitY(), std::sqrt(1 - xi[2]), 2 * pi * xi[3]));
      if (blocker.found()) shadow += 0.72f * std::exp(-1.4f * blocker.distance) * fade;
    }
    // On dark a pool of light lies under the object, or its shadow would not be seen.
    const float pool = dark_ ? 1 + 2.6f * std::exp(-0.42f * away * away) : 1;
    const float share = std::min(1.0f, shadow);
    return {pool * (1 - share) * look_.background, share};
  }

  const Scene& scene_;
  const Camera& camera_;
  Look look_;
  bool ground_, dark_;
  Vec key_;
  float pixel_;
};

}  // namespace

Image render(const std::vector<RenderObject>& objects, const RenderOptions& options) {
  check(objects, options);
  report(options.progress, "render", 0);
  const Placement placement = place(objects);
  const Camera camera = fit_camera(objects, placement, options);
  const Scene scene(objects, placement);
  const Tracer tracer(scene, camera, options);
  Image image;
  image.width = options.width;
  image.height = options.height;
  image.channels = options.transparent ? 4 : 3;
  image.pixels.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) *
                      static_cast<std::size_t>(image.channels));

  // Each pixel's samples are one low-discrepancy sequence [Roberts 2018], shifted by the pixel's own numbers.
  constexpr int dimensions = 6;
  constexpr double generator = 1.1127756842787055;  // x^7 = x + 1
  double step[dimensions];
  for (int k = 0; k < dimensions; ++k) step[k] = std::pow(generator, -(k + 1));

  const auto shade_pixel = [&](int px, int py) {
    Rng rng(options.seed + 0x9E3779B97F4A7C15ull *
                               (static_cast<std::uint64_t>(py) * static_cast<std::uint64_t>(options.width) +
                                static_cast<std::uint64_t>(px) + 1));
    double xi[dimensions];
    for (double& x : xi) x = rng.uniform();
    Vec sum = Vec::Zero();
    float opacity = 0, values = 0, squares = 0;
    int taken = 0;
    while (taken < options.samples) {
      float numbers[dimensions];
      for (int k = 0; k < dimensions; ++k) {
        xi[k] += step[k];
        if (xi[k] >= 1) xi[k] -= 1;
        numbers[k] = std::min(static_cast<float>(xi[k]), 0.99999f);
      }
      const float x = 2 * (static_cast<float>(px) + numbers[0]) / static_cast<float>(options.width) - 1;
      const float y = 1 - 2 * (static_cast<float>(py) + numbers[1]) / static_cast<float>(options.height);
      const Radiance seen = tracer.sample(x, y, numbers + 2);
      // Transparent pictures carry colour times opacity; a shadow is black of its opacity.
      if (!options.transparent) sum += seen.color;
      if (options.transparent && seen.opacity >= 1) sum += seen.color;
      opacity += seen.opacity;

      // Bare background and even floor need few samples: enough is when the standard error of what is seen no
      // longer shows in eight bits.
      const float value = seen.color.sum() + (options.transparent ? seen.opacity : 0.0f);
      values += value, squares += value * value;
      if (++taken % 16 != 0) continue;
      const float count = static_cast<float>(taken), mean = values / count,
                  variance = std::max(0.0f, squares / count - mean * mean);
      if (variance < count * (0.004f * mean) * (0.004f * mean)) break;
    }
    const float count = static_cast<float>(taken),
                divisor = options.transparent ? std::max(opacity, 1e-6f) : count;
    std::uint8_t* out = image.pixel(px, py);
    for (int c = 0; c < 3; ++c) out[c] = to_srgb_byte(sum[c] / divisor);
    if (options.transparent) out[3] = static_cast<std::uint8_t>(std::lround(255 * opacity / count));
  };

  constexpr int tile = 16;
  const int tiles = (options.width + tile - 1) / tile;
  for (int band = 0; band < options.height; band += tile) {
    parallel_for(tiles, 1, [&](Index t) {
      const int first = static_cast<int>(t) * tile;
      for (int py = band; py < std::min(band + tile, options.height); ++py)
        for (int px = first; px < std::min(first + tile, options.width); ++px) shade_pixel(px, py);
    });
    report(options.progress, "render", std::min(1.0, static_cast<double>(band + tile) / options.height));
  }
  return image;
}

}  // namespace pliant
