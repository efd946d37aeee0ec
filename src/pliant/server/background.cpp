#include "pliant/server/background.h"

#include <exception>

#include "pliant/base/error.h"

namespace pliant::server {

Background::Background(std::function<void()> wake) : wake_(std::move(wake)), thread_([this] { run(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Background::busy() const {
  const std::lock_guard lock(mutex_);
  return busy_;
}

void Background::start(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (busy_) throw Error("something else is being prepared; try again when it is done");
    busy_ = true;
    progress_ = {};
    work_ = std::move(work);
  }
  changed_.notify_all();
}

std::optional<Background::Result> Background::take() {
  const std::lock_guard lock(mutex_);
  if (!result_) return std::nullopt;
  std::optional<Result> taken = std::move(result_);
  result_.reset();
  busy_ = false;
  return taken;
}

Background::State Background::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

void Background::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stop_ || work_; });
    if (stop_) return;
    const Work work = std::move(work_);
    work_ = nullptr;
    lock.unlock();
    Result result;
    try {
      result.finish = work([this](std::string_view what, double part) {
        const std::lock_guard inside(mutex_);
        if (stop_) throw Interrupted();
        progress_ = {std::string(what), part};
      });
    } catch (const std::bad_alloc&) {
      result.error = "out of memory";
    } catch (const std::exception& error) {
      result.error = error.what();
      if (result.error.empty()) result.error = "failed";
    }
    lock.lock();
    result_ = std::move(result);
    if (stop_) return;
    lock.unlock();
    wake_();
    lock.lock();
  }
}

}  // namespace pliant::server
