#pragma once
// Where the project's own files lie. In a file of its own, so that no other object depends on where a clone stands and
// compilers' caches serve every clone.
#include <filesystem>

namespace pliant::testing_support {

std::filesystem::path source_folder();

}  // namespace pliant::testing_support
