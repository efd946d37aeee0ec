#include "pliant/hyperreduction/carrying_vertices.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "pliant/base/parallel.h"
#include "pliant/numerics/growing_factor.h"

namespace pliant {
namespace {

constexpr Index vertices_of_a_leaf = 48;
/// Rows of U that differ from a combination of others by less than a 1e-5th of their length are taken for that combination.
constexpr double dependent = 1e-10;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// A vertex, and the mass that it stands for.
struct Carrier {
  int vertex;
  double mass;
};

/// Parts that are each near themselves: halves along the longest side of their box, again and again. Vertices are sorted for that.
void divide(const Points& x, std::span<int> vertices, std::vector<std::vector<Carrier>>& parts, Index count,
            const VectorXd& masses) {
  if (count < 2) {
    std::vector<Carrier>& part = parts.emplace_back();
    for (const int v : vertices) part.push_back({v, masses[v]});
    return;
  }
  Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const int v : vertices) {
    low = low.cwiseMin(x.row(v).transpose());
    high = high.cwiseMax(x.row(v).transpose());
  }
  Index axis = 0;
  (high - low).maxCoeff(&axis);
  const std::size_t half = vertices.size() / 2;
  std::nth_element(vertices.begin(), vertices.begin() + static_cast<std::ptrdiff_t>(half), vertices.end(),
                   [&](int a, int b) { return std::pair(x(a, axis), a) < std::pair(x(b, axis), b); });
  divide(x, vertices.first(half), parts, count / 2, masses);
  divide(x, vertices.subspan(half), parts, count / 2, masses);
}

/// How many columns of U these vertices touch.
Index columns_at(const SkinningBasis& basis, std::span<const Carrier> carriers) {
  const HandleWeights& w = basis.weights;
  std::vector<int> handles;
  for (const Carrier& c : carriers)
    handles.insert(handles.end(), w.handle.begin() + w.first[at(c.vertex)],
                   w.handle.begin() + w.first[at(c.vertex) + 1]);
  std::sort(handles.begin(), handles.end());
  return 4 * (std::unique(handles.begin(), handles.end()) - handles.begin());
}

/// Of rows of U, which are nearly empty.
MatrixXd products(const SkinningBasis& basis, std::span<const Carrier> carriers) {
  struct Entry {
    int handle;
    Eigen::Vector4d numbers;
  };
  std::vector<std::vector<Entry>> rows;
  for (const Carrier& c : carriers) {
    std::vector<Entry>& row = rows.emplace_back();
    for (Index e = basis.weights.first[at(c.vertex)]; e < basis.weights.first[at(c.vertex) + 1]; ++e) {
      const int handle = basis.weights.handle[at(e)];
      Eigen::Vector4d numbers = columns_of(basis, c.vertex, e);
      for (int k = 0; k < 4; ++k)
        if (basis.dropped[at(4 * Index{handle} + k)]) numbers[k] = 0;
      row.push_back({handle, numbers});
    }
  }
  const Index count = std::ssize(carriers);
  MatrixXd out(count, count);
  for (Index a = 0; a < count; ++a)
    for (Index b = a; b < count; ++b) {
      double sum = 0;
      auto i = rows[at(a)].begin(), j = rows[at(b)].begin();
      while (i != rows[at(a)].end() && j != rows[at(b)].end()) {
        if (i->handle == j->handle)
          sum += (i++)->numbers.dot((j++)->numbers);
        else if (i->handle < j->handle)
          ++i;
        else
          ++j;
      }
      out(a, b) = out(b, a) = sum;
    }
  return out;
}

/// Carriers whose rows of U depend on those of others hand their mass over to them, as long as none of these would have to pull: then it
/// is that one which leaves.
void spare(const SkinningBasis& basis, std::vector<Carrier>& carriers) {
  const MatrixXd gram = products(basis, carriers);
  GrowingFactor factor(gram, dependent);
  for (Index i = 0; i < std::ssize(carriers); ++i) {
    Carrier& own = carriers[at(i)];
    if (!(gram(i, i) > 0)) {  // which the subspace does not move
      own.mass = 0;
      continue;
    }
    if (factor.add(i)) continue;
    const VectorXd shares = factor.solve(gram.col(i));
    double given = own.mass;
    Index leaves = -1;
    for (Index j = 0; j < shares.size(); ++j) {
      const double mass = carriers[at(factor.members()[at(j)])].mass;
      if (mass + given * shares[j] < 0) given = -mass / shares[j], leaves = j;
    }
    for (Index j = 0; j < shares.size(); ++j) {
      double& mass = carriers[at(factor.members()[at(j)])].mass;
      mass = std::max(0.0, mass + given * shares[j]);
    }
    own.mass -= given;
    if (leaves < 0) {
      own.mass = 0;
      continue;
    }
    carriers[at(factor.members()[at(leaves)])].mass = 0;
    factor.remove(leaves);
    factor.add(i);  // or, where rounding has it depend on them still, it stays beside them
  }
  std::erase_if(carriers, [](const Carrier& c) { return !(c.mass > 0); });
}

}  // namespace

std::vector<int> carrying_vertices(const SkinningBasis& basis, const VectorXd& masses,
                                   const CarryingOptions& options) {
  const Index n = basis.vertex_count();
  std::vector<int> vertices(at(n));
  std::iota(vertices.begin(), vertices.end(), 0);
  std::erase_if(vertices,
                [&](int v) { return basis.weights.first[at(v)] == basis.weights.first[at(v) + 1]; });
  Index leaves = 1;
  while (leaves * vertices_of_a_leaf < std::ssize(vertices)) leaves *= 2;
  std::vector<std::vector<Carrier>> parts;
  divide(basis.rest, vertices, parts, leaves, masses);
  // === Each part by itself, then pairs of neighbours, up to the whole
  while (true) {
    parallel_for(std::ssize(parts), 1, [&](Index i) {
      if (columns_at(basis, parts[at(i)]) <= options.most_columns) spare(basis, parts[at(i)]);
    });
    if (parts.size() == 1) break;
    std::vector<std::vector<Carrier>> joined;
    for (std::size_t i = 0; i < parts.size(); i += 2) {
      joined.push_back(std::move(parts[i]));
      joined.back().insert(joined.back().end(), parts[i + 1].begin(), parts[i + 1].end());
    }
    parts = std::move(joined);
  }
  std::vector<int> out;
  for (const Carrier& c : parts[0]) out.push_back(c.vertex);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace pliant
