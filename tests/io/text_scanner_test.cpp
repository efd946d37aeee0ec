#include "pliant/io/text_scanner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "pliant/base/error.h"
#include "pliant/base/rng.h"

namespace pliant {
namespace {

std::string message_of(const auto& body) {
  try {
    body();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST(TextScanner, NumbersAreRoundedCorrectly) {
  // strtod of the "C" locale is the judge, over texts of every length and magnitude.
  Rng rng(11);
  for (int i = 0; i < 200000; ++i) {
    const double value =
        i % 2 == 0 ? std::bit_cast<double>(rng.bits()) : rng.normal() * std::pow(10, rng.uniform(-8, 8));
    if (!std::isfinite(value)) continue;
    const int digits = static_cast<int>(rng.integer(20));
    const std::string text = i % 3 == 0   ? fmt::format("{:.{}e}", value, digits)
                             : i % 3 == 1 ? fmt::format("{:.{}g}", value, digits + 1)
                                          : fmt::format("{}", value);
    const double read = TextScanner(text).number("a number"), expected = std::strtod(text.c_str(), nullptr);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(read), std::bit_cast<std::uint64_t>(expected)) << text;
  }
}

TEST(TextScanner, NumbersInEveryDress) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const auto& [text, value] : std::initializer_list<std::pair<const char*, double>>{
           {"+1.5", 1.5},
           {"1.", 1},
           {".5", 0.5},
           {"-.5e1", -5},
           {"1.5D-3", 1.5e-3},
           {"1d2", 100},
           {"1e+2", 100},
           {"inf", inf},
           {"-inf", -inf},
           {"1e999", inf},
           {"-1e999", -inf},
           {"1e-999", 0},
           {"0.0001e-400", 0},
           {"00000000000000000000001", 1},
           {"123456789012345678901234567890", 123456789012345678901234567890.0},
           {"9007199254740993", 9007199254740992.0}})
    EXPECT_EQ(TextScanner(text).number("a number"), value) << text;
  EXPECT_TRUE(std::isnan(TextScanner("nan").number("a number")));
  EXPECT_TRUE(std::signbit(TextScanner("-0").number("a number")));
  for (const char* text : {"", "x", "1x", "1.5.2", "--1", "+-1", "1e", "e5", ".", "-", "1,2", "0x10"})
    EXPECT_THROW(TextScanner(text).number("a number"), InputError) << text;
}

TEST(TextScanner, Integers) {
  EXPECT_EQ(TextScanner("+17").integer("x"), 17);
  EXPECT_EQ(TextScanner("-999999999999999999").integer("x"), -999999999999999999);
  for (const char* text : {"", "1.5", "1e3", "9999999999999999999", "-", "a"})
    EXPECT_THROW(TextScanner(text).integer("x"), InputError) << text;
}

TEST(TextScanner, FailuresNameTheLine) {
  EXPECT_EQ(message_of([] {
              TextScanner scanner("1 2\n# 3\n\n four", {.comment = '#'});
              for (int i = 0; i < 3; ++i) scanner.number("a number");
            }),
            "line 4: found 'four'; expected a number");
  EXPECT_EQ(message_of([] {
              TextScanner scanner("1 2\n");
              for (int i = 0; i < 3; ++i) scanner.number("a number");
            }),
            "line 2: the file ends; expected a number");
}

TEST(TextScanner, ACountCannotExceedWhatFollows) {
  EXPECT_EQ(TextScanner("2\n1 2\n").count("the number of things", 2), 2);
  EXPECT_EQ(message_of([] { TextScanner("1000000000\n1 2\n").count("the number of things", 2); }),
            "line 1: found 1000000000 as the number of things, but only 5 bytes follow");
  EXPECT_THROW(TextScanner("-1\n1 2\n").count("the number of things", 2), InputError);
  EXPECT_THROW(TextScanner("3000000000\n1 2\n").count("the number of things", 2), InputError);
}

TEST(TextScanner, CommasMayBeSpace) {
  TextScanner scanner("1, 2,3", {.comma_is_space = true});
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(scanner.integer("x"), i);
  EXPECT_TRUE(scanner.at_end());
}

}  // namespace pliant
