"""A virtual environment for each contestant, so that none is slowed down by another's plugins."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.records import ContestantUnavailable

SHOWN_CHARACTERS = 600


def environment(folder: Path, packages: Sequence[str]) -> Path:
    """Return a virtual environment that holds these packages, making it when there is none yet.

    Raises:
        ContestantUnavailable: a package cannot be installed here.
    """
    stamp, text = folder / "packages.txt", "\n".join(packages)
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == text:
        return folder
    venv.create(folder, with_pip=True, clear=True)
    command = [
        str(executable(folder, "python")),
        "-m",
        "pip",
        "install",
        "--quiet",
        *packages,
    ]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode:
        raise ContestantUnavailable(
            f"{' '.join(packages)} cannot be installed: {process.stderr[-SHOWN_CHARACTERS:].strip()}"
        )
    stamp.write_text(text, encoding="utf-8")
    return folder


def libraries(library: str) -> list[str]:
    """The array libraries of a homework in the versions that the kit itself runs with."""
    names = ["numpy", "torch"] if library == "torch" else ["numpy"]
    return [f"{name}=={version(name).partition('+')[0]}" for name in names]


def executable(folder: Path, name: str) -> Path:
    """The path of a program in a virtual environment."""
    return folder / ("Scripts" if sys.platform == "win32" else "bin") / name


def variables(folder: Path, **more: str) -> Mapping[str, str]:
    """Environment variables under which the programs of a virtual environment find each other."""
    path = os.pathsep.join(
        [str(executable(folder, "x").parent), os.environ.get("PATH", "")]
    )
    threads = dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
    )
    usual = {
        **os.environ,
        **threads,
        "PYTHONSAFEPATH": "",
    }  # as whoever runs these programs would have it
    return {**usual, "PATH": path, "VIRTUAL_ENV": str(folder), **more}
