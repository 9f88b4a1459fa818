"""Find the one change of a student's own code with which it has a property that a check asks for.

Like ``repair_search.py``, for answers of which many are right: a check says whether answers have the property. Each
change is run in the sandbox, by one small call first; what fits there is run by all calls of the check. So what is
said is true, whatever the cause is.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.reasons.context import Context
from autograder.reasons.repair_search import (
    LONGEST_FUNCTION,
    MOST_REPAIRS,
    REPAIRS_AT_ONCE,
    count_within,
    edited_calls,
    in_words,
)
from autograder.reasons.repairs import (
    RANK_OF_MOVES,
    RANK_OF_OMISSIONS,
    RANK_OF_OTHER_NAMES,
    CodeRepair,
    repairs_of,
)
from autograder.verdict.failure import BROUGHT_DOWN, LIMIT_ERRORS
from autograder.verdict.fixtures import Property

MOST_SECONDS = 6.0
"""So long may these runs take together, as far as the time of one call tells."""
RANKS_OF_OMISSIONS = frozenset({RANK_OF_OMISSIONS, RANK_OF_MOVES})
"""The ranks of changes that leave something out."""
ENDS_SEARCH = frozenset({*BROUGHT_DOWN, *LIMIT_ERRORS, "NotImplementedError"})
"""Exceptions of code that ends the process, takes too long, or is not written yet."""
MOST_CONFIRMED = 8
"""So many changes of each run that fit the small call are run by the others."""
SECONDS_OF_CONFIRMATION = 2.0
"""So long may a call take that confirms a change."""
SOFTMAX = "softmax"
ALL_PASS = (
    "With one change in {place}, `{line}`, all public checks of `{name}` pass. {hint}"
)
THIS_PASSES = "With one change in {place}, `{line}`, this check passes with the public cases. {hint}"
ALL_PASS_LINES = (
    "With the same change in lines {lines}, the first of them `{line}`, "
    "all public checks of `{name}` pass. {hint}"
)
THIS_PASSES_LINES = (
    "With the same change in lines {lines}, the first of them `{line}`, "
    "this check passes with the public cases. {hint}"
)


@dataclass(frozen=True)
class PropertySearch:
    """The search for one change with which a submission has a property."""

    context: Context
    wanted: Property

    def sentence(self) -> str:
        """Say where the change is; nothing where there is none, or where the small call shows nothing wrong."""
        wanted = self.wanted
        if self.context.code is None:
            return ""
        # The first call of a torch module takes longer than others.
        call_twice = [wanted.small_call, wanted.small_call]
        first, unchanged = self.context.submission.calls(call_twice)
        if unchanged.error is not None and unchanged.error.type in ENDS_SEARCH:
            return ""
        if unchanged.not_defined or (unchanged.is_usable and wanted.fits(unchanged)):
            return ""
        candidates = self._candidates(min(first.seconds, unchanged.seconds))
        if unchanged.error is not None:
            # Without the line that stops, a model may well run; that says nothing about the line.
            candidates = list(itertools.filterfalse(_leaves_out, candidates))
        weaker = None
        for start in range(0, len(candidates), REPAIRS_AT_ONCE):
            some = candidates[start : start + REPAIRS_AT_ONCE]
            for repair in self._fitting(some)[:MOST_CONFIRMED]:
                calls = edited_calls([repair], wanted.calls, SECONDS_OF_CONFIRMATION)
                answers = self.context.submission.calls(calls)
                if wanted.has_all(answers):
                    return self._in_words(repair, ALL_PASS, ALL_PASS_LINES)
                if weaker is None and wanted.has_own(answers):
                    weaker = repair
        if weaker is not None:
            return self._in_words(weaker, THIS_PASSES, THIS_PASSES_LINES)
        return ""

    def _candidates(self, seconds: float) -> Sequence[CodeRepair]:
        assert self.context.code is not None
        repairs = []
        for function in self.context.code.used_by(self.wanted.small_call.name):
            if len(function.text) <= LONGEST_FUNCTION:
                repairs += repairs_of(function)
        repairs = list(itertools.filterfalse(_spoils_softmax, repairs))
        # A class has many names, of which hardly any is taken for another one.
        repairs.sort(
            key=lambda repair: (repair.rank == RANK_OF_OTHER_NAMES, repair.rank)
        )
        return repairs[: count_within(MOST_SECONDS, seconds, MOST_REPAIRS)]

    def _fitting(self, repairs: Sequence[CodeRepair]) -> list[CodeRepair]:
        """Return the changes with which the small call gives an answer that fits."""
        calls = edited_calls(repairs, [self.wanted.small_call])
        answers = self.context.submission.calls(calls)
        fitting = []
        for repair, answer in zip(repairs, answers, strict=True):
            if answer.is_usable and self.wanted.fits(answer):
                fitting.append(repair)
        return fitting

    def _in_words(self, repair: CodeRepair, of_one: str, of_several: str) -> str:
        place = repair.function.place(repair.lines[0])
        name = self.wanted.small_call.name
        return in_words(repair, of_one, of_several, place, name)


def _leaves_out(repair: CodeRepair) -> bool:
    """Return whether a repair leaves a step or a line out."""
    return repair.rank in RANKS_OF_OMISSIONS


def _spoils_softmax(repair: CodeRepair) -> bool:
    """Return whether a repair leaves a softmax out, or turns one over the last axis.

    Without it, or with weights that sum to 1 over the heads, say, a model may have all properties but the one that
    makes weights of scores.
    """
    if repair.definition.count(SOFTMAX) < repair.function.text.count(SOFTMAX):
        return True
    lines = [repair.function.line(number) for number in repair.lines]
    is_over_last = any(SOFTMAX in line and "-1" in line for line in lines)
    takes_one_away = repair.definition.count("-1") < repair.function.text.count("-1")
    return is_over_last and takes_one_away
