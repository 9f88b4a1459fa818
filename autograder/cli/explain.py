"""``autograder explain``: what a failed check of one submission rests on, for TAs."""

from __future__ import annotations

import contextlib
import difflib
import itertools
import os
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from rich.text import Text
from typer import Argument, Option

from autograder.batch.session import Explanation, open_session
from autograder.cli.console import note, notes, out, say
from autograder.cli.options import (
    GradedCourseOption,
    GradedFolder,
    OnlyHomeworks,
    course_of,
    need_protection,
)
from autograder.course.cases import ModuleCall
from autograder.course.course import Course
from autograder.course.homework import Homework
from autograder.errors import KitError
from autograder.exhibits.exhibits import exhibit
from autograder.exhibits.side_by_side import aligned, grids
from autograder.gradebook.fingerprint import fingerprint_graders, fingerprint_submission
from autograder.gradebook.opening import read_gradebook
from autograder.intake.naming import listed
from autograder.intake.submission import Entry, SubmissionError
from autograder.platforms.discover import find_entries
from autograder.platforms.registry import layouts
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import escaped
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.evidence import JudgedCase
from autograder.verdict.explanation_faults import explaining, recording_faults
from autograder.verdict.results import HomeworkResult, most_fundamental

EXPLANATION_FAILED = "no points depend on it, but an explanation failed"
OF_DIFFS = {"+": "green", "-": "red", "@": "cyan"}
SCRIPT = """\
# Repeats the call in the sandbox and shows what the code prints. To experiment, name a changed copy here.
from pathlib import Path
from autograder.batch.session import call_again
path, course = Path({path!r}), Path({course!r})
case, run = call_again(path, {homework!r}, {case!r}, seed={seed}, course=course)
print(run.output, *run.answers or [run.load_error or run.detail], "expected:", case.expected, sep="\\n")"""


def explain(
    folder: GradedFolder,
    name: str = Argument(
        ...,
        metavar="NAME",
        help="A submission in grades.csv; an unambiguous beginning is enough.",
    ),
    check: str | None = Option(
        None,
        metavar="CHECK",
        help="The check to explain; by default the one to look at first.",
    ),
    homework: OnlyHomeworks = None,
    unsafe: bool = Option(
        False,
        "--unsafe",
        help="Run the submission even though nothing here holds it back.",
    ),
    course: GradedCourseOption = None,
) -> None:
    """Show what a failed check of one submission rests on.

    Runs the submission again, with the seed of its grade: the reason, what came back, what was expected, the
    difference, the input, the known mistake as an edit of the reference solution, and a script that makes the
    call again. For the staff alone, for it shows hidden inputs and expected values.

    Exit status 0: it was shown. 2: wrong usage, or the submission's files are gone.

    Example: `autograder explain graded ada --check softmax_sizes`
    """
    need_protection(unsafe)
    with read_gradebook(folder) as book:
        found = course_of(book, course)
        name = _one_of(name, book.names())
        result, origins = book.result(name), book.origins()
    ids = found.ids(homework) or found.homework_ids()
    graded = [one for one in result.homeworks if one.homework in ids]
    if not graded:
        others = ", ".join(one.homework for one in result.homeworks)
        problems = [problem.staff for problem in result.problems]
        said = [
            f"{name} is {result.status}",
            others and f"it holds {others}",
            *problems,
            result.fault,
        ]
        _say("; ".join(filter(None, said)))
        return
    checks = [each.check for one in graded for each in one.checks]
    if check not in (None, *checks):
        raise KitError(
            f"there is no check {listed([str(check)])}; there are: {', '.join(checks)}"
        )
    notes(problem.staff for problem in result.problems)
    for one in graded:
        origin = origins[name, one.homework]
        asked = ((), [one.homework], [every.homework for every in result.homeworks])
        if origin.graders not in {
            fingerprint_graders(found, one.seed, ids) for ids in asked
        }:
            note("the checks, the cases or the kit have changed since this was graded")
        entry = _entry(name, Path(origin.path), origin.content)
        named = [each for each in one.checks if each.check == check]
        for each in named if check else [most_fundamental(one.checks)]:
            _explain(found, one, each, entry)


def _one_of(name: str, names: Collection[str]) -> str:
    """Return the submission that is meant; the error names those near it."""
    begun = (
        [name]
        if name in names
        else [one for one in names if one.casefold().startswith(name.casefold())]
    )
    if len(begun) == 1:
        return begun[0]
    near = sorted(begun) or difflib.get_close_matches(name, names, cutoff=0.5)
    if begun:
        raise KitError(f"{listed([name])} fits several submissions: {listed(near)}")
    hint = f"similar names: {listed(near)}" if near else "look into grades.csv"
    raise KitError(f"no submission is called {listed([name])}; {hint}")


def _entry(name: str, path: Path, content: str) -> Entry:
    """Return the submission as it was graded; a note says where it is not the same any more."""
    found = [Entry(name, path)] if os.path.lexists(path) else []
    if found and fingerprint_submission(path) == content:
        return found[0]
    for place, layout in itertools.product(
        (path.parent, path), layouts()
    ):  # it may be a part of a download
        with contextlib.suppress(SubmissionError):
            entries = find_entries([place], layout=layout).entries
            found += [one for one in entries if one.parts and one.name == name]
    if not found:
        raise KitError(
            f"{listed([str(path)])} is no longer where it was graded: put it back"
        )
    same = (
        one for one in found if fingerprint_submission(one.path, one.parts) == content
    )
    if (entry := next(same, None)) is None:
        note(
            f"{listed([str(path)])} has changed since it was graded; this is about the file as it is now"
        )
    return entry or found[-1]


def _explain(
    course: Course, graded: HomeworkResult, failed: CheckResult | None, entry: Entry
) -> None:
    """Tell all of one check of one homework; the submission is run where the check failed."""
    _say(f"{entry.name}, {graded.homework}: {graded.status} {graded.detail}", "bold")
    if graded.provisional:
        _say(graded.provisional)
    for fault in graded.explanation_faults:
        _say(f"{EXPLANATION_FAILED}: {fault}")
    if failed is None:
        passed = sum(one.outcome is Outcome.PASSED for one in graded.checks)
        _say(f"no check failed; {passed} of {len(graded.checks)} passed")
        return
    _say(f"{failed.check}, a check of {failed.task}: {failed.outcome}", "bold")
    _say(f"{failed.sentence}\n{failed.reason}")
    if failed.outcome is Outcome.NOT_JUDGED:
        _say(failed.staff)
    homework = course.homework(graded.homework)
    if failed.outcome is not Outcome.FAILED or failed.task not in [
        one.name for one in homework.tasks
    ]:
        return  # questions have no cases
    with SandboxPool() as pool, recording_faults() as faults:
        session = open_session(graded.seed, [homework.id], course)
        why = session.explain(entry, homework.id, failed.check, pool)
    for fault in faults:
        if fault not in graded.explanation_faults:
            _say(f"{EXPLANATION_FAILED}: {fault}")
    if why is None:
        note("the check passes now")
        return
    if why.failure.student != failed.reason:
        note(f"the reason is a different one now: {escaped(why.failure.student)}")
    with recording_faults() as faults:
        lines = list(explained(why, entry.path, homework, graded.seed, out.width))
    for line in lines:
        out.print(line, soft_wrap=True) if line.no_wrap else say(line)
    for fault in faults:
        _say(f"{EXPLANATION_FAILED}: {fault}")
    others = [
        one.check
        for one in graded.checks
        if one.outcome is Outcome.FAILED and one is not failed
    ]
    if others:
        _say(f"also failed (--check NAME): {', '.join(others)}")


def explained(
    why: Explanation, path: Path, homework: Homework, seed: int, width: int
) -> Iterator[Text]:
    """Yield as lines what a finding rests on, and a script that makes the call again."""
    for line in escaped(why.failure.staff, keep="\n").splitlines():
        yield Text(f"  {line}", "dim")
    if why.judged is not None:
        lines: list[Text] = []
        with explaining(f"what came out for {why.judged.known.case.id}"):
            lines = list(_case(why, why.judged, width))
        yield from lines
    for title, diff in why.diffs.items():
        yield Text(f"the mistake {title}, as an edit of the reference solution", "bold")
        yield from (
            Text(f"  {line}", OF_DIFFS.get(line[:1], "")) for line in diff.splitlines()
        )
    if why.judged is not None:
        case, course = why.judged.known.case.id, str(homework.folder.parents[1])
        script = SCRIPT.format(
            path=str(path), course=course, homework=homework.id, case=case, seed=seed
        )
        for line in script.splitlines():
            yield Text(line, no_wrap=True)


def _case(why: Explanation, judged: JudgedCase, width: int) -> Iterator[Text]:
    shown = exhibit(judged, why.parameters)
    yield Text(
        f"case {shown.case}: {shown.heading}, right within {shown.tolerance:.1g}",
        "bold",
    )
    if not why.is_sure:
        yield Text(
            "  this check judges a property; here is the last case that it looked at"
        )
    if isinstance(call := judged.known.case.call, ModuleCall):
        yield Text(
            f"  parameters of the reference block, loaded by name: {len(call.parameters)}"
        )
    for part in shown.parts:
        said = part.says or (
            part.difference.kind if part.difference else part.came.kind
        )
        yield Text(
            f"  {part.name}: {said}{f', {part.came.where} of it' if part.came.where else ''}"
        )
        one = replace(shown, inputs=(), parts=(part,))
        yield from (Text(f"    {line}") for line in grids(one, width - 4))
    for name, value in shown.inputs:
        yield Text(
            f"  input {name}: {value.kind}{f', {value.where} of it' if value.where else ''}"
        )
        yield from (Text(f"    {line}") for line in aligned(value))


def _say(text: str, style: str = "") -> None:
    say(Text(escaped(text.rstrip(), keep="\n"), style))
