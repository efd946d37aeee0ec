"""Subspaces of recorded motion from Python."""
import numpy as np
import pytest

import pliant


@pytest.fixture(scope="module")
def body():
    return pliant.Body(pliant.make_shape("bear", tets=1200), material=pliant.NeoHookean(young=3e4, poisson=0.4))


@pytest.fixture(scope="module")
def frames(body):
    """A full drop on a floor."""
    full = pliant.ProjectiveDynamics(pliant.projective_constraints(body), body.masses)
    full.obstacles = [pliant.Obstacle.plane(point=[0, body.rest_positions[:, 1].min() - 0.1, 0])]
    recorded = []
    for _ in range(40):
        full.step()
        recorded.append(full.positions.copy())
    return recorded


@pytest.mark.parametrize("kind", ["pca", "localized", "splocs"])
@pytest.mark.parametrize("coordinates", ["shared", "separate", "joint"])
def test_components_say_what_was_recorded(body, frames, kind, coordinates):
    basis = pliant.snapshot_basis(body, frames, kind=kind, coordinates=coordinates, components=25)
    assert basis.coordinates == coordinates and len(basis.U) == (3 if coordinates == "separate" else 1)
    error = basis.error(body.masses, frames)
    assert error < 0.1
    if kind != "splocs":  # which gives up closeness for zeros
        few = pliant.snapshot_basis(body, frames, kind=kind, coordinates=coordinates, components=5)
        assert error < few.error(body.masses, frames)
    q = basis.project(body.masses, frames[20])
    gap = np.linalg.norm(basis.positions(q) - frames[20], axis=1).mean()
    assert gap < 0.05


@pytest.mark.parametrize("kind", ["pca", "localized", "splocs"])
def test_recorded_motion_runs_hyper_reduced(body, frames, kind):
    basis = pliant.snapshot_basis(body, frames, kind=kind, components=36)
    model = pliant.reduce_hrpd(body, basis=basis, samples=300, fitted_handles=40)
    assert model.degrees_of_freedom == 3 * 40
    sim = pliant.Hrpd(model)
    sim.obstacles = [pliant.Obstacle.plane(point=[0, body.rest_positions[:, 1].min() - 0.1, 0])]
    box = np.linalg.norm(np.ptp(body.rest_positions, axis=0))
    error = 0
    for frame in frames:
        sim.step()
        error += np.linalg.norm(sim.positions - frame, axis=1).mean() / box / len(frames)
    assert error < 0.08


def test_projections_are_fitted_in_what_was_recorded(body, frames):
    constraints = pliant.projective_constraints(body)
    basis = pliant.snapshot_basis(body, frames, components=60)
    box = np.linalg.norm(np.ptp(body.rest_positions, axis=0))
    errors = {}
    for name, recorded in (("handles", None), ("recorded", frames)):
        model = pliant.reduce_hrpd(body, constraints=constraints, basis=basis, samples=300, recorded=recorded,
                                   sampling="fitted")
        sim = pliant.Hrpd(model)
        sim.obstacles = [pliant.Obstacle.plane(point=[0, body.rest_positions[:, 1].min() - 0.1, 0])]
        errors[name] = 0
        for frame in frames:
            sim.step()
            errors[name] += np.linalg.norm(sim.positions - frame, axis=1).mean() / box / len(frames)
    assert errors["recorded"] < errors["handles"]
    with pytest.raises(pliant.InputError, match="axes; expected"):
        pliant.reduce_hrpd(body, basis=basis, recorded={"tet_volume": np.zeros((3, 4))})
    with pytest.raises(pliant.InputError, match="expected 9"):
        pliant.reduce_hrpd(body, basis=basis, recorded={"tet_volume": np.zeros((3, 4, 2))})
    with pytest.raises(pliant.InputError, match="expected the same mesh"):
        pliant.reduce_hrpd(body, basis=basis, recorded=[f[:50] for f in frames])


def test_frames_come_from_files(body, frames, tmp_path):
    np.save(tmp_path / "drop.npy", np.array(frames))
    assert np.array_equal(pliant.read_frames(tmp_path / "drop.npy"), frames)
    names = []
    for i, frame in enumerate(frames[:3]):
        names.append(tmp_path / f"drop{i}.obj")
        surface = pliant.TriMesh(frame, [[0, 1, 2]])
        pliant.write_mesh(str(names[-1]), surface)
    assert np.allclose(pliant.read_frames(names), frames[:3])
    with pytest.raises(pliant.InputError, match="nowhere"):
        pliant.read_frames(str(tmp_path / "nowhere.npy"))


def test_alignment_takes_turning_out(body, frames):
    def turned(x, angle):
        c, s = np.cos(angle), np.sin(angle)
        return x @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    rigid = [turned(body.rest_positions, a) + a for a in (0.1, 1.0, 3.0)]
    assert pliant.snapshot_basis(body, rigid, kind="pca", components=3, appended="none").U[0].shape[1] == 3
    with pytest.raises(pliant.InputError, match="nothing moves"):
        pliant.snapshot_basis(body, rigid, kind="pca", components=3, appended="none", align=True)
    basis = pliant.snapshot_basis(body, frames, components=12, align=True)
    assert basis.error(body.masses, frames) < 0.2


def test_wrong_frames_are_named(body, frames):
    with pytest.raises(pliant.InputError, match="frame 1 has"):
        pliant.snapshot_basis(body, [frames[0], frames[1][:10]], components=2)
    broken = [f.copy() for f in frames[:5]]
    broken[3][7] = np.nan
    with pytest.raises(pliant.InputError, match="frame 3 has a number that is not finite"):
        pliant.snapshot_basis(body, broken, components=2)
    with pytest.raises(pliant.InputError, match="20 components of 5 frames asked for; expected at most 15"):
        pliant.snapshot_basis(body, frames[:5], components=20)
    with pytest.raises(pliant.InputError, match="expected some deformation"):
        pliant.snapshot_basis(body, [body.rest_positions + i for i in range(4)], components=2)
    with pytest.raises(pliant.InputError, match="kind is 'modes'; expected pca, localized or splocs"):
        pliant.snapshot_basis(body, frames, kind="modes", components=2)
