"""What the paper announces: snapshots of projections. Beside affine maps at handles, in the same subspace of positions."""

import numpy as np

import pliant
from support import digits, log, percent, table

from .subspaces import bases, bunny, compare, full_run


def measure(context):
    subject = bunny(context)
    frames = full_run(subject, subject.drop, 40 if context.quick else 200)
    found, _ = bases(subject, frames, context, ("localized",))
    everything = pliant.Hrpd(subject.reduce(basis=found["localized"], fit=False), acceleration=0)
    exact = compare(subject, subject.drop(everything), frames)
    rows = {}
    for dimension in ((10, 20) if context.quick else (20, 40, 80, 160)):
        for name, recorded in (("handles", None), ("recorded", frames)):
            options = {"basis": found["localized"], "fitted_dimension": dimension, "recorded": recorded}
            if recorded is not None:
                reduced = subject.reduce(**options)
            else:
                reduced = pliant.reduce_hrpd(subject.body, constraints=subject.constraints, handles=subject.model.handles,
                                             samples=subject.model.samples, fitted_handles=2 * dimension,
                                             basis=found["localized"], fitted_dimension=dimension,
                                             sampling="fitted")
            simulator = subject.drop(pliant.Hrpd(reduced, acceleration=0))
            course = compare(subject, simulator, frames)
            fits = []
            for frame in frames[::max(1, len(frames) // 10)]:
                simulator.set_motion(frame, np.zeros_like(frame))
                fits.append(reduced.fit_error(subject.constraints, simulator.coordinates))
            rows[f"{name} {dimension}"] = {"space": name, "dimension": dimension, "error": float(np.mean(course["error"])),
                                           "at_end": course["error"][-1], "fit": np.mean(fits, axis=0).tolist()}
            log(f"  {name}, {dimension}: fit {fits and np.mean(fits, axis=0)[0]:.2%}, distance {np.mean(course['error']):.2%}")
    return {"source": subject.source, "rows": rows, "exact": float(np.mean(exact["error"])), "exact_at_end": exact["error"][-1]}


def run_projections(context):
    context.results.item("projections", "bunny", lambda: measure(context))


def report_projections(data):
    r = data["bunny"]
    rows = [["recorded" if v["space"] == "recorded" else "affine maps at handles", v["dimension"], percent(v["fit"][0]),
             percent(v["fit"][1]), percent(v["error"]), percent(v["at_end"])] for v in r["rows"].values()]
    rows.append(["all projections evaluated", None, None, None, percent(r["exact"]), percent(r["exact_at_end"])])
    return ("The fall in the subspace of localized PCA, 1000 constraints evaluated: the error of the fit on frames of the full "
            "run, relative to the right-hand side and to the elastic force, and the distance of the run from that of all "
            "vertices, over the box.\n\n"
            + table(["space of projections", "dimension", "fit", "of elastic force", "distance, mean", "at the end"], rows))
