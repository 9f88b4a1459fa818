"""Students' checks under each Python that can be had here, with the oldest and the newest NumPy that it takes.

CI skips nothing: a version that cannot be had is said aloud, and the test of it passes.
"""

import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from released import HW1, unzip

HW3 = "hw3_scaled_dot_product_attention"
OLDEST_NUMPY = {11: "numpy==1.26.*", 12: "numpy==1.26.*", 13: "numpy==2.1.*", 14: "numpy==2.3.*"}
"""The first NumPy, not before 1.26, that has wheels for a Python 3.x."""
NEWEST_NUMPY = "numpy"


class NotHadWarning(UserWarning):
    """A version that could not be tried."""


def interpreter(minor):
    """Find Python 3.x: the running one, one on the path, or one of pyenv; blank without."""
    if sys.version_info.minor == minor:
        return sys.executable
    places = [shutil.which(f"python3.{minor}") or ""]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    places += [str(path) for path in sorted(pyenv.glob(f"versions/3.{minor}.*/bin/python"))]
    for place in filter(None, places):
        question = "import sys; print(sys.version_info.minor)"
        process = subprocess.run([place, "-c", question], capture_output=True, text=True, check=False)
        if process.stdout.strip() == str(minor):
            return place
    return ""


def install(minor, requirement, folder):
    """Install NumPy for Python 3.x into a folder, from wheels alone; return why it cannot be had, or nothing.

    It is compiled where it is imported: here it would be compiled whole, and for the Python of the tests.
    """
    target = ["--target", folder, "--python-version", f"3.{minor}", "--only-binary", ":all:"]
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-compile",
    ]
    process = subprocess.run([*command, *target, requirement], capture_output=True, text=True, check=False)
    if process.returncode == 0:
        return ""
    return process.stderr.strip().splitlines()[-1]


# Each Python checks both homeworks.
@pytest.mark.parametrize("minor", OLDEST_NUMPY)
@pytest.mark.parametrize(("numpy", "homework_id"), [("oldest", HW1), ("newest", HW3)])
def test_the_solution_is_all_green(minor, numpy, homework_id, course, tmp_path):
    requirement = {"oldest": OLDEST_NUMPY[minor], "newest": NEWEST_NUMPY}[numpy]
    python = interpreter(minor)
    trouble = "no such Python is here"
    if python:
        trouble = install(minor, requirement, tmp_path / "numpy")
    if trouble:
        warnings.warn(NotHadWarning(f"Python 3.{minor}, {requirement}: not tried, {trouble}"), stacklevel=1)
        return
    homework = course.homework(homework_id)
    folder = unzip(homework_id, tmp_path / homework_id)
    (folder / homework.stub).write_bytes(homework.solution.read_bytes())
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "numpy"), "PYTHONIOENCODING": "utf-8"}
    process = subprocess.run(
        [python, "check.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    assert "All public checks pass" in process.stdout
    assert process.stderr == ""


def test_the_running_python_is_one_of_them():
    assert sys.version_info.minor in OLDEST_NUMPY
    assert interpreter(sys.version_info.minor) == sys.executable
