#pragma once
// Pictures to files.
#include <filesystem>

#include "pliant/geometry/image.h"

namespace pliant {

/// Writes a PNG (ISO/IEC 15948), 8 bits a channel, each row with the filter that suits it. The file appears
/// whole or not at all. Throws InputError where the image's sizes do not agree.
void write_png(const std::filesystem::path& path, const Image& image);

}  // namespace pliant
