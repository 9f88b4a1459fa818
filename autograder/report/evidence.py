"""The evidence of a failed check as lines of text, for ``autograder explain`` and the pytest plugin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.batch.evidence import Explanation
from autograder.course.calls import ModuleCall
from autograder.course.homework import Homework
from autograder.exhibits.exhibits import exhibit
from autograder.exhibits.side_by_side import aligned, grids
from autograder.untrusted_text import for_screen
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.known import FailedCase
from autograder.verdict.work import Grid

OF_DIFFS = {"+": "green", "-": "red", "@": "cyan"}
SCRIPT = """\
# Repeats the call in the sandbox and shows what the code prints. To experiment, name a changed copy here.
from pathlib import Path
from autograder.batch.evidence import call_again
path, course = Path({path!r}), Path({course!r})
case, run = call_again(path, {homework!r}, {case!r}, seed={seed}, course=course)
print(run.output, *run.answers or [run.load_error or run.detail], "expected:", case.expected, sep="\\n")"""


@dataclass(frozen=True)
class EvidenceLine:
    """A line, how a terminal shows it, and whether it must stay in one piece, to be copied."""

    text: str
    style: str = ""
    is_whole: bool = False


def evidence_lines(
    explanation: Explanation, path: Path, homework: Homework, seed: int, width: int
) -> Iterator[EvidenceLine]:
    """Yield the lines that show why a check failed, and a script that makes the call again."""
    judged = explanation.judged
    for line in for_screen(explanation.failure.staff, keep="\n").splitlines():
        yield EvidenceLine(f"  {line}", "dim")
    if judged is not None:
        lines: list[EvidenceLine] = []
        with explaining(f"what came out for {judged.known.case.id}"):
            lines = list(_case_lines(judged, explanation, width))
        yield from lines
    for title, diff in explanation.diffs.items():
        yield EvidenceLine(
            f"the mistake {title}, as an edit of the reference solution", "bold"
        )
        for line in diff.splitlines():
            yield EvidenceLine(f"  {line}", OF_DIFFS.get(line[:1], ""))
    if judged is not None:
        script = SCRIPT.format(
            path=str(path),
            course=str(homework.folder.parents[1]),
            homework=homework.id,
            case=judged.known.case.id,
            seed=seed,
        )
        for line in script.splitlines():
            yield EvidenceLine(line, is_whole=True)


def _case_lines(
    judged: FailedCase, explanation: Explanation, width: int
) -> Iterator[EvidenceLine]:
    """Yield the lines that show a failed case: each part next to what was expected, then the inputs."""
    failed_case = exhibit(judged, explanation.parameters)
    yield EvidenceLine(
        f"case {failed_case.case}: {failed_case.heading}, right within {failed_case.tolerance:.1g}",
        "bold",
    )
    if not explanation.is_sure:
        yield EvidenceLine(
            "  this check judges a property; here is the last case that it looked at"
        )
    call = judged.known.case.call
    if isinstance(call, ModuleCall):
        yield EvidenceLine(
            f"  parameters of the reference block, loaded by name: {len(call.parameters)}"
        )
    for part in failed_case.parts:
        verdict = part.says
        if not verdict:
            verdict = part.difference.kind if part.difference else part.came.kind
        yield EvidenceLine(f"  {part.name}: {verdict}{_section(part.came)}")
        part_alone = replace(failed_case, inputs=(), parts=(part,))
        for line in grids(part_alone, width - 4):
            yield EvidenceLine(f"    {line}")
    for name, value in failed_case.inputs:
        yield EvidenceLine(f"  input {name}: {value.kind}{_section(value)}")
        for line in aligned(value):
            yield EvidenceLine(f"    {line}")


def _section(grid: Grid) -> str:
    """Say which part of an array is shown, where that is not all of it."""
    return f", {grid.where} of it" if grid.where else ""
