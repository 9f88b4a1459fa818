"""The line of a student's code in which the first NaN arises, found by a call in which that raises."""

from __future__ import annotations

import re

from autograder.course.calls import StrictCall
from autograder.language import say
from autograder.reasons.context import Context
from autograder.verdict.known import KnownCase

INVALID = re.compile(r"invalid value encountered in (\w+)")
"""NumPy's message, of which only the name of the operation is used: further runs are never quoted."""
WAYS = {
    "multiply": "0 times infinity is NaN",
    "subtract": "infinity minus infinity is NaN",
    "add": "infinity plus minus infinity is NaN",
    "divide": "0 / 0 is NaN, and so is infinity divided by infinity",
    "matmul": "in a product of matrices, 0 times infinity is NaN, "
    "and so is a sum of infinity and minus infinity",
    "sqrt": "the square root of a negative number is NaN",
    "log": "the logarithm of a negative number is NaN",
}
FIRST_NAN = "The first NaN arises in {place}, `{line}`."
FIRST_NAN_BY = "The first NaN arises in {place}, `{line}`: {way}."


def first_nan(context: Context, known: KnownCase) -> str:
    """Say where the first NaN arises in the answer to a case; nothing where no operation of NumPy makes one."""
    if context.code is None:
        return ""
    [answer] = context.submission.calls([StrictCall(known.case.call)])
    error = answer.error
    if error is None or error.type != "FloatingPointError" or error.line is None:
        return ""
    place, line = context.code.place_of(error.file, error.line)
    if not line:
        return ""
    operation = INVALID.match(error.message)
    if operation is None or operation[1] not in WAYS:
        return say(FIRST_NAN, place=place, line=line)
    way = say(WAYS[operation[1]])
    return say(FIRST_NAN_BY, place=place, line=line, way=way)
