"""Bodies of the experiments: meshes, constraints, and how they are reduced."""

from dataclasses import dataclass, field

import numpy as np

import pliant
from support import unit_size

STIFFNESS = 3e4   # Pa, of tets: soft enough that a body of 1 m sags when it lands
MEMBRANE = 300.0  # N/m
BENDING = 0.05    # N m


@dataclass
class Model:
    name: str
    mesh: str      # file of the folder of meshes; or else
    shape: dict    # a shape of ours
    handles: int
    samples: int = 1000
    kinds: tuple = ("tet_strain",)
    fitted_handles: int = 80  # half as many dimensions are kept, nine numbers each for tets
    paper: dict = field(default_factory=dict)


def stated(vertices, dofs, fitted, offline, local, global_, partial, fps, full_offline, full_fps):
    return {"vertices": vertices, "dofs": dofs, "fitted": fitted, "offline_s": offline, "local_us": local,
            "global_us": global_, "partial_us": partial, "fps": fps, "full_offline_s": full_offline,
            "full_fps": full_fps}


SHELL = ("triangle_strain", "bending")
TABLE_1 = [
    Model("Glove", "", {"name": "glove", "triangles": 48_000}, 45, 1000, SHELL,
          paper=stated(24370, 540, 300, 8.23, 546, 48, 435, 94, 0.56, 2.39)),
    Model("Armadillo", "tet/armadillo_19k.mesh.gz", {"name": "bear", "vertices": 19_000}, 120, 970,
          paper=stated(19064, 1440, 360, 6.20, 337, 40, 412, 120, 0.29, 3.7)),
    Model("Armadillo, large", "tet/armadillo_19k.mesh.gz", {"name": "bear", "vertices": 19_000}, 330, 970,
          paper=stated(19064, 3960, 360, 16.23, 660, 256, 678, 63, 0.29, 3.7)),
    Model("Elephant", "tet/elephant_53k.mesh.gz", {"name": "bear", "vertices": 53_000}, 100, 800,
          ("triangle_strain", "tet_strain"),
          paper=stated(52812, 1200, 360, 21.19, 612, 148, 468, 81, 1.368, 0.68)),
    Model("Dragon", "tet/dragon_206k.mesh.gz", {"name": "squid", "vertices": 200_000}, 100, 1000,
          fitted_handles=93, paper=stated(196577, 1200, 420, 63.10, 643, 35, 394, 89, 11.83, 0.20)),
    Model("Squid", "", {"name": "squid", "vertices": 440_000}, 180, 1000,
          paper=stated(439061, 2160, 360, 189.54, 483, 74, 524, 116, 12.57, 0.08)),
]

QUICK = [
    Model("Glove", "", {"name": "glove", "triangles": 2000}, 12, 200, SHELL, 12, paper=TABLE_1[0].paper),
    Model("Armadillo", "", {"name": "bear", "vertices": 1200}, 20, 200, fitted_handles=16,
          paper=TABLE_1[1].paper),
    Model("Elephant", "", {"name": "cactus", "vertices": 1200}, 20, 200, ("triangle_strain", "tet_strain"), 16,
          paper=TABLE_1[3].paper),
]


def armadillo(context):
    return QUICK[1] if context.quick else TABLE_1[1]


class Subject:
    """A model's mesh with its body and constraints."""

    def __init__(self, model, context, stiffness=STIFFNESS):
        file = context.meshes and model.mesh and context.meshes / model.mesh
        if file and file.exists():
            mesh, self.source = pliant.read_mesh(str(file)), file.name.split(".")[0]
        else:
            mesh, self.source = pliant.make_shape(**model.shape), "shape " + model.shape["name"]
        self.model, self.mesh = model, unit_size(mesh)
        self.x = np.array(self.mesh.vertices)
        self.x[:, 1] -= self.x[:, 1].min()
        solid = hasattr(mesh, "tets")
        self.mesh = (pliant.TetMesh(self.x, mesh.tets) if solid else pliant.TriMesh(self.x, mesh.triangles))
        self.body = (pliant.Body(self.mesh, density=1000) if solid else
                     pliant.Body(self.mesh, material=pliant.Shell(thickness=0.01)))
        self.constraints = pliant.ProjectiveConstraints(self.x)
        if solid:
            self.surface, self.outside = self.mesh.surface()
            triangles = np.asarray(self.outside)[np.asarray(self.surface.triangles)]
        else:
            self.surface, self.outside, triangles = self.mesh, np.arange(len(self.x)), mesh.triangles
        for kind in model.kinds:
            if kind == "tet_strain":
                self.constraints.add_tet_strain(mesh.tets, stiffness)
            elif kind == "triangle_strain":
                self.constraints.add_triangle_strain(triangles, MEMBRANE)
            else:
                self.constraints.add_bending(triangles, BENDING)
        self.masses = np.asarray(self.body.masses)

    def reduce(self, handles=None, **options):
        """As in the paper, unless told otherwise: weights reach twice as far as handles are apart, projections are fitted."""
        m = self.model
        options.setdefault("sampling", "fitted")
        options.setdefault("support", 2)
        return pliant.reduce_hrpd(self.body, constraints=self.constraints, handles=handles or m.handles,
                                  samples=m.samples, fitted_handles=min(m.fitted_handles, handles or m.handles),
                                  **options)

    def full(self, **options):
        return pliant.ProjectiveDynamics(self.constraints, self.masses, **options)

    def shown(self, x):
        """The surface with the vertices there."""
        return pliant.TriMesh(np.asarray(x)[self.outside], self.surface.triangles)

    def drop(self, simulator, height=0.4):
        """Lets it fall from a height, in metres, onto a floor."""
        simulator.obstacles = [pliant.Obstacle.plane(point=[0, -height, 0])]
        return simulator
