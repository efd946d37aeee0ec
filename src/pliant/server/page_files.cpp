#include "pliant/server/page_files.h"

#include <array>
#include <utility>

namespace pliant::server {

std::string_view content_type(std::string_view path) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> types = {
      {{".html", "text/html; charset=utf-8"},
       {".js", "text/javascript; charset=utf-8"},
       {".css", "text/css; charset=utf-8"},
       {".json", "application/json"},
       {".svg", "image/svg+xml"},
       {".png", "image/png"},
       {".ico", "image/x-icon"},
       {".wasm", "application/wasm"},
       {".woff2", "font/woff2"},
       {".glb", "model/gltf-binary"},
       {".obj", "model/obj"},
       {".txt", "text/plain; charset=utf-8"},
       {".webmanifest", "application/manifest+json"}}};
  for (const auto& [extension, type] : types)
    if (path.ends_with(extension)) return type;
  return "application/octet-stream";
}

}  // namespace pliant::server
