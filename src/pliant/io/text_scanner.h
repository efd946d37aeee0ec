#pragma once
// Words and numbers out of a text in memory: fast, independent of the locale, and exact.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pliant/base/parallel.h"

namespace pliant {

/// What separates words, besides white space.
struct TextRules {
  char comment = '\0';          ///< from here to the end of the line nothing counts; '\0' for no comments
  bool comma_is_space = false;  ///< "1, 2, 3"
};

/// Walks through a text. Every failure is an InputError "line 7: found 'x'; expected y"; the line is only
/// counted then, so that walking stays fast.
class TextScanner {
 public:
  explicit TextScanner(std::string_view text, TextRules rules = {});

  bool at_end();       ///< skips white space, ends of lines and comments, and tells whether anything is left
  bool at_line_end();  ///< the same within a line
  void skip_line();    ///< goes to the start of the next line
  std::string_view word();                     ///< the next word, on any line; empty at the end
  std::string_view word_on_line();             ///< the next word of this line; empty when there is none
  std::string_view peek();                     ///< the next word, without moving
  std::string_view line();                     ///< what is left of this line, without its end; moves on
  double number(const char* expected);         ///< also "nan", "inf", "+1" and Fortran's "1.5D-3"
  std::int64_t integer(const char* expected);  ///< decimal, with or without a sign
  void expect_line_end(const char* after);     ///< fails if this line goes on

  /// A count that the file declares. Each thing takes at least `bytes_each` of what follows, so that a file
  /// cannot ask for more memory than it could fill; at most 2^31 - 1.
  Index count(const char* expected, std::size_t bytes_each);

  [[noreturn]] void fail(const std::string& expected);  ///< "line 7: found <next word>; expected ..."
  [[noreturn]] void fail_at(std::size_t position, const std::string& sentence) const;  ///< "line 7: sentence"

  std::size_t position() const { return static_cast<std::size_t>(next_ - begin_); }
  void move_to(std::size_t position) { next_ = begin_ + position; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - next_); }
  std::string_view rest() const { return {next_, remaining()}; }

 private:
  bool is_blank(char c) const { return c == ' ' || c == '\t' || c == '\r' || (c == ',' && comma_is_space_); }
  bool is_space(char c) const { return c == '\n' || c == '\v' || c == '\f' || is_blank(c); }
  bool ends_word(const char* p) const {
    return p == end_ || is_space(*p) || (comment_ != '\0' && *p == comment_);
  }
  const char* word_end(const char* p) const;
  double slow_number(const char* start, const char* expected);

  const char* begin_;
  const char* next_;
  const char* end_;
  char comment_;
  bool comma_is_space_;
};

/// For messages: the text in quotes, cut short, with what cannot be printed as "?".
std::string in_quotes(std::string_view text);

/// The longest decimal text is read exactly (correctly rounded). True if all of `text` is a number.
bool parse_number(std::string_view text, double& value);

}  // namespace pliant
