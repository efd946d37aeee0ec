#include "pliant/elasticity/body.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/elasticity/mass.h"
#include "pliant/geometry/surface.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

void check_mesh(const TetMesh& mesh) {
  if (mesh.tet_count() == 0)
    throw InputError("body: the mesh has no tets; expected a solid (tetrahedralize a surface)");
  if (!mesh.vertices.allFinite()) throw InputError("body: a vertex is not finite; repair the mesh");
  std::vector<bool> used(at(mesh.vertex_count()), false);
  for (Index t = 0; t < mesh.tet_count(); ++t) {
    for (int a = 0; a < 4; ++a) {
      const int v = mesh.tets(t, a);
      if (v < 0 || v >= mesh.vertex_count())
        throw InputError(
            fmt::format("body: tet {} names vertex {}; expected 0 to {}", t, v, mesh.vertex_count() - 1));
      used[at(v)] = true;
    }
    Matrix3d edges;
    for (int a = 0; a < 3; ++a)
      edges.col(a) =
          (mesh.vertices.row(mesh.tets(t, a + 1)) - mesh.vertices.row(mesh.tets(t, 0))).transpose();
    const double det = edges.determinant(), longest = edges.colwise().norm().maxCoeff();
    if (!(std::abs(det) > 1e-14 * longest * longest * longest))
      throw InputError(fmt::format("body: tet {} has no volume; repair the mesh", t));
    if (det < 0)
      throw InputError(
          fmt::format("body: tet {} is inverted (volume {:.3g} m^3); repair the mesh", t, det / 6));
  }
  const auto lonely = std::find(used.begin(), used.end(), false) - used.begin();
  if (lonely < mesh.vertex_count())
    throw InputError(fmt::format("body: vertex {} belongs to no tet; repair the mesh", lonely));
}

void check_mesh(const TriMesh& mesh) {  // the triangles themselves are checked by make_discrete_shell
  if (mesh.triangle_count() == 0) throw InputError("body: the mesh has no triangles; expected a shell");
  std::vector<bool> used(at(mesh.vertex_count()), false);
  for (Index t = 0; t < mesh.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int v = mesh.triangles(t, k);
      if (v < 0 || v >= mesh.vertex_count())
        throw InputError(fmt::format("body: triangle {} names vertex {}; expected 0 to {}", t, v,
                                     mesh.vertex_count() - 1));
      used[at(v)] = true;
    }
  const auto lonely = std::find(used.begin(), used.end(), false) - used.begin();
  if (lonely < mesh.vertex_count())
    throw InputError(fmt::format("body: vertex {} belongs to no triangle; repair the mesh", lonely));
}

std::vector<int> checked_materials(const TetMesh& mesh, const std::vector<SolidMaterial>& palette,
                                   const BodyOptions& options) {
  if (palette.empty()) throw InputError("body: no material given; expected at least one");
  for (const SolidMaterial& m : palette) {
    check(m.material);
    if (!(m.density > 0) || !std::isfinite(m.density))
      throw InputError(fmt::format("body: density is {}; expected a positive number, in kg/m^3", m.density));
  }
  if (options.material_of_tet.empty()) return std::vector<int>(at(mesh.tet_count()), 0);
  if (static_cast<Index>(options.material_of_tet.size()) != mesh.tet_count())
    throw InputError(fmt::format("body: material_of_tet has {} entries for {} tets; expected one a tet",
                                 options.material_of_tet.size(), mesh.tet_count()));
  for (int m : options.material_of_tet)
    if (m < 0 || m >= static_cast<int>(palette.size()))
      throw InputError(fmt::format("body: material {} of a palette of {}; expected 0 to {}", m,
                                   palette.size(), palette.size() - 1));
  return options.material_of_tet;
}

std::vector<int> checked_fixed(const TetMesh& mesh, std::vector<int> fixed) {
  for (int v : fixed)
    if (v < 0 || v >= mesh.vertex_count())
      throw InputError(fmt::format("body: fixed vertex {}; expected 0 to {}", v, mesh.vertex_count() - 1));
  std::sort(fixed.begin(), fixed.end());
  fixed.erase(std::unique(fixed.begin(), fixed.end()), fixed.end());
  return fixed;
}

}  // namespace

Body::Body(const TetMesh& mesh, const SolidMaterial& material, const BodyOptions& options)
    : Body(mesh, std::vector{material}, options) {}

void Body::take_common_options(const BodyOptions& options) {
  fixed_ = checked_fixed(mesh_, options.fixed);
  damping_ = options.damping;
  if (!(damping_.mass >= 0 && damping_.stiffness >= 0) || !std::isfinite(damping_.mass + damping_.stiffness))
    throw InputError(fmt::format("body: damping is {} 1/s and {} s; expected neither negative", damping_.mass,
                                 damping_.stiffness));
}

Body::Body(const TetMesh& mesh, const std::vector<SolidMaterial>& palette, const BodyOptions& options)
    : mesh_(mesh), palette_(palette) {
  check_mesh(mesh_);
  material_of_tet_ = checked_materials(mesh_, palette_, options);
  take_common_options(options);

  std::vector<Material> materials;
  for (const SolidMaterial& m : palette_) materials.push_back(m.material);
  tet_elements_ = std::make_shared<TetElements>(mesh_.vertices, mesh_.tets, materials, material_of_tet_);
  shell_elements_ = std::make_shared<ShellElements>(DiscreteShell{});
  std::vector<double> densities;
  for (int m : material_of_tet_) densities.push_back(palette_[at(m)].density);
  masses_ = lumped_masses(mesh_, tet_elements_->volumes(), densities);

  Stencils stencils;
  tet_elements_->add_stencils(stencils);
  assembly_ = std::make_shared<Assembly>(vertex_count(), stencils);
}

Body::Body(const TriMesh& mesh, const ShellMaterial& material, const BodyOptions& options)
    : mesh_{mesh.vertices, Tets(0, 4)}, triangles_(mesh.triangles), shell_material_(material) {
  check_mesh(mesh);
  if (!(material.density > 0))
    throw InputError(
        fmt::format("body: density is {}; expected a positive number, in kg/m^2", material.density));
  if (!options.material_of_tet.empty())
    throw InputError("body: material_of_tet given for a shell; it has no tets");
  take_common_options(options);

  tet_elements_ = std::make_shared<TetElements>(mesh_.vertices, mesh_.tets, std::span<const Material>(),
                                                std::span<const int>());
  shell_elements_ = std::make_shared<ShellElements>(make_discrete_shell(mesh, material));
  masses_ = lumped_shell_masses(shell_elements_->shell(), vertex_count(), material.density);

  Stencils stencils;
  shell_elements_->add_stencils(stencils);
  assembly_ = std::make_shared<Assembly>(vertex_count(), stencils);
}

double Body::volume() const {
  const auto& volumes = tet_elements_->volumes();
  return std::accumulate(volumes.begin(), volumes.end(), 0.0);
}

SparseMatrix Body::mass_matrix() const {
  SparseMatrix M(3 * vertex_count(), 3 * vertex_count());
  M.reserve(Eigen::VectorXi::Ones(M.cols()));
  for (Index i = 0; i < M.cols(); ++i) M.insert(i, i) = masses_[i / 3];
  M.makeCompressed();
  return M;
}

SparseMatrix Body::consistent_mass_matrix() const {
  if (is_shell())
    return consistent_shell_mass(shell_elements_->shell(), vertex_count(), shell_material_.density);
  std::vector<double> densities;
  for (int m : material_of_tet_) densities.push_back(palette_[at(m)].density);
  return consistent_mass(mesh_, tet_elements_->volumes(), densities);
}

void Body::check_positions(const Points& x) const {
  if (x.rows() != vertex_count())
    throw InputError(
        fmt::format("body: {} positions for {} vertices; expected one a vertex", x.rows(), vertex_count()));
}

void Body::evaluate(const Points& x, const TetEvaluation& what, AssemblyBuffers& buffers) const {
  check_positions(x);
  assembly_->fit(buffers, what.stiffness);
  const Index tets = tet_elements_->tile_count();
  parallel_for(tets + shell_elements_->tile_count(), 1, [&](Index tile) {
    if (tile < tets)
      tet_elements_->evaluate(x.data(), what, *assembly_, 0, 0, tile, buffers);
    else
      shell_elements_->evaluate(x.data(), what, *assembly_, tet_elements_->count(), tets, tile - tets,
                                buffers);
  });
}

double Body::energy(const Points& x) const {
  BodyWorkspace work;
  return energy(x, work);
}

double Body::energy(const Points& x, BodyWorkspace& work) const {
  evaluate(x, {.gradient = false}, work.buffers);
  return assembly_->gather_energy(work.buffers);
}

void Body::forces(const Points& x, Points& out) const {
  BodyWorkspace work;
  energy_and_forces(x, out, work);
}

double Body::energy_and_forces(const Points& x, Points& out, BodyWorkspace& work) const {
  evaluate(x, {}, work.buffers);
  out.resize(vertex_count(), 3);
  assembly_->gather_gradients(work.buffers, -1, out);
  return assembly_->gather_energy(work.buffers);
}

SparseMatrix Body::stiffness_pattern() const { return to_sparse(assembly_->pattern()); }

SparseMatrix Body::stiffness(const Points& x, Projection projection) const {
  SparseMatrix K = stiffness_pattern();
  BodyWorkspace work;
  stiffness(x, K, work, projection);
  return K;
}

void Body::stiffness(const Points& x, SparseMatrix& K, BodyWorkspace& work, Projection projection) const {
  evaluate(x, {.gradient = false, .stiffness = true, .projected = projection == Projection::positive},
           work.buffers);
  if (work.blocks.block_count() != assembly_->pattern().block_count()) work.blocks = assembly_->pattern();
  assembly_->gather_blocks(work.buffers, work.blocks);
  copy_values(work.blocks, K);
}

double Body::stiffness_blocks(const Points& x, SymmetricBlocks& K, Points& forces, BodyWorkspace& work,
                              Projection projection) const {
  evaluate(x, {.gradient = true, .stiffness = true, .projected = projection == Projection::positive},
           work.buffers);
  forces.resize(vertex_count(), 3);
  assembly_->gather_gradients(work.buffers, -1, forces);
  assembly_->gather_blocks(work.buffers, K);
  return assembly_->gather_energy(work.buffers);
}

std::size_t Body::memory_bytes() const {
  return tet_elements_->memory_bytes() + shell_elements_->memory_bytes() + assembly_->memory_bytes();
}

Triangles surface_triangles(const Body& body) {
  return body.is_shell() ? body.triangles() : boundary_triangles(body.tets());
}

std::vector<int> surface_vertices(const Body& body) {
  const Triangles surface = surface_triangles(body);
  std::vector<int> ids(surface.data(), surface.data() + surface.size());
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

SymmetricBlocks stiffness_blocks(const Body& body, const Points& x) {
  SymmetricBlocks K = body.block_pattern();
  BodyWorkspace work;
  Points forces;
  body.stiffness_blocks(x, K, forces, work);
  return K;
}

VectorXd local_stiffness(const Body& body) {
  const SymmetricBlocks K = stiffness_blocks(body, body.rest_positions());
  VectorXd out(body.vertex_count());
  for (Index i = 0; i < out.size(); ++i) out[i] = K.diagonal(i).trace() / 3;
  return out;
}

}  // namespace pliant
