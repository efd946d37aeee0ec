#include "pliant/io/byte_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "pliant/base/error.h"

namespace pliant {

std::size_t size_of(NumberKind kind) {
  switch (kind) {
    case NumberKind::int8:
    case NumberKind::uint8:
      return 1;
    case NumberKind::int16:
    case NumberKind::uint16:
      return 2;
    case NumberKind::int32:
    case NumberKind::uint32:
    case NumberKind::float32:
      return 4;
    default:
      return 8;
  }
}

double load_as_double(NumberKind kind, const char* bytes, bool swap) {
  switch (kind) {
    case NumberKind::float32:
      return static_cast<double>(load<float>(bytes, swap));
    case NumberKind::float64:
      return load<double>(bytes, swap);
    case NumberKind::uint64:
      return static_cast<double>(load<std::uint64_t>(bytes, swap));
    default:
      return static_cast<double>(load_as_integer(kind, bytes, swap));
  }
}

std::int64_t load_as_integer(NumberKind kind, const char* bytes, bool swap) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  switch (kind) {
    case NumberKind::int8:
      return load<std::int8_t>(bytes, swap);
    case NumberKind::uint8:
      return load<std::uint8_t>(bytes, swap);
    case NumberKind::int16:
      return load<std::int16_t>(bytes, swap);
    case NumberKind::uint16:
      return load<std::uint16_t>(bytes, swap);
    case NumberKind::int32:
      return load<std::int32_t>(bytes, swap);
    case NumberKind::uint32:
      return load<std::uint32_t>(bytes, swap);
    case NumberKind::int64:
      return load<std::int64_t>(bytes, swap);
    case NumberKind::uint64: {
      const auto value = load<std::uint64_t>(bytes, swap);
      return value > static_cast<std::uint64_t>(largest) ? largest : static_cast<std::int64_t>(value);
    }
    default: {
      const double value = load_as_double(kind, bytes, swap);
      if (!(std::abs(value) < 9e15)) return value > 0 ? largest : -1;
      return std::trunc(value) == value ? static_cast<std::int64_t>(value) : -1;
    }
  }
}

std::string_view ByteReader::take_records(std::uint64_t count, std::size_t bytes_each, const char* expected) {
  if (bytes_each > 0 && count > remaining() / bytes_each) {
    const bool fits = count <= std::numeric_limits<std::uint64_t>::max() / bytes_each;
    fail_end(fits ? count * bytes_each : std::numeric_limits<std::uint64_t>::max(), expected);
  }
  return take(static_cast<std::size_t>(count) * bytes_each, expected);
}

void ByteReader::fail_at(std::size_t position, const std::string& sentence) const {
  throw InputError(fmt::format("byte {}: {}", position, sentence));
}

void ByteReader::fail_end(std::uint64_t size, const char* expected) const {
  fail(fmt::format("the file ends after {} more bytes; expected {}, {} bytes", remaining(), expected, size));
}

}  // namespace pliant
