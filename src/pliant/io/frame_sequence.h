#pragma once
// Motion that came from elsewhere: meshes of the same vertices, one file a frame; point caches; arrays of numpy; frames that
// were recorded before.
#include <filesystem>
#include <string_view>
#include <vector>

#include "pliant/base/progress.h"
#include "pliant/io/snapshots.h"

namespace pliant {

/// An array of numpy, (frames, points, 3) or (points, 3), 32- or 64-bit floats in the order of C.
std::vector<Points> read_npy_frames(std::string_view bytes);

/// Frames of all files, in their order; any may be gzipped. Times count frames. InputError, naming file and frame, for
/// another number of vertices, another connectivity than the first mesh's, or a number that is not finite.
Snapshots read_frame_sequence(const std::vector<std::filesystem::path>& files, const Progress& progress = {});

}  // namespace pliant
