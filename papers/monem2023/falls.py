"""Figs. 1 and 4: a falling body in subspaces; a motion that was not recorded; a shell."""

import numpy as np

import pliant
from support import COLORS as LINES
from support import digits, log, percent, plt, save_plot, side_by_side, table

from .subspaces import COLORS, KINDS, bases, bunny, compare, full_run, glove, model, speeds


def thrown(subject, simulator):
    """Flies to the side, turning, and lands on its back: nothing of it is in the fall."""
    about = subject.x - np.average(subject.x, axis=0, weights=subject.masses)
    spin = np.cross(np.array([2.5, 1.0, -2.0]), about)
    simulator.set_motion(subject.x, spin + np.array([0.8, 1.0, 0.3]))
    simulator.obstacles = [pliant.Obstacle.plane(point=[0, -0.4, 0])]
    return simulator


def plot_errors(path, runs, steps):
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.6))
    for axis, key, label, scale in ((axes[0], "error", "distance from all vertices, % of the box", 100),
                                    (axes[1], "turned", "turned by, degrees", 1)):
        for kind, color in (("localized", "blue"), ("splocs", "orange"), ("pca", "grey"), ("skinning", "red")):
            for name, style in (("positions", "-"), ("hyper", "--")):
                if kind in runs.get(name, {}):
                    axis.plot(np.arange(1, steps + 1) / 60, scale * np.array(runs[name][kind][key]), style,
                              color=LINES[color], label=KINDS[kind] + (", hyper-reduced" if name == "hyper" else ""))
        axis.set_xlabel("time, s")
        axis.set_ylabel(label)
        axis.set_ylim(bottom=0)
    axes[0].legend(fontsize=7)
    save_plot(figure, path)


def run(context, subject, start, trained, compared, stem, exact=tuple(KINDS)):
    """All subspaces from `trained` frames, run against `compared` ones; those of `exact` also with positions reduced alone."""
    found, seconds = bases(subject, trained, context)
    runs, last, sims, dofs = {"hyper": {}, "positions": {}}, {}, {}, {}
    for kind in KINDS:
        for name in runs if kind in exact else ("hyper",):
            reduced = model(subject, kind, found, trained, fit=name == "hyper")
            simulator = start(pliant.Hrpd(reduced, acceleration=0))
            runs[name][kind] = compare(subject, simulator, compared)
            dofs[kind] = reduced.degrees_of_freedom
            last[name, kind] = np.array(simulator.positions)
            sims[f"{name} {kind}"] = start(pliant.Hrpd(reduced, acceleration=0))
            log(f"  {KINDS[kind]}, {name}: {runs[name][kind]['error'][-1]:.2%} of the box at the end, "
                f"{np.mean(runs[name][kind]['error']):.2%} in the mean, turned by {runs[name][kind]['turned'][-1]:.1f}")
    side_by_side(context.folder / f"{stem}_end.png",
                 [subject.shown(compared[-1])] + [subject.shown(last["hyper", k]) for k in KINDS],
                 ["all vertices"] + [KINDS[k] for k in KINDS],
                 colors=[COLORS["full"]] + [COLORS[k] for k in KINDS], **context.picture)
    plot_errors(context.folder / f"{stem}_errors.png", runs, len(compared))
    fast = speeds({n: s for n, s in sims.items() if n.startswith("hyper")}, 50 if context.quick else 300)
    fast.update(speeds({n: s for n, s in sims.items() if n.startswith("positions")}, 10))
    projection = {k: found[k].error(subject.masses, compared) for k in found}
    return {"source": subject.source, "vertices": len(subject.x), "steps": len(compared), "dofs": dofs, "runs": runs,
            "steps_per_s": fast, "seconds": seconds, "projection": projection}


def measure_bunny(context):
    subject = bunny(context)
    steps = 60 if context.quick else 200
    frames = full_run(subject, subject.drop, steps)
    out = run(context, subject, subject.drop, frames, frames, "bunny")
    # What a body that topples asks of anyone: the full method with other turns.
    box = np.linalg.norm(np.ptp(subject.x, axis=0))
    more = full_run(subject, subject.drop, steps, 40 if context.full else 20)
    out["more_turns"] = [float(np.linalg.norm(a - b, axis=1).mean() / box) for a, b in zip(frames, more)]
    # Fig. 1: the same moments of all runs, centred.
    found, _ = bases(subject, frames, context, ("localized",))
    simulators = {k: subject.drop(pliant.Hrpd(model(subject, k, found, frames), acceleration=0))
                  for k in ("localized", "skinning")}
    moments = [steps // 4, steps // 2, steps - 1]
    poses, titles, colors = [], [], []
    positions = {k: [] for k in simulators}
    for i in range(steps):
        for k, s in simulators.items():
            s.step()
            if i in moments:
                positions[k].append(np.array(s.positions))
    for j, i in enumerate(moments):
        for k in ("full", "localized", "skinning"):
            x = frames[i] if k == "full" else positions[k][j]
            poses.append(subject.shown(x - np.average(x, axis=0, weights=subject.masses)))
            titles.append({"full": f"{(i + 1) / 60:.1f} s, all", "localized": "PCA", "skinning": "skinning"}[k])
            colors.append(COLORS[k])
    side_by_side(context.folder / "bunny_frames.png", poses, titles, colors=colors, gap=0.05, **context.picture)
    return out


def run_bunny(context):
    context.results.item("bunny", "fall", lambda: measure_bunny(context))


def errors_table(r):
    rows = []
    for name in ("positions", "hyper"):
        for kind, course in r["runs"].get(name, {}).items():
            rows.append([KINDS[kind], "positions only" if name == "positions" else "hyper-reduced", r["dofs"][kind],
                         percent(r["projection"].get(kind)), percent(np.mean(course["error"])),
                         percent(course["error"][-1]), percent(course["shape"][-1]), f"{course['turned'][-1]:.1f}°",
                         digits(r["steps_per_s"][f"{name} {kind}"])])
    return table(["subspace", "run", "degrees of freedom", "projection error", "distance, mean",
                  "at the end", "at the end in shape", "turned by", "steps/s"], rows)


def report_bunny(data):
    r = data["fall"]
    fast, end = r["steps_per_s"], {k: r["runs"]["positions"][k]["error"][-1] for k in KINDS}
    hyper = {k: r["runs"]["hyper"][k]["error"][-1] for k in KINDS}
    holds = "holds" if end["localized"] < end["skinning"] and hyper["localized"] < hyper["skinning"] else "does not hold"
    ratio, gain = (fast["hyper skinning"] / fast["hyper localized"],
                   fast["hyper localized"] / fast["positions localized"])
    return (f"{r['source']}, {r['vertices']} vertices; {r['steps']} frames of its fall are recorded and run again in each "
            "subspace. Distances are means over vertices, over the box's diagonal; the last column but one is by how much "
            "the body would have to be turned. (Projection error: what the subspace cannot say of the frames, relative to "
            "their motion.)\n\n" + errors_table(r)
            + "\nThe paper: localized PCA is closest to the full simulation and keeps rotation; SPLOCS loses some of it; "
            "skinning is highly unstable. No numbers are given. Here no subspace is unstable; that localized PCA is below "
            f"skinning after {r['steps']} frames {holds}: {percent(end['localized'])} against {percent(end['skinning'])} with "
            f"positions reduced alone, {percent(hyper['localized'])} against {percent(hyper['skinning'])} hyper-reduced. "
            f"Hyper-reduced skinning makes {ratio:.2f} times the steps of localized PCA, which "
            f"makes {gain:.0f} times those of positions alone; with global PCA, which has every column at "
            f"every sample, it is {fast['hyper skinning'] / fast['hyper pca']:.2f}. A body that topples does so as "
            f"chance wants it: twice the turns a step move the full run itself by {percent(np.mean(r['more_turns']))} in the "
            f"mean and {percent(r['more_turns'][-1])} at the end. Subspaces took "
            + ", ".join(f"{KINDS[k]} {s:.1f} s" for k, s in r["seconds"].items())
            + ".\n\n![the last frame](bunny_end.png)\n\n![moments of the fall](bunny_frames.png)\n\n"
            "![over time](bunny_errors.png)\n")


# === A motion that was not recorded

def measure_other(context):
    subject = bunny(context)
    steps = 60 if context.quick else 200
    trained = full_run(subject, subject.drop, steps)
    start = lambda simulator: thrown(subject, simulator)  # noqa: E731
    compared = full_run(subject, start, steps)
    return run(context, subject, start, trained, compared, "other", exact=("localized", "skinning"))


def run_other(context):
    context.results.item("other", "throw", lambda: measure_other(context))


def report_other(data):
    r = data["throw"]
    return ("Subspaces and projections from the fall above; the body is thrown to the side instead, turning.\n\n"
            + errors_table(r) + "\n![the last frame](other_end.png)\n\n![over time](other_errors.png)\n")


# === A shell

def measure_shell(context):
    subject = glove(context)
    steps = 40 if context.quick else 120
    frames = full_run(subject, subject.drop, steps)
    return run(context, subject, subject.drop, frames, frames, "shell", exact=("localized", "skinning"))


def run_shell(context):
    context.results.item("shell", "glove", lambda: measure_shell(context))


def report_shell(data):
    r = data["glove"]
    return (f"{r['source']}, {r['vertices']} vertices, strain and bending: dropped, {r['steps']} frames.\n\n" + errors_table(r)
            + "\n![the last frame](shell_end.png)\n\n![over time](shell_errors.png)\n")
