"""Canvas, "Download Submissions": ``lovelaceada_12345_67890_scores.py``, all files of a class in one folder.

Canvas calls a file that was submitted again under the same name ``name-1``, ``name-2``. Grades go back as a
table for the gradebook, feedback as a zip for "Re-upload Submissions".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.csv_table import Cell, write_table
from autograder.intake.download import (
    Item,
    Named,
    by_student,
    share,
)
from autograder.intake.naming import ending, listed, stem
from autograder.intake.roster import Roster, Student
from autograder.intake.submission import Discovery, SubmissionPart
from autograder.platforms.grades import unidentified
from autograder.platforms.platform import (
    DEFAULT_COLUMN,
    Export,
    ExportError,
    Platform,
    StudentGrade,
)
from autograder.untrusted_text import name_in_message

# The form follows ContentZipper of Canvas: the student's sortable name without spaces and in lower case,
# LATE where Canvas counts it as late, the user's number, the file's number, the file's own name. Of an
# anonymous assignment the name is missing and the number is "anon_" and five letters or digits.
_NAMED = r"(?P<name>[^/]*?)(?:(?:^|_)(?P<late>LATE))?_(?P<id>\d{1,19})"
_NAMELESS = r"(?P<name>)(?:(?P<late>LATE)_)?(?P<id>anon_[^_\W]+)"
_UPLOAD = r"_(?P<number>\d{1,19})_(?P<file>.+)"
_ONLINE = r"_(?P<number>)(?P<file>(?:text|link)\.html)"
_FORMS = (
    re.compile(_NAMELESS + _UPLOAD, re.DOTALL),
    re.compile(_NAMED + _UPLOAD, re.DOTALL),
    re.compile(_NAMELESS + _ONLINE, re.DOTALL),
    re.compile(_NAMED + _ONLINE, re.DOTALL),
)
# What the form shares with dates: a year with its month, or a day with its time.
_DATE = re.compile(
    r"(?:19|20)\d\d_(?:[1-9]|1[0-2])"
    r"|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])_(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?"
)
_NUMBERED = re.compile(r"(?P<base>.+)-(?P<number>[1-9]\d{0,8})", re.DOTALL)
# Numbers below this may count sheets or students of a class; Canvas numbers the files of a whole school.
_LEAST_UPLOAD_NUMBER = 100

# What Canvas's importer asks for: "Student" and "ID" first, "Section" last of these, then assignments.
_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_KEYS = {"number": "ID", "student_id": "SIS User ID", "login": "SIS Login ID"}
_NOT_ASSIGNMENTS = re.compile(
    r"\b(Current|Final|Override) (Score|Grade|Points|Status)$|^Notes$"
)
# How the rows of Canvas's export begin that describe the assignments and not a student.
_EXTRA_ROW = re.compile(r"\s*(Points Possible|Manual Posting|Muted)\b", re.IGNORECASE)
FEEDBACK_ENDINGS = (".py", ".ipynb", ".zip", ".txt")
"""The files of a student next to which Canvas can show feedback under the same name."""


class Canvas(Platform):
    """Canvas by Instructure: downloads by upload, and its gradebook."""

    name = "canvas"
    title = "Canvas"
    example = "lovelaceada_12345_67890_scores.py"
    codes: Mapping[str, str] = {
        "anon_": "anon_ and five letters are Canvas's code for a student in an anonymous assignment; no "
        "roster has it. Once grades are posted there, a new download has the names"
    }
    table_title = "an export of Canvas's gradebook"
    takes_grades = True
    deletes_blanks = True
    above_maximum = "Canvas takes the rest as extra credit"
    needs_download = True
    nameless = f"Canvas's download has no {', '.join(FEEDBACK_ENDINGS)} of theirs to add feedback to"

    def is_named(self, item: Item) -> bool:
        return parse_canvas(item.name) is not None

    def resembles(self, items: Sequence[Item]) -> bool:
        """Return whether half of the names are like Canvas's; single ones may be anybody's names with dates."""
        undated = []
        for item in items:
            if parse_undated(item.name):
                undated.append(item)
        return super().resembles(items) and 2 * len(undated) >= len(items)

    def is_download(self, items: Sequence[Item]) -> bool:
        """Return whether the names are surely Canvas's: serial numbers of sheets may have the same form.

        Each number belongs to one file (which may be there once for each member of a group). If all files
        have the same name, it is of two students at most, and files of one student are put together only if
        the numbers are large.
        """
        files = 0
        uploads = set()
        numbers = set()
        ids = set()
        student_names = set()
        for item in items:
            parsed = parse_undated(item.name)
            if parsed is None:
                continue
            files += 1
            ids.add(parsed["id"])
            student_names.add(parsed["name"])
            if parsed["number"]:
                number = int(parsed["number"])
                numbers.add(number)
                uploads.add((number, parsed["file"]))
        if len(numbers) < len(uploads):
            return False
        if len(student_names) == 1 and student_names != {""}:
            is_merged = len(ids) < files
            is_small = min(numbers, default=0) < _LEAST_UPLOAD_NUMBER
            if len(ids) > 2 or (is_merged and is_small):
                return False
        return share(items, parse_undated) >= 2 / 3

    def read(self, items: Sequence[Item], stubs: Collection[str] = ()) -> Discovery:
        """Put together what each student submitted; of a file that was submitted again, the last one counts.

        If any name is surely without a date, names with dates are nobody's.
        """
        parse = parse_canvas
        for item in items:
            if parse_undated(item.name):
                parse = parse_undated

        def parts(files: Sequence[Named]) -> Iterator[SubmissionPart]:
            item_of = {}
            for item, parsed in files:
                upload = Upload(parsed["file"], int(parsed["number"] or 0))
                item_of[upload] = item
            for name, upload, earlier in last_ones(item_of, stubs):
                note = ""
                if earlier:
                    note = (
                        f"{name_in_message(upload.name)} was handed in last and counts as {name_in_message(name)}, "
                        f"not {listed(earlier)}"
                    )
                # The item may be a folder: an upload that somebody unpacked.
                yield item_of[upload].part(name, note)

        return by_student(items, parse, parts)

    def roster_columns(
        self, columns: Mapping[str, str]
    ) -> Mapping[str, str | None] | None:
        """Return Canvas's columns: its "ID" is Canvas's own number, elsewhere it is taken for the school's."""
        has_students = "student" in columns or "lastname" in columns
        if not has_students or "id" not in columns or "section" not in columns:
            return None
        return {"number": columns["id"], "student_id": columns.get("sis user id")}

    def is_extra_row(self, first_cell: str) -> bool:
        return _EXTRA_ROW.match(first_cell) is not None

    def column(self, roster: Roster, column: str | None) -> str:
        if column is None:
            known = ""
            if roster.kind == self.name:
                known = f"; {roster.source} has {_known(self._assignments(roster))}"
            raise ExportError(
                'name the assignment as Canvas writes it, as in --column "Scores (4711)"'
                + known
            )
        return column or DEFAULT_COLUMN

    def write_grades(
        self,
        folder: Path,
        roster: Roster,
        grades: Sequence[StudentGrade],
        column: str,
    ) -> Export:
        """Write the points into one assignment's column of ``canvas.csv``.

        Canvas finds a student by ID, SIS User ID or SIS Login ID, and failing these by name: a row without
        any of them is left out. Names and sections may change so that no cell is a formula: Canvas ignores
        them.

        A student without points keeps what Canvas's own export has in that column, because Canvas takes a
        blank for the order to delete the grade.

        Raises:
            ExportError: the roster is Canvas's own and has no such assignment; Canvas would create a new one.
        """
        header = list(_COLUMNS)  # the columns that identify students
        if roster.kind == self.name:
            header = self._identifying_columns(roster, column)
        left_out = unidentified(grades, self.title, _KEYS)
        repeated: list[Student] = []
        rows: list[list[Cell]] = []
        for extra_row in roster.extra:
            rows.append(_in_order(extra_row, [*header, column]))
        for grade in grades:
            student = grade.student
            if student.line in left_out:
                continue
            points: Cell = grade.points
            if roster.kind == self.name:
                cells = student.cells
                if points is None and cells.get(column):
                    points = cells[column]
                    repeated.append(student)
            else:
                cells = {
                    "Student": student.name,
                    "ID": student.number,
                    "SIS User ID": student.student_id,
                    "SIS Login ID": student.login,
                    "Section": student.section,
                }
            rows.append([*_in_order(cells, header), points])
        path = folder / "canvas.csv"
        write_table(path, [*header, column], rows)
        return Export(path, left_out, repeated)

    def _identifying_columns(self, roster: Roster, column: str) -> list[str]:
        """Return the columns of Canvas's export before the assignments; ``column`` must be one of these."""
        assignments = self._assignments(roster)
        if column not in assignments:
            raise ExportError(
                f"{roster.source} has no assignment {column!r}, and Canvas would create a new one: "
                f"--column must be one of {_known(assignments)}"
            )
        return list(roster.columns[: _first_assignment(roster)])

    def _assignments(self, roster: Roster) -> list[str]:
        """Return the columns of Canvas's export that take points."""
        assignments = []
        for name in roster.columns[_first_assignment(roster) :]:
            if not _NOT_ASSIGNMENTS.search(name):
                assignments.append(name)
        return assignments

    def maxima(self, roster: Roster, column: str) -> Mapping[int, float]:
        """Return the assignment's maximum, the same for each student.

        Of the rows above the students, only "Points Possible" has a number.
        """
        maxima = {}
        for extra_row in roster.extra:
            with suppress(ValueError):
                maximum = float(extra_row.get(column, "").replace(",", "."))
                for student in roster.students:
                    maxima[student.line] = maximum
        return maxima

    def check_feedback(self, download: Path | None) -> None:
        if download is None:
            raise ExportError(
                "name Canvas's download with --download: feedback goes back under the names in it"
            )

    def feedback_name(self, student: Student, uploads: Sequence[str]) -> str:
        """Return the name that Canvas gave to an upload of the student.

        "Re-upload Submissions" finds student and upload by the numbers in it
        (``infer_comment_context_from_filename`` in ``app/models/abstract_assignment.rb``).
        """
        for name in uploads:
            if name.lower().endswith(FEEDBACK_ENDINGS):
                return name
        return ""


def _in_order(cells: Mapping[str, str], columns: Sequence[str]) -> list[Cell]:
    """Return the cells of some columns; a column that is missing is blank."""
    return [cells.get(name, "") for name in columns]


def _first_assignment(roster: Roster) -> int:
    """Return the place of the first column after "Section", the last one that identifies students."""
    folded = [name.casefold() for name in roster.columns]
    return folded.index("section") + 1


def _known(assignments: Sequence[str]) -> str:
    return ", ".join(map(repr, assignments)) or "none, for it lists no assignment"


@dataclass(frozen=True)
class Upload:
    """One file as Canvas stores it: its name there, and its number, which grows with time."""

    name: str
    number: int


def parse_canvas(name: str) -> re.Match[str] | None:
    """Return the parts of a file's name in Canvas's download; None if Canvas did not name it."""
    for form in _FORMS:
        parsed = form.fullmatch(name)
        if parsed is not None:
            return parsed
    return None


def parse_undated(name: str) -> re.Match[str] | None:
    """Return the parts as ``parse_canvas`` does, but None if they may be a date or begin with 0.

    No number of Canvas begins with 0.
    """
    parsed = parse_canvas(name)
    if parsed is None:
        return None
    first_number = parsed["id"]
    second_number = parsed["number"]
    if first_number.startswith("0") or second_number.startswith("0"):
        return None
    if _DATE.fullmatch(f"{first_number}_{second_number}"):
        return None
    return parsed


def last_ones(
    uploads: Iterable[Upload], stubs: Collection[str] = ()
) -> list[tuple[str, Upload, tuple[str, ...]]]:
    """Return the files of one student that count.

    A number at the end is Canvas's only if the name without it was uploaded before, or is a stub's; then
    also that of modules next to such a file, which are imported by their own names. Every other number is the
    student's, and the file keeps it.

    Returns:
        for each file the name that the student gave it, the upload, and the names of the uploads that it
        replaces; in the order of time.
    """
    in_time = sorted(uploads, key=lambda upload: upload.number)
    by_name: defaultdict[str, list[Upload]] = defaultdict(list)
    for upload in in_time:
        by_name[upload.name].append(upload)

    # A family is the uploads whose names differ only in the number, in the order of time.
    families: defaultdict[str, list[Upload]] = defaultdict(list)
    latest = [same_name[-1] for same_name in by_name.values()]
    for upload in sorted(latest, key=lambda upload: upload.number):
        base, _ = _without_number(upload.name)
        families[base].append(upload)

    stub_stems = set(map(stem, stubs))
    renumbered = set()  # the families whose numbers are Canvas's
    was_renumbered = False
    for base, family in families.items():
        numbers = []
        for upload in family:
            _, number = _without_number(upload.name)
            numbers.append(number)
        begins_plain = numbers[0] == 0 or stem(base) in stub_stems
        if begins_plain and numbers == sorted(numbers):
            renumbered.add(base)
            if family[-1].name != base:
                was_renumbered = True

    counting = []
    for base, family in families.items():
        is_renumbered = base in renumbered
        could_be_imported = ending(base) == ".py" and stem(base).isidentifier()
        is_module = len(family) == 1 and could_be_imported
        groups = [[upload] for upload in family]
        if is_renumbered:
            groups = [family]
        for group in groups:
            last = group[-1]
            earlier = []
            for member in group:
                for upload in by_name[member.name]:
                    if upload != last:
                        earlier.append(upload.name)
            takes_base = is_renumbered or (is_module and was_renumbered)
            name = base if takes_base else last.name
            counting.append((name, last, tuple(earlier)))
    return sorted(counting, key=lambda counted: counted[1].number)


def _without_number(name: str) -> tuple[str, int]:
    """Return a name without the number at its end, and the number; 0 if it has none."""
    suffix = PurePosixPath(name).suffix
    numbered = _NUMBERED.fullmatch(name.removesuffix(suffix))
    if numbered is None:
        return name, 0
    return numbered["base"] + suffix, int(numbered["number"])
