#include "pliant/server/url.h"

#include <algorithm>

namespace pliant::server {
namespace {

std::string_view without_port(std::string_view host) {
  if (!host.empty() && host.front() == '[') return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      out += static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

bool host_is_ours(std::string_view host, const NetworkOptions& options) {
  const std::string_view name = without_port(host);
  if (name.empty()) return false;
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]" || name == options.address ||
      name == "[" + options.address + "]")
    return true;
  return std::find(options.allowed_hosts.begin(), options.allowed_hosts.end(), name) !=
         options.allowed_hosts.end();
}

bool origin_is_ours(std::string_view origin, std::string_view host) {
  constexpr std::string_view scheme = "http://";
  return origin.empty() || (origin.starts_with(scheme) && origin.substr(scheme.size()) == host);
}

std::string query_value(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == key)
      return decoded(pair.substr(equals + 1));
  }
  return {};
}

}  // namespace pliant::server
