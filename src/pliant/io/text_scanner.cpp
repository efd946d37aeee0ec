#include "pliant/io/text_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "pliant/base/error.h"

namespace pliant {
namespace {

constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// What a number too large or too small for a double becomes: its sign times infinity or zero. The text is
// valid, its first digit that is not zero tells which.
double beyond_range(std::string_view text) {
  const bool negative = text.front() == '-';
  long magnitude = 0;  // decimal exponent of the first digit that counts
  bool seen_point = false, seen_digit = false;
  std::size_t i = negative ? 1 : 0;
  for (; i < text.size() && (is_digit(text[i]) || text[i] == '.'); ++i) {
    if (text[i] == '.') {
      seen_point = true;
    } else {
      seen_digit = seen_digit || text[i] != '0';
      if (seen_digit && !seen_point) ++magnitude;
      if (!seen_digit && seen_point) --magnitude;
    }
  }
  long exponent = 0;
  bool exponent_negative = false;
  if (i < text.size()) ++i;  // the 'e'
  for (; i < text.size(); ++i) {
    if (text[i] == '-') exponent_negative = true;
    if (is_digit(text[i]) && exponent < 1'000'000'000) exponent = 10 * exponent + (text[i] - '0');
  }
  magnitude += exponent_negative ? -exponent : exponent;
  const double value = magnitude > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -value : value;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result = "'";
  for (const char c : text.substr(0, longest)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > longest ? "...'" : "'");
}

bool parse_number(std::string_view text, double& value) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return false;
  }
  std::string copy;
  if (const std::size_t d = text.find_first_of("dD"); d != std::string_view::npos) {
    copy = text;
    copy[d] = 'e';
    text = copy;
  }
  // from_chars does not take the "+" of an exponent's mantissa but does take that of the exponent.
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || status == std::errc::invalid_argument) return false;
  if (status == std::errc::result_out_of_range) value = beyond_range(text);
  return true;
}

TextScanner::TextScanner(std::string_view text, TextRules rules)
    : begin_(text.data()),
      next_(text.data()),
      end_(text.data() + text.size()),
      comment_(rules.comment),
      comma_is_space_(rules.comma_is_space) {}

bool TextScanner::at_end() {
  while (true) {
    while (next_ != end_ && is_space(*next_)) ++next_;
    if (next_ == end_) return true;
    if (comment_ == '\0' || *next_ != comment_) return false;
    skip_line();
  }
}

bool TextScanner::at_line_end() {
  while (next_ != end_ && is_blank(*next_)) ++next_;
  return next_ == end_ || *next_ == '\n' || (comment_ != '\0' && *next_ == comment_);
}

void TextScanner::skip_line() {
  while (next_ != end_ && *next_ != '\n') ++next_;
  if (next_ != end_) ++next_;
}

const char* TextScanner::word_end(const char* p) const {
  while (p != end_ && !is_space(*p) && (comment_ == '\0' || *p != comment_)) ++p;
  return p;
}

std::string_view TextScanner::word() {
  if (at_end()) return {};
  const char* start = next_;
  next_ = word_end(start);
  return {start, static_cast<std::size_t>(next_ - start)};
}

std::string_view TextScanner::word_on_line() { return at_line_end() ? std::string_view{} : word(); }

std::string_view TextScanner::peek() {
  if (at_end()) return {};
  return {next_, static_cast<std::size_t>(word_end(next_) - next_)};
}

std::string_view TextScanner::line() {
  const char* start = next_;
  while (next_ != end_ && *next_ != '\n') ++next_;
  std::string_view result(start, static_cast<std::size_t>(next_ - start));
  if (next_ != end_) ++next_;
  while (!result.empty() && (result.back() == '\r' || is_blank(result.back()))) result.remove_suffix(1);
  while (!result.empty() && is_blank(result.front())) result.remove_prefix(1);
  return result;
}

// Up to 15 digits and a small power of ten are all exact in a double, so that one multiplication or division
// rounds correctly [Clinger 1990]. Nearly every number in a mesh file is of this kind.
double TextScanner::number(const char* expected) {
  if (at_end()) fail(expected);
  const char* p = next_;
  const bool negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  std::uint64_t mantissa = 0;
  const char* digits = p;
  while (p != end_ && is_digit(*p)) mantissa = 10 * mantissa + static_cast<std::uint64_t>(*p++ - '0');
  auto digit_count = p - digits;
  int exponent = 0;
  if (p != end_ && *p == '.') {
    const char* fraction = ++p;
    while (p != end_ && is_digit(*p)) mantissa = 10 * mantissa + static_cast<std::uint64_t>(*p++ - '0');
    exponent = -static_cast<int>(std::min<std::ptrdiff_t>(p - fraction, 1000));
    digit_count += p - fraction;
  }
  // 19 digits fit 64 bits; then the mantissa's value decides. Leading zeros do no harm.
  if (digit_count == 0 || digit_count > 19 || mantissa > (1ull << 53)) return slow_number(next_, expected);
  if (p != end_ && (*p == 'e' || *p == 'E')) {
    ++p;
    const bool exponent_negative = p != end_ && *p == '-';
    if (p != end_ && (*p == '-' || *p == '+')) ++p;
    int value = 0;
    const char* start = p;
    while (p != end_ && is_digit(*p) && p - start < 4) value = 10 * value + (*p++ - '0');
    if (p == start) return slow_number(next_, expected);
    exponent += exponent_negative ? -value : value;
  }
  if (!ends_word(p) || exponent < -22 || exponent > 22) return slow_number(next_, expected);
  double value = static_cast<double>(mantissa);
  value = exponent < 0 ? value / powers_of_ten[-exponent] : value * powers_of_ten[exponent];
  next_ = p;
  return negative ? -value : value;
}

double TextScanner::slow_number(const char* start, const char* expected) {
  const char* stop = word_end(start);
  double value = 0;
  if (!parse_number({start, static_cast<std::size_t>(stop - start)}, value)) fail(expected);
  next_ = stop;
  return value;
}

std::int64_t TextScanner::integer(const char* expected) {
  if (at_end()) fail(expected);
  const char* p = next_;
  const bool negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  const char* start = p;
  std::uint64_t value = 0;
  while (p != end_ && is_digit(*p)) value = 10 * value + static_cast<std::uint64_t>(*p++ - '0');
  // 18 digits always fit.
  if (p == start || p - start > 18 || !ends_word(p)) fail(expected);
  next_ = p;
  return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

void TextScanner::expect_line_end(const char* after) {
  if (!at_line_end()) fail(fmt::format("the end of the line after {}", after));
}

Index TextScanner::count(const char* expected, std::size_t bytes_each) {
  at_end();
  const std::size_t where = position();
  const std::int64_t value = integer(expected);
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
    fail_at(where, fmt::format("found {}; expected {}, 0 to 2147483647", value, expected));
  // The last line may lack its end.
  if (static_cast<std::uint64_t>(value) > (remaining() + 1) / bytes_each)
    fail_at(where, fmt::format("found {} as {}, but only {} bytes follow", value, expected, remaining()));
  return static_cast<Index>(value);
}

void TextScanner::fail(const std::string& expected) {
  at_end();
  const std::string_view found = peek();
  if (found.empty()) fail_at(position(), fmt::format("the file ends; expected {}", expected));
  fail_at(position(), fmt::format("found {}; expected {}", in_quotes(found), expected));
}

void TextScanner::fail_at(std::size_t position, const std::string& sentence) const {
  const auto line =
      1 + std::count(begin_, begin_ + std::min(position, static_cast<std::size_t>(end_ - begin_)), '\n');
  throw InputError(fmt::format("line {}: {}", line, sentence));
}

}  // namespace pliant
