"""Table 2, Fig. 9, Table 3 and Fig. 7: how close subspaces come to all vertices, and what they cost."""

import numpy as np

import pliant
from support import Clock, best_of, boundary, digits, log, side_by_side, slab, table

from .models import QUICK, TABLE_1, body_of, mesh_of

THICKNESS = 0.05  # m, of shells 1 m long: thin walls buckle in the poses below, which no global mode follows
TRUTH = {"steps": 20,
         "tolerance": 1e-5}  # of the pose of all vertices: small moves of handles are quicker in all
KINDS = {"extended": "extended modes", "derivatives": "modal derivatives", "linear": "linear modes"}

# Table 2 as printed: vertices, dimension, errors.
PAPER_TABLE_2 = {"Bar": (6000, 93, 0.0109, 0.0113, 0.0851), "Cactus": (5000, 93, 0.0131, 0.0057, 0.0933),
                 "Cylinder": (5000, 93, 0.0089, 0.0080, 0.0565), "Plate": (40000, 93, 0.0109, 0.0136, 0.0266),
                 "Dragon": (26000, 135, 0.0170, 0.0225, 0.0440)}


# === The poses of Botsch and Sorkine [2008] that Fig. 9 shows, on free shells

def surface_with(name, vertices):
    """The boundary of a shape with about so many vertices."""
    tets = 2000
    for _ in range(3):
        mesh = boundary(pliant.make_shape(name, tets=int(tets)))
        tets *= (vertices / len(mesh.vertices)) ** 1.5
    return mesh


def ends_turned(mesh, axis, rotation, bends):
    """Both ends are handles; the upper one turns, and goes to the end of an arc if it bends."""
    x, rotation = np.array(mesh.vertices), np.radians(rotation)
    translation = np.zeros(3)
    if bends:
        angle, length, along = np.linalg.norm(rotation), 0.9 * np.ptp(x[:, axis]), np.eye(3)[axis]
        across = np.cross(rotation / angle, along)
        translation = length / angle * ((1 - np.cos(angle)) * across + (np.sin(angle) - angle) * along)
    return [pliant.Handle(slab(x, axis, 0, 0.1)), pliant.Handle(slab(x, axis, 0.9, 1),
                                                                translation=translation, rotation=rotation)]


def edit(name, vertices):
    """A mesh, its handles, and what is done in words."""
    if name == "Bar":
        mesh = surface_with("bar", vertices)
        return mesh, ends_turned(mesh, 0, (135, 0, 0), False), "bar 1 x 0.25 x 0.25 m, twisted by 135°"
    if name == "Cactus":
        mesh = surface_with("cactus", vertices)
        return mesh, ends_turned(mesh, 1, (0, 0, -70), True), "cactus 1 m high, bent by 70°"
    if name == "Cylinder":
        mesh = pliant.make_shape("cylinder_shell", vertices=vertices)
        x = np.array(mesh.vertices) * [0.2, 1, 0.2]
        mesh = pliant.TriMesh(x, mesh.triangles)
        handles = ends_turned(mesh, 1, (0, 0, -120), True)
        return mesh, handles, "cylinder 1 m long, 0.1 m across, bent by 120°"
    mesh = pliant.make_shape("plate_shell", vertices=vertices)
    x = np.array(mesh.vertices)
    x -= x.mean(axis=0)
    x[:, 1] += 0.02 * np.sin(14 * x[:, 0]) * np.sin(14 * x[:, 2])
    rim = np.flatnonzero(np.abs(x[:, [0, 2]]).max(axis=1) > 0.47)
    middle = np.flatnonzero(np.hypot(x[:, 0], x[:, 2]) < 0.1)
    return (pliant.TriMesh(x, mesh.triangles), [pliant.Handle(rim),
                                                pliant.Handle(middle, translation=[0, 0.25, 0])],
            "bumpy plate 1 x 1 m, its middle lifted by 0.25 m")


def bases(body, elastic, dimension):
    """Subspaces of one dimension, with the seconds that each took beyond the modes."""
    modes = pliant.linear_modes(body, elastic)
    rigid = modes.rigid.shape[1]
    return {"extended": pliant.extended_modes(body, modes),
            "derivatives": pliant.modal_derivatives(body, modes, dimension=dimension),
            "linear": pliant.modal_basis(body, dimension - rigid)}


def distance(body, x, y):
    """Root mean square distance by mass; over the root of the area or volume, the paper's L2 norm."""
    masses = np.asarray(body.masses)
    return float(np.sqrt(masses @ ((x - y) ** 2).sum(axis=1) / masses.sum()))


def short(name):
    return name.lower().replace(",", "").replace(" ", "_")


def measure_edit(name, context):
    vertices = 300 if context.quick else PAPER_TABLE_2[name.split(",")[0]][0]
    elastic, dimension = (4, 48) if context.quick else (9, 93)
    mesh, handles, words = edit(name, vertices)
    body = pliant.Body(mesh, material=pliant.Shell(young=1e6, poisson=0.4, thickness=THICKNESS, density=1000))
    area = float(np.asarray(body.masses).sum()) / (1000 * THICKNESS)
    spaces = bases(body, elastic, dimension)
    stiffness = pliant.handle_stiffness(spaces["linear"]) * (0.03 if "soft" in name else 1)
    with Clock() as clock:
        full, report = pliant.solve_full_pose(body, handles, stiffness, **TRUTH)
    log(f"{name}: {len(mesh.vertices)} vertices, {words}; all of them in {clock.seconds:.1f} s, converged: "
        f"{report.converged}")
    out = {"words": words, "vertices": len(mesh.vertices), "area": area, "full_s": clock.seconds,
           "full_converged": report.converged,
           "moved": float(np.linalg.norm(full - mesh.vertices, axis=1).max())}
    poses = [pliant.TriMesh(full, mesh.triangles)]
    for kind, basis in spaces.items():
        editor = pliant.PoseEditor(body, basis)
        editor.set_handles(handles, stiffness=stiffness)
        with Clock() as clock:
            reduced = editor.solve(steps=10, max_iterations=3000)
        rms = distance(body, editor.positions, full)
        out[kind] = {"d": basis.dimension, "rms": rms, "l2_over_area": rms / np.sqrt(area),
                     "converged": reduced.converged,
                     "seconds": clock.seconds, "iterations": reduced.iterations}
        poses.append(pliant.TriMesh(editor.positions, mesh.triangles))
        log(f"  {KINDS[kind]}: d = {basis.dimension}, L2 / area {rms / np.sqrt(area):.4f}, "
            f"{clock.seconds:.1f} s")
    side_by_side(context.folder / f"fig9_{short(name)}.png", [mesh, *poses],
                 ["at rest", "all vertices", *KINDS.values()],
                 azimuth=0 if name != "Bar" else 25, elevation=25 if "Plate" in name else 12,
                 **context.picture)
    return out


def run_table2(context):
    for name in ("Bar", "Cactus", "Cylinder", "Plate", "Plate, soft springs"):
        context.results.item("table2", name, lambda name=name: measure_edit(name, context))


def report_table2(data, dragon=None):
    rows = []
    for name, d in {**data, **({"Dragon": dragon} if dragon else {})}.items():
        paper = PAPER_TABLE_2[name.split(",")[0]]
        ours = [d[k]["l2_over_area"] for k in KINDS]
        rows.append([name, d["vertices"], d["extended"]["d"], ", ".join(digits(v) for v in paper[2:]),
                     *(digits(v, 2) for v in ours),
                     f"{paper[4] / paper[2]:.1f}, {paper[4] / paper[3]:.1f}",
                     f"{ours[2] / ours[0]:.1f}, {ours[2] / ours[1]:.1f}"])
    pictures = [f"![{name}](fig9_{short(name)}.png)\n" for name in data]
    return "\n".join([
        f"Free shells {THICKNESS} m thick (Young's modulus 1 MPa, Poisson's ratio 0.4), handles held by "
        "springs of 300 times what the slowest "
        "mode resists (soft ones: 9 times), d = 93 from 9 elastic modes. L2 norm of the distance to the pose "
        "of all vertices, "
        "over the area; and by how much it "
        "falls against linear modes.\n",
        table(["model", "vertices", "d", "paper: ours, M. D., linear", "extended", "derivatives", "linear",
               "paper: linear / ours, M. D.", "linear / extended, derivatives"], rows),
        *(f"- {name}: {d['words']}" for name, d in data.items()), "", "### Fig. 9\n", *pictures])


# === Table 3: what subspaces cost

PAPER_TABLE_3 = {"Chinese dragon": (130_000, 138, 102, 8, 407), "Dinosaur": (56_000, 135, 38, 3, 169),
                 "Elephant": (25_000, 135, 17, 1, 81),
                 "Dragon": (26_000, 135, 9, 1, 28), "Vertebrae": (16_000, 135, 7, 1, 21)}


def measure_times(model, context):
    mesh, source = mesh_of(model, context.meshes)
    body = body_of(model, mesh)
    elastic = model.modes if context.quick or model.free else 15
    modes, first = best_of(3, lambda: pliant.linear_modes(body, elastic))
    extended, second = best_of(3, lambda: pliant.extended_modes(body, modes))
    with Clock() as clock:
        derivatives = pliant.modal_derivatives(body, modes, dimension=extended.dimension)
    third = clock.seconds
    log(f"{model.name} ({source}): modes {first:.1f} s, extension {second:.2f} s, "
        f"derivatives {third:.1f} s")
    return {"source": source, "vertices": len(mesh.vertices), "d": extended.dimension,
            "d_derivatives": derivatives.dimension,
            "modes_s": first, "extension_s": second, "derivatives_s": third}


def run_table3(context):
    models = QUICK if context.quick else [m for m in TABLE_1 if m.name in PAPER_TABLE_3]
    for model in models:
        context.results.item("table3", model.name, lambda model=model: measure_times(model, context))


def report_table3(data):
    rows = []
    for name, d in data.items():
        paper = PAPER_TABLE_3.get(name)
        rows.append([name, d["source"], paper and paper[0], d["vertices"], d["d"],
                     paper and f"{paper[2]}, {paper[3]}, {paper[4]}", digits(d["modes_s"]),
                     digits(d["extension_s"], 2),
                     digits(d["derivatives_s"]), f"{100 * d['extension_s'] / d['modes_s']:.1f} %"])
    words = "Seconds for the modes, and beyond them for their extension and for modal derivatives.\n\n"
    return words + table(
        ["model", "mesh", "vertices: paper", "here", "d", "paper: modes, extension, derivatives", "modes",
         "extension", "derivatives",
         "extension / modes"], rows)


# === Fig. 7: a block of two materials

def run_fig7(context):
    def make():
        mesh = pliant.make_shape("bar", tets=600 if context.quick else 12000)
        x = np.array(mesh.vertices)
        centre = x[np.array(mesh.tets)].mean(axis=1)
        stiff = ((centre[:, 0] - x[:, 0].min()) / np.ptp(x[:, 0]) < 0.5).astype(int)
        soft_and_stiff = [pliant.StVK(young=1e4, poisson=0.4), pliant.StVK(young=8e4, poisson=0.4)]
        body = pliant.Body(mesh, material=soft_and_stiff, density=1000, material_of_tet=stiff)
        alike = pliant.Body(mesh, material=pliant.StVK(young=4e4, poisson=0.4), density=1000)
        handles = ends_turned(mesh, 0, (0, 0, 90), True)
        elastic = 4 if context.quick else 14
        spaces = {"own": pliant.extended_modes(body, elastic), "alike": pliant.extended_modes(alike, elastic),
                  "linear": pliant.modal_basis(body, 9 * elastic + 6)}
        stiffness = pliant.handle_stiffness(spaces["linear"])
        full, report = pliant.solve_full_pose(body, handles, stiffness, **TRUTH)
        out = {"vertices": len(x), "d": spaces["own"].dimension, "full_converged": report.converged,
               "moved": float(np.linalg.norm(full - x, axis=1).max())}
        poses = {"full": full}
        for kind, basis in spaces.items():
            # The basis of the other body spans a subspace here, too: in coordinates of its own modes.
            editor = pliant.PoseEditor(body, basis)
            editor.set_handles(handles, stiffness=stiffness)
            solved = editor.solve(steps=10, max_iterations=3000)
            rms = distance(body, editor.positions, full)
            l2 = rms / np.sqrt(body.volume)
            out[kind] = {"rms": rms, "l2_over_volume": l2, "converged": solved.converged}
            poses[kind] = editor.positions
            log(f"  {kind}: L2 / volume {l2:.4f}")
        surface, ids = mesh.surface()
        share = np.zeros(len(x))
        np.maximum.at(share, np.array(mesh.tets).ravel(), np.repeat(stiff, 4).astype(float))
        paint = np.where(share[ids][:, None] > 0.5, [0.80, 0.25, 0.22], [0.36, 0.62, 0.36])
        shown = [x, full, poses["own"], poses["linear"]]
        side_by_side(context.folder / "fig7.png", [pliant.TriMesh(p[ids], surface.triangles) for p in shown],
                     ["at rest: 80 kPa (red), 10 kPa (green)", "all vertices",
                      f"extended modes, d = {out['d']}", "linear modes"],
                     colors=[paint] * 4, azimuth=0, **context.picture)
        return out

    context.results.item("fig7", "block", make)


def report_fig7(data):
    d = data["block"]
    return "\n".join([
        "A block of two materials (Young's modulus 80 kPa and 10 kPa, as the paper's), free, its ends "
        f"turned by 90°; d = {d['d']} "
        "(the paper's 138 on a free body: 14 elastic modes extended, and 12 affine maps). The paper shows "
        "pictures; L2 norm of the distance to "
        "the pose of all vertices over the volume:\n",
        table(["subspace", "L2 / volume", "against linear modes"],
              [["extended modes", digits(d["own"]["l2_over_volume"], 2),
                f"{d['linear']['rms'] / d['own']['rms']:.1f} times closer"],
               ["extended modes of a block of one material", digits(d["alike"]["l2_over_volume"], 2),
                f"{d['linear']['rms'] / d['alike']['rms']:.1f} times closer"],
               ["linear modes", digits(d["linear"]["l2_over_volume"], 2), None]]),
        "![two materials](fig7.png)\n"])
