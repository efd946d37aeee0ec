"""Where the Python tests find what this build made."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("PLIANT_BUILD", ROOT / "build"))
sys.path.insert(0, str(BUILD / "python"))


@pytest.fixture
def program(tmp_path):
    """Runs the program in an empty folder; returns the finished process."""

    def run(*words):
        return subprocess.run([BUILD / "bin" / "pliant", *map(str, words)], cwd=tmp_path, capture_output=True,
                              text=True, timeout=300)

    return run
