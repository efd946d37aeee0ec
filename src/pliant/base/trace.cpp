#include "pliant/base/trace.h"

#include <cstring>

namespace pliant {

void Trace::add(const char* name, double microseconds) noexcept {
  std::size_t i = 0;
  while (i < count_ && phases_[i].name != name && std::strcmp(phases_[i].name, name) != 0) ++i;
  if (i == count_) {
    if (count_ == capacity)
      --i;
    else
      phases_[count_++] = {.name = name};
  }
  phases_[i].microseconds += microseconds;
  ++phases_[i].calls;
}

double Trace::microseconds(const char* name) const noexcept {
  for (const Phase& phase : phases())
    if (std::strcmp(phase.name, name) == 0) return phase.microseconds;
  return 0;
}

double Trace::total() const noexcept {
  double sum = 0;
  for (const Phase& phase : phases()) sum += phase.microseconds;
  return sum;
}

}  // namespace pliant
