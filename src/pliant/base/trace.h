#pragma once
// Where the microseconds went: named phases, cheap enough to stay on (two clock reads a phase, no allocation,
// no lock).
#include <array>
#include <chrono>
#include <cstddef>
#include <span>

namespace pliant {

/// Times of named phases. One writer; `clear()` at the start of a step, then `Trace::Scope scope(trace,
/// "local");`. Phases entered again add up. Phases beyond `capacity` are counted together under the last
/// name.
class Trace {
 public:
  static constexpr std::size_t capacity = 32;

  struct Phase {
    const char* name = "";    ///< a string literal: only the pointer is kept
    double microseconds = 0;  ///< total since clear()
    int calls = 0;
  };

  /// Times from its construction to its end. A null trace costs nothing.
  class Scope {
   public:
    Scope(Trace* trace, const char* name) : trace_(trace), name_(name) {
      if (trace_) start_ = Clock::now();
    }
    Scope(Trace& trace, const char* name) : Scope(&trace, name) {}
    ~Scope() {
      if (trace_)
        trace_->add(name_, std::chrono::duration<double, std::micro>(Clock::now() - start_).count());
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    using Clock = std::chrono::steady_clock;
    Trace* trace_;
    const char* name_;
    Clock::time_point start_{};
  };

  void add(const char* name, double microseconds) noexcept;
  void clear() noexcept { count_ = 0; }
  std::span<const Phase> phases() const { return {phases_.data(), count_}; }
  double microseconds(const char* name) const noexcept;  ///< 0 for a phase that did not run
  double total() const noexcept;                         ///< of all phases; nested ones count twice

 private:
  std::array<Phase, capacity> phases_{};
  std::size_t count_ = 0;
};

}  // namespace pliant
