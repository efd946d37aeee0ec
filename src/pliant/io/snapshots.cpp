#include "pliant/io/snapshots.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pliant/base/error.h"
#include "pliant/io/safetensors.h"

namespace pliant {
namespace {

constexpr const char* kFormat = "pliant.snapshots";
constexpr int kVersion = 1;
constexpr std::string_view kProjections = "projections.";

template <class T>
void read_frames(const SafetensorsFile& file, Index frames, Index points, Snapshots& result) {
  const std::span<const T> values = file.values<T>("positions");
  for (Index f = 0; f < frames; ++f)
    result.frames.push_back(Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 3, Eigen::RowMajor>>(
                                values.data() + 3 * points * f, points, 3)
                                .template cast<double>());
}

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
          throw InputError(fmt::format("projections of {} constraints among those of {}", p.cols(), frames[0].cols()));
        values.insert(values.end(), p.data(), p.data() + p.size());
      }
      if (count > 0)
        writer.add_view(std::string(kProjections) + kind, std::span<const float>(values),
                        {count, frames[0].cols(), frames[0].rows()});
    }
    writer.write(path);
  });
}

Snapshots read_snapshots(const std::filesystem::path& path) {
  const SafetensorsFile file(path);
  // Files of numpy have no format to state; ours say which version they are.
  if (file.metadata().count("format")) file.format_version(kFormat, kVersion);
  const Tensor& positions = file.tensor("positions");
  if (positions.shape.size() != 3 || positions.shape[2] != 3)
    throw InputError(fmt::format("{}: positions have shape [{}]; expected [frames, points, 3]", path.string(),
                                 fmt::join(positions.shape, ", ")));
  const Index count = positions.shape[0], points = positions.shape[1];
  if (points == 0 && count > 0)
    throw InputError(fmt::format("{}: {} snapshots of no points", path.string(), count));

  Snapshots result;
  if (positions.dtype == Dtype::F32)
    read_frames<float>(file, count, points, result);
  else
    read_frames<double>(file, count, points, result);
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
    if (tensor.shape.size() != 3 || tensor.shape[0] != count)
      throw InputError(fmt::format("{}: {} have shape [{}]; expected [{}, constraints, numbers of one]", path.string(),
                                   tensor.name, fmt::join(tensor.shape, ", "), count));
    const std::span<const float> values = file.values<float>(tensor.name);
    const Index each = tensor.shape[1] * tensor.shape[2];
    for (Index f = 0; f < count; ++f)
      result.projections[tensor.name.substr(kProjections.size())].push_back(
          Eigen::Map<const Eigen::MatrixXf>(values.data() + each * f, tensor.shape[2], tensor.shape[1]));
  }
  return result;
}

}  // namespace pliant
