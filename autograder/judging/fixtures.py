"""What a check is given: the submission's answers, the cases to ask for, and the comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from autograder.course import Call, Group, Homework, ModuleCall
from autograder.judging.agreement import Diagnosis
from autograder.judging.checks import CheckFailed
from autograder.judging.comparison import Finding, Kind, kind_of
from autograder.judging.errors import OwnNames, explain_missing, explain_no_value, has_message, is_unwritten
from autograder.judging.known import KnownCase
from autograder.judging.outside import Ask, Proof, prove_outside_sizes
from autograder.sandbox import Answer, CellFailure, FunctionFacts, StudentError
from autograder.worker import Tensor

Diagnose = Callable[[str], Diagnosis]
MOST_NAMES = 10
EXPLAINABLE = frozenset({Kind.ARITY, Kind.VALUES, Kind.NOT_FINITE, Kind.SHAPE, Kind.RAISED})


def value_key(name: str) -> str:
    """The key of a top-level value among the answers."""
    return f"value/{name}"


@dataclass(eq=False, repr=False)
class SubmissionProxy:
    """A submission as a check sees it: calls run in the worker, only decoded answers come back.

    ``answers`` holds those to the cases, by id, and top-level values. ``calls`` makes more calls, all in one
    further run. Facts about functions, the cells of a notebook that stopped, the names that there are and the
    answers where only public cases are given may need one, too, so they are asked for on demand.
    """

    answers: Mapping[str, Answer]
    ask_functions: Callable[[], Mapping[str, FunctionFacts]]
    ask_cells: Callable[[], Sequence[CellFailure]]
    calls: Ask
    ask_names: Callable[[], OwnNames] = OwnNames
    ask_openly: Callable[[], Mapping[str, Answer]] = dict
    _looked_at: str = ""

    @cached_property
    def functions(self) -> Mapping[str, FunctionFacts]:
        """What is known of each function without calling it."""
        return self.ask_functions()

    def answer(self, known: KnownCase) -> Answer:
        """The submission's answer to a case."""
        self._looked_at = known.case.id
        return self.answers[known.case.id]

    def last_looked_at(self) -> str:
        """The case whose answer was looked at last, and of what kind it is; shown if judging it fails."""
        answer = self.answers.get(self._looked_at)
        return f"{self._looked_at}: {kind_of(answer.value)}" if answer is not None else "no answer yet"

    def call(self, call: Call) -> Answer:
        """Make one more call, in a worker of its own; slower than a case."""
        return self.calls([call])[0]

    def value(self, name: str) -> Answer:
        """A top-level value that the submission left behind."""
        return self.answers[value_key(name)]

    def facts(self, name: str) -> FunctionFacts:
        """What is known of a function without calling it."""
        return self.functions.get(name, FunctionFacts())


@dataclass(frozen=True, repr=False)
class Cases:
    """The homework's known cases; each method picks those of one task.

    With ``public_only``, as students have them, there are neither hidden nor fresh ones.
    """

    known: Sequence[KnownCase]
    public_only: bool = False

    def published(self, task: str, topic: str | None = None) -> list[KnownCase]:
        """The cases whose expected values are public."""
        return self._pick(task, topic, Group.PUBLISHED)

    def other_sizes(self, task: str, topic: str = "values") -> list[KnownCase]:
        """All cases but the published ones: stored and fresh in grading, the public ones with students.

        Raises:
            LookupError: grading lacks the stored or the fresh ones, or a student's folder the public ones.
        """
        picked = [self.stored(task, topic)]
        if not self.public_only:
            picked.append(self.fresh(task, topic))
        if not all(picked):
            raise LookupError(f"there are no cases of {task!r} with the topic {topic!r} to pick from")
        return [known for group in picked for known in group]

    def stored(self, task: str, topic: str | None = "values") -> list[KnownCase]:
        """The stored cases of other sizes: hidden and public ones; students have the public ones alone."""
        return self._pick(task, topic, Group.PUBLIC, Group.HIDDEN)

    def fresh(self, task: str, topic: str | None = None) -> list[KnownCase]:
        """The cases drawn for this batch."""
        return self._pick(task, topic, Group.FRESH)

    def _pick(self, task: str, topic: str | None, *groups: Group) -> list[KnownCase]:
        return [
            known
            for known in self.known
            if known.case.task == task and known.case.group in groups and topic in (None, known.case.topic)
        ]


@dataclass(frozen=True, repr=False)
class Compare:
    """Judges the submission's answers to cases; raises ``CheckFailed`` with the reason."""

    homework: Homework
    submission: SubmissionProxy
    cases: Cases
    diagnose: Diagnose

    def __call__(self, cases: Sequence[KnownCase]) -> None:
        """Every case's value is right."""
        __tracebackhide__ = True  # pytest then shows the check's own line
        self._raise_first(cases, self.judge)

    def gradients(self, cases: Sequence[KnownCase]) -> None:
        """Every case's gradients arrive and are right."""
        __tracebackhide__ = True
        self._raise_first(cases, self._judge_gradients)

    def unchanged(self, cases: Sequence[KnownCase]) -> None:
        """No case's arguments were changed in place."""
        __tracebackhide__ = True
        self._raise_first(cases, self._judge_unchanged)

    def judge(self, known: KnownCase) -> Finding | None:
        """Return what is wrong with the answer to one case, or None.

        Where the function is missing or still the stub, and the task accepts a top-level value in its place,
        that value is judged against the task's first published case.
        """
        task = self.homework.task(known.case.task)
        answer = given = self.submission.answer(known)
        is_missing = given.not_defined or is_unwritten(given.error)
        if task.value and is_missing and self.submission.value(task.value).is_usable:
            answer, known = self.submission.value(task.value), self.cases.published(task.name)[0]
        if not answer.is_usable:
            return self._explain_no_value(known, answer.error)
        finding = known.compare(answer.value, task.returns)
        if finding is not None and answer is not given:
            return replace(finding, student=f"{finding.student} {self._stopped_before()}".rstrip())
        return finding

    def _explain_no_value(self, known: KnownCase, error: StudentError | None) -> Finding:
        name = known.case.call.name
        if error is None:
            others, is_class = (
                [task.name for task in self.homework.tasks],
                isinstance(known.case.call, ModuleCall),
            )
            own = self.submission.ask_names()
            return explain_missing(
                name, own, others, is_class=is_class, stopped_before=self._stopped_before()
            )
        shown = self._in_the_open(known, error) if has_message(error) else None
        return explain_no_value(error, name, self.homework.limits, shown)

    def _in_the_open(self, known: KnownCase, error: StudentError) -> StudentError | None:
        """The same exception, of the same function at the same line, in a run of public cases alone."""
        cases = [one.case for one in self.cases.known if one.case.group in (Group.PUBLISHED, Group.PUBLIC)]
        called = [one.id for one in cases if one.call.name == known.case.call.name]
        answers = self.submission.ask_openly()
        for case in sorted(called, key=lambda case: case != known.case.id):
            other = answers[case].error if case in answers else None
            if other and (other.type, other.file, other.line) == (error.type, error.file, error.line):
                return other
        return None

    def _raise_first(self, cases: Sequence[KnownCase], judge: Callable[[KnownCase], Finding | None]) -> None:
        __tracebackhide__ = True
        if not cases:
            raise LookupError("the check asked for no case at all; look at its task and topic")
        findings = [(known, finding) for known in cases if (finding := judge(known)) is not None]
        if findings:
            failed = [known for known, _ in findings]
            facts = findings[0][1]
            finding = self._reason(failed, facts)
            if finding is not facts:  # what explains the facts is the same in other checks, with other facts
                finding = replace(finding, cause=finding.student.replace(facts.student.rstrip("."), ""))
            names = ", ".join(known.case.id for known in failed)
            staff = f"{finding.staff}\nfailed cases: {names} ({len(failed)} of {len(cases)})".strip()
            raise CheckFailed(replace(finding, staff=staff))

    def _reason(self, failed: Sequence[KnownCase], finding: Finding) -> Finding:
        """Name the mistake behind a finding where it is known, and leave the finding as it is elsewhere.

        A known mistake comes first. One that fixes a size gives way to the outside name that fixes it,
        where that is proved.
        """
        if finding.kind not in EXPLAINABLE or set(finding.misconceptions) - {"returns-transposed"}:
            return finding
        first = failed[0].case
        diagnosis = self.diagnose(first.task)
        if diagnosis.labels and not diagnosis.about_size:
            return _explained(finding, diagnosis)
        published = self.cases.published(first.task)
        only_published = (  # huge numbers fail for another reason than their sizes
            bool(published)
            and first.group is not Group.PUBLISHED
            and first.topic == "values"
            and all(self.judge(one) is None for one in published)
        )
        facts = self.submission.facts(first.call.name)
        stored = {one.case.id: one for one in self.cases.known}  # a check may have put other values in place
        own = [stored.get(one.case.id, one) for one in failed if one.case.call.name == first.call.name]
        proof = prove_outside_sizes(own, facts, self.submission.calls) if facts.sizes else ()
        if proof:
            return _proved(finding, proof, only_published)
        if only_published and facts.globals_read:
            finding = _mentioned(finding, facts.globals_read)
        return _explained(finding, diagnosis)

    def _judge_gradients(self, known: KnownCase) -> Finding | None:
        answer, finding = self.submission.answer(known), self.judge(known)
        if not answer.is_usable or (finding is not None and finding.kind in (Kind.ARITY, Kind.SHAPE)):
            return finding
        expected = {key: one for key, one in (known.gradients or {}).items() if one is not None}
        if not expected:
            raise LookupError(f"no gradients are stored for {known.case.id}; give its call a cotangent")
        got = answer.gradients if isinstance(answer.gradients, dict) else {}
        for key in expected:
            if not isinstance(got.get(key), np.ndarray | Tensor):
                text = (
                    f"The {self._gradient(known, key)} is missing: the computation leaves torch on the way "
                    "(`.detach()`, `.data`, `.item()`, `.numpy()` or a new `torch.tensor`)."
                )
                return Finding(Kind.GRADIENT, text, misconceptions=("gradient-cut",))
        for key, right in expected.items():
            one = replace(known, expected=right)
            if one.compare(got[key], []) is not None:
                return one.compare(got[key], [self._gradient(known, key)])
        return None

    def _gradient(self, known: KnownCase, key: str) -> str:
        """Name a gradient; only a wrong one needs a name, for the parameters' names may cost a run."""
        return f"gradient of {_leaf_name(key, self.submission.facts(known.case.call.name).parameters)}"

    def _judge_unchanged(self, known: KnownCase) -> Finding | None:
        answer = self.submission.answer(known)
        if not answer.modified:
            return None
        name = known.case.call.name
        is_module = isinstance(known.case.call, ModuleCall)
        parameters = ("input",) if is_module else self.submission.facts(name).parameters
        changed = [_leaf_name(str(index), parameters) for index in answer.modified]
        text = (
            f"`{name}` changes its argument {', '.join(changed)} in place (`x -= …`, `x[...] = …`): "
            "the caller's array must stay as it was."
        )
        return Finding(Kind.MODIFIED, text, misconceptions=("modifies-input",))

    def _stopped_before(self) -> str:
        """Name the first cell of a notebook that stopped, if one did."""
        failures = self.submission.ask_cells()
        if not failures:
            return ""
        failure = failures[0]
        where = f" at line {failure.error.line}" if failure.error.line else ""
        return f"Cell {failure.cell} stopped with {failure.error.type}{where}."


@dataclass(frozen=True)
class Fixtures:
    """The values that checks may ask for by name."""

    submission: SubmissionProxy
    cases: Cases
    compare: Compare


def _proved(finding: Finding, proof: Proof, only_published: bool) -> Finding:
    """Say which outside names fix which sizes; with other numbers there the answers are right."""
    start = "It is right for the published sizes only: it reads" if only_published else "It reads"
    names = " and ".join(f"`{one.name}`" for one in proof)
    numbers = "; ".join(
        f"`{one.name}` is {one.found} there and has to be {one.needed} for one input, {one.stands_for}"
        for one in proof
    )
    text = (
        f"{start} {names} from outside the function ({numbers}). "
        f"Take every size from the arguments' shapes. {finding.student}"
    )
    return replace(finding, student=text, misconceptions=("depends-on-global",))


def _mentioned(finding: Finding, names: Sequence[str]) -> Finding:
    """Say two facts where nothing is proved: which sizes work, and what is read from outside."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    listed = ", ".join(f"`{name}`" for name in names[:MOST_NAMES]) + more
    text = (
        f"It is right for the published sizes only, and it reads {listed} from outside the function. "
        f"Take every size from the arguments' shapes. {finding.student}"
    )
    return replace(finding, student=text)


def _explained(finding: Finding, diagnosis: Diagnosis) -> Finding:
    """Put what the mistake is, where one is known, before the facts about the numbers."""
    if not diagnosis.labels:
        return finding
    text = f"{diagnosis.says} ({finding.student.rstrip('.')}.)"
    return replace(finding, student=text, misconceptions=diagnosis.labels)


def _leaf_name(key: str, parameters: Sequence[str]) -> str:
    is_known = key.isdigit() and int(key) < len(parameters)
    return f"`{parameters[int(key)]}`" if is_known else f"`{key}`"
