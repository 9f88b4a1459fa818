"""``autograder explain``: why a check of one submission failed, for TAs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text
from typer import Argument, Option

from autograder.batch.evidence import explain_check
from autograder.batch.session import open_session
from autograder.cli.console import note, notes, out, print_line
from autograder.cli.options import (
    NAME_HELP,
    GradedCourseOption,
    GradedFolder,
    OnlyHomeworks,
    Unsafe,
    course_of,
    need_protection,
)
from autograder.course.course import Course
from autograder.errors import KitError
from autograder.gradebook.fingerprint import fingerprint_graders
from autograder.gradebook.opening import read_gradebook
from autograder.intake.naming import listed
from autograder.intake.submission import Submission
from autograder.platforms.recorded import RecordedPlaces
from autograder.policy.names import Names
from autograder.report.evidence import evidence_lines
from autograder.sandbox.pool import SandboxPool
from autograder.untrusted_text import for_screen
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.explanation_faults import recording_faults
from autograder.verdict.results import HomeworkResult, most_fundamental

EXPLANATION_FAILED = "no points depend on it, but an explanation failed"


def explain(
    folder: GradedFolder,
    name: str = Argument(..., metavar="NAME", help=NAME_HELP),
    check: str | None = Option(
        None,
        metavar="CHECK",
        help="The check to explain; by default the one to look at first.",
    ),
    homework_ids: OnlyHomeworks = None,
    unsafe: Unsafe = False,
    course_root: GradedCourseOption = None,
) -> None:
    """Show why a check failed for one submission.

    Runs the submission again, with the seed of its grade: the reason, what came back, what was expected, the
    difference, the input, the known mistake as an edit of the reference solution, and a script that makes the
    call again. For staff only: it shows hidden inputs and expected values.

    Exit status 0: it was shown. 2: wrong usage, or the submission's files are gone.

    Example: `autograder explain graded ada --check means_sizes`
    """
    need_protection(unsafe)
    with read_gradebook(folder) as book:
        course = course_of(book, course_root)
        name = Names(book).pick(name)
        graded = book.result(name)
        origins = book.origins()
    ids = course.ids(homework_ids) or course.homework_ids()
    results = []
    for result in graded.homeworks:
        if result.homework in ids:
            results.append(result)
    all_ids = [result.homework for result in graded.homeworks]
    if not results:
        facts = [f"{name} is {graded.status}"]
        if all_ids:
            facts.append(f"it holds {', '.join(all_ids)}")
        facts += [problem.staff for problem in graded.problems]
        if graded.fault:
            facts.append(graded.fault)
        _print_escaped("; ".join(facts))
        return
    check_names = []
    for result in results:
        check_names += [check_result.check for check_result in result.checks]
    if check is not None and check not in check_names:
        raise KitError(
            f"there is no check {listed([check])}; there are: {', '.join(check_names)}"
        )
    notes(problem.staff for problem in graded.problems)
    for result in results:
        origin = origins[name, result.homework]

        # A run grades all homeworks, or those that were named: perhaps this one, or all of the submission.
        # The first of these mostly is the right one, and each takes a while.
        choices: tuple[Sequence[str], ...] = ((), [result.homework], all_ids)
        is_unchanged = any(
            origin.graders == fingerprint_graders(course, result.seed, chosen)
            for chosen in choices
        )
        if not is_unchanged:
            note("the checks, the cases or the kit have changed since this was graded")
        submission = _find_submission(name, Path(origin.path), origin.content)
        if check is None:
            _explain(course, result, most_fundamental(result.checks), submission)
            continue
        for check_result in result.checks:
            if check_result.check == check:
                _explain(course, result, check_result, submission)


def _find_submission(name: str, path: Path, content: str) -> Submission:
    """Return the submission as it was graded; a note says if it has changed since.

    ``content`` is the fingerprint of what was graded.
    """
    recorded = RecordedPlaces().find(name, path, content)
    if recorded is None:
        raise KitError(
            f"{listed([str(path)])} is no longer where it was graded: put it back"
        )
    if recorded.content != content:
        note(
            f"{listed([str(path)])} has changed since it was graded; this is about the file as it is now"
        )
    return recorded.submission


def _explain(
    course: Course,
    result: HomeworkResult,
    check: CheckResult | None,
    submission: Submission,
) -> None:
    """Explain one check of a homework, or say that none failed; a failed check is run again."""
    _print_escaped(
        f"{submission.name}, {result.homework}: {result.status} {result.detail}", "bold"
    )
    if result.provisional:
        _print_escaped(result.provisional)
    for fault in result.explanation_faults:
        _print_escaped(f"{EXPLANATION_FAILED}: {fault}")
    if check is None:
        outcomes = Counter(check.outcome for check in result.checks)
        passed = outcomes[Outcome.PASSED]
        _print_escaped(f"no check failed; {passed} of {outcomes.total()} passed")
        return
    _print_escaped(f"{check.check}, a check of {check.task}: {check.outcome}", "bold")
    _print_escaped(f"{check.sentence}\n{check.reason}")
    if check.outcome is Outcome.NOT_JUDGED:
        _print_escaped(check.staff)
    homework = course.homework(result.homework)
    task_names = [task.name for task in homework.tasks]
    if check.outcome is not Outcome.FAILED or check.task not in task_names:
        return  # questions have no cases

    # Run the submission and the check again.
    with SandboxPool() as pool, recording_faults() as faults:
        session = open_session(result.seed, [homework.id], course)
        explanation = explain_check(session, submission, homework.id, check.check, pool)
    for fault in faults:
        if fault not in result.explanation_faults:
            _print_escaped(f"{EXPLANATION_FAILED}: {fault}")
    if explanation is None:
        note("the check passes now")
        return
    reason = explanation.failure.student
    if reason != check.reason:
        note(f"the reason is a different one now: {for_screen(reason)}")

    # Show the evidence of the failure.
    with recording_faults() as faults:
        lines = list(
            evidence_lines(
                explanation, submission.path, homework, result.seed, out.width
            )
        )
    for line in lines:
        text = Text(line.text, line.style)
        if line.is_whole:
            out.print(text, soft_wrap=True)
        else:
            print_line(text)
    for fault in faults:
        _print_escaped(f"{EXPLANATION_FAILED}: {fault}")
    other_names = []
    for other in result.checks:
        if other.outcome is Outcome.FAILED and other is not check:
            other_names.append(other.check)
    if other_names:
        _print_escaped(f"also failed (--check NAME): {', '.join(other_names)}")


def _print_escaped(text: str, style: str = "") -> None:
    print_line(Text(for_screen(text.rstrip(), keep="\n"), style))
