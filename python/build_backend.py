"""Builds the wheel for `pip install .` (PEP 517) with CMake alone.

A backend of our own, because the usual ones must be downloaded first: this one needs what Debian has and nothing else.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def _version():
    return re.search(r"project\(pliant VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def _metadata():
    return "\n".join([
        "Metadata-Version: 2.1",
        "Name: pliant",
        f"Version: {_version()}",
        "Summary: Turns a mesh into a deformable object that runs in real time",
        "License: Apache-2.0",
        "Requires-Python: >=3.9",
        "Requires-Dist: numpy",
        "Requires-Dist: scipy",
        "",
    ])


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _wheel_info():
    return f"Wheel-Version: 1.0\nGenerator: pliant\nRoot-Is-Purelib: false\nTag: {_tag()}\n"


def _dist_info():
    return f"pliant-{_version()}.dist-info"


def _build():
    """Compiles the module; returns the folder of the package."""
    build = ROOT / "build-wheel"
    subprocess.run(
        ["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
         f"-DPython_EXECUTABLE={sys.executable}", "-DPLIANT_PYTHON=ON", "-DPLIANT_TESTS=OFF",
         "-DPLIANT_BENCHMARKS=OFF", "-DPLIANT_APPS=OFF"], check=True)
    subprocess.run(["cmake", "--build", str(build), "--target", "pliant_python"], check=True)
    return build / "python" / "pliant"


def _record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = _build()
    files = {f"pliant/{path.name}": path.read_bytes() for path in sorted(package.iterdir()) if path.is_file()}
    files[f"{_dist_info()}/METADATA"] = _metadata().encode()
    files[f"{_dist_info()}/WHEEL"] = _wheel_info().encode()
    files[f"{_dist_info()}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = [_record_line(name, data) for name, data in files.items()] + [f"{_dist_info()}/RECORD,,"]
    files[f"{_dist_info()}/RECORD"] = ("\n".join(record) + "\n").encode()

    name = f"pliant-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory) / _dist_info()
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata())
    (folder / "WHEEL").write_text(_wheel_info())
    return folder.name


def build_sdist(sdist_directory, config_settings=None):
    name = f"pliant-{_version()}"
    archive = os.path.join(sdist_directory, f"{name}.tar.gz")
    subprocess.run(["git", "-C", str(ROOT), "archive", "--format=tar.gz", f"--prefix={name}/", "-o", archive, "HEAD"],
                   check=True)
    return os.path.basename(archive)
