#pragma once
// Numbers out of bytes in memory, either endianness, never past the end.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "pliant/base/parallel.h"

namespace pliant {

/// The same number with its bytes in reverse.
template <class T>
T byte_swapped(T value) {
  if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(__builtin_bswap16(std::bit_cast<std::uint16_t>(value)));
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(__builtin_bswap64(std::bit_cast<std::uint64_t>(value)));
  return value;
}

/// The number stored at `bytes`, which need not be aligned; `swap` reverses its bytes first.
template <class T>
T load(const char* bytes, bool swap) {
  static_assert(std::is_arithmetic_v<T>);
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return swap ? byte_swapped(value) : value;
}

/// The kinds of number that mesh files store.
enum class NumberKind { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };
std::size_t size_of(NumberKind kind);
double load_as_double(NumberKind kind, const char* bytes, bool swap);
/// Saturates what does not fit (an index that large is out of range anyway); -1 for a fraction or NaN.
std::int64_t load_as_integer(NumberKind kind, const char* bytes, bool swap);

/// Walks through bytes. Failures are InputErrors "byte 84: ...".
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes, bool swap = false, std::size_t position = 0)
      : bytes_(bytes), position_(position), swap_(swap) {}

  template <class T>
  T read(const char* expected) {
    return load<T>(take(sizeof(T), expected).data(), swap_);
  }
  /// The next `size` bytes.
  std::string_view take(std::size_t size, const char* expected) {
    if (size > remaining()) fail_end(size, expected);
    position_ += size;
    return bytes_.substr(position_ - size, size);
  }
  /// The next `count` records of `bytes_each`, whose product may not overflow what is there.
  std::string_view take_records(std::uint64_t count, std::size_t bytes_each, const char* expected);

  [[noreturn]] void fail(const std::string& sentence) const { fail_at(position_, sentence); }
  [[noreturn]] void fail_at(std::size_t position, const std::string& sentence) const;

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }
  bool swaps() const { return swap_; }

 private:
  [[noreturn]] void fail_end(std::uint64_t size, const char* expected) const;

  std::string_view bytes_;
  std::size_t position_;
  bool swap_;
};

}  // namespace pliant
