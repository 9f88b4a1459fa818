"""Drills made from a homework: its solution with mistakes to fix, and inputs to find that expose mistakes."""

from __future__ import annotations

import ast
import io
import itertools
import re
import textwrap
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.authoring.checks_package import checks_package
from autograder.authoring.release import TEMPLATES, beside_the_work
from autograder.course.cases import STORED_SEED
from autograder.course.course import Course
from autograder.course.homework import ANSWERS, DRILL, EXAMPLES, CourseError, Homework
from autograder.course.statements import line_numbers, names_in
from autograder.examples.form import MOST_EXAMPLES, written_sizes
from autograder.examples.telling import POINTS_FOR_PERCENT, exams
from autograder.exhibits.side_by_side import grids, sentence
from autograder.grading.grade import grade_handin
from autograder.grading.suite import prepare_suite
from autograder.handouts.page import HANDOUT, PAGE_FILE, page
from autograder.handouts.text import line_up_pipes
from autograder.reasons.catalogue import read_edits
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.request import Code
from autograder.student.judge import ON_REQUEST
from autograder.templates import render
from autograder.verdict.checks import Outcome

MOST_WIDE = 76


@dataclass(frozen=True)
class Drill:
    """A drill as a homework, the files of its folder, and what it earns as it is handed out, and why."""

    homework: Homework
    files: Mapping[str, bytes]
    mistakes: Sequence[str] = ()
    earned: float = 0.0
    reason: str = ""


def mending_drill(
    course: Course,
    base: Homework,
    mistakes: Sequence[str],
    pool: SandboxPool,
    *,
    hints: bool | None = None,
) -> Drill:
    """Return a homework's solution with known mistakes in it, to be found and fixed.

    Without names they are those that its ``homework.toml`` lists. Grading always says what is wrong.

    Args:
        course: the course that the homework is from.
        base: the homework.
        mistakes: the ids of its known mistakes.
        pool: runs the solution.
        hints: whether students' checks say at once what is wrong, or never; None: when they are asked.
    """
    mistakes = mistakes or base.drill
    if not mistakes:
        raise CourseError(
            f"{base.id}: name its mistakes with --mistakes, or as `drill` in homework.toml"
        )
    catalogue = read_edits(base)
    homework = base.as_drill(DRILL)
    edits = catalogue.edits_of(mistakes)
    for mistake, other in itertools.combinations(mistakes, 2):
        if not catalogue.mistakes[mistake].goes_with(catalogue.mistakes[other]):
            raise CourseError(
                f"{base.id}: {mistake} and {other} do not go together: release a drill for each"
            )

    # Grade the file as a submission: a public check has to show that something is wrong.
    text = _without_comments(catalogue.solution.edited(edits))
    suite = prepare_suite(course, homework, STORED_SEED, pool)
    result = grade_handin(Code(base.stub, {base.stub: text}), suite, pool)
    reasons = []
    for check in result.checks:
        if check.outcome is Outcome.FAILED and check.public:
            reasons.append(check.reason)
    shown_exhibits = []
    for exhibit in result.work.shown if result.work else ():
        lines = grids(exhibit, MOST_WIDE)
        if lines:
            shown_exhibits.append((exhibit, lines))
    if not shown_exhibits or not reasons:
        raise CourseError(
            f"{base.id}: no public check shows wrong numbers of {' and '.join(mistakes)}: choose another"
        )

    # The files: the smallest of these cases stands in the handout.
    exhibit, lines = min(shown_exhibits, key=lambda pair: len(pair[1]))
    call = textwrap.wrap(sentence(exhibit), MOST_WIDE)
    values = {
        "call": [*call, "", *lines],
        "paste": exhibit.paste,
        "count": len(mistakes),
        "on_request": hints is None,
    }
    released = homework
    if hints is None and homework.hints != "never":
        released = replace(homework, hints=ON_REQUEST)
    elif hints is False:
        released = replace(homework, hints="never")
    files = {
        **base.data_files.files,
        base.stub: text.encode(),
        **_handout(homework, "drill.txt", values),
        # The file counts as work from the start: it is not listed as handed out.
        **checks_package(course, released, {}),
        **beside_the_work(released),
    }
    return Drill(homework, files, mistakes, result.earned or 0.0, reasons[0])


def examples_drill(course: Course, base: Homework) -> Drill:
    """Return the drill in which students hand in inputs that distinguish the known mistakes from right code."""
    homework = base.as_drill(EXAMPLES)
    task_exams = exams(course, base)
    sizes = {f"{task}{EXAMPLES}": exam.sizes for task, exam in task_exams.items()}
    steps = []
    for percent, points in POINTS_FOR_PERCENT.items():
        if points:
            steps.append(f"{percent} %")
    values = {
        "names": list(task_exams),
        "written": {name: written_sizes(form) for name, form in sizes.items()},
        "single": any(len(form) == 1 for form in sizes.values()),
        "most": MOST_EXAMPLES,
        "steps": " and ".join(steps),
        "samples": {name: list(form) for name, form in sizes.items()},
    }
    stub = render(TEMPLATES, "examples_stub.txt", homework=homework, **values).encode()
    handed_out = {homework.stub: stub, **_handout(homework, "examples.txt", values)}

    checks = [
        f'"""{homework.title}."""',
        "",
        "from autograder.examples.form import valid",
        "",
    ]
    for name, form in sizes.items():
        checks.append(f"test_{name}_valid = valid({name!r}, {dict(form)!r})")
    package = checks_package(course, homework, handed_out, "\n".join(checks) + "\n")
    return Drill(homework, {**handed_out, **package, **beside_the_work(homework)})


def _handout(
    homework: Homework, template: str, values: Mapping[str, object]
) -> dict[str, bytes]:
    markdown = line_up_pipes(render(TEMPLATES, template, homework=homework, **values))
    return {
        HANDOUT: markdown.encode(),
        PAGE_FILE: page(homework.title, markdown).encode(),
    }


def _without_comments(text: str) -> str:
    """Return code without comments, which could give a mistake away, and without answers to questions."""
    lines = text.splitlines()
    dropped: set[int] = set()
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign):
            if any(ANSWERS in names_in(target) for target in statement.targets):
                dropped.update(line_numbers(statement))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            before_comment = lines[row - 1][:column].rstrip()
            lines[row - 1] = before_comment
            if not before_comment:
                dropped.add(row)
    remaining_lines = []
    for number, line in enumerate(lines, 1):
        if number not in dropped:
            remaining_lines.append(line)
    code = "\n".join(remaining_lines).strip()
    return re.sub(r"\n{4,}", "\n\n\n", f"{code}\n")
