"""Meshes as numpy arrays, and mesh files."""

import gc
import os
import pickle

import numpy as np
import pytest

import pliant

CUBE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]], float)
# Five tets: one in the middle, four at alternating corners.
TETS = np.array([[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]])


@pytest.fixture
def cube():
    volumes = np.einsum("ij,ij->i", np.cross(CUBE[TETS[:, 1]] - CUBE[TETS[:, 0]], CUBE[TETS[:, 2]] - CUBE[TETS[:, 0]]),
                        CUBE[TETS[:, 3]] - CUBE[TETS[:, 0]])
    tets = TETS.copy()
    tets[volumes < 0] = tets[volumes < 0][:, [0, 2, 1, 3]]
    return pliant.TetMesh(CUBE, tets)


def test_arrays_are_views_that_keep_the_mesh_alive(cube):
    cube.vertices[3] = [7, 8, 9]
    assert cube.vertices[3].tolist() == [7, 8, 9]
    vertices = cube.vertices
    del cube
    gc.collect()
    assert vertices[3].tolist() == [7, 8, 9]


def test_vertices_can_be_moved_but_not_counted_anew(cube):
    cube.vertices = 2 * CUBE
    assert np.array_equal(cube.vertices, 2 * CUBE)
    with pytest.raises(ValueError, match="8 vertices"):
        cube.vertices = CUBE[:4]


@pytest.mark.parametrize("vertices, tets, words", [
    (CUBE[:, :2], TETS, r"vertices has shape \(8, 2\); expected \(n, 3\)"),
    (CUBE, TETS[:, :3], r"tets has shape \(5, 3\); expected \(m, 4\)"),
    (CUBE, TETS.astype(float), "expected integers"),
    (CUBE, TETS + 2**40, "2\\^31"),
    (CUBE.astype(str), TETS, "expected numbers"),
])
def test_wrong_arrays_get_a_sentence(vertices, tets, words):
    with pytest.raises(pliant.InputError, match=words):
        pliant.TetMesh(vertices, tets)


def test_an_input_error_is_a_value_error_and_ours():
    assert issubclass(pliant.InputError, ValueError) and issubclass(pliant.InputError, pliant.Error)


@pytest.mark.parametrize("extension", [".vtu", ".msh", ".mesh", ".mesh.gz", ".veg", ".vtk"])
def test_tets_survive_a_round_trip(cube, tmp_path, extension):
    path = tmp_path / ("cube" + extension)
    pliant.write_mesh(path, cube)
    back = pliant.read_mesh(str(path))
    assert isinstance(back, pliant.TetMesh)
    assert np.array_equal(back.tets, cube.tets)
    assert np.array_equal(back.vertices, cube.vertices)


@pytest.mark.parametrize("extension", [".obj", ".ply", ".off", ".stl", ".glb", ".off.gz"])
def test_a_solid_written_as_a_surface_is_its_boundary(cube, tmp_path, extension):
    path = tmp_path / ("cube" + extension)
    pliant.write_mesh(path, cube)
    back = pliant.read_mesh(path)
    assert isinstance(back, pliant.TriMesh)
    assert len(back.triangles) == 12 and len(back.vertices) == 8


def test_the_surface_knows_where_its_vertices_came_from(cube):
    surface, ids = cube.surface()
    assert len(surface.triangles) == 12
    assert np.array_equal(surface.vertices, cube.vertices[ids])


def test_a_broken_file_names_itself_and_the_line(tmp_path):
    path = tmp_path / "broken.off"
    path.write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 x\n3 0 1 2\n")
    with pytest.raises(pliant.InputError, match=r"broken\.off.*line 5"):
        pliant.read_mesh(path)


def test_a_name_that_is_no_text_is_in_the_message(tmp_path):
    path = os.fsencode(tmp_path) + b"/no\xfftext.obj"
    with pytest.raises(pliant.InputError) as error:
        pliant.read_mesh(os.fsdecode(path))
    assert "no\\xfftext.obj: cannot read: No such file" in str(error.value)


def test_pickle(cube):
    back = pickle.loads(pickle.dumps(cube))
    assert np.array_equal(back.vertices, cube.vertices) and np.array_equal(back.tets, cube.tets)


def test_help_shows_docstrings():
    for name in pliant.__all__:
        assert getattr(pliant, name).__doc__, f"pliant.{name} has no docstring"
