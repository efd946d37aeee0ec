"""Subspaces of equal dimension of one body, and how far runs in them are from that of all vertices."""

import time

import numpy as np

import pliant
from brandt2018.drops import rigid_removed
from brandt2018.models import SHELL, Model, Subject

VECTORS = 200  # of every subspace, as in the paper: 50 handles of four columns, or 196 components and the affine motions

BUNNY = Model("Bunny", "tet/bunny_22k.mesh.gz", {"name": "bear", "vertices": 20_000}, VECTORS // 4)
GLOVE = Model("Glove", "", {"name": "glove", "triangles": 12_000}, VECTORS // 4, 1000, SHELL)
SMALL = Model("Bunny", "", {"name": "bear", "vertices": 700}, 10, 200, fitted_handles=10)
SMALL_GLOVE = Model("Glove", "", {"name": "glove", "triangles": 1200}, 10, 300, SHELL, fitted_handles=10)

KINDS = {"localized": "localized PCA", "splocs": "SPLOCS", "pca": "global PCA", "skinning": "skinning"}
COLORS = {"full": [0.45, 0.68, 0.45], "localized": [0.35, 0.52, 0.78], "splocs": [0.86, 0.58, 0.30],
          "pca": [0.55, 0.55, 0.60], "skinning": [0.78, 0.36, 0.32]}  # as in the paper


def vectors(context):
    return 40 if context.quick else VECTORS


def bunny(context):
    return Subject(SMALL if context.quick else BUNNY, context)


def glove(context):
    return Subject(SMALL_GLOVE if context.quick else GLOVE, context)


def full_run(subject, start, steps, turns=10):
    """Positions after each step of all vertices; with as many turns a step as runs in subspaces have."""
    simulator = start(subject.full(iterations=turns))
    frames = []
    for _ in range(steps):
        simulator.step()
        frames.append(np.array(simulator.positions))
    return np.array(frames)


def bases(subject, frames, context, kinds=("localized", "splocs", "pca")):
    """{kind: SnapshotBasis}, and seconds of each."""
    out, seconds = {}, {}
    for kind in kinds:
        began = time.perf_counter()
        out[kind] = pliant.snapshot_basis(subject.body, frames, kind=kind, components=vectors(context) - 4)
        seconds[kind] = time.perf_counter() - began
    return out, seconds


def model(subject, kind, found, frames, fit=True):
    """Reduced to a subspace of recorded motion, projections recorded too; or to skinning, as in Brandt et al. 2018."""
    if kind == "skinning":
        return subject.reduce(fit=fit)
    return subject.reduce(basis=found[kind], recorded=frames if fit else None, fit=fit)


def turned_by(x, y, masses):
    """Degrees by which y has to be turned to be closest to x."""
    cx, cy = (np.average(p, axis=0, weights=masses) for p in (x, y))
    u, _, vt = np.linalg.svd((y - cy).T @ (masses[:, None] * (x - cx)))
    turn = u @ np.diag([1, 1, np.sign(np.linalg.det(u @ vt))]) @ vt
    return float(np.degrees(np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1))))


def compare(subject, simulator, frames):
    """Over the frames of the full run: mean distance of vertices in boxes, the same in shape, and degrees."""
    box = np.linalg.norm(np.ptp(subject.x, axis=0))
    out = {"error": [], "shape": [], "turned": []}
    last = None
    for frame in frames:
        simulator.step()
        last = np.array(simulator.positions)
        out["error"].append(float(np.linalg.norm(last - frame, axis=1).mean() / box))
        laid = rigid_removed(frame, last, subject.masses)
        out["shape"].append(float(np.linalg.norm(laid - frame, axis=1).mean() / box))
        out["turned"].append(turned_by(frame, last, subject.masses))
    return out


def speeds(simulators, steps):
    """Steps a second by the median step, of simulators that run by turns: other programs slow all of them alike."""
    times = {name: [] for name in simulators}
    for i in range(steps + 3):
        for name, simulator in simulators.items():
            began = time.perf_counter()
            simulator.step()
            if i >= 3:
                times[name].append(time.perf_counter() - began)
    return {name: 1 / float(np.median(t)) for name, t in times.items()}
