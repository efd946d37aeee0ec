#include "pliant/scene/simulate.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <map>

#include "pliant/base/error.h"
#include "pliant/io/csv_writer.h"
#include "pliant/io/safetensors.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

const std::vector<CsvColumn> columns = {{"frame"},
                                        {"time", "s"},
                                        {"kinetic", "J"},
                                        {"elastic", "J"},
                                        {"gravitational", "J"},
                                        {"total", "J"},
                                        {"momentum x", "kg m/s"},
                                        {"momentum y", "kg m/s"},
                                        {"momentum z", "kg m/s"},
                                        {"angular momentum x", "kg m^2/s"},
                                        {"angular momentum y", "kg m^2/s"},
                                        {"angular momentum z", "kg m^2/s"},
                                        {"simulated in", "ms"},
                                        {"iterations"},
                                        {"unconverged steps"}};

/// One frame of a run: what goes into the files.
struct Frame {
  std::vector<double> row;
  Points positions;
};

/// The frames of a run that may be continued: numbers of one frame after the other, appended.
class FrameLog {
 public:
  FrameLog(const fs::path& checkpoint, Index points)
      : path_(checkpoint.string() + ".frames"), points_(points) {}

  void begin(int frames_kept) {
    if (frames_kept == 0)
      std::ofstream(path_, std::ios::binary | std::ios::trunc);
    else
      fs::resize_file(path_, static_cast<std::uintmax_t>(frames_kept) * bytes());
    file_.open(path_, std::ios::binary | std::ios::app);
    if (!file_) throw Error(fmt::format("{}: cannot be written; is the folder there?", path_.string()));
  }

  void add(const Frame& frame) {
    file_.write(reinterpret_cast<const char*>(frame.row.data()),
                static_cast<std::streamsize>(frame.row.size() * sizeof(double)));
    file_.write(
        reinterpret_cast<const char*>(frame.positions.data()),
        static_cast<std::streamsize>(static_cast<std::size_t>(frame.positions.size()) * sizeof(double)));
  }

  void flush() {
    file_.flush();
    if (!file_) throw Error(fmt::format("{}: could not be written; is the disk full?", path_.string()));
  }

  template <class Take>
  void replay(int frames, Take&& take) const {
    std::ifstream file(path_, std::ios::binary);
    Frame frame{std::vector<double>(columns.size()), Points(points_, 3)};
    for (int i = 0; i < frames; ++i) {
      file.read(reinterpret_cast<char*>(frame.row.data()),
                static_cast<std::streamsize>(frame.row.size() * sizeof(double)));
      file.read(
          reinterpret_cast<char*>(frame.positions.data()),
          static_cast<std::streamsize>(static_cast<std::size_t>(frame.positions.size()) * sizeof(double)));
      if (!file)
        throw InputError(
            fmt::format("{}: holds fewer than the {} frames that the checkpoint counts; remove both to "
                        "start again",
                        path_.string(), frames));
      take(frame);
    }
  }

 private:
  std::uintmax_t bytes() const {
    return sizeof(double) * (columns.size() + 3 * static_cast<std::uintmax_t>(points_));
  }

  fs::path path_;
  Index points_;
  std::ofstream file_;
};

constexpr int checkpoint_version = 1;

void write_checkpoint(const fs::path& path, const Scene& scene, int frames) {
  const State state = scene.save();
  SafetensorsWriter writer;
  writer.set_format("pliant-checkpoint", checkpoint_version);
  writer.set_metadata("frames", std::to_string(frames));
  writer.add_view("state",
                  std::span(reinterpret_cast<const std::uint8_t*>(state.bytes.data()), state.bytes.size()));
  writer.write(path);
}

/// Frames that were done; the scene stands at the last of them.
int read_checkpoint(const fs::path& path, Scene& scene) {
  return with_context(path.string(), [&] {
    const SafetensorsFile file(path);
    file.format_version("pliant-checkpoint", checkpoint_version);
    const auto bytes = file.values<std::uint8_t>("state");
    State state;
    state.bytes.resize(bytes.size());
    std::memcpy(state.bytes.data(), bytes.data(), bytes.size());
    int frames = 0;
    try {
      frames = std::stoi(file.metadata("frames"));
    } catch (const std::logic_error&) {
    }
    if (frames < 1) throw InputError("the number of frames is missing; expected a checkpoint of a run");
    scene.restore(state);
    return frames;
  });
}

class Run {
 public:
  Run(Scene& scene, const SimulateOptions& options) : scene_(scene), options_(options) {
    for (const fs::path& path : options.outputs)
      writers_.push_back(AnimationWriter::open(path, scene.shown()));
    if (!options.csv.empty()) csv_.emplace(options.csv, columns);
    if (!options.checkpoint.empty()) log_.emplace(options.checkpoint, scene.shown_positions().rows());
  }

  SimulateReport go() {
    const int total = (options_.frames > 0 ? options_.frames : scene_.frames()) + 1;
    int done = 0;
    if (options_.resume && fs::exists(options_.checkpoint)) {
      done = read_checkpoint(options_.checkpoint, scene_);
      if (done > total)
        throw InputError(fmt::format("{}: already has {} frames; expected at most the {} that are asked for",
                                     options_.checkpoint.string(), done - 1, total - 1));
      log_->replay(done, [&](const Frame& frame) { write(frame); });
    }
    report_.resumed_frame = done > 0 ? done - 1 : 0;
    if (log_) log_->begin(done);
    try {
      for (; done < total; ++done) {
        report(options_.progress, "simulating", static_cast<double>(done) / total);
        const Frame frame = simulate_frame(done);
        write(frame);
        if (log_) log_->add(frame);
        if (log_ && (done + 1 == total || (done > 0 && done % options_.checkpoint_every == 0)))
          checkpoint(done + 1);
      }
    } catch (const Interrupted&) {
      // Between frames: progress is asked for at the beginning of one.
      if (log_ && done > 0) checkpoint(done);
      throw;
    }
    for (auto& writer : writers_) report_.animations.push_back(writer->finish());
    if (csv_) csv_->finish();
    report_.frames = total;
    for (auto& [name, microseconds] : phases_)
      report_.phases.push_back(
          {name, microseconds / 1000 / static_cast<double>(std::max<std::int64_t>(1, report_.steps))});
    return std::move(report_);
  }

 private:
  Frame simulate_frame(int frame) {
    double milliseconds = 0;
    int iterations = 0, unconverged = 0;
    if (frame > 0) {
      const auto start = Clock::now();
      for (int i = 0; i < scene_.steps_per_frame(); ++i) {
        const StepReport step = scene_.step();
        iterations += step.iterations;
        if (!step.converged) ++unconverged;
        for (SceneBody& body : scene_.bodies())
          for (const Trace::Phase& phase : body.simulator->trace().phases())
            phases_[phase.name] += phase.microseconds;
      }
      milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
      report_.seconds += milliseconds / 1000;
      report_.steps += scene_.steps_per_frame();
      report_.unconverged_steps += unconverged;
    }
    const Measures m = scene_.measure();
    return {{static_cast<double>(frame), scene_.time(), m.kinetic, m.elastic, m.gravitational, m.total(),
             m.momentum.x(), m.momentum.y(), m.momentum.z(), m.angular_momentum.x(), m.angular_momentum.y(),
             m.angular_momentum.z(), milliseconds, static_cast<double>(iterations),
             static_cast<double>(unconverged)},
            scene_.shown_positions()};
  }

  void write(const Frame& frame) {
    for (auto& writer : writers_) writer->add(frame.positions, frame.row[1]);
    if (csv_) csv_->add(frame.row);
    if (options_.frame_done)
      options_.frame_done(static_cast<int>(frame.row[0]), frame.row[1], frame.positions);
  }

  // The frames first: a checkpoint never counts a frame that is not there.
  void checkpoint(int frames) {
    log_->flush();
    write_checkpoint(options_.checkpoint, scene_, frames);
  }

  Scene& scene_;
  const SimulateOptions& options_;
  std::vector<std::unique_ptr<AnimationWriter>> writers_;
  std::optional<CsvWriter> csv_;
  std::optional<FrameLog> log_;
  std::map<std::string, double> phases_;
  SimulateReport report_;
};

}  // namespace

SimulateReport simulate(Scene& scene, const SimulateOptions& options) {
  if (options.frames < 0)
    throw InputError(fmt::format("simulate: {} frames; expected 1 or more", options.frames));
  if (options.checkpoint_every < 1)
    throw InputError(
        fmt::format("simulate: a checkpoint every {} frames; expected 1 or more", options.checkpoint_every));
  if (options.resume && options.checkpoint.empty())
    throw InputError("simulate: resume needs the checkpoint to go on from");
  return Run(scene, options).go();
}

}  // namespace pliant
