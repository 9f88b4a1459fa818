"""The public checks of this homework: what `pytest` and `python check.py` run, and notebooks as well.

    from public_checks import case, check_task, expected
    check_task("softmax", globals())
    x = case("softmax", 1)

All code and data lie in `public_checks.pyz`. It is unpacked once, into `__pycache__`, because Python keeps
what it compiled of files, but not of archives. In the kit, this file is `autograder/student/bootstrap.py`.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ARCHIVE = "public_checks.pyz"
HERE = next(path for path in Path(__file__).resolve().parents if path.name != ARCHIVE)
"""The homework's folder, also for the copy of this file that lies in the archive."""

# The inputs are tiny, and NumPy's threads take longer to start than to work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class ReleaseError(ImportError):
    """The released folder is not whole; the message says what is missing and what to do."""


def check_task(task: str, namespace: dict[str, Any]) -> Any:
    """Run the public checks of one task on what a notebook defines: `globals()`."""
    return _engine("task").check_task(task, namespace, HERE)


def case(task: str, number: int = 1) -> Any:
    """Return copies of the arguments of a public case: one value, or a tuple where the function takes more.

    Of a module these are its arguments, its weights by name, and the input.
    """
    return _engine("task").case(task, number, HERE)[0]


def expected(task: str, number: int = 1) -> Any:
    """Return what a public case expects."""
    return _engine("task").case(task, number, HERE)[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `python check.py`; return its exit status."""
    try:
        status: int = _engine("command").main(HERE, arguments)
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return status


def course_progress(top: Path, arguments: Sequence[str]) -> int:
    """Run `python check.py` of the folder around several homeworks; return its exit status."""
    status: int = _engine("progress").main(top, arguments)
    return status


def register(config: Any) -> None:
    """Let `pytest` run the public checks: for `conftest.py`."""
    _engine("pytest_hooks").register(config)


def _engine(module: str) -> Any:
    """Import a module of the engine: of the one that is loaded already, else of this homework's archive."""
    if "autograder" not in sys.modules:
        sys.path.insert(0, str(unpacked(HERE)))
    return importlib.import_module(f"autograder.student.{module}")


@functools.cache
def unpacked(folder: Path) -> Path:
    """Return where a homework's archive lies unpacked; ``ReleaseError`` where it is missing or damaged."""
    archive = folder / ARCHIVE
    try:
        home = folder / "__pycache__" / f"public_checks-{zlib.crc32(archive.read_bytes()):08x}"
        return home if home.is_dir() else _unpack(archive, home)
    except OSError as error:
        raise ReleaseError(f"{archive} cannot be unpacked ({error}); unzip the homework again") from error


def _unpack(archive: Path, home: Path) -> Path:
    """Unpack under another name first, so that what bears the name is whole, and remove older ones."""
    import atexit
    import shutil
    import tempfile
    import zipfile

    new = home.with_name(f"unpacking-{os.getpid()}")
    try:
        new.mkdir(parents=True)
    except OSError:  # nothing can be written here: unpack for this run alone
        home = new = Path(tempfile.mkdtemp(prefix="public_checks-"))
        atexit.register(shutil.rmtree, home, ignore_errors=True)
    try:
        with zipfile.ZipFile(archive) as whole:
            whole.extractall(new)
    except (OSError, zlib.error, zipfile.BadZipFile) as error:
        shutil.rmtree(new, ignore_errors=True)
        raise OSError(str(error)) from error
    if new != home:
        for old in home.parent.glob("public_checks-*"):
            if old != home:
                shutil.rmtree(old, ignore_errors=True)
        try:
            new.rename(home)
        except OSError:  # another process was faster, or a scanner holds the files for a moment
            if not home.is_dir():
                return new
            shutil.rmtree(new, ignore_errors=True)
    return home


if __name__ == "__main__":
    sys.exit(main())
