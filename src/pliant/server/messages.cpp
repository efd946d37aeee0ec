#include "pliant/server/messages.h"

#include "pliant/reduced/hrpd.h"
#include "pliant/reduced/newmark_broyden.h"
#include "pliant/server/body_modes.h"

namespace pliant::server {
namespace {

std::string method_of(const Simulator& simulator) {
  return dynamic_cast<const NewmarkBroyden*>(&simulator) ? "reduced_fem" : std::string(simulator.kind());
}

Json measured_of(const Simulator& simulator) {
  Json measured = Json::object();
  const auto add = [&](const ModelBody& body) {
    for (const auto& [name, value] : body.measured) measured[name] = value;
  };
  if (const auto* hrpd = dynamic_cast<const Hrpd*>(&simulator)) add(hrpd->model());
  if (const auto* fem = dynamic_cast<const NewmarkBroyden*>(&simulator)) add(fem->model());
  return measured;
}

Index degrees_of_freedom(const Simulator& simulator) {
  if (const auto* hrpd = dynamic_cast<const Hrpd*>(&simulator)) return hrpd->model().degrees_of_freedom();
  if (const auto* fem = dynamic_cast<const NewmarkBroyden*>(&simulator)) return fem->model().dimension();
  return 3 * (simulator.vertex_count() - static_cast<Index>(simulator.fixed().size()));
}

bool has_iterations(const Simulator& simulator) {
  return simulator.kind() == "hrpd" || simulator.kind() == "projective_dynamics";
}

Json body_words(const Stage& stage, std::size_t b, std::uint32_t version) {
  const Simulator& simulator = stage.simulator(b);
  const DrawnBody& drawn = stage.drawn(b);
  const VectorXd frequencies = known_frequencies(simulator);
  Json hertz = Json::array();
  for (Index i = 0; i < frequencies.size(); ++i) hertz.push_back(frequencies[i]);
  const Json* words = stage.words(b);
  return {{"name", stage.name(b)},
          {"method", method_of(simulator)},
          {"decode", name(drawn.decode)},
          {"vertices", simulator.vertex_count()},
          {"tets", stage.tets(b)},
          {"points", drawn.points()},
          {"surface", drawn.surface},
          {"triangles", drawn.triangles.rows()},
          {"dofs", degrees_of_freedom(simulator)},
          {"shell", stage.tets(b) == 0},
          {"can_change_volume", simulator.can_change_volume()},
          {"has_iterations", has_iterations(simulator)},
          {"data", "/data/" + std::to_string(version) + "/" + std::to_string(b)},
          {"fixed", simulator.fixed().size()},
          {"handles", drawn.handle_points.size()},
          {"samples", drawn.sample_points.size()},
          {"modes", mode_count(simulator)},
          {"mode_frequencies", hertz},
          {"measured", measured_of(simulator)},
          {"editable", true},
          {"methods", words ? rebuild_methods(*words) : Json::object()},
          {"can_rebuild", words != nullptr}};
}

}  // namespace

Json scene_message(const Stage& stage, std::uint32_t version) {
  Json bodies = Json::array();
  for (std::size_t b = 0; b < stage.size(); ++b) bodies.push_back(body_words(stage, b, version));
  return {{"type", "scene"},
          {"version", version},
          {"title", stage.title()},
          {"bodies", bodies},
          {"box", Json::array({to_json(stage.low()), to_json(stage.high())})}};
}

Json state_message(const Stage& stage, const Switches& switches) {
  const Settings& s = stage.settings();
  Json mode, edit;
  if (switches.mode)
    mode = {{"body", switches.mode->body},
            {"index", switches.mode->index.value_or(0)},
            {"amplitude", switches.mode->amplitude}};
  if (switches.edit) edit = {{"body", *switches.edit}};
  return {{"type", "state"},
          {"paused", switches.paused},
          {"stiffness", s.stiffness},
          {"volume", s.volume},
          {"gravity", to_json(s.gravity)},
          {"damping", s.damping},
          {"time_step", s.time_step},
          {"iterations", s.iterations},
          {"real_time", switches.real_time},
          {"floor", {{"on", s.floor}, {"height", s.floor_height}}},
          {"sphere", {{"on", s.sphere}, {"center", to_json(s.sphere_center)}, {"radius", s.sphere_radius}}},
          {"obstacles", stage.other_obstacles()},
          {"ghost", switches.ghost},
          {"mode", mode},
          {"edit", edit},
          {"recording", switches.recording},
          {"recorded_frames", switches.recorded_frames}};
}

void StepStatistics::add(const Stage& stage, const StepReport& report, double taken) {
  ++steps;
  microseconds += taken;
  last = report;
  for (std::size_t b = 0; b < stage.size(); ++b)
    for (const Trace::Phase& phase : stage.simulator(b).trace().phases())
      phases[phase.name] += phase.microseconds;
}

Json stats_message(const Stage& stage, const StepStatistics& sum, const std::optional<Measures>& energy,
                   const std::optional<GhostError>& ghost) {
  const double steps = sum.steps;
  Json phases = Json::object();
  for (const auto& [name, value] : sum.phases) phases[name] = value / std::max(1.0, steps);
  Json energies, error, contacts;
  if (energy)
    energies = {
        {"kinetic", energy->kinetic}, {"elastic", energy->elastic}, {"gravitational", energy->gravitational}};
  if (ghost) error = {{"mean", ghost->mean}, {"largest", ghost->largest}};
  for (std::size_t b = 0; b < stage.size(); ++b)
    if (const auto* hrpd = dynamic_cast<const Hrpd*>(&stage.simulator(b))) {
      const std::size_t others = hrpd->drags().size();
      const std::size_t here = hrpd->pin_count() > others ? hrpd->pin_count() - others : 0;
      contacts = (contacts.is_null() ? 0 : contacts.get<std::size_t>()) + here;
    }
  return {{"type", "stats"},
          {"time", stage.time()},
          {"step", stage.simulator(0).step_count()},
          {"steps_per_s", sum.seconds > 0 ? steps / sum.seconds : 0},
          {"possible_steps_per_s", sum.microseconds > 0 ? 1e6 * steps / sum.microseconds : 0},
          {"step_us", steps > 0 ? sum.microseconds / steps : 0},
          {"phases", phases},
          {"energy", energies},
          {"iterations", sum.last.iterations},
          {"residual", sum.last.residual},
          {"converged", sum.last.converged},
          {"contacts", contacts},
          {"ghost_error", error}};
}

Json error_message(const std::string& sentence) { return {{"type", "error"}, {"message", sentence}}; }

}  // namespace pliant::server
