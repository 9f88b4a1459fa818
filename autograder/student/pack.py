"""Build the zip to hand in, list its files, and warn of mistakes that would cost points."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

from autograder.archives import zipped
from autograder.intake.limits import Intake
from autograder.intake.submission import ReadResult
from autograder.intake.zips import read_zip
from autograder.language import in_language, say
from autograder.sandbox.request import Code
from autograder.student.bootstrap import ReleaseError
from autograder.student.find import OwnWork, match_as_graded
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
        "this function is new in NumPy 2: if the grader has an older NumPy, it is missing there"
    ),
    r"\b(?:np|numpy)\.matrix\(": "np.matrix multiplies with `*` and stays 2-D: use np.array",
}
"""What works with one version of NumPy and not with another, and what to write instead."""


class NotGraded(ReleaseError):
    """The file to hand in would not be graded as it was checked; the message says what to do."""


@in_language
def pack(
    public: PublicHomework, folder: Path, work: OwnWork, report: Report
) -> list[str]:
    """Write the zip into the homework's folder; return lines that say what is in it, and the warnings.

    The files are those that were checked: the stub or the notebook, and modules next to it.

    Raises:
        NotGraded: grading would not take the zip for what was checked; then there is none.
    """
    path = folder / f"{public.homework.id}_handin.zip"
    path.unlink(missing_ok=True)
    if work.code is None:
        raise NotGraded(say("no zip was made: {trouble}", trouble=work.trouble))
    packed = zipped(work.files)
    intake = Intake()
    read_zip(intake, io.BytesIO(packed), path.name, "")
    refusal = _refusal(public, intake.result(), work, report)
    if refusal:
        raise NotGraded(say("no zip was made: {refusal}", refusal=refusal))
    path.write_bytes(packed)

    lines = ["\n" + say("{name} holds:", name=path.name)]
    for name, data in work.files.items():
        line = say("{name}  ({count} bytes)", name=name, count=len(data))
        lines.append(f"  {line}")
    for note in report.notes:
        if note not in work.notes:
            lines.append(say("warning: {note}", note=note))
    for warning in _warnings(public, work.origin, work.code, report):
        lines.append(say("warning: {warning}", warning=warning))
    return lines


def _refusal(
    public: PublicHomework, read: ReadResult, work: OwnWork, report: Report
) -> str:
    """Return why grading would not grade the packed bytes as they were checked, with the remedy.

    A grader may ask for this homework only, or for any.
    """
    homework_id = public.homework.id
    origin = work.origin
    if work.is_untouched:
        return say(
            "{origin} is as it was handed out; name the file with your work: "
            "python check.py --pack FILE",
            origin=origin,
        )
    if report.trouble and not report.trouble.startswith(say(OUR_FAULT)):
        return say("none of it would be graded. {trouble}", trouble=report.trouble)
    for chosen in ([homework_id], []):
        matched = match_as_graded(public, read, chosen)
        handins = {handin.homework: handin for handin in matched.handins}
        handin = handins.pop(homework_id, None)
        if handin is None:
            name = Path(public.homework.stub).stem + Path(origin).suffix
            reasons = " ".join(problem.text for problem in matched.problems)
            return say(
                "{origin} would not be graded: rename it to {name}. {reasons}",
                origin=origin,
                name=name,
                reasons=reasons,
            )
        if handin.code != work.code:
            return say(
                "{origin} would be graded in place of {origin_2}: move it out of "
                "this folder",
                origin=handin.origin,
                origin_2=origin,
            )
        for other in handins.values():
            return say(
                "{origin} would be graded as {homework}, too: give it another name",
                origin=other.origin,
                homework=other.homework,
            )
    return ""


def find_traps(source: str, name: str) -> Iterator[str]:
    """Yield a line for each trap in a source: the file, the line, and the remedy."""
    for number, line in enumerate(source.splitlines(), start=1):
        for pattern, remedy in TRAPS.items():
            if re.search(pattern, line.partition("#")[0]):
                yield say(
                    "{name}, line {number}: {remedy}",
                    name=name,
                    number=number,
                    remedy=remedy,
                )


def _warnings(
    public: PublicHomework, origin: str, code: Code, report: Report
) -> Iterator[str]:
    """Yield warnings for a student who is about to hand in."""
    stub = public.homework.stub
    if origin not in (stub, Path(stub).with_suffix(".ipynb").name):
        yield say(
            "the file is called {origin}; the handout asks for {stub}",
            origin=origin,
            stub=stub,
        )
    if report.trouble:
        yield report.trouble
    all_answered = say("{count} of ", count=len(public.questions))
    if report.questions and not report.questions.startswith(all_answered):
        yield report.questions
    unwritten = []
    wrong = []
    for check in report.results:
        if check.reason == NOT_WRITTEN:
            unwritten.append(check.task)
        elif check.reason:
            wrong.append(check)
    for task in dict.fromkeys(unwritten):
        yield say(
            "`{task}` still stops at `raise NotImplementedError`: it would "
            "earn nothing",
            task=task,
        )
    if wrong and not report.trouble:
        checks = say("{count} public checks do", count=len(wrong))
        if len(wrong) == 1:
            checks = say("1 public check does")
        yield say(
            "{checks} not pass; hidden checks ask for more than public ones",
            checks=checks,
        )
    sources = dict(code.files)
    if code.cells is not None:
        sources = {
            say("cell {number}", number=cell.number): cell.source for cell in code.cells
        }
    for name, source in sources.items():
        yield from find_traps(source, name)
