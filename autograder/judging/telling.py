"""Count the known mistakes that a student's inputs tell from right code, with mutants of the solution."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autograder.course import Case, Course, CourseError, FunctionCall, Homework, ModuleCall, tensor
from autograder.judging.agreement import as_told
from autograder.judging.catalogue import Catalogue, read_edits
from autograder.judging.checks import Check, CheckFailed
from autograder.judging.comparison import Finding, Kind, deviation
from autograder.judging.examples import Arguments, Sizes, read_examples, refuse, sizes_of, task_of
from autograder.judging.fixtures import SubmissionProxy
from autograder.judging.known import KnownCase, least_tolerance, not_numbers, run_calls
from autograder.judging.mutation import run_edits
from autograder.judging.store import open_store
from autograder.judging.stored_mutants import read_singles
from autograder.sandbox import Answer, SandboxPool, StudentError
from autograder.worker import Tensor

STEPS = {50: 1.0, 70: 1.0, 80: 1.0, 90: 1.0, 100: 0.0}
"""The points for so many per cent of the known mistakes; who has all of them earns no more, but is told."""
CLEARLY = 10.0
"""An output differs where it is that many of the least tolerances away."""
MOST_NAMED = 6


@dataclass(frozen=True)
class Told:
    """What inputs achieve: how many count, what is wrong with the others, the mistakes told apart and not."""

    counted: int
    problems: tuple[str, ...]
    caught: tuple[str, ...]
    missed: tuple[str, ...]

    def share(self, percent: int, *, named: bool) -> str:
        """Say how many mistakes are told apart, and how many it takes."""
        total = len(self.caught) + len(self.missed)
        needed = f"{math.ceil(percent * total / 100)} are needed here"
        says = f"They tell {len(self.caught)} of {total} known mistakes from right code; {needed}."
        groups = (("Told apart", self.caught), ("Not yet", self.missed)) if named else ()
        named_ones = "".join(f" {head}: {_some(names)}." for head, names in groups if names)
        count = "1 input counts" if self.counted == 1 else f"{self.counted} inputs count"
        return f"{count}. {says}{named_ones}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


@dataclass(frozen=True, eq=False)
class Exam:
    """What the inputs of one task are held against.

    ``call`` is one of the task's cases, ``mistakes`` are those that a stored case tells from right code.
    """

    base: Homework
    catalogue: Catalogue
    call: FunctionCall | ModuleCall
    sizes: Sizes
    mistakes: tuple[str, ...]

    def told(self, name: str, submission: SubmissionProxy, pool: SandboxPool) -> Told:
        """Run the reference solution and the mutants on each input, in a process of its own."""
        read, missed, problems = read_examples(name, submission, self.sizes), list(self.mistakes), list[str]()
        for number, arguments in read.usable.items():
            try:
                missed = list(self._alike(self._call(arguments, pool), missed, pool))
            except (CourseError, ValueError) as error:
                why = (
                    str(error)
                    if isinstance(error, ValueError)
                    else "running it takes too much time or memory"
                )
                problems.append(f"Input {number} does not count: {why}.")
        counted = len(read.usable) - len(problems)
        kept = dict.fromkeys(label for one in missed for label in as_told((one,)))
        every = dict.fromkeys(label for one in self.mistakes for label in as_told((one,)))
        caught = tuple(one for one in every if one not in kept)
        return Told(counted, (*read.problems, *problems), caught, tuple(kept))

    def _call(self, given: Arguments, pool: SandboxPool) -> FunctionCall | ModuleCall:
        """Return the call with these arguments; a module gets parameters drawn for its sizes."""
        if isinstance(self.call, FunctionCall):
            pairs = zip(given, self.call.args, strict=True)
            args = tuple(tensor(one) if isinstance(like, Tensor) else one for one, like in pairs)
            return FunctionCall(self.call.name, args)
        bare = ModuleCall(self.call.name, given[:-1], tensor(given[-1]))
        [answer] = run_calls(self.base, self.base.solution, [bare], pool)
        rng, shapes = np.random.default_rng(0), answer.parameters
        drawn = {
            name: tensor(rng.normal(size=shape) / math.sqrt(shape[-1])) for name, shape in shapes.items()
        }
        return replace(bare, parameters=drawn)

    def _alike(
        self, call: FunctionCall | ModuleCall, labels: Sequence[str], pool: SandboxPool
    ) -> Iterator[str]:
        """Yield the mistakes that answer as the solution does; ``ValueError`` where that gives no numbers."""
        case, far = Case(f"{call.name}/example", call), CLEARLY * least_tolerance(call)
        edits = [set(), *(self.catalogue.edits_of((label,)) for label in labels)]
        right, *others = run_edits(self.base, self.catalogue.solution, [case], edits, pool)
        answer = Answer(error=right) if isinstance(right, StudentError) else right[case.id]
        if answer.error is not None:
            raise ValueError(f"right code stops on it with {answer.error.type}: {answer.error.message[:200]}")
        if trouble := not_numbers(answer.value):
            raise ValueError(f"right code returns {trouble} for it")
        for label, other in zip(labels, others, strict=True):
            came = Answer(error=other) if isinstance(other, StudentError) else other[case.id]
            if came.is_usable and deviation(came.value, answer.value) <= far:
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
        own = [one for one in known if one.case.task == task.name]
        calls = [one.case.call for one in own if isinstance(one.case.call, FunctionCall | ModuleCall)]
        sizes = sizes_of(catalogue.solution.parameters(task.name), calls)
        mistakes = (one for one in singles.get(task.name, ()) if _shows(one.answers, own))
        found[task.name] = Exam(base, catalogue, calls[0], sizes, tuple(one.labels[0] for one in mistakes))
    return found


def _shows(answers: Mapping[str, Answer], known: Sequence[KnownCase]) -> bool:
    """Whether a mutant gives an answer somewhere, and another than the right one somewhere."""
    there = [(answers[one.case.id], one) for one in known if one.case.id in answers]
    return any(came.is_usable for came, _ in there) and not all(one.is_right(came) for came, one in there)


def example_checks(course: Course, homework: Homework, base: Homework) -> tuple[Check, ...]:
    """Return the checks of a homework whose submissions are inputs: their form, and what they tell apart."""
    found, named = exams(course, base), homework.hints != "never"
    checks: list[Check] = []
    for task in homework.tasks:
        told = functools.lru_cache(maxsize=1)(functools.partial(found[task_of(task.name)].told, task.name))
        function = functools.partial(_valid, told)
        checks.append(
            Check(f"{task.name}_valid", task.name, 1.0, f"{task.name} are valid inputs.", (), function)
        )
        before: tuple[str, ...] = ()
        for percent, points in STEPS.items():
            sentence = f"{task.name} tell at least {percent} % of the known mistakes from right code."
            sentence = sentence.replace("at least 100 %", "all")
            name, enough = f"{task.name}_{percent}", functools.partial(_tells, told, percent, named)
            checks.append(Check(name, task.name, points, sentence, before, enough))
            before = (name,)
    return tuple(checks)


Ask = Callable[[SubmissionProxy, SandboxPool], Told]


def _valid(told: Ask, submission: SubmissionProxy, pool: SandboxPool) -> None:
    refuse(told(submission, pool).problems)


def _tells(told: Ask, percent: int, named: bool, submission: SubmissionProxy, pool: SandboxPool) -> None:
    found = told(submission, pool)
    if not found.counted:
        refuse(found.problems)
    if 100 * len(found.caught) < percent * (len(found.caught) + len(found.missed)):
        raise CheckFailed(Finding(Kind.ARITY, found.share(percent, named=named)))
