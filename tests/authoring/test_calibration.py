from dataclasses import replace

import numpy as np
import pytest
from tiny import write_tiny

from autograder.authoring.published import Published
from autograder.authoring.reference import build_outputs
from autograder.authoring.tolerances import calibrate, printed_distances, too_near
from autograder.course.cases import Case, FunctionCall, Group, stored_cases
from autograder.verdict.comparison import compare_case
from autograder.verdict.known import Evidence, KnownCase
from autograder.verdict.reference import know

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
