"""What the scripts of all papers share: meshes, results that survive an interruption, tables, pictures."""

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("PLIANT_BUILD", ROOT / "build"))
sys.path.append(str(BUILD / "python"))  # an installed pliant comes first

import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import pliant  # noqa: E402

COLORS = {"blue": "#2f6db3", "orange": "#d9822b", "green": "#4f9e58", "red": "#c0433a", "grey": "#7a7f87"}

plt.rcParams.update({
    "figure.figsize": (6.4, 4.0), "figure.dpi": 130, "savefig.bbox": "tight", "font.size": 10,
    "axes.grid": True,
    "grid.alpha": 0.25, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "axes.prop_cycle": matplotlib.cycler(color=list(COLORS.values()))})


def log(*words):
    print(f"[{time.strftime('%H:%M:%S')}]", *words, flush=True)


class Clock:
    """with Clock() as clock: ...; clock.seconds"""

    def __enter__(self):
        self.start = time.perf_counter()
        return self

    def __exit__(self, *_):
        self.seconds = time.perf_counter() - self.start


def best_of(times, work):
    """What work() gives, and its least seconds: other programs only ever add to them."""
    seconds = float("inf")
    for _ in range(times):
        with Clock() as clock:
            result = work()
        seconds = min(seconds, clock.seconds)
    return result, seconds


# === Meshes

def find_meshes(folder=None):
    """The folder of real meshes: as given, from PLIANT_MESHES, or shared/meshes beside the clone; or None."""
    if folder and not Path(folder).is_dir():
        raise SystemExit(f"--meshes {folder}: no such folder")
    for place in (folder, os.environ.get("PLIANT_MESHES"), ROOT.parent / "shared" / "meshes"):
        if place and Path(place).is_dir():
            return Path(place)
    return None


def unit_size(mesh):
    """The same mesh about the origin, its longest side 1 m."""
    x = np.array(mesh.vertices)
    low, high = x.min(axis=0), x.max(axis=0)
    x = (x - (low + high) / 2) / (high - low).max()
    return pliant.TetMesh(x, mesh.tets) if hasattr(mesh, "tets") else pliant.TriMesh(x, mesh.triangles)


def boundary(mesh):
    """The surface of a solid, without the vertices inside."""
    surface = mesh.surface()
    return surface[0] if isinstance(surface, tuple) else surface


def diagonal(x):
    return float(np.linalg.norm(x.max(axis=0) - x.min(axis=0)))


def slab(x, axis, low, high):
    """Vertices between these parts of the box along an axis."""
    s = (x[:, axis] - x[:, axis].min()) / np.ptp(x[:, axis])
    return np.flatnonzero((s >= low - 1e-9) & (s <= high + 1e-9))


# === Results

class Results:
    """Numbers by section and item in one JSON file, replaced as a whole after every item."""

    def __init__(self, folder, settings, resume):
        self.folder, self.resume = Path(folder), resume
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.folder / "results.json"
        self.data = {"settings": settings, "sections": {}}
        if self.file.exists():
            old = json.loads(self.file.read_text())
            if old.get("settings") == settings:
                self.data = old
            elif resume:
                raise SystemExit(f"{self.file} was made with other settings, {old.get('settings')}; choose "
                                 "another --output")

    def section(self, name):
        return self.data["sections"].setdefault(name, {})

    def item(self, section, name, make):
        """What `make()` gives, made now or, when resuming, before."""
        if self.resume and name in self.section(section):
            log(f"{section}: {name} is there already")
        else:
            with Clock() as clock:
                made = make()
            self.section(section)[name] = {**made, "seconds_in_all": clock.seconds}
            self.save()
        return self.section(section)[name]

    def save(self):
        temporary = self.file.with_suffix(".tmp")
        temporary.write_text(json.dumps(self.data, indent=1, default=plain))
        os.replace(temporary, self.file)


def plain(value):
    """numpy's numbers and arrays for JSON."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


# === Tables

def table(header, rows):
    """A table in Markdown; None is left blank."""
    text = [[("" if cell is None else str(cell)) for cell in row] for row in [header, *rows]]
    lines = ["| " + " | ".join(row) + " |" for row in text]
    return "\n".join([lines[0], "|" + "---|" * len(header), *lines[1:]]) + "\n"


def percent(x):
    return None if x is None else f"{100 * x:.2g} %" if x < 0.1 else f"{100 * x:.0f} %"


def digits(x, count=3):
    return None if x is None else f"{x:.{count}g}"


# === Pictures

def save_plot(figure, path):
    figure.savefig(path)
    plt.close(figure)


def side_by_side(path, poses, titles, colors=None, azimuth=15, elevation=12, width=1500, samples=24,
                 gap=0.15):
    """Poses (TriMesh) of one object beside each other, in one scale, with a title over each."""
    across = np.radians(azimuth)
    right = np.array([np.cos(across), 0, -np.sin(across)])
    vertices, triangles, paint, centres, at = [], [], [], [], 0.0
    for k, pose in enumerate(poses):
        x = np.array(pose.vertices)
        along = x @ right
        shift = at - along.min()
        centres.append(at + np.ptp(along) / 2)
        at += np.ptp(along) + gap * diagonal(x)
        triangles.append(np.array(pose.triangles) + sum(len(v) for v in vertices))
        x = x + shift * right
        x[:, 1] -= x[:, 1].min()
        vertices.append(x)
        paint.append(np.broadcast_to([0.89, 0.46, 0.35] if colors is None else colors[k], x.shape))
    total = at - gap * diagonal(np.array(poses[-1].vertices))
    box = np.vstack(vertices)
    height = int(np.clip(1.7 * width * np.ptp(box[:, 1]) / total, 0.2 * width, 0.4 * width))
    image = pliant.render(pliant.TriMesh(np.vstack(vertices), np.vstack(triangles)), width=width,
                          height=height,
                          samples=samples, azimuth=azimuth, elevation=elevation, colors=np.vstack(paint))
    figure, axes = plt.subplots(figsize=(width / 150, height / 150 + 0.3))
    axes.imshow(image)
    axes.set_axis_off()
    # The camera fits everything into four fifths of the picture, in width where it is wider than high.
    wide = total / np.ptp(box[:, 1]) > width / height
    scale = 0.8 * width / total if wide else 0.8 * height / np.ptp(box[:, 1])
    for centre, title in zip(centres, titles):
        axes.text(width / 2 + (centre - total / 2) * scale, -12, title, ha="center", va="bottom", fontsize=8)
    save_plot(figure, path)


# === A script: sections in order

class Context:
    """What every section gets."""

    def __init__(self, arguments, results):
        self.quick, self.full = arguments.quick, arguments.full
        self.models = arguments.models.split(",") if arguments.models else None
        self.meshes = None if arguments.quick else find_meshes(arguments.meshes)
        self.picture = {"width": 600, "samples": 4} if arguments.quick else {}
        self.results, self.folder = results, results.folder


def run_script(name, heading, about, machine, sections, full):
    """The command line of papers/<name>.py. sections: {word: (title, run(context), report(all data))}; `full` says
    what --full does."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default=name, help="folder for the results (default: %(default)s)")
    parser.add_argument("--meshes", help="folder of real meshes")
    parser.add_argument("--only", help="sections, with commas between them: " + ", ".join(sections))
    parser.add_argument("--models", help="of table1, with commas between them (default: all)")
    parser.add_argument("--resume", action="store_true", help="keep what is finished")
    parser.add_argument("--quick", action="store_true",
                        help="small shapes of the project instead of the paper's sizes")
    parser.add_argument("--full", action="store_true", help=full)
    arguments = parser.parse_args()
    chosen = arguments.only.split(",") if arguments.only else list(sections)
    for word in chosen:
        if word not in sections:
            parser.error(f"--only {word}: expected some of {', '.join(sections)}")
    results = Results(arguments.output, {"quick": arguments.quick, "full": arguments.full}, arguments.resume)
    context = Context(arguments, results)
    words = ["python3", f"papers/{name}.py", *(["--quick"] if arguments.quick else []),
             *(["--full"] if arguments.full else [])]
    write = lambda: write_report(results, heading, machine, sections, words)  # noqa: E731
    try:
        for word in chosen:
            log(sections[word][0])
            sections[word][1](context)
            write()
    except KeyboardInterrupt:
        write()
        raise SystemExit(f"interrupted; what is finished is in {results.folder}; go on with --resume")
    log(f"done: {results.folder / 'report.md'}")


def write_report(results, heading, machine, sections, words):
    data = results.data["sections"]
    lines = [f"# {heading}: rerun\n",
             f"`{' '.join(words)}` on {platform.machine()}, {os.cpu_count()} cores. {machine}\n"]
    for word, (title, _, report) in sections.items():
        if data.get(word):
            lines += [f"## {title}\n", report(data)]
    temporary = results.folder / "report.tmp"
    temporary.write_text("\n".join(lines))
    os.replace(temporary, results.folder / "report.md")
