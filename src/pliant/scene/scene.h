#pragma once
// A scene: bodies, obstacles and a script, stepped together.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "pliant/base/progress.h"
#include "pliant/scene/scene_body.h"
#include "pliant/scene/schema.h"
#include "pliant/scene/script.h"

namespace pliant {

class Scene {
 public:
  /// Reads a .json file. Errors carry the file's name and the path in the document.
  static Scene load(const std::filesystem::path& file, const Progress& progress = {});

  /// From the text of one; meshes are looked for in `folder`.
  static Scene from_text(std::string_view text, const std::filesystem::path& folder = {},
                         const Progress& progress = {});

  /// Where the files that it names are looked for.
  const std::filesystem::path& folder() const { return folder_; }

  /// The document with every default filled in.
  const Json& description() const { return description_; }

  std::vector<SceneBody>& bodies() { return bodies_; }
  double time() const { return bodies_.front().simulator->time(); }
  int frames() const { return description_["frames"].get<int>(); }
  int steps_per_frame() const { return description_["steps_per_frame"].get<int>(); }

  /// One time step of every body. Converged if all are; iterations of the slowest; the largest residual.
  StepReport step();
  Measures measure();  ///< summed over the bodies

  /// All bodies in one mesh, as a person sees them: tets if all have them, otherwise surfaces.
  MeshData shown() const;
  Points shown_positions();

  State save() const;
  void restore(const State& state);
  /// The beginning again: each body as Simulator::save() had it then, and the script from its first action.
  void restart(const std::vector<State>& bodies);

  /// Differs between scenes whose states do not fit each other: of the document and the meshes.
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  Scene() = default;

  Json description_;
  std::filesystem::path folder_;
  std::vector<SceneBody> bodies_;
  std::optional<Script> script_;  // made once there are bodies
  std::uint64_t fingerprint_ = 0;
};

}  // namespace pliant
