#pragma once
// Motion of a mesh, frame by frame, in the format that the extension names.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/io/gltf_writer.h"
#include "pliant/io/mesh_file.h"

namespace pliant {

struct AnimationOptions {
  GltfSequenceOptions gltf = {};  ///< look and number of targets of .glb and .gltf
};

struct AnimationReport {
  Index frames = 0;
  std::vector<std::filesystem::path> files;  ///< what now is on disk
  std::optional<SequenceError> error;        ///< of formats that approximate: .glb and .gltf
};

/// One frame after the other goes in; finish() makes the result appear. Destroyed without it (an error, Ctrl-C), a
/// writer leaves nothing behind, and what an earlier run left stays.
///
///     .pvd         out.pvd and out_0001.vtu, out_0002.vtu, ... for ParaView; tets stay tets
///     .obj         out_0001.obj, out_0002.obj, ...
///     .pc2         point cache, to be played on the mesh that write_mesh("out.obj") writes; has no times
///     .glb .gltf   morph targets; held in memory until the end; motion of rank above 64 is approximated
///
/// All but .pvd take the surface of a solid.
class AnimationWriter {
 public:
  static std::unique_ptr<AnimationWriter> open(const std::filesystem::path& path, const MeshData& rest,
                                               const AnimationOptions& options = {});
  virtual ~AnimationWriter() = default;

  /// Positions of all vertices of the mesh, also those inside a solid. Times ascend.
  void add(const Points& positions, double time);
  AnimationReport finish();

 protected:
  AnimationWriter(const std::filesystem::path& path, Index vertex_count)
      : path_(path), vertices_(vertex_count) {}
  virtual void write_frame(const Points& positions) = 0;
  virtual void write_end(AnimationReport& report) = 0;

  std::filesystem::path path_;
  std::vector<double> times_;  ///< of the frames so far

 private:
  Index vertices_;
  bool finished_ = false;
};

/// The extensions above, for help texts.
std::vector<std::string> animation_formats();

}  // namespace pliant
