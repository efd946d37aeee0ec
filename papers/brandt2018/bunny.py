"""A falling bunny: Monem et al. 2023 call the subspace of this paper unstable. Which part of it is at fault?"""

import numpy as np

import pliant
from support import digits, log, percent, table

from .drops import frames_of, rigid_removed
from .models import Model, Subject

BUNNY = Model("Bunny", "tet/bunny_22k.mesh.gz", {"name": "bear", "vertices": 20_000}, 60, 1000)
SMALL = Model("Bunny", "", {"name": "bear", "vertices": 800}, 12, 200, fitted_handles=12)


def columns_of(model):
    """U as a dense matrix, by what unit coordinates do."""
    rest = np.asarray(model.rest_positions)
    count = 4 * len(model.handles)
    out = np.empty((len(rest), count))
    for j in range(count):
        q = np.zeros((count, 3))
        q[j, 0] = 1
        out[:, j] = np.asarray(model.positions(q))[:, 0] - rest[:, 0]
    return out


def subspaces(subject, model):
    """The columns of Pliant, those of the paper, w and w x, and these with a column of ones."""
    ours = columns_of(model)
    weights = ours[:, ::4]
    paper = np.column_stack([weights[:, [j]] * np.column_stack([subject.x, np.ones(len(subject.x))])
                             for j in range(weights.shape[1])])
    return {"pliant": ours, "paper": paper, "with_ones": np.column_stack([paper, np.ones(len(paper))])}


def measure_columns(U, masses):
    """How well the reduced mass matrix can be solved with, in double and in float, and what gravity becomes."""
    gram = U.T @ (masses[:, None] * U)
    scale = 1 / np.sqrt(np.diag(gram))
    gram = gram * scale[:, None] * scale
    try:
        np.linalg.cholesky(gram.astype(np.float32))
        float_works = True
    except np.linalg.LinAlgError:
        float_works = False
    fallen = U @ (scale * np.linalg.lstsq(gram, scale * (U.T @ masses), rcond=None)[0])  # of gravity 1
    # As written: s~ = ... + h^2 U^T M^-1 U f~, f~ being the force in the span of U
    projected = np.linalg.lstsq(U, masses, rcond=None)[0]
    literal = U @ (U.T @ (U @ projected / masses))
    return {"condition": float(np.linalg.cond(gram)), "float_works": float_works,
            "gravity": [float(fallen.min()), float(fallen.max())],
            "literal_gravity": [float(literal.min()), float(literal.max())]}


def measure_bunny(context):
    subject = Subject(SMALL if context.quick else BUNNY, context)
    model = subject.reduce()
    columns = {name: measure_columns(U, subject.masses) for name, U in subspaces(subject, model).items()}
    steps = 60 if context.quick else 600
    fall, _ = frames_of(subject.drop(pliant.Hrpd(model)), steps, "hyper-reduced")
    full, _ = frames_of(subject.drop(subject.full(iterations=20)), min(steps, 60), "all vertices")
    box = np.linalg.norm(np.ptp(subject.x, axis=0))
    off = [float(np.linalg.norm(a - rigid_removed(a, b, subject.masses), axis=1).mean() / box)
           for a, b in zip(full, fall)]
    speed = float(np.linalg.norm(fall[-1] - fall[-2], axis=1).max() * 60)
    away = [float(np.linalg.norm(f - rigid_removed(f, subject.x, subject.masses), axis=1).mean() / box) for f in fall[::10]]
    log(f"  {subject.source}: off in shape by {np.mean(off):.2%}, speed at the end {1000 * speed:.2f} mm/s")
    return {"source": subject.source, "columns": columns, "off": off, "speed_at_end": speed, "from_rest": away,
            "seconds": steps / 60}


def run_bunny(context):
    context.results.item("bunny", "fall", lambda: measure_bunny(context))


def report_bunny(data):
    r = data["fall"]
    names = {"pliant": "w, w (x - s) / r", "paper": "w, w x", "with_ones": "w, w x and a column of ones"}
    rows = [[names[k], digits(c["condition"], 2), "yes" if c["float_works"] else "no",
             f"{c['gravity'][0]:.4f} to {c['gravity'][1]:.4f}",
             f"{c['literal_gravity'][0]:.3g} to {c['literal_gravity'][1]:.3g}"] for k, c in r["columns"].items()]
    return ("Monem et al. 2023 find the subspace unstable on a falling bunny. Columns of U, the condition of their "
            "products by mass (scaled to length one), whether these can be factorised in float, and what vertices "
            "are accelerated by where gravity is 1: by the projection used here, and by that written in algorithm "
            "2.\n\n"
            + table(["columns", "condition", "float", "gravity, projected", "as in algorithm 2"], rows)
            + f"\nHere the bunny falls for {r['seconds']:.0f} s: in shape {percent(np.mean(r['off']))} of the box from all "
            f"vertices in the first second, at most {percent(max(r['from_rest']))} from its rest shape, and "
            f"{1000 * r['speed_at_end']:.2g} mm/s at the end.\n")
