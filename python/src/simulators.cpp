// The one interface of all simulators.
#include <algorithm>

#include "bind.h"
#include "pliant/simulation/simulator.h"

namespace pliant::python {
namespace {

py::dict to_dict(const Trace& trace) {
  py::dict phases;
  for (const Trace::Phase& phase : trace.phases()) phases[phase.name] = phase.microseconds;
  return phases;
}

template <void (Simulator::*Read)(std::span<const int>, Points&)>
Points read_some(Simulator& simulator, const py::object& vertices) {
  const std::vector<int> ids = to_id_list(vertices, "vertices");
  check_ids(ids, simulator.vertex_count(), "vertices");
  Points out;
  check_free(simulator);
  (simulator.*Read)(ids, out);
  return out;
}

Vector3d to_vector(const py::object& numbers, const char* who) {
  const Points row = to_points(py::list(py::make_tuple(numbers)), who);
  return row.row(0).transpose();
}

// === Obstacles

Obstacle placed(ObstacleShape shape, const Vector3d& position, double friction, double restitution,
                double thickness) {
  Obstacle obstacle;
  obstacle.shape = std::move(shape);
  obstacle.path.keyframes[0].position = position;
  obstacle.friction = friction, obstacle.restitution = restitution, obstacle.thickness = thickness;
  check(obstacle);
  return obstacle;
}

void bind_obstacles(py::module_& module) {
  const Vector3d origin = Vector3d::Zero();
  py::class_<Obstacle> type(module, "Obstacle",
                            "Something a body bumps into. Make one by Obstacle.plane, .sphere, ...");
  type.def_readonly("friction", &Obstacle::friction)
      .def_readonly("restitution", &Obstacle::restitution)
      .def(
          "moved",
          [](const Obstacle& obstacle, const std::vector<std::tuple<double, Vector3d, Vector4d>>& path) {
            Obstacle moving = obstacle;
            moving.path.keyframes.clear();
            for (const auto& [time, position, q] : path)
              moving.path.keyframes.push_back({time, position, Eigen::Quaterniond(q[0], q[1], q[2], q[3])});
            check(moving);
            return moving;
          },
          py::arg("path"),
          "The same on a path of keyframes (time, position, rotation as a quaternion w x y z).")
      .def(
          "distance",
          [](const Obstacle& obstacle, const py::object& points, double time) {
            const Points p = to_points(points, "points");
            const PlacedObstacle at = place(obstacle, time);
            VectorXd out(p.rows());
            for (Index i = 0; i < p.rows(); ++i) out[i] = contact_at(at, p.row(i).transpose()).distance;
            return out;
          },
          py::arg("points"), py::arg("time") = 0.0, "Signed distance of points (k, 3), metres.");
  const auto add = [&](const char* name, auto make, auto... arguments) {
    type.def_static(name, make, arguments..., py::arg("friction") = 0.3, py::arg("restitution") = 0.0,
                    py::arg("thickness") = 0.0);
  };
  add(
      "plane",
      [](const Vector3d& point, const Vector3d& normal, double f, double r, double t) {
        if (!(normal.norm() > 0)) throw InputError("Obstacle.plane: normal is zero; expected a direction");
        Obstacle plane = placed(PlaneShape{}, point, f, r, t);
        plane.path.keyframes[0].rotation = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitY(), normal);
        return plane;
      },
      py::arg("point") = origin, py::arg("normal") = Vector3d(0, 1, 0));
  add(
      "sphere",
      [](double radius, const Vector3d& position, double f, double r, double t) {
        return placed(SphereShape{radius}, position, f, r, t);
      },
      py::arg("radius"), py::arg("position") = origin);
  add(
      "capsule",
      [](double radius, double length, const Vector3d& position, double f, double r, double t) {
        return placed(CapsuleShape{radius, length / 2}, position, f, r, t);
      },
      py::arg("radius"), py::arg("length"), py::arg("position") = origin);
  add(
      "box",
      [](const Vector3d& size, const Vector3d& position, double f, double r, double t) {
        return placed(BoxShape{size / 2}, position, f, r, t);
      },
      py::arg("size"), py::arg("position") = origin);
  add(
      "mesh",
      [](const TriMesh& mesh, const Vector3d& position, double f, double r, double t) {
        return placed(MeshShape{std::make_shared<const SignedDistance>(mesh)}, position, f, r, t);
      },
      py::arg("mesh"), py::arg("position") = origin);
}

/// Guarded by the GIL.
std::vector<const Simulator*>& simulators_in_use() {
  static auto& all = *new std::vector<const Simulator*>;
  return all;
}

}  // namespace

void check_free(const Simulator& simulator) {
  const auto& all = simulators_in_use();
  if (std::find(all.begin(), all.end(), &simulator) != all.end())
    throw std::runtime_error(
        "this simulator is in a call of another thread; expected one thread at a time, or a lock around its "
        "calls");
}

InUse::InUse(std::vector<const Simulator*> simulators) : simulators_(std::move(simulators)) {
  for (const Simulator* simulator : simulators_) check_free(*simulator);
  auto& all = simulators_in_use();
  all.insert(all.end(), simulators_.begin(), simulators_.end());
}

InUse::~InUse() {
  std::erase_if(simulators_in_use(), [&](const Simulator* simulator) {
    return std::find(simulators_.begin(), simulators_.end(), simulator) != simulators_.end();
  });
}

void bind_simulators(py::module_& module) {
  bind_obstacles(module);

  py::class_<StepReport>(module, "StepReport", "How a step went.")
      .def_readonly("converged", &StepReport::converged)
      .def_readonly("iterations", &StepReport::iterations)
      .def_readonly("residual", &StepReport::residual)
      .def("__repr__", [](const StepReport& r) {
        return std::string("<pliant.StepReport ") + (r.converged ? "converged" : "not converged") + ", " +
               std::to_string(r.iterations) + " iterations>";
      });
  py::class_<Measures>(module, "Measures", "Energies (J) and momenta of a body.")
      .def_readonly("kinetic", &Measures::kinetic)
      .def_readonly("elastic", &Measures::elastic)
      .def_readonly("gravitational", &Measures::gravitational)
      .def_property_readonly("total", &Measures::total)
      .def_readonly("momentum", &Measures::momentum)
      .def_readonly("angular_momentum", &Measures::angular_momentum);

  py::class_<Simulator>(module, "Simulator",
                        "A body in motion, whatever moves it. Changes made between steps count from the next "
                        "step on. One thread at a "
                        "time: a call beside another thread's step raises RuntimeError.")
      .def("step", in_use(&Simulator::step), "Advances by time_step; returns a StepReport.")
      .def_property_readonly("kind", &Simulator::kind)
      .def_property_readonly("time", &Simulator::time, "seconds")
      .def_property("time_step", &Simulator::time_step, while_free(&Simulator::set_time_step), "seconds")
      .def_property_readonly("step_count", &Simulator::step_count)
      .def_property_readonly(
          "trace", [](const Simulator& s) { return to_dict(s.trace()); },
          "Microseconds of each phase of the last step.")
      .def_property_readonly("vertex_count", &Simulator::vertex_count)
      .def_property_readonly(
          "positions", [](Simulator& s) { return Points(while_free(&Simulator::positions)(s)); },
          "(n, 3), a copy")
      .def("positions_of", &read_some<&Simulator::positions_of>, py::arg("vertices"), "(k, 3)")
      .def("velocities_of", &read_some<&Simulator::velocities_of>, py::arg("vertices"), "(k, 3), m/s")
      .def("reactions_of", &read_some<&Simulator::reactions_of>, py::arg("vertices"),
           "(k, 3): the force by which the world holds each fixed vertex, N")
      .def("measure", in_use(&Simulator::measure), "Energies and momenta.")
      .def(
          "apply_force",
          [](Simulator& s, const py::object& vertices, const py::object& forces) {
            const std::vector<int> ids = to_id_list(vertices, "vertices");
            const Points f = to_points(forces, "forces");
            check_free(s);
            s.apply_force(ids, f);
          },
          py::arg("vertices"), py::arg("forces"), "Adds forces (k, 3), N, for the next step only.")
      .def(
          "begin_drag",
          [](Simulator& s, int vertex, const py::object& target, double strength) {
            const Vector3d to = to_vector(target, "target");
            check_free(s);
            return s.begin_drag(vertex, to, strength);
          },
          py::arg("vertex"), py::arg("target"), py::arg("strength") = 1.0,
          "Pulls a vertex to a point; returns an id.")
      .def(
          "move_drag",
          [](Simulator& s, int id, const py::object& target) {
            const Vector3d to = to_vector(target, "target");
            check_free(s);
            s.move_drag(id, to);
          },
          py::arg("id"), py::arg("target"))
      .def("end_drag", while_free(&Simulator::end_drag), py::arg("id"))
      .def(
          "fix",
          [](Simulator& s, const py::object& v) {
            const std::vector<int> ids = to_id_list(v, "vertices");
            check_free(s);
            s.fix(ids);
          },
          py::arg("vertices"), "Holds vertices where they are.")
      .def(
          "move_fixed",
          [](Simulator& s, const py::object& vertices, const py::object& targets) {
            const std::vector<int> ids = to_id_list(vertices, "vertices");
            const Points to = to_points(targets, "targets");
            check_free(s);
            s.move_fixed(ids, to);
          },
          py::arg("vertices"), py::arg("targets"), "Held vertices arrive there at the end of the next step.")
      .def(
          "release",
          [](Simulator& s, const py::object& v) {
            const std::vector<int> ids = to_id_list(v, "vertices");
            check_free(s);
            s.release(ids);
          },
          py::arg("vertices"))
      .def_property_readonly("fixed", &Simulator::fixed)
      .def_property("obstacles", &Simulator::obstacles, while_free(&Simulator::set_obstacles))
      .def_property("gravity", &Simulator::gravity, while_free(&Simulator::set_gravity), "m/s^2")
      .def_property("stiffness", &Simulator::stiffness, while_free(&Simulator::set_stiffness),
                    "factor on the stiffness the body was made with")
      .def_property("volume", &Simulator::volume, while_free(&Simulator::set_volume),
                    "factor on the rest volume")
      .def_property_readonly("can_change_volume", &Simulator::can_change_volume)
      .def_property("damping", &Simulator::damping, while_free(&Simulator::set_damping), "1/s")
      .def(
          "set_motion",
          [](Simulator& s, const py::object& positions, const py::object& velocities) {
            const Points x = to_points(positions, "positions");
            const Points v = velocities.is_none() ? Points(Points::Zero(x.rows(), 3))
                                                  : to_points(velocities, "velocities");
            check_free(s);
            s.set_motion(x, v);
          },
          py::arg("positions"), py::arg("velocities") = py::none(),
          "Places all vertices; at rest by default.")
      .def(
          "save",
          [](const Simulator& s) {
            check_free(s);
            return from_state(s.save());
          },
          "The state as bytes: save, restore, roll back, bit for bit.")
      .def(
          "restore",
          [](Simulator& s, const std::string& bytes) {
            const State state = to_state(bytes);
            check_free(s);
            s.restore(state);
          },
          py::arg("state"))
      .def("__repr__", [](const Simulator& s) {
        return "<pliant simulator " + std::string(s.kind()) + " of " + std::to_string(s.vertex_count()) +
               " vertices at " + std::to_string(s.time()) + " s>";
      });
}

}  // namespace pliant::python
