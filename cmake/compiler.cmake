# Flags that every target of ours shares. They are PRIVATE or directory-wide: none reaches a project that embeds us.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the Python module links the static libraries
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

add_library(pliant_flags INTERFACE)
target_compile_options(pliant_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-psabi)
if(PLIANT_WERROR)
  target_compile_options(pliant_flags INTERFACE -Werror)
endif()
if(PLIANT_SANITIZE)
  target_compile_options(pliant_flags INTERFACE
    -fsanitize=${PLIANT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -O1 -g1)
  target_link_options(pliant_flags INTERFACE -fsanitize=${PLIANT_SANITIZE})
  target_compile_definitions(pliant_flags INTERFACE PLIANT_ONE_SIMD_TARGET)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code hides from gcc which member of a variant is alive: it warns of what cannot happen.
    target_compile_options(pliant_flags INTERFACE -Wno-maybe-uninitialized)
    # A compiler that collects its garbage less often is a tenth faster on these large translation units.
    target_compile_options(pliant_flags INTERFACE --param=ggc-min-heapsize=800000)
    if(PLIANT_SANITIZE MATCHES "address")
      # What the address sanitizer stops at on its own (null, far pointers), what x86 allows (any alignment) and what the
      # compiler warns of: a third of the time these builds take to compile. The fuzzers (clang) check all of it.
      target_compile_options(pliant_flags INTERFACE
        -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr,nonnull-attribute,returns-nonnull-attribute,return,unreachable)
    endif()
    if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
      # The one SIMD target of these builds (base/simd_targets.h) then has vectors, on any machine since 2010.
      target_compile_options(pliant_flags INTERFACE -msse4.2 -maes -mpclmul)
    endif()
  endif()
endif()
if(PLIANT_FUZZ)
  # Every module tells the fuzzer which of its branches an input reached.
  target_compile_options(pliant_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(PLIANT_CCACHE ccache)
if(PLIANT_CCACHE AND PROJECT_IS_TOP_LEVEL)
  # Sloppiness: without it ccache refuses every file that uses a precompiled header. Without the folder in the hash, a
  # clone finds what another has compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    ${PLIANT_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(pliant_flags INTERFACE -fpch-preprocess)
  endif()
endif()
