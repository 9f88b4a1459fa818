"""Count the known mistakes that a student's inputs tell from right code, with mutants of the solution."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from autograder.course import Case, Course, CourseError, FunctionCall, Homework, ModuleCall, tensor
from autograder.judging.agreement import diagnostic_cases, is_visible
from autograder.judging.catalogue import Catalogue, read_edits
from autograder.judging.checks import Check, CheckFailed
from autograder.judging.comparison import Finding, Kind, deviation
from autograder.judging.examples import Arguments, Sizes, read_examples, refuse, sizes_of
from autograder.judging.fixtures import SubmissionProxy
from autograder.judging.known import least_tolerance, not_numbers, run_calls
from autograder.judging.mutation import read_singles, run_edits
from autograder.judging.store import open_store
from autograder.sandbox import Answer, SandboxPool, StudentError
from autograder.worker import Tensor

STEPS = {50: 2.0, 90: 2.0, 100: 0.0}
"""The points for so many per cent of the known mistakes; who lacks some of them at the end is told which."""
CLEARLY = 10.0
"""An output differs where it is that many of the least tolerances away."""
MOST_NAMED = 6


class Told(NamedTuple):
    """How many inputs count, what is wrong with the others, and the mistakes that they tell apart or not."""

    counted: int
    problems: Sequence[str]
    caught: Sequence[str]
    missed: Sequence[str]


@dataclass(frozen=True, eq=False)
class Exam:
    """What the inputs of one task are held against; its methods that take fixtures are checks.

    ``call`` is one of the task's cases, ``mistakes`` are those that a stored case tells from right code.
    """

    base: Homework
    catalogue: Catalogue
    call: FunctionCall | ModuleCall
    sizes: Sizes
    mistakes: Sequence[str]

    @functools.lru_cache(maxsize=1)  # noqa: B019 - the checks of one task follow each other
    def told(self, name: str, submission: SubmissionProxy, pool: SandboxPool) -> Told:
        """Run the reference solution and the mutants on each input, in a process of its own."""
        usable, problems = read_examples(name, submission, self.sizes)
        missed, counted = list(self.mistakes), 0
        for number, arguments in usable.items():
            try:
                missed = list(self._alike(self._call(arguments, pool), missed, pool))
                counted += 1
            except (CourseError, ValueError) as error:
                why = error if isinstance(error, ValueError) else "running it takes too much time or memory"
                problems.append(f"Input {number} does not count: {why}.")
        kept, every = (dict.fromkeys(one.partition("/")[0] for one in ids) for ids in (missed, self.mistakes))
        return Told(counted, problems, [one for one in every if one not in kept], list(kept))

    def valid(self, name: str, submission: SubmissionProxy, pool: SandboxPool) -> None:
        refuse(self.told(name, submission, pool).problems)

    def tells(
        self, name: str, percent: int, named: bool, submission: SubmissionProxy, pool: SandboxPool
    ) -> None:
        told = self.told(name, submission, pool)
        if not told.counted:
            refuse(told.problems)
        caught, total = len(told.caught), len(told.caught) + len(told.missed)
        if 100 * caught < percent * total:
            says = "1 input counts." if told.counted == 1 else f"{told.counted} inputs count."
            needed = f"{math.ceil(percent * total / 100)} are needed here"
            says += f" They tell {caught} of {total} known mistakes from right code; {needed}."
            for head, ids in (("Told apart", told.caught), ("Not yet", told.missed)) if named else ():
                more = f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else ""
                says += f" {head}: {', '.join(ids[:MOST_NAMED])}{more}." if ids else ""
            raise CheckFailed(Finding(Kind.ARITY, says))

    def _call(self, given: Arguments, pool: SandboxPool) -> FunctionCall | ModuleCall:
        """Return the call with these arguments; a module gets parameters drawn for its sizes."""
        if isinstance(self.call, FunctionCall):
            pairs = zip(given, self.call.args, strict=True)
            args = tuple(tensor(one) if isinstance(like, Tensor) else one for one, like in pairs)
            return FunctionCall(self.call.name, args)
        bare = ModuleCall(self.call.name, given[:-1], tensor(given[-1]))
        [answer] = run_calls(self.base, self.base.solution, [bare], pool)
        rng, shapes = np.random.default_rng(0), answer.parameters
        drawn = {name: rng.normal(size=shape) / math.sqrt(shape[-1]) for name, shape in shapes.items()}
        return replace(bare, parameters={name: tensor(one) for name, one in drawn.items()})

    def _alike(
        self, call: FunctionCall | ModuleCall, labels: Sequence[str], pool: SandboxPool
    ) -> Iterator[str]:
        """Yield the mistakes that answer as the solution does; ``ValueError`` where that gives no numbers."""
        case, far = Case(f"{call.name}/example", call), CLEARLY * least_tolerance(call)
        edits = [set(), *(self.catalogue.edits_of((label,)) for label in labels)]
        found = run_edits(self.base, self.catalogue.solution, [case], edits, pool)
        right, *others = (Answer(error=x) if isinstance(x, StudentError) else x[case.id] for x in found)
        if right.error is not None:
            raise ValueError(f"right code stops on it with {right.error.type}: {right.error.message[:200]}")
        if trouble := not_numbers(right.value):
            raise ValueError(f"right code returns {trouble} for it")
        for label, came in zip(labels, others, strict=True):
            if came.is_usable and deviation(came.value, right.value) <= far:
                yield label


def exams(course: Course, base: Homework) -> Mapping[str, Exam]:
    """Return what the inputs of each task of a homework are held against, by the task.

    Raises:
        CourseError: a stored case or the catalogue of mistakes is missing or wrong.
    """
    store, catalogue = open_store(course, base), read_edits(base)
    known = store.read()
    singles, found = read_singles(store.folder, known), {}
    for task in base.tasks:
        own = [one.case.call for one in known if one.case.task == task.name]
        calls = [one for one in own if isinstance(one, FunctionCall | ModuleCall)]
        sizes = sizes_of(catalogue.solution.parameters(task.name), calls)
        looked_at = diagnostic_cases(known, task.name)
        shown = [one for one in singles.get(task.name, ()) if is_visible(one, looked_at)]
        answering = [one for one in shown if any(answer.is_usable for answer in one.answers.values())]
        mistakes = tuple(one.labels[0] for one in answering)
        found[task.name] = Exam(base, catalogue, calls[0], sizes, mistakes)
    return found


def example_checks(course: Course, homework: Homework, base: Homework) -> tuple[Check, ...]:
    """Return the checks of a homework whose submissions are inputs: their form, and what they tell apart."""
    named, checks = homework.hints != "never", list[Check]()
    for task, exam in zip(homework.tasks, exams(course, base).values(), strict=True):
        name, before = task.name, tuple[str, ...]()
        form = functools.partial(exam.valid, name)
        checks.append(Check(f"{name}_valid", name, 1.0, f"{name} are valid inputs.", (), form))
        for percent, points in STEPS.items():
            share = "all" if percent == 100 else f"at least {percent} %"
            sentence = f"{name} tell {share} of the known mistakes from right code."
            tells = functools.partial(exam.tells, name, percent, named)
            checks.append(Check(f"{name}_{percent}", name, points, sentence, before, tells))
            before = (checks[-1].name,)
    return tuple(checks)
