"""Renders the pictures of the documentation into docs/images, with Pliant itself: `make pictures`."""

import subprocess
import sys
from pathlib import Path

import numpy as np

import pliant


def place(name, position, color, scale=1.0, turn=0.0, **options):
    """A shape's surface, scaled, turned about the vertical (degrees) and moved; with its colour at every vertex."""
    mesh = pliant.make_shape(name, **options)
    if isinstance(mesh, pliant.TetMesh):
        mesh, _ = mesh.surface()
    angle = np.radians(turn)
    rotation = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    vertices = scale * mesh.vertices @ rotation.T + position
    return vertices, mesh.triangles, np.tile(color, (len(vertices), 1))


def together(parts):
    """One mesh of several, and the colours of its vertices."""
    offsets = np.cumsum([0] + [len(vertices) for vertices, _, _ in parts])
    vertices = np.vstack([vertices for vertices, _, _ in parts])
    triangles = np.vstack([triangles + offset for (_, triangles, _), offset in zip(parts, offsets)])
    return pliant.TriMesh(vertices, triangles), np.vstack([colors for _, _, colors in parts])


def shapes(folder, quality):
    """The picture that opens the README."""
    mesh, colors = together([
        place("squid", [0, 0, 0], [0.90, 0.42, 0.32], 1.15, tets=int(600_000 * quality)),
        place("bear", [-0.98, 0, 0.30], [0.72, 0.50, 0.33], 0.85, turn=20, tets=int(800_000 * quality)),
        place("cactus", [1.02, 0, 0.0], [0.36, 0.62, 0.38], 0.95, turn=-25, tets=int(200_000 * quality)),
        place("torus", [0.72, 0, 0.78], [0.95, 0.76, 0.30], 0.42, tets=int(100_000 * quality)),
        place("menger_sponge", [1.42, 0, 0.62], [0.35, 0.50, 0.78], 0.36, turn=25, level=2, tets=20_000),
        place("letters", [-0.18, 0, 0.92], [0.30, 0.33, 0.40], 0.95, turn=8, tets=int(400_000 * quality)),
        place("glove", [-1.78, 0, 0.05], [0.55, 0.45, 0.72], 0.80, turn=35, triangles=int(60_000 * quality)),
        place("fork", [1.78, 0, -0.15], [0.62, 0.68, 0.74], 0.85, turn=-35, tets=20_000),
    ])
    pliant.render(mesh, folder / "shapes.png", width=1600, height=700, samples=int(96 * quality) + 1, azimuth=8,
                  elevation=14, colors=colors)


def tets(folder, quality):
    """A surface filled: the cut shows the grading."""
    surface, _ = pliant.make_shape("bear", tets=int(400_000 * quality)).surface()
    solid = pliant.tetrahedralize(surface, tets=60_000).mesh
    pliant.render(solid, folder / "tets.png", width=900, height=900, samples=int(64 * quality) + 1, cut="z", azimuth=20)


def motion(folder):
    """Moments of a scene, by the program itself."""
    root = Path(__file__).resolve().parent.parent
    subprocess.run([root / "build/bin/pliant", "simulate", root / "scenes/drop.json", "--picture", folder / "drop.png"],
                   check=True)


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    target.mkdir(parents=True, exist_ok=True)
    level = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0  # below 1: quick and rough
    shapes(target, level)
    tets(target, level)
    motion(target)
