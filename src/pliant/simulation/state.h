#pragma once
// A simulator's state as one flat, versioned block of bytes: saved, restored and rolled back bit for bit.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant {

struct State {
  std::vector<std::byte> bytes;
  bool operator==(const State&) const = default;
};

/// Fills a State. It begins with the name of the kind of simulator and the number of unknowns, so that a state
/// of another body is refused.
class StateWriter {
 public:
  StateWriter(std::string_view kind, Index size);

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void value(const T& v) { raw(&v, sizeof v); }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void array(std::span<const T> values) {
    value(static_cast<std::uint64_t>(values.size()));
    raw(values.data(), values.size_bytes());
  }
  void points(const Points& p) { array(std::span(p.data(), static_cast<std::size_t>(p.size()))); }
  void vector(const VectorXd& v) { array(std::span(v.data(), static_cast<std::size_t>(v.size()))); }

  State take() { return std::move(state_); }

 private:
  void raw(const void* data, std::size_t size);
  State state_;
};

/// Reads what StateWriter wrote, in the same order; throws InputError on anything else.
class StateReader {
 public:
  StateReader(const State& state, std::string_view kind, Index size);

  template <class T>
  requires std::is_trivially_copyable_v<T> T value() {
    T v;
    raw(&v, sizeof v);
    return v;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> array() {
    std::vector<T> values(count(sizeof(T)));
    raw(values.data(), values.size() * sizeof(T));
    return values;
  }
  /// Into an array whose size is known: another size is refused.
  template <class T>
  void into(std::span<T> values) {
    expect_count(values.size(), sizeof(T));
    raw(values.data(), values.size_bytes());
  }
  void points(Points& p) { into(std::span(p.data(), static_cast<std::size_t>(p.size()))); }
  void vector(VectorXd& v) { into(std::span(v.data(), static_cast<std::size_t>(v.size()))); }

  void end() const;  ///< refuses bytes left over

 private:
  std::size_t count(std::size_t element);  // checked against what is left
  void expect_count(std::size_t expected, std::size_t element);
  void raw(void* data, std::size_t size);

  std::span<const std::byte> left_;
};

}  // namespace pliant
