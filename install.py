"""Install the kit into .venv, as ``make`` does: say how large it is, show progress, prefer PyTorch's CPU build.

Needs only Python's own library, because it runs before anything is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

OLDEST_PYTHON = (3, 11)
ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
CONSTRAINED = ("--constraint", str(ROOT / "constraints.txt"))
GRADING = (
    "Installing what grading needs into .venv: PyTorch's CPU build, NumPy, IPython, pytest "
    "and about 45 small packages.\n"
    "About 240 MB to download and 1 GB of disk; one to three minutes. This happens once."
)
DEVELOPMENT = (
    "Installing the development tools into .venv: Otter-Grader, Dask, Playwright, mypy, ruff "
    "and about 100 others.\n"
    "Less than 200 MB to download and 650 MB of disk; one to three minutes. This happens once."
)
FOR_GRAPHICS_CARDS = ("nvidia-", "cuda-")
"""Beginnings of the packages that come with PyTorch's builds for graphics cards: several gigabytes."""
NO_CPU_BUILD = """\
error: PyTorch's CPU build could not be installed; the lines above say why.
pip itself would take the build for graphics cards, which needs several gigabytes. Either name an index
of CPU builds, which PyTorch's "Get started" page shows:
    make grade TORCH_INDEX=URL
or install the large build, and run the same command again:
    .venv/bin/python -m pip install --constraint constraints.txt torch"""


def main() -> int:
    """Install what grading needs, and with ``--dev`` the development tools; return the exit status."""
    parser = argparse.ArgumentParser(description="Install the kit into .venv.")
    parser.add_argument("--dev", action="store_true", help="also the development tools")
    wants_tools = parser.parse_args().dev
    if sys.version_info < OLDEST_PYTHON:
        print(
            "error: Python 3.11 or newer is needed; name it: make PYTHON=python3.11",
            file=sys.stderr,
        )
        return 1

    started = time.monotonic()
    steps = install_tools if wants_tools else install_for_grading
    try:
        steps()
    except subprocess.CalledProcessError as error:
        print(
            f"error: {' '.join(error.cmd)} failed; run the same command again",
            file=sys.stderr,
        )
        return 1
    except NoCpuBuildError:
        print(NO_CPU_BUILD, file=sys.stderr)
        return 1
    say(f"Installed in {time.monotonic() - started:.0f} s.")
    return 0


class NoCpuBuildError(Exception):
    """PyTorch's CPU build cannot be had, and pip would take the one for graphics cards."""


def install_for_grading() -> None:
    """Make .venv and install the kit and its requirements, PyTorch first, because it is by far the largest."""
    say(GRADING)
    say("[1/4] a virtual environment")
    run(sys.executable, "-m", "venv", str(ENVIRONMENT))
    say("[2/4] PyTorch")
    install_torch(os.environ.get("TORCH_INDEX", ""))
    say("[3/4] NumPy, IPython, pytest and the rest")
    pip("install", *CONSTRAINED, "--editable", str(ROOT))
    say("[4/4] compiling, so that every command starts sooner")
    run(python(), "-m", "compileall", "-q", "-x", "templates", str(ROOT / "autograder"))


def install_tools() -> None:
    """Install the development tools into the .venv that grading uses."""
    say(DEVELOPMENT)
    pip("install", *CONSTRAINED, "--editable", f"{ROOT}[dev,notebooks]")


def install_torch(index: str) -> None:
    """Install PyTorch from an index, or with pip's own settings, unless these bring a build for graphics cards.

    Args:
        index: the address of an index of CPU builds, or nothing.

    Raises:
        NoCpuBuildError: pip would take gigabytes, and uv, which knows PyTorch's own index, cannot reach it.
    """
    if index:
        pip("install", *CONSTRAINED, "--extra-index-url", index, "torch")
    elif brings_graphics_cards(packages_with_torch()):
        say(
            "pip would take the build for graphics cards (several GB): uv takes the CPU build instead"
        )
        pip("install", "--quiet", "uv")
        command = [
            python(),
            "-m",
            "uv",
            "pip",
            "install",
            "--python",
            python(),
            *CONSTRAINED,
        ]
        try:
            run(*command, "--torch-backend", "cpu", "torch")
        except subprocess.CalledProcessError as error:
            raise NoCpuBuildError from error
    else:
        pip("install", *CONSTRAINED, "torch")


def packages_with_torch() -> list[str]:
    """Return the names of the packages that pip would install for PyTorch; none if it is installed already."""
    command = [
        python(),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--dry-run",
        "--report",
        "-",
        *CONSTRAINED,
        "torch",
    ]
    report = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return [package["metadata"]["name"] for package in json.loads(report)["install"]]


def brings_graphics_cards(packages: Sequence[str]) -> bool:
    """Whether packages belong to a build for graphics cards."""
    return any(name.startswith(FOR_GRAPHICS_CARDS) for name in packages)


def python() -> str:
    """Return the path of the virtual environment's Python."""
    if os.name == "nt":
        return str(ENVIRONMENT / "Scripts" / "python.exe")
    return str(ENVIRONMENT / "bin" / "python")


def pip(*words: str) -> None:
    """Run pip in the virtual environment; it shows its own progress."""
    run(python(), "-m", "pip", "--disable-pip-version-check", *words)


def run(*command: str) -> None:
    """Run a command, and raise ``CalledProcessError`` if it fails."""
    subprocess.run(command, check=True)


def say(text: str) -> None:
    """Print at once, also into a pipe, so that the order of our lines and pip's is kept."""
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
