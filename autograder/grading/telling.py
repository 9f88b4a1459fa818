"""Count the known mistakes that a student's inputs tell from right code, with mutants of the solution."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from autograder.course.cases import Case, FunctionCall, ModuleCall, tensor
from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.reasons.agreement import Variant, diagnostic_cases, is_visible
from autograder.reasons.catalogue import Catalogue, read_edits
from autograder.reasons.mutation import read_singles, run_edits
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, StudentError
from autograder.verdict.arrays import deviation
from autograder.verdict.checks import Check
from autograder.verdict.examples import (
    Arguments,
    Sizes,
    arguments_of,
    forms_of,
    has_form,
    read_examples,
    refuse,
)
from autograder.verdict.failure import CheckFailed, Failure, FailureKind
from autograder.verdict.fixtures import SubmissionProxy
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import least_tolerance, not_numbers, run_calls
from autograder.verdict.store import open_store
from autograder.worker.wire import Tensor

STEPS = {50: 2.0, 90: 2.0, 100: 0.0}
"""The points for so many per cent of the known mistakes; who lacks some of them at the end is told which."""
CLEARLY = 10.0
"""An output differs where it is that many of the least tolerances away."""
MOST_NAMED = 6


class NoExamplesError(CourseError):
    """A homework that no drill can ask inputs for."""


class RefusedInputError(Exception):
    """An input on which right code raises, or returns no finite numbers; the message is for the student."""


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
                missed = self.unnoticed(arguments, missed, pool)
                counted += 1
            except RefusedInputError as refusal:
                problems.append(f"Input {number} does not count: {refusal}.")
            except CourseError:
                why = "running it takes too much time or memory"
                problems.append(f"Input {number} does not count: {why}.")
        kept, every = (
            dict.fromkeys(one.partition("/")[0] for one in ids)
            for ids in (missed, self.mistakes)
        )
        return Told(
            counted, problems, [one for one in every if one not in kept], list(kept)
        )

    def valid(self, name: str, submission: SubmissionProxy, pool: SandboxPool) -> None:
        refuse(self.told(name, submission, pool).problems)

    def tells(
        self,
        name: str,
        percent: int,
        named: bool,
        submission: SubmissionProxy,
        pool: SandboxPool,
    ) -> None:
        told = self.told(name, submission, pool)
        if not told.counted:
            refuse(told.problems)
        caught, total = len(told.caught), len(told.caught) + len(told.missed)
        if 100 * caught < percent * total:
            says = (
                "1 input counts."
                if told.counted == 1
                else f"{told.counted} inputs count."
            )
            needed = f"{math.ceil(percent * total / 100)} are needed here"
            says += f" They tell {caught} of {total} known mistakes from right code; {needed}."
            for head, ids in (
                (("Told apart", told.caught), ("Not yet", told.missed)) if named else ()
            ):
                more = (
                    f" and {len(ids) - MOST_NAMED} more"
                    if len(ids) > MOST_NAMED
                    else ""
                )
                says += f" {head}: {', '.join(ids[:MOST_NAMED])}{more}." if ids else ""
            raise CheckFailed(Failure(FailureKind.ARITY, says))

    def unnoticed(
        self, arguments: Arguments, labels: Sequence[str], pool: SandboxPool
    ) -> list[str]:
        """Return the mistakes that answer this input as right code does.

        Raises:
            RefusedInputError: right code raises on the input, or returns no finite numbers.
            CourseError: running it takes too much time or memory.
        """
        return list(self._alike(self._call(arguments, pool), labels, pool))

    def _call(self, given: Arguments, pool: SandboxPool) -> FunctionCall | ModuleCall:
        """Return the call with these arguments; a module gets parameters drawn for its sizes."""
        if isinstance(self.call, FunctionCall):
            pairs = zip(given, self.call.args, strict=True)
            args = tuple(
                tensor(one) if isinstance(like, Tensor) else one for one, like in pairs
            )
            return FunctionCall(self.call.name, args)
        bare = ModuleCall(self.call.name, given[:-1], tensor(given[-1]))
        [answer] = run_calls(self.base, self.base.solution, [bare], pool)
        rng, shapes = np.random.default_rng(0), answer.parameters
        drawn = {
            name: rng.normal(size=shape) / math.sqrt(shape[-1])
            for name, shape in shapes.items()
        }
        return replace(
            bare, parameters={name: tensor(one) for name, one in drawn.items()}
        )

    def _alike(
        self, call: FunctionCall | ModuleCall, labels: Sequence[str], pool: SandboxPool
    ) -> Iterator[str]:
        """Yield the mistakes that answer as the solution does; see ``unnoticed``."""
        case, far = Case(f"{call.name}/example", call), CLEARLY * least_tolerance(call)
        edits = [set(), *(self.catalogue.edits_of((label,)) for label in labels)]
        found = run_edits(self.base, self.catalogue.solution, [case], edits, pool)
        right, *others = (
            Answer(error=x) if isinstance(x, StudentError) else x[case.id]
            for x in found
        )
        if right.error is not None:
            why = f"{right.error.type}: {right.error.message[:200]}"
            raise RefusedInputError(f"right code stops on it with {why}")
        if trouble := not_numbers(right.value):
            raise RefusedInputError(f"right code returns {trouble} for it")
        for label, came in zip(labels, others, strict=True):
            if came.is_usable and deviation(came.value, right.value) <= far:
                yield label


def exams(course: Course, base: Homework) -> Mapping[str, Exam]:
    """Return what the inputs of each task of a homework are held against, by the task.

    Raises:
        NoExamplesError: a task has no stored case with arguments, as in the capstone.
        CourseError: a stored case or the catalogue of mistakes is missing or wrong.
    """
    store, catalogue = open_store(course, base), read_edits(base)
    known = store.read()
    singles = read_singles(store.folder, known)
    exam_of_task: dict[str, Exam] = {}
    for task in base.tasks:
        task_calls = [case.case.call for case in known if case.case.task == task.name]
        calls = [
            call for call in task_calls if isinstance(call, FunctionCall | ModuleCall)
        ]
        forms = forms_of(catalogue.solution.parameters(task.name), calls)
        if not forms:
            raise NoExamplesError(
                f"{base.id}: no stored case calls {task.name}, so no inputs can be asked for"
            )
        # Inputs are asked for in one form, in which most mistakes can be shown. The others do not count: a
        # mask of two axes, say, cannot show that only the first sequence's mask is used.
        shown_by_form = [
            _shown(
                diagnostic_cases(known, task.name), sizes, singles.get(task.name, ())
            )
            for sizes in forms
        ]
        best = max(range(len(forms)), key=lambda place: len(shown_by_form[place]))
        sizes = forms[best]
        call = next(call for call in calls if has_form(arguments_of(call), sizes))
        exam_of_task[task.name] = Exam(
            base, catalogue, call, sizes, shown_by_form[best]
        )
    return exam_of_task


def _shown(
    cases: Sequence[KnownCase], sizes: Sizes, variants: Sequence[Variant]
) -> Sequence[str]:
    """Return the mistakes that the cases of one form tell from right code, without those that only raise."""
    same_form = [
        case for case in cases if has_form(arguments_of(case.case.call), sizes)
    ]
    labels = []
    for variant in variants:
        answers_something = any(answer.is_usable for answer in variant.answers.values())
        if answers_something and is_visible(variant, same_form):
            labels.append(variant.labels[0])
    return labels


def example_checks(
    course: Course, homework: Homework, base: Homework
) -> tuple[Check, ...]:
    """Return the checks of a homework whose submissions are inputs: their form, and what they tell apart."""
    named, checks = homework.hints != "never", list[Check]()
    for task, exam in zip(homework.tasks, exams(course, base).values(), strict=True):
        name, before = task.name, tuple[str, ...]()
        form = functools.partial(exam.valid, name)
        checks.append(
            Check(f"{name}_valid", name, 1.0, f"{name} are valid inputs.", (), form)
        )
        for percent, points in STEPS.items():
            share = "all" if percent == 100 else f"at least {percent} %"
            sentence = f"{name} tell {share} of the known mistakes from right code."
            tells = functools.partial(exam.tells, name, percent, named)
            checks.append(
                Check(f"{name}_{percent}", name, points, sentence, before, tells)
            )
            before = (checks[-1].name,)
    return tuple(checks)
