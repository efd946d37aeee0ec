"""Bodies, simulators and scenes from Python."""

import numpy as np
import pytest
import scipy.sparse

import pliant

MATERIALS = [pliant.Linear, pliant.StVK, pliant.Corotated, pliant.NeoHookean, pliant.MooneyRivlin, pliant.Fung,
             pliant.ArrudaBoyce]


@pytest.fixture(scope="module")
def bar():
    return pliant.make_shape("bar", tets=300)


def left_end(mesh):
    x = mesh.vertices[:, 0]
    return np.flatnonzero(x < x.min() + 1e-9)


@pytest.mark.parametrize("material", MATERIALS)
def test_forces_and_stiffness_are_derivatives(bar, material):
    body = pliant.Body(bar, material=material(young=1e5, poisson=0.3), density=500)
    rng = np.random.default_rng(1)
    x = bar.vertices + 0.002 * rng.standard_normal(bar.vertices.shape)
    d = rng.standard_normal(x.shape)
    h = 1e-6
    slope = (body.energy(x + h * d) - body.energy(x - h * d)) / (2 * h)
    assert slope == pytest.approx(-np.sum(body.forces(x) * d), rel=1e-5)
    K = body.stiffness(x)
    assert scipy.sparse.issparse(K)
    change = (body.forces(x + h * d) - body.forces(x - h * d)) / (2 * h)
    assert np.allclose(K @ d.ravel(), -change.ravel(), atol=1e-5 * np.abs(change).max())
    assert body.mass().diagonal().sum() == pytest.approx(3 * 500 * body.volume)
    assert body.mass(consistent=True).sum() == pytest.approx(3 * 500 * body.volume)


def test_materials_of_one_young_and_poisson_agree_at_rest(bar):
    stiffness = [pliant.Body(bar, material=m(young=1e5, poisson=0.3)).stiffness().toarray() for m in MATERIALS]
    for K in stiffness[1:]:
        assert np.abs(K - stiffness[0]).max() < 1e-6 * np.abs(stiffness[0]).max()


def test_native_parameters():
    assert pliant.StVK(mu=1e4, lam=2e4).lam == 2e4
    with pytest.raises(pliant.InputError, match="lam is missing"):
        pliant.StVK(mu=1e4)
    with pytest.raises(pliant.InputError):
        pliant.NeoHookean(young=1e5, poisson=0.5)
    F = np.diag([1.1, 1.0, 0.9])
    m = pliant.NeoHookean(young=1e5, poisson=0.3)
    assert m.stress(np.eye(3)) == pytest.approx(np.zeros((3, 3)), abs=1e-9)
    assert m.energy(F) > 0 and m.hessian(F).shape == (9, 9)


def test_heterogeneous(bar):
    which = (np.arange(len(bar.tets)) % 2).astype(int)
    body = pliant.Body(bar, material=[pliant.StVK(young=1e4), pliant.StVK(young=1e6)], density=[1000, 2000],
                       material_of_tet=which)
    soft, stiff = (pliant.Body(bar, material=pliant.StVK(young=y)) for y in (1e4, 1e6))
    x = bar.vertices * [1.05, 1, 1]
    assert soft.energy(x) < body.energy(x) < stiff.energy(x)
    with pytest.raises(pliant.InputError):
        pliant.Body(bar, material=[pliant.StVK()], density=[1, 2])


@pytest.mark.parametrize("make", [pliant.Newton, pliant.ProjectiveDynamics])
def test_simulators(bar, make):
    ends = left_end(bar)
    body = pliant.Body(bar, material=pliant.Corotated(young=2e5, poisson=0.3), fixed=ends)
    sim = make(body, time_step=0.01)
    for _ in range(20):
        sim.step()
    assert sim.time == pytest.approx(0.2)
    assert np.allclose(sim.positions[ends], bar.vertices[ends])
    tip = int(np.argmax(bar.vertices[:, 0]))
    assert sim.positions_of([tip])[0, 1] < bar.vertices[tip, 1]
    assert sim.velocities_of([tip]).shape == (1, 3)
    assert set(sim.fixed) == set(ends)
    state = sim.save()
    sim.step()
    after = sim.positions
    sim.restore(state)
    sim.step()
    assert np.array_equal(sim.positions, after)
    with pytest.raises(pliant.InputError):
        sim.restore(state[:100])
    sim.obstacles = [pliant.Obstacle.plane(), pliant.Obstacle.sphere(0.1, position=[0, -1, 0])]
    drag = sim.begin_drag(tip, bar.vertices[tip] + [0, 0.2, 0])
    sim.step()
    sim.end_drag(drag)
    sim.stiffness = 10
    sim.step()
    assert np.isfinite(sim.positions).all()
    with pytest.raises(pliant.InputError):
        sim.time_step = -1
    # At rest the supports carry the weight.
    sim.stiffness, sim.damping, sim.obstacles = 1, 20, []
    for _ in range(400):
        sim.step()
    weight = 9.81 * body.masses.sum()
    assert sim.reactions_of(ends)[:, 1].sum() == pytest.approx(weight, rel=0.02)


def test_projective_constraints(bar):
    c = pliant.ProjectiveConstraints(bar.vertices)
    c.add_tet_volume(bar.tets, young=1e5, poisson=0.4)
    c.add_springs([[0, 1]], stiffness=10)
    masses = np.full(len(bar.vertices), 0.01)
    sim = pliant.ProjectiveDynamics(c, masses, record_objective=True)
    sim.gravity = [0, 0, 0]
    sim.volume = 2
    sim.step()
    objective = np.array(sim.objective)
    assert (np.diff(objective) <= 1e-9 * abs(objective[0])).all()
    assert sim.can_change_volume


def test_scene(tmp_path):
    scene = pliant.Scene({"bodies": [{"name": "bar", "shape": {"name": "bar", "tets": 200}}], "frames": 3})
    assert scene.names == ["bar"] and len(scene) == 1
    report = scene.run([tmp_path / "bar.pc2"], csv=tmp_path / "bar.csv")
    assert report["frames"] == 4 and (tmp_path / "bar.pc2").exists()
    assert len((tmp_path / "bar.csv").read_text().splitlines()) == 5
    assert scene["bar"].time == pytest.approx(scene.time)
    assert scene.description["bodies"][0]["density"] == 1000
    with pytest.raises(KeyError):
        scene["ball"]
    with pytest.raises(pliant.InputError, match=r"bodies\[0\]\.densty is not a key"):
        pliant.Scene({"bodies": [{"shape": {"name": "bar"}, "densty": 1}]})
    assert pliant.scene_schema()["properties"]["bodies"]["type"] == "array"


def test_shells_and_modes(bar):
    sheet = pliant.make_shape("plate_shell", triangles=200)
    body = pliant.Body(sheet, pliant.Shell(young=1e6, thickness=0.01))
    x = sheet.vertices * [1.1, 1, 1]
    assert body.energy(x) > 0
    sim = pliant.Newton(body)
    sim.step()
    assert np.isfinite(sim.positions).all()
    modes = pliant.linear_modes(pliant.Body(bar, material=pliant.StVK(young=1e6, poisson=0.3)), 6)
    assert modes.converged and modes.rigid.shape[1] == 6
    assert (np.diff(modes.frequencies) >= 0).all() and modes.frequencies[0] > 0
    M = pliant.Body(bar).mass()
    assert np.allclose(modes.U.T @ (M @ modes.U), np.eye(6), atol=1e-8)


def test_reduced_model(bar, tmp_path):
    ends = np.flatnonzero(bar.vertices[:, 0] < bar.vertices[:, 0].min() + 1e-6)
    body = pliant.Body(bar, material=pliant.NeoHookean(young=1e5, poisson=0.4), fixed=ends, damping=(1, 0))
    model = pliant.reduce(body, modes=3, samples=20, poses=40)
    d = model.dimension  # nine a mode, less what a bar's symmetry makes dependent
    assert 18 <= d <= 27 and model.U.shape == (bar.vertices.size, d)
    assert (model.weights >= 0).all() and len(model.elements) == len(model.weights) <= 20
    assert 0 <= model.measured["training_error"] < 1
    model.save(tmp_path / "bar.pliant")
    loaded = pliant.ReducedFem.load(tmp_path / "bar.pliant")
    a, b = pliant.NewmarkBroyden(model), pliant.NewmarkBroyden(loaded)
    for _ in range(10):
        a.step(), b.step()
    assert (a.coordinates == b.coordinates).all() and np.abs(a.coordinates).max() > 0
    x = model.rest_positions + (model.U @ a.coordinates).reshape(-1, 3)
    assert np.allclose(a.positions, x, atol=1e-5)
    # All elements with weight one: the force is what U makes of the body's.
    exact = pliant.reduce_exact(body, modes=3)
    q = np.linspace(-1, 1, d)
    full = body.forces(exact.rest_positions + (exact.U.astype(float) @ q).reshape(-1, 3))
    assert np.allclose(exact.forces(q), exact.U.T @ full.ravel(), rtol=1e-4, atol=1e-4 * np.abs(exact.forces(q)).max())
    with pytest.raises(pliant.InputError):
        pliant.reduce(body, modes=3, samples=10**6)
    with pytest.raises(pliant.InputError):
        pliant.reduce(body, basis="wavelets")
