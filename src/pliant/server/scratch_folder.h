#pragma once
// A folder for files that nobody else sees, gone in the end.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "pliant/base/error.h"

namespace pliant::server {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "pliant-XXXXXX").string();
    if (!mkdtemp(name.data())) throw Error("cannot make a folder for temporary files in " + name);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace pliant::server
