#include "pliant/numerics/blas_threads.h"

#include <dlfcn.h>

namespace pliant {
namespace {

// Looked up, not linked: this module does not need BLAS itself.
void set_blas_threads(int count) {
  using Set = void (*)(int);
  if (auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(count);
}

}  // namespace

int blas_threads() {
  using Get = int (*)();
  auto get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  return get ? get() : 0;
}

ScopedBlasThreads::ScopedBlasThreads(int count) : before_(blas_threads()) { set_blas_threads(count); }
ScopedBlasThreads::~ScopedBlasThreads() {
  if (before_ > 0) set_blas_threads(before_);
}

}  // namespace pliant
