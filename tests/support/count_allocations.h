#pragma once
// Counts requests for memory, whoever makes them (operator new, Eigen, libraries), by standing in for the C library's
// functions: one file of a test binary includes this. Sanitizers stand there themselves: with them tests are left out.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "pliant/base/parallel.h"
#include "pliant/geometry/structured_grid.h"
#include "pliant/simulation/simulator.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PLIANT_COUNTS_ALLOCATIONS 1
#endif

namespace pliant::testing_support {
inline std::atomic<bool> counting{false};
inline std::atomic<int> requests{0};
inline void count_request() {
  if (counting) ++requests;
}
}  // namespace pliant::testing_support

#ifdef PLIANT_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  pliant::testing_support::count_request();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  pliant::testing_support::count_request();
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  pliant::testing_support::count_request();
  return __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  pliant::testing_support::count_request();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  pliant::testing_support::count_request();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  pliant::testing_support::count_request();
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}
}
#endif

namespace pliant::testing_support {

class Allocations : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef PLIANT_COUNTS_ALLOCATIONS
    GTEST_SKIP() << "memory requests cannot be counted in this build";
#endif
  }

  /// A cantilever above a floor and a ball, one end held; its free end is dragged into both.
  static TetMesh bar() {
    return structured_grid(Vector3d(0, 0, 0), Vector3d(1, 0.25, 0.25), Vector3i(12, 3, 3));
  }
  static std::vector<int> end_of(const TetMesh& mesh, double x) {
    std::vector<int> out;
    for (Index i = 0; i < mesh.vertex_count(); ++i)
      if (std::abs(mesh.vertices(i, 0) - x) < 1e-9) out.push_back(static_cast<int>(i));
    return out;
  }

  /// Requests in each of ten steps, after `warm_up` steps.
  static std::vector<int> requests_of(Simulator& simulator, const TetMesh& mesh, int warm_up) {
    const ScopedThreadCount one(1);
    simulator.fix(end_of(mesh, 0));
    simulator.set_obstacles({Obstacle{.shape = PlaneShape{}, .path = {{{0, Vector3d(0, -0.1, 0)}}}},
                             Obstacle{.shape = SphereShape{0.2},
                                      .path = {{{0, Vector3d(1, -0.1, 0)}, {10, Vector3d(1, 0.1, 0)}}}}});
    const std::vector<int> ends = end_of(mesh, 1);
    const int first = simulator.begin_drag(ends.front(), mesh.vertices.row(ends.front()), 1);
    const int second = simulator.begin_drag(ends.back(), mesh.vertices.row(ends.back()), 0.5);
    std::vector<int> out;
    for (int n = 0; n < warm_up + 10; ++n) {
      const Vector3d down(0, -0.004 * n, 0.002 * n);
      simulator.move_drag(first, mesh.vertices.row(ends.front()).transpose() + down);
      simulator.move_drag(second, mesh.vertices.row(ends.back()).transpose() + down);
      requests = 0;
      counting = true;
      simulator.step();
      counting = false;
      if (n >= warm_up) out.push_back(requests);
    }
    return out;
  }

  static void expect_none(const std::vector<int>& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], 0) << "warm step " << i;
  }
};

}  // namespace pliant::testing_support
