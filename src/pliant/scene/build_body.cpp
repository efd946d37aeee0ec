#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "pliant/base/error.h"
#include "pliant/elasticity/projective_body.h"
#include "pliant/fullspace/newton.h"
#include "pliant/fullspace/projective_dynamics.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/surface.h"
#include "pliant/io/snapshots.h"
#include "pliant/reduced/hrpd.h"
#include "pliant/reduced/newmark_broyden.h"
#include "pliant/reduced/reduce_fem.h"
#include "pliant/scene/build.h"
#include "pliant/scene/region.h"
#include "pliant/subspace/snapshot_blocks.h"
#include "pliant/subspace/splocs.h"

namespace pliant {
namespace {

// === Materials

/// The native parameters if all are there; empty if none is.
std::vector<double> native(const Json& json, const std::vector<const char*>& keys, const std::string& path) {
  std::vector<double> values;
  for (const char* key : keys)
    if (json.contains(key)) values.push_back(json[key].get<double>());
  if (!values.empty() && values.size() < keys.size())
    for (const char* key : keys)
      if (!json.contains(key))
        throw InputError(fmt::format("{}.{} is missing; native parameters come all together: {}", path, key,
                                     fmt::join(keys, ", ")));
  return values;
}

Material build_material(const Json& json, const std::string& path) {
  const auto kind = json["kind"].get<std::string>();
  const double young = json["young"].get<double>(), poisson = json["poisson"].get<double>();
  Material material = make_material(kind, young, poisson);
  if (kind == "mooney_rivlin") {
    const auto p = native(json, {"c10", "c01", "kappa"}, path);
    if (!p.empty()) material = MooneyRivlin{p[0], p[1], p[2]};
  } else if (kind == "fung") {
    const auto p = native(json, {"mu1", "lambda1", "c", "mu2", "lambda2"}, path);
    if (!p.empty()) material = Fung{p[0], p[1], p[2], p[3], p[4]};
  } else if (kind == "arruda_boyce") {
    std::get<ArrudaBoyce>(material).locking = json["locking"].get<double>();
  } else {
    const auto p = native(json, {"mu", "lambda"}, path);
    if (!p.empty())
      std::visit(
          [&](auto& m) {
            if constexpr (requires { m.lambda; }) m.mu = p[0], m.lambda = p[1];
          },
          material);
  }
  with_context(path, [&] { check(material); });
  return material;
}

/// What each tet is made of.
struct Palette {
  std::vector<SolidMaterial> materials;
  std::vector<int> material_of_tet;
};

Palette build_palette(const Json& json, const TetMesh& mesh, const std::string& path) {
  Palette palette;
  const double density = json["density"].get<double>();
  palette.materials.push_back({build_material(json["material"], path + ".material"), density});
  palette.material_of_tet.assign(static_cast<std::size_t>(mesh.tet_count()), 0);
  const Json& regions = json["regions"];
  for (std::size_t r = 0; r < regions.size(); ++r) {
    const std::string region_path = fmt::format("{}.regions[{}]", path, r);
    std::vector<char> inside(static_cast<std::size_t>(mesh.vertex_count()), 0);
    for (const int v : select_vertices(regions[r]["where"], mesh.vertices, region_path + ".where"))
      inside[static_cast<std::size_t>(v)] = 1;
    const auto number = static_cast<int>(palette.materials.size());
    bool any = false;
    for (Index t = 0; t < mesh.tet_count(); ++t)
      if ((mesh.tets.row(t).array().unaryExpr([&](int v) {
            return inside[static_cast<std::size_t>(v)] != 0;
          })).all())
        palette.material_of_tet[static_cast<std::size_t>(t)] = number, any = true;
    if (!any)
      throw InputError(region_path +
                       ".where contains no whole tet; expected a larger region or smaller tets");
    palette.materials.push_back(
        {build_material(regions[r]["material"], region_path + ".material"),
         regions[r].contains("density") ? regions[r]["density"].get<double>() : density});
  }
  return palette;
}

Body make_body(const Json& json, const BodyMesh& mesh, std::vector<int> fixed, const std::string& path) {
  BodyOptions options;
  options.fixed = std::move(fixed);
  options.damping = {json["damping"]["mass"].get<double>(), json["damping"]["stiffness"].get<double>()};
  if (!mesh.is_solid()) {
    const Json& shell = json["shell"];
    return with_context(path, [&] {
      return Body(mesh.shell,
                  ShellMaterial::from_young(shell["young"].get<double>(), shell["poisson"].get<double>(),
                                            shell["thickness"].get<double>(), json["density"].get<double>()),
                  options);
    });
  }
  Palette palette = build_palette(json, mesh.solid, path);
  options.material_of_tet = std::move(palette.material_of_tet);
  return with_context(path, [&] { return Body(mesh.solid, palette.materials, options); });
}

// === Simulators

std::unique_ptr<Simulator> build_newton(const Json& json, const Body& body) {
  NewtonOptions options;
  options.scheme = time_scheme(json["scheme"].get<std::string>());
  options.solver = linear_solver(json["solver"].get<std::string>());
  options.max_iterations = json["max_iterations"].get<int>();
  options.iterations = json["fixed_iterations"].get<int>();
  options.tolerance = json["tolerance"].get<double>();
  return std::make_unique<NewtonSimulator>(body, options);
}

std::unique_ptr<Simulator> build_projective(const Json& json, const Body& body) {
  ProjectiveDynamicsOptions options;
  options.iterations = json["iterations"].get<int>();
  auto simulator =
      std::make_unique<ProjectiveDynamics>(build_constraints(json, body), body.masses(), options);
  simulator->fix(body.fixed());
  return simulator;
}

// === Reduced models

ReduceFemOptions reduce_fem_options(const Json& json) {
  ReduceFemOptions options;
  options.basis = basis_kind(json["basis"].get<std::string>());
  options.forces = force_kind(json["forces"].get<std::string>());
  options.modes = json["modes"].get<int>();
  options.dimension = json["dimension"].get<int>();
  options.samples = json["samples"].get<int>();
  options.poses.count = json["poses"].get<int>();
  options.contact_samples = json["contact_samples"].get<int>();
  options.seed = static_cast<std::uint64_t>(json["seed"].get<std::int64_t>());
  return options;
}

ReduceHrpdOptions reduce_hrpd_options(const Json& json) {
  ReduceHrpdOptions options;
  options.positions.handles = json["handles"].get<int>();
  options.positions.support = json["support"].get<double>();
  options.positions.radial = radial_function(json["weights"].get<std::string>());
  options.positions.ramp = json["ramp"].get<double>();
  options.projections.handles = json["fitted_handles"].get<int>();
  options.projections.dimension = json["fitted_dimension"].get<int>();
  options.projections.samples = json["samples"].get<int>();
  options.projections.radial = options.positions.radial;
  options.fit = json["fit"].get<bool>();
  options.sampling = sampling(json["sampling"].get<std::string>());
  options.smoothing = json["smoothing"].get<double>();
  options.contact_samples = json["contact_samples"].get<int>();
  if (json.contains("iterations")) options.iterations = json["iterations"].get<int>();
  return options;
}

/// Motion that was recorded of the same mesh, and what a reduction may take from there.
class RecordedMotion {
 public:
  RecordedMotion(const Json& json, const Body& body, const std::filesystem::path& folder)
      : json_(json), body_(body), file_(json["snapshots"].get<std::string>()) {
    if (file_.empty())
      throw InputError(fmt::format(
          "{} is {} and there are no snapshots; expected a file that `pliant snapshots record` made",
          json["subspace"] != "skinning" ? "subspace" : "fitted_space",
          (json["subspace"] != "skinning" ? json["subspace"] : json["fitted_space"]).get<std::string>()));
    recorded_.emplace(folder / file_);
    frames_ = {recorded_->frames(), recorded_->vertices(),
               [this](Index frame, Index first, Index vertices, double* out) {
                 recorded_->read(frame, first, vertices, out);
               }};
    with_context(file_, [&] {
      if (frames_.vertices != body.vertex_count())
        throw InputError(fmt::format("frames have {} vertices and the body {}; expected the same mesh",
                                     frames_.vertices, body.vertex_count()));
      check_finite(frames_);
    });
  }
  RecordedMotion(const RecordedMotion&) = delete;  // readers of frames know where it stands
  RecordedMotion& operator=(const RecordedMotion&) = delete;

  /// Components.
  std::shared_ptr<const SkinningBasis> subspace(const Progress& progress) const {
    return with_context(file_, [&] {
      const auto kind = json_["subspace"].get<std::string>();
      SnapshotPcaOptions options;
      options.components = json_["components"].get<int>();
      options.appended = appended_motions(json_["appended"].get<std::string>());
      options.progress = progress;
      const SupportOptions supports{.inner = json_["inner"].get<double>(),
                                    .outer = json_["outer"].get<double>()};
      const Points& X = body_.rest_positions();
      const VectorXd& masses = body_.masses();
      const SnapshotFrames frames = json_["align"].get<bool>() ? aligned_frames(frames_, X, masses) : frames_;
      GeodesicSolver solver = body_.is_shell() ? GeodesicSolver(TriMesh{X, body_.triangles()})
                                               : GeodesicSolver(TetMesh{X, body_.tets()});
      const SnapshotBasis basis = kind == "pca" ? snapshot_pca(frames, X, masses, options)
                                  : kind == "localized"
                                      ? localized_pca(frames, X, masses, solver, options, supports)
                                      : splocs(frames, X, masses, solver, options, supports,
                                               {.sparsity = json_["sparsity"].get<double>()});
      const double ramp = 0.1 * json_["ramp"].get<double>() * bounding_box(X).diagonal();
      return std::make_shared<const SkinningBasis>(
          snapshot_blocks(basis, masses, solver, body_.fixed(), ramp));
    });
  }

  /// Of every kind of constraint: as recorded, or at the recorded positions.
  std::vector<ProjectionFrames> projections(const ProjectiveConstraints& constraints) const {
    return with_context(file_, [&] {
      std::vector<ProjectionFrames> out;
      for (const ProjectiveGroup& group : constraints.groups) {
        if (group.size() == 0) continue;
        const std::string kind(name(group.kind));
        if (!recorded_->has_projections(kind)) {
          out.push_back(projections_of(constraints, group.kind, frames_));
          continue;
        }
        const Index numbers = shape_of(group.kind).outputs;
        if (recorded_->numbers(kind) != numbers)
          throw InputError(fmt::format("projections of {} have {} numbers each; expected {}", kind,
                                       recorded_->numbers(kind), numbers));
        out.push_back({group.kind, recorded_->frames(), recorded_->constraints(kind),
                       [this, kind](Index frame, Index first, Index count, double* to) {
                         recorded_->read_projections(kind, frame, first, count, to);
                       }});
      }
      return out;
    });
  }

 private:
  const Json& json_;
  const Body& body_;
  std::string file_;
  std::optional<SnapshotFile> recorded_;  // mapped: frames need not fit into memory
  SnapshotFrames frames_;
};

/// @param json  of a simulator; what it says counts where it is of the model's kind
std::unique_ptr<Simulator> simulate_model(ReducedModel model, const Json& json) {
  const bool own = json["kind"] == std::string(method(model));
  if (auto* fem = std::get_if<ReducedFem>(&model)) {
    NewmarkBroydenOptions options;
    if (own) options.tolerance = json["tolerance"].get<double>();
    return std::make_unique<NewmarkBroyden>(std::make_shared<const ReducedFem>(std::move(*fem)), options);
  }
  HrpdOptions options;
  if (own) {
    if (json.contains("iterations")) options.iterations = json["iterations"].get<int>();
    options.acceleration = json["acceleration"].get<int>();
    options.prediction = json["prediction"].get<double>();
  }
  return std::make_unique<Hrpd>(std::make_shared<const HrpdModel>(std::move(std::get<HrpdModel>(model))),
                                options);
}

/// A body that was reduced before: its model says all of it.
SceneBody load_body(const Json& json, const std::string& path, const std::filesystem::path& folder) {
  return with_context(path + ".model", [&] {
    ReducedModel model = read_model(folder / json["model"].get<std::string>());
    SceneBody body;
    body.rest_positions = rest_positions(model);
    body.shown = shown(body_of(model), body.rest_positions);
    if (auto& carried = body_of(model).carried) {
      body.shown.vertices = carried->mesh.vertices;
      body.embedding = std::move(carried->embedding);
      carried.reset();  // it is the scene that shows it
    }
    body.simulator = simulate_model(std::move(model), json["simulator"]);
    return body;
  });
}

}  // namespace

ProjectiveConstraints build_constraints(const Json& json, const Body& body) {
  ProjectiveConstraints constraints =
      projective_constraints(body, {.volume = json["volume_preservation"].get<bool>(),
                                    .min_stretch = json["strain_min"].get<double>(),
                                    .max_stretch = json["strain_max"].get<double>()});
  if (json.contains("skin")) {
    if (body.is_shell()) throw InputError("a shell has no skin; expected one only around a solid");
    const Json& skin = json["skin"];
    add_triangle_strain(constraints, boundary_triangles(body.tets()),
                        {skin["young"].get<double>() * skin["thickness"].get<double>(),
                         skin["strain_min"].get<double>(), skin["strain_max"].get<double>()});
  }
  return constraints;
}

PhysicalBody build_physical_body(const Json& json, const std::string& path,
                                 const std::filesystem::path& folder, const Progress& progress) {
  BodyMesh mesh = body_mesh(json, path, folder, progress);
  std::vector<int> fixed;
  for (std::size_t i = 0; i < json["fixed"].size(); ++i)
    for (const int v :
         select_vertices(json["fixed"][i], mesh.vertices(), fmt::format("{}.fixed[{}]", path, i)))
      fixed.push_back(v);
  std::sort(fixed.begin(), fixed.end());
  fixed.erase(std::unique(fixed.begin(), fixed.end()), fixed.end());
  Body body = make_body(json, mesh, std::move(fixed), path);
  return {std::move(body), std::move(mesh)};
}

ReducedModel build_model(const PhysicalBody& physical, const Json& simulator,
                         const std::filesystem::path& folder, const Progress& progress) {
  const auto reduced = [&]() -> ReducedModel {
    if (simulator["kind"] == "hrpd") {
      ReduceHrpdOptions options = reduce_hrpd_options(simulator);
      options.progress = progress;
      const ProjectiveConstraints constraints = build_constraints(simulator, physical.body);
      const bool components = simulator["subspace"] != "skinning",
                 fitted = simulator["fitted_space"] == "snapshots";
      std::optional<RecordedMotion> recorded;
      if (components || fitted) recorded.emplace(simulator, physical.body, folder);
      if (components) options.basis = recorded->subspace(progress);
      if (fitted) options.recorded = recorded->projections(constraints);
      return reduce_hrpd(physical.body, constraints, options);
    }
    ReduceFemOptions options = reduce_fem_options(simulator);
    options.progress = progress;
    return reduce_fem(physical.body, options);
  };
  ReducedModel model = reduced();
  if (physical.mesh.embedding)
    body_of(model).carried = CarriedSurface{{physical.mesh.shown.vertices, physical.mesh.shown.triangles},
                                            *physical.mesh.embedding};
  return model;
}

SceneBody build_body(const Json& json, const std::string& path, const std::filesystem::path& folder, Rng& rng,
                     const Progress& progress) {
  SceneBody body;
  if (json.contains("model")) {
    body = load_body(json, path, folder);
  } else {
    PhysicalBody physical = build_physical_body(json, path, folder, progress);
    const Json& simulator = json["simulator"];
    body.simulator = with_context(path + ".simulator", [&]() -> std::unique_ptr<Simulator> {
      if (simulator["kind"] == "newton") return build_newton(simulator, physical.body);
      if (simulator["kind"] == "projective_dynamics") return build_projective(simulator, physical.body);
      return simulate_model(build_model(physical, simulator, folder, progress), simulator);
    });
    body.rest_positions = physical.mesh.vertices();
    body.shown = std::move(physical.mesh.shown);
    body.embedding = std::move(physical.mesh.embedding);
  }
  body.name = json["name"].get<std::string>();
  const Points start = posed(body.rest_positions, json["pose"].get<std::string>(), rng);
  body.simulator->set_motion(
      start, rigid_velocities(start, to_vector3(json["velocity"]), to_vector3(json["angular_velocity"])));
  return body;
}

}  // namespace pliant
