#include "pliant/reduced/reduce_fem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/elasticity/element_set.h"
#include "pliant/geometry/sampling.h"
#include "pliant/hyperreduction/cubature.h"
#include "pliant/subspace/extended_modes.h"
#include "pliant/subspace/modal_derivatives.h"

namespace pliant {
namespace {

/// All of a model but what gives its forces.
ReducedFem without_forces(const Body& body, const DenseBasis& basis, int contact_samples) {
  ReducedFem model;
  model.rest_positions = basis.origin;
  model.tets = body.tets();
  model.triangles = surface_triangles(body);
  model.basis = basis.kind;
  model.U = basis.U.cast<float>();
  model.eigenvalues = basis.eigenvalues;
  model.damping = body.damping();
  model.masses = body.masses();
  model.local_stiffness = local_stiffness(body);
  model.fixed = body.fixed();
  model.contact_vertices = spread_over_surface(basis.origin, model.triangles, contact_samples);
  return model;
}

}  // namespace

ReducedFem make_reduced_fem(const Body& body, const DenseBasis& basis, std::span<const int> elements,
                            const VectorXd& weights, int contact_samples) {
  ReducedFem model = without_forces(body, basis, contact_samples);
  Cubature cubature;
  cubature.elements.assign(elements.begin(), elements.end());
  cubature.weights = weights;
  model.elements = reduced_elements(body, basis, cubature);
  return model;
}

ReducedFem make_polynomial_reduced_fem(const Body& body, const DenseBasis& basis, int contact_samples,
                                       const Progress& progress) {
  ReducedFem model = without_forces(body, basis, contact_samples);
  model.polynomial.emplace(body, basis, PolynomialForcesOptions{.progress = progress});
  return model;
}

ReducedFem make_exact_reduced_fem(const Body& body, const DenseBasis& basis, int contact_samples) {
  std::vector<int> all(static_cast<std::size_t>(element_count(body)));
  std::iota(all.begin(), all.end(), 0);
  return make_reduced_fem(body, basis, all, VectorXd::Ones(element_count(body)), contact_samples);
}

namespace {

constexpr std::array<std::pair<BasisKind, std::string_view>, 3> basis_names = {
    {{BasisKind::linear_modes, "linear_modes"},
     {BasisKind::extended_modes, "extended_modes"},
     {BasisKind::modal_derivatives, "modal_derivatives"}}};

constexpr std::array<std::pair<ForceKind, std::string_view>, 3> force_names = {
    {{ForceKind::cubature, "cubature"}, {ForceKind::polynomial, "polynomial"}, {ForceKind::exact, "exact"}}};

/// Seconds from one call to the next.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void check(const Body& body, const ReduceFemOptions& options) {
  const Index free = 3 * (body.vertex_count() - static_cast<Index>(body.fixed().size()));
  const Index elastic = free - (body.fixed().empty() ? 6 : 0);
  if (elastic < 1)
    throw InputError(fmt::format("reduce_fem: all {} vertices of the body are fixed; expected some that move",
                                 body.vertex_count()));
  if (options.modes < 1 || options.modes > elastic)
    throw InputError(
        fmt::format("reduce_fem: {} modes of a body with {} degrees of freedom; expected 1 to {}",
                    options.modes, free, elastic));
  if (options.dimension < 0 || options.dimension > free)
    throw InputError(
        fmt::format("reduce_fem: dimension {} of a body with {} degrees of freedom; expected up to {}",
                    options.dimension, free, free));
  if (options.forces == ForceKind::cubature && (options.samples < 1 || options.samples > element_count(body)))
    throw InputError(fmt::format("reduce_fem: {} samples of {} elements; expected 1 to {}", options.samples,
                                 element_count(body), element_count(body)));
}

}  // namespace

std::string_view name(BasisKind kind) {
  for (const auto& [one, word] : basis_names)
    if (one == kind) return word;
  return "";
}

BasisKind basis_kind(std::string_view word) {
  for (const auto& [kind, known] : basis_names)
    if (word == known) return kind;
  throw InputError(
      fmt::format("basis is '{}'; expected linear_modes, extended_modes or modal_derivatives", word));
}

std::string_view name(ForceKind kind) {
  for (const auto& [one, word] : force_names)
    if (one == kind) return word;
  return "";
}

ForceKind force_kind(std::string_view word) {
  for (const auto& [kind, known] : force_names)
    if (word == known) return kind;
  throw InputError(fmt::format("forces are '{}'; expected cubature, polynomial or exact", word));
}

DenseBasis make_basis(const Body& body, const ReduceFemOptions& options) {
  check(body, options);
  const Index wanted =
      options.dimension > 0 ? options.dimension : 9 * options.modes + (body.fixed().empty() ? 12 : 0);
  LinearModesOptions modes_options;
  modes_options.progress = options.progress;
  const bool plain = options.basis == BasisKind::linear_modes;
  const Index free = 3 * (body.vertex_count() - static_cast<Index>(body.fixed().size()));
  modes_options.count =
      static_cast<int>(plain ? std::min(wanted - (body.fixed().empty() ? 6 : 0), free - 7) : options.modes);
  const LinearModes modes = linear_modes(body, modes_options);
  switch (options.basis) {
    case BasisKind::extended_modes:
      return extended_modes(body, modes);
    case BasisKind::modal_derivatives:
      return modal_derivatives(body, modes, {.dimension = wanted, .progress = options.progress});
    case BasisKind::linear_modes:
      break;
  }
  return modal_basis(body, modes);
}

ReducedFem reduce_fem(const Body& body, const ReduceFemOptions& options) {
  check(body, options);
  Stopwatch watch;
  const DenseBasis basis = make_basis(body, options);
  const double seconds = watch.lap();
  ReducedFem model = reduce_fem(body, basis, options);
  model.measured["seconds_subspace"] = seconds;
  return model;
}

ReducedFem reduce_fem(const Body& body, const DenseBasis& basis, const ReduceFemOptions& options) {
  check(body, options);
  if (basis.vertex_count() != body.vertex_count())
    throw InputError(fmt::format("reduce_fem: a basis of {} vertices for a body of {}; expected one of it",
                                 basis.vertex_count(), body.vertex_count()));
  Stopwatch watch;
  std::map<std::string, double> measured;
  if (options.forces != ForceKind::cubature) {
    ReducedFem model =
        options.forces == ForceKind::polynomial
            ? make_polynomial_reduced_fem(body, basis, options.contact_samples, options.progress)
            : make_exact_reduced_fem(body, basis, options.contact_samples);
    measured["seconds_forces"] = watch.lap();
    measured["elements"] = static_cast<double>(element_count(body));
    model.measured = std::move(measured);
    return model;
  }

  Rng rng(options.seed);
  const TrainingPoses training = training_poses(basis, rng, options.poses);
  const TrainingPoses fresh = training_poses(basis, rng, options.poses);
  const CubatureProblem problem(body, basis, training.q,
                                {.memory = options.memory, .progress = options.progress});
  measured["seconds_training"] = watch.lap();

  CubatureNnHtpOptions cubature_options = options.cubature;
  cubature_options.samples = options.samples;
  cubature_options.progress = options.progress;
  const Cubature cubature = cubature_nn_htp(problem, rng, cubature_options);
  measured["seconds_cubature"] = watch.lap();
  measured["training_error"] = cubature.error;
  const VectorXd errors = force_errors(body, basis, cubature, fresh.q);
  measured["fresh_error"] = std::sqrt(errors.squaredNorm() / static_cast<double>(errors.size()));
  measured["pose_scale"] = training.scale;
  measured["elements"] = static_cast<double>(element_count(body));

  ReducedFem model =
      make_reduced_fem(body, basis, cubature.elements, cubature.weights, options.contact_samples);
  measured["seconds_rest"] = watch.lap();
  model.measured = std::move(measured);
  return model;
}

}  // namespace pliant
