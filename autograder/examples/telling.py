"""Count the known mistakes that a student's inputs distinguish from right code, with mutants of the solution."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from autograder.course.arguments import tensor
from autograder.course.calls import FunctionCall, ModuleCall
from autograder.course.cases import Case
from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.examples.form import (
    Arguments,
    Sizes,
    arguments_of,
    forms_of,
    has_form,
    read_examples,
    refuse,
)
from autograder.reasons.agreement import (
    Variant,
    as_told,
    diagnostic_cases,
    is_visible,
)
from autograder.reasons.catalogue import Catalogue, read_edits
from autograder.reasons.mutation import read_singles, run_edits
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, StudentError
from autograder.verdict.arrays import deviation
from autograder.verdict.checks import Check
from autograder.verdict.failure import CheckFailed, Failure, FailureKind
from autograder.verdict.fixtures import SubmissionProxy
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import least_tolerance, not_comparable, run_calls
from autograder.verdict.store import open_store
from autograder.worker.wire import Tensor

POINTS_FOR_PERCENT = {50: 2.0, 90: 2.0, 100: 0.0}
"""The points for so many per cent of the known mistakes; students who lack some of them at the end see which."""
CLEAR_DIFFERENCE = 10.0
"""An output differs where it is that many of the least tolerances away."""
MOST_NAMED = 6


class NoExamplesError(CourseError):
    """A homework that no drill can ask inputs for."""


class RefusedInputError(Exception):
    """An input on which right code raises, or returns no finite numbers; the message is for the student."""


class Score(NamedTuple):
    """How many inputs count, what is wrong with the others, and the mistakes that they distinguish or not."""

    counted: int
    problems: Sequence[str]
    caught: Sequence[str]
    missed: Sequence[str]


@dataclass(frozen=True, eq=False)
class Exam:
    """The known mistakes that the inputs of one task should distinguish from right code.

    Its methods that take fixtures are checks.

    Attributes:
        base: the homework that the drill is made from.
        catalogue: its known mistakes.
        call: one of the task's cases.
        sizes: the form of the inputs.
        mistakes: the mistakes that a stored case distinguishes from right code.
    """

    base: Homework
    catalogue: Catalogue
    call: FunctionCall | ModuleCall
    sizes: Sizes
    mistakes: Sequence[str]

    @functools.lru_cache(maxsize=1)  # noqa: B019 - the checks of one task follow each other
    def score(self, name: str, submission: SubmissionProxy, pool: SandboxPool) -> Score:
        """Run the reference solution and the mutants on each input, in a separate process."""
        usable, problems = read_examples(name, submission, self.sizes)
        missed = list(self.mistakes)
        counted = 0
        for number, arguments in usable.items():
            try:
                missed = self.unnoticed(arguments, missed, pool)
                counted += 1
            except RefusedInputError as refusal:
                problems.append(f"Input {number} does not count: {refusal}.")
            except CourseError:
                reason = "running it takes too much time or memory"
                problems.append(f"Input {number} does not count: {reason}.")

        # A mistake with several variants, such as "no-scale/torch", is missed while one variant is.
        missed_ids = as_told(missed)
        caught_ids = []
        for mistake in as_told(self.mistakes):
            if mistake not in missed_ids:
                caught_ids.append(mistake)
        return Score(counted, problems, caught_ids, missed_ids)

    def valid(self, name: str, submission: SubmissionProxy, pool: SandboxPool) -> None:
        """Check that all inputs have the right form, and that right code runs on them."""
        refuse(self.score(name, submission, pool).problems)

    def tells(
        self,
        name: str,
        percent: int,
        names_mistakes: bool,
        submission: SubmissionProxy,
        pool: SandboxPool,
    ) -> None:
        """Check that the inputs distinguish so many per cent of the known mistakes from right code."""
        score = self.score(name, submission, pool)
        if not score.counted:
            refuse(score.problems)
        caught = len(score.caught)
        total = caught + len(score.missed)
        if 100 * caught >= percent * total:
            return
        inputs = f"{score.counted} inputs count"
        if score.counted == 1:
            inputs = "1 input counts"
        needed = math.ceil(percent * total / 100)
        text = (
            f"{inputs}. {caught} of {total} known mistakes are distinguished from right code; "
            f"{needed} are needed here."
        )
        if names_mistakes:
            text += _list_of("Distinguished", score.caught) + _list_of(
                "Not yet", score.missed
            )
        raise CheckFailed(Failure(FailureKind.ARITY, text))

    def unnoticed(
        self, arguments: Arguments, labels: Sequence[str], pool: SandboxPool
    ) -> list[str]:
        """Return the mistakes that answer this input as right code does.

        Raises:
            RefusedInputError: right code raises on the input, or returns no finite numbers.
            CourseError: running it takes too much time or memory.
        """
        call = self._call(arguments, pool)
        case = Case(f"{call.name}/example", call)
        edits = [set(), *(self.catalogue.edits_of((label,)) for label in labels)]
        outcomes = run_edits(self.base, self.catalogue.solution, [case], edits, pool)
        answers = []
        for outcome in outcomes:
            if isinstance(outcome, StudentError):
                answers.append(Answer(error=outcome))
            else:
                answers.append(outcome[case.id])
        right, *mutants = answers
        if right.error is not None:
            error = f"{right.error.type}: {right.error.message[:200]}"
            raise RefusedInputError(f"right code stops on it with {error}")
        trouble = not_comparable(right.value)
        if trouble:
            raise RefusedInputError(f"right code returns {trouble} for it")
        clearly = CLEAR_DIFFERENCE * least_tolerance(call)
        unnoticed = []
        for label, mutant in zip(labels, mutants, strict=True):
            if mutant.is_usable and deviation(mutant.value, right.value) <= clearly:
                unnoticed.append(label)
        return unnoticed

    def _call(
        self, arguments: Arguments, pool: SandboxPool
    ) -> FunctionCall | ModuleCall:
        """Return the call with these arguments; a module gets parameters drawn for its sizes."""
        if isinstance(self.call, FunctionCall):
            converted = []
            for value, example in zip(arguments, self.call.args, strict=True):
                is_tensor = isinstance(example, Tensor)
                converted.append(tensor(value) if is_tensor else value)
            return FunctionCall(self.call.name, tuple(converted))
        *constructor_arguments, x = arguments
        bare = ModuleCall(self.call.name, tuple(constructor_arguments), tensor(x))
        [answer] = run_calls(self.base, self.base.solution, [bare], pool)
        rng = np.random.default_rng(0)
        parameters = {}
        for name, shape in answer.parameters.items():
            drawn = rng.normal(size=shape) / math.sqrt(shape[-1])
            parameters[name] = tensor(drawn)
        return replace(bare, parameters=parameters)


def _list_of(title: str, ids: Sequence[str]) -> str:
    """Return a sentence with the first few mistakes; nothing where there is none."""
    if not ids:
        return ""
    text = ", ".join(ids[:MOST_NAMED])
    if len(ids) > MOST_NAMED:
        text += f" and {len(ids) - MOST_NAMED} more"
    return f" {title}: {text}."


def exams(course: Course, base: Homework) -> Mapping[str, Exam]:
    """Return the exam that the inputs of each task of a homework have to pass, by task.

    Raises:
        NoExamplesError: a task has no stored case with arguments, as in the capstone.
        CourseError: a stored case or the catalogue of mistakes is missing or wrong.
    """
    store = open_store(course, base)
    catalogue = read_edits(base)
    known = store.read()
    singles = read_singles(store.folder, known)
    exam_of_task: dict[str, Exam] = {}
    for task in base.tasks:
        calls: list[FunctionCall | ModuleCall] = []
        for case in known:
            call = case.case.call
            if case.case.task == task.name and isinstance(
                call, FunctionCall | ModuleCall
            ):
                calls.append(call)
        forms = forms_of(catalogue.solution.parameters(task.name), calls)
        if not forms:
            raise NoExamplesError(
                f"{base.id}: no stored case calls {task.name} as a function or a module, so no inputs can be "
                "asked for"
            )

        # Inputs are asked for in one form, in which most mistakes can be shown. The others do not count: a
        # mask of two axes, say, cannot show that only the first sequence's mask is used.
        cases = diagnostic_cases(known, task.name)
        variants = singles.get(task.name, ())
        best_form = forms[0]
        mistakes = _shown(cases, best_form, variants)
        for form in forms[1:]:
            distinguishing = _shown(cases, form, variants)
            if len(distinguishing) > len(mistakes):
                best_form = form
                mistakes = distinguishing
        fitting_calls = []
        for call in calls:
            if has_form(arguments_of(call), best_form):
                fitting_calls.append(call)
        if not fitting_calls:
            raise NoExamplesError(
                f"{base.id}: {task.name} takes more than arrays and numbers, so no inputs can be asked for"
            )
        example = fitting_calls[0]
        exam_of_task[task.name] = Exam(base, catalogue, example, best_form, mistakes)
    return exam_of_task


def _shown(
    cases: Sequence[KnownCase], sizes: Sizes, variants: Sequence[Variant]
) -> Sequence[str]:
    """Return the mistakes that the cases of one form distinguish from right code, without those that only raise."""
    same_form = []
    for case in cases:
        if has_form(arguments_of(case.case.call), sizes):
            same_form.append(case)
    labels = []
    for variant in variants:
        if variant.answers_something and is_visible(variant, same_form):
            labels.append(variant.labels[0])
    return labels


def example_checks(
    course: Course, homework: Homework, base: Homework
) -> tuple[Check, ...]:
    """Return the checks of inputs that students hand in: their form, and the mistakes that they distinguish."""
    names_mistakes = homework.hints != "never"
    checks = []
    all_exams = exams(course, base).values()
    for task, exam in zip(homework.tasks, all_exams, strict=True):
        name = task.name
        is_valid = functools.partial(exam.valid, name)
        sentence = f"{name} are valid inputs."
        checks.append(Check(f"{name}_valid", name, 1.0, sentence, (), is_valid))
        requires: tuple[str, ...] = ()
        for percent, points in POINTS_FOR_PERCENT.items():
            share = f"at least {percent} %"
            if percent == 100:
                share = "all"
            sentence = (
                f"{name} distinguish {share} of the known mistakes from right code."
            )
            tells = functools.partial(exam.tells, name, percent, names_mistakes)
            check = Check(f"{name}_{percent}", name, points, sentence, requires, tells)
            checks.append(check)
            requires = (check.name,)
    return tuple(checks)
