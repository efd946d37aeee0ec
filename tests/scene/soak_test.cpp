#include "soak.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

TEST(Soak, TwoThousandRoughStepsStayFinite) {
  const SoakReport report = run_soak(2000, 20260101);
  EXPECT_EQ(report.failure, "");
  EXPECT_EQ(report.steps, 2000);
}

}  // namespace
}  // namespace pliant
