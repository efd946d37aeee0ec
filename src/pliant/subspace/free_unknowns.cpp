#include "pliant/subspace/free_unknowns.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

FreeUnknowns free_unknowns(Index vertex_count, std::span<const int> fixed,
                           std::span<const int> held_unknowns) {
  FreeUnknowns result;
  result.place.assign(at(3 * vertex_count), 0);
  for (int v : fixed)
    for (int k = 0; k < 3; ++k) result.place[at(3 * v + k)] = -1;
  for (int i : held_unknowns) result.place[at(i)] = -1;
  for (int i = 0; i < 3 * vertex_count; ++i) {
    if (result.place[at(i)] < 0) continue;
    result.place[at(i)] = static_cast<int>(result.unknowns.size());
    result.unknowns.push_back(i);
  }
  return result;
}

SparseMatrix restrict_to(const SparseMatrix& A, const FreeUnknowns& free) {
  const auto size = static_cast<Index>(free.unknowns.size());
  if (size == A.rows()) return A;
  SparseMatrix result(size, size);
  result.reserve(A.nonZeros());
  for (Index column = 0; column < size; ++column) {
    result.startVec(column);
    for (SparseMatrix::InnerIterator entry(A, free.unknowns[at(column)]); entry; ++entry)
      if (const int row = free.place[at(entry.row())]; row >= 0)
        result.insertBack(row, column) = entry.value();
  }
  result.finalize();
  return result;
}

}  // namespace pliant
