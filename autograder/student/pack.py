"""Build the zip to hand in, list what is in it, and warn of what would cost points."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

from autograder.intake.limits import Intake
from autograder.intake.submission import ReadResult
from autograder.intake.zips import read_zip, zipped
from autograder.sandbox.request import Code
from autograder.student.bootstrap import ReleaseError
from autograder.student.find import Work, match_as_graded
from autograder.student.homework import PublicHomework
from autograder.student.judge import NOT_WRITTEN, OUR_FAULT, Report

TRAPS = {
    r"[\"']\s*%\s*\([^()\n]*@": (
        "since NumPy 2.4, formats such as `%f` take no 1×1 array: write `(k.T @ q).item()`"
    ),
    r"\b(?:np|numpy)\.(?:float|int|bool|object|complex|str)\b(?!_|\d)": (
        "this alias was removed in NumPy 1.24: use Python's own type of that name"
    ),
    r"\b(?:np|numpy)\.(?:float_|complex_|unicode_|Inf|Infinity|NaN|infty|PINF|NINF)\b": (
        "this name was removed in NumPy 2.0: write np.float64, np.inf or np.nan"
    ),
    r"\b(?:np|numpy)\.(?:product|cumproduct|alltrue|sometrue|in1d|row_stack|trapz|asfarray|msort)\(": (
        "this function is gone or going from NumPy 2: look for its successor (np.prod, np.vstack …)"
    ),
    r"\b(?:np|numpy)\.(?:concat|permute_dims|matrix_transpose|vecdot|astype|unstack)\(": (
        "this function is new in NumPy 2: with an older NumPy at the grader's it would be missing"
    ),
    r"\b(?:np|numpy)\.matrix\(": "np.matrix multiplies with `*` and stays 2-D: use np.array",
}
"""What works with one version of NumPy and not with another, and what to write instead."""


class NotGraded(ReleaseError):
    """What was to be handed in would not be graded as it was checked; the message says what to do."""


def pack(public: PublicHomework, folder: Path, work: Work, report: Report) -> list[str]:
    """Write the zip into the homework's folder; return lines that say what is in it, and the warnings.

    The files are those that were checked: the stub or the notebook, and modules beside it.

    Raises:
        NotGraded: grading would not take the zip for what was checked; then there is none.
    """
    path = folder / f"{public.homework.id}_handin.zip"
    path.unlink(missing_ok=True)
    if (code := work.code) is None:
        raise NotGraded(f"no zip was made: {work.trouble}")
    packed, intake = zipped(work.files), Intake()
    read_zip(intake, io.BytesIO(packed), path.name, "")
    if refusal := _refusal(public, intake.result(), work, report):
        raise NotGraded(f"no zip was made: {refusal}")
    path.write_bytes(packed)
    contents = [f"  {name}  ({len(data)} bytes)" for name, data in work.files.items()]
    stopped = [note for note in report.notes if note not in work.notes]
    warnings = [
        f"warning: {one}"
        for one in (*stopped, *_warnings(public, work.origin, code, report))
    ]
    return [f"\n{path.name} holds:", *contents, *warnings]


def _refusal(
    public: PublicHomework, read: ReadResult, work: Work, report: Report
) -> str:
    """Why grading would not take what was read of the packed bytes for what was checked, and what to do.

    A grader may ask for this homework alone, or for any.
    """
    key, origin = public.homework.id, work.origin
    wanted = Path(public.homework.stub).stem + Path(origin).suffix
    if work.is_untouched:
        return f"{origin} is as it was handed out; name the file with your work: python check.py --pack FILE"
    if report.trouble and not report.trouble.startswith(OUR_FAULT):
        return f"nothing of it would be graded. {report.trouble}"
    for chosen in ([key], []):
        matched = match_as_graded(public, read, chosen)
        taken = {one.homework: one for one in matched.handins}
        if key not in taken:
            why = " ".join(problem.text for problem in matched.problems)
            return f"{origin} would not be graded: rename it to {wanted}. {why}"
        if taken[key].code != work.code:
            return f"{taken[key].origin} would be graded in place of {origin}: move it out of this folder"
        if others := [one for one in taken.values() if one.homework != key]:
            return f"{others[0].origin} would be graded as {others[0].homework}, too: give it another name"
    return ""


def find_traps(source: str, name: str) -> Iterator[str]:
    """Yield a line for each trap in a source: the file, the line, and the remedy."""
    for number, line in enumerate(source.splitlines(), start=1):
        for pattern, remedy in TRAPS.items():
            if re.search(pattern, line.partition("#")[0]):
                yield f"{name}, line {number}: {remedy}"


def _warnings(
    public: PublicHomework, origin: str, code: Code, report: Report
) -> Iterator[str]:
    """Yield what a student should look at before handing in."""
    stub = public.homework.stub
    if origin not in (stub, Path(stub).with_suffix(".ipynb").name):
        yield f"the file is called {origin}; the handout asks for {stub}"
    if report.trouble:
        yield report.trouble
    if (
        not report.questions.startswith(f"{len(public.questions)} of ")
        and report.questions
    ):
        yield report.questions
    for task in dict.fromkeys(
        one.task for one in report.results if one.reason == NOT_WRITTEN
    ):
        yield f"`{task}` still stops at `raise NotImplementedError`: it would earn nothing"
    wrong = [one for one in report.results if one.reason and one.reason != NOT_WRITTEN]
    if wrong and not report.trouble:
        those = (
            "1 public check does"
            if len(wrong) == 1
            else f"{len(wrong)} public checks do"
        )
        yield f"{those} not pass; hidden checks ask for more than public ones"
    cells = {f"cell {cell.number}": cell.source for cell in code.cells or ()}
    for name, source in (code.files if code.cells is None else cells).items():
        yield from find_traps(source, name)
