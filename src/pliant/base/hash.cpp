#include "pliant/base/hash.h"

#include <cstring>

namespace pliant {

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) {
  constexpr std::uint64_t prime = 0x100000001b3ull;
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t hash = seed;
  // Multiplication only carries upwards: fold the high half down, or the low bits would see little of each
  // word.
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * prime;
    hash ^= hash >> 32;
  };
  mix(size);  // zeros would otherwise hash alike at any length
  for (; size >= 8; size -= 8, bytes += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    mix(word);
  }
  for (; size > 0; --size, ++bytes) mix(*bytes);
  return hash;
}

}  // namespace pliant
