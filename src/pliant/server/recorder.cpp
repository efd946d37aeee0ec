#include "pliant/server/recorder.h"

#include <fmt/format.h>

#include "pliant/base/error.h"
#include "pliant/io/animation_writer.h"
#include "pliant/io/input_file.h"
#include "pliant/io/snapshots.h"

namespace pliant::server {
namespace {

constexpr std::size_t most_bytes = std::size_t{512} << 20;
constexpr std::size_t most_frames = 20000;

Bytes content(const std::filesystem::path& file) {
  const InputFile input(file);
  return std::make_shared<const std::string>(input.bytes());
}

}  // namespace

Recorder::Recorder(const Stage& stage) : motions_(stage.size()) {
  Index points = 0, triangles = 0;
  for (std::size_t b = 0; b < stage.size(); ++b)
    points += stage.drawn(b).surface, triangles += stage.drawn(b).triangles.rows();
  rest_.vertices.resize(points, 3);
  rest_.triangles.resize(triangles, 3);
  rest_.tets.resize(0, 4);
  points = triangles = 0;
  for (std::size_t b = 0; b < stage.size(); ++b) {
    const DrawnBody& drawn = stage.drawn(b);
    rest_.vertices.middleRows(points, drawn.surface) = drawn.rest.topRows(drawn.surface);
    rest_.triangles.middleRows(triangles, drawn.triangles.rows()) =
        drawn.triangles.array() + static_cast<std::int32_t>(points);
    points += drawn.surface, triangles += drawn.triangles.rows();
  }
}

bool Recorder::add(const Stage& stage) {
  auto numbers = static_cast<std::size_t>(rest_.vertices.size());
  for (std::size_t b = 0; b < stage.size(); ++b)
    if (stage.words(b)) numbers += static_cast<std::size_t>(3 * stage.simulator(b).vertex_count());
  bytes_ += numbers * sizeof(float);
  if (frames_.size() >= most_frames || bytes_ > most_bytes) return false;
  frames_.emplace_back(rest_.vertices.rows(), 3);
  times_.push_back(stage.time());
  Index at = 0;
  Points one;
  for (std::size_t b = 0; b < stage.size(); ++b) {
    const DrawnBody& drawn = stage.drawn(b);
    combine(drawn, stage.simulator(b).positions(), drawn.surface, one);
    frames_.back().middleRows(at, drawn.surface) = one.cast<float>();
    at += drawn.surface;
    if (stage.words(b)) motions_[b].push_back(stage.simulator(b).positions().cast<float>());
  }
  return true;
}

void Recorder::write_motion(std::size_t body, const std::filesystem::path& file) const {
  if (body >= motions_.size() || motions_[body].empty())
    throw InputError("rebuild: no motion of this body was recorded; expected a recording first");
  Snapshots out;
  for (const FloatPoints& x : motions_[body]) out.frames.push_back(x.cast<double>());
  out.times = Eigen::Map<const VectorXd>(times_.data(), static_cast<Index>(times_.size()));
  write_snapshots(file, out);
}

Recorder::Files Recorder::write(const std::filesystem::path& scratch, const Progress& progress) const {
  const std::filesystem::path glb = scratch / "recording.glb", pc2 = scratch / "recording.pc2",
                              obj = scratch / "recording.obj";
  write_mesh(obj, rest_);
  const auto animation = AnimationWriter::open(glb, rest_), cache = AnimationWriter::open(pc2, rest_);
  for (std::size_t f = 0; f < frames_.size(); ++f) {
    report(progress, "recording", static_cast<double>(f) / static_cast<double>(frames_.size()));
    const Points positions = frames_[f].cast<double>();
    animation->add(positions, times_[f] - times_.front());
    cache->add(positions, times_[f] - times_.front());
  }
  cache->finish();
  animation->finish();
  Files files{content(glb), content(pc2), content(obj)};
  for (const auto& file : {glb, pc2, obj}) std::filesystem::remove(file);
  return files;
}

}  // namespace pliant::server
