#pragma once
// From the network's thread to the simulation's.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "pliant/server/protocol.h"

namespace pliant::server {

struct Asked {
  int client = 0;
  Request request;
};

/// Bounded: a viewer whose requests pile up is refused, never waited for.
class RequestQueue {
 public:
  /// False where it is full. That somebody joined or left always finds room.
  bool push(int client, Request request) {
    {
      const std::lock_guard lock(mutex_);
      const bool must = std::holds_alternative<Joined>(request) || std::holds_alternative<Left>(request);
      if (!must && list_.size() >= most) return false;
      if (!must && std::count_if(list_.begin(), list_.end(),
                                 [&](const Asked& one) { return one.client == client; }) >= most_of_one)
        return false;
      // Of a pull that moved on before it was taken only the last counts.
      if (std::holds_alternative<Pull>(request) && !list_.empty() && list_.back().client == client)
        if (auto* before = std::get_if<Pull>(&list_.back().request)) {
          const Pull& now = std::get<Pull>(request);
          if (before->id == now.id && before->body == now.body && before->point == now.point) {
            *before = now;
            return true;
          }
        }
      list_.push_back({client, std::move(request)});
    }
    changed_.notify_all();
    return true;
  }

  std::vector<Asked> take() {
    const std::lock_guard lock(mutex_);
    woken_ = false;
    std::vector<Asked> all;
    all.swap(list_);
    return all;
  }

  void wait_until(std::chrono::steady_clock::time_point time) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, time, [&] { return !list_.empty() || woken_; });
    woken_ = false;
  }

  /// Ends a wait, this or the next.
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t most = 4096;
  static constexpr std::ptrdiff_t most_of_one = 512;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Asked> list_;
  bool woken_ = false;
};

}  // namespace pliant::server
