#pragma once
// Arrays that begin at a cache line, as SIMD loads like them.
#include <cstddef>
#include <new>
#include <vector>

namespace pliant {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
  void deallocate(T* data, std::size_t) { ::operator delete(data, alignment); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

/// So many numbers rounded up to whole vectors of eight.
constexpr std::ptrdiff_t whole_vectors(std::ptrdiff_t numbers) { return (numbers + 7) / 8 * 8; }

}  // namespace pliant
