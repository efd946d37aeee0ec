#include "pliant/base/progress.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace pliant {

TEST(Progress, DrawsNothingInAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::FILE* stream = fdopen(ends[1], "w");
  {
    ProgressBar bar(stream);
    bar.update("reading", 0.5);
  }
  std::fclose(stream);
  char buffer[16];
  EXPECT_EQ(read(ends[0], buffer, sizeof buffer), 0);
  close(ends[0]);
}

TEST(Progress, DrawsABarOnATerminalAndErasesIt) {
  int master, slave;
  if (openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) GTEST_SKIP() << "no pseudo-terminal here";
  std::FILE* stream = fdopen(slave, "w");
  {
    ProgressBar bar(stream);
    bar.update("reading", 0.5);
    bar.update("reading", 0.6);  // too soon: not drawn
  }
  std::fclose(stream);
  std::string drawn;  // a terminal may give it in pieces
  char buffer[512];
  for (ssize_t size; (size = read(master, buffer, sizeof buffer)) > 0;)
    drawn.append(buffer, static_cast<std::size_t>(size));
  EXPECT_NE(drawn.find("reading"), std::string::npos);
  EXPECT_NE(drawn.find("50 %"), std::string::npos);
  EXPECT_EQ(drawn.find("60 %"), std::string::npos);
  ASSERT_GE(drawn.size(), 4u);
  EXPECT_EQ(drawn.substr(drawn.size() - 4), "\r\x1b[K");
  close(master);
}

}  // namespace pliant
