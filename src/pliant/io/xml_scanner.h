#pragma once
// The tags of an XML text, one after the other: enough XML for .vtu files, and never recursive.
#include <optional>
#include <string>
#include <string_view>

namespace pliant {

struct XmlTag {
  std::string_view name;           ///< empty at the end of the text
  std::string_view attributes;     ///< as written
  bool closes = false;             ///< "</name>" or "<name/>"
  bool opens = false;              ///< "<name>" or "<name/>"
  std::size_t begin = 0, end = 0;  ///< bytes of the tag itself
};

/// Comments, instructions and declarations are passed over. Failures are InputErrors with the line.
class XmlScanner {
 public:
  explicit XmlScanner(std::string_view text) : text_(text) {}
  XmlTag next();
  [[noreturn]] void fail_at(std::size_t position, const std::string& sentence) const;

 private:
  std::string_view text_;
  std::size_t position_ = 0;
};

/// The value of an attribute, with &lt; and its like replaced; nothing if the tag lacks it.
std::optional<std::string> xml_attribute(const XmlTag& tag, std::string_view name);

/// The text with what XML reserves replaced.
std::string xml_escaped(std::string_view text);

}  // namespace pliant
