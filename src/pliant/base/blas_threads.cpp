#include "pliant/base/blas_threads.h"

#include <dlfcn.h>

#include <string_view>

namespace pliant {
namespace {

// OpenBLAS may or may not be linked into the program that uses us: ask the loader rather than depend on it here.
struct OpenBlas {
  int (*get)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  void (*set)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
};
const OpenBlas& open_blas() {
  static const OpenBlas library;
  return library;
}

}  // namespace

int blas_threads() { return open_blas().get ? open_blas().get() : 0; }

void set_blas_threads(int count) {
  if (open_blas().set) open_blas().set(count);
}

const char* better_blas_kernels() {
#if defined(__x86_64__)
  const auto name = reinterpret_cast<char* (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  if (name != nullptr && std::string_view(name()) == "Prescott" && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("fma"))
    return "Haswell";
#endif
  return nullptr;
}

}  // namespace pliant
