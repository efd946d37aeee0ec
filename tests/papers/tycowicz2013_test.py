"""The script of a paper runs through, keeps what is finished, and writes what it promises."""

import json
import os
import re
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT

SECTIONS = ["table1", "table2", "table3", "fig7", "fig8", "fig10", "fig11", "fig12"]


def run(folder, *words):
    return subprocess.run([sys.executable, ROOT / "papers" / "tycowicz2013.py", "--quick", "--output", folder,
                           *words],
                          env={**os.environ, "PYTHONPATH": str(BUILD / "python"), "PLIANT_BUILD": str(BUILD)},
                          capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper") / "out"
    done = run(folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_section_is_in_the_results_and_in_the_report(finished):
    sections = json.loads((finished / "results.json").read_text())["sections"]
    assert set(sections) == set(SECTIONS)
    report = (finished / "report.md").read_text()
    assert len(re.findall("^## ", report, re.MULTILINE)) == len(SECTIONS)
    for picture in re.findall(r"\]\((\w+\.png)\)", report):
        assert (finished / picture).stat().st_size > 1000
    for row in sections["table1"].values():
        assert 0 < row["nn_htp"]["training"] < min(row["greedy"]["training"], row["greedy_all"]["training"])
    dragon = sections["fig10"]["dragon"]
    assert len(dragon["from_full"]["nn_htp"]) == len(dragon["lateral"]["full"])


def test_a_resumed_run_keeps_what_is_there(finished):
    before = json.loads((finished / "results.json").read_text())
    del before["sections"]["fig7"]
    (finished / "results.json").write_text(json.dumps(before))
    done = run(finished, "--resume", "--only", "fig7,table3")
    assert done.returncode == 0, done.stderr
    after = json.loads((finished / "results.json").read_text())
    assert after["sections"]["table3"] == before["sections"]["table3"]
    assert after["sections"]["fig7"]


def test_wrong_words_get_a_sentence(tmp_path):
    done = run(tmp_path, "--only", "table9")
    assert done.returncode == 2 and "table9" in done.stderr
    done = subprocess.run([sys.executable, ROOT / "papers" / "tycowicz2013.py", "--meshes",
                           tmp_path / "nowhere", "--output", tmp_path],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and "no such folder" in done.stderr
