"""The program as a person or a script uses it."""

import json
import os
import pty
import signal
import subprocess

import numpy as np
import pytest

from conftest import BUILD

COMMANDS = ["info", "shape", "tetrahedralize", "export", "bench", "modes", "reduce", "edit", "simulate", "snapshots", "view"]


def test_help_of_every_command_has_an_example(program):
    assert all(command in program("--help").stdout for command in COMMANDS)
    for command in COMMANDS:
        done = program(command, "--help")
        assert done.returncode == 0
        assert "Example:" in done.stdout and f"pliant {command}" in done.stdout


@pytest.mark.parametrize("words", [
    [], ["nonsense"], ["info"], ["shape", "dodo"], ["shape", "squid", "--tets", "many"],
    ["shape", "bar", "-o", "bar.xyz"], ["shape", "bar", "--tets", "1000", "--vertices", "1000"],
    ["tetrahedralize", "a.obj", "--tets", "0", "-o", "b.vtu"], ["export", "only_one.obj"], ["--threads", "-3", "shape", "bar"],
])
def test_wrong_usage_is_exit_code_2_and_a_sentence(program, words):
    done = program(*words)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("pliant: ") and done.stdout == ""


@pytest.mark.parametrize("words, sentence", [
    (["nonsense"], "there is no command 'nonsense'; expected one of info, shape, tetrahedralize, export, bench, modes, reduce, edit, simulate, snapshots, view"),
    ([], "no command was given; expected one of info, shape, tetrahedralize, export, bench, modes, reduce, edit, simulate, snapshots, view"),
    (["shape", "bar", "--size", "nan"], "--size: found 'nan'; expected a number above 0 and below 1e9"),
    (["shape", "bar", "--size", "large"], "--size: found 'large'; expected a number above 0 and below 1e9"),
    (["shape", "bar", "--size", "-1"], "--size: found '-1'; expected a number above 0 and below 1e9"),
    (["shape", "menger_sponge", "--level", "9"], "--level: Value 9 not in range 0 to 4"),
    (["shape", "bar", "--azimuth", "nan"], "--azimuth: found 'nan'; expected degrees, as 30"),
    (["shape", "bar", "--elevation", "91"], "--elevation: found '91'; expected degrees from -90 to 90"),
    (["shape", "bar", "-o", "bar.png.gz"], "bar.png.gz: a picture is compressed in itself; leave out .gz"),
    (["tetrahedralize", "a.obj", "--open", "maybe"], "--open: maybe not in {auto,solid,shell}"),
    (["tetrahedralize", "a.obj", "--edge-length", "inf"], "--edge-length: found 'inf'; expected metres, above 0"),
])
def test_wrong_usage_says_what_came_and_what_was_expected(program, words, sentence):
    done = program(*words)
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "pliant: " + sentence


@pytest.mark.parametrize("choice", ["auto", "solid", "shell"])
def test_open_surfaces_are_what_one_says(program, choice):
    assert program("shape", "plate_shell", "--triangles", "200", "-o", "open.obj").returncode == 0
    done = program("tetrahedralize", "open.obj", "--tets", "2000", "--open", choice, "--json")
    if choice == "solid":  # a flat sheet encloses nothing
        assert done.returncode == 1 and "open.obj" in done.stderr
    else:
        assert done.returncode == 0 and json.loads(done.stdout)["shells"] == 1


def test_a_file_without_a_mesh_is_exit_code_1_and_a_sentence(program, tmp_path):
    (tmp_path / "empty.obj").write_text("")
    done = program("info", "empty.obj")
    assert done.returncode == 1
    assert done.stderr == "pliant: empty.obj: line 1: the file ends; expected a vertex somewhere in the file, as 'v 0 0 0'\n"
    (tmp_path / "lonely.ele").write_text("1 4 0\n1 1 2 3 4\n")
    done = program("info", "lonely.ele")
    assert done.returncode == 1
    assert done.stderr == "pliant: lonely.ele: found no lonely.node beside it; expected one\n"


def test_a_missing_file_is_exit_code_1_and_names_it(program):
    done = program("info", "nowhere.obj")
    assert done.returncode == 1
    assert "nowhere.obj" in done.stderr


def test_options_may_stand_anywhere(program):
    done = program("shape", "-o", "a.OBJ", "bar", "--tets", "1000", "--threads", "1")
    assert done.returncode == 0, done.stderr
    done = program("tetrahedralize", "-o", "b.vtu", "a.OBJ", "--tets", "1500")
    assert done.returncode == 0, done.stderr


def test_info_counts(program):
    assert program("shape", "bar", "--tets", "1000", "-o", "bar.mesh").returncode == 0
    made = json.loads(program("shape", "bar", "--tets", "1000", "--json").stdout)
    seen = json.loads(program("info", "bar.mesh", "--json").stdout)
    for key in ["vertices", "triangles", "tets", "components", "volume"]:
        assert seen[key] == pytest.approx(made[key], rel=1e-12)
    assert seen["components"] == 1 and seen["valid"] is True
    assert len(json.loads(program("info", "bar.mesh", "bar.mesh", "--json").stdout)) == 2


def test_a_shape_goes_through_every_format_and_back(program, tmp_path):
    assert program("shape", "torus", "--tets", "2000", "-o", "a.vtu").returncode == 0
    before = json.loads(program("info", "a.vtu", "--json").stdout)
    chain = ["a.vtu", "b.msh", "c.mesh.gz", "d.veg", "e.ele", "f.vtk", "g.vtu"]
    for source, target in zip(chain, chain[1:]):
        done = program("export", source, target)
        assert done.returncode == 0, done.stderr
    after = json.loads(program("info", "g.vtu", "--json").stdout)
    assert {**before, "file": ""} == {**after, "file": ""}


def test_repair_mends_what_info_complains_about(program, tmp_path):
    (tmp_path / "broken.mesh").write_text(
        "MeshVersionFormatted 2\nDimension 3\nVertices 6\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n9 9 9 0\n"
        "Tetrahedra 4\n1 2 3 4 0\n1 2 3 4 0\n2 3 5 4 0\n1 1 2 3 0\nEnd\n")
    sick = json.loads(program("info", "broken.mesh", "--json").stdout)
    assert sick["valid"] is False
    done = program("export", "broken.mesh", "mended.mesh", "--repair")
    assert done.returncode == 0, done.stderr
    well = json.loads(program("info", "mended.mesh", "--json").stdout)
    assert well["valid"] is True and well["tets"] == 2 and well["vertices"] == 5
    assert well["volume"] == pytest.approx(1 / 6 + 1 / 3)


def test_any_surface_becomes_tets(program):
    assert program("shape", "torus", "--tets", "3000", "-o", "torus.obj").returncode == 0
    done = program("tetrahedralize", "torus.obj", "--tets", "5000", "-o", "torus.vtu", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["tets"] == pytest.approx(5000, rel=0.15)
    assert result["min_angle"] > 5 and result["components"] == 1


def test_a_picture(program, tmp_path):
    done = program("shape", "bear", "--tets", "3000", "-o", "bear.png", "--width", "160", "--height", "120")
    assert done.returncode == 0, done.stderr
    data = (tmp_path / "bear.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(data[16:20], "big") == 160


def test_nothing_is_drawn_in_a_pipe(program):
    assert program("shape", "sphere", "--tets", "20000").stderr == ""


def test_a_failed_export_leaves_the_old_file(program, tmp_path):
    (tmp_path / "kept.vtu").write_text("precious")
    (tmp_path / "bad.off").write_text("OFF\n1 1 0\n0 0 0\n3 0 1 2\n")
    assert program("export", "bad.off", "kept.vtu").returncode == 1
    assert (tmp_path / "kept.vtu").read_text() == "precious"
    assert sorted(os.listdir(tmp_path)) == ["bad.off", "kept.vtu"]


def test_ctrl_c_stops_cleanly(tmp_path):
    """On a terminal: a bar is drawn, Ctrl-C ends the work with one line and leaves no file behind."""
    master, slave = pty.openpty()
    process = subprocess.Popen([BUILD / "bin" / "pliant", "shape", "squid", "--tets", "2000000", "-o", "big.vtu"],
                               cwd=tmp_path, stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    drawn = os.read(master, 65536).decode()  # waits for the bar
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 1
    drawn += os.read(master, 65536).decode()
    os.close(master)
    assert "interrupted" in drawn and "%" in drawn
    assert os.listdir(tmp_path) == []


def test_bench_newton_tells_where_the_time_goes(program):
    done = program("bench", "newton", "--vertices", "200", "--steps", "3", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["vertices"] > 100 and result["tets"] > 300 and result["iterations"] == 1
    parts = result["phases_ms"]
    assert {"assembly", "factorize", "solve"} <= set(parts)
    assert 0 < sum(parts.values()) <= result["ms_per_step"] * 1.5  # medians of parts and of the whole
    assert result["peak_mb"] > 1 and result["threads"] >= 1


def test_bench_newton_of_a_surface_is_of_a_shell(program, tmp_path):
    sheet = tmp_path / "sheet.obj"
    sheet.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")
    done = program("bench", "newton", "--mesh", str(sheet), "--steps", "3", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["triangles"] == 2 and result["material"] == "shell" and "tets" not in result
    assert set(result["mean_phases_ms"]) == set(result["phases_ms"])


def test_bench_projective_tells_where_the_time_goes(program):
    done = program("bench", "projective", "--vertices", "500", "--steps", "3", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["vertices"] > 300 and result["tets"] > 800 and result["iterations"] == 10
    parts = result["phases_ms"]
    assert {"local", "global"} <= set(parts)
    assert 0 < sum(parts.values()) <= result["ms_per_step"] * 1.5
    assert result["peak_mb"] > 1 and result["threads"] >= 1


SCENE = {"frames": 6, "bodies": [{"name": "bar", "shape": {"name": "bar", "tets": 150}}],
         "obstacles": [{"kind": "plane", "position": [0, -0.2, 0]}]}


def scene_file(folder, **changes):
    path = folder / "scene.json"
    path.write_text(json.dumps({**SCENE, **changes}))
    return path


def test_a_scene_becomes_motion(program, tmp_path):
    scene = scene_file(tmp_path)
    outputs = [tmp_path / f"out.{extension}" for extension in ("pvd", "pc2", "glb", "obj")]
    words = [word for path in outputs for word in ("-o", path)]
    done = program("simulate", scene, *words, "--csv", tmp_path / "out.csv", "--picture", tmp_path / "out.png", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["frames"] == 7 and report["steps"] == 6 and report["ms_per_step"] > 0
    assert all(os.path.exists(path) for path in report["files"])
    rows = (tmp_path / "out.csv").read_text().splitlines()
    assert rows[0].startswith("frame,time [s],kinetic [J]") and len(rows) == 8
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_a_stopped_run_goes_on(program, tmp_path):
    scene = scene_file(tmp_path)
    words = ["--checkpoint", tmp_path / "run.checkpoint", "-o", tmp_path / "run.pc2"]
    assert program("simulate", scene, "--frames", "3", *words).returncode == 0
    done = program("simulate", scene, "--resume", *words, "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["resumed_frame"] == 3
    assert program("simulate", scene, "-o", tmp_path / "whole.pc2").returncode == 0
    assert (tmp_path / "run.pc2").read_bytes() == (tmp_path / "whole.pc2").read_bytes()


@pytest.mark.parametrize("changes, sentence", [
    ({"frame": 1}, "frame is not a key of scene; did you mean frames?"),
    ({"time_step": "fast"}, 'time_step is "fast"; expected a number from 1e-06 to 1'),
    ({"bodies": [{"shape": {"name": "bar"}, "density": -1}]}, "bodies[0].density is -1; expected a number above 0"),
    ({"bodies": [{"mesh": "missing.obj"}]}, "bodies[0].mesh: "),
    ({"bodies": [{"shape": {"name": "bar"}, "fixed": [{"sphere": {"center": [9, 9, 9], "radius": 1}}]}]},
     "bodies[0].fixed[0] selects no vertex"),
])
def test_a_bad_scene_gets_a_sentence_and_leaves_nothing(program, tmp_path, changes, sentence):
    done = program("simulate", scene_file(tmp_path, **changes), "-o", tmp_path / "out.pc2")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("pliant: ") and sentence in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scene.json"]


def test_the_schema_is_printed(program):
    schema = json.loads(program("simulate", "--schema").stdout)
    assert schema["title"] == "Pliant scene" and schema["additionalProperties"] is False
    assert "| `bodies[].density` |" in program("simulate", "--keys").stdout
    assert program("simulate").returncode == 2
    assert program("simulate", "a.json", "-o", "a.xyz").returncode == 2


# === Reduced models

SMALL = ["--modes", "3", "--samples", "20", "--poses", "30"]
FEM = ["--method", "reduced_fem", *SMALL]
HRPD = ["--handles", "10", "--fitted-handles", "8", "--samples", "60", "--iterations", "5", "--contact-samples", "40"]


def test_reduce_writes_a_model_that_simulates(program, tmp_path):
    model = tmp_path / "bar.pliant"
    done = program("reduce", "bar", "--tets", "300", "--fix-lowest", "0.1", *FEM, "-o", model, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["dimension"] == 27 and 0 < report["samples"] <= 20
    assert 0 <= report["training_error"] < 1 and report["seconds_subspace"] >= 0
    shown = json.loads(program("info", model, "--json").stdout)
    assert shown["fresh_error"] == report["fresh_error"] and shown["basis"] == "extended_modes"
    assert "27 coordinates" in program("info", model).stdout
    done = program("simulate", model, "--frames", "5", "-o", tmp_path / "bar.pc2", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["bodies"][0]["simulator"] == "newmark_broyden" and report["unconverged_steps"] == 0

    # The same from a scene that refers to the model, and from one that reduces on the spot.
    scene = tmp_path / "scene.json"
    scene.write_text(json.dumps({"bodies": [{"model": "bar.pliant"}], "frames": 5}))
    assert program("simulate", scene, "-o", tmp_path / "scene.pc2").returncode == 0
    assert (tmp_path / "bar.pc2").read_bytes() == (tmp_path / "scene.pc2").read_bytes()
    scene.write_text(json.dumps({"frames": 2, "bodies": [{
        "shape": {"name": "bar", "tets": 300},
        "simulator": {"kind": "reduced_fem", "modes": 3, "samples": 20, "poses": 30}}]}))
    assert program("simulate", scene).returncode == 0


def test_reduce_carries_the_surface_that_was_brought(program, tmp_path):
    surface, model = tmp_path / "ball.obj", tmp_path / "ball.pliant"
    assert program("shape", "sphere", "--tets", "2000", "-o", surface).returncode == 0
    done = program("reduce", surface, "--tets", "400", *FEM, "-o", model)
    assert done.returncode == 0, done.stderr
    assert program("simulate", model, "--frames", "2", "-o", tmp_path / "ball.glb").returncode == 0


@pytest.mark.parametrize("words, message", [
    (["bar", "--tets", "100", "--method", "reduced_fem", "--modes", "1000"], "1000 modes of a body with"),
    (["bar", "--tets", "100", "--method", "reduced_fem", "--modes", "2", "--samples", "90000"], "90000 samples of"),
    (["bar", "--tets", "100", "--fix-lowest", "1"], "vertices of the body are fixed; expected some that move"),
    (["bar", "--tets", "100", "--fix-lowest", "1", "--method", "reduced_fem"],
     "vertices of the body are fixed; expected some that move"),
    (["nothing.obj"], "nothing.obj"),
    (["sofa"], "sofa"),
    (["bar", "--material", "jelly"], "jelly"),
    (["bar", "--poisson", "0.5"], "poisson"),
])
def test_reduce_refuses_what_cannot_be(program, tmp_path, words, message):
    done = program("reduce", *words, "-o", tmp_path / "out.pliant")
    assert done.returncode == 1 and message in done.stderr
    assert not list(tmp_path.glob("out*"))


def points_of(path):
    """Frames of a .pc2 file: (frames, points, 3)."""
    raw = path.read_bytes()
    points = int.from_bytes(raw[16:20], "little")
    return np.frombuffer(raw[32:], dtype="<f4").reshape(-1, points, 3)


def test_a_bare_mesh_becomes_hyper_reduced_projective_dynamics(program, tmp_path):
    surface, model = tmp_path / "ball.obj", tmp_path / "ball.pliant"
    assert program("shape", "sphere", "--tets", "2000", "-o", surface).returncode == 0
    done = program("reduce", surface, "--tets", "600", *HRPD, "-o", model, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["method"] == "hrpd" and report["handles"] == 10 and report["iterations"] == 5
    assert report["degrees_of_freedom"] == 120 and 40 <= report["contact_vertices"] <= 82  # 40 of the surface, one a column
    assert report["constraints"] == [{"kind": "tet_volume", "samples": 80, "sampling": "weighted",
                                      "fitted_dimension": 0}]
    assert 0 < report["fit_error"] < report["fit_error_of_elastic_force"] < 1
    shown = json.loads(program("info", model, "--json").stdout)
    assert shown == report
    assert "10 handles, 120 degrees of freedom" in program("info", model).stdout

    # It falls on the floor below it, the surface that was brought is what moves, and the mesh alone does the same.
    done = program("simulate", model, "--frames", "60", "-o", tmp_path / "model.pc2", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["bodies"][0]["simulator"] == "hrpd"
    done = program("simulate", surface, "--tets", "600", *HRPD, "--frames", "60", "-o", tmp_path / "mesh.pc2")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "mesh.pc2").read_bytes() == (tmp_path / "model.pc2").read_bytes()
    x = points_of(tmp_path / "model.pc2")
    assert x.shape[1] == json.loads(program("info", surface, "--json").stdout)["vertices"]
    low, height = x[0, :, 1].min(), np.ptp(x[0, :, 1])
    assert low - 0.4 * height < x[-1, :, 1].min() < low - 0.2 * height
    assert program("simulate", model, "--no-floor", "--frames", "60", "-o", tmp_path / "free.pc2").returncode == 0
    assert points_of(tmp_path / "free.pc2")[-1, :, 1].max() < low

    # The same from scenes: one that refers to the model, one that reduces on the spot.
    scene = tmp_path / "scene.json"
    floor = [{"kind": "plane", "position": [0, float(low - 0.3 * height), 0]}]
    for body in ({"model": "ball.pliant"}, {"model": "ball.pliant", "simulator": {"kind": "hrpd", "iterations": 3}},
                 {"mesh": "ball.obj", "tets": 600, "simulator": {
                     "kind": "hrpd", "handles": 10, "fitted_handles": 8, "samples": 60}}):
        scene.write_text(json.dumps({"frames": 60, "bodies": [body], "obstacles": floor, "script": [
            {"kind": "stiffness", "time": 0.2, "factor": 0.5}, {"kind": "volume", "time": 0.3, "factor": 1.5}]}))
        done = program("simulate", scene, "-o", tmp_path / "scene.pc2")
        assert done.returncode == 0, done.stderr
        y = points_of(tmp_path / "scene.pc2")
        assert np.isfinite(y).all() and low - 0.5 * height < y[-1, :, 1].min() < low - 0.2 * height

    # Positions alone are reduced: every constraint is evaluated.
    done = program("reduce", surface, "--tets", "600", "--handles", "10", "--no-fit", "-o", model, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["constraints"][0]["samples"] == report["tets"] and not report["fit"]
    assert program("simulate", model, "--frames", "5").returncode == 0

    # A scene that names a method is reduced by it, with its options.
    scene.write_text(json.dumps({"bodies": [{"shape": {"name": "bar", "tets": 300}, "simulator": {
        "kind": "hrpd", "handles": 9, "fit": True}}]}))
    done = program("reduce", scene, "--samples", "50", "--sampling", "fitted", "-o", model, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["handles"] == 9 and report["constraints"][0]["samples"] == 50


@pytest.mark.parametrize("words, message", [
    (["reduce", "bar", "--modes", "3", "-o", "a.pliant"], "--modes belongs to --method reduced_fem; the method is hrpd"),
    (["reduce", "bar", "--method", "reduced_fem", "--no-fit", "-o", "a.pliant"],
     "--no-fit belongs to --method hrpd; the method is reduced_fem"),
    (["reduce", "bar", "--method", "magic", "-o", "a.pliant"], "magic"),
    (["reduce", "bar", "--handles", "0", "-o", "a.pliant"], "--handles"),
    (["simulate", "a.pliant", "--handles", "3"], "a.pliant: a model says itself how it is reduced"),
    (["simulate", "a.json", "--method", "hrpd"], "a.json: a scene says itself how it is reduced"),
    (["simulate", "a.pliant", "--young", "1e6"], "a.pliant: a model says itself what it is; expected no --young"),
    (["edit", "a.pliant", "--young", "1e6", "--handles", "h.json", "-o", "a.obj"],
     "a.pliant: a model says itself what it is; expected no --young"),
    (["reduce", "a.json", "--shell", "-o", "a.pliant"], "a.json: a scene says itself what it is; expected no --shell"),
])
def test_options_of_another_method_are_wrong_usage(program, words, message):
    done = program(*words)
    assert done.returncode == 2 and message in done.stderr


@pytest.mark.parametrize("method, format_", [(FEM, "pliant-reduced-fem"), (HRPD, "pliant-hrpd")])
def test_models_cut_short_or_of_a_newer_format_are_refused(program, tmp_path, method, format_):
    model, handles = tmp_path / "bar.pliant", tmp_path / "handles.json"
    handles.write_text('{"handles": [{"where": {"all": true}}]}')
    assert program("reduce", "bar", "--tets", "200", *method, "-o", model).returncode == 0
    whole = model.read_bytes()
    size = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8:8 + size])
    header["__metadata__"]["format_version"] = "7"
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    newer = len(text).to_bytes(8, "little") + text + whole[8 + size:]
    for bytes_, sentence in [
        (whole[:0], "the file ends after 0 bytes"), (whole[:100], "cut short"), (whole[:2000], "cut short"),
        (whole[:-10], "cut short"), (newer, f"version 7 of '{format_}' is newer than this program"),
    ]:
        model.write_bytes(bytes_)
        for words in (["simulate", model, "--frames", "2"], ["edit", model, "--handles", handles], ["info", model]):
            done = program(*words)
            assert done.returncode == 1 and done.stdout == ""
            assert sentence in done.stderr and len(done.stderr.splitlines()) == 1
            assert done.stderr.count("bar.pliant") == 1


def test_bench_hrpd_compares_with_the_other_ways(program):
    words = ["bench", "hrpd", "--shape", "bear", "--vertices", "600", "--handles", "20", "--projection-handles", "15",
             "--samples", "200", "--steps", "20", "--full-steps", "2", "--motion", "push", "--compare", "20", "--json"]
    done = program(*words, "--coarse-tets", "300", "--other-young", "1e5")  # that of the body
    assert done.returncode == 0, done.stderr
    fitted = json.loads(done.stdout)
    for key in ["vertices", "tets", "threads", "dofs", "samples", "seconds_positions", "seconds_projections",
                "seconds_matrices", "seconds_contact", "offline_s", "steps_per_s", "full_steps_per_s", "ratio",
                "microseconds_local", "microseconds_global", "fit_error", "fit_error_of_elastic_force", "peak_mb"]:
        assert fitted[key] > 0, key
    assert 0 < fitted["coarse_vertices"] < fitted["vertices"] and fitted["coarse_steps_per_s"] > 0
    assert 0 < fitted["coarse_position_error"] < 0.2
    assert fitted["other_full_error"] < 1e-9
    done = program(*words, "--no-fit", "--other-young", "1.3e5")
    assert done.returncode == 0, done.stderr
    exact = json.loads(done.stdout)
    assert exact["fit_error"] == 0 and exact["samples"] == exact["tets"] and exact["position_error"] < 0.1
    assert 0.001 < exact["other_full_error"] < 0.1


@pytest.mark.parametrize("words", [["--size", "nan"], ["--poisson", "-0.3"], ["--poisson", "0.5"], ["--young", "0"],
                                   ["--vertices", "0"]])
def test_bench_hrpd_refuses_what_it_cannot_run(program, words):
    done = program("bench", "hrpd", "--shape", "bear", *words)
    assert done.returncode == 2 and words[0] in done.stderr


def test_reduce_refuses_what_nothing_could_read_or_run(program, tmp_path):
    done = program("reduce", "bear", "--tets", "300", "-o", tmp_path / "bear.txt")
    assert done.returncode == 2 and "bear.txt; expected a name that ends in .pliant" in done.stderr
    done = program("reduce", "bear", "--tets", "300", "--young", "0", "-o", tmp_path / "bear.pliant")
    assert done.returncode == 2 and "--young" in done.stderr and not list(tmp_path.iterdir())


def test_bench_reduced_fem_tells_all(program):
    done = program("bench", "reduced-fem", "--shape", "bar", "--vertices", "300", *SMALL, "--steps", "20",
                   "--full-steps", "3", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    for key in ["vertices", "tets", "dimension", "seconds_subspace", "seconds_training", "seconds_cubature",
                "training_error", "fresh_error", "greedy_error", "motion_error", "steps_per_s",
                "iterations_per_step", "full_steps_per_s", "ratio", "pose_scale", "peak_mb"]:
        assert report[key] >= 0, key


@pytest.mark.parametrize("hold", [[], ["--free"]])
def test_bench_reduced_fem_of_shells_over_a_second(program, hold):
    done = program("bench", "reduced-fem", "--shape", "plate_shell", "--vertices", "150", "--thickness", "0.02", *hold,
                   *SMALL, "--steps", "20", "--full-steps", "60", "--no-greedy", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["triangles"] > 50 and "tets" not in report and (report["fixed_vertices"] == 0) == bool(hold)
    for name in ["bend", "twist", "drop"]:
        assert report["motion_largest_displacement_" + name] > 0 and report["motion_error_" + name] >= 0
    for key in ["motion_error", "subspace_gap", "cubature_gap"]:
        parts = [report[f"{key}_{name}"] for name in ("bend", "twist", "drop")]
        assert report[key] == pytest.approx(sum(parts) / 3)


def test_modes_are_printed_and_written(program, tmp_path):
    arrays, film, picture = (str(tmp_path / name) for name in ("bar.safetensors", "bar.glb", "bar.png"))
    done = program("modes", "bar", "--tets", "300", "--count", "4", "--kind", "extended", "--shown", "2",
                   "-o", arrays, "-o", film, "-o", picture, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["rigid"] == 6 and report["kind"] == "extended_modes"
    d = report["dimension"]  # a bar of square section has modes whose maps coincide
    assert 12 + 9 * 2 < d <= 12 + 9 * 4
    assert report["frequencies"] == sorted(report["frequencies"]) and report["frequencies"][0] > 0
    assert report["reduced_frequencies"][:6] == [0] * 6
    header = open(arrays, "rb").read()
    size = int.from_bytes(header[:8], "little")
    shapes = {name: array["shape"] for name, array in json.loads(header[8:8 + size]).items() if name != "__metadata__"}
    assert shapes["U"] == [3 * report["vertices"], d] and shapes["frequencies"] == [d]
    assert open(film, "rb").read(4) == b"glTF" and open(picture, "rb").read(4) == b"\x89PNG"
    table = program("modes", "bar", "--tets", "300", "--count", "4", "--fix-lowest", "0.3").stdout
    assert "0 rigid motions" in table and "linear_modes: 4 dimensions" in table


@pytest.mark.parametrize("words, code, message", [
    (["--count", "100000"], 2, "--count"),
    (["--count", "9000"], 1, "count is 9000; expected 1 to"),
    (["-o", "bar.obj"], 2, "modes cannot be written as \".obj\""),
    (["--kind", "best"], 2, "--kind"),
])
def test_modes_refuses_what_cannot_be(program, words, code, message):
    done = program("modes", "bar", "--tets", "300", *words)
    assert done.returncode == code and message in done.stderr


def test_motion_is_recorded_and_becomes_a_subspace(program, tmp_path):
    scene = tmp_path / "drop.json"
    scene.write_text(json.dumps({
        "frames": 20,
        "bodies": [{"name": "bear", "shape": {"name": "bear", "tets": 1000}, "position": [0, 0.5, 0], "velocity": [0, -3, 0],
                    "simulator": {"kind": "projective_dynamics"}}],
        "obstacles": [{"kind": "plane"}]}))
    frames, model = tmp_path / "drop.safetensors", tmp_path / "drop.pliant"
    done = program("snapshots", "record", str(scene), "--every", "2", "-o", str(frames), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["frames"] == 11
    done = program("reduce", str(scene), "--method", "hrpd", "--subspace", "localized", "--snapshots", str(frames), "--components",
                  "16", "-o", str(model), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["degrees_of_freedom"] == 60
    done = program("simulate", str(model), "--frames", "10", "--json")
    assert done.returncode == 0, done.stderr
    # Projections as they were recorded, and at the recorded positions.
    done = program("snapshots", "record", str(scene), "--every", "2", "--projections", "-o", str(tmp_path / "more.safetensors"),
                  "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["projections"] == 1, done.stderr
    errors = []
    for file in (frames, tmp_path / "more.safetensors"):
        done = program("reduce", str(scene), "--method", "hrpd", "--subspace", "localized", "--snapshots", str(file), "--components",
                      "16", "--fitted-space", "snapshots", "--fitted-dimension", "12", "--samples", "200", "-o", str(model), "--json")
        assert done.returncode == 0, done.stderr
        errors.append(json.loads(done.stdout)["fit_error"])
    assert errors[0] == pytest.approx(errors[1], rel=1e-2)
    for words in (["pca", "--align"], ["localized", "--appended", "translations"], ["splocs", "--sparsity", "1", "--outer", "0.4"]):
        done = program("reduce", str(scene), "--method", "hrpd", "--snapshots", str(frames), "--components", "8", "--subspace", *words,
                      "-o", str(model), "--json")
        assert done.returncode == 0, done.stderr
    done = program("reduce", "bear", "--fitted-space", "snapshots", "-o", str(model))
    assert done.returncode == 1 and "fitted_space is snapshots and there are no snapshots" in done.stderr
    done = program("reduce", "bear", "--tets", "800", "--subspace", "pca", "--snapshots", str(frames), "-o", str(model))
    assert done.returncode == 1 and "expected the same mesh" in done.stderr
    done = program("reduce", "bear", "--subspace", "pca", "-o", str(model))
    assert done.returncode == 1 and "there are no snapshots" in done.stderr
    done = program("snapshots", "record", str(scene), "--body", "fish", "-o", str(frames))
    assert done.returncode == 2 and "--body fish" in done.stderr


def test_sequences_of_files_are_recorded(program, tmp_path):
    numpy = pytest.importorskip("numpy")
    done = program("shape", "bear", "--tets", "500", "-o", str(tmp_path / "bear.mesh"))
    assert done.returncode == 0, done.stderr
    scene = tmp_path / "drop.json"
    scene.write_text(json.dumps({
        "frames": 6, "bodies": [{"mesh": "bear.mesh", "simulator": {"kind": "projective_dynamics"}}]}))
    for output in ("drop.pc2", "drop.obj"):
        done = program("simulate", str(scene), "-o", str(tmp_path / output))
        assert done.returncode == 0, done.stderr
    numpy.save(tmp_path / "drop.npy", numpy.zeros((4, 10, 3), dtype=numpy.float32))
    meshes = sorted(str(f) for f in tmp_path.glob("drop*.obj"))
    for files, count in ((["drop.pc2"], None), (meshes, len(meshes)), (["drop.npy"], 4)):
        done = program("snapshots", "record", *[str(tmp_path / f) for f in files], "-o", str(tmp_path / "a.safetensors"), "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["frames"] == (count or len(meshes))
    broken = numpy.zeros((4, 10, 3))
    broken[2, 3, 1] = numpy.nan
    numpy.save(tmp_path / "drop.npy", broken)
    done = program("snapshots", "record", str(tmp_path / "drop.npy"), "-o", str(tmp_path / "a.safetensors"))
    assert done.returncode == 1 and "frame 2 has a number that is not finite" in done.stderr
    done = program("snapshots", "record", str(tmp_path / "drop.npy"), "--projections", "-o", str(tmp_path / "a.safetensors"))
    assert done.returncode == 2 and "belong to a scene" in done.stderr


def test_bench_of_snapshots_measures_each_method(program):
    done = program("bench", "snapshots", "--vertices", "400", "--frames", "20", "--components", "12", "--steps", "10", "--samples",
                  "100", "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    for method in ("pca", "localized", "splocs"):
        assert figures[f"seconds_{method}"] > 0 and figures[f"error_{method}"] < 0.5 and figures[f"peak_mb_{method}"] > 1
    assert figures["error_pca"] <= figures["error_localized"]
    assert figures["drop_localized"]["degrees_of_freedom"] == figures["drop_skinning"]["degrees_of_freedom"] == 48
