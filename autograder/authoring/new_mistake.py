"""A new entry of the catalogue of known mistakes, from a group of wrong answers that has none.

Edits of the solution are tried until one gives exactly the values of the group: those of the catalogue, small
ones that are generated, and pairs of both.
"""

from __future__ import annotations

import ast
import itertools
import json
import re
import textwrap
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.authoring.generated_edits import generated_edits
from autograder.course.cases import Group
from autograder.course.homework import CourseError, Homework
from autograder.exhibits.behaviour import ALLOWANCE, behaviour_of, is_same, stored_cases
from autograder.reasons.catalogue import (
    CATALOGUE,
    Edit,
    Solution,
    read_catalogue,
    read_edits,
)
from autograder.reasons.mutation import run_edits
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, StudentError, escaped
from autograder.templates import render
from autograder.verdict.failure import Labels
from autograder.verdict.known import KnownCase
from autograder.verdict.misfits import misfit_of
from autograder.verdict.work import Behaviour, Work

TODO = "TODO"
"""Stands in what a person has to word; ``autograder check`` refuses a catalogue that holds it."""
AT_ONCE, FIRST_CASES, MOST_NEAR, MOST_EXHIBITS = 100, 2, 3, 2


@dataclass(frozen=True)
class Attempt:
    """Edits of the solution, and the known mistakes that make them, if any do."""

    edits: frozenset[Edit]
    labels: Labels = ()


@dataclass
class Search:
    """Looks for edits that answer like a group, of which ``work`` is one submission's.

    ``near`` has the known mistakes and pairs that share numbers with it, and the part that they share.
    """

    homework: Homework
    wanted: Behaviour
    work: Work
    known: Sequence[KnownCase]
    pool: SandboxPool
    tell: Callable[[int], None] = lambda tried: None
    tried: int = 0
    near: dict[Labels, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.catalogue = read_edits(self.homework)
        self.cases = stored_cases(self.known, self.wanted.task)
        self.exhibits = [
            one for one in self.work.exhibits if one.task == self.wanted.task
        ]
        numbers = [re.search(r"\bline (\d+)\b", one.error) for one in self.exhibits]
        lines = self.work.source.split("\n")
        raised = [
            lines[int(one[1]) - 1]
            for one in numbers
            if one and int(one[1]) <= len(lines)
        ]
        self._raised_at = (
            raised[0] if raised else ""
        )  # the solution raises the same on another line

    def run(self, seconds: float) -> Attempt | None:
        """Return the first edits that give these values; None where none do, or time is over."""
        ends, attempts = time.monotonic() + seconds, self._attempts()
        while time.monotonic() < ends and (
            some := list(itertools.islice(attempts, AT_ONCE))
        ):
            first = self._answers(some, self.cases[:FIRST_CASES])
            likely = [one for one, answers in first if self._begins_alike(one, answers)]
            for one, answers in self._answers(likely, self.cases):
                found = behaviour_of(self.wanted.task, self.cases, answers)
                is_same_form = found.form == self.wanted.form and is_same(
                    found.sketch, self.wanted.sketch
                )
                if is_same_form and self._raises_alike(answers):
                    return one
            self.tried += len(some)
            self.tell(self.tried)
        return None

    def _attempts(self) -> Iterator[Attempt]:
        """Yield what may be tried, the simplest first."""
        solution, task = self.catalogue.solution, self.wanted.task
        mistakes = self.catalogue.mistakes.values()
        known = [
            Attempt(one.edits, (one.id,))
            for one in mistakes
            if task in solution.reached_by(one.edits)
        ]
        own = [Attempt(frozenset([edit])) for edit in generated_edits(solution, task)]
        yield from (*known, *own)
        pairs = (
            itertools.combinations(known, 2),
            itertools.product(known, own),
            itertools.combinations(own, 2),
        )
        for one, other in itertools.chain.from_iterable(pairs):
            if not any(a == b or a.clashes(b) for a in one.edits for b in other.edits):
                yield Attempt(one.edits | other.edits, one.labels + other.labels)

    def _answers(
        self, some: Sequence[Attempt], cases: Sequence[KnownCase]
    ) -> Iterator[tuple[Attempt, Mapping[str, Answer]]]:
        """Run attempts; one that does not load, or brings the process down, is left out."""
        solution, calls = self.catalogue.solution, [one.case for one in cases]
        try:
            done = list(
                run_edits(
                    self.homework,
                    solution,
                    calls,
                    [one.edits for one in some],
                    self.pool,
                )
            )
        except CourseError:
            for half in (
                (some[: len(some) // 2], some[len(some) // 2 :])
                if len(some) > 1
                else ()
            ):
                yield from self._answers(half, cases)
            return
        for one, answers in zip(some, done, strict=True):
            if not isinstance(answers, StudentError):
                yield (
                    one,
                    {case: self._as_raised(answer) for case, answer in answers.items()},
                )

    def _as_raised(self, answer: Answer) -> Answer:
        return replace(
            answer, error=answer.error and replace(answer.error, source=self._raised_at)
        )

    def _raises_alike(self, answers: Mapping[str, Answer]) -> bool:
        """Whether shapes that do not fit are those of the group, as far as its pages show them.

        A behaviour holds the types of exceptions alone, and where code raises at every size most edits that
        raise have the same.
        """
        for exhibit in self.exhibits:
            error = answers[exhibit.case].error if exhibit.case in answers else None
            misfit = misfit_of(error) if error is not None else None
            if exhibit.misfit is not None and (
                misfit is None or not misfit.is_like(exhibit.misfit)
            ):
                return False
        return True

    def _begins_alike(self, one: Attempt, answers: Mapping[str, Answer]) -> bool:
        """Whether the first cases are answered alike; a sketch begins with theirs."""
        sketch = behaviour_of(self.wanted.task, self.cases, answers).sketch
        start = self.wanted.sketch[: len(sketch)]
        same = sum(
            abs(a - b) <= ALLOWANCE for a, b in zip(sketch[1:], start[1:], strict=False)
        )
        if one.labels and same:
            self.near[one.labels] = same / (len(sketch) - 1)
        return len(start) == len(sketch) and is_same(sketch, start)

    def entry(self, name: str, found: Attempt) -> str:
        """Return the entry as TOML, with a sentence for a person to word."""
        solution = self.catalogue.solution
        reached = solution.reached_by(found.edits)
        cases = [
            one
            for one in self.known
            if one.case.task in reached and one.case.group is not Group.FRESH
        ]
        [(_, answers)] = self._answers([found], cases)
        shows = {
            one.case.task for one in cases if not one.is_right(answers[one.case.id])
        }
        says = " ".join(self.catalogue.mistakes[one].says for one in found.labels)
        draft = f"{TODO}: say in one or two sentences what the code does and what the formula asks. {says}"
        lines = [
            f"[{_key(name)}]",
            f'says = """{_quoted(textwrap.fill(draft, 100))}"""',
        ]
        for function, edits in _by_function(solution, found.edits).items():
            texts = [(solution.whole[one.start : one.end], one.new) for one in edits]
            pairs = ", ".join(
                f'["{_quoted(old)}", "{_quoted(new)}"]' for old, new in texts
            )
            lines.append(f"edits.{_key(function)} = [{pairs}]".replace("\n", "\\n"))
        tasks = [task.name for task in self.homework.tasks if task.name in reached]
        if not shows >= {*tasks}:
            lines.append(
                f"tasks = {json.dumps([task for task in tasks if task in shows])}"
            )
        return "\n".join(lines) + "\n"

    def skeleton(self, name: str, examples: Collection[tuple[str, str]]) -> str:
        """Return an entry to fill in, all of it comments, with what came and how it was written."""
        near = sorted(self.near, key=self.near.__getitem__, reverse=True)[:MOST_NEAR]
        values = {
            "exhibits": self.exhibits[:MOST_EXHIBITS],
            "examples": examples,
            "near": near,
        }
        text = render(
            "autograder.authoring", "misconception.txt", name=name, todo=TODO, **values
        )
        return "".join(
            f"# {escaped(line)}".rstrip() + "\n" for line in text.rstrip().split("\n")
        )


def _by_function(
    solution: Solution, edits: Collection[Edit]
) -> Mapping[str, list[Edit]]:
    """Return edits by their functions, each of a text that occurs once there; what overlaps is one edit."""
    own = defaultdict[str, list[Edit]](list)
    for edit in sorted(edits):
        holding = [
            name for name, one in solution.definitions.items() if one.holds(edit)
        ]
        functions = [
            n
            for n in holding
            if isinstance(solution.definitions[n].node, ast.FunctionDef)
        ]
        own[[*functions, *holding][0]].append(edit)
    for function, some in own.items():
        wide = [_widened(solution, function, edit) for edit in some]
        if any(one.clashes(other) for one, other in itertools.combinations(wide, 2)):
            start, end = some[0].start, max(edit.end for edit in some)
            text = solution.whole[:end]
            for edit in reversed(some):
                text = text[: edit.start] + edit.new + text[edit.end :]
            wide = [_widened(solution, function, Edit(start, end, text[start:]))]
        own[function] = wide
    return own


def _widened(solution: Solution, function: str, edit: Edit) -> Edit:
    """Return an edit of whole words that changes the same in a text that occurs once in a function."""
    whole, one, (start, end) = (
        solution.whole,
        solution.definitions[function],
        (edit.start, edit.end),
    )
    while True:
        new = whole[start : edit.start] + edit.new + whole[edit.end : end]
        is_cut = any(
            re.fullmatch(r"\w\w", whole[place - 1 : place + 1])
            for place in (start, end)
        )
        if whole[start:end].strip() and not is_cut:
            try:
                return solution.replace(function, whole[start:end], new)
            except ValueError:  # it occurs more than once
                pass
        start, end = max(one.start, start - 1), min(one.end, end + 1)


def _key(text: str) -> str:
    return text if re.fullmatch(r"[\w-]+", text, re.ASCII) else f'"{_quoted(text)}"'


def _quoted(text: str) -> str:
    """Escape a text for TOML, except for its line ends."""
    return "\n".join(
        json.dumps(line, ensure_ascii=False)[1:-1] for line in text.split("\n")
    )


def append_entry(homework: Homework, text: str) -> None:
    """Write an entry below the others, or leave the catalogue as it was."""
    path = homework.folder / CATALOGUE
    before = path.read_bytes() if path.is_file() else b""
    path.write_bytes((before.rstrip() + b"\n\n" + text.encode()).lstrip())
    try:
        read_catalogue(homework)
    except CourseError:
        path.write_bytes(before)
        raise
