import numpy as np
import pytest
from wording import to_authors

from autograder.authoring.tolerances import BOTH, SINGLE, in_precision, measure_noise
from autograder.course.cases import FunctionCall, ModuleCall, stored_cases, tensor
from autograder.course.schema import CourseError
from autograder.verdict.reference import know


def measured(tiny, pool, precisions=BOTH):
    known = know(tiny.homework, stored_cases(tiny.homework), pool)
    noise, contradictions = measure_noise(tiny.homework, known, pool, precisions)
    return {known_case.case.id: stray for known_case, stray in zip(known, noise, strict=True)}, contradictions


def test_every_real_number_of_a_call_takes_the_precision_and_nothing_else_does():
    call = FunctionCall("f", (np.ones(2), np.arange(2), [np.ones(1)], (1.5, np.ones(1)), 3, "text", None))
    single = in_precision(call, np.float32)
    kinds = [getattr(argument, "dtype", type(argument)) for argument in single.args]
    assert kinds == [np.float32, np.int64, list, tuple, int, str, type(None)]
    assert (single.args[2][0].dtype, single.args[3][1].dtype) == (np.float32, np.float32)


def test_tensors_and_parameters_are_converted_and_keep_their_gradients():
    call = ModuleCall("Block", (4, 2), tensor(np.ones(2), requires_grad=True), {"w": tensor(np.ones(3))})
    double = in_precision(call, np.float64)
    assert isinstance(double, ModuleCall)
    assert (double.input.array.dtype, double.input.requires_grad) == (np.float64, True)
    assert double.parameters["w"].array.dtype == np.float64
    assert double.cotangent is None


def test_noise_is_what_rounding_to_float32_does(tiny, pool):
    noise, contradictions = measured(tiny, pool)
    assert contradictions == []
    assert noise["published/double/printed"] == 0, "these numbers are exact in float32"
    assert 0 < noise["hidden/double/wide"] < 1e-6


def test_a_solution_that_loses_digits_is_noisier(tiny, pool):
    before, _ = measured(tiny, pool, SINGLE)
    tiny.edit("doubles.py", "return factor * x", "return factor * (x + 1000) - 2000")
    after, contradictions = measured(tiny, pool, SINGLE)
    assert contradictions == []
    assert after["hidden/double/wide"] > 20 * before["hidden/double/wide"]


def test_an_oracle_that_is_off_in_float64_is_no_noise(tiny, pool):
    tiny.edit("oracle.py", "number + number", "2.0001 * number")
    _, contradictions = measured(tiny, pool)
    assert any(
        line.startswith("hidden/double/wide: oracle.py in float64 gives a value") for line in contradictions
    )
    assert not any("doubles.py" in line for line in contradictions)


def test_noise_too_large_for_rounding_is_a_contradiction(tiny, pool):
    tiny.edit("doubles.py", "return factor * x", "return factor * (x + 1e7) - 2e7")
    _, contradictions = measured(tiny, pool, SINGLE)
    assert any(
        "doubles.py in float32" in line and line == to_authors["noise.tamer-inputs"]
        for line in contradictions
    )


def test_a_solution_that_raises_in_float32_is_refused(tiny, pool):
    tiny.edit("doubles.py", "return factor * x", "assert x.dtype == float\n    return factor * x")
    with pytest.raises(CourseError, match=r"doubles\.py: case published/double/printed: AssertionError"):
        measured(tiny, pool)
