"""``autograder status``: on one screen, where the grading of a class stands and what to do next."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table
from rich.text import Text

from autograder.cli.console import out
from autograder.cli.options import GradedCourseOption, GradedFolder, course_of
from autograder.cli.progress import counts_text
from autograder.cli.report import PAGE, TABLE
from autograder.course.homework import by_number, short_id
from autograder.gradebook.opening import read_gradebook
from autograder.intake.naming import listed
from autograder.intake.roster import Roster
from autograder.intake.submission import PLAIN
from autograder.platforms.grades import against_roster
from autograder.platforms.rosters import kept_roster
from autograder.policy.points import moment
from autograder.policy.settlement import settle
from autograder.report.last_exports import TOTAL, LastExport, exports_of_points
from autograder.report.rules import rule_lines
from autograder.report.situation import ClassSituation, situation_of
from autograder.untrusted_text import for_screen

FEW = 3
"""Of each list so many names are shown, so that all of it fits on one screen."""
LONGEST = 30
"""A longer name, or name with reason, is cut."""


def status(folder: GradedFolder, course_root: GradedCourseOption = None) -> None:
    """Show what is graded and what is open, and what to do next.

    On one screen: submissions by status, students without one, written answers without a mark, what a person
    has to decide, the rules and due dates in force, the last exports, outdated feedback, and the next command.
    Reads only.

    Exit status 0: shown. 2: wrong usage, or a folder without a gradebook.

    Example: `autograder status graded`
    """
    with read_gradebook(folder) as book:
        course = course_of(book, course_root)
        settlement = settle(book, course)
        situation = situation_of(book, settlement)
        roster = kept_roster(book)
        missing: Sequence[str] = ()
        strangers: Collection[str] = ()
        if roster is not None:
            missing, strangers = against_roster(book, course, roster)
        last_run = book.last_run_at()
        last_command = book.last_command()

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()

    def row(title: str, *texts: str) -> None:
        """Show a row where there is something to say."""
        words = "; ".join(filter(None, texts))
        if words:
            table.add_row(title, Text(for_screen(words)))

    statuses = Counter(situation.statuses)
    counts = counts_text(statuses) or "nothing"
    when = ""
    if last_run:
        when = f"last grading {moment(last_run)}"
    row("graded", counts, when)
    row("", ", ".join(_by_homework(situation.graded)))
    if roster is None:
        row("missing", "unknown; name the class with `autograder grade … --roster`")
    else:
        names = _few(missing) or "nobody"
        missing_count = len(missing)
        class_size = len(roster.students)
        row("missing", f"{missing_count} of {class_size} in {roster.source}: {names}")
        row("", _counted("match nobody there", list(strangers)))
    answers = sum(situation.unmarked.values())
    unmarked = "none"
    if answers:
        of_homeworks = ", ".join(_by_homework(situation.unmarked))
        unmarked = f"{answers} written answers: {of_homeworks}"
    row("unmarked", unmarked)
    undecided = list(_undecided(situation)) or ["nothing"]
    row("undecided", *undecided)
    reasons = [f"{name} ({reason})" for name, reason in situation.withdrawn.items()]
    row("withdrawn", _counted("not in any table", reasons))
    row("nobody's", _counted("times or extensions", situation.nobodys))
    row("no time", _counted("and lateness may cost points", situation.without_time))
    rules = rule_lines(situation.policy, situation.graded)
    title = "rules"
    for line in rules:
        row(title, line)
        title = ""
    row("exported", *map(_export_text, situation.exports[-FEW:]))
    if not situation.exports:
        row("exported", "never")
    if situation.outdated_exports:
        changed = "points have changed since the last export"
        if len(situation.exports) > 1:
            names = ", ".join(map(short_id, situation.outdated_exports))
            changed = f"{changed} of {names}"
        row("", changed)
    row("feedback", *_outdated_feedback(folder, situation))
    command, remark = next_step(folder, situation, roster, last_command)
    row("next", command)
    row("", remark)
    out.print(table)


def _by_homework(counts: Mapping[str, int]) -> Iterator[str]:
    for homework_id in sorted(counts, key=by_number):
        yield f"{short_id(homework_id)} {counts[homework_id]}"


def _few(names: Sequence[str]) -> str:
    return listed(names[:FEW], len(names), show=_cut)


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    beginning = text[: LONGEST - 1]
    return f"{beginning}…"


def _counted(what: str, names: Sequence[str]) -> str:
    """Return how many there are and the first of them; nothing where there are none."""
    if not names:
        return ""
    count = len(names)
    first_names = _few(names)
    return f"{what} ({count}): {first_names}".strip()


def _undecided(situation: ClassSituation) -> Iterator[str]:
    """Yield what waits for a person, most urgent first."""
    if situation.unfinished is not None:
        yield f"grading was stopped at {situation.unfinished}"
    facts = (
        ("the grader failed on", situation.failed),
        ("unclear which file", situation.unclear),
        ("nothing to grade in", situation.empty),
        ("handed in again since decided", situation.outdated),
    )
    for what, names in facts:
        if names:
            yield _counted(what, names)


def _outdated_feedback(folder: Path, situation: ClassSituation) -> Iterator[str]:
    """Yield which feedback does not show what counts now: as files, and as it was handed out."""
    # A run that was stopped writes the rest when it goes on.
    if situation.outdated_pages and situation.unfinished is None:
        pages = _counted("does not show what counts now", situation.outdated_pages)
        yield f"{pages}; `autograder policy {folder}` writes it again"
    exports = []
    for export in situation.outdated_feedback:
        name = short_id(export.what)
        exports.append(f"{name} to {export.platform}")
    if exports:
        listed_exports = ", ".join(exports)
        yield f"points have changed since it was handed out: {listed_exports}"


def _export_text(export: LastExport) -> str:
    what = short_id(export.what)
    if export.is_feedback:
        what = f"feedback on {what}"
    return f"{what} to {export.platform} {moment(export.when)}"


@dataclass(frozen=True)
class _Standpoint:
    """What decides how to go on: the folder, what is in it, the class list, and the last command."""

    folder: Path
    situation: ClassSituation
    roster: Roster | None
    last_command: str


_Step = tuple[str, str]
"""The command to go on with, and what to do besides."""


def _finish_grading(at: _Standpoint) -> _Step | None:
    if at.situation.unfinished is None:
        return None
    return f"autograder {at.last_command}", ""


def _begin_grading(at: _Standpoint) -> _Step | None:
    if at.situation.statuses or at.situation.withdrawn:
        return None
    return f"autograder grade PATH --out {at.folder}", ""


def _regrade_failures(at: _Standpoint) -> _Step | None:
    if not at.situation.failed:
        return None
    return f"autograder regrade {at.folder}", "after the check is repaired"


def _look_at_unreadable(at: _Standpoint) -> _Step | None:
    unreadable = (*at.situation.unclear, *at.situation.empty)
    if not unreadable:
        return None
    name = shlex.quote(unreadable[0])
    return (
        f"autograder explain {at.folder} {name}",
        "then grade the right file with --homework, override the points, or withdraw it",
    )


def _give_times(at: _Standpoint) -> _Step | None:
    if not at.situation.without_time:
        return None
    return f"autograder policy {at.folder} --times times.csv", ""


def _mark_answers(at: _Standpoint) -> _Step | None:
    if not at.situation.unmarked:
        return None
    table = at.folder / TABLE
    if not table.is_file():
        return f"autograder written {at.folder}", ""
    page = at.folder / PAGE
    return (
        f"autograder policy {at.folder} --manual {table}",
        f"after marking on {page}",
    )


def _export(at: _Standpoint) -> _Step | None:
    situation = at.situation
    to_export = [*situation.outdated_exports, *situation.never_exported]
    if situation.exports and not to_export:
        return None
    platform = "PLATFORM"
    if situation.exports:
        last_export = exports_of_points(situation.exports)[-1]
        platform = last_export.platform
    elif at.roster is not None and at.roster.kind != PLAIN:
        platform = at.roster.kind
    command = f"autograder export {at.folder} --to {platform}"
    if at.roster is None:
        command = f"{command} --roster CSV"
    if len(situation.graded) > 1:
        choice = "--homework ID"
        if situation.exports:
            first_export, *_ = to_export
            choice = f"--homework {short_id(first_export)}"
            if first_export == TOTAL:
                choice = "--total"
        command = f"{command} {choice}"
    return command, ""


NEXT_STEPS: Sequence[Callable[[_Standpoint], _Step | None]] = (
    _finish_grading,
    _begin_grading,
    _regrade_failures,
    _look_at_unreadable,
    _give_times,
    _mark_answers,
    _export,
)
"""What to go on with, the most urgent first; each says nothing where it is done."""


def next_step(
    folder: Path, situation: ClassSituation, roster: Roster | None, last_command: str
) -> _Step:
    """Return the one command to go on with, and what to do besides."""
    at = _Standpoint(folder, situation, roster, last_command)
    for step_of in NEXT_STEPS:
        step = step_of(at)
        if step is not None:
            return step
    return "nothing: all is graded, decided and exported", ""
