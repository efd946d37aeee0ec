#include "pliant/numerics/svd3.h"

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/numerics/svd3.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target

#include "pliant/numerics/svd3-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {

template <class T>
void svd3_of_type(Index count, const T* F, Index stride, T* U, T* sigma, T* V) {
  const hn::ScalableTag<T> d;
  const Rows<T> results[] = {{U, stride, 9}, {sigma, stride, 3}, {V, stride, 9}};
  svd3_batch(d, count, F, stride, results, [d](const auto& svd, const auto& targets, Index offset) HWY_ATTR {
    store_rows(d, svd.U, targets[0], offset);
    store_rows(d, svd.sigma, targets[1], offset);
    store_rows(d, svd.V, targets[2], offset);
  });
}

void svd3_float(Index count, const float* F, Index stride, float* U, float* sigma, float* V) {
  svd3_of_type(count, F, stride, U, sigma, V);
}
void svd3_double(Index count, const double* F, Index stride, double* U, double* sigma, double* V) {
  svd3_of_type(count, F, stride, U, sigma, V);
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(svd3_float);
HWY_EXPORT(svd3_double);

void svd3(Index count, const float* F, Index stride, float* U, float* sigma, float* V) {
  HWY_DYNAMIC_DISPATCH(svd3_float)(count, F, stride, U, sigma, V);
}
void svd3(Index count, const double* F, Index stride, double* U, double* sigma, double* V) {
  HWY_DYNAMIC_DISPATCH(svd3_double)(count, F, stride, U, sigma, V);
}

Svd3<float> svd3(const Eigen::Matrix3f& F) {
  Svd3<float> result;
  svd3(1, F.data(), 1, result.U.data(), result.sigma.data(), result.V.data());
  return result;
}
Svd3<double> svd3(const Eigen::Matrix3d& F) {
  Svd3<double> result;
  svd3(1, F.data(), 1, result.U.data(), result.sigma.data(), result.V.data());
  return result;
}

}  // namespace pliant
#endif
