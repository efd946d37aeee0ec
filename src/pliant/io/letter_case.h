#pragma once
// Words without regard to case. Only ASCII letters change, whatever the locale.
#include <string>
#include <string_view>

namespace pliant {

inline std::string lower_case(std::string_view word) {
  std::string result(word);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

inline std::string upper_case(std::string_view word) {
  std::string result(word);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

}  // namespace pliant
