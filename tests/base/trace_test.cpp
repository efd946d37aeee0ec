#include "pliant/base/trace.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace pliant {

TEST(Trace, AddsUpPhasesOfOneName) {
  Trace trace;
  trace.add("local", 3);
  trace.add("global", 5);
  trace.add("local", 4);
  ASSERT_EQ(trace.phases().size(), 2u);
  EXPECT_EQ(trace.microseconds("local"), 7);
  EXPECT_EQ(trace.phases()[0].calls, 2);
  EXPECT_EQ(trace.total(), 12);
  EXPECT_EQ(trace.microseconds("contact"), 0);
  trace.clear();
  EXPECT_EQ(trace.total(), 0);
  trace.add("local", 1);
  EXPECT_EQ(trace.microseconds("local"), 1);
}

TEST(Trace, AScopeMeasuresTime) {
  Trace trace;
  {
    const Trace::Scope scope(trace, "sleep");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GE(trace.microseconds("sleep"), 5000);
  const Trace::Scope nobody(nullptr, "nothing");  // costs nothing, crashes nothing
}

TEST(Trace, TooManyPhasesAreCountedTogether) {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("phase " + std::to_string(i));
  Trace trace;
  for (const auto& name : names) trace.add(name.c_str(), 1);
  EXPECT_EQ(trace.phases().size(), Trace::capacity);
  EXPECT_EQ(trace.total(), 40);
}

TEST(Trace, IsCheapEnoughToStayOn) {
  Trace trace;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100000; ++i) const Trace::Scope scope(trace, "phase");
  const double each =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / 100000;
  EXPECT_LT(each, 2.0) << "microseconds a phase";  // about 0.06 where the clock needs no system call
}

}  // namespace pliant
