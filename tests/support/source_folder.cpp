#include "support/source_folder.h"

namespace pliant::testing_support {

std::filesystem::path source_folder() { return PLIANT_SOURCE_FOLDER; }

}  // namespace pliant::testing_support
