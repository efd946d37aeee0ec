#include "pliant/numerics/polar3.h"

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/numerics/polar3.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target

#include "pliant/numerics/svd3-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {

template <class T>
void polar3_of_type(Index count, const T* F, Index stride, T* R, T* S) {
  const hn::ScalableTag<T> d;
  // Without S its rows are none; the arithmetic stays the same, so R has the same bits.
  const Rows<T> results[] = {{R, stride, 9}, {S ? S : R, stride, S ? 9 : 0}};
  svd3_batch(d, count, F, stride, results, [d](const auto& svd, const auto& targets, Index offset) HWY_ATTR {
    store_rows(d, rotation_of(d, svd).m, targets[0], offset);
    if (targets[1].count > 0) store_rows(d, stretch_of(d, svd).m, targets[1], offset);
  });
}

void polar3_float(Index count, const float* F, Index stride, float* R, float* S) {
  polar3_of_type(count, F, stride, R, S);
}
void polar3_double(Index count, const double* F, Index stride, double* R, double* S) {
  polar3_of_type(count, F, stride, R, S);
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(polar3_float);
HWY_EXPORT(polar3_double);

void polar3(Index count, const float* F, Index stride, float* R, float* S) {
  HWY_DYNAMIC_DISPATCH(polar3_float)(count, F, stride, R, S);
}
void polar3(Index count, const double* F, Index stride, double* R, double* S) {
  HWY_DYNAMIC_DISPATCH(polar3_double)(count, F, stride, R, S);
}

Polar3<float> polar3(const Eigen::Matrix3f& F) {
  Polar3<float> result;
  polar3(1, F.data(), 1, result.R.data(), result.S.data());
  return result;
}
Polar3<double> polar3(const Eigen::Matrix3d& F) {
  Polar3<double> result;
  polar3(1, F.data(), 1, result.R.data(), result.S.data());
  return result;
}

}  // namespace pliant
#endif
