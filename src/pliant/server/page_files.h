#pragma once
// The viewer's page, as the build put it into the program.
#include <span>
#include <string_view>

namespace pliant::server {

struct PageFile {
  std::string_view path;  ///< "/index.html", "/assets/..."
  std::string_view bytes;
};

/// None where the page was not built.
std::span<const PageFile> page_files();

std::string_view content_type(std::string_view path);

}  // namespace pliant::server
