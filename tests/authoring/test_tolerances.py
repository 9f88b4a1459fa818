"""How tolerances are measured, by evidence, calibration and the published values."""

import math
from dataclasses import replace

import numpy as np
import pytest
from homeworks import SIX
from hypothesis import given
from hypothesis import strategies as st
from tiny import write_tiny
from wording import to_authors

from autograder.authoring.published import Published, disagreements, read_published, render_published
from autograder.authoring.reference import build_outputs, write_store
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
from autograder.course.arguments import tensor
from autograder.course.calls import FunctionCall, ModuleCall, ValueRead
from autograder.course.cases import Case, Group, stored_cases
from autograder.course.schema import CourseError
from autograder.verdict.comparison import compare_case
from autograder.verdict.known import LEAST_NOISE, SAFETY, Evidence, KnownCase
from autograder.verdict.reference import know, least_tolerance
from autograder.verdict.store import open_store


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


def known(expected, evidence=None, *, name="double/printed", group=Group.PUBLISHED):
    case = Case(name, FunctionCall("double", ()), group=group)
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
    write_store(store, tiny.homework, other, store.fresh_tolerances(), store.manifest().made_from)
    assert not build_outputs(tiny.course, tiny.homework, pool).written


def test_a_first_build_elsewhere_has_the_same_evidence(tiny, pool, tmp_path):
    other = write_tiny(tiny.course.root.parent / "elsewhere")
    for tiny_course in (tiny, other):
        build_outputs(tiny_course.course, tiny_course.homework, pool)
    assert other.store.fresh_tolerances() == tiny.store.fresh_tolerances()
    assert [known_case.evidence for known_case in other.store.read()] == [
        known_case.evidence for known_case in tiny.store.read()
    ]


SEVEN_PRINTED_ROWS = """
-21.207 -5.373 -20.933 -9.179 -11.319 -17.812
 -1.995  7.906 -10.516  3.452   9.863  -7.24
  5.479  1.115   9.244  0.453   5.656   7.089
 -7.413 -7.416   0.363 -5.573  -6.736  -0.848
-11.261 -9.937  -4.848 -8.915 -13.378  -5.761
  3.548 10.036  -2.244  1.604  12.113  -2.557
  4.888 -5.814   2.407  3.228  -4.232   3.71
"""
ROW_NOT_PRINTED = "1.248 18.894 -6.409 3.224 19.717 -5.629"


def printed(numbers, decimals=2, **more):
    rows = np.atleast_2d(np.array(numbers, dtype=float)).tolist()
    text = "\n".join(" ".join(map(repr, row)) for row in rows)
    return Published(case="double/printed", printed=text, decimals=decimals, **more)


def differences(value, expected):
    return list(disagreements([value], [known(expected)]))


def test_printed_numbers_are_read_as_rows(tiny):
    first, second = read_published(tiny.homework)
    assert (first.case, first.decimals, first.part) == ("double/printed", 1, None)
    np.testing.assert_array_equal(first.numbers, [[1.0, 2.5, 8.0]])
    assert (second.part, second.numbers.tolist()) == (0, [[5.75]])


def test_a_homework_without_the_file_has_no_printed_values(tiny):
    (tiny.folder / "published.toml").unlink()
    assert list(read_published(tiny.homework)) == []


def test_a_file_may_name_its_source_alone(tiny):
    (tiny.folder / "published.toml").write_text('source = "shapes only"\n', "utf-8")
    assert list(read_published(tiny.homework)) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("decimals = 1\n", "", "values[1].decimals is missing"),
        ("decimals = 1\n", "decimals = 1.5\n", "values[1].decimals: expected"),
        ("decimals = 1\n", 'decimals = "one"\n', "values[1].decimals: expected"),
        ('case = "double/printed"\n', "", "values[1].case is missing"),
        ('printed = "1.0 2.5 8.0"\n', "", "values[1].printed is missing"),
        ('printed = "1.0 2.5 8.0"', "printed = [1.0, 2.5, 8.0]", "values[1].printed: expected"),
        ('printed = "1.0 2.5 8.0"', 'printed = "1.0 2.5 eight"', "values[1].printed"),
        ('printed = "1.0 2.5 8.0"', 'printed = "1.0 2.5 nan"', "values[1].printed"),
        ('printed = "1.0 2.5 8.0"', 'printed = """1 2\n3"""', "values[1].printed"),
        ("part = 0", "part = -1", "values[2].part: expected"),
        ("part = 0", "row = 2", "values[2].row is unknown"),
        ('[[values]]\ncase = "double/printed"', '[[value]]\ncase = "double/printed"', "value is unknown"),
        ("decimals = 1\n", "decimals =\n", "line 3"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(tiny, old, new, complaint):
    path = tiny.edit("published.toml", old, new)
    with pytest.raises(CourseError) as caught:
        read_published(tiny.homework)
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_half_a_unit_of_the_last_decimal_is_rounding():
    assert differences(printed([[1.23, 4.57]]), np.array([1.225, 4.574])) == []
    assert differences(printed([[1.23]]), np.array([1.2249])) == [
        to_authors["published.published-double-printed"]
    ]


def test_an_agreement_replaces_the_rounding():
    assert differences(printed([[1.23]], agreement=0.1), np.array([1.3])) == []
    assert len(differences(printed([[1.23]], agreement=0.001), np.array([1.2325]))) == 1


def test_only_the_printed_rows_and_columns_are_compared():
    whole = np.arange(12.0).reshape(3, 4)
    assert differences(printed(whole[:2, :3], rows=2, columns=3), whole) == []
    assert differences(printed(whole[:2, :3] + 1, rows=2, columns=3), whole) != []


def test_a_part_of_a_tuple_is_compared_alone():
    both = (np.array([1.0]), np.array([2.0]))
    assert differences(printed([[2.0]], part=1), both) == []
    assert differences(printed([[2.0]], part=0), both) != []


def test_another_shape_is_a_disagreement():
    assert differences(printed([[1.0, 2.0]]), np.array([1.0])) == [
        "published/double/printed: shape (1, 1), printed (1, 2)"
    ]


def test_nan_never_agrees():
    assert len(differences(printed([[1.0]]), np.array([np.nan]))) == 1


def test_a_printed_array_without_a_case_is_a_disagreement():
    other = known(np.ones(1), name="double/other")
    assert list(disagreements([printed([[1.0]])], [other])) == [
        to_authors["published.published-double-printed-2"]
    ]


def test_a_hidden_case_of_that_name_is_not_the_published_one():
    hidden = known(np.ones(1), group=Group.HIDDEN)
    assert len(list(disagreements([printed([[1.0]])], [hidden]))) == 1


@pytest.mark.parametrize(
    ("part", "expected"), [(None, (np.ones(2), np.ones(1))), (2, (np.ones(1), np.ones(1))), (0, np.ones(1))]
)
def test_a_part_that_does_not_fit_the_result_is_refused(part, expected):
    with pytest.raises(CourseError, match="double/printed: `part`"):
        differences(printed([[1.0]], part=part), expected)


def test_text_shows_published_cases_to_their_decimals(tiny):
    results = [
        known(np.array([1.0, 2.5, 8.0])),
        known((np.float64(5.75), np.float64(2.5)), name="totals/printed"),
        known(np.array([4.0]), name="double/wide", group=Group.HIDDEN),
    ]
    text = render_published(tiny.homework, read_published(tiny.homework), results)
    assert text.splitlines() == [
        to_authors["published.published-values-of-hwx"],
        "",
        to_authors["published.double-printed-shape-printed"],
        "[[1.0 2.5 8.0]]",
        "",
        to_authors["published.totals-printed-sum-shape"],
        "[[5.75]]",
        "",
        "totals/printed product: shape ()",
        "[[2.500000]]",
    ]


def test_text_leaves_out_arrays_too_large_to_read(tiny):
    text = render_published(tiny.homework, [], [known(np.zeros((40, 40)))])
    assert to_authors["published.double-printed-shape-stored"] in text
    assert "0.0" not in text


def test_every_real_homework_agrees_with_what_its_source_prints(course):
    compared = 0
    for homework in course.homeworks(SIX):
        published = read_published(homework)
        assert list(disagreements(published, open_store(course, homework).read())) == []
        compared += len(published)
    assert compared >= 20


def test_all_eight_rows_of_multi_head_attention_are_stored(course):
    """Seven rows are printed in the source; the eighth is left out there and was computed apart."""
    rows = [line.split() for line in [*SEVEN_PRINTED_ROWS.strip().splitlines(), ROW_NOT_PRINTED]]
    stored = open_store(course, course.homework("hw5_multihead_attention")).read()
    [output] = [
        known_case.expected
        for known_case in stored
        if known_case.case.id.endswith("/seeds-3-and-0") and known_case.case.group == "published"
    ]
    np.testing.assert_allclose(output, np.array(rows, dtype=float), rtol=0, atol=5.1e-4)


def test_the_scaled_outputs_of_column_attention_are_stored_whole(course):
    stored = open_store(course, course.homework("hw4_self_attention_columns")).read()
    by_name = {known_case.case.id: known_case.expected for known_case in stored}
    rows = [
        [0.97411966, 1.59622051, 1.32638014],
        [-0.23738409, -0.09516106, 0.13062402],
        [-0.72333202, 3.70194096, 3.02371664],
        [-0.34413007, 2.01339538, 1.6902419],
    ]
    name = "published/scaled_dot_product_self_attention/seeds-3-and-0"
    np.testing.assert_allclose(by_name[name], rows, rtol=0, atol=5.1e-9)
