#include "pliant/subspace/linear_modes.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/geometry/structured_grid.h"
#include "pliant/numerics/sparse_cholesky.h"
#include "pliant/numerics/tall_products.h"
#include "support/equilateral.h"
#include "support/simple_meshes.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

const SolidMaterial rubber{StVK::from_young(1e6, 0.3), 1100};

std::vector<int> vertices_where(const Points& x, auto&& holds) {
  std::vector<int> ids;
  for (Index v = 0; v < x.rows(); ++v)
    if (holds(Vector3d(x.row(v)))) ids.push_back(static_cast<int>(v));
  return ids;
}

void expect_orthonormal(const MatrixXd& U, const SparseMatrix& M) {
  const MatrixXd gram = U.transpose() * (M * U);
  EXPECT_LT((gram - MatrixXd::Identity(U.cols(), U.cols())).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(LinearModes, AreThoseOfTheDenseSolver) {
  const TetMesh mesh = structured_grid({0, 0, 0}, {1, 0.6, 0.4}, {5, 3, 2});
  for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
    const Body body(mesh, rubber,
                    {.fixed = vertices_where(mesh.vertices, [](const Vector3d& p) { return p.x() < 1e-9; })});
    const LinearModes modes = linear_modes(body, {.count = 10, .mass = mass});
    ASSERT_TRUE(modes.converged);
    EXPECT_EQ(modes.rigid.cols(), 0);
    const SparseMatrix M = mass == MassKind::lumped ? body.mass_matrix() : body.consistent_mass_matrix();
    std::vector<int> moving;
    for (int v = 0; v < body.vertex_count(); ++v)
      if (!std::binary_search(body.fixed().begin(), body.fixed().end(), v))
        moving.insert(moving.end(), {3 * v, 3 * v + 1, 3 * v + 2});
    const MatrixXd K = body.stiffness(mesh.vertices), dense_mass = M;
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> dense(K(moving, moving),
                                                                   dense_mass(moving, moving));
    for (Index i = 0; i < 10; ++i)
      EXPECT_NEAR(modes.eigenvalues[i], dense.eigenvalues()[i], 1e-9 * dense.eigenvalues()[i]);
    EXPECT_LT((modes.frequencies.array() - modes.eigenvalues.array().sqrt() / (2 * M_PI)).abs().maxCoeff(),
              1e-9);
    expect_orthonormal(modes.U, M);
    EXPECT_LT(modes.residuals.maxCoeff(), 1e-8);
    for (int v : body.fixed()) EXPECT_EQ(modes.U.middleRows<3>(3 * v).norm(), 0);
  }
}

TEST(LinearModes, AFreeBodyHasSixRigidMotionsBesideItsModes) {
  const TetMesh mesh =
      structured_grid({0, 0, 0}, {1, 0.3, 0.3}, {12, 4, 4});  // a square section: modes in pairs
  const Body body(mesh, rubber);
  const LinearModes modes = linear_modes(body, {.count = 12});
  ASSERT_TRUE(modes.converged);
  ASSERT_EQ(modes.rigid.cols(), 6);
  const SparseMatrix K = body.stiffness(mesh.vertices), M = body.mass_matrix();
  MatrixXd all(K.rows(), 18);
  all << modes.rigid, modes.U;
  expect_orthonormal(all, M);
  EXPECT_LT((K * modes.rigid).norm(),
            1e-12 * modes.eigenvalues[0] * (M * modes.U).norm() + 1e-12 * K.norm() * modes.rigid.norm());
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> dense{MatrixXd(K), MatrixXd(M),
                                                                 Eigen::EigenvaluesOnly};
  for (Index i = 0; i < 6; ++i) EXPECT_LT(std::abs(dense.eigenvalues()[i]), 1e-6 * modes.eigenvalues[0]);
  for (Index i = 0; i < 12; ++i)
    EXPECT_NEAR(modes.eigenvalues[i], dense.eigenvalues()[6 + i], 1e-7 * dense.eigenvalues()[6 + i]);
}

TEST(LinearModes, FixedVerticesLeaveTheRigidMotionsTheyDoNotHold) {
  const TetMesh one = structured_grid({0, 0, 0}, {1, 0.5, 0.5}, {4, 2, 2});
  const auto rigid_count = [&](const std::vector<int>& fixed) {
    const Body body(one, rubber, {.fixed = fixed});
    const LinearModes modes = linear_modes(body, {.count = 3});
    EXPECT_TRUE(modes.converged);
    for (int v : fixed) EXPECT_EQ(modes.rigid.middleRows<3>(3 * v).norm(), 0);
    EXPECT_GT(modes.eigenvalues[0], 1);
    return modes.rigid.cols();
  };
  EXPECT_EQ(rigid_count({}), 6);
  EXPECT_EQ(rigid_count({0}), 3);
  EXPECT_EQ(rigid_count({0, 4}), 1);     // turns about the line through both
  EXPECT_EQ(rigid_count({0, 2, 4}), 1);  // on one line
  EXPECT_EQ(rigid_count({0, 4, 14}), 0);

  TetMesh two = one;  // a second body beside it
  two.vertices.conservativeResize(2 * one.vertex_count(), 3);
  two.vertices.bottomRows(one.vertex_count()) = one.vertices.rowwise() + Eigen::RowVector3d(0, 3, 0);
  two.tets.conservativeResize(2 * one.tet_count(), 4);
  two.tets.bottomRows(one.tet_count()) = one.tets.array() + static_cast<int>(one.vertex_count());
  const LinearModes modes = linear_modes(Body(two, rubber), {.count = 6});
  EXPECT_EQ(modes.rigid.cols(), 12);
  ASSERT_TRUE(modes.converged);
  for (Index i = 0; i < 6; i += 2)  // and every vibration twice
    EXPECT_NEAR(modes.eigenvalues[i], modes.eigenvalues[i + 1], 1e-8 * modes.eigenvalues[i]);
}

TEST(LinearModes, AllIsotropicMaterialsHaveTheSame) {
  const TetMesh mesh = structured_grid({0, 0, 0}, {1, 0.4, 0.3}, {8, 3, 3});
  LinearModes first;
  for (const char* name :
       {"linear", "stvk", "corotated", "neo_hookean", "mooney_rivlin", "fung", "arruda_boyce"}) {
    const Body body(mesh, SolidMaterial{make_material(name, 3e5, 0.4), 1000});
    const LinearModes modes = linear_modes(body, {.count = 8});
    ASSERT_TRUE(modes.converged);
    if (first.U.cols() == 0) first = modes;
    for (Index i = 0; i < 8; ++i)
      EXPECT_NEAR(modes.frequencies[i], first.frequencies[i], 1e-8 * first.frequencies[i]) << name;
    const MatrixXd overlap = first.U.transpose() * (body.mass_matrix() * modes.U);
    EXPECT_LT((overlap.cwiseAbs() - MatrixXd::Identity(8, 8)).cwiseAbs().maxCoeff(), 1e-5) << name;
  }
}

TEST(LinearModes, FrequenciesScaleAsPhysicsSays) {
  // Twice as long in every direction: half the frequency. Four times as stiff: twice. Four times as heavy:
  // half.
  const auto frequencies = [](double size, double young, double density) -> VectorXd {
    const TetMesh mesh = structured_grid({0, 0, 0}, {size, 0.4 * size, 0.3 * size}, {6, 3, 2});
    return linear_modes(Body(mesh, SolidMaterial{Corotated::from_young(young, 0.3), density}), {.count = 5})
        .frequencies;
  };
  const VectorXd base = frequencies(1, 1e5, 1000);
  EXPECT_LT((frequencies(2, 1e5, 1000) - base / 2).norm(), 1e-7 * base.norm());
  EXPECT_LT((frequencies(1, 4e5, 1000) - base * 2).norm(), 1e-7 * base.norm());
  EXPECT_LT((frequencies(1, 1e5, 4000) - base / 2).norm(), 1e-7 * base.norm());
  EXPECT_LT((frequencies(1e-3, 1e11, 1e4) - base * (1e3 * std::sqrt(1e6 / 10))).norm(),
            1e-6 * base.norm() * 1e6);
}

TEST(LinearModes, TensionMakesABarAString) {
  // Stretched by s, without poisson effect, F = diag(s, 1, 1) is an equilibrium with tension s E A (s^2 - 1)
  // / 2.
  const double young = 1e6, side = 0.005;
  const TetMesh mesh = structured_grid({0, 0, 0}, {1, side, side}, {240, 1, 1});
  const Body body(mesh, SolidMaterial{StVK::from_young(young, 0), 1000},
                  {.fixed = vertices_where(
                       mesh.vertices, [](const Vector3d& p) { return p.x() < 1e-9 || p.x() > 1 - 1e-9; })});
  double before = linear_modes(body, {.count = 1}).frequencies[0];
  for (const double s : {1.05, 1.1, 1.2}) {
    Points stretched = mesh.vertices;
    stretched.col(0) *= s;
    const LinearModes modes = linear_modes(body, {.count = 1, .positions = stretched});
    ASSERT_TRUE(modes.converged);
    EXPECT_EQ(modes.positions, stretched);
    EXPECT_GT(modes.frequencies[0], before);
    before = modes.frequencies[0];
    const double tension = s * young * side * side * (s * s - 1) / 2,
                 mass = 1000 * side * side / s;  // a metre
    // A string of length s; what it keeps of a beam, sqrt(E I / tension) at either end, makes it shorter.
    const double end = std::sqrt(young * std::pow(side, 4) / 12 / tension);
    const double theory = std::sqrt(tension / mass) / (2 * (s - 2 * end));
    EXPECT_NEAR(modes.frequencies[0], theory, 0.02 * theory) << s;
  }
}

TEST(LinearModes, ALoadResistsRotations) {
  // Pulled apart along x, a free bar turns about x only without work; about y and z the load turns it back.
  const TetMesh mesh = structured_grid({0, 0, 0}, {1, 0.2, 0.2}, {8, 2, 2});
  Points stretched = mesh.vertices;
  stretched.col(0) *= 1.05;
  const LinearModes modes = linear_modes(Body(mesh, SolidMaterial{StVK::from_young(1e6, 0), 1000}),
                                         {.count = 4, .positions = stretched});
  ASSERT_TRUE(modes.converged);
  EXPECT_EQ(modes.rigid.cols(), 4);
  // Two rotations, with frequencies that are equal but for the mesh and above zero.
  EXPECT_GT(modes.frequencies[0], 0.1);
  EXPECT_NEAR(modes.frequencies[0], modes.frequencies[1], 0.05 * modes.frequencies[0]);
}

TEST(LinearModes, WithoutAFactorisationTheyAreTheSame) {
  const TetMesh mesh = structured_grid({0, 0, 0}, {1, 0.3, 0.3}, {20, 5, 5});
  const TriMesh sheet = grid_plane(24, 16, 0.04);
  const Body solid(mesh, rubber), shell(sheet, ShellMaterial::from_young(1e6, 0.4, 0.01, 1000)),
      held(mesh, rubber,
           {.fixed = vertices_where(mesh.vertices, [](const Vector3d&p) { return p.x() < 1e-9; })});
  for (const Body* body : {&held, &solid, &shell}) {
    const LinearModes direct = linear_modes(*body, {.count = 8});
    const LinearModes iterative = linear_modes(*body, {.count = 8, .memory_budget = 0});
    EXPECT_FALSE(direct.iterative);
    EXPECT_TRUE(iterative.iterative);
    ASSERT_TRUE(iterative.converged);
    for (Index i = 0; i < 8; ++i)
      EXPECT_NEAR(iterative.frequencies[i], direct.frequencies[i], 1e-6 * direct.frequencies[i]) << i;
    // Equal frequencies may come in any mixture: the first ones lie in the span of all.
    const MatrixXd overlap = inner_products(direct.U, row_masses(*body), iterative.U).topRows(6);
    EXPECT_LT((overlap.rowwise().norm().array() - 1).abs().maxCoeff(), 1e-6);
    if (iterative.rigid.cols() > 0) {
      EXPECT_LT(inner_products(iterative.rigid, row_masses(*body), iterative.U).cwiseAbs().maxCoeff(), 1e-9);
    }
  }
}

TEST(LinearModes, SameBitsOnAnyNumberOfThreadsParallel) {
  const TetMesh mesh = structured_grid({0, 0, 0}, {1, 0.4, 0.3}, {6, 3, 3});
  for (const double budget : {8e9, 0.0}) {
    const auto run = [&](int threads) {
      const ScopedThreadCount scope(threads);
      return linear_modes(Body(mesh, rubber), {.count = 5, .memory_budget = budget});
    };
    const LinearModes one = run(1), two = run(2);
    EXPECT_EQ(one.iterative, budget == 0);
    EXPECT_EQ(one.U, two.U);
    EXPECT_EQ(one.frequencies, two.frequencies);
    EXPECT_EQ(one.rigid, two.rigid);
  }
}

TEST(LinearModes, BadInputGetsASentence) {
  const Body body(structured_grid({0, 0, 0}, {1, 1, 1}, {1, 1, 1}), rubber);
  EXPECT_TRUE(
      contains(message_of([&] { linear_modes(body, {.count = 19}); }), "count is 19; expected 1 to 18"));
  EXPECT_TRUE(contains(message_of([&] { linear_modes(body, {.count = 0}); }), "count is 0"));
  EXPECT_TRUE(contains(message_of([&] { linear_modes(body, {.count = 1, .positions = Points::Zero(3, 3)}); }),
                       "3 positions"));
}

// ---- Timoshenko's beam: deflection w, rotation f of the section, shear strain w' - f, and per unit of
// length
//          E I f' = m,   k G A (w' - f) = v,   v' = -rho A s^2 w,   m' + v = -rho I s^2 f
// at the angular frequency s. Clamped: w = f = 0; free: m = v = 0.

struct Beam {
  double length = 1, height = 0.1, width = 0.125, young = 1e6, density = 1000;  // bent along the height
  double shear_coefficient = 5.0 / 6;                                           // of a rectangle, poisson 0
  double area() const { return width * height; }
  double inertia() const { return width * std::pow(height, 3) / 12; }
  double shear() const { return shear_coefficient * young / 2 * area(); }
  double tip_deflection(double load) const {
    return load * std::pow(length, 3) / (3 * young * inertia()) + load * length / shear();
  }
};

/// Zero where s is an angular frequency of the cantilever: the determinant of (m, v) at the free end by (m,
/// v) at the clamped one.
double characteristic(const Beam& beam, double s) {
  Eigen::Matrix4d A = Eigen::Matrix4d::Zero();  // of (w, f, m, v)
  A(0, 1) = 1, A(0, 3) = 1 / beam.shear();
  A(1, 2) = 1 / (beam.young * beam.inertia());
  A(2, 1) = -beam.density * beam.inertia() * s * s, A(2, 3) = -1;
  A(3, 0) = -beam.density * beam.area() * s * s;
  Eigen::Matrix<double, 4, 2> y = Eigen::Matrix<double, 4, 2>::Zero();
  y(2, 0) = y(3, 1) = 1;
  const int steps = 400;
  const double h = beam.length / steps;
  for (int i = 0; i < steps; ++i) {  // Runge-Kutta
    const Eigen::Matrix<double, 4, 2> k1 = A * y, k2 = A * (y + h / 2 * k1), k3 = A * (y + h / 2 * k2),
                                      k4 = A * (y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return y.bottomRows<2>().determinant();
}

std::vector<double> bending_frequencies(const Beam& beam, int count) {
  std::vector<double> found;
  const double step =
      0.05 * std::sqrt(beam.young * beam.inertia() / (beam.density * beam.area())) / std::pow(beam.length, 2);
  for (double low = step; static_cast<int>(found.size()) < count; low += step) {
    double a = low, b = low + step;
    if ((characteristic(beam, a) > 0) == (characteristic(beam, b) > 0)) continue;
    for (int i = 0; i < 60; ++i) {
      const double middle = (a + b) / 2;
      ((characteristic(beam, middle) > 0) == (characteristic(beam, a) > 0) ? a : b) = middle;
    }
    found.push_back(a / (2 * M_PI));
  }
  return found;
}

TEST(Beam, AThinOneIsEulersAndBernoullis) {
  const Beam thin{.height = 0.001};
  const double unit = std::sqrt(thin.young * thin.inertia() / (thin.density * thin.area())) / (2 * M_PI);
  const std::vector<double> f = bending_frequencies(thin, 3);
  EXPECT_NEAR(f[0] / unit, 1.8751 * 1.8751, 1e-3);
  EXPECT_NEAR(f[1] / unit, 4.6941 * 4.6941, 1e-2);
  EXPECT_NEAR(f[2] / unit, 7.8548 * 7.8548, 1e-2);
}

struct Measured {
  double deflection;
  std::vector<double> frequencies;
};

Measured measure_cantilever(const Beam& beam, int cells) {
  const TetMesh mesh =
      structured_grid({0, 0, 0}, {beam.length, beam.height, beam.width}, {10 * cells, cells, cells});
  const Points& X = mesh.vertices;
  const Body body(mesh, SolidMaterial{NeoHookean::from_young(beam.young, 0), beam.density},
                  {.fixed = vertices_where(X, [](const Vector3d& p) { return p.x() < 1e-9; })});

  // === Bending along y: most of the motion is that of whole sections along y
  const LinearModes modes = linear_modes(body, {.count = 10});
  EXPECT_TRUE(modes.converged);
  Measured measured;
  const auto section = [&](Index v) { return std::lround(X(v, 0) / beam.length * 10 * cells); };
  for (Index i = 0; i < modes.U.cols(); ++i) {
    VectorXd sum = VectorXd::Zero(10 * cells + 1), mass = sum;
    for (Index v = 0; v < X.rows(); ++v) {
      sum[section(v)] += body.masses()[v] * modes.U(3 * v + 1, i);
      mass[section(v)] += body.masses()[v];
    }
    if (sum.cwiseAbs2().cwiseQuotient(mass).sum() > 0.8) measured.frequencies.push_back(modes.frequencies[i]);
  }

  // === A small load at the tip, spread as the area of the end
  const std::vector<int> tip =
      vertices_where(X, [&](const Vector3d& p) { return p.x() > beam.length - 1e-9; });
  const double load = 1e-3;
  VectorXd f = VectorXd::Zero(3 * X.rows());
  double area = 0;
  const auto share = [&](int v) {  // of the end
    const auto border = [](double a, double b) { return a < 1e-9 || a > b - 1e-9 ? 0.5 : 1.0; };
    return border(X(v, 1), beam.height) * border(X(v, 2), beam.width);
  };
  for (int v : tip) area += share(v);
  for (int v : tip) f[3 * v + 1] = load * share(v) / area;
  SparseMatrix K = body.stiffness(X);
  for (int v : body.fixed())
    for (int k = 0; k < 3; ++k) K.coeffRef(3 * v + k, 3 * v + k) *= 1e9;
  SparseCholesky cholesky;
  cholesky.analyze(K);
  EXPECT_TRUE(cholesky.factorize(K));
  VectorXd u(f.size());
  cholesky.solve(f, u);
  measured.deflection = u.dot(f) / load;  // the mean over the end
  return measured;
}

/// The limit of three values on grids each twice as fine as the one before, and the order at which they
/// approach it.
double extrapolated(double coarse, double middle, double fine, double& order) {
  order = std::log2((coarse - middle) / (middle - fine));
  return fine + (fine - middle) / (std::pow(2, order) - 1);
}

TEST(LinearModes, ASlenderCantileverIsTimoshenkosBeam) {
  const Beam beam;
  const Measured coarse = measure_cantilever(beam, 2), middle = measure_cantilever(beam, 4),
                 fine = measure_cantilever(beam, 8);
  double order = 0;
  // Linear tets are too stiff by a part that falls with the square of the cell: of stiffness, not of
  // deflection.
  const double stiffness =
      extrapolated(1 / coarse.deflection, 1 / middle.deflection, 1 / fine.deflection, order);
  EXPECT_NEAR(1 / stiffness, beam.tip_deflection(1e-3), 0.01 * beam.tip_deflection(1e-3));
  EXPECT_NEAR(order, 2, 0.4);
  RecordProperty("deflection_over_theory", std::to_string(1 / stiffness / beam.tip_deflection(1e-3)));
  const std::vector<double> theory = bending_frequencies(beam, 3);
  for (const auto& [cells, grid] : {std::pair(2, &coarse), {4, &middle}, {8, &fine}})
    RecordProperty("first_frequency_over_theory_at_" + std::to_string(cells) + "_cells",
                   std::to_string(grid->frequencies.at(0) / theory[0]));
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_GT(coarse.frequencies.size(), i);
    ASSERT_GT(middle.frequencies.size(), i);
    ASSERT_GT(fine.frequencies.size(), i);
    const double f = extrapolated(coarse.frequencies[i], middle.frequencies[i], fine.frequencies[i], order);
    EXPECT_NEAR(f, theory[i], 0.01 * theory[i]) << i;
    EXPECT_NEAR(order, 2, 0.4);
    RecordProperty("frequency_over_theory_" + std::to_string(i + 1), std::to_string(f / theory[i]));
  }
}

TEST(LinearModes, AFreeStripOfShellBendsAsABeam) {
  // Free edges let the strip curve across, so its stiffness is D (1 - nu^2), nu = -1/3 for hinges.
  const double young = 1e9, thickness = 1e-3, density = 1000, h = 1.0 / 60;
  const TriMesh strip = equilateral_plate(60, 14, h);
  const double D = young * std::pow(thickness, 3) / 12;  // poisson 0
  const Body body(strip, ShellMaterial::from_young(young, 0, thickness, density));
  const LinearModes modes = linear_modes(body, {.count = 3});
  ASSERT_TRUE(modes.converged);
  ASSERT_EQ(modes.rigid.cols(), 6);
  const double length = 1.0 + h / 4;  // rows end to and fro
  const double theory =
      std::pow(4.7300 / length, 2) / (2 * M_PI) * std::sqrt(D * 8 / 9 / (density * thickness));
  EXPECT_NEAR(modes.frequencies[0], theory, 0.03 * theory);
  RecordProperty("frequency_over_theory", std::to_string(modes.frequencies[0] / theory));
}

}  // namespace
}  // namespace pliant
