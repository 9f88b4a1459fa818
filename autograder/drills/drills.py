"""Drills made from a homework: its solution with mistakes to mend, and inputs to find that show mistakes."""

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
from autograder.exhibits.side_by_side import grids, sentence
from autograder.grading.grade import grade_handin
from autograder.grading.suite import prepare_suite
from autograder.grading.telling import STEPS, exams
from autograder.handouts.page import HANDOUT, PAGE_FILE, page
from autograder.handouts.text import line_up_pipes
from autograder.reasons.catalogue import read_edits
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.request import Code
from autograder.templates import render
from autograder.verdict.checks import Outcome
from autograder.verdict.examples import MOST_EXAMPLES, written_sizes

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
    hints: bool = True,
) -> Drill:
    """Return a homework's solution with known mistakes in it, to be found and mended.

    They are those of its ``homework.toml`` where none are given. Without hints, the checks of students do not
    say what is wrong; grading does all the same.
    """
    mistakes = mistakes or base.drill
    if not mistakes:
        raise CourseError(
            f"{base.id}: name its mistakes with --mistakes, or as `drill` in homework.toml"
        )
    catalogue, homework = read_edits(base), base.as_drill(DRILL)
    edits = catalogue.edits_of(mistakes)
    for one, other in itertools.combinations(mistakes, 2):
        if not catalogue.mistakes[one].goes_with(catalogue.mistakes[other]):
            raise CourseError(
                f"{base.id}: {one} and {other} do not go together: release a drill for each"
            )
    text, suite = (
        _plain(catalogue.solution.edited(edits)),
        prepare_suite(course, homework, STORED_SEED, pool),
    )
    result = grade_handin(Code(base.stub, {base.stub: text}), suite, pool)
    seen = result.work.shown if result.work else ()
    shown = [(one, lines) for one in seen if (lines := grids(one, MOST_WIDE))]
    public = [
        one.reason
        for one in result.checks
        if one.outcome is Outcome.FAILED and one.public
    ]
    if not shown or not public:
        raise CourseError(
            f"{base.id}: no public check shows wrong numbers of {' and '.join(mistakes)}: choose another"
        )
    exhibit, lines = min(shown, key=lambda one: len(one[1]))
    values = {
        "call": [*textwrap.wrap(sentence(exhibit), MOST_WIDE), "", *lines],
        "paste": exhibit.paste,
    }
    given = {
        base.stub: text.encode(),
        **_handout(homework, "drill.txt", {**values, "count": len(mistakes)}),
    }
    released = homework if hints else replace(homework, hints="never")
    checks = checks_package(
        course, released, {}
    )  # the file counts as work from the start
    files = {**given, **checks, **beside_the_work(released)}
    return Drill(homework, files, mistakes, result.earned or 0.0, public[0])


def examples_drill(course: Course, base: Homework) -> Drill:
    """Return the drill in which students hand in inputs that tell the known mistakes from right code."""
    homework, found = base.as_drill(EXAMPLES), exams(course, base)
    sizes = {f"{task}{EXAMPLES}": one.sizes for task, one in found.items()}
    values = {
        "names": list(found),
        "written": {name: written_sizes(one) for name, one in sizes.items()},
        "single": any(len(one) == 1 for one in sizes.values()),
        "most": MOST_EXAMPLES,
        "steps": " and ".join(
            f"{percent} %" for percent, points in STEPS.items() if points
        ),
        "samples": {name: list(one) for name, one in sizes.items()},
    }
    stub = render(TEMPLATES, "examples_stub.txt", homework=homework, **values).encode()
    given = {homework.stub: stub, **_handout(homework, "examples.txt", values)}
    lines = [
        f"test_{name}_valid = valid({name!r}, {dict(one)!r})"
        for name, one in sizes.items()
    ]
    checks = (
        f'"""{homework.title}."""\n\nfrom autograder.verdict import valid\n\n'
        + "\n".join(lines)
        + "\n"
    )
    package = checks_package(course, homework, given, checks)
    return Drill(homework, {**given, **package, **beside_the_work(homework)})


def _handout(
    homework: Homework, template: str, values: Mapping[str, object]
) -> dict[str, bytes]:
    markdown = line_up_pipes(render(TEMPLATES, template, homework=homework, **values))
    return {
        HANDOUT: markdown.encode(),
        PAGE_FILE: page(homework.title, markdown).encode(),
    }


def _plain(text: str) -> str:
    """Return code without comments, which could give a mistake away, and without answers to questions."""
    lines, dropped = text.splitlines(), set[int]()
    for node in ast.parse(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        names = {
            one.id
            for target in targets
            for one in ast.walk(target)
            if isinstance(one, ast.Name)
        }
        dropped |= (
            set(range(node.lineno, (node.end_lineno or 0) + 1))
            if ANSWERS in names
            else set()
        )
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
            dropped |= set() if lines[row - 1] else {row}
    kept = [line for number, line in enumerate(lines, 1) if number not in dropped]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(kept).strip() + "\n")
