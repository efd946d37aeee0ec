"""Fig. 4 and Fig. 6: a fall over a sphere, and stiffness that changes while a body lies there."""

import numpy as np

import pliant
from support import COLORS, log, percent, plt, save_plot, side_by_side, table

from .drops import rigid_removed
from .models import QUICK, TABLE_1, Subject, armadillo


# The fit of the paper, and what the library does unless told otherwise.
SAMPLINGS = {"fitted": {}, "weighted": {"sampling": "weighted", "support": 1.5}}


def errors_over_fall(subject, context, options):
    """Onto a sphere, and off it onto the floor: times, errors, and some frames."""
    model = subject.reduce(**options)
    simulator = pliant.Hrpd(model)
    centre = subject.x.mean(axis=0)
    simulator.obstacles = [pliant.Obstacle.plane(point=[0, -0.9, 0]),
                           pliant.Obstacle.sphere(radius=0.25, position=[centre[0] + 0.1, -0.35, centre[2]])]
    steps, every = (30, 3) if context.quick else (180, 6)
    times, right, elastic, shown = [], [], [], []
    for i in range(steps):
        simulator.step()
        if i % every == 0:
            errors = model.fit_error(subject.constraints, simulator.coordinates)
            times.append((i + 1) / 60)
            right.append(errors[0])
            elastic.append(errors[1])
        if i in (steps // 3, 2 * steps // 3, steps - 1):
            shown.append((i, subject.shown(simulator.positions)))
    return {"times": times, "right_hand_side": right, "elastic_force": elastic}, shown


def measure_fit(context):
    subject = Subject(QUICK[1] if context.quick else TABLE_1[4], context)
    out = {"source": subject.source, "constraints": len(subject.constraints)}
    figure, axes = plt.subplots()
    for (name, options), color in zip(SAMPLINGS.items(), ("blue", "orange")):
        out[name], shown = errors_over_fall(subject, context, options)
        right, elastic = out[name]["right_hand_side"], out[name]["elastic_force"]
        axes.plot(out[name]["times"], 100 * np.array(right), color=COLORS[color], label=name)
        log(f"  {subject.source}, {name}: {np.mean(right):.2%} of the right-hand side, {np.mean(elastic):.0%} of the "
            "elastic force")
        if name == "fitted":
            side_by_side(context.folder / "fig4_frames.png", [s for _, s in shown],
                         [f"{(i + 1) / 60:.1f} s" for i, _ in shown], **context.picture)
    axes.set_xlabel("time, s")
    axes.set_ylabel("error of the right-hand side, %")
    axes.set_ylim(bottom=0)
    axes.legend()
    save_plot(figure, context.folder / "fig4.png")
    return out


def run_fig4(context):
    context.results.item("fig4", "dragon", lambda: measure_fit(context))


def report_fig4(data):
    r = data["dragon"]
    rows = [[sampling, name, percent(np.mean(r[sampling][key])), percent(np.max(r[sampling][key]))]
            for sampling in SAMPLINGS
            for name, key in (("right-hand side", "right_hand_side"), ("elastic force", "elastic_force"))]
    return (f"{r['source']}, {r['constraints']} constraints: dropped on a sphere, then on the floor. The elastic force is "
            "what is left of the right-hand side where projections and positions nearly agree.\n\n"
            "![frames](fig4_frames.png)\n\n![error over time](fig4.png)\n\n"
            + table(["samples", "error relative to", "mean", "at most"], rows))


# === Fig. 6

def measure_stiffness(context):
    subject = Subject(armadillo(context), context, stiffness=1e5)  # stands by itself
    simulator = pliant.Hrpd(subject.reduce())
    simulator.obstacles = [pliant.Obstacle.plane()]
    steps = 30 if context.quick else 120
    box = np.linalg.norm(np.ptp(subject.x, axis=0))
    frames, off, heights, factor_ms = [], [], [], []

    def look():
        x = np.array(simulator.positions)
        frames.append(subject.shown(x))
        heights.append([float(x[:, 1].min() / box), float(x[:, 1].mean() / box)])  # the floor is at zero
        off.append(float(np.linalg.norm(x - rigid_removed(x, subject.x, subject.masses), axis=1).mean() / box))

    for stiffness in (1, 0.1, 1e-6, 1):  # the softest that there is
        simulator.stiffness = stiffness
        for i in range(steps):
            simulator.step()
            if i == 0:
                factor_ms.append(simulator.trace.get("factorize", 0.0) / 1000)
        look()
    # Flat from the start
    flat = subject.x.copy()
    flat[:, 1] = 0
    simulator.set_motion(flat, np.zeros_like(flat))
    for _ in range(2 * steps):
        simulator.step()
    look()
    side_by_side(context.folder / "fig6.png", frames, ["x 1", "x 0.1", "x 0.000001", "x 1 again", "after a flat start"],
                 **context.picture)
    log("  distance from rest: " + ", ".join(f"{o:.2%}" for o in off) + f"; refactorised in {max(factor_ms):.1f} ms")
    return {"source": subject.source, "from_rest": off, "heights": heights, "factor_ms": factor_ms}


def run_fig6(context):
    context.results.item("fig6", "armadillo", lambda: measure_stiffness(context))


def report_fig6(data):
    r = data["armadillo"]
    names = ["x 1", "x 0.1", "x 0.000001", "x 1 again", "after a flat start"]
    return ("The body lies on the floor while its stiffness is scaled; mean distance of vertices from the rest shape, "
            "rigid motion removed, and the height of the lowest and of the mean vertex above the floor, over the box. "
            "A change refactorises the matrix in at most "
            f"{max(r['factor_ms']):.1f} ms (the paper's full method: 108 ms).\n\n![stiffness](fig6.png)\n\n"
            + table(["stiffness", "from rest", "lowest", "mean"],
                    [[n, percent(o), percent(low), percent(mean)]
                     for n, o, (low, mean) in zip(names, r["from_rest"], r["heights"])]))
