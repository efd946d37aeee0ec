#include "pliant/elasticity/projective_tile.h"

#include <cmath>

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/elasticity/projective_tile.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target

#include "pliant/elasticity/projective_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {

template <class T>
void project_tile_of_type(ProjectiveKind kind, const ProjectiveTile<T>& tile, T growth) {
  const hn::ScalableTag<T> d;
  switch (kind) {
    case ProjectiveKind::tet_strain:
      return project_tets<false>(d, tile, growth);
    case ProjectiveKind::tet_volume:
      return project_tets<true>(d, tile, growth);
    case ProjectiveKind::tet_example:
      return project_examples(d, tile);
    case ProjectiveKind::triangle_strain:
      return project_triangles(d, tile);
    case ProjectiveKind::bending:
      return project_bending(d, tile);
    case ProjectiveKind::spring:
      return project_springs(d, tile);
  }
}

void project_tile_float(ProjectiveKind kind, const ProjectiveTile<float>& tile, double growth) {
  project_tile_of_type(kind, tile, static_cast<float>(growth));
}
void project_tile_double(ProjectiveKind kind, const ProjectiveTile<double>& tile, double growth) {
  project_tile_of_type(kind, tile, growth);
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(project_tile_float);
HWY_EXPORT(project_tile_double);

void project_tile(ProjectiveKind kind, const ProjectiveTile<float>& tile, double volume) {
  HWY_DYNAMIC_DISPATCH(project_tile_float)(kind, tile, std::cbrt(volume));
}
void project_tile(ProjectiveKind kind, const ProjectiveTile<double>& tile, double volume) {
  HWY_DYNAMIC_DISPATCH(project_tile_double)(kind, tile, std::cbrt(volume));
}

}  // namespace pliant
#endif
