"""What earlier checks of a submission have found: it is the reason in later checks whose functions call theirs."""

from __future__ import annotations

import ast
import copy
import re
from dataclasses import dataclass, field

from autograder.course.calls import FunctionCall
from autograder.language import say
from autograder.reasons.context import Context
from autograder.reasons.outside import Proof
from autograder.reasons.repair_search import EarlierSearches, RepairSearch
from autograder.reasons.repairs import CodeRepair
from autograder.reasons.student_code import WrittenFunction
from autograder.reasons.wrong import labelled
from autograder.sandbox.report import StudentError
from autograder.verdict.failure import NO_REASON, Failure, FailureKind, Reason, joined
from autograder.verdict.interface import Form
from autograder.verdict.known import KnownCases

FRAME = re.compile(r", in (\w+)$", re.MULTILINE)
"""The function of each step of a trace."""
COPIED = "{name} = __import__('copy').deepcopy({name})"
MOST_CASES = 20
Origin = tuple[str, str | None, int | None]
"""An exception's type, file and line."""


@dataclass(frozen=True)
class Diagnosis:
    """The reason behind a task's answers, and the further conditions for naming it.

    Attributes:
        reason: the reason in words and labels; empty where none is known.
        form: the wrong form of the answers, besides which the reason holds.
        proof: names from outside the function that stand for sizes, besides which the reason holds.
    """

    reason: Reason = NO_REASON
    form: Form | None = None
    proof: Proof = ()


@dataclass
class EarlierChecks:
    """What the checks of one submission have found so far.

    Attributes:
        reasons: the labelled reasons for exceptions by their origin.
        changing: the functions that change their arguments in place.
        failed: the functions whose answers were wrong.
        unexplained: those of them of which a check found no labelled reason.
        diagnoses: the diagnoses by task and kind of search: to look for pairs of mistakes may cost runs.
        searches: the searches in the code.
    """

    reasons: dict[Origin, Reason] = field(default_factory=dict)
    changing: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    unexplained: set[str] = field(default_factory=set)
    diagnoses: dict[tuple[str, str], Diagnosis] = field(default_factory=dict)
    searches: EarlierSearches = field(default_factory=EarlierSearches)

    def note(
        self, error: StudentError | None, failure: Failure, explained: Failure
    ) -> None:
        """Remember the reason for an exception that was raised.

        Args:
            error: the exception; None where none was raised.
            failure: the failure before it was explained.
            explained: the same with its reason.
        """
        if error is None or not explained.misconceptions:
            return
        says = explained.student
        if explained.reason:
            says = joined(explained.reason, explained.remark)
        reason = Reason(explained.misconceptions, says, made=explained.made)
        self.reasons.setdefault(_origin_of(error), reason)

    def reason_for(self, error: StudentError | None, name: str) -> Reason | None:
        """Return what another check has said of an exception, if it arose below another function than this one."""
        if error is None or not raised_below(error, name):
            return None
        return self.reasons.get(_origin_of(error))

    def changes_by_a_helper(self, context: Context, wrong: KnownCases) -> Reason | None:
        """Find a function used by the wrong one that changes its arguments, and without doing so sets all right.

        Args:
            context: the submission.
            wrong: the wrong cases of one check.
        """
        call = wrong[0].case.call
        if not self.changing or call.name in self.changing:
            return None
        if context.code is None:
            return None
        if not isinstance(call, FunctionCall):
            return None
        search = RepairSearch(context, FailureKind.VALUES)
        for function in context.code.used_by(call.name):
            if function.name not in self.changing:
                continue
            repair = CodeRepair(function, _with_copies(function))
            if search.right_for([repair], wrong[:MOST_CASES]):
                says = say(
                    "Your `{helper}` changes its argument in place, as its own check says, and "
                    "`{name}` calls it: with a `{helper}` that leaves its argument as it is, all "
                    "of these results are right.",
                    helper=function.name,
                    name=call.name,
                )
                return labelled("modifies-input", says)
        return None


def raised_below(error: StudentError | None, name: str) -> str:
    """Return the function in which an exception arose, if it is another one than this; else nothing."""
    if error is None:
        return ""
    *callers, last = FRAME.findall(error.trace) or [""]
    return str(last) if name in callers and last != name else ""


def _origin_of(error: StudentError) -> Origin:
    return error.type, error.file, error.line


def _with_copies(function: WrittenFunction) -> str:
    """Return the text of a function that begins with copies of all its arguments."""
    node = copy.deepcopy(function.definition.node)
    copies = []
    if isinstance(node, ast.FunctionDef):
        for argument in node.args.args:
            copies += ast.parse(COPIED.format(name=argument.arg)).body
    node.body[:0] = copies
    return ast.unparse(node)
