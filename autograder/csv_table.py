"""CSV tables: read as spreadsheets and platforms of any country write them, written free of formulas.

What is written here and read here again is the same text: ``unescape_formulas`` undoes ``escape_formulas``.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from autograder.atomic import replacing
from autograder.errors import KitError

Cell: TypeAlias = str | float | None

MAX_BYTES = 32 << 20
SEPARATORS = ",;\t"
WINDOWS = "cp1252"
# ``sep=;``, also in quotes and with empty cells after it, as a spreadsheet saves it again.
_SEPARATOR_LINE = re.compile(
    r"\"?sep=(?P<separator>[^\w\s\"]|\t)\"?[,;\t]*(?:\r\n?|\n)", re.IGNORECASE
)
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
# A formula begins with one of the signs, in Japanese spreadsheets with a wide one; a lone sign is not a
# formula. Where another separator is expected, a new cell may begin after each one in a text, even in quotes.
_SIGNS = r"[=+\-@＝＋－＠\t\r\n]"
_FORMULA = rf"""(?=['" \ufeff]*{_SIGNS}(?s:.))"""
_INNER = rf"""(?=['" \ufeff]*{_SIGNS})"""
_BREAKS = r"(?<=[;\t\r\n])"
_TO_ESCAPE = re.compile(rf"\A{_FORMULA}|{_BREAKS}{_INNER}")
_ESCAPED = re.compile(rf"\A'{_FORMULA}|{_BREAKS}'{_INNER}")


class TableError(KitError):
    """A file is no CSV table with the needed columns; the message names the file and the remedy."""


@dataclass(frozen=True)
class Table:
    """The names of the columns, and each further row with the number of its line.

    ``note`` says what the reader had to guess, blank where that is nothing.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[int, list[str]], ...]
    note: str = ""


def read_table(path: Path, known: Callable[[Sequence[str]], int]) -> Table:
    """Read a table from a file; see ``parse_table``.

    Raises:
        TableError: the file cannot be read.
    """
    return parse_table(read_bytes(path), str(path), known)


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a table's file.

    Raises:
        TableError: the file cannot be read, or is too large.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise TableError(
            f"{path} cannot be read ({error.strerror}): check its name"
        ) from error
    if len(data) > MAX_BYTES:
        raise TableError(
            f"{path} is larger than {MAX_BYTES >> 20} MiB, which is too large for a table of a class"
        )
    return data


def parse_table(
    data: bytes, source: str, known: Callable[[Sequence[str]], int]
) -> Table:
    """Read a table in UTF-8, UTF-16 or Windows-1252, separated by commas, semicolons or tabs.

    A first line ``sep=;``, which Excel writes and asks for, names the separator.

    Args:
        data: the table; its first line has the names of the columns.
        source: the file that it is from, for messages.
        known: counts the known ones among names of columns; the separator that shows most of them is taken.

    Raises:
        TableError: it is no such table.
    """
    text, encoding = _decoded(data, source)
    note = ""
    if encoding == WINDOWS:
        note = (
            f"{Path(source).name} is not in UTF-8 and was read as Windows-1252: if a letter such as é or ß "
            "is wrong, save it as CSV UTF-8"
        )
    separators = SEPARATORS
    first_line = 1
    separator_line = _SEPARATOR_LINE.match(text)
    if separator_line is not None:
        separators = separator_line["separator"]
        text = text[separator_line.end() :]
        first_line = 2
    line = first_line
    try:
        candidates = []
        for separator in separators:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
            header = [unescape_formulas(name).strip() for name in next(reader, [])]
            candidates.append((header, reader))
        # Where no name is known, as in another language, the separator with most columns is taken.
        header, reader = max(
            candidates,
            key=lambda candidate: (known(candidate[0]), len(candidate[0])),
        )
        rows = []
        for row in reader:
            line = reader.line_num + first_line - 1
            if len(row) > len(header) and any(row):
                raise csv.Error(
                    "more cells than columns; does a text or number with a comma lack quotes?"
                )
            rows.append((line, list(map(unescape_formulas, row))))
    except csv.Error as error:
        raise TableError(
            f"{source}, line {line} or after it: {error}; export the table again"
        ) from error
    return Table(tuple(header), tuple(rows), note)


def _decoded(data: bytes, source: str) -> tuple[str, str]:
    """Return a table's text and its encoding; what is no UTF-8 is what Excel saves as "CSV" in the West."""
    encodings = ["utf-8-sig", WINDOWS]
    if data.startswith(UTF_16):
        encodings = ["utf-16"]
    elif b"\0" in data:  # no text in Windows-1252
        encodings = ["utf-8-sig"]
    for encoding in encodings:
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    raise TableError(f"{source} is not in UTF-8: save it as CSV UTF-8")


def write_table(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[Cell]]
) -> None:
    """Write a table as CSV in UTF-8, all or nothing; formulas in texts are escaped, and None is a blank."""
    with (
        replacing(path) as part,
        part.open("w", -1, "utf-8", "backslashreplace", "") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(map(escape_formulas, header))
        for row in rows:
            writer.writerow(map(_written, row))


def _written(cell: Cell) -> str:
    if isinstance(cell, str):
        return escape_formulas(cell)
    return points_cell(cell)


def points_cell(points: float | None) -> str:
    """Return points as a cell; blank if there is no fair grade yet."""
    if points is None:
        return ""
    return f"{points:g}"


def parse_not_negative(text: str) -> float | None:
    """Return a finite number that is not negative, as ``parse_decimal`` reads it; None for any other text."""
    try:
        number = parse_decimal(text)
    except ValueError:
        return None
    return number if 0 <= number < math.inf else None


def parse_decimal(text: str) -> float:
    """Return a number that has a point or, as in many countries, a comma; 1,234 is a ``ValueError``."""
    if "_" in text or re.fullmatch(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*", text):
        raise ValueError(f"could be more than one number: {text!r}")
    return float(text.replace(",", "."))


def escape_formulas(text: str) -> str:
    """Return a text with an apostrophe in front of each part that a spreadsheet may take for a formula.

    That holds for spreadsheets that expect commas, semicolons or tabs between cells.
    """
    return _TO_ESCAPE.sub("'", text)


def unescape_formulas(cell: str) -> str:
    """Return the text of a cell that ``escape_formulas`` made."""
    return _ESCAPED.sub("", cell)


def as_read_back(text: str) -> str:
    """Return a text as ``read_table`` reads it back: without spaces around it, and as UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").strip()
