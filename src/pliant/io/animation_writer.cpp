#include "pliant/io/animation_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstring>

#include "pliant/base/error.h"
#include "pliant/geometry/surface.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/obj.h"
#include "pliant/io/point_cache.h"
#include "pliant/io/vtu.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;

// The surface of a mesh, and how it follows the mesh's vertices.
class MovingSurface {
 public:
  explicit MovingSurface(const MeshData& mesh) {
    if (mesh.has_tets()) {
      Surface surface = extract_surface({mesh.vertices, mesh.tets});
      mesh_ = std::move(surface.mesh);
      source_ = std::move(surface.source);
    } else {
      mesh_ = {mesh.vertices, mesh.triangles};
    }
  }
  const TriMesh& mesh() const { return mesh_; }
  Points at(const Points& positions) const {
    if (source_.size() == 0) return positions;
    Points result(source_.size(), 3);
    for (Index i = 0; i < source_.size(); ++i) result.row(i) = positions.row(source_[i]);
    return result;
  }

 private:
  TriMesh mesh_;
  VectorXi source_;  // empty: all vertices as they are
};

// Files of a series are made in a folder of their own beside the result, and moved out at the end.
class FrameFolder {
 public:
  explicit FrameFolder(const fs::path& beside) : target_(beside.parent_path()) {
    std::string pattern = beside.string() + ".XXXXXX";
    if (!mkdtemp(pattern.data()))
      throw Error(fmt::format("{}: cannot create a folder there: {}", beside.string(), std::strerror(errno)));
    folder_ = pattern;
  }
  ~FrameFolder() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  FrameFolder(const FrameFolder&) = delete;
  FrameFolder& operator=(const FrameFolder&) = delete;

  void write(const std::string& name, const std::function<void(std::ostream&)>& content) {
    write_atomically(folder_ / name, content);
    names_.push_back(name);
  }
  void move_out(std::vector<fs::path>& files) {
    for (const std::string& name : names_) {
      fs::rename(folder_ / name, target_ / name);
      files.push_back(target_ / name);
    }
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  fs::path target_, folder_;
  std::vector<std::string> names_;
};

std::string frame_name(const fs::path& path, std::size_t frame, const char* extension) {
  return fmt::format("{}_{:04}{}", path.stem().string(), frame, extension);
}

class ObjSequence : public AnimationWriter {
 public:
  ObjSequence(const fs::path& path, const MeshData& rest, const AnimationOptions&)
      : AnimationWriter(path, rest.vertices.rows()), surface_(rest), folder_(path) {}

 protected:
  void write_frame(const Points& positions) override {
    folder_.write(frame_name(path_, times_.size(), ".obj"), [&](std::ostream& stream) {
      write_obj(stream, {surface_.at(positions), surface_.mesh().triangles});
    });
  }
  void write_end(AnimationReport& report) override { folder_.move_out(report.files); }

 private:
  MovingSurface surface_;
  FrameFolder folder_;
};

class ParaViewSeries : public AnimationWriter {
 public:
  ParaViewSeries(const fs::path& path, const MeshData& rest, const AnimationOptions&)
      : AnimationWriter(path, rest.vertices.rows()), moving_(rest), rest_(rest.vertices), folder_(path) {}

 protected:
  void write_frame(const Points& positions) override {
    moving_.vertices = positions;
    const MeshFields fields{.vertices = {{"displacement", positions - rest_}}, .cells = {}};
    folder_.write(frame_name(path_, times_.size(), ".vtu"),
                  [&](std::ostream& stream) { write_vtu(stream, moving_, fields); });
  }
  void write_end(AnimationReport& report) override {
    folder_.move_out(report.files);
    write_atomically(path_, [&](std::ostream& stream) {
      stream << "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                "byte_order=\"LittleEndian\">\n"
             << "  <Collection>\n";
      for (std::size_t f = 0; f < times_.size(); ++f)
        stream << fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", times_[f],
                              escaped(folder_.names()[f]));
      stream << "  </Collection>\n</VTKFile>\n";
    });
    report.files.push_back(path_);
  }

 private:
  static std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
      if (c == '&')
        result += "&amp;";
      else if (c == '<')
        result += "&lt;";
      else if (c == '"')
        result += "&quot;";
      else
        result += c;
    }
    return result;
  }

  MeshData moving_;
  Points rest_;
  FrameFolder folder_;
};

class PointCacheAnimation : public AnimationWriter {
 public:
  PointCacheAnimation(const fs::path& path, const MeshData& rest, const AnimationOptions&)
      : AnimationWriter(path, rest.vertices.rows()),
        surface_(rest),
        writer_(path, surface_.mesh().vertex_count()) {}

 protected:
  void write_frame(const Points& positions) override { writer_.add(surface_.at(positions)); }
  void write_end(AnimationReport& report) override {
    writer_.finish();
    report.files.push_back(path_);
  }

 private:
  MovingSurface surface_;
  PointCacheWriter writer_;
};

class GltfAnimation : public AnimationWriter {
 public:
  GltfAnimation(const fs::path& path, const MeshData& rest, const AnimationOptions& options)
      : AnimationWriter(path, rest.vertices.rows()), surface_(rest), options_(options.gltf) {}

 protected:
  void write_frame(const Points& positions) override { frames_.push_back(surface_.at(positions)); }
  void write_end(AnimationReport& report) override {
    const VectorXd times = Eigen::Map<const VectorXd>(times_.data(), static_cast<Index>(times_.size()));
    report.error = write_glb_sequence(path_, surface_.mesh(), frames_, times, options_);
    report.files.push_back(path_);
  }

 private:
  MovingSurface surface_;
  GltfSequenceOptions options_;
  std::vector<Points> frames_;
};

template <class Writer>
std::unique_ptr<AnimationWriter> make(const fs::path& path, const MeshData& rest,
                                      const AnimationOptions& options) {
  return std::make_unique<Writer>(path, rest, options);
}

struct Row {
  const char* extension;
  std::unique_ptr<AnimationWriter> (*open)(const fs::path&, const MeshData&, const AnimationOptions&);
};
constexpr Row kRows[] = {
    {".pvd", make<ParaViewSeries>}, {".pc2", make<PointCacheAnimation>}, {".glb", make<GltfAnimation>},
    {".gltf", make<GltfAnimation>}, {".obj", make<ObjSequence>},
};

}  // namespace

std::unique_ptr<AnimationWriter> AnimationWriter::open(const fs::path& path, const MeshData& rest,
                                                       const AnimationOptions& options) {
  for (const Row& row : kRows)
    if (path.extension() == row.extension) return row.open(path, rest, options);
  throw InputError(fmt::format("{}: the extension '{}' is no animation format known here; expected one of {}",
                               path.string(), path.extension().string(),
                               fmt::join(animation_formats(), " ")));
}

std::vector<std::string> animation_formats() {
  std::vector<std::string> list;
  for (const Row& row : kRows) list.emplace_back(row.extension);
  return list;
}

void AnimationWriter::add(const Points& positions, double time) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{}: frame {} {}", path_.string(), times_.size() + 1, what));
  };
  if (finished_) refuse("comes after the end");
  if (positions.rows() != vertices_)
    refuse(fmt::format("has {} vertices; expected {}", positions.rows(), vertices_));
  if (!positions.allFinite()) refuse("has a vertex that is not a finite number");
  if (!std::isfinite(time) || (!times_.empty() && time <= times_.back()))
    refuse(fmt::format("is at {} s; expected ascending times", time));
  times_.push_back(time);
  try {
    write_frame(positions);
  } catch (...) {
    times_.pop_back();  // a frame that failed is no frame
    throw;
  }
}

AnimationReport AnimationWriter::finish() {
  if (finished_) throw InputError(fmt::format("{}: is finished already", path_.string()));
  if (times_.empty()) throw InputError(fmt::format("{}: there is no frame to write", path_.string()));
  finished_ = true;
  AnimationReport report;
  report.frames = static_cast<Index>(times_.size());
  write_end(report);
  return report;
}

}  // namespace pliant
