// Highway compiles this file once a target.
#include "pliant/contact/cone_sweeps.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/contact/cone_sweeps.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

int sweeps_kernel(const double* HWY_RESTRICT matrix, Index apart, double largest, double settled,
                  double unchanged, int sweeps, ConeSweeps& cones) {
  const hn::CappedTag<double, 8> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), stride = cones.stride;
  double *HWY_RESTRICT force = cones.forces.data(), *HWY_RESTRICT beyond = cones.beyond.data();
  const double *HWY_RESTRICT normal = cones.normals.data(), *HWY_RESTRICT friction = cones.friction.data();
  const double enough = settled * settled * largest * largest,
               little = unchanged * unchanged * largest * largest;
  int sweep = 0;
  while (sweep < sweeps) {
    ++sweep;
    double change = 0;
    for (Index i = 0; i < cones.count; ++i) {
      if (friction[i] == ConeSweeps::absent) continue;
      const double* column = matrix + i * apart;
      const double *here = beyond + i, *n = normal + i;
      double* f = force + i;
      const double fits = 1 / column[i];
      double x = f[0] - fits * here[0], y = f[stride] - fits * here[stride],
             z = f[2 * stride] - fits * here[2 * stride];
      const double nx = n[0], ny = n[stride], nz = n[2 * stride];
      const double push = std::max(0.0, nx * x + ny * y + nz * z);
      const double ax = x - push * nx, ay = y - push * ny, az = z - push * nz;
      const double along2 = ax * ax + ay * ay + az * az, most = friction[i] * push;
      if (push <= 0) {
        x = y = z = 0;
      } else if (along2 > most * most) {
        const double part = most / std::sqrt(along2);
        x = push * nx + part * ax, y = push * ny + part * ay, z = push * nz + part * az;
      }
      const double dx = x - f[0], dy = y - f[stride], dz = z - f[2 * stride];
      const double size = dx * dx + dy * dy + dz * dz;
      if (size <= little) continue;
      change = std::max(change, size);
      f[0] = x, f[stride] = y, f[2 * stride] = z;
      const auto vx = hn::Set(d, dx), vy = hn::Set(d, dy), vz = hn::Set(d, dz);
      for (Index j = 0; j < stride; j += lanes) {
        const auto m = hn::Load(d, column + j);
        double* to = beyond + j;
        hn::Store(hn::MulAdd(m, vx, hn::Load(d, to)), d, to);
        hn::Store(hn::MulAdd(m, vy, hn::Load(d, to + stride)), d, to + stride);
        hn::Store(hn::MulAdd(m, vz, hn::Load(d, to + 2 * stride)), d, to + 2 * stride);
      }
    }
    if (change <= enough) break;
  }
  return sweep;
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {
HWY_EXPORT(sweeps_kernel);

void ConeSweeps::reserve(Index points) {
  const auto numbers = static_cast<std::size_t>(whole_vectors(points));
  for (AlignedVector<double>* v : {&forces, &normals, &beyond}) v->reserve(3 * numbers);
  friction.reserve(numbers);
}

void ConeSweeps::resize(Index points) {
  count = points;
  stride = whole_vectors(points);
  const auto numbers = static_cast<std::size_t>(stride);
  for (AlignedVector<double>* v : {&forces, &normals, &beyond}) v->resize(3 * numbers);
  friction.resize(numbers);
}

int sweep_cones(const double* matrix, Index apart, double largest, double settled, double unchanged,
                int sweeps, ConeSweeps& cones) {
  return HWY_DYNAMIC_DISPATCH(sweeps_kernel)(matrix, apart, largest, settled, unchanged, sweeps, cones);
}

}  // namespace pliant
#endif
