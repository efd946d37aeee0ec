#include "pliant/scene/scene_schema.h"

#include "pliant/geometry/shapes.h"
#include "pliant/reduced/hrpd.h"
#include "pliant/reduced/reduce_fem.h"
#include "pliant/scene/region.h"
#include "pliant/subspace/splocs.h"

namespace pliant {
namespace {

const Json zero = {0, 0, 0};

// === Materials

Field young() { return {"young", above(0), 1e5, "Young's modulus, Pa"}; }
Field poisson() { return {"poisson", inside(-1, 0.5), 0.4, "Poisson's ratio"}; }

/// Given natively, a material's own parameters replace young and poisson; all of them must be there.
ObjectType material(std::string name, std::string text, std::vector<Field> native) {
  std::vector<Field> fields = {young(), poisson()};
  for (Field& field : native) fields.push_back(std::move(field));
  return {std::move(name), std::move(text), std::move(fields)};
}

Field native(const char* key, ValueType type, const char* text) { return {key, std::move(type), {}, text}; }

ValueType solid_material() {
  const auto lame = [] {
    return std::vector<Field>{
        native("mu", above(0), "first native parameter, Pa; with lambda it replaces young and poisson"),
        native("lambda", number(), "second native parameter, Pa")};
  };
  return tagged({material("linear", "small strains only: no rotation", lame()),
                 material("stvk", "St. Venant-Kirchhoff: stiff in tension, weak under compression", lame()),
                 material("corotated", "linear elasticity in the rotated frame", lame()),
                 material("neo_hookean", "stable under inversion", lame()),
                 material("mooney_rivlin", "rubber",
                          {native("c10", at_least(0), "Pa; with c01 and kappa it replaces young and poisson"),
                           native("c01", at_least(0), "Pa"), native("kappa", above(0), "bulk modulus, Pa")}),
                 material("fung", "soft tissue: stiffens exponentially",
                          {native("mu1", at_least(0),
                                  "Pa; with lambda1, c, mu2 and lambda2 it replaces young and poisson"),
                           native("lambda1", number(), "Pa"), native("c", at_least(0), "Pa"),
                           native("mu2", at_least(0), "no unit"), native("lambda2", number(), "no unit")}),
                 material("arruda_boyce", "rubber that locks at a stretch",
                          {{"locking", above(1), 3.0, "the stretch at which chains are straight"}})});
}

ObjectType shell_material() {
  return {"shell",
          "a discrete shell: edges, triangles and hinges",
          {{"young", above(0), 1e6, "Young's modulus, Pa"},
           {"poisson", inside(-1, 0.5), 0.3, "Poisson's ratio"},
           {"thickness", above(0), 0.001, "m"}}};
}

// === Bodies

ObjectType shape_type() {
  std::vector<std::string> names;
  for (const ShapeInfo& shape : shapes())
    if (std::find(names.begin(), names.end(), shape.name) == names.end()) names.push_back(shape.name);
  return {
      "shape",
      "a shape that Pliant makes itself",
      {{"name", choice(names), {}, "which shape", true},
       {"tets", integer(1, 4e6), 5000, "about how many tets, for solids"},
       {"triangles", integer(1, 4e6), 5000, "about how many triangles, for shells"},
       {"size", above(0), 1.0, "factor on its lengths; at 1 the longest side is about 1 m"},
       {"thickness", at_least(0), 0.0, "of bar, plate, cylinder and tube, m at size 1; 0: the shape's own"},
       {"level", integer(0, 4), 0, "of the Menger sponge; 0: automatic"},
       {"text", text(), "PLIANT", "of letters"}}};
}

ObjectType placement(std::string name, std::string words, std::vector<Field> more) {
  std::vector<Field> fields = {{"position", vector3(), zero, "where its origin is put, m"},
                               {"rotation", vector3(), zero, "degrees about x, then y, then z"}};
  for (Field& field : more) fields.push_back(std::move(field));
  return {std::move(name), std::move(words), std::move(fields)};
}

/// What a body resists in projective dynamics, in full space or reduced.
std::vector<Field> with_constraints(std::vector<Field> fields) {
  fields.insert(fields.end(),
                {{"strain_min", between(0, 1), 1.0, "smallest stretch of a tet that costs nothing"},
                 {"strain_max", at_least(1), 1.0, "largest stretch of a tet that costs nothing"},
                 {"volume_preservation", boolean(), true,
                  "tets keep their volume, by poisson; their target can be changed"},
                 {"skin",
                  object({"skin",
                          "limits on the triangles of the surface of a solid",
                          {{"young", above(0), 1e6, "Pa"},
                           {"thickness", above(0), 0.001, "m"},
                           {"strain_min", between(0, 1), 0.9, "smallest stretch that costs nothing"},
                           {"strain_max", at_least(1), 1.1, "largest stretch that costs nothing"}}}),
                  {},
                  "a skin around a solid"}});
  return fields;
}

Field contact_samples(int count) {
  return {"contact_samples", integer(0, 1000000), count, "vertices that feel obstacles"};
}

ValueType simulator_type() {
  return tagged(
      {{"newton",
        "finite elements, implicit in time, by Newton's method",
        {{"scheme", choice({"implicit_euler", "newmark", "quasi_static"}), "implicit_euler",
          "how time moves; quasi_static has none: every step is an equilibrium"},
         {"solver", choice({"automatic", "cholesky", "pcg"}), "automatic", "of the linear systems"},
         {"max_iterations", integer(1, 1000), 30, "Newton iterations in a step, at most"},
         {"fixed_iterations", integer(0, 1000), 0,
          "above 0: exactly so many iterations, without line search, to compare with other programs"},
         {"tolerance", above(0), 1e-7,
          "a step ends once no vertex moves further in an iteration, in box diagonals"}}},
       {"projective_dynamics", "projective dynamics: local projections, one factorised matrix",
        with_constraints({{"iterations", integer(1, 10000), 10, "local and global steps in a step"}})},
       {"hrpd",
        "hyper-reduced projective dynamics: affine maps at handles, a few constraints in place of all",
        with_constraints(
            {{"iterations",
              integer(1, 10000),
              {},
              "local and global steps in a step; if not given as many as the model says, which is 10 for new "
              "ones"},
             {"acceleration", integer(0, AndersonMixing::most), HrpdOptions().acceleration,
              "turns that Anderson's acceleration looks back at; 0: none, as in the paper"},
             {"prediction", between(0, 0.99), HrpdOptions().prediction,
              "of fitted projections: what is predicted before the rest is fitted; 0: nothing, as in the "
              "paper"},
             {"handles", integer(1, 2000), 120, "of positions: twelve degrees of freedom each"},
             {"subspace", choice({"skinning", "pca", "localized", "splocs"}), "skinning",
              "of positions: affine maps at handles, or components of recorded motion"},
             {"snapshots", text(), "", "recorded motion, for components: a file of pliant snapshots"},
             {"components", integer(1, 10000), 200, "of recorded motion, three degrees of freedom each"},
             {"appended", choice({"none", "translations", "affine"}), "affine",
              "motions that components have beside what was recorded"},
             {"align", boolean(), false, "take turning and flying out of what was recorded"},
             {"inner", between(0, 100), SupportOptions().inner,
              "local components act fully up to here, in box diagonals"},
             {"outer", between(1e-6, 100), SupportOptions().outer, "and not at all from here on"},
             {"sparsity", at_least(0), SplocsOptions().sparsity,
              "of splocs: more leaves fewer vertices moving"},
             {"weights", choice({"smooth", "kinked"}), "smooth",
              "how they fade around a handle; kinked is the cubic of the paper"},
             {"support", between(least_support, most_support), SkinningOptions().support,
              "how far they reach, in distances of handles"},
             {"ramp", between(0.01, 100), 0.5, "how far held vertices are felt, in radii of weights"},
             {"fit", boolean(), true,
              "false: every constraint is evaluated, at a cost that grows with the mesh"},
             {"sampling", choice({"weighted", "fitted"}), "weighted",
              "how sampled constraints stand for all: by weights, or by the paper's fit of projections"},
             {"smoothing", between(0, 1), ReduceHrpdOptions().smoothing,
              "of weighted samples: how much of their strain is the mean over what they stand for"},
             {"fitted_space", choice({"handles", "snapshots"}), "handles",
              "of projections: affine maps at handles, or what the snapshots show"},
             {"fitted_handles", integer(1, 2000), 80, "of projections"},
             {"fitted_dimension", integer(0, 10000), 0, "kept of them; 0: half"},
             {"samples", integer(1, 100000), 1000, "constraints of a kind that are evaluated"},
             contact_samples(ReduceHrpdOptions().contact_samples)})},
       {"reduced_fem",
        "finite elements in a subspace of modes, a few weighted elements in place of all",
        {{"basis", choice({"linear_modes", "extended_modes", "modal_derivatives"}), "extended_modes",
          "how motion is spanned"},
         {"modes", integer(1, 1000), 15, "vibration modes; extended modes make nine coordinates of each"},
         {"dimension", integer(0, 3000), 0,
          "coordinates of linear_modes and modal_derivatives; 0: as many as extended modes would have"},
         {"forces", choice({"cubature", "polynomial", "exact"}), "cubature",
          "what gives them: a few elements; a polynomial (stvk, up to about 40 coordinates); every element"},
         {"samples", integer(1, 100000), 150, "elements that are evaluated"},
         {"poses", integer(1, 100000), 1000, "random poses from which they are chosen"},
         contact_samples(ReduceFemOptions().contact_samples),
         {"seed", integer(0, 9e15), 1, "of the poses and the choice of elements"},
         {"tolerance", above(0), 1e-5, "of a step's residual, relative to the forces"}}}});
}

ObjectType fixed_type() {
  ObjectType type = region_type();
  type.name = "fixed region";
  type.text = "vertices that are held where they stand";
  return type;
}

ObjectType body_type() {
  return {
      .name = "body",
      .text = "something soft",
      .fields =
          {
              {"name", text(), {}, "what scripts and tables call it; body0, body1, ... by default"},
              {"mesh",
               text(),
               {},
               "a mesh file of any format, relative to the scene's folder; surfaces are filled with tets"},
              {"shape", object(shape_type()), {}, "or a shape made on the spot"},
              {"model",
               text(),
               {},
               "or a model that `pliant reduce` wrote; where it stands, what it is made of and where it is "
               "held "
               "were decided then"},
              {"as", choice({"automatic", "solid", "shell"}), "automatic",
               "what a surface is: automatic fills meshes with tets and leaves shells of shapes as shells"},
              {"tets", integer(20, 4e6), 20000, "about how many tets fill a surface"},
              {"scale", above(0), 1.0, "factor on the mesh's coordinates"},
              {"position", vector3(), zero, "where its origin is put, m"},
              {"rotation", vector3(), zero, "degrees about x, then y, then z"},
              {"material", solid_material(), {{"kind", "neo_hookean"}}, "of a solid"},
              {"density", above(0), 1000.0, "kg/m^3"},
              {"regions",
               list_of(object({"material region",
                               "tets of another material: those with all vertices in it",
                               {{"where", object(region_type()), {}, "which", true},
                                {"material", solid_material(), {}, "of these tets", true},
                                {"density", above(0), {}, "kg/m^3; the body's own by default"}}})),
               Json::array(), "parts of a solid made of something else; later ones win"},
              {"shell", object(shell_material()), Json::object(), "material of a shell"},
              {"damping",
               object({"damping",
                       "Rayleigh's: part of mass and part of stiffness",
                       {{"mass", at_least(0), 0.0, "1/s"}, {"stiffness", at_least(0), 0.0, "s"}}}),
               Json::object(), "of the material's motion"},
              {"fixed", list_of(object(fixed_type())), Json::array(), "regions that are held"},
              {"velocity", vector3(), zero, "at the beginning, m/s"},
              {"angular_velocity", vector3(), zero, "at the beginning, about its centre, rad/s"},
              {"pose", choice({"rest", "flattened", "inverted", "random"}), "rest",
               "how it begins: at rest, crushed flat onto its lowest height, turned inside out, or with "
               "every vertex "
               "anywhere in its box"},
              {"simulator", simulator_type(), {{"kind", "projective_dynamics"}}, "what moves it"},
          },
      .exactly_one = {"mesh", "shape", "model"}};
}

// === Obstacles

ValueType obstacle_type() {
  const auto obstacle = [](std::string name, std::string words, std::vector<Field> own) {
    own.insert(own.end(), {{"friction", at_least(0), 0.3, "Coulomb's coefficient"},
                           {"restitution", between(0, 1), 0.0, "part of the normal speed that is given back"},
                           {"thickness", at_least(0), 0.0, "contact begins so far outside, m"},
                           {"path",
                            list_of(object(placement("keyframe", "where it is at a time",
                                                     {{"time", number(), {}, "s", true}}))),
                            Json::array(), "keyframes; instead of position and rotation"}});
    return placement(std::move(name), std::move(words), std::move(own));
  };
  return tagged({obstacle("plane", "solid below its own y = 0", {}),
                 obstacle("sphere", "a ball", {{"radius", above(0), {}, "m", true}}),
                 obstacle("capsule", "a rounded rod along its own y",
                          {{"radius", above(0), {}, "m", true},
                           {"length", at_least(0), {}, "of the axis, without the caps, m", true}}),
                 obstacle("box", "a box around its own origin", {{"size", vector3(), {}, "sides, m", true}}),
                 obstacle("mesh", "any surface",
                          {{"file", text(), {}, "a mesh file, relative to the scene's folder", true},
                           {"scale", above(0), 1.0, "factor on its coordinates"}})});
}

// === What happens when

ValueType action_type() {
  const Field time{"time", at_least(0), 0.0, "when, s"};
  const Field until{"until", at_least(0), {}, "if given: gradually, from time to until, s"};
  const Field body{"body", text(), {}, "its name; every body by default"};
  const Field one_body{"body", text(), {}, "its name; the only body by default"};
  const auto where = [](const char* words) { return Field{"where", object(region_type()), {}, words, true}; };
  return tagged({
      {"stiffness",
       "softer or stiffer",
       {time, until, body, {"factor", between(1e-6, 1e6), {}, "on the stiffness it was made with", true}}},
      {"volume",
       "inflated or deflated",
       {time, until, body, {"factor", between(0.01, 100), {}, "on the rest volume", true}}},
      {"gravity", "another gravity", {time, {"acceleration", vector3(), {}, "m/s^2", true}}},
      {"drag",
       "pulled as with a mouse",
       {time,
        {"until", at_least(0), {}, "when it is let go, s; the end by default"},
        one_body,
        {"at", vector3(), {}, "the vertex nearest to this point at rest is pulled, m", true},
        {"by", vector3(), {}, "how far its target moves from there, gradually until `reached`, m", true},
        {"reached", at_least(0), {}, "when the target arrives, s; at once by default"},
        {"strength", between(0, 100), 1.0, "of the pull"}}},
      {"force",
       "a push",
       {time,
        {"until", at_least(0), {}, "when it ends, s; the end by default"},
        one_body,
        where("spread evenly over these vertices"),
        {"total", vector3(), {}, "N", true}}},
      {"move",
       "held vertices moved along",
       {time,
        until,
        one_body,
        where("which of the held vertices"),
        {"translation", vector3(), zero, "m"},
        {"rotation_axis", vector3(), Json{0, 1, 0}, "direction of the axis"},
        {"rotation_degrees", number(), 0.0, "about the axis; may exceed 360"},
        {"center", vector3(), {}, "a point on the axis, m; the middle of these vertices by default"}}},
      {"fix", "vertices held from now on, where they are then", {time, one_body, where("which")}},
      {"release", "held vertices let go", {time, one_body, where("which")}},
  });
}

}  // namespace

const ObjectType& scene_type() {
  static const ObjectType type{
      .name = "scene",
      .text = "soft bodies, what they bump into, and what happens to them",
      .fields = {
          {"$schema", text(), {}, "where the schema is, for editors"},
          {"title", text(), "", "what it shows"},
          {"gravity", vector3(), Json{0, -9.81, 0}, "m/s^2"},
          {"time_step", between(1e-6, 1), 1.0 / 60, "s"},
          {"steps_per_frame", integer(1, 100000), 1, "steps from one frame to the next"},
          {"frames", integer(1, 1e7), 120, "how many are simulated after the first, which is the beginning"},
          {"damping", at_least(0), 0.0, "1/s: velocities fade as exp(-damping t)"},
          {"seed", integer(0, 9e15), 1, "of everything random"},
          {"bodies", list_of(object(body_type()), 1), {}, "what moves", true},
          {"obstacles", list_of(obstacle_type()), Json::array(), "what they bump into"},
          {"script", list_of(action_type()), Json::array(), "what happens when"},
      }};
  return type;
}

Json read_scene_text(std::string_view text) { return validate(parse_json(text), scene_type()); }

Json scene_schema() { return json_schema(scene_type(), "Pliant scene"); }

}  // namespace pliant
