"""The public checks of this homework: what `pytest` and `python check.py` run, and notebooks as well.

    from public_checks import case, check_task, expected
    check_task("softmax", globals())
    x = case("softmax", 1)

All code and data are in `public_checks.pyz`, this file as well, so that a notebook needs no other. It ends
with what the notebook's first cell calls `HOMEWORK`: the id, and a number that changes with the tasks. The
archive is unpacked once, into `__pycache__`, because Python keeps what it compiled of files, but not of
archives. In the kit, this file is `autograder/student/bootstrap.py`.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ARCHIVE = "public_checks.pyz"
_AROUND = Path(__file__).resolve().parent
WHOLE = _AROUND if _AROUND.is_file() else _AROUND / ARCHIVE
"""The homework's archive: the one around this file, whatever it is called now, or the one next to it."""
HERE = WHOLE.parent
MOUNTED = Path("/content/drive")
"""Google Drive in Colab, where a hundred small files take a minute."""

NAMES_OF_PACKAGES = {"numpy": "NumPy", "torch": "PyTorch", "matplotlib": "Matplotlib"}
"""The packages that homeworks and pictures need, by the names under which they are imported."""

# The inputs are tiny, and NumPy's threads take longer to start than to work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class ReleaseError(ImportError):
    """The released folder is incomplete; the message says what is missing and what to do."""


def check_task(task: str, namespace: dict[str, Any]) -> Any:
    """Run the public checks of one task on what a notebook defines: `globals()`.

    If the archive is missing, or belongs to another notebook, say so in a sentence.
    """
    try:
        unpacked(WHOLE)
        if wrong := _of_another(namespace.get("HOMEWORK")):
            raise ReleaseError(wrong)
        engine = _engine("task")
    except (
        ReleaseError
    ) as error:  # a traceback through this file would hide what is to be done
        print(f"Not checked: {error}.")
        return None
    except ModuleNotFoundError as error:
        if error.name not in NAMES_OF_PACKAGES:
            raise
        print(f"Not checked: {not_installed(error.name)}.")
        return None
    return engine.check_task(task, namespace, WHOLE)


def _of_another(asked: object) -> str:
    """Say whether the archive is for another homework, or asks for something else, than the notebook does."""
    from zipfile import ZipFile

    with ZipFile(WHOLE) as archive:
        given = archive.comment.decode()
    if not isinstance(asked, str) or given == asked:
        return ""
    homework, own = (one.partition(" ")[0] for one in (given, asked))
    what = (
        f"is for {homework}, and this notebook is {own}"
        if homework != own
        else "is from another release"
    )
    return f"{WHOLE.name} {what}: put the file next to the notebook that came with it, then restart the kernel"


def case(task: str, number: int = 1) -> Any:
    """Return copies of the arguments of a public case: one value, or a tuple where the function takes more.

    Of a module these are its arguments, its weights by name, and the input.
    """
    return _engine("task").case(task, number, WHOLE)[0]


def expected(task: str, number: int = 1) -> Any:
    """Return the expected value of a public case."""
    return _engine("task").case(task, number, WHOLE)[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `python check.py`; return its exit status."""
    return _without_traceback(lambda: _engine("command").main(HERE, arguments))


def course_progress(top: Path, arguments: Sequence[str]) -> int:
    """Run `python check.py` of the folder around several homeworks; return its exit status.

    Raises:
        ReleaseError: this homework is incomplete; `check.py` tries the next one.
    """
    unpacked(WHOLE)
    return _without_traceback(lambda: _engine("progress").main(top, arguments))


def _without_traceback(run: Callable[[], int]) -> int:
    """Run a program; what a student can put right is one sentence. Return its exit status."""
    try:
        status = run()
        sys.stdout.flush()
    except BrokenPipeError:  # who reads has read enough, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ModuleNotFoundError as error:
        if error.name not in NAMES_OF_PACKAGES:
            raise
        print(f"error: {not_installed(error.name)}", file=sys.stderr)
        return 2
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return status


def not_installed(package: str) -> str:
    """Say which package is missing, for which Python, and the command that installs it there."""
    name = NAMES_OF_PACKAGES[package]
    python = sys.executable or "python"
    if " " in python:
        python = f'"{python}"'
    return (
        f"{name} is not installed for the Python that runs this. START_HERE.md says how to install it; "
        f"the command is `{python} -m pip install {package}`"
    )


def register(config: Any) -> None:
    """Let `pytest` run the public checks: for `conftest.py`."""
    try:
        hooks = _engine("pytest_hooks")
    except ModuleNotFoundError as error:
        if error.name not in NAMES_OF_PACKAGES:
            raise
        import pytest

        raise pytest.UsageError(not_installed(error.name)) from error
    hooks.register(config)


def _engine(module: str) -> Any:
    """Import a module of the engine: of the one that is loaded already, else of this homework's archive."""
    if "autograder" not in sys.modules:
        sys.path.insert(0, str(unpacked(WHOLE)))
    return importlib.import_module(f"autograder.student.{module}")


@functools.cache
def unpacked(place: Path) -> Path:
    """Return where an archive, or that of a homework's folder, lies unpacked.

    Raises:
        ReleaseError: it is missing or damaged.
    """
    archive = place if place.suffix == Path(ARCHIVE).suffix else place / ARCHIVE
    try:
        name = f"{archive.stem}-{zlib.crc32(archive.read_bytes()):08x}"
        home = archive.parent / "__pycache__" / name
        return home if home.is_dir() else _unpack(archive, home)
    except OSError as error:
        raise ReleaseError(
            f"{archive} cannot be unpacked ({error}); unzip the homework again"
        ) from error


def _unpack(archive: Path, home: Path) -> Path:
    """Unpack under another name first, so that a folder with the final name is complete, and remove older ones."""
    import atexit
    import shutil
    import tempfile
    import zipfile

    new = home.with_name(f"unpacking-{os.getpid()}")
    try:
        if MOUNTED in home.parents:
            raise OSError("too slow to be unpacked there")
        new.mkdir(parents=True)
    except OSError:  # nothing can be written here: unpack for this run only
        home = new = Path(tempfile.mkdtemp(prefix="public_checks-"))
        atexit.register(shutil.rmtree, home, ignore_errors=True)
    try:
        with zipfile.ZipFile(archive) as whole:
            whole.extractall(new)
    except (OSError, zlib.error, zipfile.BadZipFile) as error:
        shutil.rmtree(new, ignore_errors=True)
        raise OSError(str(error)) from error
    if new != home:
        # Only those of this archive: notebooks in one folder have one each.
        for old in home.parent.iterdir():
            if old != home and old.name.rpartition("-")[0] == archive.stem:
                shutil.rmtree(old, ignore_errors=True)
        try:
            new.rename(home)
        except OSError:
            # Another process was faster, or a scanner holds the files for a moment.
            if not home.is_dir():
                return new
            shutil.rmtree(new, ignore_errors=True)
    return home


if __name__ == "__main__":
    sys.exit(main())
