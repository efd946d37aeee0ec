"""Fig. 10, the dragon of Table 2, and Fig. 8: reduced motion beside that of all vertices."""

import numpy as np

import pliant
from support import COLORS, Clock, diagonal, digits, log, percent, plt, save_plot, side_by_side, slab, table

from .cubature import POSES, iterations, named
from .models import QUICK, TABLE_1, body_of, mesh_of
from .subspaces import KINDS, distance

RUNS = {"full": "all vertices", "exact": "extended modes, exact forces", "nn_htp": "extended modes, NN-HTP",
        "greedy": "extended modes, greedy", "derivatives": "modal derivatives, NN-HTP",
        "linear": "linear modes, NN-HTP"}


def simulate(simulator, start, velocities, steps, label):
    """Positions (steps, n, 3) after each step, and seconds in all."""
    simulator.gravity = [0, 0, 0]
    simulator.set_motion(start, velocities)
    frames = np.empty((steps, *start.shape), dtype=np.float32)
    seconds = 0.0
    for i in range(steps):
        with Clock() as clock:
            simulator.step()
        seconds += clock.seconds
        frames[i] = simulator.positions
    log(f"  {label}: {steps} steps in {seconds:.2f} s")
    return frames, seconds


def cubatures(body, basis, samples, context, methods):
    """Of one problem, by several methods."""
    poses = pliant.training_poses(basis, 60 if context.quick else 1000 if context.full else POSES)
    problem = pliant.CubatureProblem(body, basis, poses)
    found = {m: problem.cubature(samples, method=m, max_iterations=iterations(samples)) for m in methods}
    log(f"  {basis.kind}: " + ", ".join(f"{m} {c.error:.2%}" for m, c in found.items()))
    return found


def measure_dragon(context):
    """A kick, and one second of motion."""
    model = QUICK[2] if context.quick else named("Dragon", TABLE_1)
    mesh, source = mesh_of(model, context.meshes)
    body = body_of(model, mesh)
    x = np.array(mesh.vertices)
    modes = pliant.linear_modes(body, model.modes)
    extended = pliant.extended_modes(body, modes)
    chosen = cubatures(body, extended, model.s, context, ("nn_htp", "greedy"))
    # A velocity that all subspaces have, so that what differs is the motion and not its start: three modes,
    # each of which alone would swing by a tenth of the box
    kick = sum(0.1 * diagonal(x) * 2 * np.pi * modes.frequencies[i] * shape / np.linalg.norm(shape,
                                                                                             axis=1).max()
               for i, shape in ((i, np.asarray(modes.U)[:, i].reshape(-1, 3)) for i in range(3)))
    watched = int(np.argmax(np.linalg.norm(kick, axis=1)))
    lateral = int(np.argmax(np.abs(kick[watched])))  # the direction in which it starts
    steps, step = (20 if context.quick else 60), 1 / 60
    frames, seconds = {}, {}
    frames["full"], seconds["full"] = simulate(pliant.Newton(body, scheme="newmark", time_step=step,
                                                             tolerance=1e-5), x, kick, steps, RUNS["full"])
    models = {name: pliant.make_reduced_fem(body, extended, c) for name, c in chosen.items()}
    # Other subspaces with twice the elements, to be measured by what they span; exact forces take minutes.
    for name, basis in (("derivatives", pliant.modal_derivatives(body, modes, dimension=extended.dimension)),
                        ("linear", pliant.modal_basis(body, extended.dimension))):
        found = cubatures(body, basis, 2 * model.s, context, ("nn_htp",))["nn_htp"]
        models[name] = pliant.make_reduced_fem(body, basis, found)
        chosen[name] = found
    models["exact"] = pliant.make_reduced_fem(body, extended)
    for name, reduced in models.items():
        simulator = pliant.NewmarkBroyden(reduced, time_step=step, damping="following")
        frames[name], seconds[name] = simulate(simulator, x, kick, steps, RUNS[name])

    def apart(a, b):
        return [distance(body, p, q) for p, q in zip(frames[a].astype(float), frames[b].astype(float))]

    out = {"model": model.name, "source": source, "vertices": len(x), "tets": len(mesh.tets),
           "d": extended.dimension, "s": model.s,
           "time_step": step, "diagonal": diagonal(x), "volume": body.volume, "watched": watched,
           "seconds": seconds,
           "moved": float(np.abs(frames["full"][:, watched, lateral] - x[watched, lateral]).max()),
           "lateral": {name: f[:, watched, lateral] - x[watched, lateral] for name, f in frames.items()},
           "cubature_error": {k: c.error for k, c in chosen.items()},
           "from_full": {name: apart(name, "full") for name in models},
           "from_exact": {name: apart(name, "exact") for name in ("nn_htp", "greedy")}}
    for kind, run in (("extended", "nn_htp"), ("derivatives", "derivatives"), ("linear", "linear")):
        rms = float(np.mean(out["from_full"]["exact" if kind == "extended" else run]))
        out[kind] = {"d": extended.dimension, "rms": rms, "l2_over_area": rms / np.sqrt(body.volume)}
    return out


def run_fig10(context):
    data = context.results.item("fig10", "dragon", lambda: measure_dragon(context))
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(6.4, 6.4), sharex=True, gridspec_kw={"hspace": 0.42})
    styles = {"full": ("k", "-", 2.2), "exact": (COLORS["grey"], "-", 1.2),
              "nn_htp": (COLORS["blue"], "-", 1.4),
              "greedy": (COLORS["orange"], "-", 1.4), "linear": (COLORS["red"], ":", 1.2)}
    for name, (color, style, width) in styles.items():
        t = (1 + np.arange(len(data["lateral"][name]))) * data["time_step"]
        upper.plot(t, np.array(data["lateral"][name]), style, color=color, lw=width, label=RUNS[name])
        if name != "full":
            lower.plot(t, 100 * np.array(data["from_full"][name]) / data["diagonal"], style, color=color,
                       lw=width, label=RUNS[name])
    upper.set(ylabel="lateral displacement, m",
              title=f"{data['model']} ({data['source']}): the vertex with the largest velocity")
    lower.set(xlabel="seconds", ylabel="distance to the full run,\n% of the box")
    upper.legend(fontsize=8, ncol=2, loc="upper center", bbox_to_anchor=(0.5, -0.04))
    save_plot(figure, context.folder / "fig10.png")


def report_fig10(data):
    d = data["dragon"]
    box = d["diagonal"]
    rows = [[RUNS[name], percent(np.mean(d["from_full"][name]) / box),
             percent(np.max(d["from_full"][name]) / box),
             percent(np.mean(d["from_exact"][name]) / box) if name in d["from_exact"] else None,
             digits(len(d["lateral"][name]) / d["seconds"][name])] for name in RUNS if name != "full"]
    speed = d["seconds"]["full"] / d["seconds"]["nn_htp"]
    adds = np.mean(d["from_exact"]["nn_htp"]) / np.mean(d["from_full"]["exact"])
    return "\n".join([
        f"{d['model']} ({d['source']}, {d['tets']} tets), d = {d['d']}, s = {d['s']}; a kick (a velocity "
        "along the three lowest modes) moves the watched vertex by "
        f"{d['moved']:.2f} m; {len(d['lateral']['full']) * d['time_step']:.1f} s in steps of 1/60 s. Root "
        "mean square distance by mass, over the "
        "box's diagonal:\n",
        table(["run", "to the full run, mean", "largest", "to the exact subspace, mean", "steps/s"], rows),
        f"All vertices: {digits(len(d['lateral']['full']) / d['seconds']['full'])} steps/s; the reduced run "
        f"is {speed:.0f} times as fast (the paper: "
        f"more than 6000). What NN-HTP adds is {adds:.2f} of what the subspace itself misses.\n",
        "![trajectories](fig10.png)\n"])


# === Fig. 8: a spring pulls

def measure_pull(context):
    mesh = pliant.make_shape("cactus", tets=1500 if context.quick else 10000)
    x = np.array(mesh.vertices)
    low = np.flatnonzero(x[:, 1] < x[:, 1].min() + 0.05 * np.ptp(x[:, 1]))
    body = pliant.Body(mesh, material=pliant.StVK(young=1e5, poisson=0.4), density=1000, fixed=low,
                       damping=(4.0, 1e-3))
    elastic, samples = (5, 60) if context.quick else (15, 150)
    extended = pliant.extended_modes(body, elastic)
    cubature = pliant.cubature(body, extended, poses=pliant.training_poses(extended,
                                                                           60 if context.quick else POSES),
                               samples=samples)
    # The spring holds the whole top: pulled by one vertex alone, a fine mesh only grows a spike there.
    top = slab(x, 1, 0.93, 1)
    middle = x[top].mean(axis=0)
    stiffness = 3 * pliant.handle_stiffness(extended) / 300  # three times what the slowest mode resists
    target = middle + [0.7, -0.2, 0]
    linear = pliant.modal_basis(body, extended.dimension)
    runs = {"full": lambda: pliant.Newton(body, scheme="newmark", tolerance=1e-6),
            "extended": lambda: pliant.NewmarkBroyden(pliant.make_reduced_fem(body, extended, cubature),
                                                      damping="following"),
            "linear": lambda: pliant.NewmarkBroyden(pliant.make_reduced_fem(body, linear),
                                                    damping="following")}
    frames, out = {}, {"vertices": len(x), "tets": len(mesh.tets), "d": extended.dimension, "s": samples}
    steps = 30 if context.quick else 90
    for name, make in runs.items():
        simulator = make()
        simulator.gravity = [0, 0, 0]
        frames[name] = np.empty((steps, *x.shape), dtype=np.float32)
        with Clock() as clock:
            for i in range(steps):
                force = stiffness * (target - np.asarray(simulator.positions_of(top)).mean(axis=0))
                simulator.apply_force(top, np.tile(force / len(top), (len(top), 1)))
                simulator.step()
                frames[name][i] = simulator.positions
        mean = np.mean([distance(body, a.astype(float), b.astype(float)) for a,
                        b in zip(frames[name], frames["full"])])
        last = distance(body, frames[name][-1].astype(float), frames["full"][-1].astype(float))
        out[name] = {"seconds": clock.seconds, "mean": float(mean), "last": last,
                     "tip": float(np.linalg.norm(frames[name][-1][top].mean(axis=0) - middle))}
        log(f"  {name}: {clock.seconds:.1f} s, {mean:.4f} m from the full run in the mean; the top moved by "
            f"{out[name]['tip']:.2f} m")
    surface, ids = mesh.surface()
    side_by_side(context.folder / "fig8.png", [pliant.TriMesh(p[ids], surface.triangles)
                                               for p in (x, *(f[-1] for f in frames.values()))],
                 ["at rest", "all vertices", "extended modes, NN-HTP", "linear modes"],
                 azimuth=0, **context.picture)
    return out


def run_fig8(context):
    context.results.item("fig8", "pull", lambda: measure_pull(context))


def report_fig8(data):
    d = data["pull"]
    return "\n".join([
        f"A spring pulls the top of a cactus (a shape of the project, {d['tets']} tets, held at its foot) to "
        f"the side, d = {d['d']}. The paper shows "
        "pictures; root mean square distance to the run of all vertices, metres (the cactus is 1 m high):\n",
        table(["run", "mean over time", "at the end", "the top moved by"], [
            ["all vertices", None, None, digits(d["full"]["tip"])],
            [f"extended modes, NN-HTP with s = {d['s']}", digits(d["extended"]["mean"], 2),
             digits(d["extended"]["last"], 2), digits(d["extended"]["tip"])],
            ["linear modes, exact forces", digits(d["linear"]["mean"], 2), digits(d["linear"]["last"], 2),
             digits(d["linear"]["tip"])]]),
        "![a spring pulls](fig8.png)\n"])
