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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.authoring.generated_edits import generated_edits
from autograder.course.cases import Group
from autograder.course.homework import CourseError, Homework
from autograder.exhibits.behaviour import ALLOWANCE, behaviour_of, is_same, stored_cases
from autograder.reasons.catalogue import CATALOGUE, read_catalogue, read_edits
from autograder.reasons.mutation import run_edits
from autograder.reasons.source_text import Edit, SourceText
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, StudentError
from autograder.templates import render
from autograder.untrusted_text import for_screen
from autograder.verdict.failure import Labels
from autograder.verdict.known import KnownCase
from autograder.verdict.misfits import misfit_of
from autograder.verdict.work import Behaviour, Work

TODO = "TODO"
"""Stands in what a person has to word; ``autograder check`` refuses a catalogue that holds it."""
AT_ONCE = 100
"""How many edits one process answers for."""
FIRST_CASES = 2
"""How many cases are tried before all others."""
MOST_NEAR = 3
MOST_EXHIBITS = 2
"""How many mistakes that come near, and how many wrong cases, an entry to fill in shows."""


@dataclass(frozen=True)
class Attempt:
    """Edits of the solution, and the known mistakes that make them, if any do."""

    edits: frozenset[Edit]
    labels: Labels = ()

    def goes_with(self, other: Attempt) -> bool:
        """Return whether no edit of one is made by the other, or changes the same characters."""
        for edit, other_edit in itertools.product(self.edits, other.edits):
            if edit == other_edit or edit.clashes(other_edit):
                return False
        return True


@dataclass
class Search:
    """A search for edits that answer like a group of submissions.

    Attributes:
        homework: the homework.
        behaviour: the group's wrong answers to a task.
        work: what was kept of one submission of the group.
        known: the stored cases of the homework.
        pool: runs the edited solutions.
        tell: called with the number of edits that were tried so far.
        tried: this number.
        near: known mistakes and pairs that share numbers with the group, each with the part that they share.
    """

    homework: Homework
    behaviour: Behaviour
    work: Work
    known: Sequence[KnownCase]
    pool: SandboxPool
    tell: Callable[[int], None] = lambda tried: None
    tried: int = 0
    near: dict[Labels, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        task = self.behaviour.task
        self.catalogue = read_edits(self.homework)
        self.cases = stored_cases(self.known, task)
        self.exhibits = []
        for exhibit in self.work.exhibits:
            if exhibit.task == task:
                self.exhibits.append(exhibit)

        # The line of the submission that raised: the solution raises the same on another line.
        self._raising_line = ""
        lines = self.work.source.split("\n")
        for exhibit in self.exhibits:
            match = re.search(r"\bline (\d+)\b", exhibit.error)
            if match is None:
                continue
            number = int(match[1])
            if number <= len(lines):
                self._raising_line = lines[number - 1]
                break

    def run(self, seconds: float) -> Attempt | None:
        """Return the first edits that give the group's values; None if none do, or time is over."""
        end = time.monotonic() + seconds
        attempts = self._attempts()
        while time.monotonic() < end:
            batch = list(itertools.islice(attempts, AT_ONCE))
            if not batch:
                return None
            # Most edits answer the first cases in another way already.
            likely = []
            for attempt, answers in self._answers(batch, self.cases[:FIRST_CASES]):
                if self._begins_alike(attempt, answers):
                    likely.append(attempt)
            for attempt, answers in self._answers(likely, self.cases):
                if self._answers_alike(answers):
                    return attempt
            self.tried += len(batch)
            self.tell(self.tried)
        return None

    def _attempts(self) -> Iterator[Attempt]:
        """Yield the edits to try, the simplest first."""
        solution = self.catalogue.solution
        task = self.behaviour.task
        known = []
        for misconception in self.catalogue.mistakes.values():
            if task in solution.reached_by(misconception.edits):
                labels = (misconception.id,)
                known.append(Attempt(misconception.edits, labels))
        generated = []
        for edit in generated_edits(solution, task):
            generated.append(Attempt(frozenset([edit])))
        yield from known
        yield from generated
        pairs = itertools.chain(
            itertools.combinations(known, 2),
            itertools.product(known, generated),
            itertools.combinations(generated, 2),
        )
        for first, second in pairs:
            if first.goes_with(second):
                edits = first.edits | second.edits
                yield Attempt(edits, first.labels + second.labels)

    def _answers(
        self,
        attempts: Sequence[Attempt],
        known_cases: Sequence[KnownCase],
    ) -> Iterator[tuple[Attempt, Mapping[str, Answer]]]:
        """Run attempts; one that does not load, or brings the process down, is left out."""
        cases = [known.case for known in known_cases]
        edits = [attempt.edits for attempt in attempts]
        solution = self.catalogue.solution
        try:
            runs = list(run_edits(self.homework, solution, cases, edits, self.pool))
        except CourseError:  # one of them brought the process down
            if len(attempts) > 1:
                middle = len(attempts) // 2
                yield from self._answers(attempts[:middle], known_cases)
                yield from self._answers(attempts[middle:], known_cases)
            return
        for attempt, answers in zip(attempts, runs, strict=True):
            if isinstance(answers, StudentError):  # it does not load
                continue
            as_raised = {}
            for case, answer in answers.items():
                error = answer.error
                if error is not None:
                    error = replace(error, source=self._raising_line)
                as_raised[case] = replace(answer, error=error)
            yield attempt, as_raised

    def _begins_alike(self, attempt: Attempt, answers: Mapping[str, Answer]) -> bool:
        """Return whether the first cases are answered like the group; a sketch begins with theirs."""
        behaviour = behaviour_of(self.behaviour.task, self.cases, answers)
        sketch = behaviour.sketch
        start = self.behaviour.sketch[: len(sketch)]
        shared = 0
        numbers = zip(sketch[1:], start[1:], strict=False)
        for number, group_number in numbers:
            if abs(number - group_number) <= ALLOWANCE:
                shared += 1
        if attempt.labels and shared:
            self.near[attempt.labels] = shared / (len(sketch) - 1)
        return len(start) == len(sketch) and is_same(sketch, start)

    def _answers_alike(self, answers: Mapping[str, Answer]) -> bool:
        """Return whether all cases are answered like the group.

        A behaviour holds only the types of exceptions, and where code raises at every size most edits that
        raise have the same. So shapes that do not fit must be those of the group as well, as far as its pages
        show them.
        """
        behaviour = behaviour_of(self.behaviour.task, self.cases, answers)
        if behaviour.form != self.behaviour.form:
            return False
        if not is_same(behaviour.sketch, self.behaviour.sketch):
            return False
        for exhibit in self.exhibits:
            if exhibit.misfit is None:
                continue
            answer = answers.get(exhibit.case)
            if answer is None or answer.error is None:
                return False
            misfit = misfit_of(answer.error)
            if misfit is None or not misfit.is_like(exhibit.misfit):
                return False
        return True

    def entry(self, name: str, attempt: Attempt) -> str:
        """Return an attempt as an entry of the catalogue (TOML), with a sentence for a person to word."""
        solution = self.catalogue.solution
        sentences = []
        for label in attempt.labels:
            sentences.append(self.catalogue.mistakes[label].says)
        draft = (
            f"{TODO}: say in one or two sentences what the code does and what the formula asks. "
            f"{' '.join(sentences)}"
        )
        says = _quoted(textwrap.fill(draft, 100))
        lines = [
            f"[{_key(name)}]",
            f'says = """{says}"""',
        ]
        for function, edits in _by_function(solution, attempt.edits).items():
            pairs = []
            for edit in edits:
                old = solution.whole[edit.start : edit.end]
                new = edit.new
                pairs.append(f'["{_quoted(old)}", "{_quoted(new)}"]')
            listed = ", ".join(pairs).replace("\n", "\\n")
            lines.append(f"edits.{_key(function)} = [{listed}]")

        # The tasks in which the mistake shows, unless these are all tasks that its edits reach.
        reached = solution.reached_by(attempt.edits)
        known_cases = []
        for known in self.known:
            is_stored = known.case.group is not Group.FRESH
            if known.case.task in reached and is_stored:
                known_cases.append(known)
        [(_, answers)] = self._answers([attempt], known_cases)
        showing = set()
        for known in known_cases:
            if not known.is_right(answers[known.case.id]):
                showing.add(known.case.task)
        tasks = []
        showing_tasks = []
        for task in self.homework.tasks:
            if task.name in reached:
                tasks.append(task.name)
                if task.name in showing:
                    showing_tasks.append(task.name)
        if showing_tasks != tasks:
            lines.append(f"tasks = {json.dumps(showing_tasks)}")
        return "\n".join(lines) + "\n"

    def skeleton(self, name: str, examples: Collection[tuple[str, str]]) -> str:
        """Return an entry to fill in, all of it comments.

        Args:
            name: the id of the new mistake.
            examples: how members of the group wrote the task, each with the submission's name.
        """
        near = sorted(self.near, key=self.near.__getitem__, reverse=True)
        text = render(
            "autograder.authoring",
            "misconception.txt",
            name=name,
            todo=TODO,
            exhibits=self.exhibits[:MOST_EXHIBITS],
            examples=examples,
            near=near[:MOST_NEAR],
        )
        comment = ""
        for line in text.rstrip().split("\n"):
            comment_line = f"# {for_screen(line)}"
            comment += f"{comment_line.rstrip()}\n"
        return comment


def _by_function(
    solution: SourceText,
    edits: Collection[Edit],
) -> Mapping[str, list[Edit]]:
    """Return edits by function, each of a text that occurs once there; overlapping edits are merged."""
    edits_of_function: dict[str, list[Edit]] = {}
    for edit in sorted(edits):
        functions: list[str] = []
        classes: list[str] = []
        for name, definition in solution.definitions.items():
            if not definition.holds(edit):
                continue
            if isinstance(definition.node, ast.ClassDef):
                classes.append(name)
            else:
                functions.append(name)
        innermost = [*functions, *classes][0]
        edits_of_function.setdefault(innermost, []).append(edit)

    widened_edits = {}
    for function, own_edits in edits_of_function.items():
        widened = [_widened(solution, function, edit) for edit in own_edits]
        pairs = itertools.combinations(widened, 2)
        if any(first.clashes(second) for first, second in pairs):
            start = own_edits[0].start
            end = max(edit.end for edit in own_edits)
            text = solution.whole[:end]
            for edit in reversed(own_edits):
                before = text[: edit.start]
                after = text[edit.end :]
                text = before + edit.new + after
            whole = Edit(start, end, text[start:])
            widened = [_widened(solution, function, whole)]
        widened_edits[function] = widened
    return widened_edits


def _widened(solution: SourceText, function: str, edit: Edit) -> Edit:
    """Return an edit of whole words that changes the same in a text that occurs once in a function."""
    whole = solution.whole
    definition = solution.definitions[function]
    start = edit.start
    end = edit.end
    while True:
        old = whole[start:end]
        cuts_word = False
        for place in (start, end):
            if re.fullmatch(r"\w\w", whole[place - 1 : place + 1]):
                cuts_word = True
        if old.strip() and not cuts_word:
            before = whole[start : edit.start]
            after = whole[edit.end : end]
            new = before + edit.new + after
            try:
                return solution.replace(function, old, new)
            except ValueError:  # it occurs more than once
                pass
        start = max(definition.start, start - 1)
        end = min(definition.end, end + 1)


def _key(text: str) -> str:
    """Write a key of TOML, in quotes where it needs them."""
    if re.fullmatch(r"[\w-]+", text, re.ASCII):
        return text
    return f'"{_quoted(text)}"'


def _quoted(text: str) -> str:
    """Escape a text for TOML, except for its line ends."""
    lines = []
    for line in text.split("\n"):
        in_quotes = json.dumps(line, ensure_ascii=False)
        lines.append(in_quotes[1:-1])
    return "\n".join(lines)


def append_entry(homework: Homework, text: str) -> None:
    """Write an entry below the others, or leave the catalogue as it was.

    Raises:
        CourseError: the catalogue could not be read with it.
    """
    path = homework.folder / CATALOGUE
    before = b""
    if path.is_file():
        before = path.read_bytes()
    after = before.rstrip() + b"\n\n" + text.encode()
    path.write_bytes(after.lstrip())
    try:
        read_catalogue(homework)
    except CourseError:
        path.write_bytes(before)
        raise
