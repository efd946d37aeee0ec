#pragma once
// Parallel loops whose results do not depend on the number of threads.
//
// A range is cut into chunks of `grain` indices, whatever the number of threads; a reduction joins the
// chunks' results in order. So the same additions happen in the same order on 1, 2 and N threads: the same
// bits.
#include <cstddef>
#include <vector>

#include "pliant/base/function_ref.h"

namespace pliant {

using Index = std::ptrdiff_t;

/// Threads that parallel loops may use, from here on: 1 runs everything on the calling thread, 0 (the
/// default) uses every core. May exceed the number of cores, up to 1024. Loops that run already keep theirs.
void set_thread_count(int count);
int thread_count();

/// Whether this thread runs the body of such a loop.
bool inside_parallel_loop();

/// Sets the thread count for a scope; tests compare 1, 2 and 8.
class ScopedThreadCount {
 public:
  explicit ScopedThreadCount(int count);
  ~ScopedThreadCount();
  ScopedThreadCount(const ScopedThreadCount&) = delete;
  ScopedThreadCount& operator=(const ScopedThreadCount&) = delete;

 private:
  int before_;
};

/// Calls body(begin, end) over [0, count) in chunks of `grain`. Loops nest. An exception in a body stops the
/// loop and is rethrown here. OpenBLAS is held to one thread meanwhile: its threads inside ours cost more
/// than they give.
void parallel_for_chunks(Index count, Index grain, FunctionRef<void(Index begin, Index end)> body);

/// Calls body(i) for every i in [0, count).
template <class Body>
void parallel_for(Index count, Index grain, Body&& body) {
  parallel_for_chunks(count, grain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) body(i);
  });
}

/// join(... join(join(identity, map(chunk 0)), map(chunk 1)) ..., map(last chunk)), map(begin, end) run in
/// parallel.
template <class T, class Map, class Join>
T parallel_reduce(Index count, Index grain, T identity, Map&& map, Join&& join) {
  if (count <= 0) return identity;
  if (grain < 1) grain = 1;
  std::vector<T> partial(static_cast<std::size_t>((count + grain - 1) / grain), identity);
  parallel_for_chunks(count, grain, [&](Index begin, Index end) {
    partial[static_cast<std::size_t>(begin / grain)] = map(begin, end);
  });
  T result = std::move(identity);
  for (T& part : partial) result = join(std::move(result), std::move(part));
  return result;
}

}  // namespace pliant
