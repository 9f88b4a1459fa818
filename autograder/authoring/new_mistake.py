"""A new entry of the catalogue of known mistakes, from a group of wrong answers that has none.

Edits of the solution are tried until one gives exactly the values of the group: those of the catalogue, small
ones that are generated, and pairs of both.
"""

from __future__ import annotations

import ast
import itertools
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.authoring.generated_edits import generated_edits
from autograder.course import CourseError, Group, Homework
from autograder.judging import (
    ALLOWANCE,
    CATALOGUE,
    Behaviour,
    Catalogue,
    Edit,
    Exhibit,
    KnownCase,
    Labels,
    Solution,
    behaviour_of,
    is_same,
    read_catalogue,
    read_edits,
    run_edits,
    stored_cases,
)
from autograder.sandbox import Answer, SandboxPool, StudentError

TODO = "TODO"
"""What a person has not worded yet; ``autograder check`` refuses a catalogue that holds it."""
SECONDS, AT_ONCE, FIRST, NEAR = 60.0, 100, 2, 3


@dataclass(frozen=True)
class Attempt:
    """Edits of the solution, and the known mistakes whose edits they are, if any."""

    edits: frozenset[Edit]
    labels: Labels = ()


@dataclass
class Search:
    """Looks for edits that answer like a group; ``near`` are known mistakes that share numbers with it.

    ``raised_at`` is the line at which the group's errors arise: that of an edit has another text.
    """

    homework: Homework
    wanted: Behaviour
    known: Sequence[KnownCase]
    pool: SandboxPool
    raised_at: str = ""
    seconds: float = SECONDS
    tell: Callable[[int], None] = lambda tried: None
    tried: int = 0
    near: dict[Labels, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.catalogue = read_edits(self.homework)
        self.cases = stored_cases(self.known, self.wanted.task)
        self._ends = time.monotonic() + self.seconds

    def run(self, *, own_edits_only: bool = False) -> Attempt | None:
        """Return the first edits that give these values; None where none do, or time is over."""
        attempts = _attempts(self.catalogue, self.wanted.task, own_edits_only)
        while (some := list(itertools.islice(attempts, AT_ONCE))) and time.monotonic() < self._ends:
            likely = [
                one for one, answers in self._answers(some, self.cases[:FIRST]) if self._fits(one, answers)
            ]
            for one, answers in self._answers(likely, self.cases):
                found = behaviour_of(self.wanted.task, self.cases, answers)
                if found.form == self.wanted.form and is_same(found.sketch, self.wanted.sketch):
                    return one
            self.tried += len(some)
            self.tell(self.tried)
        return None

    def _fits(self, one: Attempt, answers: Mapping[str, Answer]) -> bool:
        """Whether the first cases are answered alike; a sketch begins with theirs."""
        sketch = behaviour_of(self.wanted.task, self.cases, answers).sketch
        start = self.wanted.sketch[: len(sketch)]
        same = sum(abs(a - b) <= ALLOWANCE for a, b in zip(sketch[1:], start[1:], strict=False))
        if one.labels and same > 0:
            self.near[one.labels] = same / max(len(sketch) - 1, 1)
        return len(start) == len(sketch) and is_same(sketch, start)

    def _answers(
        self, some: Sequence[Attempt], cases: Sequence[KnownCase]
    ) -> Iterator[tuple[Attempt, Mapping[str, Answer]]]:
        """Run attempts; one that brings the process down is left out."""
        every, calls = [one.edits for one in some], [one.case for one in cases]
        try:
            done = (
                list(run_edits(self.homework, self.catalogue.solution, calls, every, self.pool))
                if some
                else []
            )
        except CourseError:
            for half in (some[: len(some) // 2], some[len(some) // 2 :]) if len(some) > 1 else ():
                yield from self._answers(half, cases)
            return
        for one, answers in zip(some, done, strict=True):
            if not isinstance(answers, StudentError):
                yield one, {case: self._as_written(answer) for case, answer in answers.items()}

    def _as_written(self, answer: Answer) -> Answer:
        return (
            answer
            if answer.error is None
            else replace(answer, error=replace(answer.error, source=self.raised_at))
        )

    def entry(self, name: str, found: Attempt) -> str:
        """Return the entry as TOML, with a sentence that a person has to word."""
        reached = self.catalogue.solution.reached_by(found.edits)
        cases = [one for one in self.known if one.case.task in reached and one.case.group != Group.FRESH]
        [(_, answers)] = self._answers([found], cases)
        shows = {one.case.task for one in cases if not one.is_right(answers[one.case.id])}
        changes: dict[str, list[tuple[str, str]]] = {}
        for edit in sorted(found.edits):
            function, *texts = _as_texts(self.catalogue.solution, edit)
            changes.setdefault(function, []).append((texts[0], texts[1]))
        says = " ".join(self.catalogue.mistakes[one].says for one in found.labels)
        lines = [
            f"[{name}]",
            f'says = """{TODO}: say what the code does and what the formula asks. {says}"""',
        ]
        for function, pairs in changes.items():
            key = function if function.isidentifier() else _toml(function)
            lines.append(f"edits.{key} = [{', '.join(f'[{_toml(a)}, {_toml(b)}]' for a, b in pairs)}]")
        tasks = [task.name for task in self.homework.tasks if task.name in reached]
        if not shows >= {*tasks}:
            lines.append(f"tasks = [{', '.join(_toml(task) for task in tasks if task in shows)}]")
        return "\n".join(lines) + "\n"


def _attempts(catalogue: Catalogue, task: str, own_edits_only: bool) -> Iterator[Attempt]:
    """Yield what may be tried for a task, the simplest first."""
    solution = catalogue.solution
    known = [Attempt(one.edits, (one.id,)) for one in catalogue.mistakes.values() if not own_edits_only]
    own = [Attempt(frozenset([edit])) for edit in generated_edits(solution, task)]
    singles = [one for one in known if task in solution.reached_by(one.edits)]
    rounds: tuple[Iterable[tuple[Attempt, Attempt]], ...] = (
        itertools.combinations(singles, 2),
        itertools.product(singles, own),
        itertools.combinations(own, 2),
    )
    yield from singles
    yield from own
    for one, other in itertools.chain.from_iterable((rounds[0], *rounds[1:])):
        if not any(a.clashes(b) or a == b for a in one.edits for b in other.edits):
            yield Attempt(one.edits | other.edits, one.labels + other.labels)


def _as_texts(solution: Solution, edit: Edit) -> tuple[str, str, str]:
    """Return an edit as a function, a text that occurs once in its code, and the text in its place."""
    whole = solution.whole
    holding = {name: one for name, one in solution.definitions.items() if one.holds(edit)}
    name = next(
        (name for name, one in holding.items() if isinstance(one.node, ast.FunctionDef)), next(iter(holding))
    )
    start, end = edit.start, edit.end
    while True:
        old = whole[start:end]
        new = whole[start : edit.start] + edit.new + whole[edit.end : end]
        is_whole = not (_in_word(whole, start) or _in_word(whole, end)) and old.strip()
        try:
            if is_whole and solution.replace(name, old, new):
                return name, old, new
        except ValueError:
            pass
        start, end = max(holding[name].start, start - 1), min(holding[name].end, end + 1)


def _in_word(text: str, place: int) -> bool:
    return all(one.isalnum() or one == "_" for one in text[place - 1 : place + 1])


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def skeleton_of(
    name: str, exhibits: Iterable[Exhibit], examples: Iterable[tuple[str, str]], near: Mapping[Labels, float]
) -> str:
    """Return an entry to fill in, all of it comments, with what came and how it was written."""
    lines = [f"[{name}]", f'says = """{TODO}: what the code does and what the formula asks."""']
    lines += ['edits.FUNCTION = [["text in the solution", "text in its place"]]', ""]
    for one in itertools.islice(exhibits, 2):
        lines.append(f"{one.case}: {one.call} {one.error}")
        for part in one.parts:
            lines += [
                f"  {part.name}, as it came: {part.came.kind}",
                *(f"    {row}" for row in part.came.rows),
            ]
            lines += ["  expected: " + part.expected.kind, *(f"    {row}" for row in part.expected.rows)]
    for _, code in examples:
        lines += ["", *code.split("\n")]
    best = sorted(near, key=near.__getitem__, reverse=True)[:NEAR]
    lines += [f"Some numbers are those of {' + '.join(labels)} ({near[labels]:.0%})." for labels in best]
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)


def append_entry(homework: Homework, text: str) -> None:
    """Write an entry below the others, or leave the catalogue as it was.

    Raises:
        CourseError: the catalogue could not be read with it.
    """
    path = homework.folder / CATALOGUE
    before = path.read_text(encoding="utf-8") if path.is_file() else None
    path.write_text(f"{(before or '').rstrip()}\n\n{text}".lstrip("\n"), encoding="utf-8")
    try:
        read_catalogue(homework)
    except CourseError:
        path.unlink() if before is None else path.write_text(before, encoding="utf-8")
        raise
