"""Rules that the files of every homework must follow, checked without running them.

An error has to be fixed: it lets a wrong answer pass, or gives an answer away. Advice is about what makes a
homework teach better.
"""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from autograder.authoring.checks_package import checks_text, public_checks
from autograder.authoring.corpus import CORPUS, read_corpus
from autograder.authoring.new_mistake import TODO
from autograder.authoring.notebooks import code_cells, is_mark
from autograder.authoring.statements import texts_in, without_texts
from autograder.authoring.tolerances import tolerance_of
from autograder.course.cases import Case, Group, stored_cases
from autograder.course.course import MASTER, METADATA, TRANSLATIONS, Course
from autograder.course.homework import CourseError
from autograder.course.questions import Choice, Numeric
from autograder.course.schema import read_toml
from autograder.course.stub import BEGIN, END, stub_text
from autograder.exhibits.parts import parts_named
from autograder.grading.suite import Suite
from autograder.handouts.page import HANDOUT
from autograder.language import language_of, words_of_line
from autograder.reasons.agreement import (
    are_told_apart_nowhere,
    as_told,
    diagnostic_cases,
    is_visible,
)
from autograder.reasons.catalogue import CATALOGUE
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import as_array, leaves
from autograder.verdict.checks import checks_file, run_checks
from autograder.verdict.fixtures import Cases, Fixtures
from autograder.verdict.for_checks.laws import ERROR, Chance
from autograder.verdict.for_checks.random_answers import noting_chances
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import least_tolerance
from autograder.verdict.store import BUILD
from autograder.worker.wire import Array, Tensor

FEWEST_WORDS, MOST_WORDS = 6, 45
FEWEST_MISTAKES = 15
WORTH_HIDING = 6  # characters of code without blanks; shorter pieces such as `x.T` are names, no answers
LONGEST_PRINTED = 10  # decimals
LARGEST_SAID = 9  # whole numbers up to it are sizes, axes and counts of tokens
DECIMAL = r"-?\d+\.\d+(?!\.?\d)"
WHOLE = r"(?<![\d.])\d+(?![\d.]*\d)"
SECTION = r"([Ss]ection|[Cc]hapter|[Ff]igure|[Ee]quation)s? [\d.]+\d"
"""What is cut from a text before its decimals are read: a section is no number of an answer."""
NUMBER_IN_CODE = r"\d+\.?\d*(?:e-?\d+)?"
LEAST_DIFFERENCE = 1e-6
PRINTED = re.compile(rf"(?<![\w.]){DECIMAL}|(?<![\w./])\d+/\d+(?![\w/])")
"""Numbers in a text that a published case should hold: decimals and fractions."""
VERSION = re.compile(r"[A-Z]\w* $")
"""What stands before a number that is a version, such as that of NumPy 2.4."""
COMPUTED = re.compile(r"\d.*[=≈]\s*$")
"""What stands before a number that its line computes from others."""
WITH_NUMBERS = (
    "cases.py",
    "example.py",
    "picture.py",
    "published.toml",
    "questions.toml",
    "homework.toml",
)
"""The files, beside the solution, whose numbers a handout may repeat."""
SLOWER = 3
"""Right code may take so many times as long as the solution."""
MOST_RISK = 1.001 * ERROR
"""The chance of failing a right program that one check may have; sums are rounded."""
SIZED = ("values", "large")
"""The topics whose public cases have sizes of their own."""


@dataclass(frozen=True)
class Finding:
    """One finding of a rule: the place, the fault and the remedy."""

    place: Path
    text: str
    is_error: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


def error(place: Path, text: str) -> Finding:
    """Return a finding that has to be fixed."""
    return Finding(place, text, is_error=True)


@dataclass(frozen=True)
class Subject:
    """A homework with all that its rules look at; ``fixtures`` are made from its reference solution."""

    course: Course
    suite: Suite
    fixtures: Fixtures

    def file(self, name: str) -> Path:
        return (self.suite.homework.folder / name).relative_to(self.course.root)

    @property
    def stored(self) -> list[KnownCase]:
        """The cases that are not fresh."""
        stored = []
        for known in self.suite.known:
            if known.case.group is not Group.FRESH:
                stored.append(known)
        return stored

    @cached_property
    def compared(self) -> list[str]:
        """The tasks whose values are compared with right ones; the answers to others may differ."""
        expecting = set()
        for known in self.suite.known:
            if known.case.expects:
                expecting.add(known.case.task)
        compared = []
        for task in self.suite.homework.tasks:
            if task.name in expecting:
                compared.append(task.name)
        return compared

    @property
    def cases_of_check(self) -> Mapping[str, set[str]]:
        """The cases that each check asks for, by its name."""
        cases_of_check, _ = self._watched
        return cases_of_check

    @property
    def chances_of_check(self) -> Mapping[str, Sequence[Chance]]:
        """The risk and the power of each check of random answers, by its name."""
        _, chances_of_check = self._watched
        return chances_of_check

    @cached_property
    def _watched(self) -> tuple[dict[str, set[str]], dict[str, list[Chance]]]:
        """The cases and the chances of each check.

        Some cases are asked for only where the check's task is wrong: they lead to the student's own weights.
        """
        right_answers = self.fixtures.submission.answers
        cases_of_check = {}
        chances_of_check = {}
        for check in self.suite.checks:
            lacking = dict(right_answers)
            for known in self.suite.known:
                if known.case.task == check.task:
                    lacking[known.case.id] = Answer(not_defined=True)
            cases = _WatchedCases(self.suite.known)
            for answers in (right_answers, lacking):
                compare = self.fixtures.compare.with_answers(answers)
                fixtures = Fixtures(compare.submission, cases, compare)
                with noting_chances() as ask_chances:
                    run_checks([replace(check, requires=())], fixtures)
                if answers is right_answers and ask_chances:
                    chances_of_check[check.name] = [ask() for ask in ask_chances]
            cases_of_check[check.name] = cases.picked
        return cases_of_check, chances_of_check


@dataclass(frozen=True, repr=False)
class _WatchedCases(Cases):
    """The known cases, which note the ids of the cases that a check asks for."""

    picked: set[str] = field(default_factory=set)

    def _pick(self, task: str, topic: str | None, *groups: Group) -> list[KnownCase]:
        cases = super()._pick(task, topic, *groups)
        for known in cases:
            self.picked.add(known.case.id)
        return cases


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield the findings of all rules for a homework, errors and advice mixed."""
    rules = (
        _sentences,
        _mistakes,
        _questions,
        _checks,
        _chances,
        _cases,
        _tolerances,
        _limits,
        _sections,
        _numbers,
        _translations,
        _translated_notebooks,
        _corpus,
    )
    for rule in rules:
        yield from rule(subject)


# Known mistakes


def _sentences(subject: Subject) -> Iterator[Finding]:
    """Sentences about mistakes are finished and short, differ, and give nothing of the answers away."""
    place = subject.file(CATALOGUE)
    solution_code = _solution_code(subject)
    published_numbers = _published_numbers(subject)
    sizes = _sizes_handed_out(subject)
    label_of_sentence: dict[str, str] = {}
    for misconception in subject.suite.diagnostician.catalogue:
        name = misconception.id
        sentence = misconception.says
        (label,) = as_told((name,))

        words = len(sentence.split())
        if TODO in sentence:
            yield error(place, f"{name}.says: word the sentence that students read")
        elif not FEWEST_WORDS <= words <= MOST_WORDS:
            advice = f"use {FEWEST_WORDS} to {MOST_WORDS}"
            yield Finding(place, f"{name}.says has {words} words; {advice}")
        if not sentence.endswith((".", "?")):
            yield Finding(
                place,
                f"{name}.says: end the sentence with a full stop or a question mark",
            )

        # Two forms of one mistake may share a sentence.
        other = label_of_sentence.setdefault(sentence, label)
        if other != label:
            yield error(
                place,
                f"{name} and {other} have the same sentence; say what distinguishes them",
            )

        # Code of the solution.
        without_blanks = "".join(sentence.split())
        code = []
        for part in solution_code:
            if part in without_blanks:
                code.append(part)
        if code:
            yield error(
                place,
                f"{name}.says contains code of the solution, {min(code)}; put it into words",
            )

        # Numbers of an answer.
        decimals = re.findall(DECIMAL, re.sub(SECTION, "", sentence))
        numbers = set(decimals) & published_numbers
        for number in map(int, re.findall(WHOLE, sentence)):
            if number > LARGEST_SAID and number not in sizes:
                numbers.add(str(number))
        if numbers:
            yield error(
                place,
                f"{name}.says reveals {min(numbers)}, a number of an answer; leave it out",
            )


def _solution_code(subject: Subject) -> set[str]:
    """Return the expressions of the solution regions, without blanks."""
    source = subject.suite.homework.solution.read_text("utf-8")
    expressions = set()
    for region in re.findall(rf"{BEGIN}\n(.*?){END}", source, re.DOTALL):
        for line in region.splitlines():
            expression = re.sub(r"^(return |[\w, .]+ = )", "", line.strip())
            code = "".join(expression.split())
            if len(code) >= WORTH_HIDING and not code.isidentifier():
                expressions.add(code)
    return expressions


def _published_numbers(subject: Subject) -> set[str]:
    """Return the numbers of all published answers, printed to any number of decimals."""
    printed = set()
    for known in subject.stored:
        if known.case.group is not Group.PUBLISHED:
            continue
        for leaf in leaves(known.expected):
            array = as_array(leaf)
            if array is None:
                continue
            for number in array.flat:
                value = float(number)
                for decimals in range(1, LONGEST_PRINTED):
                    printed.add(f"{value:.{decimals}f}")
    return printed


def _sizes_handed_out(subject: Subject) -> set[int]:
    """Return the whole numbers that handout and stub print themselves."""
    text = stub_text(subject.suite.homework)
    text = _handout(subject) + text
    return {int(number) for number in re.findall(WHOLE, text)}


def _mistakes(subject: Subject) -> Iterator[Finding]:
    """There are some mistakes for each task, each shows somewhere, and no two answer alike."""
    place = subject.file(CATALOGUE)
    homework = subject.suite.homework
    diagnostician = subject.suite.diagnostician
    names = {misconception.id for misconception in diagnostician.catalogue}
    # Where no answers are compared, checks prove mistakes by themselves; the audit says whether they do.
    unseen = set()
    for misconception in diagnostician.catalogue:
        if not set(misconception.tasks).isdisjoint(subject.compared):
            unseen.add(misconception.id)
    if subject.compared and len(names) < FEWEST_MISTAKES:
        count = f"{len(names)} known mistakes"
        yield Finding(place, f"{count}; {FEWEST_MISTAKES} name most wrong answers")

    for task in subject.compared:
        variants = diagnostician.singles.get(task, [])
        if not variants:
            yield Finding(
                place, f"no mistake of {task} is known; add those that you expect"
            )
        cases = diagnostic_cases(subject.stored, task)
        visible = []
        for variant in variants:
            if is_visible(variant, cases):
                visible.append(variant)
                unseen.discard(variant.labels[0])
        for first, second in itertools.combinations(visible, 2):
            if as_told(first.labels) == as_told(second.labels):
                continue
            if are_told_apart_nowhere(first, second, cases):
                pair = f"{first.labels[0]} and {second.labels[0]}"
                yield error(
                    place,
                    f"no case of {task} distinguishes {pair}; add one, or merge them",
                )
    for name in sorted(unseen):
        yield error(
            place, f"{name} changes no answer; add a case that it answers wrong"
        )

    # The drill shows some of them.
    metadata = subject.file("homework.toml")
    for name in sorted(set(homework.drill) - names):
        yield error(
            metadata, f"drill: {CATALOGUE} has no {name!r}; name one of its mistakes"
        )
    if subject.compared and names and not homework.drill:
        yield Finding(
            metadata,
            "without `drill` there is no drill; name a mistake that is worth finding",
        )


def _questions(subject: Subject) -> Iterator[Finding]:
    """Every wrong answer has its own text, which does not contain the right answer."""
    place = subject.file("questions.toml")
    for question in subject.suite.homework.questions:
        is_told = False
        mistakes = []
        if isinstance(question, Choice):
            right = question.options[question.right]
            for mistake in question.mistakes.values():
                mistakes.append(mistake)
                is_told |= right in mistake
        elif isinstance(question, Numeric):
            right = f"{question.number:.10g}"
            for typical in question.mistakes:
                mistakes.append(typical.mistake)
                is_told |= right in typical.mistake.split()
        else:
            continue
        if is_told:
            yield error(
                place,
                f"{question.id}: a mistake's text contains the right answer; say only what is wrong",
            )
        if not mistakes:
            yield Finding(
                place,
                f"{question.id}: add `mistakes`, the wrong numbers that you expect",
            )
        if len(set(mistakes)) < len(mistakes):
            yield Finding(
                place,
                f"{question.id}: two mistakes have the same text; say which thought leads to each",
            )


# Checks and cases


def _checks(subject: Subject) -> Iterator[Finding]:
    """Students' checks can be made, each task has one of its published cases, and no case is forgotten."""
    homework = subject.suite.homework
    checks = subject.suite.checks
    place = subject.file(checks_file(homework).name)
    if any(check.public for check in checks):
        try:
            checks_text(homework, public_checks(homework))
        except CourseError as trouble:
            yield error(place, str(trouble))
    else:
        yield Finding(place, "no check is public; a release needs at least one")
    for check in checks:
        if not check.sentence.endswith("."):
            yield Finding(
                place,
                f"{check.name}: end its docstring with a full stop, because students read it",
            )

    cases = {known.case.id: known.case for known in subject.suite.known}
    used: set[str] = set()
    for case_ids in subject.cases_of_check.values():
        used |= case_ids
    for task in subject.compared:
        groups = set()
        for check in checks:
            if check.task == task:
                for case_id in subject.cases_of_check[check.name]:
                    groups.add(cases[case_id].group)
        if Group.PUBLISHED not in groups:
            yield error(place, f"{task} has no check of its published cases; add one")

    # A hidden case may also be there only for diagnosis.
    for homework_task in homework.tasks:
        for known in diagnostic_cases(subject.stored, homework_task.name):
            if known.case.group is Group.HIDDEN:
                used.add(known.case.id)
    unused = set()
    for case in cases.values():
        if case.id not in used:
            unused.add((case.group, case.topic, case.task))
    for group, topic, task in sorted(unused):
        yield Finding(
            place,
            f"no check asks for the {group} cases of {task} with the topic {topic!r}; add one",
        )


def _chances(subject: Subject) -> Iterator[Finding]:
    """Checks of random answers hardly ever fail a right program, and notice the mistakes that they name."""
    place = subject.file(checks_file(subject.suite.homework).name)
    names = {mistake.id for mistake in subject.suite.diagnostician.catalogue}
    for check, chances in subject.chances_of_check.items():
        risk = sum(chance.error for chance in chances)
        if risk > MOST_RISK:
            text = f"{check} fails a right program with a chance of up to {risk:.1g}"
            yield Finding(place, f"{text}; let it draw more, or lower `error`")
        for chance in chances:
            for label, (distance, needed) in chance.mistakes.items():
                if label not in names:
                    yield error(place, f"{check}: {CATALOGUE} has no mistake {label!r}")
                elif needed > chance.draws:
                    text = f"{check} may miss {label}, whose probabilities are off by {distance:.2g}"
                    remedy = "let a stored case show it"
                    if distance:
                        remedy = f"{needed:,} draws show that, and there are {chance.draws:,}"
                    yield error(place, f"{text}; {remedy}")


def chances_in_words(subject: Subject) -> Iterator[str]:
    """Yield the chance of failing a right program by bad luck, and what each check of random answers sees."""
    risk = 0.0
    lines = []
    for check, chances in subject.chances_of_check.items():
        check_risk = sum(chance.error for chance in chances)
        risk += check_risk
        line = f"{check}: {check_risk:.1g}"
        for chance in chances:
            if chance.seen:
                line += (
                    f", {chance.draws:,} draws show what is off by {chance.seen:.2g}"
                )
            for label, (distance, _) in chance.mistakes.items():
                line += f", {label} is off by {distance:.2g}"
        lines.append(line)
    if lines:
        yield f"by bad luck a right program fails with a chance of at most {risk:.1g}"
        yield from lines


def _cases(subject: Subject) -> Iterator[Finding]:
    """Each task has public cases with sizes of their own; where there is a softmax, large ones too."""
    place = subject.file("cases.py")
    cases = [known.case for known in subject.stored]
    for task in subject.compared:
        published = []
        public = []
        hidden = []
        for case in cases:
            if case.task != task:
                continue
            if case.group is Group.PUBLISHED:
                published.append(case)
            elif case.group is Group.PUBLIC:
                public.append(case)
            else:
                hidden.append(case)
        if not public:
            yield Finding(
                place,
                f"{task} has no public case; add one of other sizes than the published",
            )

        sized = []
        for case in public:
            if case.topic in SIZED:
                sized.append(case)
        for size in _sizes_of_all([*published, *sized] if sized else []):
            yield Finding(
                place,
                f"an argument of {task} has the size {size} in each published and public case, so code "
                "with that number in it passes them; let a public case have another",
            )
        for case, other in itertools.product(sized, hidden):
            if case.topic != other.topic:
                continue
            all_sizes = argument_sizes(case)  # texts have none
            if all_sizes and all_sizes == argument_sizes(other):
                yield Finding(
                    place, f"{case.id} has all sizes of {other.id}; use others"
                )

    has_softmax = False
    solution = subject.suite.homework.solution.read_text("utf-8")
    for node in ast.walk(ast.parse(solution)):
        if isinstance(node, ast.Attribute) and node.attr in ("exp", "softmax"):
            has_softmax = True
    has_large = False
    for case in cases:
        if case.topic == "large" and case.group is Group.PUBLIC:
            has_large = True
    if subject.compared and has_softmax and not has_large:
        yield Finding(
            place,
            "there is a softmax, and no public case of the topic 'large'; add one (×1000)",
        )


def _sizes_of_all(cases: Sequence[Case]) -> list[int]:
    """Return the sizes, but for 0 and 1, that several cases have in an axis, and no case has another one."""
    sizes_by_place: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for case in cases:
        for axis_place, size in argument_sizes(case).items():
            sizes_by_place[axis_place].append(size)
    fixed = set()
    for sizes in sizes_by_place.values():
        if len(sizes) > 1 and len(set(sizes)) == 1:
            fixed.add(sizes[0])
    return sorted(fixed - {0, 1})


def argument_sizes(case: Case) -> dict[tuple[int, ...], int]:
    """Return the sizes of a call's arguments, and whole numbers themselves, each by where it stands."""
    sizes: dict[tuple[int, ...], int] = {}

    def add(value: Any, place: tuple[int, ...]) -> None:
        array = value
        if isinstance(value, Tensor):
            array = value.array
        if isinstance(array, np.ndarray):
            for axis, size in enumerate(array.shape):
                sizes[*place, axis] = size
        elif isinstance(value, list):
            sizes[*place, -1] = len(value)
            if value:  # its items are alike
                add(value[0], (*place, 0))
        elif isinstance(value, tuple):
            for index, item in enumerate(value):
                add(item, (*place, index))
        elif isinstance(value, int) and not isinstance(value, bool):
            sizes[place] = value

    arguments = getattr(case.call, "inputs", ())
    module_input = getattr(case.call, "input", None)
    add((arguments, module_input), ())
    return sizes


def _tolerances(subject: Subject) -> Iterator[Finding]:
    """The stored tolerances are those that cases.py and the stored evidence ask for."""
    case_by_id = {case.id: case for case in stored_cases(subject.suite.homework)}
    for known in subject.stored:
        case = case_by_id.get(known.case.id)
        if case is None or not case.expects:
            continue
        tolerance = case.tolerance
        if tolerance is None and known.evidence is not None:
            tolerance = tolerance_of(known.evidence, least_tolerance(case.call))
        if tolerance is not None and tolerance != known.tolerance:
            yield error(
                subject.file("cases.py"),
                f"{case.id} has the tolerance {tolerance:g}, and {known.tolerance:g} is stored; {BUILD}",
            )


def _limits(subject: Subject) -> Iterator[Finding]:
    """The limit of time of each task fits the solution: no slower right code is cut, and no loop lasts long."""
    place = subject.file(METADATA)
    usual = subject.suite.homework.limits.call_seconds
    for task in subject.suite.homework.tasks:
        limit = task.call_seconds or usual
        needed = 0.0
        for known in subject.suite.known:
            if known.case.task == task.name:
                answer = subject.fixtures.submission.answers[known.case.id]
                needed = max(needed, answer.seconds)
        if SLOWER * needed > limit:
            remedy = f"call_seconds = {math.ceil((SLOWER + 1) * needed)}"
            yield Finding(
                place,
                f"a call for {task.name} takes the solution {needed:.2g} s of {limit:g} s, so right code that "
                f"is {SLOWER} times as slow has no points; write `{remedy}` into that task's table",
            )
        elif limit > usual > SLOWER * needed:
            yield Finding(
                place,
                f"an endless loop in {task.name} goes on for {limit:g} s, and the solution's calls take "
                f"{needed:.1g} s; leave out `call_seconds` of that task, so that {usual:g} s hold",
            )


# The handout


def _sections(subject: Subject) -> Iterator[Finding]:
    """The handout says something about each task."""
    place = subject.file(HANDOUT)
    text = _handout(subject)
    for task in subject.suite.homework.tasks:
        if not re.search(rf"\b{re.escape(task.name)}\b", text):
            yield Finding(place, f"no section is about {task.name}; add one")


def _numbers(subject: Subject) -> Iterator[Finding]:
    """Numbers in the handout's text and in sentences of checks are those of published cases or of the code."""
    known_numbers = _known_numbers(subject)
    texts = [(subject.file(HANDOUT), _handout(subject))]
    place = subject.file(checks_file(subject.suite.homework).name)
    for check in subject.suite.checks:
        texts.append((place, f"{check.name}: {check.sentence}"))
    for file, text in texts:
        old_numbers: dict[str, None] = {}
        for line in re.sub(rf"https?://\S+|{SECTION}", "", text).splitlines():
            for match in PRINTED.finditer(line):
                before = line[: match.start()]
                if VERSION.search(before) or COMPUTED.search(before):
                    continue
                if not _is_among(match[0], known_numbers):
                    old_numbers[match[0]] = None
        if old_numbers:
            numbers = ", ".join(old_numbers)
            yield Finding(
                file,
                f"no published case and no code of the homework has {numbers}; is that from older inputs?",
            )


def _handout(subject: Subject) -> str:
    path = subject.suite.homework.folder / HANDOUT
    return path.read_text("utf-8") if path.is_file() else ""


def _known_numbers(subject: Subject) -> Array:
    """Return the sizes of all numbers in published cases and in the code of a homework."""
    homework = subject.suite.homework
    numbers: list[float] = []
    for known in subject.stored:
        if known.case.group is not Group.PUBLISHED:
            continue
        call = known.case.call
        inputs = getattr(call, "inputs", ())
        parts = [part for _, part in parts_named(known.expected)]
        for leaf in leaves([parts, inputs]):
            array = as_array(leaf)
            if array is not None and array.dtype.kind in "fiu":
                numbers += array.ravel().tolist()
    for path in (homework.solution, *(homework.folder / name for name in WITH_NUMBERS)):
        if path.is_file():
            numbers += map(float, re.findall(NUMBER_IN_CODE, path.read_text("utf-8")))
    sizes: Array = np.abs(np.array(numbers))
    return sizes


def _is_among(printed: str, numbers: Array) -> bool:
    """Return whether a decimal or a fraction is one of some positive numbers, to the decimals that it shows."""
    numerator, _, denominator = printed.partition("/")
    value = abs(float(numerator))
    _, _, decimals = numerator.partition(".")
    half_a_unit = 0.5 * 10.0 ** -len(decimals)
    reach = half_a_unit + LEAST_DIFFERENCE
    if denominator:
        value /= float(denominator) or 1.0
        reach = LEAST_DIFFERENCE
    distances = np.abs(numbers - value)
    return bool((distances <= reach).any())


# The corpus


def _translations(subject: Subject) -> Iterator[Finding]:
    """Translations are those of mistakes and texts that the homework has."""
    folder = subject.suite.homework.folder
    mistakes = {mistake.id for mistake in subject.suite.diagnostician.catalogue}
    for path in sorted(folder.glob(f"{Path(CATALOGUE).stem}.*.toml")):
        place = subject.file(path.name)
        translated = read_toml(path, dict[str, str]).keys()
        for name in sorted(translated - mistakes):
            yield error(place, f"{CATALOGUE} has no mistake {name!r}")
        untranslated = sorted(mistakes - translated)
        if untranslated:
            yield Finding(place, f"told in English: {', '.join(untranslated)}")

    tables = sorted(folder.glob(f"{Path(TRANSLATIONS).stem}.*.toml"))
    texts = set[str]()
    if tables:
        texts.update(_texts_of(folder))
    for path in tables:
        _, code, _ = path.name.split(".")
        texts_of_the_kit = language_of(code).texts
        for text in read_toml(path, dict[str, str]):
            if text not in texts and text not in texts_of_the_kit:
                yield Finding(
                    subject.file(path.name),
                    f"{text!r} is in no file of this homework, so its translation is never read",
                )


def _translated_notebooks(subject: Subject) -> Iterator[Finding]:
    """A translated notebook has the code of the original: only texts and comments differ."""
    folder = subject.suite.homework.folder
    original = folder / MASTER
    for path in sorted(folder.glob(f"{original.stem}.*.py")):
        place = subject.file(path.name)
        original_cells = code_cells(original)
        translated_cells = code_cells(path)
        if len(original_cells) != len(translated_cells):
            yield error(
                place,
                f"code cells: {len(translated_cells)}, but {len(original_cells)} in {MASTER}; give both the same",
            )
            continue
        pairs = zip(original_cells, translated_cells, strict=True)
        for number, (original_code, translated_code) in enumerate(pairs, start=1):
            if _code_to_repeat(original_code) != _code_to_repeat(translated_code):
                yield error(
                    place,
                    f"code cell {number} differs from that of {MASTER}; only texts and comments are translated",
                )


def _code_to_repeat(cell: str) -> str:
    """Return what a translated cell must repeat: a mark, or code without its texts and comments."""
    if is_mark(cell):
        return cell.strip()
    try:
        return without_texts(cell)
    except SyntaxError:  # commands of IPython have nothing to translate
        return cell


def _texts_of(folder: Path) -> Iterator[str]:
    """Yield the texts of a homework that may be translated: of its metadata, and texts and lines of its code."""
    metadata = read_toml(folder / METADATA, dict[str, Any])
    for table in (metadata, *metadata["tasks"]):
        for value in table.values():
            if isinstance(value, str):
                yield value
        yield from table.get("returns", ())
    for path in folder.glob("*.py"):
        source = path.read_text("utf-8")
        for line in source.split("\n"):
            yield words_of_line(line)
        yield from texts_in(source)


def _corpus(subject: Subject) -> Iterator[Finding]:
    """There are right answers, and mistaken ones lose checks that there are."""
    homework = subject.suite.homework
    corpus = read_corpus(subject.course, homework)
    if not any(submission.is_right for submission in corpus):
        yield Finding(
            CORPUS / homework.id,
            "no right answer is kept here; add some to styles.py or correct/",
        )
    count_of_task = Counter[str]()
    for submission in corpus:
        count_of_task.update(submission.borrowed)
    for task, count in count_of_task.items():
        yield Finding(
            CORPUS / homework.id,
            f"submissions without {task}: {count}; each is graded with the solution's, add one in their style",
        )
    checks = {check.name for check in subject.suite.checks}
    for submission in corpus:
        losses = submission.loses or frozenset()
        for check in sorted(losses - checks):
            yield error(
                submission.path.relative_to(subject.course.root),
                f"{submission.name} loses {check!r}, which is not a check",
            )
