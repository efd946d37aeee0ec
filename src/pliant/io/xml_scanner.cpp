#include "pliant/io/xml_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pliant/base/error.h"

namespace pliant {
namespace {

constexpr std::pair<char, std::string_view> entities[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};

constexpr std::string_view white_space = " \t\r\n";

}  // namespace

XmlTag XmlScanner::next() {
  while (true) {
    const std::size_t begin = text_.find('<', position_);
    if (begin == std::string_view::npos) {
      position_ = text_.size();
      return {};
    }
    if (text_.substr(begin, 4) == "<!--") {
      const std::size_t end = text_.find("-->", begin + 4);
      if (end == std::string_view::npos) fail_at(begin, "found a comment without end; expected '-->'");
      position_ = end + 3;
      continue;
    }
    // A '>' inside a quoted value does not end the tag.
    std::size_t end = begin + 1;
    for (char quote = '\0'; end < text_.size() && (quote != '\0' || text_[end] != '>'); ++end)
      if (text_[end] == quote)
        quote = '\0';
      else if (quote == '\0' && (text_[end] == '"' || text_[end] == '\''))
        quote = text_[end];
    if (end >= text_.size()) fail_at(begin, "found a tag without end; expected '>'");
    position_ = end + 1;
    std::string_view inside = text_.substr(begin + 1, end - begin - 1);
    if (inside.empty() || inside.front() == '?' || inside.front() == '!') continue;

    XmlTag tag;
    tag.begin = begin;
    tag.end = position_;
    if (inside.front() == '/') {
      tag.closes = true;
      inside.remove_prefix(1);
    } else {
      tag.opens = true;
      if (inside.back() == '/') {
        tag.closes = true;
        inside.remove_suffix(1);
      }
    }
    const std::size_t name_end = std::min(inside.find_first_of(white_space), inside.size());
    tag.name = inside.substr(0, name_end);
    tag.attributes = inside.substr(name_end);
    if (tag.name.empty()) fail_at(begin, "found a tag without a name; expected one");
    return tag;
  }
}

void XmlScanner::fail_at(std::size_t position, const std::string& sentence) const {
  const auto line =
      1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(position), '\n');
  throw InputError(fmt::format("line {}: {}", line, sentence));
}

std::optional<std::string> xml_attribute(const XmlTag& tag, std::string_view name) {
  std::string_view rest = tag.attributes;
  while (true) {
    const std::size_t start = rest.find_first_not_of(white_space);
    const std::size_t equals = rest.find('=', start == std::string_view::npos ? rest.size() : start);
    if (equals == std::string_view::npos) return std::nullopt;
    std::string_view key = rest.substr(start, equals - start);
    while (!key.empty() && white_space.find(key.back()) != std::string_view::npos) key.remove_suffix(1);
    const std::size_t open = rest.find_first_of("\"'", equals);
    if (open == std::string_view::npos) return std::nullopt;
    const std::size_t close = rest.find(rest[open], open + 1);
    if (close == std::string_view::npos) return std::nullopt;
    if (key == name) {
      std::string value(rest.substr(open + 1, close - open - 1));
      for (std::size_t i = 0; (i = value.find('&', i)) != std::string::npos; ++i)
        for (const auto& [character, entity] : entities)
          if (value.compare(i, entity.size(), entity) == 0) {
            value.replace(i, entity.size(), 1, character);
            break;
          }
      return value;
    }
    rest = rest.substr(close + 1);
  }
}

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto entity =
        std::find_if(std::begin(entities), std::end(entities), [&](const auto& e) { return e.first == c; });
    if (entity == std::end(entities))
      result += c;
    else
      result += entity->second;
  }
  return result;
}

}  // namespace pliant
