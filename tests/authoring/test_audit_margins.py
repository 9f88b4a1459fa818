from dataclasses import replace

import numpy as np
import pytest
from judging.answers import RAISED, RIGHT, X, known, times, variant

from autograder.authoring.audit import Margin, margins
from autograder.grading.suite import Suite
from autograder.reasons.diagnosis import Diagnostician
from autograder.verdict.known import Evidence


@pytest.fixture
def suite(audited):
    """Make a suite in which these mistakes are known."""
    homework = audited.tiny.homework

    def make(*variants, cases=None):
        singles = {"double": list(variants)}
        return Suite(homework, (), (), Diagnostician(homework, (), cases or known(), singles), 0)

    return make


def off_by(tolerances):
    """The right answers, with their largest difference that many tolerances away."""
    return {name: value + tolerances * 1e-5 * max(1, np.abs(value).max()) for name, value in RIGHT.items()}


def test_each_case_is_separated_from_its_closest_mistake_in_tolerances(suite):
    close = list(margins(suite(variant("far", times(9)), variant("near", off_by(50)))))
    assert [(margin.homework, margin.case, margin.mistake) for margin in close] == [
        ("hwx", "hidden/double/small", "near"),
        ("hwx", "hidden/double/wide", "near"),
    ]
    assert [round(margin.tolerances, 3) for margin in close] == [50, 50]


def test_a_mistake_that_does_not_show_in_a_case_has_no_margin_there(suite):
    only_wide = {"small": RIGHT["small"], "wide": times(3)["wide"]}
    assert [margin.case for margin in margins(suite(variant("only-wide", only_wide)))] == [
        "hidden/double/wide"
    ]
    assert list(margins(suite(variant("harmless", RIGHT)))) == []


def test_a_mistake_that_raises_has_no_margin(suite):
    assert list(margins(suite(variant("raises", {"small": RAISED, "wide": RAISED})))) == []


@pytest.mark.parametrize(
    "value", [X["wide"][:2], np.array([np.nan, 2.0, 8.0]), (X["wide"], X["wide"]), None, [[1.0], [2.0, 3.0]]]
)
def test_another_form_and_nan_are_infinitely_far(suite, value):
    close = margins(suite(variant("odd", {"small": RIGHT["small"], "wide": value})))
    assert [margin.tolerances for margin in close] == [np.inf]


def test_of_several_parts_the_farthest_counts(suite):
    (first,) = known({"small": (np.zeros(2), np.zeros(3))})
    near_and_far = {"small": (np.full(2, 20e-5), np.full(3, 30e-5))}
    (close,) = margins(suite(variant("both", near_and_far), cases=[first]))
    assert close.tolerances == pytest.approx(30)


def test_whole_numbers_have_a_distance(suite):
    values = {name: value.astype(np.int64) + 1 for name, value in RIGHT.items()}
    assert all(np.isfinite(margin.tolerances) for margin in margins(suite(variant("adds-one", values))))


def test_what_honest_answers_may_do_too_has_no_margin(suite):
    """Such as printed decimals typed in; what strays further shows, also below the tolerance."""
    evidence = Evidence(noise=1e-8, printed=1e-6)
    cases = [replace(known_case, evidence=evidence) for known_case in known()]
    assert list(margins(suite(variant("typed-in", off_by(0.09)), cases=cases))) == []
    close = list(margins(suite(variant("close", off_by(0.2)), cases=cases)))
    assert [round(margin.tolerances, 3) for margin in close] == [0.2, 0.2]


def test_a_margin_says_homework_case_mistake_and_distance(audited):
    close = audited.audit().margins
    assert {margin.case for margin in close} >= {
        "hidden/double/wide",
        "public/double/small",
        "hidden/totals/wide",
    }
    assert all(
        isinstance(margin, Margin) and margin.homework == "hwx" and margin.tolerances > 10 for margin in close
    )
