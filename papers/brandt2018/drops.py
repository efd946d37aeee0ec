"""Table 2 and Fig. 5: a body falls, with all its vertices and in subspaces."""

import numpy as np

import pliant
from support import Clock, digits, log, percent, plt, save_plot, side_by_side, table

from .models import STIFFNESS, Subject, armadillo

STATED = {360: (0.0269, 0.0513), 1440: (0.0106, 0.0228), 3960: (0.0057, 0.0112)}  # mean, max.


def frames_of(simulator, steps, label):
    """Positions (steps, n, 3) after each step, and seconds in all."""
    frames, seconds = [], 0.0
    for _ in range(steps):
        with Clock() as clock:
            simulator.step()
        seconds += clock.seconds
        frames.append(np.array(simulator.positions, dtype=np.float32))
    log(f"  {label}: {steps} steps in {seconds:.2f} s")
    return np.array(frames), seconds


def full_drop(subject, context, iterations=20):
    steps = 30 if context.quick else 120
    return frames_of(subject.drop(subject.full(iterations=iterations)), steps, "all vertices")[0]


# === Table 2

def measure_projections(context):
    subject = Subject(armadillo(context), context)
    frames = full_drop(subject, context)
    about = subject.x - np.average(subject.x, axis=0, weights=subject.masses)
    length = np.sqrt((subject.masses[:, None] * about ** 2).sum())
    landed = int(np.argmax(frames[:, :, 1].min(axis=1) < -0.39))  # until then it only falls
    out = {}
    for dofs, handles in ((360, 30), (1440, 120), (3960, 330)):
        if context.quick:
            handles = handles // 6
        simulator = pliant.Hrpd(subject.reduce(handles), acceleration=0)
        errors = []
        for frame in frames[landed::1 if context.quick else 4]:
            simulator.set_motion(frame, np.zeros_like(frame))
            off = simulator.positions - frame
            errors.append(float(np.sqrt((subject.masses[:, None] * off ** 2).sum()) / length))
        out[str(dofs)] = {"handles": handles, "mean": float(np.mean(errors)), "max": float(np.max(errors))}
        log(f"  {handles} handles: {np.mean(errors):.4f} in the mean, {np.max(errors):.4f} at most")
    return {"source": subject.source, "by_dofs": out}


def run_table2(context):
    context.results.item("table2", "armadillo", lambda: measure_projections(context))


def report_table2(data):
    rows = [[f"{12 * r['handles']}", digits(STATED[int(dofs)][0]), digits(r["mean"]),
             digits(STATED[int(dofs)][1]), digits(r["max"])]
            for dofs, r in data["armadillo"]["by_dofs"].items()]
    return ("Frames of the full drop after it has landed; L2 norms weighted by mass, over that of the rest shape about "
            "its centre.\n\n" + table(["degrees of freedom", "paper: mean", "mean", "paper: max.", "max."], rows))


# === Fig. 5

def coarse_mesh(surface, vertices):
    """Tets of the inside, with about so many vertices: what can be asked for is a number of tets."""
    tets = 4 * vertices
    for _ in range(5):
        mesh = pliant.tetrahedralize(surface, tets=tets).mesh
        if abs(len(mesh.vertices) - vertices) < 0.15 * vertices:
            break
        tets = max(24, int(tets * vertices / len(mesh.vertices)))
    return mesh


def coarse_drop(subject, vertices, steps):
    """The same material on a coarse mesh, in which the fine one is embedded."""
    mesh = coarse_mesh(subject.surface, vertices)
    masses = np.asarray(pliant.Body(mesh, density=1000).masses)
    constraints = pliant.ProjectiveConstraints(mesh.vertices)
    constraints.add_tet_strain(mesh.tets, STIFFNESS)
    simulator = subject.drop(pliant.ProjectiveDynamics(constraints, masses, iterations=20))
    embedding = pliant.embed(mesh, subject.x)
    frames, seconds = frames_of(simulator, steps, f"coarse mesh of {len(mesh.vertices)} vertices")
    return np.array([embedding @ f for f in frames], dtype=np.float32), seconds, len(mesh.vertices)


def rigid_removed(x, y, masses):
    """y moved rigidly to where it is closest to x."""
    cx, cy = (np.average(p, axis=0, weights=masses) for p in (x, y))
    u, _, vt = np.linalg.svd((y - cy).T @ (masses[:, None] * (x - cx)))
    turn = u @ np.diag([1, 1, np.sign(np.linalg.det(u @ vt))]) @ vt
    return (y - cy) @ turn + cx


def compare(context):
    subject = Subject(armadillo(context), context)
    frames = {"full": full_drop(subject, context)}
    steps = len(frames["full"])
    model = subject.reduce()
    seconds = {}
    frames["hrpd"], seconds["hrpd"] = frames_of(subject.drop(pliant.Hrpd(model, acceleration=0)), steps, "hyper-reduced")
    frames["weighted"], seconds["weighted"] = frames_of(
        subject.drop(pliant.Hrpd(subject.reduce(sampling="weighted", support=1.5))), steps, "samples with weights")
    frames["positions"], seconds["positions"] = frames_of(
        subject.drop(pliant.Hrpd(subject.reduce(fit=False))), steps, "positions only")
    frames["coarse"], seconds["coarse"], count = coarse_drop(subject, model.degrees_of_freedom // 3, steps)
    box = np.linalg.norm(np.ptp(subject.x, axis=0))
    errors, shapes = {}, {}
    for kind in ("hrpd", "weighted", "positions", "coarse"):
        errors[kind] = [float(np.linalg.norm(a - b, axis=1).mean() / box)
                        for a, b in zip(frames["full"], frames[kind])]
        shapes[kind] = [float(np.linalg.norm(a - rigid_removed(a, b, subject.masses), axis=1).mean() / box)
                        for a, b in zip(frames["full"], frames[kind])]
        log(f"  {kind}: {np.mean(errors[kind]):.2%} of the box in the mean, {np.mean(shapes[kind]):.2%} in shape")
    # The frame in which the full body is most deformed
    deformed = [np.linalg.norm(f - rigid_removed(f, subject.x, subject.masses), axis=1).mean() for f in frames["full"]]
    worst = int(np.argmax(deformed))
    names = {"full": "all vertices", "hrpd": f"{model.degrees_of_freedom} degrees of freedom",
             "weighted": "with weights", "positions": "positions only", "coarse": f"coarse mesh, {3 * count}"}
    side_by_side(context.folder / "fig5.png", [subject.shown(frames[k][worst]) for k in names], list(names.values()),
                 **context.picture)
    figure, axes = plt.subplots()
    for kind in errors:
        axes.plot(np.arange(1, steps + 1) / 60, 100 * np.array(shapes[kind]), label=names[kind])
    axes.set_xlabel("time, s")
    axes.set_ylabel("distance from all vertices, % of the box")
    axes.set_ylim(bottom=0)
    axes.legend()
    save_plot(figure, context.folder / "fig5_errors.png")
    return {"source": subject.source, "steps": steps, "frame": worst, "dofs": model.degrees_of_freedom,
            "coarse_vertices": count, "errors": errors, "shapes": shapes, "seconds": seconds,
            "largest_deformation": float(np.max(deformed) / box)}


def run_fig5(context):
    context.results.item("fig5", "armadillo", lambda: compare(context))


def report_fig5(data):
    r = data["armadillo"]
    rows = [[name, percent(np.mean(r["errors"][kind])), percent(np.mean(r["shapes"][kind])),
             percent(np.max(r["shapes"][kind])), digits(r["steps"] / r["seconds"][kind])]
            for kind, name in (("hrpd", "hyper-reduced, fitted"), ("weighted", "hyper-reduced, samples with weights"),
                               ("positions", "positions only"), ("coarse", "coarse mesh"))]
    return ("![most deformed frame](fig5.png)\n\n![distance over time](fig5_errors.png)\n\n"
            "Mean distance of vertices from those of the full simulation, over the box, in the mean over the drop; and the "
            "same with rigid motion removed.\n\n"
            + table(["method", "distance", "in shape", "in shape, at most", "steps/s"], rows))
