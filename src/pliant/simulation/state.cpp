#include "pliant/simulation/state.h"

#include <fmt/format.h>

#include "pliant/base/error.h"
#include "pliant/base/hash.h"

namespace pliant {
namespace {

constexpr std::uint64_t magic = 0x3154535450494c50;  // "PLIPTST1", little-endian

struct Header {
  std::uint64_t magic, kind, size;
};

Header header_of(std::string_view kind, Index size) {
  return {magic, hash_bytes(kind.data(), kind.size()), static_cast<std::uint64_t>(size)};
}

}  // namespace

StateWriter::StateWriter(std::string_view kind, Index size) { value(header_of(kind, size)); }

void StateWriter::raw(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  state_.bytes.insert(state_.bytes.end(), bytes, bytes + size);
}

StateReader::StateReader(const State& state, std::string_view kind, Index size) : left_(state.bytes) {
  const auto found = value<Header>();
  const Header expected = header_of(kind, size);
  if (found.magic != expected.magic)
    throw InputError("state: these bytes are not a saved state; expected what save() returned");
  if (found.kind != expected.kind)
    throw InputError(fmt::format("state: saved by another kind of simulator; expected one of '{}'", kind));
  if (found.size != expected.size)
    throw InputError(fmt::format("state: of {} unknowns; expected {}, as this body has", found.size, size));
}

void StateReader::raw(void* data, std::size_t size) {
  if (size > left_.size())
    throw InputError(fmt::format("state: {} bytes are missing at its end", size - left_.size()));
  if (size > 0) std::memcpy(data, left_.data(), size);
  left_ = left_.subspan(size);
}

std::size_t StateReader::count(std::size_t element) {
  const auto stored = value<std::uint64_t>();
  if (stored > left_.size() / element)
    throw InputError(fmt::format("state: an array of {} entries does not fit into what is left", stored));
  return static_cast<std::size_t>(stored);
}

void StateReader::expect_count(std::size_t expected, std::size_t element) {
  const std::size_t found = count(element);
  if (found != expected)
    throw InputError(fmt::format("state: an array of {} entries; expected {}", found, expected));
}

void StateReader::end() const {
  if (!left_.empty()) throw InputError(fmt::format("state: {} bytes too many", left_.size()));
}

}  // namespace pliant
