"""What the documentation shows is what runs."""

import os
import re
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("**/*.md")])


def significant_lines(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("language, example", [("cpp", "hello.cpp"), ("python", "hello.py")])
def test_the_readme_shows_the_examples(language, example):
    shown = re.findall(rf"```{language}\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    code = significant_lines((ROOT / "examples" / example).read_text())
    assert shown, f"README.md has no {language} snippet"
    for snippet in shown:
        for line in significant_lines(snippet):
            assert line in code, f"README.md shows '{line}', which examples/{example} does not run"


def test_the_examples_run(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(BUILD / "python")}
    subprocess.run([BUILD / "examples" / "example_hello"], cwd=tmp_path, check=True, timeout=300)
    subprocess.run([sys.executable, ROOT / "examples" / "hello.py"], cwd=tmp_path, check=True, timeout=300, env=environment)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    prose = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)", prose):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_exist(page):
    """Every `pliant word` in a code block is a command the program has."""
    commands = subprocess.run([BUILD / "bin" / "pliant", "--help"], capture_output=True, text=True).stdout
    for block in re.findall(r"```(?:sh)?\n(.*?)```", page.read_text(), re.DOTALL):
        for word in re.findall(r"^(?:build/bin/)?pliant (\w+)", block, re.MULTILINE):
            assert re.search(rf"^\s+{word}\b", commands, re.MULTILINE), f"{page}: pliant {word}"


@pytest.mark.parametrize("command, page", [("simulate", "scene.md"), ("edit", "editing.md")])
def test_tables_of_keys_are_the_programs(command, page):
    keys = subprocess.run([BUILD / "bin" / "pliant", command, "--keys"], capture_output=True, text=True).stdout
    assert keys and keys in (ROOT / "docs" / page).read_text(), f"paste `pliant {command} --keys` into docs/{page}"
