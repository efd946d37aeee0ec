"""Fig. 3 and the question how many iterations a step needs."""

import numpy as np

import pliant
from support import COLORS, Clock, digits, log, percent, plt, save_plot, table

from .drops import frames_of
from .models import Model, Subject, armadillo

BAR = Model("Bar", "", {"name": "bar", "vertices": 6000}, 60, 1000)
SMALL_BAR = Model("Bar", "", {"name": "bar", "vertices": 400}, 8, 150, fitted_handles=8)


def bent(x):
    """A bar along x rolled up by three quarters of a circle."""
    s = x[:, 0] - x[:, 0].min()
    length = np.ptp(x[:, 0])
    angle, radius = 1.5 * np.pi * s / length, length / (1.5 * np.pi)
    middle = x[:, 1] - x[:, 1].mean()
    return np.column_stack([np.sin(angle) * (radius - middle), radius - np.cos(angle) * (radius - middle), x[:, 2]])


def measure_convergence(context):
    """What a step minimises (eq. 2), after so many iterations, by running it again with each number of them."""
    subject = Subject(SMALL_BAR if context.quick else BAR, context)
    start, h = bent(subject.x), 0.1
    still = np.zeros_like(start)
    judge = subject.full(iterations=1, time_step=h)
    counts = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50] + ([] if context.quick else [75, 100, 150, 200])

    def objective(x):
        judge.set_motion(x, still)
        return (0.5 / h ** 2 * float((subject.masses[:, None] * (x - start) ** 2).sum())
                + judge.measure().elastic)

    model = subject.reduce()
    out = {"energy_at_start": objective(start)}
    for name, make in (("full", lambda n: subject.full(iterations=n, time_step=h)),
                       ("reduced", lambda n: pliant.Hrpd(model, iterations=n, time_step=h, acceleration=0))):
        energies, seconds = [], []
        for n in counts:
            simulator = make(n)
            simulator.gravity = [0, 0, 0]
            for _ in range(2):  # the first one factorises
                simulator.set_motion(start, still)
                with Clock() as clock:
                    simulator.step()
            energies.append(objective(np.array(simulator.positions)))
            seconds.append(clock.seconds)
        slope = np.polyfit(counts, seconds, 1)[0]
        out[name] = {"energies": energies, "seconds": seconds, "iteration_s": float(slope)}
        log(f"  {name}: {energies[0]:.4g} J after one iteration, {energies[-1]:.4g} after {counts[-1]}, "
            f"{1e6 * slope:.0f} us each")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for name, color in (("full", "blue"), ("reduced", "orange")):
        left.semilogx(counts, out[name]["energies"], "o-", color=COLORS[color], label=name)
        right.semilogx(1e3 * np.array(out[name]["seconds"]), out[name]["energies"], "o-", color=COLORS[color])
    left.set_xlabel("iterations")
    left.set_ylabel("objective, J")
    right.set_xlabel("time, ms")
    left.legend()
    save_plot(figure, context.folder / "fig3.png")
    return {"vertices": len(subject.x), "time_step": h, "counts": counts, **out}


def run_fig3(context):
    context.results.item("fig3", "bar", lambda: measure_convergence(context))


def report_fig3(data):
    r = data["bar"]
    rows = [[name, digits(1e6 * r[name]["iteration_s"]), digits(r[name]["energies"][0], 4),
             digits(r[name]["energies"][r["counts"].index(10)], 4), digits(r[name]["energies"][-1], 4)]
            for name in ("full", "reduced")]
    return (f"A bar of {r['vertices']} vertices that starts rolled up, one step of {r['time_step']} s; its energy at the "
            f"start is {digits(r['energy_at_start'], 4)} J. The paper: iterations 30 times as fast; here "
            f"{digits(r['full']['iteration_s'] / r['reduced']['iteration_s'])} times.\n\n![objective](fig3.png)\n\n"
            + table(["method", "us an iteration", "J after 1", "after 10", f"after {r['counts'][-1]}"], rows))


# === Ten iterations or a thousand

def measure_iterations(context):
    subject = Subject(armadillo(context), context)
    model = subject.reduce()
    steps = 30 if context.quick else 120
    def run(iterations, acceleration, label):
        simulator = subject.drop(pliant.Hrpd(model, iterations=iterations, acceleration=acceleration))
        return frames_of(simulator, steps, f"{label} iterations")[0]

    settings = {"5": (5, 0), "5, accelerated": (5, 3), "10": (10, 0), "10, accelerated": (10, 3), "20": (20, 0)}
    converged = run(1000, 0, "1000")
    box = np.linalg.norm(np.ptp(subject.x, axis=0))
    away = {label: np.linalg.norm(run(*turns, label) - converged, axis=2).mean(axis=1) / box
            for label, turns in settings.items()}
    return {"source": subject.source,
            "from_1000": {label: {"mean": float(d.mean()), "max": float(d.max())} for label, d in away.items()}}


def run_iterations(context):
    context.results.item("iterations", "armadillo", lambda: measure_iterations(context))


def report_iterations(data):
    rows = [[n, percent(r["mean"]), percent(r["max"])] for n, r in data["armadillo"]["from_1000"].items()]
    return ("Mean distance of vertices from a run with 1000 iterations over a drop of two seconds, over the box. The paper "
            "finds differences very small at 10.\n\n" + table(["iterations", "in the mean", "at most"], rows))
