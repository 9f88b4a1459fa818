"""Cases, answers and variants made by hand: each case asks for an array, ``x`` times two is right."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.course.calls import FunctionCall
from autograder.course.cases import Case
from autograder.reasons.agreement import Variant
from autograder.sandbox.report import Answer, StudentError
from autograder.verdict.known import KnownCase

X = {"small": np.array([1.0, -2.0]), "wide": np.array([0.5, 1.0, 4.0])}
RIGHT = {name: 2 * x for name, x in X.items()}
RAISED = Answer(error=StudentError("ValueError", "shapes differ"))
NOT_DEFINED = Answer(not_defined=True)


def known(right: Mapping[str, Any] = RIGHT, tolerance: float = 1e-5) -> list[KnownCase]:
    """One case per name."""
    return [
        KnownCase(
            Case(f"double/{name}", FunctionCall("double", (X.get(name, value),))), value, None, tolerance
        )
        for name, value in right.items()
    ]


def answers(values: Mapping[str, Any]) -> dict[str, Answer]:
    """Answers by case id; what is no answer yet is taken for a returned value."""
    return {
        f"hidden/double/{name}": value if isinstance(value, Answer) else Answer(value=value)
        for name, value in values.items()
    }


def times(factor: float) -> dict[str, Any]:
    return {name: factor * x for name, x in X.items()}


def variant(label: str, values: Mapping[str, Any]) -> Variant:
    return Variant((label,), answers(values))
