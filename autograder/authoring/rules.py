"""What holds for every homework besides its grading: rules that its files are held to without running them.

An error has to be mended: it lets a wrong answer pass, or gives an answer away. Advice is about what makes a
homework teach better.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from autograder.authoring.checks_package import checks_text, public_checks
from autograder.authoring.corpus import CORPUS, read_corpus
from autograder.authoring.new_mistake import TODO
from autograder.course.cases import Case, Group
from autograder.course.course import Course
from autograder.course.homework import CourseError
from autograder.course.questions import Choice, Numeric
from autograder.course.stub import BEGIN, END, stub_text
from autograder.grading.suite import Suite
from autograder.reasons.agreement import (
    are_told_apart_nowhere,
    as_told,
    diagnostic_cases,
    is_visible,
)
from autograder.reasons.catalogue import CATALOGUE
from autograder.verdict.arrays import as_array, leaves
from autograder.verdict.checks import checks_file, run_checks
from autograder.verdict.fixtures import Cases, Fixtures
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Tensor

FEWEST_WORDS, MOST_WORDS = 6, 45
FEWEST_MISTAKES = 15
WORTH_HIDING = 6  # characters of code without blanks; shorter pieces such as `x.T` are names, no answers
LONGEST_PRINTED = 10  # decimals
LARGEST_SAID = 9  # whole numbers up to it are sizes, axes and counts of tokens
WHOLE = r"(?<![\d.])\d+(?![\d.]*\d)"
STORED = (Group.PUBLISHED, Group.PUBLIC, Group.HIDDEN)
SIZED = ("values", "large")
"""The topics whose public cases have sizes of their own."""


@dataclass(frozen=True)
class Finding:
    """What a rule says: where, what and the remedy."""

    place: Path
    text: str
    is_error: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


def error(place: Path, text: str) -> Finding:
    """Return a finding that has to be mended."""
    return Finding(place, text, is_error=True)


@dataclass(frozen=True)
class Subject:
    """A homework with all that its rules look at; ``fixtures`` are those of its reference solution."""

    course: Course
    suite: Suite
    fixtures: Fixtures

    def file(self, name: str) -> Path:
        return (self.suite.homework.folder / name).relative_to(self.course.root)

    @property
    def stored(self) -> list[KnownCase]:
        return [one for one in self.suite.known if one.case.group is not Group.FRESH]

    @cached_property
    def compared(self) -> list[str]:
        """The tasks whose values are compared with right ones; the answers to others may differ."""
        expecting = {one.case.task for one in self.suite.known if one.case.expects}
        return [
            task.name for task in self.suite.homework.tasks if task.name in expecting
        ]

    @cached_property
    def asked(self) -> Mapping[str, set[str]]:
        """The cases that each check asks for, by its name."""
        found = {}
        for one in self.suite.checks:
            cases = _Noting(self.suite.known)
            fixtures = Fixtures(self.fixtures.submission, cases, self.fixtures.compare)
            run_checks([replace(one, requires=())], fixtures)
            found[one.name] = cases.noted
        return found


@dataclass(frozen=True, repr=False)
class _Noting(Cases):
    """The known cases, which note the ids of those that are asked for."""

    noted: set[str] = field(default_factory=set)

    def _pick(self, task: str, topic: str | None, *groups: Group) -> list[KnownCase]:
        found = super()._pick(task, topic, *groups)
        self.noted.update(one.case.id for one in found)
        return found


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what every rule says of a homework, errors and advice mixed."""
    for rule in (_sentences, _mistakes, _questions, _checks, _cases, _corpus):
        yield from rule(subject)


# Known mistakes


def _sentences(subject: Subject) -> Iterator[Finding]:
    """Sentences about mistakes are finished and short, differ, and give nothing of the answers away."""
    place, catalogue = subject.file(CATALOGUE), subject.suite.diagnostician.catalogue
    code, printed, sizes = (
        _solution_code(subject),
        _published_numbers(subject),
        _sizes_handed_out(subject),
    )
    first: dict[str, str] = {}
    for one in catalogue:
        words, (told,) = len(one.says.split()), as_told((one.id,))
        said = set(
            re.findall(
                r"-?\d+\.\d+(?!\.?\d)", re.sub(r"[Ss]ection [\d.]+\d", "", one.says)
            )
        )
        large = {
            number
            for number in map(int, re.findall(WHOLE, one.says))
            if number > LARGEST_SAID
        }
        telling = sorted([*(said & printed), *map(str, large - sizes)])
        written = sorted(part for part in code if part in "".join(one.says.split()))
        other = first.setdefault(one.says, told)
        if TODO in one.says:
            yield error(place, f"{one.id}.says: word the sentence that students read")
        elif not FEWEST_WORDS <= words <= MOST_WORDS:
            yield Finding(
                place,
                f"{one.id}.says has {words} words; use {FEWEST_WORDS} to {MOST_WORDS}",
            )
        if not one.says.endswith((".", "?")):
            yield Finding(
                place,
                f"{one.id}.says: end the sentence with a full stop or a question mark",
            )
        if other != told:
            yield error(
                place,
                f"{one.id} and {other} have one sentence; say what tells them apart",
            )
        if written:
            yield error(
                place,
                f"{one.id}.says holds code of the solution, {written[0]}; put it into words",
            )
        if telling:
            yield error(
                place,
                f"{one.id}.says tells {telling[0]}, a number of an answer; leave it out",
            )


def _solution_code(subject: Subject) -> set[str]:
    """The expressions of the solution regions, without blanks."""
    source = subject.suite.homework.solution.read_text("utf-8")
    regions = re.findall(rf"{BEGIN}\n(.*?){END}", source, re.DOTALL)
    lines = [line.strip() for region in regions for line in region.splitlines()]
    parts = [re.sub(r"^(return |[\w, .]+ = )", "", line) for line in lines]
    found = {"".join(part.split()) for part in parts}
    return {
        code for code in found if len(code) >= WORTH_HIDING and not code.isidentifier()
    }


def _published_numbers(subject: Subject) -> set[str]:
    """The numbers of all published answers, printed to any number of decimals."""
    published = (
        one.expected for one in subject.stored if one.case.group is Group.PUBLISHED
    )
    arrays = [as_array(leaf) for value in published for leaf in leaves(value)]
    numbers = [
        float(number) for array in arrays if array is not None for number in array.flat
    ]
    return {
        f"{number:.{decimals}f}"
        for number in numbers
        for decimals in range(1, LONGEST_PRINTED)
    }


def _sizes_handed_out(subject: Subject) -> set[int]:
    """The whole numbers that handout and stub print themselves."""
    handout = subject.suite.homework.folder / "handout.md"
    text = handout.read_text("utf-8") if handout.is_file() else ""
    return {
        int(number)
        for number in re.findall(WHOLE, text + stub_text(subject.suite.homework))
    }


def _mistakes(subject: Subject) -> Iterator[Finding]:
    """There are some mistakes for each task, each shows somewhere, and no two answer alike."""
    place, suite = subject.file(CATALOGUE), subject.suite
    known = {one.id for one in suite.diagnostician.catalogue}
    if subject.compared and len(known) < FEWEST_MISTAKES:
        yield Finding(
            place,
            f"{len(known)} known mistakes; {FEWEST_MISTAKES} name most wrong answers",
        )
    unseen = set(known)
    for task in subject.compared:
        variants = suite.diagnostician.singles.get(task, [])
        cases = diagnostic_cases(subject.stored, task)
        shown = [one for one in variants if is_visible(one, cases)]
        if not variants:
            yield Finding(
                place, f"no mistake of {task} is known; add those that you expect"
            )
        unseen -= {one.labels[0] for one in shown}
        for one, other in itertools.combinations(shown, 2):
            if as_told(one.labels) != as_told(other.labels) and are_told_apart_nowhere(
                one, other, cases
            ):
                names = f"{one.labels[0]} and {other.labels[0]}"
                yield error(
                    place,
                    f"no case of {task} tells {names} apart; add one, or join them",
                )
    for name in sorted(unseen):
        yield error(place, f"{name} shows in no case; add one that it answers wrong")
    drill, metadata = suite.homework.drill, subject.file("homework.toml")
    for name in sorted(set(drill) - known):
        yield error(
            metadata, f"drill: {CATALOGUE} has no {name!r}; name one of its mistakes"
        )
    if known and not drill:
        yield Finding(
            metadata,
            "without `drill` there is no drill; name a mistake that is worth finding",
        )


def _questions(subject: Subject) -> Iterator[Finding]:
    """What a wrong answer is told has its own reason, and does not hold the right one."""
    place = subject.file("questions.toml")
    for one in subject.suite.homework.questions:
        if isinstance(one, Choice):
            reasons, right = list(one.mistakes.values()), one.options[one.right]
            telling = [reason for reason in reasons if right in reason]
        elif isinstance(one, Numeric):
            reasons, right = (
                [typical.mistake for typical in one.mistakes],
                f"{one.number:.10g}",
            )
            telling = [reason for reason in reasons if right in reason.split()]
        else:
            continue
        if telling:
            yield error(
                place,
                f"{one.id}: a mistake's text holds the right answer; say only what is wrong",
            )
        if not reasons:
            yield Finding(
                place, f"{one.id}: add `mistakes`, the wrong numbers that you expect"
            )
        if len(set(reasons)) < len(reasons):
            yield Finding(
                place,
                f"{one.id}: two mistakes have one text; say which thought leads to each",
            )


# Checks and cases


def _checks(subject: Subject) -> Iterator[Finding]:
    """Students' checks can be made, each task has one of its published cases, and no case is forgotten."""
    homework, checks = subject.suite.homework, subject.suite.checks
    place = subject.file(checks_file(homework).name)
    try:
        if any(one.public for one in checks):
            checks_text(homework, public_checks(homework))
        else:
            yield Finding(place, "no check is public; a release needs at least one")
    except CourseError as refused:
        yield error(place, str(refused))
    for one in checks:
        if not one.sentence.endswith("."):
            yield Finding(
                place,
                f"{one.name}: end its docstring with a full stop, for students read it",
            )
    cases = {one.case.id: one.case for one in subject.suite.known}
    for task in subject.compared:
        asked = {
            case
            for one in checks
            if one.task == task
            for case in subject.asked[one.name]
        }
        if not any(cases[case].group is Group.PUBLISHED for case in asked):
            yield error(place, f"{task} has no check of its published cases; add one")
    asked = {case for found in subject.asked.values() for case in found}
    looked_at = {
        k.case.id
        for task in homework.tasks
        for k in diagnostic_cases(subject.stored, task.name)
    }
    used = asked | {
        one.id
        for one in cases.values()
        if one.id in looked_at and one.group is Group.HIDDEN
    }
    unused = {
        (one.group, one.topic, one.task) for one in cases.values() if one.id not in used
    }
    for group, topic, name in sorted(unused):
        yield Finding(
            place,
            f"no check asks for the {group} cases of {name} with the topic {topic!r}; add one",
        )


def _cases(subject: Subject) -> Iterator[Finding]:
    """Each task has public cases with sizes of their own; where there is a softmax, large ones too."""
    place, cases = subject.file("cases.py"), [one.case for one in subject.stored]
    for task in subject.compared:
        own = [one for one in cases if one.task == task]
        published, public, hidden = (
            [one for one in own if one.group is group] for group in STORED
        )
        sized = [one for one in public if one.topic in SIZED]
        if not public:
            yield Finding(
                place,
                f"{task} has no public case; add one of other sizes than the published",
            )
        for one, other in (
            *itertools.product(sized, published),
            *itertools.combinations(sized, 2),
        ):
            sizes = sizes_of(other)
            same = {
                size for at, size in sizes_of(one).items() if sizes.get(at) == size
            } - {0, 1}
            if same:
                yield Finding(
                    place,
                    f"{one.id} shares the size {min(same)} with {other.id}; use another",
                )
        for one, other in itertools.product(sized, hidden):
            if one.topic == other.topic and sizes_of(one) == sizes_of(other):
                yield Finding(
                    place, f"{one.id} has all sizes of {other.id}; use others"
                )
    solution = ast.parse(subject.suite.homework.solution.read_text("utf-8"))
    has_softmax = any(
        isinstance(one, ast.Attribute) and one.attr in ("exp", "softmax")
        for one in ast.walk(solution)
    )
    has_large = any(one.topic == "large" and one.group is Group.PUBLIC for one in cases)
    if subject.compared and has_softmax and not has_large:
        yield Finding(
            place,
            "there is a softmax, and no public case of the topic 'large'; add one (×1000)",
        )


def sizes_of(case: Case) -> dict[tuple[int, ...], int]:
    """The sizes of a call's arguments, and whole numbers themselves, each by where it stands."""

    def found(value: Any, at: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
        array = value.array if isinstance(value, Tensor) else value
        if isinstance(array, np.ndarray):
            yield from (((*at, axis), size) for axis, size in enumerate(array.shape))
        elif isinstance(value, list):
            yield (*at, -1), len(value)
            yield from found(value[0], (*at, 0)) if value else ()
        elif isinstance(value, tuple):
            for place, one in enumerate(value):
                yield from found(one, (*at, place))
        elif isinstance(value, int) and not isinstance(value, bool):
            yield at, value

    return dict(
        found((getattr(case.call, "args", ()), getattr(case.call, "input", None)), ())
    )


# The corpus


def _corpus(subject: Subject) -> Iterator[Finding]:
    """There are right answers, and mistaken ones lose checks that there are."""
    corpus, root = (
        read_corpus(subject.course, subject.suite.homework),
        subject.course.root,
    )
    if not any(one.is_right for one in corpus):
        folder = CORPUS / subject.suite.homework.id
        yield Finding(
            folder, "no right answer is kept here; add some to styles.py or correct/"
        )
    checks = {one.name for one in subject.suite.checks}
    for one in corpus:
        for name in sorted((one.loses or set()) - checks):
            yield error(
                one.path.relative_to(root),
                f"{one.name} loses {name!r}, which is not a check",
            )
