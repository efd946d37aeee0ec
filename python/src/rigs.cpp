// Skeletons, weights and animations from glTF and FBX files.
#include "bind.h"
#include "pliant/io/asset_file.h"

namespace pliant::python {
namespace {

py::array_t<double> stack(const std::vector<Eigen::Matrix4d>& matrices) {
  py::array_t<double> result({static_cast<py::ssize_t>(matrices.size()), py::ssize_t(4), py::ssize_t(4)});
  auto out = result.mutable_unchecked<3>();
  for (py::ssize_t j = 0; j < out.shape(0); ++j)
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c) out(j, r, c) = matrices[static_cast<std::size_t>(j)](r, c);
  return result;
}

const RigAnimation& find_animation(const RigFile& rig, const std::string& name) {
  std::string names;
  for (const RigAnimation& animation : rig.animations) {
    if (animation.name == name) return animation;
    names += (names.empty() ? "'" : ", '") + animation.name + "'";
  }
  throw InputError("there is no animation '" + name + "'; there are " + (names.empty() ? "none" : names));
}

}  // namespace

void bind_rigs(py::module_& module) {
  py::class_<RigFile>(module, "Rig",
                      "A surface with a skeleton: x_i = sum_j weights[i, j] W_j inverse_bind[j] X_i.")
      .def_property_readonly(
          "mesh",
          [](const RigFile& rig) {
            return TriMesh{rig.mesh.vertices, rig.mesh.triangles};
          },
          "The TriMesh as bound.")
      .def_property_readonly(
          "joints",
          [](const RigFile& rig) {
            py::list names;
            for (const RigJoint& joint : rig.joints) names.append(joint.name);
            return names;
          },
          "Names of the joints, parents first.")
      .def_property_readonly(
          "parents",
          [](const RigFile& rig) {
            py::array_t<int> parents(static_cast<py::ssize_t>(rig.joints.size()));
            for (std::size_t j = 0; j < rig.joints.size(); ++j)
              parents.mutable_data()[j] = rig.joints[j].parent;
            return parents;
          },
          "Parent of each joint; -1 for a root.")
      .def_property_readonly(
          "inverse_bind",
          [](const RigFile& rig) {
            std::vector<Eigen::Matrix4d> matrices;
            for (const RigJoint& joint : rig.joints) matrices.push_back(joint.inverse_bind);
            return stack(matrices);
          },
          "(j, 4, 4): from the mesh's space to each joint's.")
      .def_readonly("weights", &RigFile::weights, "scipy matrix (n, j); rows sum to 1.")
      .def_property_readonly(
          "animations",
          [](const RigFile& rig) {
            py::dict durations;
            for (const RigAnimation& animation : rig.animations)
              durations[py::str(animation.name)] = animation.duration;
            return durations;
          },
          "Name -> duration in seconds.")
      .def(
          "transforms",
          [](const RigFile& rig, const std::optional<std::string>& animation, double time) {
            return stack(animation ? animated_transforms(rig, find_animation(rig, *animation), time)
                                   : rest_transforms(rig.joints));
          },
          py::arg("animation") = py::none(), py::arg("time") = 0.0,
          "W (j, 4, 4): each joint's transform to the world, at a time of an animation, or at rest.");

  module.def(
      "read_rig", [](const std::filesystem::path& path) { return read_rig(path); }, py::arg("path"),
      ReleaseGil(), "Reads surface, skeleton, weights and animations from a .gltf, .glb or .fbx file.");
}

}  // namespace pliant::python
