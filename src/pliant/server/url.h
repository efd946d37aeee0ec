#pragma once
// What a browser names: hosts, origins, queries.
#include <string>
#include <string_view>

#include "pliant/server/network.h"

namespace pliant::server {

/// Whether a browser that names this host ("host" or "host:port") may be answered. Others' pages can point a name of their
/// own at this machine; they cannot make a browser say ours.
bool host_is_ours(std::string_view host, const NetworkOptions& options);

/// Absent, or that of our own page.
bool origin_is_ours(std::string_view origin, std::string_view host);

/// The value of a key of "a=1&b=2", decoded (%41 is A, + is a blank); empty where it is not there.
std::string query_value(std::string_view query, std::string_view key);

}  // namespace pliant::server
