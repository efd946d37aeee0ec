#include "pliant/base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "pliant/base/blas_threads.h"

#if defined(__SANITIZE_THREAD__)
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif

namespace pliant {
namespace {

// Debian's TBB is not built for the thread sanitizer, which therefore cannot see that a loop starts after its
// caller and ends before its caller goes on. These two marks say just that. Two bodies that race with each
// other are still reported.
void mark_acquire([[maybe_unused]] void* address) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(address);
#endif
}
void mark_release([[maybe_unused]] void* address) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(address);
#endif
}

std::atomic<int> requested_threads{0};

// An arena lives for ever once made, so that a loop on another thread never loses its own when the count changes.
std::atomic<tbb::task_arena*> chosen_arena{nullptr};

thread_local bool inside_arena = false;
thread_local int loops_around = 0;  // bodies of loops that this thread is in

// Holds OpenBLAS to one thread while any outermost loop runs: its threads inside ours cost more than they give, and
// their number changes the order of its sums. Nearly always it is on one thread anyway, and nothing is locked.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas() {
    if (holders_ == 0 && blas_threads() <= 1) return;
    const std::lock_guard lock(mutex_);
    if (holders_++ == 0) {
      before_ = blas_threads();
      set_blas_threads(1);
    }
    holding_ = true;
  }
  ~SingleThreadedBlas() {
    if (!holding_) return;
    const std::lock_guard lock(mutex_);
    if (--holders_ == 0) set_blas_threads(before_);
  }
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

 private:
  static inline std::mutex mutex_;
  static inline std::atomic<int> holders_{0};
  static inline int before_ = 0;
  bool holding_ = false;
};

// Ends with a mark, also when a body throws.
struct ReleaseAtEnd {
  void* address;
  ~ReleaseAtEnd() { mark_release(address); }
};
struct AcquireAtEnd {
  void* address;
  ~AcquireAtEnd() { mark_acquire(address); }
};

struct Loop {
  Index count, grain;
  FunctionRef<void(Index, Index)> body;
  char start_mark = 0, end_mark = 0;

  void run(Index begin, Index end) {
    mark_acquire(&start_mark);
    const ReleaseAtEnd range_done{&end_mark};
    struct Counted {
      Counted() { ++loops_around; }
      ~Counted() { --loops_around; }
    } const counted;
    for (Index chunk = begin; chunk < end; ++chunk) body(chunk * grain, std::min(count, (chunk + 1) * grain));
  }
};

// What TBB copies into its tasks. The pointer is read from memory that another thread may have written, in an
// order that only TBB knows: the sanitizer must not look at this read, and sees everything from run() on.
struct LoopTask {
  Loop* loop;
#if defined(__SANITIZE_THREAD__)
  __attribute__((no_sanitize_thread))
#endif
  void
  operator()(const tbb::blocked_range<Index>& range) const {
    loop->run(range.begin(), range.end());
  }
};

void run_chunks(Index count, Index grain, FunctionRef<void(Index, Index)> body) {
  Loop loop{count, grain, body};
  mark_release(&loop.start_mark);
  const AcquireAtEnd all_done{&loop.end_mark};
  tbb::parallel_for(tbb::blocked_range<Index>(0, (count + grain - 1) / grain), LoopTask{&loop});
}

}  // namespace

void set_thread_count(int count) {
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<tbb::task_arena>> arenas;
  static std::unique_ptr<tbb::global_control> control;
  const std::lock_guard lock(mutex);
  count = std::clamp(count, 0, 1024);
  // The control holds all of TBB, and so Embree, to that number; without it no more threads than cores would start.
  control.reset();
  if (count > 0)
    control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                    static_cast<std::size_t>(count));
  if (count > 1 && !arenas[count]) arenas[count] = std::make_unique<tbb::task_arena>(count);
  chosen_arena = count > 1 ? arenas[count].get() : nullptr;
  requested_threads = count;
}

int thread_count() {
  const int requested = requested_threads;
  return requested > 0 ? requested : tbb::this_task_arena::max_concurrency();
}

bool inside_parallel_loop() { return loops_around > 0; }

ScopedThreadCount::ScopedThreadCount(int count) : before_(requested_threads) { set_thread_count(count); }
ScopedThreadCount::~ScopedThreadCount() { set_thread_count(before_); }

void parallel_for_chunks(Index count, Index grain, FunctionRef<void(Index, Index)> body) {
  if (count <= 0) return;
  grain = std::max<Index>(grain, 1);
  const SingleThreadedBlas single_threaded;
  if (count <= grain || requested_threads == 1) {
    for (Index begin = 0; begin < count; begin += grain) body(begin, std::min(count, begin + grain));
    return;
  }
  tbb::task_arena* arena = chosen_arena;
  if (!arena || inside_arena) {
    run_chunks(count, grain, body);
    return;
  }
  arena->execute([&] {
    struct Inside {
      bool before = inside_arena;
      Inside() { inside_arena = true; }
      ~Inside() { inside_arena = before; }
    } inside;
    run_chunks(count, grain, body);
  });
}

}  // namespace pliant
