"""Bodies in a browser, from Python."""

import json
import urllib.error
import urllib.request

import pytest

import pliant


def bar_body(**options):
    return pliant.Body(pliant.make_shape("bar", tets=300), material=pliant.NeoHookean(young=1e5, poisson=0.4), **options)


def page(viewer):
    return urllib.request.urlopen(viewer.url, timeout=60).read()


def data(viewer):
    """The header of the first body's data."""
    blob = urllib.request.urlopen(viewer.url + "data/1/0", timeout=60).read()
    return json.loads(blob[8:8 + int.from_bytes(blob[:8], "little")])


def simulators():
    body = bar_body()
    small = dict(handles=8, fitted_handles=6, samples=60, contact_samples=20)
    yield pliant.Hrpd(pliant.reduce_hrpd(body, **small)), "skinning"
    yield pliant.ProjectiveDynamics(body), "positions"
    yield pliant.Newton(body), "positions"


def test_every_simulator_is_shown_with_its_mesh():
    for simulator, decode in simulators():
        with pliant.view(simulator, block=False, browser=False) as viewer:
            assert viewer.running and b"<!doctype html>" in page(viewer).lower()
            header = data(viewer)
            assert header["__metadata__"]["decode"] == decode and header["triangles"]["shape"][0] > 50
        assert not viewer.running
        before = simulator.time  # it is ours again
        simulator.step()
        assert simulator.time > before
        with pytest.raises(urllib.error.URLError):
            page(viewer)


def test_scenes_and_names_are_shown():
    scene = pliant.Scene({"bodies": [{"shape": {"name": "bar", "tets": 200}}]})
    viewer = pliant.view(scene, block=False, browser=False, paused=True)
    assert data(viewer)["rest"]["shape"][1] == 3
    viewer.stop()
    viewer.stop()
    assert scene.time == 0


def test_a_mesh_beside_the_simulator_must_fit():
    mesh = pliant.make_shape("bar", tets=300)
    simulator = pliant.ProjectiveDynamics(bar_body())
    with pliant.view(simulator, mesh=mesh, block=False, browser=False) as viewer:
        assert data(viewer)["triangles"]["shape"][0] > 50
    with pytest.raises(pliant.InputError, match="vertices; expected"):
        pliant.view(simulator, mesh=pliant.make_shape("bar", tets=2000), block=False, browser=False)
    with pytest.raises(pliant.InputError):
        pliant.view("nothing.obj", block=False, browser=False)
