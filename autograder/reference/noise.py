"""The noise of honest answers: solution and oracle, run on the same inputs in float32 and in float64."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.homework.cases import Call, Case
from autograder.homework.model import Homework
from autograder.reference.evidence import least_tolerance
from autograder.reference.known import KnownCase
from autograder.reference.run import run_course_file
from autograder.sandbox.pool import SandboxPool
from autograder.worker.wire import Tensor

ORACLE = "oracle.py"
LARGEST_NOISE = 1e-3
Precision = type[np.float32] | type[np.float64]
SINGLE: tuple[Precision, ...] = (np.float32,)
BOTH: tuple[Precision, ...] = (np.float32, np.float64)


def measure_noise(
    homework: Homework,
    known: Sequence[KnownCase],
    pool: SandboxPool,
    precisions: Sequence[Precision] = BOTH,
) -> tuple[list[float], list[str]]:
    """Return how far honest answers to each case stray, and one line per answer that is no honest one.

    Raises:
        CourseError: a file does not load, or a call brings no value in one of the precisions.
    """
    noise, contradictions = [0.0] * len(known), []
    for precision in precisions:
        cases = [replace(one.case, call=in_precision(one.case.call, precision)) for one in known]
        for path in (homework.solution, homework.folder / ORACLE):
            for i, distance in enumerate(_distances(homework, path, cases, known, pool)):
                noise[i] = max(noise[i], distance)
                exact = precision is np.float64
                limit = least_tolerance(known[i].case.call) if exact else LARGEST_NOISE
                if not distance <= limit:
                    where = f"{path.name} in {precision.__name__}"
                    contradictions.append(
                        f"{known[i].case.id}: {where} gives a value {distance:.2g} away, more than rounding "
                        f"explains ({limit:g}); mend the file, or draw tamer inputs in cases.py"
                    )
    return noise, contradictions


def _distances(
    homework: Homework, path: Any, cases: Sequence[Case], known: Sequence[KnownCase], pool: SandboxPool
) -> list[float]:
    answers = run_course_file(homework, path, cases, pool)
    return [one.distance(answer) for one, answer in zip(known, answers, strict=True)]


def in_precision(call: Call, precision: Precision) -> Call:
    """Return the same call with every array and tensor of real numbers in one precision."""
    return replace(call, **{key: _converted(one, precision) for key, one in vars(call).items()})


def _converted(value: Any, precision: Precision) -> Any:
    if isinstance(value, Tensor):
        return replace(value, array=_rounded(value.array, precision))
    if isinstance(value, np.ndarray):
        return _rounded(value, precision)
    if isinstance(value, tuple | list):
        return type(value)(_converted(item, precision) for item in value)
    if isinstance(value, dict):
        return {key: _converted(item, precision) for key, item in value.items()}
    return value


def _rounded(array: npt.NDArray[Any], precision: Precision) -> npt.NDArray[Any]:
    return array.astype(precision) if array.dtype.kind == "f" else array
