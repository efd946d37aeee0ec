#include "pliant/base/error.h"

#include <gtest/gtest.h>

namespace pliant {

TEST(Error, ContextStandsInFrontOutermostFirst) {
  try {
    with_context("scene.json", [] {
      with_context("bodies[2]", [] { throw InputError("density is -1; expected above 0"); });
    });
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {  // the type survives the rethrow
    EXPECT_STREQ(error.what(), "scene.json: bodies[2]: density is -1; expected above 0");
  }
}

TEST(Error, WithContextReturnsWhatTheBodyReturns) {
  EXPECT_EQ(with_context("x", [] { return 7; }), 7);
}

}  // namespace pliant
