#include "pliant/reduced/reduced_fem.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pliant/base/error.h"
#include "pliant/reduced/newmark_broyden.h"
#include "reduced/small_models.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

ReducedFem sample_model() {
  const Body body = bar_body(MooneyRivlin::from_young(1e5, 0.4), true, {.mass = 0.3, .stiffness = 1e-3});
  ReducedFem model = make_exact_reduced_fem(body, extended(body, 3), 12);
  model.measured["training_error"] = 0.1;
  return model;
}

}  // namespace

TEST(ReducedFem, AFileHoldsAllThatASimulationNeeds) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "bar.pliant";
  const auto made = std::make_shared<const ReducedFem>(sample_model());
  write_reduced_fem(*made, file);
  const auto read = std::make_shared<const ReducedFem>(read_reduced_fem(file));
  EXPECT_EQ(read->basis, "extended_modes");
  EXPECT_EQ(read->measured, made->measured);
  EXPECT_EQ(read->tets, made->tets);
  EXPECT_EQ(read->contact_vertices, made->contact_vertices);
  NewmarkBroyden a(made), b(read);
  for (int i = 0; i < 20; ++i) a.step(), b.step();
  EXPECT_EQ(a.coordinates(), b.coordinates());
  EXPECT_GT(a.coordinates().norm(), 0);
}

TEST(ReducedFem, APolynomialStaysInAFileToo) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "bar.pliant";
  const Body body = bar_body(StVK::from_young(1e5, 0.4), true);
  const auto made = std::make_shared<const ReducedFem>(make_polynomial_reduced_fem(body, extended(body, 2)));
  write_reduced_fem(*made, file);
  const auto read = std::make_shared<const ReducedFem>(read_reduced_fem(file));
  NewmarkBroyden a(made), b(read);
  for (int i = 0; i < 20; ++i) a.step(), b.step();
  EXPECT_EQ(a.coordinates(), b.coordinates());
  EXPECT_GT(a.coordinates().norm(), 0);
}

TEST(ReducedFem, WeightsStayWithTheirElementsWhereMaterialsMix) {
  const TetMesh mesh = small_bar();
  const std::vector<SolidMaterial> palette{{NeoHookean::from_young(1e5, 0.4), 1000},
                                           {StVK::from_young(1e6, 0.3), 1000}};
  BodyOptions options;
  std::vector<int> all;
  for (int t = 0; t < static_cast<int>(mesh.tet_count()); ++t) {
    options.material_of_tet.push_back(t % 2);  // sets sort by material
    all.push_back(t);
  }
  const Body body(mesh, palette, options);
  const VectorXd weights = VectorXd::LinSpaced(mesh.tet_count(), 1, 2);
  const ReducedFem model = make_reduced_fem(body, extended(body, 3), all, weights);
  const std::vector<int>& elements = model.elements.elements().elements();
  const VectorXd kept = model.elements.weights();
  for (std::size_t k = 0; k < elements.size(); ++k)
    EXPECT_EQ(kept[static_cast<Index>(k)], weights[elements[k]]) << "element " << elements[k];
}

TEST(ReducedFem, BrokenFilesAreRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "bar.pliant";
  write_reduced_fem(sample_model(), file);
  std::string bytes;
  {
    std::ifstream in(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto refused = [&](const std::string& content) {
    const auto other = folder.path() / "other.pliant";
    std::ofstream(other, std::ios::binary) << content;
    EXPECT_THROW(read_reduced_fem(other), InputError);
  };
  for (const double part : {0.0, 0.001, 0.3, 0.99})
    refused(bytes.substr(0, static_cast<std::size_t>(part * static_cast<double>(bytes.size()))));
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string other = bytes;
    const auto at = other.find(from);
    EXPECT_NE(at, std::string::npos);
    if (at != std::string::npos) other.replace(at, from.size(), to);
    return other;
  };
  refused(replaced(R"("format_version":"1")", R"("format_version":"2")"));
  refused(replaced("pliant-reduced-fem", "pliant-reduced-fog"));
  refused(replaced("eigenvalues", "eigenvalue5"));

  ReducedFem model = sample_model();
  model.fixed.push_back(static_cast<int>(model.vertex_count()));
  EXPECT_THROW(check(model), InputError);
  model = sample_model();
  model.U(0, 0) = NAN;
  EXPECT_THROW(check(model), InputError);
}

}  // namespace pliant
