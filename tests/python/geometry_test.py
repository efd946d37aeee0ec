"""Geometry through numpy."""

import threading

import numpy as np
import pytest
import scipy.sparse

import pliant


@pytest.fixture(scope="module")
def sphere():
    return pliant.make_shape("sphere", tets=5000)


def test_every_shape_can_be_made():
    for name in pliant.shapes():
        mesh = pliant.make_shape(name, tets=1000, triangles=1000)
        ok, text = pliant.validate(mesh)
        assert ok, f"{name}: {text}"


def test_geodesic_distance_through_a_convex_solid_is_euclidean(sphere):
    source = int(np.argmin(sphere.vertices[:, 1]))
    distance = pliant.geodesic_distance(sphere, source)
    straight = np.linalg.norm(sphere.vertices - sphere.vertices[source], axis=1)
    far = straight > 0.5 * straight.max()
    assert np.mean(np.abs(distance[far] / straight[far] - 1)) < 0.02
    near = pliant.geodesic_distance(sphere, [source], max_distance=0.2)
    assert np.all(np.isinf(near[straight > 0.25]))


@pytest.mark.parametrize("sources, words", [(-1, "-1"), (10**7, "10000000"), ([0.5], "integer"), (2**40, "2\\^31")])
def test_a_wrong_source_is_a_sentence(sphere, sources, words):
    with pytest.raises(pliant.InputError, match=words):
        pliant.geodesic_distance(sphere, sources)


def test_furthest_points_cover_ever_better(sphere):
    ids, radius = pliant.furthest_points(sphere, 50, start=[3])
    assert ids[0] == 3 and len(set(ids)) == 50
    assert np.all(np.diff(radius) <= 0)
    distance = pliant.geodesic_distance(sphere, ids)
    assert distance.max() == pytest.approx(radius[-1])
    elements, _ = pliant.furthest_elements(sphere, 20)
    assert len(set(elements)) == 20 and elements.max() < len(sphere.tets)


def test_embedded_points_follow_every_affine_motion(sphere):
    rng = np.random.default_rng(1)
    points = rng.uniform(-1, 1, (200, 3))
    matrix = pliant.embed(sphere, points)
    assert scipy.sparse.issparse(matrix) and matrix.shape == (200, len(sphere.vertices))
    A, b = rng.normal(size=(3, 3)), rng.normal(size=3)
    assert np.allclose(matrix @ (sphere.vertices @ A.T + b), points @ A.T + b, atol=1e-9)


def test_signed_distance_and_winding_number_of_a_sphere(sphere):
    surface, _ = sphere.surface()
    centre = (surface.vertices.min(0) + surface.vertices.max(0)) / 2
    radius = np.linalg.norm(surface.vertices - centre, axis=1).mean()
    points = centre + np.outer(np.linspace(0, 2 * radius, 11), [0.6, 0.0, 0.8])
    distance = pliant.signed_distance(surface, points)
    assert np.allclose(distance, np.linspace(-radius, radius, 11), atol=0.03 * radius)
    winding = pliant.winding_number(surface, points[[0, -1]])
    assert winding == pytest.approx([1, 0], abs=1e-2)


def test_tetrahedralize_fills_what_the_surface_encloses(sphere):
    surface, _ = sphere.surface()
    phases = []
    result = pliant.tetrahedralize(surface, tets=4000, progress=lambda phase, fraction: phases.append(phase))
    assert len(result.mesh.tets) == pytest.approx(4000, rel=0.15)
    assert pliant.info(result.mesh)["volume"] == pytest.approx(pliant.info(surface)["volume"], rel=0.03)
    assert phases


def test_a_progress_callback_can_stop_the_work(sphere):
    def stop(phase, fraction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pliant.make_shape("squid", tets=20000, progress=stop)


def test_long_calls_release_the_gil():
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(1)
            done.wait(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    pliant.make_shape("torus", tets=100_000)
    done.set()
    thread.join()
    assert len(ticks) > 10


def test_repair_gives_a_valid_mesh():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [9, 9, 9]], float)
    broken = pliant.TetMesh(vertices, [[0, 2, 1, 3], [0, 1, 2, 99], [0, 0, 1, 2]])
    ok, text = pliant.validate(broken)
    assert not ok and text
    mended, what = pliant.repair(broken)
    assert pliant.validate(mended)[0] and what
    assert pliant.info(mended)["volume"] == pytest.approx(1 / 6)


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 1e-5), (np.float64, 1e-13)])
def test_svd3_and_polar3(dtype, tolerance):
    F = np.random.default_rng(2).normal(size=(1001, 3, 3)).astype(dtype)
    U, sigma, V = pliant.svd3(F)
    assert U.dtype == dtype
    assert np.allclose(np.einsum("kij,kj,klj->kil", U, sigma, V), F, atol=tolerance)
    assert np.allclose(np.linalg.det(U), 1, atol=tolerance) and np.allclose(np.linalg.det(V), 1, atol=tolerance)
    assert np.allclose(np.abs(sigma), np.linalg.svd(F.astype(float), compute_uv=False), atol=10 * tolerance)
    R, S = pliant.polar3(F)
    assert np.allclose(R @ S, F, atol=10 * tolerance) and np.allclose(S, S.transpose(0, 2, 1), atol=tolerance)
    with pytest.raises(pliant.InputError):
        pliant.svd3(np.zeros((3, 3)))


def test_a_picture_shows_the_body_in_its_colour(sphere, tmp_path):
    red = np.tile([1.0, 0.0, 0.0], (len(sphere.vertices), 1))
    image = pliant.render(sphere, tmp_path / "sphere.png", width=64, height=48, samples=4, colors=red)
    assert image.shape == (48, 64, 3)
    assert image[24, 32, 0] > 2 * image[24, 32, 1]
    assert (tmp_path / "sphere.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(pliant.InputError, match="cut"):
        pliant.render(sphere, cut="w")
