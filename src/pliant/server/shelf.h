#pragma once
// Files that the session makes and browsers fetch.
#include <map>
#include <mutex>
#include <string>

#include "pliant/server/protocol.h"

namespace pliant::server {

/// Any thread. The bytes stay as long as somebody reads them.
class Shelf {
 public:
  void put(const std::string& path, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    files_[path] = std::move(bytes);
  }
  void remove(const std::string& path) {
    const std::lock_guard lock(mutex_);
    files_.erase(path);
  }
  Bytes get(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(path);
    return found == files_.end() ? nullptr : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Bytes> files_;
};

}  // namespace pliant::server
