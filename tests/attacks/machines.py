"""Other machines, made from this one: a plain user, an open home folder, packages that are links."""

import json
import os
import site
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("driver.py")
PLAIN_USER = 61179
PATIENCE = 120
PACKAGES = ("numpy", "numpy.libs", "safetensors", "landlockpy", "pyseccomp*")


@dataclass(frozen=True)
class Machine:
    """How a grader is started: words before the command, the interpreter, and where the kit lies."""

    before: Sequence[str] = ()
    python: Path = Path(sys.executable)
    kit: Path = ROOT
    driver: Path = field(default=DRIVER)

    def grade(self, level: str, source: str, library: str = "numpy") -> dict[str, Any]:
        """Run a submission at a level and return what the grader said of it."""
        process = subprocess.run(
            self.command(level, source, library),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert process.returncode == 0, process.stderr[-3000:]
        report: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
        return report

    def command(self, level: str, source: str, library: str = "numpy", *options: str) -> list[str]:
        """The words that start a grader here."""
        return [*self.before, str(self.python), str(self.driver), level, library, source, *options]

    @property
    def environment(self) -> dict[str, str]:
        """The variables of that grader."""
        return {**os.environ, "PYTHONPATH": str(self.kit), "PYTHONDONTWRITEBYTECODE": "1"}


def with_open_folders() -> list[str]:
    """Words that show this Python and this kit to every user, also where they lie in a private home."""
    words = ["bwrap", "--dev-bind", "/", "/"]
    places = [Path(sys.base_prefix), Path(sys.prefix), ROOT]
    for private in sorted({folder for place in places for folder in _closed_above(place)}):
        words += ["--tmpfs", str(private)]
    for place in places:
        if any(_closed_above(place)):
            for folder in reversed(place.parents):
                words += [] if folder == Path("/") else ["--dir", str(folder)]
            words += ["--ro-bind", str(place), str(place)]
    return words


def as_plain_user() -> list[str]:
    """Words that start a command as a user who is nobody, without any right."""
    user = [f"--reuid={PLAIN_USER}", f"--regid={PLAIN_USER}", "--clear-groups", "--inh-caps=-all"]
    return [*with_open_folders(), "setpriv", *user]


def _closed_above(place: Path) -> Iterator[Path]:
    """The outermost folder above a place that others may not enter."""
    for folder in reversed(place.parents):
        if not folder.stat().st_mode & 0o001:
            yield folder
            return


def is_private() -> bool:
    """Whether this Python lies below a folder that others may not enter."""
    return any(_closed_above(Path(sys.base_prefix)))


def make_environment(folder: Path) -> Path:
    """Make a virtual environment without packages and return its folder of packages."""
    venv.create(folder, with_pip=False, symlinks=True)
    return next(folder.glob("lib/python3*/site-packages"))


def link_packages(target: Path, *, file_by_file: bool) -> None:
    """Fill a folder of packages with links to those that a grader needs, as installers with a cache do."""
    source = Path(site.getsitepackages()[0])
    for entry in (entry for pattern in PACKAGES for entry in source.glob(pattern)):
        if file_by_file and entry.is_dir():
            _link_files(entry, target / entry.name)
        else:
            (target / entry.name).symlink_to(entry)


def _link_files(source: Path, target: Path) -> None:
    for folder, _, names in os.walk(source):
        here = target / Path(folder).relative_to(source)
        here.mkdir()
        for name in names:
            (here / name).symlink_to(Path(folder, name))
