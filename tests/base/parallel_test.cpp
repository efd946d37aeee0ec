#include "pliant/base/parallel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

#include "pliant/base/rng.h"

namespace pliant {
namespace {

// Numbers of very different size: any change in the order of additions changes the last bits.
std::vector<double> awkward_numbers(std::size_t count) {
  Rng rng(3);
  std::vector<double> numbers(count);
  for (double& x : numbers) x = std::exp(rng.uniform(-30, 30)) * (rng.uniform() < 0.5 ? -1 : 1);
  return numbers;
}

double parallel_sum(const std::vector<double>& numbers) {
  return parallel_reduce(
      static_cast<Index>(numbers.size()), 1000, 0.0,
      [&](Index begin, Index end) {
        return std::accumulate(numbers.begin() + begin, numbers.begin() + end, 0.0);
      },
      [](double a, double b) { return a + b; });
}

}  // namespace

TEST(Parallel, EveryIndexIsVisitedOnce) {
  for (int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    for (Index count : {0, 1, 7, 64, 1000}) {
      std::vector<int> visits(static_cast<std::size_t>(count), 0);
      parallel_for(count, 7, [&](Index i) { ++visits[static_cast<std::size_t>(i)]; });
      EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), count);
    }
  }
}

TEST(Parallel, ReductionsHaveTheSameBitsOnAnyNumberOfThreads) {
  const std::vector<double> numbers = awkward_numbers(123457);
  std::set<std::uint64_t> results;
  for (int threads : {1, 2, 3, 8, 0}) {
    const ScopedThreadCount scope(threads);
    const double sum = parallel_sum(numbers);
    std::uint64_t bits;
    std::memcpy(&bits, &sum, sizeof bits);
    results.insert(bits);
  }
  EXPECT_EQ(results.size(), 1u);
}

TEST(Parallel, MoreThreadsThanCoresReallyRun) {
  const ScopedThreadCount scope(4);
  EXPECT_EQ(thread_count(), 4);
  // TBB wakes its workers when it sees fit, shortly after a change of their number too late for a short loop.
  std::set<std::thread::id> seen;
  for (int round = 0; round < 50 && seen.size() < 3; ++round) {
    std::vector<std::thread::id> who(64);
    parallel_for(64, 1, [&](Index i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      who[static_cast<std::size_t>(i)] = std::this_thread::get_id();
    });
    seen.insert(who.begin(), who.end());
  }
  EXPECT_GE(seen.size(), 3u);
}

TEST(Parallel, OneThreadMeansTheCallersThread) {
  const ScopedThreadCount scope(1);
  const auto caller = std::this_thread::get_id();
  parallel_for(100, 1, [&](Index) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(Parallel, LoopsNest) {
  const ScopedThreadCount scope(4);
  std::vector<double> sums(50);
  parallel_for(50, 1, [&](Index i) {
    sums[static_cast<std::size_t>(i)] = parallel_reduce(
        1000, 10, 0.0, [&](Index begin, Index end) { return static_cast<double>(end - begin); },
        [](double a, double b) { return a + b; });
  });
  for (double sum : sums) EXPECT_EQ(sum, 1000);
}

TEST(Parallel, AnExceptionReachesTheCallerAndTheNextLoopWorks) {
  for (int threads : {1, 2, 4}) {
    const ScopedThreadCount scope(threads);
    EXPECT_THROW(parallel_for(1000, 1,
                              [](Index i) {
                                if (i == 500) throw std::runtime_error("stop");
                              }),
                 std::runtime_error);
    EXPECT_EQ(parallel_sum(std::vector<double>(5000, 1.0)), 5000);
  }
}

}  // namespace pliant
