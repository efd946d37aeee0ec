#include "pliant/subspace/snapshot_rows.h"

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr Index chunk = 1024;  // vertices

}  // namespace

SnapshotRows::SnapshotRows(const SnapshotFrames& frames, const SnapshotBasis& basis, const VectorXd& masses,
                           int part)
    : frames_(frames), basis_(basis), part_(part), root_masses_(masses.cwiseSqrt()) {
  per_vertex_ = basis.coordinates == SnapshotCoordinates::joint ? 3 : 1;
  observations_ = frames.count * (basis.coordinates == SnapshotCoordinates::shared ? 3 : 1);
  if (basis.appended == 0) return;
  appended_ = basis.U[static_cast<std::size_t>(part)].leftCols(basis.appended);
  for (Index r = 0; r < appended_.rows(); ++r) appended_.row(r) *= root_mass(r);
  coefficients_ = MatrixXd::Zero(appended_.cols(), observations_);
  SnapshotMatrix rows;
  for (Index first = 0; first < frames.vertices; first += chunk) {
    const Index count = std::min(chunk, frames.vertices - first);
    read_raw(first, count, rows);
    coefficients_.noalias() += appended_.middleRows(first * per_vertex_, rows.rows()).transpose() * rows;
  }
}

void SnapshotRows::read_raw(Index first, Index vertices, SnapshotMatrix& out) const {
  out.resize(vertices * per_vertex_, observations_);
  parallel_for_chunks(frames_.count, 16, [&](Index begin, Index end) {
    Points x(vertices, 3);
    for (Index f = begin; f < end; ++f) {
      frames_.read(f, first, vertices, x.data());
      x -= basis_.rest.middleRows(first, vertices);
      for (Index i = 0; i < vertices; ++i) {
        const double root = root_masses_[first + i];
        switch (basis_.coordinates) {
          case SnapshotCoordinates::shared:
            for (int c = 0; c < 3; ++c) out(i, 3 * f + c) = root * x(i, c);
            break;
          case SnapshotCoordinates::separate:
            out(i, f) = root * x(i, part_);
            break;
          case SnapshotCoordinates::joint:
            for (int c = 0; c < 3; ++c) out(3 * i + c, f) = root * x(i, c);
            break;
        }
      }
    }
  });
}

void SnapshotRows::read(Index first, Index vertices, SnapshotMatrix& out) const {
  read_raw(first, vertices, out);
  if (appended_.cols() > 0)
    out.noalias() -= appended_.middleRows(first * per_vertex_, out.rows()) * coefficients_;
}

SnapshotMatrix SnapshotRows::all() const {
  SnapshotMatrix out(rows(), observations_), some;
  for (Index first = 0; first < vertices(); first += chunk) {
    const Index count = std::min(chunk, vertices() - first);
    read(first, count, some);
    out.middleRows(first * per_vertex_, some.rows()) = some;
  }
  return out;
}

}  // namespace pliant
