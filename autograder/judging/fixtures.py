"""What a check is given: the submission's answers, the cases to ask for, and the comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from autograder.course.cases import Call, Group, ModuleCall
from autograder.course.homework import Homework
from autograder.judging.agreement import (
    NOTHING_KNOWN,
    Diagnose,
    Diagnosis,
    diagnostic_cases,
)
from autograder.judging.checks import CheckFailed
from autograder.judging.comparison import Finding, Kind, as_entries, kind_of
from autograder.judging.errors import (
    OwnNames,
    explain_missing,
    explain_no_value,
    has_message,
    is_unwritten,
    name_stop,
    plain_fact,
)
from autograder.judging.evidence import Judged
from autograder.judging.explanation_faults import explaining
from autograder.judging.general import look_at, prove, turned
from autograder.judging.interface import Form, Restored, value_key
from autograder.judging.known import OPEN, KnownCase
from autograder.judging.outside import (
    Ask,
    Proof,
    Restore,
    prove_beside_mistake,
    prove_outside_sizes,
)
from autograder.sandbox.report import Answer, FunctionFacts, Stop, StudentError
from autograder.worker.wire import Tensor

if TYPE_CHECKING:
    from autograder.sandbox.pool import SandboxPool

MOST_NAMES = 10
OUTSIDE = "depends-on-global"
FROM_SHAPES = "Take every size from the arguments' shapes."
ELSEWHERE = "It is right for the published inputs and wrong for others"
OF_ONE_SIZE = (
    f"{ELSEWHERE}: is a size or an axis written as a number, as in `[:3]` or `axis=1`?"
)
DTYPE_BESIDE = "Besides, its dtype is {}, and booleans are asked for: `.astype(bool)`."
GIVES_WAY = {"returns-transposed", "mask-additive"}
"""Labels that a comparison gives, before which a single known mistake is told."""
EXPLAINABLE = frozenset(
    {Kind.ARITY, Kind.VALUES, Kind.NOT_FINITE, Kind.SHAPE, Kind.RAISED}
)


@dataclass(eq=False, repr=False)
class SubmissionProxy:
    """A submission as a check sees it: calls run in the worker, only decoded answers come back.

    ``answers`` holds those to the cases, by id, and top-level values, in the form that is asked. ``calls``
    makes more calls, all in one further run. Facts about functions, what stopped while the code was loaded,
    the names that there are, and the answers to public cases that may be quoted are asked for on demand: on
    students' machines they are worked out only then. ``looked_at`` is the id of the case whose answer was
    looked at last, and ``steady`` are functions that gave the same result twice.
    """

    answers: Restored
    ask_functions: Callable[[], Mapping[str, FunctionFacts]]
    ask_stops: Callable[[], Sequence[Stop]]
    calls: Ask
    ask_names: Callable[[], OwnNames] = OwnNames
    ask_openly: Callable[[], Mapping[str, Answer]] = dict
    looked_at: str = ""
    steady: set[str] = field(default_factory=set)

    @cached_property
    def functions(self) -> Mapping[str, FunctionFacts]:
        return self.ask_functions()

    def answer(self, known: KnownCase) -> Answer:
        """The submission's answer to a case."""
        self.looked_at = known.case.id
        return self.answers[known.case.id]

    def last_looked_at(self) -> str:
        """The case whose answer was looked at last, and of what kind it is; shown if judging it fails."""
        answer = self.answers.get(self.looked_at)
        return (
            f"{self.looked_at}: {kind_of(answer.value)}"
            if answer is not None
            else "no answer yet"
        )

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
            raise LookupError(
                f"there are no cases of {task!r} with the topic {topic!r} to pick from"
            )
        return [known for group in picked for known in group]

    def stored(self, task: str, topic: str | None = "values") -> list[KnownCase]:
        """The stored cases of other sizes: hidden and public ones; students have the public ones alone."""
        return self._pick(task, topic, Group.PUBLIC, Group.HIDDEN)

    def fresh(self, task: str, topic: str | None = None) -> list[KnownCase]:
        """The cases drawn for this batch."""
        return self._pick(task, topic, Group.FRESH)

    def _pick(self, task: str, topic: str | None, *groups: Group) -> list[KnownCase]:
        own = (
            one
            for one in self.known
            if one.case.task == task and one.case.group in groups
        )
        return [one for one in own if topic in (None, one.case.topic)]


@dataclass(frozen=True)
class Reason:
    """Why answers are wrong: names that stand for outside sizes, a known mistake, the form they came in."""

    proof: Proof = ()
    diagnosis: Diagnosis = NOTHING_KNOWN
    form: Form | None = None


@dataclass(frozen=True, repr=False)
class Compare:
    """Judges answers to cases; raises ``CheckFailed`` with the reason, or mere facts without ``explains``."""

    homework: Homework
    submission: SubmissionProxy
    cases: Cases
    diagnose: Diagnose
    ask_reference: Ask | None = (
        None  # further calls of the reference solution, in grading alone
    )
    explains: bool = True
    _found: dict[tuple[str, bool, bool], Reason] = field(default_factory=dict)

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
        """Return what is wrong with the answer to one case, or None; see ``judged``.

        An answer to a published case is judged in the form in which it came.
        """
        judged, key = self.judged(known)
        answer = self.submission.answers[key]
        if not answer.is_usable:
            return replace(
                self._explain_no_value(judged, answer.error),
                judged=Judged(judged, answer),
            )
        finding = judged.compare(
            answer.value, self.homework.task(known.case.task).returns
        )
        if known.case.group is Group.PUBLISHED:
            answers = self.submission.answers
            finding = answers.fault(key) or finding or answers.numbers_for_booleans(key)
            asks_booleans = self.homework.task(known.case.task).dtype == "bool"
            if (
                finding is not None
                and asks_booleans
                and finding.kind in (Kind.VALUES, Kind.SHAPE, Kind.ARITY)
            ):
                finding = _with_dtype(finding, answers.came[key].value)
        if finding is not None and key != known.case.id:
            return replace(
                finding, student=f"{finding.student} {self._stopped_before()}".rstrip()
            )
        return finding

    def judged(self, known: KnownCase) -> tuple[KnownCase, str]:
        """The case that counts, and the key of its answer.

        Where the function is missing or still the stub, and the task accepts a top-level value in its place,
        that value is the answer to the task's first published case.
        """
        task, answer = (
            self.homework.task(known.case.task),
            self.submission.answer(known),
        )
        is_missing = answer.not_defined or is_unwritten(answer.error)
        if task.value and is_missing and self.submission.value(task.value).is_usable:
            return self.cases.published(task.name)[0], value_key(task.value)
        return known, known.case.id

    def _explain_no_value(
        self, known: KnownCase, error: StudentError | None
    ) -> Finding:
        """Say why a call returned no value; where further runs that quote it fail, the fact is left."""
        with explaining(f"why there is no answer to {known.case.id}"):
            return self._why_no_value(known, error)
        return plain_fact(known.case.call.name, error)

    def _why_no_value(self, known: KnownCase, error: StudentError | None) -> Finding:
        name = known.case.call.name
        if error is None:
            own, others = (
                self.submission.ask_names(),
                [task.name for task in self.homework.tasks],
            )
            is_class, before = (
                isinstance(known.case.call, ModuleCall),
                self._stopped_before(),
            )
            return explain_missing(
                name, own, others, is_class=is_class, stopped_before=before
            )
        shown = self._in_the_open(known, error) if has_message(error) else None
        return explain_no_value(
            error, name, self.homework.limits, shown, self._stopped_before()
        )

    def _in_the_open(
        self, known: KnownCase, error: StudentError
    ) -> StudentError | None:
        """The same exception, of the same function at the same line, in a public case."""
        cases = [one.case for one in self.cases.known if one.case.group in OPEN]
        called = [one.id for one in cases if one.call.name == known.case.call.name]
        answers = self.submission.ask_openly()
        for case in sorted(called, key=lambda case: case != known.case.id):
            other = answers[case].error if case in answers else None
            if other and (other.type, other.file, other.line) == (
                error.type,
                error.file,
                error.line,
            ):
                return other
        return None

    def _raise_first(
        self, cases: Sequence[KnownCase], judge: Callable[[KnownCase], Finding | None]
    ) -> None:
        __tracebackhide__ = True
        if not cases:
            raise LookupError(
                "the check asked for no case at all; look at its task and topic"
            )
        findings = [
            (known, finding) for known in cases if (finding := judge(known)) is not None
        ]
        if not findings:
            return
        # The verdict stands. What follows is about its reason, and nothing in it may change the verdict.
        failed = [known for known, _ in findings]
        facts = finding = findings[0][1]
        with explaining(f"the reason for {failed[0].case.id}"):
            if self.explains:
                finding = self._reason(failed, facts)
            if (
                finding is not facts
            ):  # what explains the facts is the same in other checks, with other facts
                plain = facts.student.rstrip(".")
                cause = finding.student.replace(f" ({plain}.)", "").replace(plain, "")
                finding = replace(finding, cause=cause)
        with explaining(f"the case behind {failed[0].case.id}"):
            names = ", ".join(known.case.id for known in failed)
            staff = f"{finding.staff}\nfailed cases: {names} ({len(failed)} of {len(cases)})".strip()
            returns = self.homework.task(failed[0].case.task).returns
            judged = finding.judged or Judged(
                failed[0], self.submission.answer(failed[0]), returns
            )
            finding = replace(finding, staff=staff, judged=judged)
        raise CheckFailed(finding)

    def _reason(self, failed: Sequence[KnownCase], finding: Finding) -> Finding:
        """Name the mistake behind a finding where it is known, and leave the finding as it is elsewhere.

        A single known mistake comes first, but one that fixes a size gives way to the outside name that
        fixes it, where that is proved. Arrays the other way round come next, and a pair of mistakes last.
        """
        labels = set(finding.misconceptions)
        if (finding.kind not in EXPLAINABLE and not labels) or labels - GIVES_WAY:
            return finding
        first = failed[0].case
        is_published = first.group is Group.PUBLISHED
        names = self.homework.task(first.task).returns if is_published else None
        proved = prove(self, failed)
        single = (
            self._mistake(first.task) if proved is None else Reason(diagnosis=proved)
        )
        if single.diagnosis.labels and not single.diagnosis.about_size:
            return _explained(finding, single, names)
        if finding.kind is Kind.DTYPE:
            return finding
        published = self.cases.published(first.task)
        only_published = (  # huge numbers fail for another reason than their sizes
            bool(published)
            and not is_published
            and first.topic == "values"
            and all(self.judge(one) is None for one in published)
        )
        facts = self.submission.facts(first.call.name)
        stored = {
            one.case.id: one for one in self.cases.known
        }  # a check may have put other values in place
        own = [
            stored.get(one.case.id, one)
            for one in failed
            if one.case.call.name == first.call.name
        ]
        own = [
            one for one in own if not one.is_right(self.submission.answer(one))
        ]  # in the form asked
        proof = (
            prove_outside_sizes(own, facts, *self._again) if facts.sizes and own else ()
        )
        if proof:
            told = f"{_told_of(proof, only_published)} {finding.student}"
            return replace(finding, student=told, misconceptions=(OUTSIDE,))
        if facts.sizes and not single.diagnosis.says:
            beside = self._mistake(first.task, beside=facts)
            if beside.proof:
                says = (
                    f"{_told_of(beside.proof, only_published)} {beside.diagnosis.says}"
                )
                both = Diagnosis(
                    (OUTSIDE, *beside.diagnosis.labels),
                    says,
                    made=beside.diagnosis.made,
                )
                return _explained(finding, replace(beside, diagnosis=both), names)
        if only_published and facts.globals_read:
            finding = _mentioned(finding, facts.globals_read)
        found = (
            single if single.diagnosis.says else self._mistake(first.task, pairs=True)
        )
        looked = look_at(self, failed) if own and not found.diagnosis.labels else None
        is_of_values = finding.kind is Kind.VALUES and all(
            one.gradients is None for one in failed
        )
        is_open = not (facts.globals_read or looked or found.diagnosis.says)
        if only_published and own and is_of_values and is_open:
            return replace(
                finding, student=f"{OF_ONE_SIZE} ({finding.student.rstrip('.')}.)"
            )
        return _explained(finding, Reason(diagnosis=looked) if looked else found, names)

    @property
    def _again(self) -> tuple[Ask, Restore]:
        """How more calls are made, and what brings their answers into the form that is asked."""
        return self.submission.calls, self.submission.answers.restored

    def _mistake(
        self, task: str, *, pairs: bool = False, beside: FunctionFacts | None = None
    ) -> Reason:
        """The known mistake behind what was judged of a task, or that ``beside`` sizes from outside.

        What answers as they came say comes first: a mistake may look like the right answer transposed.
        """
        key = (task, pairs, beside is not None)
        if key not in self._found:
            judged = dict(map(self.judged, diagnostic_cases(self.cases.known, task)))
            cases, answers = list(judged), self.submission.answers
            came = {known.case.id: answers.came[at] for known, at in judged.items()}
            asked = {known.case.id: answers[at] for known, at in judged.items()}
            form = answers.form(task)
            if beside is not None:
                proved = prove_beside_mistake(
                    cases, asked, beside, *self._again, self.diagnose
                )
                self._found[key] = Reason(*proved, form)
            else:
                turn = turned(self, task) if pairs else None
                found = Reason(
                    diagnosis=turn or self.diagnose(task, came, cases, pairs=pairs)
                )
                if form is not None and not found.diagnosis.says:
                    found = Reason(
                        diagnosis=self.diagnose(task, asked, cases, pairs=pairs),
                        form=form,
                    )
                self._found[key] = found
        return self._found[key]

    def _judge_gradients(self, known: KnownCase) -> Finding | None:
        answer, finding = self.submission.answer(known), self.judge(known)
        if not answer.is_usable or (
            finding is not None and finding.kind in (Kind.ARITY, Kind.SHAPE)
        ):
            return finding
        expected = {
            key: one for key, one in (known.gradients or {}).items() if one is not None
        }
        if not expected:
            raise LookupError(
                f"no gradients are stored for {known.case.id}; give its call a cotangent"
            )
        got = answer.gradients if isinstance(answer.gradients, dict) else {}
        for key in expected:
            if isinstance(got.get(key), np.ndarray | Tensor):
                continue
            missing = f"The {self._gradient(known, key)} is missing:"
            if got.get(key) is False:
                return Finding(
                    Kind.GRADIENT, f"{missing} the output does not depend on it."
                )
            ways = "`.detach()`, `.data`, `.item()`, `.numpy()`, `torch.no_grad()` or a new `torch.tensor`"
            text = f"{missing} something on the way cuts the computation off from it ({ways})."
            return Finding(Kind.GRADIENT, text, misconceptions=("gradient-cut",))
        for key, right in expected.items():
            one = replace(known, expected=right)
            if one.compare(got[key], []) is not None:
                return one.compare(got[key], [self._gradient(known, key)])
        return None

    def _gradient(self, known: KnownCase, key: str) -> str:
        """Name a gradient; only a wrong one needs a name, for the parameters' names may cost a run."""
        return f"gradient of {_leaf_name(key, self._parameters(known.case.call.name))}"

    def _parameters(self, name: str) -> Sequence[str]:
        """What a function calls its parameters: one name each, or none where they cannot be found out."""
        with explaining(f"the parameters of {name}"):
            return self.submission.facts(name).parameters
        return ()

    def _judge_unchanged(self, known: KnownCase) -> Finding | None:
        answer = self.submission.answer(known)
        if not answer.modified:
            return None
        name, is_module = known.case.call.name, isinstance(known.case.call, ModuleCall)
        parameters = ("input",) if is_module else self._parameters(name)
        changed = [_leaf_name(str(index), parameters) for index in answer.modified]
        how = "in place, as `x -= …` or `x[...] = …` does: the caller's array must stay as it was."
        text = f"`{name}` changes its argument {', '.join(changed)} {how}"
        return Finding(Kind.MODIFIED, text, misconceptions=("modifies-input",))

    def _stopped_before(self) -> str:
        """Name the first cell, or line of a file, that stopped while the code was loaded, if one did."""
        with explaining("what stopped while the code was loaded"):
            stop = next(iter(self.submission.ask_stops()), None)
            return name_stop(stop) if stop is not None else ""
        return ""


@dataclass(frozen=True)
class Fixtures:
    """The values that checks may ask for by name; the pool, for further runs, is there in grading alone."""

    submission: SubmissionProxy
    cases: Cases
    compare: Compare
    pool: SandboxPool | None = None


def _with_dtype(finding: Finding, value: object) -> Finding:
    """Say of an answer that is wrong in another way that it holds numbers where booleans are asked."""
    array = as_entries(value) if finding.kind is not Kind.DTYPE else None
    if array is None or array.dtype.kind == "b" or not np.isin(array, (0, 1)).all():
        return finding
    return replace(
        finding, student=f"{finding.student} {DTYPE_BESIDE.format(array.dtype)}"
    )


def _told_of(proof: Proof, only_published: bool) -> str:
    """Say which outside names fix which sizes; with other numbers there the answers are right."""
    start = f"{ELSEWHERE}: it reads" if only_published else "It reads"
    names = " and ".join(f"`{one.name}`" for one in proof)
    return f"{start} {names} from outside the function ({'; '.join(map(str, proof))}). {FROM_SHAPES}"


def _mentioned(finding: Finding, names: Sequence[str]) -> Finding:
    """Say two facts where nothing is proved: which sizes work, and what is read from outside."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    listed = ", ".join(f"`{name}`" for name in names[:MOST_NAMES]) + more
    text = f"{ELSEWHERE}, and it reads {listed} from outside."
    return replace(finding, student=f"{text} {FROM_SHAPES} {finding.student}")


def _explained(
    finding: Finding, reason: Reason, form_told: Sequence[str] | None = None
) -> Finding:
    """Put what the mistake is, where one is known, before the facts about the numbers.

    Where answers are judged as they came, the form is told first; ``form_told`` are the names of its parts.
    """
    says, labels = reason.diagnosis.says, reason.diagnosis.labels
    if not says or (labels and labels == finding.misconceptions):
        return finding
    finding = replace(finding, made=reason.diagnosis.made)
    if form_told is not None and reason.form is not None:
        labels = tuple(filter(None, (reason.form.label, *labels)))
        told = " ".join(
            filter(None, (finding.student, reason.form.remedy(form_told), says))
        )
        return replace(finding, student=told, misconceptions=labels)
    if (
        finding.kind is Kind.RAISED and not labels
    ):  # what raised is certain, and comes before what may be
        return replace(finding, student=f"{finding.student} {says}")
    is_told = (
        "rounds-result" in labels
    )  # that numbers are right, if rounded, and that they are wrong
    facts = "" if is_told else f" ({finding.student.rstrip('.')}.)"
    return replace(finding, student=f"{says}{facts}", misconceptions=labels)


def _leaf_name(key: str, parameters: Sequence[str]) -> str:
    is_known = key.isdigit() and int(key) < len(parameters)
    return f"`{parameters[int(key)]}`" if is_known else f"`{key}`"
