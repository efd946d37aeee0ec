"""The scripts of papers run through, keep what is finished, and write what they promise."""

import json
import os
import re
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT

SECTIONS = {
    "tycowicz2013": ["table1", "table2", "table3", "fig7", "fig8", "fig10", "fig11", "fig12"],
    "brandt2018": ["table1", "table2", "fig3", "fig4", "fig5", "fig6", "iterations", "bunny"],
    "monem2023": ["bunny", "fig3", "other", "shell", "projections", "sequences"],
}


def run(script, folder, *words):
    return subprocess.run([sys.executable, ROOT / "papers" / f"{script}.py", "--quick", "--output", folder,
                           *words],
                          env={**os.environ, "PYTHONPATH": str(BUILD / "python"), "PLIANT_BUILD": str(BUILD)},
                          capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder that a script has written."""
    folders = {}

    def of(script):
        if script not in folders:
            folders[script] = tmp_path_factory.mktemp(script) / "out"
            done = run(script, folders[script])
            assert done.returncode == 0, done.stderr
        return folders[script]

    return of


def sections_of(folder):
    return json.loads((folder / "results.json").read_text())["sections"]


@pytest.mark.parametrize("script", SECTIONS)
def test_every_section_is_in_the_results_and_in_the_report(finished, script):
    folder = finished(script)
    assert set(sections_of(folder)) == set(SECTIONS[script])
    report = (folder / "report.md").read_text()
    assert len(re.findall("^## ", report, re.MULTILINE)) == len(SECTIONS[script])
    pictures = re.findall(r"\]\((\w+\.png)\)", report)
    assert pictures
    for picture in pictures:
        assert (folder / picture).stat().st_size > 1000


def test_tycowicz2013_is_better_than_greedy(finished):
    sections = sections_of(finished("tycowicz2013"))
    for row in sections["table1"].values():
        assert 0 < row["nn_htp"]["training"] < min(row["greedy"]["training"], row["greedy_all"]["training"])
    dragon = sections["fig10"]["dragon"]
    assert len(dragon["from_full"]["nn_htp"]) == len(dragon["lateral"]["full"])


def test_brandt2018_follows_the_full_method(finished):
    sections = sections_of(finished("brandt2018"))
    errors = [r["mean"] for r in sections["table2"]["armadillo"]["by_dofs"].values()]
    assert errors == sorted(errors, reverse=True) and errors[-1] < 0.03  # larger subspaces come closer
    bar = sections["fig3"]["bar"]
    falling = bar["full"]["energies"]
    assert all(b <= (1 + 1e-9) * a for a, b in zip(falling, falling[1:]))
    assert bar["reduced"]["energies"][-1] < 0.7 * bar["energy_at_start"]
    drop = sections["fig5"]["armadillo"]
    assert sum(drop["errors"]["hrpd"]) / drop["steps"] < 0.03
    for sampling in ("fitted", "weighted"):
        assert max(sections["fig4"]["dragon"][sampling]["right_hand_side"]) < 0.1
    soft = sections["fig6"]["armadillo"]["from_rest"]
    assert soft[2] > 2 * soft[3]  # collapsed, and up again
    assert sections["iterations"]["armadillo"]["from_1000"]["20"]["mean"] < 0.005
    columns = sections["bunny"]["fall"]["columns"]
    assert columns["pliant"]["condition"] < 1e6 < columns["with_ones"]["condition"]
    assert columns["pliant"]["gravity"] == pytest.approx([1, 1], abs=1e-6)


def test_monem2023_runs_in_what_was_recorded(finished):
    sections = sections_of(finished("monem2023"))
    fall = sections["bunny"]["fall"]
    assert len({fall["dofs"][k] for k in ("localized", "splocs", "pca", "skinning")}) == 1  # equal dimension
    assert fall["projection"]["pca"] < fall["projection"]["localized"] < 0.05
    for name in ("positions", "hyper"):
        for kind in fall["dofs"]:
            run = fall["runs"][name][kind]
            assert len(run["error"]) == len(run["turned"]) == fall["steps"] and max(run["error"]) < 3  # nothing flies apart
    rows = sections["projections"]["bunny"]["rows"]
    for dimension in (10, 20):
        assert rows[f"recorded {dimension}"]["fit"][0] < rows[f"handles {dimension}"]["fit"][0]
    for sequence in sections["sequences"].values():
        seen = [a for a, _ in sequence["errors"]["localized as they are"]]
        assert seen == sorted(seen, reverse=True)


def test_a_resumed_run_keeps_what_is_there(finished):
    folder = finished("tycowicz2013")
    before = json.loads((folder / "results.json").read_text())
    del before["sections"]["fig7"]
    (folder / "results.json").write_text(json.dumps(before))
    done = run("tycowicz2013", folder, "--resume", "--only", "fig7,table3")
    assert done.returncode == 0, done.stderr
    after = sections_of(folder)
    assert after["table3"] == before["sections"]["table3"]
    assert after["fig7"]


@pytest.mark.parametrize("script", SECTIONS)
def test_wrong_words_get_a_sentence(script, tmp_path):
    done = run(script, tmp_path, "--only", "table9")
    assert done.returncode == 2 and "table9" in done.stderr
    done = subprocess.run([sys.executable, ROOT / "papers" / f"{script}.py", "--meshes",
                           tmp_path / "nowhere", "--output", tmp_path],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and "no such folder" in done.stderr
