// Opening a mapped container against reading it: what a model costs before its first step.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "pliant/io/safetensors.h"

namespace {

namespace fs = std::filesystem;

// 200 MB: a basis of 64 columns for 130 000 vertices in double precision, made once a run.
class ModelFile {
 public:
  static const fs::path& path() {
    static const ModelFile file;
    return file.path_;
  }

 private:
  ModelFile()
      : path_(fs::temp_directory_path() / ("pliant_benchmark_" + std::to_string(getpid()) + ".pliant")) {
    const std::vector<double> basis(std::size_t{130'000} * 3 * 64, 0.5);
    pliant::SafetensorsWriter writer;
    writer.add_view("U", std::span<const double>(basis), {130'000 * 3, 64});
    for (int i = 0; i < 100; ++i) writer.add("array_" + std::to_string(i), std::vector<int>(100, i));
    writer.write(path_);
  }
  ~ModelFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  fs::path path_;
};

void safetensors_open_200mb(benchmark::State& state) {
  const fs::path path = ModelFile::path();
  for (auto _ : state) {
    const pliant::SafetensorsFile file(path);
    benchmark::DoNotOptimize(file.matrix<double>("U").data());
  }
}
BENCHMARK(safetensors_open_200mb)->Unit(benchmark::kMicrosecond);

void safetensors_open_and_sum_200mb(benchmark::State& state) {
  const fs::path path = ModelFile::path();
  for (auto _ : state) {
    const pliant::SafetensorsFile file(path);
    benchmark::DoNotOptimize(file.matrix<double>("U").sum());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(fs::file_size(path)));
}
BENCHMARK(safetensors_open_and_sum_200mb)->Unit(benchmark::kMillisecond);

// The obvious way, to compare: the whole file into a string.
void safetensors_compare_plain_read_200mb(benchmark::State& state) {
  const fs::path path = ModelFile::path();
  for (auto _ : state) {
    std::string bytes(fs::file_size(path), '\0');
    std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    benchmark::DoNotOptimize(bytes.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(fs::file_size(path)));
}
BENCHMARK(safetensors_compare_plain_read_200mb)->Unit(benchmark::kMillisecond);

void safetensors_write_200mb(benchmark::State& state) {
  const std::vector<double> basis(std::size_t{130'000} * 3 * 64, 0.5);
  const fs::path path = fs::path(ModelFile::path()).concat(".written");
  for (auto _ : state) {
    pliant::SafetensorsWriter writer;
    writer.add_view("U", std::span<const double>(basis), {130'000 * 3, 64});
    writer.write(path);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(basis.size() * sizeof(double)));
  fs::remove(path);
}
BENCHMARK(safetensors_write_200mb)->Unit(benchmark::kMillisecond);

}  // namespace
