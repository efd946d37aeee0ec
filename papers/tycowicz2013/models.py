"""The models of Table 1: what the paper states of them, and what stands for them here."""

from dataclasses import dataclass, field

import numpy as np

import pliant
from support import boundary, slab, unit_size


@dataclass
class Model:
    name: str
    material: str           # "shell", "stvk" or "mooney_rivlin"
    mesh: str               # in the folder of real meshes; a shell takes the boundary of a solid
    shape: dict             # otherwise, of the project's own shapes
    d: int                  # dimension of the subspace
    r: int                  # the paper's modes; on free bodies six of them are rigid
    T: int                  # training poses
    s: int                  # elements of the cubature
    free: bool = False
    linear: bool = False    # plain modes instead of extended ones
    paper: dict = field(default_factory=dict)

    @property
    def modes(self):
        """Elastic ones."""
        return self.r - 6 if self.free else self.r


def stated(components, u, b, force, step, rate, error, seconds, greedy):
    """A row of Table 1: seconds, milliseconds and errors as the paper has them."""
    return {"components": components, "subspace_s": u, "forces_s": b, "force_ms": force, "step_ms": step,
            "steps_per_s": rate,
            "nn_htp_error": error / 100, "nn_htp_s": seconds, "greedy_error": greedy / 100}


TABLE_1 = [
    Model("Bunny", "shell", "shell/bunny_35k_open.off.gz", {"name": "bear", "tets": 200_000}, 135, 15, 2000,
          800,
          paper=stated(104310, 26, 125, 3.7, 10.7, 93, 2.9, 593, 12.2)),
    Model("Chinese dragon", "shell", "surf/chineselion_10k.off.gz", {"name": "squid", "tets": 200_000}, 138,
          20, 1000, 250, free=True,
          paper=stated(389994, 110, 243, 1.5, 4.9, 203, 7.4, 69, 17.4)),
    Model("Dinosaur", "shell", "tet/dinosaur_13k_polyfem.mesh.gz", {"name": "bear", "tets": 50_000}, 135, 15,
          1000, 500,
          paper=stated(168576, 41, 101, 3.0, 7.9, 126, 2.3, 223, 11.0)),
    Model("Elephant", "shell", "surf/elephant_25k.off.gz", {"name": "glove", "triangles": 50_000}, 135, 15,
          1000, 500,
          paper=stated(75000, 18, 46, 2.8, 10.1, 99, 3.7, 205, 11.0)),
    Model("VW Beetle", "shell", "shell/beetle_20k.off.gz", {"name": "cylinder_shell", "triangles": 40_000},
          300, 300, 2000, 800, linear=True,
          paper=stated(52645, 67, 227, 9.7, 20.6, 49, 2.8, 1473, 12.1)),
    Model("Aorta", "stvk", "tet/aorta_9k.mesh.gz", {"name": "tube", "tets": 35_000}, 138, 20, 1000, 200,
          free=True,
          paper=stated(35551, 6, 73, 1.0, 4.4, 245, 2.1, 22, 10.9)),
    Model("Dragon", "stvk", "tet/dragon_26k.mesh.gz", {"name": "squid", "tets": 92_000}, 135, 15, 1000, 150,
          paper=stated(92386, 10, 182, 0.9, 3.7, 272, 1.5, 63, 8.4)),
    Model("Menger", "mooney_rivlin", "", {"name": "menger_sponge", "tets": 390_000}, 135, 15, 1000, 100,
          paper=stated(393216, 36, 332, 0.5, 2.0, 509, 2.7, 8, 7.0)),
    Model("Neptune", "mooney_rivlin", "tet/neptune_160k.mesh.gz", {"name": "squid", "tets": 690_000}, 135, 15,
          1000, 200,
          paper=stated(691434, 55, 396, 0.8, 2.4, 424, 2.8, 41, 25.6)),
    Model("Skull", "stvk", "tet/skull_38k.mesh.gz", {"name": "bear", "tets": 156_000}, 300, 300, 1000, 250,
          linear=True,
          paper=stated(156157, 186, 470, 3.5, 9.6, 104, 2.3, 66, 8.4)),
    Model("Vertebrae", "stvk", "", {"name": "torus", "tets": 70_000}, 15, 15, 1000, 30, linear=True,
          paper=stated(70447, 7, 117, 0.1, 0.2, 5059, 1.5, 1, 7.6)),
]

# The same kinds, small enough to run through in seconds; too small for the paper's numbers to mean anything.
QUICK = [
    Model("Glove", "shell", "", {"name": "glove", "triangles": 1500}, 45, 5, 60, 60),
    Model("Tube", "stvk", "", {"name": "tube", "tets": 2500}, 48, 10, 60, 40, free=True),
    Model("Cactus", "mooney_rivlin", "", {"name": "cactus", "tets": 2500}, 45, 5, 60, 40),
]


def mesh_of(model, meshes):
    """The mesh, 1 m in its longest side, and where it is from."""
    file = meshes and model.mesh and meshes / model.mesh
    if file and file.exists():
        mesh, source = pliant.read_mesh(str(file)), file.name.split(".")[0]
    else:
        mesh, source = pliant.make_shape(**model.shape), "shape " + model.shape["name"]
    if model.material == "shell" and hasattr(mesh, "tets"):
        mesh = boundary(mesh)
    return unit_size(mesh), source


def body_of(model, mesh):
    """A body of density 1000 kg/m3, Young's modulus 1 MPa; held at its lowest 5 % unless it is free."""
    fixed = [] if model.free else slab(mesh.vertices, 1, 0, 0.05)
    damping = (0.1, 1e-3)
    if model.material == "shell":
        return pliant.Body(mesh, material=pliant.Shell(young=1e6, poisson=0.33, thickness=0.02), fixed=fixed,
                           damping=damping)
    kind = {"stvk": pliant.StVK, "mooney_rivlin": pliant.MooneyRivlin}[model.material]
    return pliant.Body(mesh, material=kind(young=1e6, poisson=0.4), density=1000, fixed=fixed,
                       damping=damping)


def basis_of(model, body, modes=None):
    modes = modes or pliant.linear_modes(body, model.modes)
    return pliant.modal_basis(body, modes) if model.linear else pliant.extended_modes(body, modes)


def bending_load(body, basis, amount):
    """Forces (n, 3), sideways by mass, under which the linear body would move by this part of its box; a free
    one is bent about its middle."""
    x = np.array(basis.origin)
    direction = np.array([1.0, 0, 0])
    load = np.asarray(body.masses)[:, None] * direction
    if len(body.fixed) == 0:
        axis = int(np.argmax(np.ptp(x, axis=0)))
        load = np.asarray(body.masses)[:, None] * np.eye(3)[(axis + 1) % 3]
        load = load * np.cos(2 * np.pi * (x[:, axis] - x[:, axis].min()) / np.ptp(x[:, axis]))[:, None]
    elastic = basis.frequencies > 0
    q = np.zeros(basis.dimension)
    q[elastic] = basis.pull_back(load)[elastic] / basis.eigenvalues[elastic]
    largest = np.linalg.norm(np.asarray(basis.positions(q)) - x, axis=1).max()
    return load * amount * np.linalg.norm(np.ptp(x, axis=0)) / largest
