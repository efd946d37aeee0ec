#pragma once
// A 64-bit fingerprint of bytes: names meshes in model files and compares runs bit for bit. Not
// cryptographic.
#include <cstddef>
#include <cstdint>

namespace pliant {

/// Multiply-and-xor in the manner of FNV-1a, over the size, then 8-byte words, then the remaining bytes; the same on every little-endian
/// platform. Chain by passing the last result as `seed`.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0xcbf29ce484222325ull);

}  // namespace pliant
