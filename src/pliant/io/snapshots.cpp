#include "pliant/io/snapshots.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pliant/base/error.h"

namespace pliant {
namespace {

constexpr const char* kFormat = "pliant.snapshots";
constexpr int kVersion = 1;
constexpr std::string_view kProjections = "projections.";

}  // namespace

void write_snapshots(const std::filesystem::path& path, const Snapshots& snapshots) {
  with_context(path.string(), [&] {
    const Index count = static_cast<Index>(snapshots.frames.size());
    const Index points = count ? snapshots.frames[0].rows() : 0;
    if (snapshots.times.size() != count)
      throw InputError(fmt::format("{} snapshots but {} times", count, snapshots.times.size()));
    std::vector<double> positions;
    positions.reserve(static_cast<std::size_t>(3 * points * count));
    for (const Points& frame : snapshots.frames) {
      if (frame.rows() != points)
        throw InputError(fmt::format("a snapshot of {} points among snapshots of {}", frame.rows(), points));
      positions.insert(positions.end(), frame.data(), frame.data() + frame.size());
    }
    SafetensorsWriter writer;
    writer.set_format(kFormat, kVersion);
    writer.add_view("positions", std::span<const double>(positions), {count, points, 3});
    writer.add("times", snapshots.times);
    std::map<std::string, std::vector<float>> stacked;
    for (const auto& [kind, frames] : snapshots.projections) {
      if (static_cast<Index>(frames.size()) != count)
        throw InputError(fmt::format("{} snapshots but {} of projections", count, frames.size()));
      std::vector<float>& values = stacked[kind];
      for (const Eigen::MatrixXf& p : frames) {
        if (p.rows() != frames[0].rows() || p.cols() != frames[0].cols())
          throw InputError(
              fmt::format("projections of {} constraints among those of {}", p.cols(), frames[0].cols()));
        values.insert(values.end(), p.data(), p.data() + p.size());
      }
      if (count > 0)
        writer.add_view(std::string(kProjections) + kind, std::span<const float>(values),
                        {count, frames[0].cols(), frames[0].rows()});
    }
    writer.write(path);
  });
}

SnapshotFile::SnapshotFile(const std::filesystem::path& path) : file_(path) {
  // Files of numpy have no format to state; ours say which version they are.
  if (file_.metadata().count("format")) file_.format_version(kFormat, kVersion);
  const Tensor& positions = file_.tensor("positions");
  if (positions.shape.size() != 3 || positions.shape[2] != 3)
    throw InputError(fmt::format("{}: positions have shape [{}]; expected [frames, points, 3]", path.string(),
                                 fmt::join(positions.shape, ", ")));
  frames_ = positions.shape[0], vertices_ = positions.shape[1];
  single_ = positions.dtype == Dtype::F32;
  if (vertices_ == 0 && frames_ > 0)
    throw InputError(fmt::format("{}: {} snapshots of no points", path.string(), frames_));
  if (!single_) file_.values<double>("positions");  // refuses others, by name
  for (const Tensor& tensor : file_.tensors()) {
    if (!tensor.name.starts_with(kProjections)) continue;
    if (tensor.shape.size() != 3 || tensor.shape[0] != frames_)
      throw InputError(fmt::format("{}: {} have shape [{}]; expected [{}, constraints, numbers of one]",
                                   path.string(), tensor.name, fmt::join(tensor.shape, ", "), frames_));
    file_.values<float>(tensor.name);
  }
}

void SnapshotFile::read(Index frame, Index first, Index vertices, double* out) const {
  const Index start = 3 * (vertices_ * frame + first);
  if (single_)
    std::copy_n(file_.values<float>("positions").data() + start, 3 * vertices, out);
  else
    std::copy_n(file_.values<double>("positions").data() + start, 3 * vertices, out);
}

bool SnapshotFile::has_projections(const std::string& kind) const {
  return file_.has(std::string(kProjections) + kind);
}

Index SnapshotFile::constraints(const std::string& kind) const {
  return file_.tensor(std::string(kProjections) + kind).shape[1];
}

Index SnapshotFile::numbers(const std::string& kind) const {
  return file_.tensor(std::string(kProjections) + kind).shape[2];
}

void SnapshotFile::read_projections(const std::string& kind, Index frame, Index first, Index count,
                                    double* out) const {
  const Tensor& tensor = file_.tensor(std::string(kProjections) + kind);
  std::copy_n(file_.values<float>(tensor.name).data() + (frame * tensor.shape[1] + first) * tensor.shape[2],
              count * tensor.shape[2], out);
}

Snapshots read_snapshots(const std::filesystem::path& path) {
  const SnapshotFile mapped(path);
  const SafetensorsFile file(path);
  const Index count = mapped.frames(), points = mapped.vertices();
  Snapshots result;
  for (Index f = 0; f < count; ++f) {
    result.frames.emplace_back(points, 3);
    mapped.read(f, 0, points, result.frames.back().data());
  }
  if (!file.has("times")) {
    result.times = VectorXd::LinSpaced(count, 0, static_cast<double>(count - 1));
  } else {
    result.times = file.matrix<double>("times", 1);
    if (result.times.size() != count)
      throw InputError(
          fmt::format("{}: {} snapshots but {} times", path.string(), count, result.times.size()));
  }
  for (const Tensor& tensor : file.tensors()) {
    if (!tensor.name.starts_with(kProjections)) continue;
    const std::span<const float> values = file.values<float>(tensor.name);
    const Index each = tensor.shape[1] * tensor.shape[2];
    for (Index f = 0; f < count; ++f)
      result.projections[tensor.name.substr(kProjections.size())].push_back(
          Eigen::Map<const Eigen::MatrixXf>(values.data() + each * f, tensor.shape[2], tensor.shape[1]));
  }
  return result;
}

}  // namespace pliant
