#include "pliant/reduced/hrpd_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pliant/base/error.h"
#include "pliant/geometry/shapes.h"
#include "pliant/reduced/hrpd.h"
#include "pliant/reduced/model_file.h"
#include "reduced/small_models.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

ReduceHrpdOptions small(bool fit) {
  ReduceHrpdOptions options;
  options.fit = fit;
  options.positions.handles = 8;
  options.projections.handles = 6;
  options.projections.samples = 40;
  options.contact_samples = 20;
  options.iterations = 7;
  return options;
}

HrpdModel solid_model(bool fit = true, Sampling sampling = Sampling::weighted) {
  ReduceHrpdOptions options = small(fit);
  options.sampling = sampling;
  return reduce_hrpd(bar_body(NeoHookean::from_young(1e5, 0.4), true), options);
}

HrpdModel shell_model(bool fit, Sampling sampling = Sampling::weighted) {
  const TriMesh mesh = make_shell("plate_shell", {.triangles = 200});
  ReduceHrpdOptions options = small(fit);
  options.sampling = sampling;
  return reduce_hrpd(Body(mesh, ShellMaterial::from_young(1e6, 0.3, 0.01, 1000)), options);
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What happens to a body while it is dragged into the floor and changed.
MatrixXd motion(std::shared_ptr<const HrpdModel> model) {
  Hrpd sim(model);
  const Points& X = model->basis.rest;
  sim.set_obstacles({Obstacle{.path = {{Keyframe{.position = Vector3d(0, X.col(1).minCoeff() - 0.02, 0)}}}}});
  const int last = static_cast<int>(X.rows()) - 1;
  sim.begin_drag(last, X.row(last).transpose() + Vector3d(0.1, -0.1, 0));
  for (int i = 0; i < 20; ++i) {
    if (i == 10) sim.set_stiffness(0.5);
    sim.step();
  }
  return sim.coordinates();
}

}  // namespace

TEST(HrpdFile, AModelReadStepsBitForBitAsTheOneWritten) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "body.pliant";
  constexpr auto weighted = Sampling::weighted, fitted = Sampling::fitted;
  for (const auto& [shell, fit, sampling] : {std::tuple(false, true, weighted),
                                             {true, true, weighted},
                                             {false, true, fitted},
                                             {true, true, fitted},
                                             {false, false, fitted},
                                             {true, false, fitted}}) {
    auto made = std::make_shared<HrpdModel>(shell ? shell_model(fit, sampling) : solid_model(fit, sampling));
    made->measured["fit_error"] = 0.1;
    write_hrpd(*made, file);
    const auto read = std::make_shared<const HrpdModel>(read_hrpd(file));
    EXPECT_EQ(read->kinds.size(), shell ? 2u : 1u);
    EXPECT_EQ(read->iterations, 7);
    EXPECT_EQ(read->all == nullptr, fit);
    EXPECT_EQ(read->can_change_volume, !shell);
    EXPECT_EQ(read->measured, made->measured);
    EXPECT_EQ(read->tets, made->tets);
    EXPECT_EQ(read->triangles, made->triangles);
    EXPECT_EQ(read->contact_vertices, made->contact_vertices);
    EXPECT_EQ(motion(read), motion(made));
    EXPECT_GT(motion(read).norm(), 0);
  }
}

TEST(HrpdFile, TheSameModelGivesTheSameBytes) {
  const TemporaryFolder folder;
  HrpdModel model = solid_model();
  write_hrpd(model, folder.path() / "a.pliant");
  write_hrpd(read_hrpd(folder.path() / "a.pliant"), folder.path() / "b.pliant");
  EXPECT_EQ(bytes_of(folder.path() / "a.pliant"), bytes_of(folder.path() / "b.pliant"));
}

TEST(HrpdFile, SamplesKnowTheirCornersAndFilesWithoutThemAreRead) {
  const TemporaryFolder folder;
  HrpdModel model = solid_model();
  const SampledConstraints& samples = model.kinds[0].samples;
  ASSERT_EQ(samples.corners.rows(), samples.size());
  for (Index i = 0; i < samples.size(); ++i) {
    bool found = false;
    for (Index t = 0; t < model.tets.rows() && !found; ++t)
      found = model.tets.row(t) == samples.corners.row(i);
    EXPECT_TRUE(found);
  }
  write_hrpd(model, folder.path() / "new.pliant");
  EXPECT_EQ(read_hrpd(folder.path() / "new.pliant").kinds[0].samples.corners, samples.corners);
  auto old = std::make_shared<HrpdModel>(model);
  old->kinds[0].samples.corners.resize(0, 4);
  write_hrpd(*old, folder.path() / "old.pliant");
  const auto read = std::make_shared<const HrpdModel>(read_hrpd(folder.path() / "old.pliant"));
  EXPECT_EQ(read->kinds[0].samples.corners.rows(), 0);
  EXPECT_EQ(motion(read), motion(std::make_shared<const HrpdModel>(model)));
  // Of a shell: three corners of a membrane, the middle of a bend.
  for (const ReducedConstraints& kind : shell_model(true).kinds) {
    const Tets& corners = kind.samples.corners;
    ASSERT_EQ(corners.rows(), kind.samples.size());
    const bool bends = kind.samples.kind == ProjectiveKind::bending;
    for (Index i = 0; i < corners.rows(); ++i) {
      EXPECT_GE(corners(i, 0), 0);
      EXPECT_EQ(corners(i, 2) < 0, bends);
      EXPECT_EQ(corners(i, 3), -1);
    }
  }
}

TEST(HrpdFile, AFileTellsItsKind) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "body.pliant";
  write_model(solid_model(), file);
  EXPECT_EQ(method(read_model(file)), "hrpd");
  EXPECT_THROW(read_reduced_fem(file), InputError);
  const Body body = bar_body(NeoHookean::from_young(1e5, 0.4), true);
  write_model(make_exact_reduced_fem(body, extended(body, 2)), file);
  EXPECT_EQ(method(read_model(file)), "reduced_fem");
  EXPECT_THROW(read_hrpd(file), InputError);
  SafetensorsWriter other;
  other.set_format("pliant-checkpoint", 1);
  other.write(file);
  EXPECT_THROW(read_model(file), InputError);
}

TEST(HrpdFile, BrokenFilesAreRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "bar.pliant", other = folder.path() / "other.pliant";
  write_hrpd(solid_model(), file);
  const std::string bytes = bytes_of(file);
  const auto refused = [&](const std::string& content) {
    std::ofstream(other, std::ios::binary) << content;
    EXPECT_THROW(read_hrpd(other), InputError);
  };
  for (const double part : {0.0, 0.001, 0.3, 0.99})
    refused(bytes.substr(0, static_cast<std::size_t>(part * static_cast<double>(bytes.size()))));
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string changed = bytes;
    const auto at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) changed.replace(at, from.size(), to);
    return changed;
  };
  refused(replaced(R"("format_version":"2")", R"("format_version":"3")"));
  refused(replaced("pliant-hrpd", "pliant-hrpc"));
  refused(replaced(R"("iterations":"7")", R"("iterations":"x")"));
  refused(replaced("tet_volume.weights", "tet_volume.weighed"));
  refused(replaced("weights.first", "weights.fist"));
}

TEST(HrpdFile, EveryWrongSizeIdOrNumberIsRefused) {
  const HrpdModel good = solid_model();
  EXPECT_NO_THROW(check(good));
  using Spoil = void (*)(HrpdModel&);
  const std::vector<std::pair<const char*, Spoil>> spoils = {
      {"no kinds", [](HrpdModel& m) { m.kinds.clear(); }},
      {"iterations", [](HrpdModel& m) { m.iterations = 0; }},
      {"mass", [](HrpdModel& m) { m.mass.conservativeResize(m.columns(), m.columns() - 1); }},
      {"mass not finite", [](HrpdModel& m) { m.mass(0, 0) = NAN; }},
      {"rest not finite", [](HrpdModel& m) { m.basis.rest(0, 0) = INFINITY; }},
      {"radius", [](HrpdModel& m) { m.basis.weights.radius = 0; }},
      {"corners", [](HrpdModel& m) { m.kinds[0].samples.corners.conservativeResize(3, 4); }},
      {"corner", [](HrpdModel& m) { m.kinds[0].samples.corners(1, 2) = 1 << 20; }},
      {"first corner", [](HrpdModel& m) { m.kinds[0].samples.corners(1, 0) = -1; }},
      {"handle", [](HrpdModel& m) { m.basis.weights.handles[0] = static_cast<int>(m.vertex_count()); }},
      {"weights end", [](HrpdModel& m) { ++m.basis.weights.first.back(); }},
      {"weights order", [](HrpdModel& m) { std::swap(m.basis.weights.first[3], m.basis.weights.first[9]); }},
      {"weights negative", [](HrpdModel& m) { m.basis.weights.first[1] = -1; }},
      {"weight of no handle", [](HrpdModel& m) { m.basis.weights.handle.back() = 8; }},
      {"weight of handle -1", [](HrpdModel& m) { m.basis.weights.handle[0] = -1; }},
      {"weights too few", [](HrpdModel& m) { m.basis.weights.weight.pop_back(); }},
      {"weight not finite", [](HrpdModel& m) { m.basis.weights.weight[0] = NAN; }},
      {"centers", [](HrpdModel& m) { m.basis.centers.conservativeResize(7, 3); }},
      {"dropped too few", [](HrpdModel& m) { m.basis.dropped.pop_back(); }},
      {"all dropped", [](HrpdModel& m) { m.basis.dropped.assign(m.basis.dropped.size(), 1); }},
      {"parameters", [](HrpdModel& m) { m.kinds[0].samples.parameters.conservativeResize(3, 40); }},
      {"rest lines", [](HrpdModel& m) { m.kinds[0].samples.rest_lines(0, 0) = NAN; }},
      {"rest projections", [](HrpdModel& m) { m.kinds[0].samples.rest_projections.resize(9, 39); }},
      {"samples end", [](HrpdModel& m) { m.kinds[0].samples.first.back() += 4; }},
      {"no samples", [](HrpdModel& m) { m.kinds[0].samples.first = {}; }},
      {"coefficient of no handle", [](HrpdModel& m) { m.kinds[0].samples.handle[0] = 8; }},
      {"coefficients", [](HrpdModel& m) { m.kinds[0].samples.coefficients.resize(12, 1); }},
      {"fit beside weights", [](HrpdModel& m) { m.kinds[0].samples.fit.setZero(5, 40); }},
      {"weights too few", [](HrpdModel& m) { m.kinds[0].samples.weights.conservativeResize(3); }},
      {"neither weights nor a fit", [](HrpdModel& m) { m.kinds[0].samples.weights.resize(0); }},
      {"weight below zero", [](HrpdModel& m) { m.kinds[0].samples.weights[0] = -1; }},
      {"lambdas", [](HrpdModel& m) { m.kinds[0].samples.lambdas[0] = NAN; }},
      {"map", [](HrpdModel& m) { m.kinds[0].map.resize(1, 1); }},
      {"metric", [](HrpdModel& m) { m.kinds[0].metric.resize(1); }},
      {"stiffness", [](HrpdModel& m) { m.kinds[0].stiffness.resize(1, 1); }},
      {"rest force", [](HrpdModel& m) { m.kinds[0].rest_force.resize(1, 3); }},
      {"masses", [](HrpdModel& m) { m.masses.conservativeResize(3); }},
      {"no mass", [](HrpdModel& m) { m.masses[0] = 0; }},
      {"fixed", [](HrpdModel& m) { m.fixed.push_back(static_cast<int>(m.vertex_count())); }},
      {"contact", [](HrpdModel& m) { m.contact_vertices.push_back(0); }},
      {"tets", [](HrpdModel& m) { m.tets(0, 0) = -1; }},
  };
  for (const auto& [what, spoil] : spoils) {
    HrpdModel model = good;
    spoil(model);
    EXPECT_THROW(check(model), InputError) << what;
  }
}

TEST(HrpdFile, EveryWrongConstraintIsRefused) {
  const HrpdModel good = shell_model(false);
  EXPECT_NO_THROW(check(good));
  using Spoil = void (*)(ProjectiveConstraints&);
  const std::vector<std::pair<const char*, Spoil>> spoils = {
      {"vertex", [](ProjectiveConstraints& c) { c.group(ProjectiveKind::bending).vertices[0] = 1000000; }},
      {"vertex -1",
       [](ProjectiveConstraints& c) { c.group(ProjectiveKind::triangle_strain).vertices[2] = -1; }},
      {"first", [](ProjectiveConstraints& c) { c.group(ProjectiveKind::triangle_strain).first[1] = 2; }},
      {"no first", [](ProjectiveConstraints& c) { c.group(ProjectiveKind::triangle_strain).first.clear(); }},
      {"weights", [](ProjectiveConstraints& c) { c.group(ProjectiveKind::bending).weights.pop_back(); }},
      {"weight", [](ProjectiveConstraints& c) { c.group(ProjectiveKind::bending).weights[0] = NAN; }},
      {"sides", [](ProjectiveConstraints& c) { c.group(ProjectiveKind::bending).sides.pop_back(); }},
      {"side", [](ProjectiveConstraints& c) { c.group(ProjectiveKind::bending).sides[0][1] = -5; }},
      {"parameters",
       [](ProjectiveConstraints& c) { c.group(ProjectiveKind::bending).parameters.resize(3, 1); }},
      {"parameter",
       [](ProjectiveConstraints& c) { c.group(ProjectiveKind::bending).parameters(0, 0) = NAN; }},
  };
  for (const auto& [what, spoil] : spoils) {
    HrpdModel model = good;
    auto constraints = std::make_shared<ProjectiveConstraints>(*good.all);
    spoil(*constraints);
    model.all = constraints;
    EXPECT_THROW(check(model), InputError) << what;
  }
}

TEST(HrpdFile, BytesThatWereChangedNeverCrash) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "bar.pliant", other = folder.path() / "other.pliant";
  std::string bytes;
  Rng rng(3);
  int refused = 0, stepped = 0;
  for (int i = 0; i < 80; ++i) {
    if (i % 40 == 0) {
      write_hrpd(solid_model(i == 0), file);
      bytes = bytes_of(file);
    }
    std::string changed = bytes;
    // In half of the trials a few numbers become something else, in the other half the header does.
    const double part = i % 2 == 0 ? 1 : 4000 / static_cast<double>(bytes.size());
    for (int k = 0; k < 3; ++k)
      changed[static_cast<std::size_t>(rng.uniform(0, part * static_cast<double>(bytes.size() - 1)))] =
          static_cast<char>(rng.uniform(-128, 127));
    std::ofstream(other, std::ios::binary) << changed;
    try {
      Hrpd sim(std::make_shared<const HrpdModel>(read_hrpd(other)));
      for (int n = 0; n < 3; ++n) sim.step();
      EXPECT_TRUE(sim.coordinates().allFinite());
      ++stepped;
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
  EXPECT_GT(stepped, 10);
}

}  // namespace pliant
