#include "pliant/base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace pliant {

TEST(Hash, EverySingleBitFlipChangesIt) {
  std::vector<unsigned char> bytes(37, 0);
  std::set<std::uint64_t> seen{hash_bytes(bytes.data(), bytes.size())};
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<unsigned char>(1u << (bit % 8));
    EXPECT_TRUE(seen.insert(hash_bytes(bytes.data(), bytes.size())).second) << "bit " << bit;
    bytes[bit / 8] ^= static_cast<unsigned char>(1u << (bit % 8));
  }
}

TEST(Hash, LengthCounts) {
  const unsigned char zeros[16] = {};
  std::set<std::uint64_t> seen;
  for (std::size_t size = 0; size <= 16; ++size)
    EXPECT_TRUE(seen.insert(hash_bytes(zeros, size)).second) << size;
}

}  // namespace pliant
