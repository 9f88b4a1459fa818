import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import write_tiny
from wording import to_authors

from autograder.authoring.published import Published
from autograder.authoring.reference import build_outputs
from autograder.authoring.tolerances import (
    BOTH,
    SINGLE,
    calibrate,
    in_precision,
    measure_noise,
    printed_distances,
    rounded_up,
    steady_noise,
    tolerance_of,
    too_near,
)
from autograder.course.cases import Case, FunctionCall, Group, ModuleCall, ValueRead, stored_cases, tensor
from autograder.course.schema import CourseError
from autograder.verdict.comparison import compare_case
from autograder.verdict.known import LEAST_NOISE, SAFETY, Evidence, KnownCase
from autograder.verdict.reference import know, least_tolerance


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


ONES = np.ones(2)


@pytest.mark.parametrize(
    ("number", "step"),
    [(1e-5, 1e-5), (1.01e-5, 2e-5), (2.5e-5, 5e-5), (5.1e-5, 1e-4), (3, 5), (0.2, 0.2), (9.99e-9, 1e-8)],
)
def test_numbers_are_rounded_up_to_one_two_or_five(number, step):
    assert rounded_up(number) == step


@given(st.floats(1e-12, 1e6))
def test_rounding_up_never_lowers_and_settles_at_once(number):
    step = rounded_up(number)
    assert number * (1 - 1e-8) <= step <= 2.5 * number * (1 + 1e-8)
    assert rounded_up(step) == step


def test_noise_decides_where_it_exceeds_the_least_tolerance():
    assert tolerance_of(Evidence(noise=1e-7), 1e-5) == 1e-5
    assert tolerance_of(Evidence(noise=1e-4), 1e-5) == rounded_up(SAFETY * 1e-4)


def test_printed_decimals_widen_a_tolerance():
    assert tolerance_of(Evidence(noise=1e-7, printed=5e-3), 1e-5) == 5e-3


@pytest.mark.parametrize(
    ("call", "least"),
    [
        (FunctionCall("f", (ONES, 3)), 1e-5),
        (FunctionCall("f", (ONES, tensor(ONES))), 1e-4),
        (ModuleCall("Block", (), tensor(ONES)), 1e-4),
        (ValueRead("all_x"), 1e-5),
    ],
)
def test_tensors_are_allowed_more_than_arrays(call, least):
    assert least_tolerance(call) == least


@pytest.mark.parametrize(
    ("measured", "stored", "is_kept"),
    [
        (3e-7, None, 5e-7),
        (3e-7, 1e-7, 1e-7),
        (3e-7, 2e-6, 2e-6),
        (6e-7, 1e-7, 1e-6),
        (1e-8, 1e-6, LEAST_NOISE),
        (0.0, None, LEAST_NOISE),
        (1e-17, LEAST_NOISE, LEAST_NOISE),
    ],
)
def test_stored_noise_stays_unless_it_is_clearly_another(measured, stored, is_kept):
    assert steady_noise(measured, stored) == is_kept


def test_a_distance_within_safety_or_print_may_be_an_honest_answer():
    assert math.isclose(Evidence(noise=1e-7).correct_deviation, SAFETY * 1e-7)
    assert Evidence(noise=1e-7, printed=1e-3).correct_deviation == 1e-3


NOISY = "    # BEGIN SOLUTION\n    x = (x + np.float32(1000)) - np.float32(1000)\n"


def known(expected, evidence=None):
    case = Case("double/printed", FunctionCall("double", ()), group=Group.PUBLISHED)
    return KnownCase(case, expected, None, 1e-5, evidence)


def calibrated_cases(tiny, pool):
    known = know(tiny.homework, stored_cases(tiny.homework), pool)
    calibrated, unsound = calibrate(tiny.homework, known, pool)
    assert unsound == []
    return {known_case.case.id: known_case for known_case in calibrated}


def test_a_noisy_task_gets_a_wider_tolerance_and_an_exact_one_the_least(tiny, pool):
    tiny.edit("doubles.py", "    # BEGIN SOLUTION\n    factor", f"{NOISY}    factor")
    tolerances = calibrated_cases(tiny, pool)
    assert tolerances["hidden/double/wide"].tolerance > 1e-4
    assert tolerances["hidden/totals/wide"].tolerance == 1e-5


def test_a_tolerance_that_a_case_asks_for_is_kept_beside_its_evidence(tiny, pool):
    huge = calibrated_cases(tiny, pool)["hidden/double/huge"]
    assert huge.tolerance == 1e-3
    assert 1e-8 <= huge.evidence.noise < 1e-6


def test_a_typed_in_answer_of_the_printed_decimals_is_allowed(tiny, pool):
    """0.25 is printed as 0.2: 0.05 away, relative to the larger of 1 and 0.25."""
    tiny.edit("cases.py", "np.array([0.5, 1.25, 4.0])", "np.array([0.5, 1.25, 0.125])")
    tiny.edit("published.toml", "1.0 2.5 8.0", "1.0 2.5 0.2")
    tiny.edit("published.toml", "5.75", "1.88")
    tolerances = calibrated_cases(tiny, pool)
    printed = tolerances["published/double/printed"]
    assert printed.tolerance == 0.02
    assert compare_case(printed, np.array([1.0, 2.5, 0.2])) is None
    assert compare_case(printed, np.array([1.0, 2.5, 0.1])) is not None
    assert tolerances["hidden/double/wide"].tolerance == 1e-5


@pytest.mark.parametrize(
    ("numbers", "decimals", "expected", "distance"),
    [
        ([[3.0]], 0, [3.0], 0.0),
        ([[1.23]], 2, [1.2349], 0.0049 / 1.2349),
        ([[0.12]], 2, [0.1249], 0.0049),
        ([[20.0]], 0, [19.6], 0.4 / 19.6),
    ],
)
def test_the_distance_of_a_print_is_measured_not_assumed(numbers, decimals, expected, distance):
    text = "\n".join(" ".join(map(repr, row)) for row in numbers)
    printed = Published(case="double/printed", printed=text, decimals=decimals)
    distances = printed_distances([printed], [known(np.array(expected))])
    assert distances == {"published/double/printed": pytest.approx(distance, abs=1e-12)}


def test_what_is_not_printed_may_be_rounded_to_the_same_decimals():
    printed = Published(case="double/printed", printed="1.0", decimals=0, columns=1)
    distances = printed_distances([printed], [known(np.array([1.0, 1.4]))])
    assert distances["published/double/printed"] == pytest.approx(0.4 / 1.4)


def test_of_several_printed_parts_the_farthest_counts():
    both = known((np.array([0.51]), np.array([0.75])))
    parts = [
        Published(case="double/printed", printed=text, decimals=1, part=part)
        for part, text in enumerate(("0.5", "0.8"))
    ]
    assert printed_distances(parts, [both])["published/double/printed"] == pytest.approx(0.05)


def test_a_mistake_within_ten_tolerances_is_too_near():
    near = known(1.0, Evidence(nearest="triples", margin=9.9))
    [line] = too_near([near, known(1.0, Evidence(nearest="squares", margin=10.0)), known(1.0, Evidence())])
    assert line.startswith("published/double/printed: a tolerance of 1e-05 is too wide: triples is only 9.9")
    assert "cases.py" in line


def test_another_machines_noise_changes_no_stored_byte(tiny, pool):
    build_outputs(tiny.course, tiny.homework, pool)
    store = tiny.store
    before = store.read()
    assert all(known_case.evidence is not None for known_case in before)
    other = [
        replace(known_case, evidence=replace(known_case.evidence, noise=5e-8))
        if known_case.case.id == "hidden/double/wide"
        else known_case
        for known_case in before
    ]
    store.write(tiny.homework, other, store.fresh_tolerances(), store.manifest().made_from)
    assert not build_outputs(tiny.course, tiny.homework, pool).written


def test_a_first_build_elsewhere_has_the_same_evidence(tiny, pool, tmp_path):
    other = write_tiny(tiny.course.root.parent / "elsewhere")
    for tiny_course in (tiny, other):
        build_outputs(tiny_course.course, tiny_course.homework, pool)
    assert other.store.fresh_tolerances() == tiny.store.fresh_tolerances()
    assert [known_case.evidence for known_case in other.store.read()] == [
        known_case.evidence for known_case in tiny.store.read()
    ]
