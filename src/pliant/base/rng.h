#pragma once
// Random numbers that are passed in, never global: the same seed gives the same numbers on every platform.
#include <cstdint>

namespace pliant {

/// xoshiro256++ [Blackman and Vigna 2019], seeded through splitmix64. The distributions are written out here
/// because those of <random> differ between standard libraries.
class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  std::uint64_t bits();                      ///< 64 uniform bits
  double uniform();                          ///< in [0, 1), 53 bits
  double uniform(double low, double high);   ///< in [low, high)
  std::int64_t integer(std::int64_t count);  ///< in [0, count), without bias; count >= 1
  double normal();                           ///< mean 0, deviation 1
  Rng split();                               ///< an independent generator, for a parallel or nested task

 private:
  std::uint64_t state_[4];
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace pliant
