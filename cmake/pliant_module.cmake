# pliant_module(<name> SOURCES a.cpp ... [USES pliant::x ...] [PRIVATE Library::y ...])
#
# One folder of src/pliant as the static library pliant::<name>. USES says which rooms it knows: they lie on a lower
# floor (tests/architecture checks the includes). PRIVATE libraries do not show in the module's headers.
function(pliant_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;PRIVATE" ${ARGN})
  add_library(pliant_${name} STATIC ${ARG_SOURCES})
  add_library(pliant::${name} ALIAS pliant_${name})
  target_include_directories(pliant_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(pliant_${name} PUBLIC Eigen3::Eigen ${ARG_USES} PRIVATE pliant_flags fmt::fmt ${ARG_PRIVATE})
  target_precompile_headers(pliant_${name} REUSE_FROM pliant_pch)
endfunction()

# The headers that cost the most to compile, once. Every module reuses them, so the flags must agree: each module links
# Eigen and fmt.
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/pch/pch.cpp CONTENT "// compiled only for its precompiled header\n")
add_library(pliant_pch STATIC ${CMAKE_BINARY_DIR}/pch/pch.cpp)
target_link_libraries(pliant_pch PRIVATE pliant_flags Eigen3::Eigen fmt::fmt)
target_include_directories(pliant_pch PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_precompile_headers(pliant_pch PRIVATE
  <Eigen/Dense> <Eigen/Sparse> <pliant/numerics/eigen_instances.h> <fmt/format.h> <algorithm> <array> <cmath> <cstdint> <functional> <memory> <string>
  <string_view> <vector>)
