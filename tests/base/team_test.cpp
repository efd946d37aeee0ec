#include "pliant/base/team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace pliant {
namespace {

TEST(TeamParallel, EveryChunkIsDoneOnce) {
  for (const int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    Team team;
    for (const Index count : {0, 1, 2, 3, 17, 1000}) {
      std::vector<int> done(static_cast<std::size_t>(count), 0);
      team.run(count, [&](Index chunk, int) { ++done[static_cast<std::size_t>(chunk)]; });
      for (const int times : done) EXPECT_EQ(times, 1) << count << " chunks, " << threads << " threads";
    }
  }
}

TEST(TeamParallel, ALoopSeesWhatTheOneBeforeItWrote) {
  Team team;
  constexpr Index chunks = 8;
  std::vector<long> values(chunks, 0), sums(chunks, 0);
  for (int turn = 0; turn < 5000; ++turn) {
    team.run(chunks, [&](Index chunk, int) {
      values[static_cast<std::size_t>(chunk)] = sums[static_cast<std::size_t>(chunks - 1 - chunk)] + 1;
    });
    team.run(chunks, [&](Index chunk, int) {
      sums[static_cast<std::size_t>(chunk)] = values[static_cast<std::size_t>((chunk + 3) % chunks)];
    });
  }
  for (const long sum : sums) EXPECT_EQ(sum, 5000);
}

TEST(TeamParallel, NoTwoBodiesRunWithTheSameWorker) {
  Team team;
  std::vector<std::atomic<int>> busy(static_cast<std::size_t>(Team::workers()));
  std::atomic<int> clashes = 0;
  for (int turn = 0; turn < 200; ++turn)
    team.run(64, [&](Index, int worker) {
      ASSERT_LT(worker, Team::workers());
      if (busy[static_cast<std::size_t>(worker)]++ != 0) ++clashes;
      --busy[static_cast<std::size_t>(worker)];
    });
  EXPECT_EQ(clashes, 0);
}

TEST(TeamParallel, InsideALoopAndWhereAnotherHasTheCrewItRunsAlone) {
  const auto own_thread_alone = [](Team& team) {
    const auto own = std::this_thread::get_id();
    bool alone = true;
    team.run(100,
             [&](Index, int worker) { alone = alone && worker == 0 && std::this_thread::get_id() == own; });
    return alone;
  };
  const ScopedThreadCount scope(2);
  std::atomic<int> others = 0;
  parallel_for(8, 1, [&](Index) {
    EXPECT_TRUE(inside_parallel_loop());
    Team team;
    if (!own_thread_alone(team)) ++others;
  });
  EXPECT_EQ(others, 0);
  EXPECT_FALSE(inside_parallel_loop());
  Team first, second;
  EXPECT_TRUE(own_thread_alone(second));
  Team unwanted(false);
  EXPECT_TRUE(own_thread_alone(unwanted));
}

TEST(TeamParallel, ThreadsMayAllHaveTeams) {
  std::vector<std::thread> threads;
  std::atomic<Index> sum = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 300; ++turn) {
        Team team;
        for (int loop = 0; loop < 5; ++loop) team.run(6, [&](Index chunk, int) { sum += chunk; });
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, 4 * 300 * 5 * 15);
}

}  // namespace
}  // namespace pliant
