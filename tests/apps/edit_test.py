"""`pliant edit`: poses from models and from meshes."""

import json
import os
import struct

import numpy as np
import pytest

HELD = {"where": {"box": {"low": [0, 0, 0], "high": [0.05, 1, 1]}, "relative": True}}
TIP = {"where": {"box": {"low": [0.95, 0, 0], "high": [1, 1, 1]}, "relative": True},
       "translation": [-0.1, 0.25, 0], "rotation_axis": [0, 0, 1], "rotation_degrees": 40}


def handles_file(folder, *handles, **more):
    path = folder / "handles.json"
    path.write_text(json.dumps({"handles": handles, **more}))
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A free bar, 15 of its elements, made once."""
    from conftest import BUILD
    import subprocess
    path = tmp_path_factory.mktemp("models") / "bar.pliant"
    subprocess.run([BUILD / "bin" / "pliant", "reduce", "bar", "--tets", "400", "--method", "reduced_fem",
                    "--modes", "4", "--samples", "60",
                    "--poses", "60", "-o", path], check=True, capture_output=True)
    return path


def vertices(obj):
    return np.array([[float(word) for word in line.split()[1:4]] for line in obj.read_text().splitlines()
                     if line.startswith("v ")])


def test_a_model_is_posed_into_any_format(program, tmp_path, model):
    files = [tmp_path / name for name in ("pose.obj", "pose.vtu", "pose.mesh", "pose.png")]
    words = [word for file in files for word in ("-o", file)]
    done = program("edit", model, "--handles", handles_file(tmp_path, HELD, TIP), *words, "--width", "200",
                   "--height", "150", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["method"] == "reduced_fem" and report["converged"] and report["iterations"] > 0
    assert report["energy_j"] == pytest.approx(report["elastic_j"] + report["springs_j"])
    assert report["residual"] < 1e-3 and report["seconds"] > 0
    assert report["handle_error"] < 0.03  # of the box: they go where they are told
    assert [handle["vertices"] > 0 for handle in report["handles"]] == [True, True]
    assert all(os.path.getsize(file) > 0 for file in report["files"])
    assert (tmp_path / "pose.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads(program("info", tmp_path / "pose.vtu", "--json").stdout)["tets"] > 100
    # The end is turned by forty degrees about z: it leans there.
    x = vertices(tmp_path / "pose.obj")
    assert x[:, 1].max() > 0.25 + 0.1
    text = program("edit", model, "--handles", handles_file(tmp_path, HELD, TIP)).stdout
    assert "converged" in text and "handles miss by" in text


def test_a_free_model_is_moved_as_a_whole(program, tmp_path, model):
    moved = {"where": {"all": True}, "translation": [1, 2, 3]}
    rest = {"where": {"all": True}}
    for name, handle in (("rest.obj", rest), ("moved.obj", moved)):
        done = program("edit", model, "--handles", handles_file(tmp_path, handle), "-o", tmp_path / name, "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["energy_j"] < 1e-6
    difference = vertices(tmp_path / "moved.obj") - vertices(tmp_path / "rest.obj")
    assert np.abs(difference - [1, 2, 3]).max() < 1e-4


def test_a_sequence_goes_from_rest_to_the_pose(program, tmp_path, model):
    handles = handles_file(tmp_path, HELD, TIP)
    done = program("edit", model, "--handles", handles, "--sequence", "5", "-o", tmp_path / "way.pc2", "-o",
                   tmp_path / "way.obj", "-o", tmp_path / "way.png")
    assert done.returncode == 0, done.stderr
    bytes_ = (tmp_path / "way.pc2").read_bytes()
    points, frames = struct.unpack_from("<i", bytes_, 16)[0], struct.unpack_from("<i", bytes_, 28)[0]
    assert frames == 5 and sorted(p.name for p in tmp_path.glob("way_*.obj")) == [f"way_000{i}.obj" for i in range(1, 6)]
    x = np.frombuffer(bytes_, dtype="<f4", offset=32).reshape(frames, points, 3)
    assert program("edit", model, "--handles", handles, "-o", tmp_path / "pose.obj").returncode == 0
    assert np.abs(x[-1] - vertices(tmp_path / "pose.obj")).max() < 1e-3
    lengths = np.linalg.norm(x - x[0], axis=2).max(axis=1)
    assert lengths[0] == 0 and (np.diff(lengths) > 0).all()


def test_the_surface_that_was_brought_is_what_is_posed(program, tmp_path):
    surface, model = tmp_path / "ball.obj", tmp_path / "ball.pliant"
    assert program("shape", "sphere", "--tets", "2000", "-o", surface).returncode == 0
    assert program("reduce", surface, "--tets", "400", "--method", "reduced_fem", "--modes", "3",
                   "--samples", "30", "--poses", "30",
                   "-o", model).returncode == 0
    pose = tmp_path / "pose.obj"
    done = program("edit", model, "--handles", handles_file(tmp_path, HELD, TIP), "-o", pose)
    assert done.returncode == 0, done.stderr
    before, after = vertices(surface), vertices(pose)
    assert before.shape == after.shape and np.abs(after - before).max() > 0.1


def test_a_mesh_is_posed_too_and_truth_is_at_hand(program, tmp_path):
    words = ["edit", "bar", "--tets", "300", "--modes", "6", "--handles", handles_file(tmp_path, HELD, TIP), "--json"]
    near = json.loads(program(*words, "-o", tmp_path / "near.obj").stdout)
    done = program(*words, "--full", "-o", tmp_path / "truth.obj")
    assert done.returncode == 0, done.stderr
    full = json.loads(done.stdout)
    assert near["method"] == "exact_forces" and full["method"] == "full" and full["converged"]
    assert full["energy_j"] < near["energy_j"]  # the minimum over more
    assert 0 < full["subspace_distance"] <= full["subspace_distance_largest"] < 0.05
    difference = np.linalg.norm(vertices(tmp_path / "near.obj") - vertices(tmp_path / "truth.obj"), axis=1)
    assert 0 < difference.max() < 0.05 * 1.1


def test_the_keys_are_printed(program):
    assert json.loads(program("edit", "--schema").stdout)["title"] == "Pliant handles"
    assert "| `handles[].rotation_degrees` |" in program("edit", "--keys").stdout


@pytest.mark.parametrize("handle, sentence", [
    ({"where": {"sphere": {"center": [9, 9, 9], "radius": 1}}},
     "handles.json: handles[0].where selects no vertex; the body's vertices lie in ["),
    ({"where": {"vertices": [1, 100000]}}, "handles.json: handles[0].where.vertices[1] is 100000; expected 0 to "),
    ({"where": {"all": True}, "rotate": 3}, "handles.json: handles[0].rotate is not a key of handle"),
    ({"where": {"all": True}, "rotation_degrees": "much"},
     'handles.json: handles[0].rotation_degrees is "much"; expected a number'),
    ({"where": {"box": {"low": [0, 0, 0]}}}, "handles.json: handles[0].where.box.high is missing"),
])
def test_handles_that_cannot_be_get_one_sentence(program, tmp_path, model, handle, sentence):
    done = program("edit", model, "--handles", handles_file(tmp_path, handle), "-o", tmp_path / "pose.obj")
    assert done.returncode == 1 and done.stdout == ""
    assert sentence in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "pose.obj").exists()


def test_wrong_usage(program, tmp_path, model):
    handles = handles_file(tmp_path, HELD)
    for words, sentence in [
        (["edit"], "no body given"),
        (["edit", model], "no handles given"),
        (["edit", model, "--handles", handles, "--full"], "--full: a model knows its subspace only"),
        (["edit", model, "--handles", handles, "-o", "pose.xyz"], "nothing here writes '.xyz'"),
        (["edit", model, "--handles", handles, "--sequence", "3", "-o", "pose.vtu"],
         'a sequence cannot be written as ".vtu"; expected one of'),
    ]:
        done = program(*words)
        assert done.returncode == 2 and sentence in done.stderr, done.stderr
    done = program("edit", model, "--handles", tmp_path / "none.json")
    assert done.returncode == 1 and done.stderr.count("none.json") == 1
    for command in ("simulate", "modes", "edit"):
        done = program(command, "nothing.json", *(["--handles", handles] if command == "edit" else []))
        assert done.returncode == 1 and done.stderr.count("nothing.json") == 1
    (tmp_path / "broken.json").write_text("{\n  handles: 3}")
    done = program("edit", model, "--handles", tmp_path / "broken.json")
    assert done.returncode == 1 and "broken.json" in done.stderr and "line 2" in done.stderr
