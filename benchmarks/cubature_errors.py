"""Errors of cubature: on the poses it learnt from, on fresh ones, and on motion of the full simulation that it never saw.

    PYTHONPATH=build/python python3 benchmarks/cubature_errors.py spot_2k.mesh.gz --samples 150 --poses 300 \
        --power 3 --scale 0.1 --methods nn_htp greedy greedy_all --norm energy

The lowest 5 % of the body are fixed. Motions start from rest under a constant load, chosen so that the linear body would move by
0.1 of its box (0.05 in the fall): a sideways pull, a twist about the vertical axis, a fall. Their frames are projected into the
subspace in the inner product of the stiffness at rest. With --motion FILE.npz frames are kept, and read where the file exists.
"""

import argparse
import os
import time

import numpy as np

import pliant


def load_of(kind, body, vertices):
    centre = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    direction = {"bend": np.broadcast_to([0.3, 0, 1], vertices.shape),
                 "twist": np.cross([0, 1, 0], vertices - centre),
                 "fall": np.broadcast_to([0, -1, 0.1], vertices.shape)}[kind]
    return body.mass().diagonal().reshape(-1, 3) * direction


def motion(kind, body, basis, vertices, frames, amount):
    """Poses (d, frames) of the full simulation under a load that bends the linear body by `amount` of its box."""
    diagonal = np.linalg.norm(vertices.max(axis=0) - vertices.min(axis=0))
    load = load_of(kind, body, vertices)
    linear = basis.pull_back(load) / basis.eigenvalues
    load *= amount * diagonal / np.linalg.norm(basis.positions(linear) - basis.origin, axis=1).max()
    simulator = pliant.Newton(body, max_iterations=8, tolerance=1e-4, time_step=min(1, 1 / basis.frequencies[0] / 25))
    simulator.gravity = [0, 0, 0]
    everywhere = np.arange(len(vertices))
    displacements = np.empty((vertices.size, frames))
    for frame in range(frames):
        simulator.apply_force(everywhere, load)
        simulator.step()
        displacements[:, frame] = (simulator.positions - vertices).ravel()
    largest = np.linalg.norm(displacements.reshape(-1, 3, frames), axis=1).max() / diagonal
    q = pliant.poses_of_motion(body, basis, displacements)
    missed = np.linalg.norm(displacements - basis.U @ q) / np.linalg.norm(displacements)
    print(f"{kind}: moves by {largest:.3f} of the box, {missed:.2%} of it outside the subspace", flush=True)
    return q


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mesh")
    parser.add_argument("--material", default="StVK")
    parser.add_argument("--shell", action="store_true")
    parser.add_argument("--modes", type=int, default=15)
    parser.add_argument("--samples", type=int, nargs="+", default=[150])
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--power", type=float, default=3)
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--norm", default="energy")
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--wide-rounds", type=int, default=10, help="of nn_htp; 0: none")
    parser.add_argument("--methods", nargs="+", default=["nn_htp"],
                        help="nn_htp, nn_htp_literal, greedy (a subset of 10 poses), greedy_all")
    parser.add_argument("--frames", type=int, default=40)
    parser.add_argument("--motion", help="file of frames, .npz")
    a = parser.parse_args()

    mesh = pliant.read_mesh(a.mesh)
    height = mesh.vertices[:, 1]
    fixed = np.flatnonzero(height < height.min() + 0.05 * np.ptp(height))
    if a.shell:
        body = pliant.Body(mesh, material=pliant.Shell(young=1e6, poisson=0.33, thickness=0.02), fixed=fixed)
    else:
        body = pliant.Body(mesh, material=getattr(pliant, a.material)(young=1e5, poisson=0.4), density=1000, fixed=fixed)
    start = time.perf_counter()
    basis = pliant.extended_modes(body, a.modes)
    print(f"{len(mesh.vertices)} vertices, d = {basis.dimension}, {basis.frequencies[0]:.3g} to "
          f"{basis.frequencies[-1]:.3g} Hz, {time.perf_counter() - start:.1f} s", flush=True)

    if a.motion and os.path.exists(a.motion):
        motions = dict(np.load(a.motion))
    elif a.frames > 0:
        motions = {kind: motion(kind, body, basis, mesh.vertices, a.frames, amount)
                   for kind, amount in [("bend", 0.1), ("twist", 0.1), ("fall", 0.05)]}
        if a.motion:
            np.savez(a.motion, **motions)
    else:
        motions = {}

    poses = pliant.training_poses(basis, a.poses, power=a.power, scale=a.scale, seed=1)
    fresh = pliant.training_poses(basis, a.poses, power=a.power, scale=a.scale, seed=2)
    print(f"{'method':15} {'s':>5} {'seconds':>8} {'training':>9} {'fresh':>9} " + " ".join(f"{k:>9}" for k in motions))
    for samples in a.samples:
        for method in a.methods:
            start = time.perf_counter()
            found = pliant.cubature(body, basis, poses=poses, samples=samples, norm=a.norm, max_iterations=a.iterations,
                                    wide_rounds=a.wide_rounds,
                                    method="greedy" if method == "greedy_all" else method,
                                    subset=0 if method == "greedy_all" else 10)
            seconds = time.perf_counter() - start
            errors = [np.sqrt(np.mean(pliant.force_errors(body, basis, found, fresh, a.norm) ** 2))]
            errors += [pliant.force_errors(body, basis, found, q, a.norm).mean() for q in motions.values()]
            print(f"{method:15} {samples:5} {seconds:8.1f} {found.error:9.2%} " + " ".join(f"{e:9.2%}" for e in errors),
                  flush=True)


if __name__ == "__main__":
    main()
