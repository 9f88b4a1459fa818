"""Find the one change of a student's own code that sets its answers right, and so the line that is wrong.

Each repair is run in the sandbox like the submission itself, on a small wrong case first. Those that answer it
rightly are run on all cases of the function. What is said is therefore true, whatever the cause is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from autograder.course.calls import (
    Call,
    EditedCall,
    FunctionCall,
    ModuleCall,
    ObjectCall,
)
from autograder.language import say
from autograder.reasons.agreement import LARGEST_CASE
from autograder.reasons.context import Context
from autograder.reasons.pitfalls import OF_MEMORY, EquallyNatural
from autograder.reasons.repairs import (
    CHANGES,
    OF_OBJECTS,
    RANK_OF_NEW_OBJECTS,
    CodeRepair,
    may_share_objects,
    repairs_of,
)
from autograder.reasons.sites import without
from autograder.reasons.student_code import WrittenFunction
from autograder.reasons.without_memory import keeps_nothing
from autograder.sandbox.report import Answer
from autograder.verdict.failure import (
    BROUGHT_DOWN,
    CheckFailed,
    FailureKind,
)
from autograder.verdict.known import KnownCase, KnownCases

MOST_REPAIRS = 1500
"""So many repairs are run on the small case at most, the most natural first."""
MOST_WITHOUT_RESULT = 2
"""After so many searches of a submission that find nothing, there is no other."""
MOST_FOR_EXCEPTIONS = 600
"""Where an exception has been explained already, only so many are run."""
MOST_BRIEF = 2
"""After so many brief searches of a submission that find nothing, there is no other."""
REPAIRS_AT_ONCE = 300
"""So many are run before the less natural ones."""
LONGEST_FUNCTION = 6000
"""In a longer one, counted in characters, there are too many places to look at."""
MOST_SECONDS = 4.0
"""So long may the runs on the small case take together, as far as the time of one call tells."""
BRIEF_SECONDS = 1.5
"""So long may they take in a brief search."""
LEAST_REPAIRS = 50
"""Where there is no time for so many, none is run."""
MOST_CONFIRMED = 12
"""So many repairs that fit the small case are run on the others."""
ONE_CHANGE = (
    "With one change in {place}, `{line}`, all of these results are right. {hint}"
)
SEVERAL_LINES = (
    "With the same change in lines {lines}, the first of them `{line}`, "
    "all of these results are right. {hint}"
)
LOOK_AT = (
    "Look at {place}, `{line}`: with one change there, all of these results are right."
)
LOOK_AT_LINES = (
    "Look at lines {lines}, the first of them `{line}`: with the same change in each, "
    "all of these results are right."
)
NOT_CHANGED = (
    "With one change in {place}, `{line}`, the argument stays as it is. {hint}"
)
GRADIENTS_ARRIVE = (
    "With one change in {place}, `{line}`, all gradients arrive and are right. {hint}"
)
SENTENCES = {
    FailureKind.MODIFIED: NOT_CHANGED,
    FailureKind.GRADIENT: GRADIENTS_ARRIVE,
}
"""What is said of a repair, by what it sets right; of values, ``ONE_CHANGE``."""


class Extent(Enum):
    """Which repairs a search runs."""

    ALL = "all"
    BRIEF = "brief"
    """All, as far as there is little time: something else is known already."""
    NEW_OBJECTS = "new objects"
    """Only those that give a value an object of its own. That is quick."""
    MEMORY = "memory"
    """Only those that give places a value that nothing is written into."""


@dataclass
class EarlierSearches:
    """The searches for other checks of the same submission.

    Attributes:
        repairs: what was found; it is tried first.
        without_result: the kinds of failure for which all was tried, and nothing found.
        brief_without_result: how many brief searches found nothing.
        of_functions: the repairs of functions that were searched for, by its name and the id of what makes them.
        right_unchanged: whether wrong cases are right with nothing changed, by the function's name, the case's id
            and the kind of failure.
    """

    repairs: list[CodeRepair] = field(default_factory=list)
    without_result: list[FailureKind] = field(default_factory=list)
    brief_without_result: int = 0
    of_functions: dict[tuple[str, int], list[CodeRepair]] = field(default_factory=dict)
    right_unchanged: dict[tuple[str, str, FailureKind], bool] = field(
        default_factory=dict
    )

    def are_enough(self, kind: FailureKind, extent: Extent) -> bool:
        """Return whether no further search is worth its time. An exception has its own text, so one will do."""
        if extent is Extent.MEMORY:
            return False  # the code seldom has anything to change
        if extent is Extent.BRIEF:
            return self.brief_without_result >= MOST_BRIEF or bool(self.without_result)
        if kind is FailureKind.RAISED:
            return bool(self.without_result)
        return len(self.without_result) >= MOST_WITHOUT_RESULT

    def note_without_result(self, kind: FailureKind, extent: Extent) -> None:
        """Add a search that found nothing."""
        if extent is Extent.ALL:
            self.without_result.append(kind)
        elif extent is Extent.BRIEF:
            self.brief_without_result += 1

    def repairs_of(
        self, function: WrittenFunction, changes: Sequence[EquallyNatural] = CHANGES
    ) -> list[CodeRepair]:
        """Return the repairs of a function, which are made once for all checks that it fails."""
        key = (function.name, id(changes))
        if key not in self.of_functions:
            self.of_functions[key] = repairs_of(function, changes)
        return self.of_functions[key]


def find_repair(
    context: Context,
    failed: KnownCases,
    kind: FailureKind,
    earlier: EarlierSearches,
    extent: Extent = Extent.ALL,
) -> CodeRepair | None:
    """Return the change that sets a check right; None where there is none.

    Args:
        context: the submission.
        failed: the failed cases of the check; those of the first one's function count.
        kind: what is wrong with them.
        earlier: the searches for other checks of the submission; this one is added.
        extent: which repairs are run.
    """
    call = failed[0].case.call
    if context.code is None or not isinstance(
        call, FunctionCall | ModuleCall | ObjectCall
    ):
        return None
    search = RepairSearch(context, kind, earlier)
    failed_calls = []
    for known in failed:
        if known.case.call.name == call.name:
            failed_calls.append(known)
    wrong_cases = list(filter(search.can_judge, failed_calls))
    large_cases: KnownCases = []
    if not wrong_cases and kind not in SENTENCES:
        # Too large for many runs: the search is for smaller wrong cases of the function, and these are tried last.
        large_cases = failed_calls
        wrong_cases = search.smaller_wrong_cases(failed_calls[0])
    if not wrong_cases or search.ended_the_process(wrong_cases):
        return None
    other_cases = []
    for known in context.cases_like(wrong_cases[0]):
        if known not in wrong_cases and search.can_judge(known):
            other_cases.append(known)

    # Other checks may have found a change where a copy says more, or one that has nothing to do with memory.
    repair = None
    if extent is not Extent.MEMORY and kind is not FailureKind.MODIFIED:
        repair = search.first_right(earlier.repairs, wrong_cases, other_cases)
    if repair is None and not earlier.are_enough(kind, extent):
        repair = search.first_right_of_all(call.name, wrong_cases, other_cases, extent)
        if repair is None:
            earlier.note_without_result(kind, extent)
    if repair is None:
        return None
    if repair not in earlier.repairs:
        earlier.repairs.append(repair)
    if not search.right_for([repair], large_cases):
        return None
    return repair


def tell_change(repair: CodeRepair, name: str, kind: FailureKind) -> str:
    """Say where the change is, and ask about what stands there.

    Args:
        repair: the change.
        name: the function whose check fails.
        kind: what was wrong.
    """
    template = SENTENCES.get(kind, ONE_CHANGE)
    return in_words(repair, template, SEVERAL_LINES, _place_seen_from(name, repair))


def tell_place(repair: CodeRepair, name: str) -> str:
    """Say only where the change is, where what is wrong there has been said; see ``tell_change``."""
    place = _place_seen_from(name, repair)
    return in_words(repair, LOOK_AT, LOOK_AT_LINES, place)


def _place_seen_from(name: str, repair: CodeRepair) -> str:
    """Return the words for the first changed line, with its function where that is not the one that is checked."""
    place = repair.function.place(repair.lines[0])
    if repair.function.name == name:
        return place
    return say("{place} in `{name}`", place=place, name=repair.function.name)


def in_words(
    repair: CodeRepair, of_one_line: str, of_several: str, place: str, name: str = ""
) -> str:
    """Fill in one of two sentences about a change, by the number of its lines.

    Args:
        repair: the change.
        of_one_line: the sentence with ``{place}``, ``{line}`` and perhaps ``{hint}`` and ``{name}``.
        of_several: the sentence with ``{lines}`` in place of ``{place}``.
        place: the words for the place of one line.
        name: what the sentences call ``{name}``.
    """
    first, *further = repair.lines
    line = repair.function.line(first)
    if further:
        earlier_lines = ", ".join(map(str, repair.lines[:-1]))
        lines = f"{earlier_lines} {say('and')} {further[-1]}"
        return say(of_several, lines=lines, line=line, name=name, hint=repair.question)
    return say(of_one_line, place=place, line=line, name=name, hint=repair.question)


def edited_calls(
    repairs: Sequence[CodeRepair],
    calls: Sequence[Call],
    seconds: float = EditedCall.seconds,
) -> list[EditedCall]:
    """Return all calls with the first repair, then all with the second one, and so on."""
    calls_of_all = []
    for repair in repairs:
        for call in calls:
            name = repair.function.name
            calls_of_all.append(EditedCall(call, name, repair.definition, seconds))
    return calls_of_all


def count_within(most_seconds: float, seconds: float, most: int) -> int:
    """Return how many calls there is time for, at most so many, where one takes some seconds."""
    if seconds > 0:
        return min(most, int(most_seconds / seconds))
    return most


@dataclass(frozen=True)
class RepairSearch:
    """The search for the repair of one check's failure."""

    context: Context
    kind: FailureKind
    earlier: EarlierSearches = field(default_factory=EarlierSearches)

    def can_judge(self, known: KnownCase) -> bool:
        """Return whether a case has one right answer, of moderate size, and gradients where they are wrong."""
        if self.kind is FailureKind.GRADIENT and not known.expected_gradients:
            return False
        return known.case.expects and known.size <= LARGEST_CASE

    def smaller_wrong_cases(self, failed: KnownCase) -> list[KnownCase]:
        """Return the wrong cases of a failed one's function that can be judged."""
        wrong_cases = []
        for known in self.context.cases_like(failed):
            if self.can_judge(known) and not self.context.is_right(known):
                wrong_cases.append(known)
        return wrong_cases

    def ended_the_process(self, cases: KnownCases) -> bool:
        """Return whether a call ended the whole process: then nothing else is asked."""
        for known in cases:
            error = self.context.answer(known).error
            if error is not None and error.type in BROUGHT_DOWN:
                return True
        return False

    def first_right_of_all(
        self,
        name: str,
        wrong_cases: KnownCases,
        other_cases: KnownCases,
        extent: Extent,
    ) -> CodeRepair | None:
        """Return the most natural repair of a function that sets all of its cases right.

        Many are run on one small case, and what fits there on the others.
        """
        sieve = min(wrong_cases, key=lambda known: (known.has_axis_of_one, known.size))
        other_wrong_cases = without(wrong_cases, sieve)
        candidates = self.candidates(name, wrong_cases, extent)
        if not candidates or self._is_right_unchanged(name, sieve):
            return None
        if self.kind is FailureKind.RAISED:
            candidates = candidates[:MOST_FOR_EXCEPTIONS]
        for start in range(0, len(candidates), REPAIRS_AT_ONCE):
            some = candidates[start : start + REPAIRS_AT_ONCE]
            fitting = self.right_for(some, [sieve])[:MOST_CONFIRMED]
            repair = self.first_right(fitting, other_wrong_cases, other_cases)
            if repair is not None:
                return repair
        return None

    def first_right(
        self,
        repairs: Sequence[CodeRepair],
        wrong_cases: KnownCases,
        other_cases: KnownCases,
    ) -> CodeRepair | None:
        """Return the first repair with which wrong cases are right, and all others of the function are, too.

        What sets only some right may stand anywhere. But an object of its own is never wrong, and may be one
        of two remedies that are needed.
        """
        repairs = self.right_for(repairs, wrong_cases)
        right_everywhere = self.right_for(repairs, other_cases)
        if right_everywhere:
            return right_everywhere[0]
        for repair in repairs:
            if repair.rank == RANK_OF_NEW_OBJECTS:
                return repair
        return None

    def _is_right_unchanged(self, name: str, sieve: KnownCase) -> bool:
        """Return whether a wrong case is right in a run of its own, with nothing changed.

        Then the result depends on earlier calls, which the run of a change does not make, and any change would
        seem to help. Code that surely keeps nothing is not asked: if it reads unset memory, it may be right in
        one run by chance.
        """
        code = self.context.code
        assert code is not None
        function = code.functions.get(name)
        if function is None or keeps_nothing(code, name):
            return False
        right_unchanged = self.earlier.right_unchanged
        key = (name, sieve.case.id, self.kind)
        if key not in right_unchanged:
            unchanged = CodeRepair(function, function.text)
            right_unchanged[key] = bool(self.right_for([unchanged], [sieve]))
        return right_unchanged[key]

    def candidates(
        self, name: str, wrong_cases: KnownCases, extent: Extent
    ) -> Sequence[CodeRepair]:
        """Return the repairs of a function and of those that it uses, as many as there is time for."""
        assert self.context.code is not None
        repairs = []
        for function in self.context.code.used_by(name):
            if len(function.text) > LONGEST_FUNCTION:
                continue
            # A task that is right in all its own cases is not to blame.
            if function.name != name and self.context.is_right_task(function.name):
                continue
            if self.kind is FailureKind.MODIFIED:
                repairs += self.earlier.repairs_of(function, OF_OBJECTS)
            elif extent is Extent.MEMORY:
                repairs += self.earlier.repairs_of(function, OF_MEMORY)
            elif extent is not Extent.NEW_OBJECTS:
                repairs += self.earlier.repairs_of(function)
            elif may_share_objects(function):
                repairs += self.earlier.repairs_of(function, OF_OBJECTS)
        repairs.sort(key=lambda repair: repair.rank)
        # A first call may take much longer than others, as that of a torch module does.
        seconds = min(self.context.answer(known).seconds for known in wrong_cases)
        most_seconds = BRIEF_SECONDS if extent is Extent.BRIEF else MOST_SECONDS
        count = count_within(most_seconds, seconds, MOST_REPAIRS)
        return repairs[:count] if count >= LEAST_REPAIRS else []

    def right_for(
        self, repairs: Sequence[CodeRepair], cases: KnownCases
    ) -> list[CodeRepair]:
        """Return the repairs with which the answers to all of some cases are right, in their order."""
        if not repairs or not cases:
            return list(repairs)
        calls = edited_calls(repairs, [known.case.call for known in cases])
        answers = self.context.submission.calls(calls)
        right_repairs = []
        for index, repair in enumerate(repairs):
            start = index * len(cases)
            answers_of_repair = answers[start : start + len(cases)]
            if all(map(self._is_right, cases, answers_of_repair)):
                right_repairs.append(repair)
        return right_repairs

    def _is_right(self, known: KnownCase, answer: Answer) -> bool:
        """Return whether an answer is what the check asks for."""
        restored = self.context.submission.answers.restored(known, answer)
        if not answer.is_usable or not known.is_right(restored):
            return False
        if self.kind is FailureKind.MODIFIED:
            return not answer.modified
        if self.kind is FailureKind.GRADIENT:
            compare = self.context.compare.with_answers({known.case.id: answer})
            try:
                compare.gradients([known])
            except CheckFailed:
                return False
        return True
