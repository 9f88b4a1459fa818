"""Build the zip for Otter-Grader: the output of ``otter generate`` around the zip for Gradescope."""

from __future__ import annotations

import importlib.metadata
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from autograder.archives import zipped
from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.platforms.gradescope_bundle import gradescope_zip
from autograder.templates import render

PLUGIN = "autograder.otter.plugin.Plugin"
SCRIPTS = ("run_autograder", "setup.sh", "setup_kit.sh", "setup_otter.sh")
NO_TESTS = "The kit's own checks do the grading; Otter needs this folder, but finds no tests in it.\n"


def otter_zip(
    course: Course,
    homeworks: Sequence[Homework],
    chosen: bool,
    seed: int,
    torch_index: str = "",
) -> bytes:
    """Return the bytes of the zip for ``otter run -a`` and Gradescope, the same for the same files and seed.

    The arguments are those of ``gradescope_zip``.

    Raises:
        CourseError: Otter-Grader is missing, or could not make its zip.
    """
    try:
        importlib.metadata.version("otter-grader")
    except importlib.metadata.PackageNotFoundError as error:
        raise CourseError(
            "Otter-Grader is not installed here: pip install 'attention-homework-kit[otter]', "
            "or `.venv/bin/pip install -e '.[otter]'` in a clone of the kit"
        ) from error
    kit = _unzipped(gradescope_zip(course, homeworks, chosen, seed, torch_index))
    options = ["--seed", str(seed)]
    if chosen:
        for homework in homeworks:
            options += ["--homework", homework.id]
    otter = _generated(options)
    files = {
        **kit,
        **otter,
        "setup_kit.sh": kit["setup.sh"],
        "setup_otter.sh": otter["setup.sh"],
        "setup.sh": render("autograder.authoring", "otter_setup.sh").encode(),
        "run_otter.py": render("autograder.authoring", "otter_run_otter.py").encode(),
        "tests/README.txt": NO_TESTS.encode(),
    }
    return zipped(files, executable=SCRIPTS)


def _generated(options: Sequence[str]) -> dict[str, bytes]:
    """Return the files that ``otter generate`` packs for the kit's plugin, by name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tests").mkdir()
        plugin = {PLUGIN: {"options": list(options)}}
        config = {"plugins": [plugin], "print_summary": False}
        (folder / "config.json").write_text(json.dumps(config), "utf-8")
        command = [sys.executable, "-P", "-m", "otter", "generate"]
        command += ["-t", "tests", "-o", "otter.zip", "-c", "config.json"]
        command += ["--no-requirements", "--no-environment"]
        process = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False
        )
        if process.returncode:
            raise CourseError(f"`otter generate` failed:\n{process.stderr}")
        return _unzipped((folder / "otter.zip").read_bytes())


def _unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
