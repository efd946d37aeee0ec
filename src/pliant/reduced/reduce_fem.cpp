#include "pliant/reduced/reduce_fem.h"

#include <algorithm>
#include <numeric>

#include "pliant/elasticity/element_set.h"
#include "pliant/geometry/sampling.h"

namespace pliant {
namespace {

std::vector<int> contact_vertices(const Body& body, int count) {
  const std::vector<int> surface = surface_vertices(body);
  if (count <= 0) return {};
  if (static_cast<int>(surface.size()) <= count) return surface;
  // Spread over the surface as a mesh of its own, in which every vertex is on the outside.
  std::vector<int> place(static_cast<std::size_t>(body.vertex_count()), -1);
  for (std::size_t i = 0; i < surface.size(); ++i)
    place[static_cast<std::size_t>(surface[i])] = static_cast<int>(i);
  TriMesh mesh{Points(static_cast<Index>(surface.size()), 3), surface_triangles(body)};
  for (std::size_t i = 0; i < surface.size(); ++i)
    mesh.vertices.row(static_cast<Index>(i)) = body.rest_positions().row(surface[i]);
  for (int* id = mesh.triangles.data(); id != mesh.triangles.data() + mesh.triangles.size(); ++id)
    *id = place[static_cast<std::size_t>(*id)];
  std::vector<int> out;
  for (int id : furthest_point_vertices(mesh, {.count = count}).ids)
    out.push_back(surface[static_cast<std::size_t>(id)]);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

ReducedFem make_reduced_fem(const Body& body, const DenseBasis& basis, std::span<const int> elements,
                            const VectorXd& weights, int contact_samples) {
  ReducedFem model;
  model.rest_positions = basis.origin;
  model.tets = body.tets();
  model.triangles = surface_triangles(body);
  model.basis = basis.kind;
  model.U = basis.U.cast<float>();
  model.eigenvalues = basis.eigenvalues;
  model.elements = ReducedElements(body, basis.U, ElementSet(body, elements), weights);
  model.damping = body.damping();
  model.masses = body.masses();
  model.local_stiffness = local_stiffness(body);
  model.fixed = body.fixed();
  model.contact_vertices = contact_vertices(body, contact_samples);
  return model;
}

ReducedFem make_exact_reduced_fem(const Body& body, const DenseBasis& basis, int contact_samples) {
  std::vector<int> all(static_cast<std::size_t>(element_count(body)));
  std::iota(all.begin(), all.end(), 0);
  return make_reduced_fem(body, basis, all, VectorXd::Ones(element_count(body)), contact_samples);
}

}  // namespace pliant
