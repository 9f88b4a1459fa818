"""Open the gradebook of an output folder: for one writer at a time, or for reading.

One that cannot be opened is a ``GradebookError``, which names the file and the remedy.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from autograder.gradebook.book import Gradebook
from autograder.gradebook.schema import (
    REMEDY,
    Connection,
    GradebookError,
    NoGradebookError,
    has_tables,
    prepare,
)

FILE_NAME = "gradebook.sqlite"
SET_ASIDE = "gradebook.unreadable"
LOCK_FILE = "gradebook.lock"
BUSY_SECONDS = 5.0
LOCK_SECONDS = 0.2  # long enough for a holder that is just ending to remove its file


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the folder for this process; one that is killed leaves nothing locked."""
    # Imported here: reading a gradebook takes no lock.
    from filelock import FileLock, Timeout

    path = folder / LOCK_FILE
    # Where the system has no locks, the library would fall back to a file that outlives a killed holder.
    lock = FileLock(path, timeout=LOCK_SECONDS, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout as error:
        try:
            facts = json.loads(path.read_text("utf-8"))
            form = "`autograder {command}`, process {pid} on {host}, since {since}"
            holder = form.format_map(facts)
        except (OSError, ValueError, KeyError, TypeError):
            holder = "another `autograder`"  # it has not written its name yet
        raise GradebookError(
            f"{folder} is in use by {holder}: wait until it ends or stop it, or choose another --out folder"
        ) from error
    except OSError as error:
        raise GradebookError(
            f"{path} cannot be locked ({error.strerror}): choose another --out"
        ) from error
    try:
        now = dt.datetime.now(dt.UTC).astimezone().isoformat(timespec="seconds")
        facts = {
            "pid": os.getpid(),
            "host": platform.node(),
            "since": now,
            "command": " ".join(sys.argv[1:2]),
        }
        path.write_text(json.dumps(facts), "utf-8")
        yield
    finally:
        # While the lock is held, so that nobody else's file is removed. Windows keeps an open file; a lock
        # file that stays locks nothing.
        with suppress(OSError):
            path.unlink()
        lock.release()


@contextmanager
def open_gradebook(folder: Path, *, fresh: bool = False) -> Iterator[Gradebook]:
    """Open (or begin) the gradebook of an output folder, for this process only.

    With ``fresh`` a file that cannot be read is set aside; one of another format is refused.
    """
    path = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        trouble = f"cannot hold a gradebook ({error.strerror}): choose another --out"
        raise GradebookError(f"{folder} {trouble}") from error
    with exclusive(folder), _explained(path):
        if fresh and path.is_file() and not _is_readable(path):
            path.replace(path.with_name(SET_ASIDE))
            for suffix in ("-wal", "-shm", "-journal"):  # what SQLite left next to it
                path.with_name(path.name + suffix).unlink(missing_ok=True)
        opened = sqlite3.connect(path, timeout=BUSY_SECONDS, factory=Connection)
        with closing(opened) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            # A kill loses nothing, nor does closing the file.
            connection.execute("PRAGMA synchronous = NORMAL")
            prepare(connection, path)
            try:
                yield Gradebook(connection)
            finally:
                _tidy(connection)


@contextmanager
def read_gradebook(folder: Path) -> Iterator[Gradebook]:
    """Open a gradebook for reading, which is possible while a grading run writes to it."""
    need_gradebook(folder)
    path = folder / FILE_NAME
    # Whoever may write also tidies up what a killed run left; a folder that is only for reading stays so.
    may_write = os.access(folder, os.W_OK) and os.access(path, os.W_OK)
    mode = "rw" if may_write else "ro"
    place = f"{path.resolve().as_uri()}?mode={mode}"
    with (
        _explained(path),
        closing(sqlite3.connect(place, timeout=BUSY_SECONDS, uri=True)) as connection,
    ):
        connection.execute("PRAGMA query_only = ON")
        if not has_tables(connection, path):
            raise GradebookError(f"{path} is empty: grade into it first")
        try:
            # One state of the file, whatever a grading run adds meanwhile.
            connection.execute("BEGIN")
            yield Gradebook(connection)
        finally:
            connection.rollback()
            _tidy(connection)


def _tidy(connection: sqlite3.Connection) -> None:
    """Leave one file that can be read wherever it is; while others have it open, the last one does that."""
    connection.execute("PRAGMA query_only = OFF")
    connection.execute("PRAGMA busy_timeout = 0")
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA journal_mode = DELETE")


def need_gradebook(folder: Path) -> None:
    """Refuse a folder without a gradebook, because opening one for writing would begin it."""
    if not (folder / FILE_NAME).is_file():
        raise GradebookError(
            f"{folder} holds no gradebook: name the --out folder of `autograder grade`"
        )


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn an error of SQLite into one with a remedy."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        trouble = f"is in use or not writable ({error}): try again, or another --out"
        if _is_damage(error):
            trouble = f"is not a gradebook ({error}): {REMEDY}"
        raise GradebookError(f"{path} {trouble}") from error


def _is_readable(path: Path) -> bool:
    """Return whether this is a gradebook, if perhaps another version's, which a fresh start must not set aside."""
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as connection:
            has_tables(connection, path)
    except GradebookError as error:
        return not isinstance(error, NoGradebookError)
    except sqlite3.DatabaseError as error:
        return not _is_damage(error)
    return True


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
