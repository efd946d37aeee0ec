#pragma once
// Rays through Embree with the same answer on any number of threads.
#include <embree3/rtcore.h>

#include <limits>
#include <tuple>

namespace pliant::detail {

/// The context of one rtcIntersect1, in a scene with RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION. Of triangles
/// equally near, along a shared edge, the first one counts: which of them Embree finds first depends on how
/// many threads built its tree.
struct NearestHitContext {
  RTCIntersectContext embree;  // first: Embree hands back its address
  float distance = std::numeric_limits<float>::infinity();
  unsigned object = 0, triangle = 0;

  NearestHitContext() {
    rtcInitIntersectContext(&embree);
    embree.filter = first_of_equals;
  }

 private:
  static void first_of_equals(const RTCFilterFunctionNArguments* arguments) {
    auto& nearest = *reinterpret_cast<NearestHitContext*>(arguments->context);
    const float far = RTCRayN_tfar(arguments->ray, 1, 0);
    const unsigned geometry = RTCHitN_geomID(arguments->hit, 1, 0),
                   primitive = RTCHitN_primID(arguments->hit, 1, 0);
    if (far == nearest.distance &&
        std::tie(geometry, primitive) > std::tie(nearest.object, nearest.triangle)) {
      arguments->valid[0] = 0;
      return;
    }
    nearest.distance = far, nearest.object = geometry, nearest.triangle = primitive;
  }
};

}  // namespace pliant::detail
