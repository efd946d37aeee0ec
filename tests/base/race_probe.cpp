// Races on purpose: built for the thread sanitizer only, to show that it still sees what the suppressions
// leave.
#include <cstdio>

#include "pliant/base/parallel.h"

int main() {
  pliant::set_thread_count(4);
  double sum = 0;
  pliant::parallel_for(100000, 1, [&](pliant::Index i) { sum += static_cast<double>(i); });
  std::printf("%g\n", sum);
}
