"""Hyper-reduced projective dynamics from Python."""
import threading

import numpy as np
import pytest

import pliant

SMALL = dict(handles=15, fitted_handles=12, samples=150, contact_samples=60)


def bear(**options):
    return pliant.Body(pliant.make_shape("bear", tets=1500), material=pliant.NeoHookean(young=5e4, poisson=0.4), **options)


@pytest.fixture(scope="module")
def body():
    return bear()


@pytest.fixture(scope="module")
def model(body):
    return pliant.reduce_hrpd(body, **SMALL)


def run(simulator, steps):
    for _ in range(steps):
        simulator.step()
    return simulator.positions


def test_a_model_says_what_it_is(body, model):
    assert model.degrees_of_freedom == 12 * 15 and len(model.handles) == 15 and model.iterations == 10
    assert model.samples == {"tet_volume": 150} and model.can_change_volume
    assert model.rest_positions.shape == body.rest_positions.shape and "seconds_positions" in model.measured
    assert np.array_equal(model.positions(np.zeros((60, 3))), model.rest_positions)
    with pytest.raises(pliant.InputError, match=r"coordinates are \(3, 3\); expected \(60, 3\)"):
        model.positions(np.eye(3))
    whole, elastic = model.fit_error(pliant.projective_constraints(body), 0.05 * np.ones((60, 3)))
    assert 0 <= whole < elastic


def test_what_does_not_belong_to_a_model_is_refused(model):
    larger = pliant.projective_constraints(pliant.Body(pliant.make_shape("bear", tets=2500)))
    with pytest.raises(pliant.InputError, match="fit_error: constraints of .* vertices for a model of"):
        model.fit_error(larger, np.zeros((60, 3)))
    for simulator in (pliant.Hrpd, pliant.NewmarkBroyden):
        with pytest.raises(TypeError):
            simulator(None)
    with pytest.raises(pliant.InputError, match="-1 contact samples; expected none or more"):
        pliant.reduce_hrpd(bear(), **{**SMALL, "contact_samples": -1})


def test_a_model_saved_and_loaded_moves_the_same(model, tmp_path):
    model.save(tmp_path / "bear.pliant")
    expected = run(pliant.Hrpd(model), 20)
    for load in (pliant.HrpdModel.load, pliant.load_model):
        loaded = load(tmp_path / "bear.pliant")
        assert isinstance(loaded, pliant.HrpdModel) and isinstance(loaded, pliant.ReducedModel)
        assert np.array_equal(run(pliant.Hrpd(loaded), 20), expected)
    with pytest.raises(pliant.InputError, match="bear.pliant: its format is 'pliant-hrpd'; expected 'pliant-reduced-fem'"):
        pliant.ReducedFem.load(tmp_path / "bear.pliant")
    whole = (tmp_path / "bear.pliant").read_bytes()
    (tmp_path / "bear.pliant").write_bytes(whole[:-10])
    with pytest.raises(pliant.InputError, match="bear.pliant: .*cut short"):
        pliant.load_model(tmp_path / "bear.pliant")


def sag(simulator, x):
    """How much lower than at rest the body hangs from its feet, held upside down by gravity."""
    return (simulator.positions - x)[:, 1].max()


def test_stiffness_and_volume_change_while_running():
    x = bear().rest_positions
    feet = np.flatnonzero(x[:, 1] < x[:, 1].min() + 0.05)
    body = bear(fixed=feet)
    model = pliant.reduce_hrpd(body, **SMALL)
    simulator = pliant.Hrpd(model)
    simulator.gravity = [0, 9.81, 0]
    simulator.damping = 3
    run(simulator, 200)
    firm = sag(simulator, x)
    simulator.stiffness = 0.3
    run(simulator, 300)
    soft = sag(simulator, x)
    simulator.stiffness = 1
    run(simulator, 300)
    assert simulator.factorizations == 3
    assert soft > 2 * firm > 0 and sag(simulator, x) == pytest.approx(firm, rel=0.05)

    simulator.gravity = [0, 0, 0]
    tets = model.tets

    def volume():
        p = simulator.positions
        a, b, c, d = (p[tets[:, k]] for k in range(4))
        return np.abs(np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a)).sum() / 6

    run(simulator, 200)
    before = volume()
    simulator.volume = 1.5
    run(simulator, 200)
    assert 1.2 * before < volume() < 1.6 * before
    simulator.volume = 1
    run(simulator, 300)
    assert volume() == pytest.approx(before, rel=0.02)
    assert simulator.factorizations == 3  # a target volume needs none


def test_vertices_are_held_moved_and_released_while_running(model):
    x = model.rest_positions
    feet = np.flatnonzero(x[:, 1] < x[:, 1].min() + 0.03)
    head = int(x[:, 1].argmax())
    simulator = pliant.Hrpd(model)
    simulator.damping = 2
    simulator.fix(feet)
    run(simulator, 60)
    assert np.abs(simulator.positions_of(feet) - x[feet]).max() < 5e-3
    # What holds them carries the weight.
    run(simulator, 240)
    weight = model.masses.sum() * 9.81
    assert simulator.reactions_of(feet)[:, 1].sum() == pytest.approx(weight, rel=0.05)
    simulator.move_fixed(feet, x[feet] + [0.2, 0, 0])
    run(simulator, 120)
    assert np.abs(simulator.positions_of(feet) - x[feet] - [0.2, 0, 0]).max() < 5e-3

    drag = simulator.begin_drag(head, x[head] + [0.5, 0, 0], strength=5)
    before = simulator.positions[head, 0]
    run(simulator, 60)
    assert simulator.positions[head, 0] > before + 0.1
    simulator.end_drag(drag)
    state = simulator.save()
    simulator.release(feet)
    fallen = run(simulator, 60)
    assert fallen[feet, 1].max() < x[feet, 1].min() - 0.5
    assert simulator.factorizations == 1
    simulator.restore(state)
    assert list(simulator.fixed) == list(feet)
    run(simulator, 60)
    assert np.abs(simulator.positions_of(feet) - x[feet] - [0.2, 0, 0]).max() < 5e-3


def test_own_constraints_take_the_place_of_materials(body, model):
    constraints = pliant.ProjectiveConstraints(body.rest_positions)
    constraints.add_tet_strain(body.tets, stiffness=1e5)
    constraints.add_triangle_strain(model.triangles, stiffness=1e3)
    model = pliant.reduce_hrpd(body, constraints=constraints, **SMALL)
    assert set(model.samples) == {"tet_strain", "triangle_strain"} and not model.can_change_volume
    simulator = pliant.Hrpd(model, iterations=3, double_precision=True)
    assert simulator.step().iterations == 3
    with pytest.raises(pliant.InputError, match="volume"):
        simulator.volume = 2


def test_a_shell_is_reduced_too():
    mesh = pliant.make_shape("plate_shell", triangles=400)
    held = np.flatnonzero(mesh.vertices[:, 0] < mesh.vertices[:, 0].min() + 1e-6)
    body = pliant.Body(mesh, material=pliant.Shell(young=1e6, poisson=0.3, thickness=0.005), fixed=held)
    model = pliant.reduce_hrpd(body, **SMALL)
    assert set(model.samples) == {"triangle_strain", "bending"}
    x = run(pliant.Hrpd(model), 60)
    assert np.isfinite(x).all() and x[:, 1].min() < mesh.vertices[:, 1].min() - 0.05
    assert np.array_equal(x[held], mesh.vertices[held])


@pytest.mark.parametrize("options, sentence", [
    (dict(handles=0), "0 handles"),
    (dict(weights="round"), "weights are 'round'; expected smooth or kinked"),
    (dict(iterations=0), "0 iterations; expected 1 to 10000"),
    (dict(samples=0), "0 samples"),
])
def test_what_cannot_be_gets_a_sentence(body, options, sentence):
    with pytest.raises(pliant.InputError, match=sentence):
        pliant.Hrpd(pliant.reduce_hrpd(body, **{**SMALL, **options}))


def test_a_simulator_in_another_thread_is_refused(model):
    simulator = pliant.Hrpd(model)
    refused, done = [], threading.Event()

    def keep_stepping():
        while not done.is_set():
            try:
                simulator.step()
            except RuntimeError as error:
                refused.append(str(error))

    other = threading.Thread(target=keep_stepping)
    other.start()
    for i in range(100_000):
        if refused and i >= 1000:
            break
        try:
            simulator.fix([i % 10])
            simulator.obstacles = [pliant.Obstacle.plane()]
            simulator.step()
            simulator.release([i % 10])
        except RuntimeError as error:
            refused.append(str(error))
    done.set()
    other.join()
    assert refused and all("one thread at a time" in sentence for sentence in refused)
    simulator.step()
    assert np.isfinite(simulator.positions).all()


def test_recorded_projections_of_another_kind_are_refused(body):
    with pytest.raises(pliant.InputError, match="projections of 'tet_strian'; expected kinds of this body: tet_volume"):
        pliant.reduce_hrpd(body, recorded={"tet_strian": np.zeros((2, 3, 9), np.float32)}, **SMALL)


def test_a_scene_reduces_on_the_spot():
    scene = pliant.Scene({"bodies": [{"shape": {"name": "bear", "tets": 1500}, "simulator": {
        "kind": "hrpd", "handles": 15, "fitted_handles": 12, "samples": 150}}]})
    assert scene["body0"].kind == "hrpd"
    scene.step()
