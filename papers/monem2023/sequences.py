"""Sequences of meshes that no simulator made: what components say of frames they have not seen."""

import numpy as np

import pliant
from support import boundary, log, percent, plt, save_plot, table

from .subspaces import KINDS

FILES = [("cheb walks", "seq/cheb_walk_38x6669.npy.gz", "rig/cheb_surface.off.gz"),
         ("horse, eleven poses", "seq/horse_11x8431.npy.gz", "seq/horse_reference.off.gz")]


def load(context):
    """[(name, TriMesh, frames)]; without the files, a shape that waves."""
    out = []
    for name, frames, surface in FILES:
        if context.meshes and (context.meshes / frames).exists():
            out.append((name, pliant.read_mesh(str(context.meshes / surface)), pliant.read_frames(context.meshes / frames)))
    if out:
        return out
    mesh = boundary(pliant.make_shape("cactus", vertices=600))
    x = np.array(mesh.vertices)
    height = (x[:, 1] - x[:, 1].min()) / np.ptp(x[:, 1])
    waves = [x + np.outer(height ** 2, [0.2 * np.sin(t), 0, 0.1 * np.cos(2 * t)]) for t in np.linspace(0, 6, 20)]
    return [("a cactus that waves", mesh, np.array(waves))]


def measure(name, mesh, frames):
    mesh = pliant.TriMesh(frames[0], mesh.triangles)
    body = pliant.Body(mesh, material=pliant.Shell(thickness=1e-3))
    seen, unseen = frames[::2], frames[1::2]
    counts = [c for c in (4, 8, 16, 32, 56) if c <= 3 * len(seen) - 1]
    out = {"frames": len(frames), "vertices": len(frames[0]), "counts": counts, "errors": {}}
    for kind in ("pca", "localized", "splocs"):
        for align in (False, True):
            rows = []
            for count in counts:
                basis = pliant.snapshot_basis(body, seen, kind=kind, components=count, align=align)
                rows.append([basis.error(body.masses, seen), basis.error(body.masses, unseen)])
            out["errors"][f"{kind} {'aligned' if align else 'as they are'}"] = rows
    last = {k: f"{rows[-1][1]:.2%}" for k, rows in out["errors"].items()}
    log(f"  {name}: {counts[-1]} components, frames not seen: {last}")
    return out


def run_sequences(context):
    for name, mesh, frames in load(context):
        r = context.results.item("sequences", name, lambda: measure(name, mesh, frames))
        figure, axes = plt.subplots()
        for label, rows in r["errors"].items():
            if label.endswith("as they are"):
                axes.semilogy(r["counts"], [b for _, b in rows], "o-", label=KINDS[label.split()[0]])
        axes.set_xlabel("components")
        axes.set_ylabel("error on frames not seen")
        axes.legend()
        save_plot(figure, context.folder / f"sequence_{name.split()[0].strip(',')}.png")


def report_sequences(data):
    text = ("Every other frame makes a subspace (shared coordinates, affine motions appended); what it cannot say of these and of "
            "the others, relative to their motion.\n\n")
    for name, r in data.items():
        rows = [[KINDS[k.split()[0]], k.split(" ", 1)[1], *[f"{percent(a)}, {percent(b)}" for a, b in v]]
                for k, v in r["errors"].items()]
        text += (f"{name[0].upper() + name[1:]}: {r['frames']} frames of {r['vertices']} vertices. Seen, not seen:\n\n"
                 + table(["components", "frames", *map(str, r["counts"])], rows)
                 + f"\n![errors](sequence_{name.split()[0].strip(',')}.png)\n\n")
    return text
