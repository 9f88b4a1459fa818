"""Read a CSV table as spreadsheets and learning platforms of any country write it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import KitError

MAX_BYTES = 32 << 20
SEPARATORS = ",;\t"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class TableError(KitError):
    """A file is no CSV table; the message names the file and the remedy."""


@dataclass(frozen=True)
class Table:
    """The names of the columns, and each further row with the number of its line."""

    header: tuple[str, ...]
    rows: tuple[tuple[int, list[str]], ...]


def read_table(path: Path, known: Callable[[Sequence[str]], int]) -> Table:
    """Read a table in UTF-8 or UTF-16, separated by commas, semicolons or tabs.

    Args:
        path: the file; its first line names the columns.
        known: how many of these column names are known; the separator that shows most of them is taken.

    Raises:
        TableError: the file cannot be read.
    """
    text = _text(path)
    readers = [csv.reader(io.StringIO(text, newline=""), delimiter=one) for one in SEPARATORS]
    line = 1
    try:
        headers = [[name.strip() for name in next(reader, [])] for reader in readers]
        header, reader = max(zip(headers, readers, strict=True), key=lambda pair: known(pair[0]))
        rows = []
        for row in reader:
            line = reader.line_num
            rows.append((line, row))
    except csv.Error as error:
        raise TableError(f"{path}, after line {line}: {error}; export the table again") from error
    return Table(tuple(header), tuple(rows))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise TableError(f"{path} cannot be read ({error.strerror}): check its name") from error
    if len(data) > MAX_BYTES:
        raise TableError(f"{path} is larger than {MAX_BYTES >> 20} MiB, and so no table of a class")
    try:
        return data.decode("utf-16" if data.startswith(UTF_16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError(f"{path} is not in UTF-8: save it as CSV UTF-8") from error
