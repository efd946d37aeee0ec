// pliant edit: parts of a body are moved and turned by hand, and the rest follows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "body_source.h"
#include "output.h"
#include "pliant/editing/full_pose.h"
#include "pliant/geometry/measures.h"
#include "pliant/io/animation_writer.h"
#include "pliant/io/file_name.h"
#include "pliant/io/write_png.h"
#include "pliant/reduced/reduce_fem.h"
#include "pliant/scene/build.h"
#include "pliant/scene/filmstrip.h"
#include "pliant/scene/handles_file.h"

namespace pliant::app {
namespace {

struct Arguments {
  BodySource source;
  std::string handles;
  std::vector<std::string> outputs;
  int sequence = 0, steps = 0, modes = 15;
  double tolerance = PoseOptions{}.tolerance;
  bool full = false, json = false, schema = false, keys = false;
  OutputOptions output;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What is edited: a model, or a body with a subspace that was made on the spot and all its elements.
struct Subject {
  std::optional<ReducedFem> model;
  std::optional<PhysicalBody> physical;
  DenseBasis basis;  // of the body

  PoseEditor editor() const {
    return model ? PoseEditor(*model) : PoseEditor(basis, exact_energy(physical->body, basis));
  }
  Points positions(const VectorXd& q) const {
    return model ? pliant::positions(*model, q) : pliant::positions(basis, q);
  }
  HandleBody handle_body() const {
    if (model) return {model->rest_positions, model->fixed, handle_stiffness(*model)};
    return {physical->body.rest_positions(), physical->body.fixed(), handle_stiffness(basis)};
  }
  MeshData shown(const Points& x) const {
    if (model) return pliant::shown(*model, x);
    MeshData mesh = physical->mesh.shown;
    mesh.vertices = physical->mesh.embedding ? physical->mesh.embedding->positions(x) : x;
    return mesh;
  }
};

ReducedFem read_editable(const std::filesystem::path& file) {
  ReducedModel model = read_model(file);
  if (auto* fem = std::get_if<ReducedFem>(&model)) return std::move(*fem);
  throw InputError(
      fmt::format("{}: a model of {}; expected one of reduced finite elements, from pliant reduce --method "
                  "reduced_fem",
                  file.string(), method(model)));
}

Subject load(const Arguments& a, const Progress& progress) {
  Subject subject;
  if (std::filesystem::path(a.source.input).extension() == ".pliant") {
    a.source.refuse_words("model");
    subject.model = read_editable(a.source.input);
    return subject;
  }
  const BodyWords words = body_words(a.source);
  if (words.json.contains("model")) {
    subject.model = read_editable(words.folder / words.json["model"].get<std::string>());
    return subject;
  }
  subject.physical = build_physical_body(words.json, "bodies[0]", words.folder, progress);
  ReduceFemOptions options;
  options.modes = a.modes, options.samples = 1, options.progress = progress;
  subject.basis = make_basis(subject.physical->body, options);
  return subject;
}

/// One step for every thirty degrees that a handle turns.
int steps_for(const std::vector<Handle>& handles) {
  double turn = 0;
  for (const Handle& handle : handles) turn = std::max(turn, handle.rotation.norm());
  return std::max(1, static_cast<int>(std::ceil(turn / (M_PI / 6) - 1e-9)));
}

/// The way of the handles, and where it is looked at.
struct Way {
  int steps = 1;      // in all
  int per_frame = 1;  // so many from one frame to the next
};

struct Solved {
  Points positions;
  PoseReport report;
  std::vector<Points> frames;  // the rest shape first
  double seconds = 0;
};

Solved solve_in_subspace(const Subject& subject, const HandlesFile& file, const Way& way,
                         const Arguments& a) {
  CommandProgress progress;
  const Progress report_progress = progress.callback();
  PoseEditor editor = subject.editor();
  Solved solved;
  solved.frames.push_back(subject.handle_body().rest_positions);
  editor.set_handles(file.handles, {.samples = file.samples, .stiffness = subject.handle_body().stiffness});
  const auto start = std::chrono::steady_clock::now();
  int iterations = 0, evaluations = 0;
  for (int step = 1; step <= way.steps; ++step) {
    const double part = static_cast<double>(step) / way.steps;
    for (std::size_t i = 0; i < file.handles.size(); ++i)
      editor.move_handle(static_cast<int>(i), part * file.handles[i].translation,
                         part * file.handles[i].rotation);
    solved.report = editor.solve({.tolerance = a.tolerance});
    iterations += solved.report.iterations, evaluations += solved.report.evaluations;
    report(report_progress, "pose", part);
    if (step % way.per_frame == 0) solved.frames.push_back(subject.positions(editor.q()));
  }
  solved.report.iterations = iterations, solved.report.evaluations = evaluations;
  solved.seconds = seconds_since(start);
  solved.positions = solved.frames.back();
  return solved;
}

Solved solve_full(const Subject& subject, const HandlesFile& file, const Way& way) {
  CommandProgress progress;
  const Body& body = subject.physical->body;
  Solved solved;
  solved.frames.push_back(body.rest_positions());
  FullPoseOptions options;
  options.steps = way.steps;
  options.progress = progress.callback();
  options.step_done = [&](int step, const Points& x) {
    if (step % way.per_frame == 0) solved.frames.push_back(x);
  };
  const HandleSprings springs =
      sample_handles(body.rest_positions(), file.handles,
                     {.samples = file.samples, .stiffness = subject.handle_body().stiffness});
  const auto start = std::chrono::steady_clock::now();
  FullPose pose = solve_full_pose(body, file.handles, springs, options);
  solved.seconds = seconds_since(start);
  solved.positions = std::move(pose.positions);
  solved.report = pose.report;
  return solved;
}

// === Files

void check_outputs(const Arguments& a) {
  if (a.sequence == 0) {
    for (const std::string& path : a.outputs) check_output(path);
    return;
  }
  std::vector<std::string> formats = animation_formats();
  formats.push_back(".png");
  for (const std::string& path : a.outputs)
    if (std::find(formats.begin(), formats.end(), format_extension(path)) == formats.end())
      throw UsageError(fmt::format("-o {}: a sequence cannot be written as \"{}\"; expected one of {}", path,
                                   format_extension(path), fmt::join(formats, " ")));
}

void write_sequence(const std::string& path, const Subject& subject, const std::vector<Points>& frames,
                    const RenderOptions& picture) {
  const MeshData rest = subject.shown(frames.front());
  if (format_extension(path) == ".png") {
    constexpr std::size_t most = 6;
    const std::size_t count = std::min(most, frames.size());
    std::vector<Moment> moments;
    for (std::size_t i = 0; i < count; ++i)
      moments.push_back({0, subject.shown(frames[i * (frames.size() - 1) / (count - 1)]).vertices});
    RenderOptions options = picture;
    options.height = 0;
    write_png(path, filmstrip(rest, moments, {}, options));
    return;
  }
  const auto writer = AnimationWriter::open(path, rest);
  for (std::size_t i = 0; i < frames.size(); ++i)  // one second in all
    writer->add(subject.shown(frames[i]).vertices,
                static_cast<double>(i) / static_cast<double>(frames.size() - 1));
  writer->finish();
}

// === Words

/// How far one pose is from another, in box diagonals: in the mean (of squares), and where it is most.
std::pair<double, double> distance(const Points& a, const Points& b, const Points& rest) {
  const VectorXd d = (a - b).rowwise().norm() / bounding_box(rest).diagonal();
  return {std::sqrt(d.squaredNorm() / static_cast<double>(d.size())), d.maxCoeff()};
}

void run(const Arguments& a) {
  if (a.schema) return print_json(handles_schema());
  if (a.keys) return print(schema_table(handles_type()));
  if (a.source.input.empty())
    throw UsageError("edit: no body given; expected a .pliant model, a mesh, a shape or a scene");
  if (a.handles.empty())
    throw UsageError("edit: no handles given; expected --handles FILE (see --keys for what it says)");
  check_outputs(a);

  auto start = std::chrono::steady_clock::now();
  CommandProgress progress;
  const Subject subject = load(a, progress.callback());
  if (a.full && subject.model)
    throw UsageError(
        "--full: a model knows its subspace only; give the mesh or the scene that it was made of");
  const HandleBody body = subject.handle_body();
  const HandlesFile file = read_handles(a.handles, body);
  const double seconds_load = seconds_since(start);

  const auto way_of = [&](int least) {
    const int frames = std::max(1, a.sequence - 1);
    const int steps = a.steps > 0 ? a.steps : std::max(least, steps_for(file.handles));
    const int per_frame = (steps + frames - 1) / frames;
    return Way{frames * per_frame, per_frame};
  };
  Solved solved = solve_in_subspace(subject, file, way_of(1), a);
  const double box = bounding_box(body.rest_positions).diagonal();
  Json json = {{"input", a.source.input},
               {"method", subject.model ? "reduced_fem" : "exact_forces"},
               {"vertices", body.rest_positions.rows()},
               {"dimension", subject.model ? subject.model->dimension() : subject.basis.dimension()}};
  std::string off;
  if (a.full) {
    Solved full = solve_full(subject, file, way_of(FullPoseOptions{}.steps));
    const auto [mean, largest] = distance(solved.positions, full.positions, body.rest_positions);
    json["method"] = "full";
    json["subspace_distance"] = mean, json["subspace_distance_largest"] = largest;
    json["subspace_seconds"] = solved.seconds;
    off =
        fmt::format("  the pose in {} coordinates is off by {:.2g} of the box in the mean, {:.2g} at most\n",
                    subject.basis.dimension(), mean, largest);
    solved = std::move(full);
  }
  for (const std::string& path : a.outputs)
    if (a.sequence > 0)
      write_sequence(path, subject, solved.frames, a.output.picture);
    else
      write_output(path, subject.shown(solved.positions), a.output);

  const PoseReport& report = solved.report;
  if (a.json) {
    json["handles"] = Json::array();
    for (const Handle& handle : file.handles)
      json["handles"].push_back({{"vertices", handle.vertices.size()}, {"stiffness", handle.stiffness}});
    json["converged"] = report.converged;
    json["iterations"] = report.iterations;
    json["elastic_j"] = report.elastic, json["springs_j"] = report.springs;
    json["energy_j"] = report.elastic + report.springs;
    json["residual"] = report.residual;
    json["handle_error"] = report.handle_error / box, json["handle_error_m"] = report.handle_error;
    json["seconds"] = solved.seconds, json["seconds_load"] = seconds_load;
    json["files"] = a.outputs;
    print_json(json);
    return;
  }
  std::string text = fmt::format(
      "{}: {} vertices{}, {} handles\n", a.source.input, body.rest_positions.rows(),
      a.full ? "" : fmt::format(" in {} coordinates", json["dimension"].dump()), file.handles.size());
  text += fmt::format("  {} in {} iterations, {:.1f} ms; residual {:.2g}\n",
                      report.converged ? "converged" : "stopped before it converged", report.iterations,
                      1000 * solved.seconds, report.residual);
  text += fmt::format("  {:.4g} J in the body, {:.4g} J in springs; handles miss by {:.2g} of the box\n",
                      report.elastic, report.springs, report.handle_error / box);
  text += off;
  for (const std::string& path : a.outputs) text += fmt::format("wrote {}\n", path);
  print(text);
}

}  // namespace

void add_edit(CLI::App& program) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("edit", "Pose a body by handles: parts of it that are moved and turned");
  add_body_source(*command, a->source);
  command->get_option("input")->required(false)->description(
      "A model (.pliant); or a mesh file, the name of a shape or a scene (.json), with all "
      "elements in a subspace made on the spot");
  command->add_option("--handles", a->handles, "Which parts go where, .json (see --keys)");
  command->add_option("-o,--output", a->outputs, "The pose: any mesh format or .png; may come several times");
  command
      ->add_option("--sequence", a->sequence,
                   "So many frames from rest to the pose instead; formats of motion, or .png")
      ->check(CLI::Range(2, 100000));
  command->add_option("--steps", a->steps, "In which handles go there; 0: one for every 30 degrees of a turn")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_option("--tolerance", a->tolerance, "Of a movement, in box diagonals")
      ->check(number_from(1e-14, 1.0))
      ->capture_default_str();
  command->add_option("--modes", a->modes, "Of a mesh: modes from which the subspace is made")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--full", a->full,
                    "Of a mesh: solve for all vertices, and tell how far the subspace is from that");
  command->add_flag("--keys", a->keys, "Print a table of all keys of handles files, and do nothing else");
  command->add_flag("--schema", a->schema, "Print the JSON Schema of handles files, and do nothing else");
  add_output_options(*command, a->output);
  add_common(
      *command, a->json,
      "  pliant edit bear.pliant --handles handles.json -o pose.obj -o pose.png\n"
      "  pliant edit bear.pliant --handles handles.json --sequence 60 -o pose.glb\n"
      "  pliant edit bar --tets 5000 --fix-lowest 0.1 --handles handles.json --full -o truth.vtu\n"
      "where handles.json says, for example,\n"
      "  {\"handles\": [{\"where\": {\"box\": {\"low\": [0, 0, 0], \"high\": [1, 0.1, 1]}, \"relative\": "
      "true}},\n"
      "               {\"where\": {\"sphere\": {\"center\": [0, 0.9, 0], \"radius\": 0.2}},\n"
      "                \"translation\": [0.2, 0, 0], \"rotation_axis\": [0, 0, 1], "
      "\"rotation_degrees\": -45}]}");
  command->callback([a] { run(*a); });
}

}  // namespace pliant::app
