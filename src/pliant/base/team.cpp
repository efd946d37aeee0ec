#include "pliant/base/team.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pliant {
namespace {

constexpr int most_helpers = 15;
/// Looks before a waiting thread lets others have its core, and before a helper whose team is gone goes to sleep: some
/// microseconds, and some tens.
constexpr int looks_before_yield = 500, looks_before_sleep = 2000;

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// A worker's share of a loop is a number: the next chunk, the end of the chunks, and which loop it is, so that one addition takes a
// chunk and tells of which loop. Threads that come late may add a little to the first; twenty bits have room for that.
using Ticket = std::uint64_t;
constexpr Ticket field = 1 << 20;
constexpr Ticket next(Ticket t) { return t % field; }
constexpr Ticket end(Ticket t) { return t / field % field; }
constexpr Index most_chunks = field - 1000;

class Crew {
 public:
  Crew() : helpers_(std::clamp(static_cast<int>(std::thread::hardware_concurrency()) - 1, 0, most_helpers)) {}

  int helpers() const { return helpers_; }

  /// @param workers  so many at most, the calling thread among them
  /// False where another team has it.
  bool join(int workers) {
    if (helpers_ == 0 || owned_.exchange(true, std::memory_order_acquire)) return false;
    if (!started_) {
      started_ = true;
      // Where there can be no threads, teams do without. They are never joined: a process that ends, or the child of one that
      // forked, need not wait for them.
      try {
        for (int i = 1; i <= helpers_; ++i) std::thread([this, i] { help(i); }).detach();
      } catch (...) {
      }
    }
    workers_ = std::min(workers, helpers_ + 1);
    ++calls_;
    calls_.notify_all();
    return true;
  }

  void leave() {
    workers_ = 0;
    owned_.store(false, std::memory_order_release);
  }

  void run(Index count, FunctionRef<void(Index, int)> body) {
    body_ = &body;
    done_.store(0, std::memory_order_relaxed);
    ++loop_;
    const Index shares = workers_.load(std::memory_order_relaxed);
    for (Index w = shares - 1; w >= 0; --w) {
      const auto first = static_cast<Ticket>(w * count / shares),
                 last = static_cast<Ticket>((w + 1) * count / shares);
      shares_[w].ticket.store((loop_ * field + last) * field + first, std::memory_order_release);
    }
    while (take(0)) {
    }
    for (int look = 0; done_.load(std::memory_order_acquire) != count; ++look)
      look < looks_before_yield ? relax() : std::this_thread::yield();
  }

 private:
  /// A chunk of the present loop, if any is left: of the worker's own share, or else of another's. Who has one may read what
  /// belongs to the loop: it does not end before.
  bool take(int worker) {
    const int shares = workers_.load(std::memory_order_relaxed);
    for (int i = 0; i < shares; ++i) {
      std::atomic<Ticket>& ticket = shares_[(worker + i) % shares].ticket;
      Ticket t = ticket.load(std::memory_order_relaxed);
      if (next(t) >= end(t)) continue;
      t = ticket.fetch_add(1, std::memory_order_acquire);
      if (next(t) >= end(t)) continue;
      (*body_)(static_cast<Index>(next(t)), worker);
      done_.fetch_add(1, std::memory_order_release);
      return true;
    }
    return false;
  }

  void help(int worker) {
    for (;;) {
      const int call = calls_;
      for (int look = 0; worker < workers_ || look < looks_before_sleep; ++look) {
        if (worker < workers_ && take(worker)) look = 0;
        look % looks_before_yield != looks_before_yield - 1 ? relax() : std::this_thread::yield();
      }
      calls_.wait(call);
    }
  }

  const int helpers_;
  bool started_ = false;
  std::atomic<bool> owned_{false};
  std::atomic<int> workers_{0};  // of the present team
  std::atomic<int> calls_{0};
  Ticket loop_ = 0;
  const FunctionRef<void(Index, int)>* body_ = nullptr;
  // Each on a line of its own: all threads write to them.
  struct alignas(64) Share {
    std::atomic<Ticket> ticket{0};
  };
  Share shares_[most_helpers + 1];
  alignas(64) std::atomic<Index> done_{0};
};

Crew& crew() {
  static Crew& one = *new Crew;  // outlives every thread
  return one;
}

}  // namespace

Team::Team(bool wanted)
    : has_crew_(wanted && thread_count() > 1 && !inside_parallel_loop() && crew().join(thread_count())) {}

Team::~Team() {
  if (has_crew_) crew().leave();
}

void Team::run(Index count, FunctionRef<void(Index, int)> body) {
  if (has_crew_ && count > 1 && count <= most_chunks)
    crew().run(count, body);
  else
    for (Index chunk = 0; chunk < count; ++chunk) body(chunk, 0);
}

int Team::workers() { return crew().helpers() + 1; }

}  // namespace pliant
