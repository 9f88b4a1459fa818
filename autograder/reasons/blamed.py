"""What one check has found in a function is the reason in later checks whose functions call it."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from autograder.course.cases import EditedCall, FunctionCall
from autograder.language import say
from autograder.reasons.context import Context
from autograder.reasons.student_code import WrittenFunction
from autograder.sandbox.report import StudentError
from autograder.verdict.failure import Failure, Reason
from autograder.verdict.known import KnownCase

FRAME = re.compile(r", in (\w+)$", re.MULTILINE)
"""The function of each step of a trace."""
COPIED = "{name} = __import__('copy').deepcopy({name})"
MOST_CASES = 20
Place = tuple[str, str | None, int | None]
"""An exception's type, file and line."""


@dataclass
class BlamedTasks:
    """What the checks of one submission have found so far.

    Attributes:
        reasons: the labelled reasons for exceptions by their place.
        changing: the functions that change their arguments in place.
        failed: the functions whose answers were wrong.
        unexplained: those of them of which a check found no labelled reason.
    """

    reasons: dict[Place, Reason] = field(default_factory=dict)
    changing: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    unexplained: set[str] = field(default_factory=set)

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
        facts = failure.student.replace(failure.hint, "").strip().rstrip(".")
        says = explained.student.replace(f" ({facts}.)", "")
        reason = Reason(explained.misconceptions, says, made=explained.made)
        self.reasons.setdefault(_place_of(error), reason)

    def reason_for(self, error: StudentError, name: str) -> Reason | None:
        """Return what another check has said of an exception, if it arose below another function than this one."""
        functions = FRAME.findall(error.trace)
        if name not in functions[:-1]:
            return None
        return self.reasons.get(_place_of(error))


def _place_of(error: StudentError) -> Place:
    return error.type, error.file, error.line


def right_without_changes(
    context: Context, wrong: Sequence[KnownCase], changing: Collection[str]
) -> Reason | None:
    """Find a function used by the wrong one that changes its arguments, and without doing so sets all right.

    Args:
        context: the submission.
        wrong: the wrong cases of one check.
        changing: the functions that are known to change their arguments in place.
    """
    call = wrong[0].case.call
    if context.code is None or not changing or call.name in changing:
        return None
    if not isinstance(call, FunctionCall):
        return None
    for function in context.code.used_by(call.name):
        if function.name not in changing:
            continue
        definition = _with_copies(function)
        calls = []
        for known in wrong[:MOST_CASES]:
            calls.append(EditedCall(known.case.call, function.name, definition))
        answers = context.submission.calls(calls)
        are_right = True
        for known, answer in zip(wrong, answers, strict=False):
            restored = context.submission.answers.restored(known, answer)
            are_right = are_right and known.is_right(restored)
        if are_right:
            says = say(
                "Your `{helper}` changes its argument in place, as its own check says, and "
                "`{name}` calls it: with a `{helper}` that leaves its argument as it is, all "
                "of these results are right.",
                helper=function.name,
                name=call.name,
            )
            return Reason(("modifies-input",), says)
    return None


def _with_copies(function: WrittenFunction) -> str:
    """Return the text of a function that begins with copies of all its arguments."""
    node = copy.deepcopy(function.definition.node)
    copies: list[ast.stmt] = []
    if isinstance(node, ast.FunctionDef):
        for argument in node.args.args:
            copies += ast.parse(COPIED.format(name=argument.arg)).body
    node.body[:0] = copies
    return ast.unparse(node)
