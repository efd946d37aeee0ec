#include "pliant/reduced/local_coordinates.h"

namespace pliant {

template <class T>
LocalCoordinates<T>::LocalCoordinates(Index columns, const VectorXd& constant)
    : constant_(VectorXd::Zero(columns)), q_(static_cast<std::size_t>(3 * columns), T(0)) {
  if (constant.size() == 0) return;
  constant.cwiseAbs().maxCoeff(&anchor_);
  constant_ = constant / constant[anchor_];
  scale_ = 1 / constant[anchor_];
}

template <class T>
void LocalCoordinates<T>::take(const MatrixXd& q, T factor) {
  const Index columns = constant_.size();
  const Vector3d off = constant_[anchor_] * q.row(anchor_).transpose();
  origin_ = scale_ * off;
  // A handle at a time: four rows, which compilers make vectors of.
  for (Index i = 0; i < columns; i += 4) {
    const double *x = q.data() + i, *y = x + columns, *z = y + columns, *one = constant_.data() + i;
    T* to = q_.data() + 3 * i;
    for (Index k = 0; k < 4; ++k) {
      to[3 * k] = factor * static_cast<T>(x[k] - off.x() * one[k]);
      to[3 * k + 1] = factor * static_cast<T>(y[k] - off.y() * one[k]);
      to[3 * k + 2] = factor * static_cast<T>(z[k] - off.z() * one[k]);
    }
  }
}

template class LocalCoordinates<float>;
template class LocalCoordinates<double>;

}  // namespace pliant
