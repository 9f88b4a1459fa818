"""The chance of failing a right program, and the deviations that draws show, are what ``Law`` says they are."""

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest
from followed import DOCS

from autograder.verdict.for_checks.laws import (
    ERROR,
    MISSED,
    MOST_DRAWS,
    OTHER,
    Continuous,
    Shares,
    draws_needed,
    visible_deviation,
)
from autograder.worker.composites import Composite


def binomial(count, n, share):
    logarithm = math.lgamma(n + 1) - math.lgamma(count + 1) - math.lgamma(n - count + 1)
    return math.exp(logarithm + count * math.log(share) + (n - count) * math.log(1 - share))


def multinomial(shares, n):
    """Yield all draws that differ in more than their order, with the probability of each."""
    for counts in itertools.product(range(n + 1), repeat=len(shares) - 1):
        last = n - sum(counts)
        if last < 0:
            continue
        draws = []
        logarithm = math.lgamma(n + 1)
        for value, (count, share) in enumerate(zip([*counts, last], shares, strict=True)):
            draws += [value] * count
            logarithm += count * math.log(share) - math.lgamma(count + 1)
        yield draws, math.exp(logarithm)


@pytest.mark.parametrize(
    ("shares", "n"),
    [([0.5, 0.5], 100), ([1 / 60, 59 / 60], 300), ([0.2, 0.3, 0.5], 40), ([0.01, 0.09, 0.9], 40)],
)
@pytest.mark.parametrize("error", [0.05, 1e-3, 1e-6])
def test_shares_fail_a_right_program_no_more_often_than_they_say(shares, n, error):
    law = Shares(shares)
    limit = law.limit(error)
    risk = sum(chance for draws, chance in multinomial(shares, n) if law.evidence(draws) >= limit)
    assert risk <= error


@pytest.mark.parametrize(
    ("freedom", "error", "printed"),
    [(1, 0.001, 10.828), (2, 0.001, 13.816), (3, 0.001, 16.266), (9, 0.01, 21.666), (30, 0.001, 59.703)],
)
def test_the_bound_of_shares_lies_above_the_table_of_chi_square_and_below_its_double(freedom, error, printed):
    law = Shares(np.full(freedom + 1, 1 / (freedom + 1)))
    assert printed < 2 * law.limit(error) < 2 * printed


def test_the_textbooks_p_value_is_far_too_small_for_a_rare_value():
    n, expected = 4000, 5
    chi_square_of_a_millionth = NormalDist().inv_cdf(1 - 0.5e-6) ** 2
    risk = 0.0
    for count in range(200):
        statistic = (count - expected) ** 2 / expected / (1 - expected / n)
        if statistic >= chi_square_of_a_millionth:
            risk += binomial(count, n, expected / n)
    assert 60e-6 < risk < 70e-6


@pytest.mark.parametrize(
    ("error", "printed"),
    [(0.10, 1.2238), (0.05, 1.3581), (0.02, 1.5174), (0.01, 1.6276), (0.005, 1.7308), (0.001, 1.9495)],
)
def test_the_limit_of_continuous_draws_is_that_of_the_table_of_kolmogorov(error, printed):
    assert math.sqrt(Continuous(abs).limit(error) / 2) == pytest.approx(printed, abs=2e-4)


def test_the_distance_of_continuous_draws_is_that_of_kolmogorov_and_smirnov():
    law = Continuous(lambda number: number, low=0)
    assert law.evidence([0.5]) == pytest.approx(2 * 0.5**2)
    assert law.evidence([0.9, 0.1, 0.8]) == pytest.approx(2 * 3 * (0.8 - 1 / 3) ** 2)
    assert law.fact([0.9, 0.1, 0.8]) == "33.3% of 3 draws are up to 0.8; it should be 80.0%."
    assert law.evidence([0.5, -0.5]) == math.inf
    # Of one draw it is at least d with the probability 2 (1 - d), for d from 1/2 on.
    for error in (0.5, 0.1, 1e-6):
        distance = math.sqrt(law.limit(error) / 2)
        assert 2 * max(0, 1 - distance) <= error


def test_what_is_said_to_be_seen_is_missed_hardly_ever():
    law, n, error = Shares([0.6, 0.4]), 2000, 1e-6
    deviation = visible_deviation(law, n, error)
    assert 0.1 < deviation < 0.13
    assert draws_needed(law, deviation, error) == n
    assert draws_needed(law, 0, error) == math.inf
    missed = 0.0
    for count in range(n + 1):
        if law.evidence([0] * count + [1] * (n - count)) < law.limit(error):
            missed += binomial(count, n, 0.6 - deviation)
    assert missed <= MISSED


def test_the_page_says_how_many_draws_are_needed():
    page = (DOCS / "own_checks.md").read_text("utf-8")
    laws = [Shares(np.full(values, 1 / values)) for values in (2, 3, 6, 11, 51)]
    for deviation in (0.2, 0.1, 0.05):
        counts = [draws_needed(law, deviation, ERROR) for law in (*laws, Continuous(abs))]
        assert f"| {deviation} | {' | '.join(f'{count:,}' for count in counts)} |" in page


def test_laws_differ_by_the_set_of_values_in_which_they_differ_most():
    assert Shares([0.5, 0.5, 0]).distance(Shares([0.2, 0.5, 0.3]), []) == pytest.approx(0.3)
    normal, shifted = Continuous(NormalDist().cdf), Continuous(NormalDist(1).cdf)
    assert normal.distance(shifted, [-1.0, 0.5, 3.0]) == pytest.approx(0.3829, abs=1e-4)


def test_equal_draws_are_as_likely_as_all_pairs_of_draws():
    assert Shares([0.5, 0.3, 0.2]).chance_of_equal(2) == pytest.approx(0.38**2)
    assert Shares([1, 0]).chance_of_equal(9) == 1
    assert Continuous(abs).chance_of_equal(1) == 0


def test_a_law_with_one_possible_value_fails_all_others():
    law = Shares([0, 1])
    assert law.evidence([1, 1, 1]) == 0 < law.limit(1e-6)
    assert law.evidence([1, 0, 1]) == math.inf


@pytest.mark.parametrize(
    ("shares", "value", "draws"),
    [
        ([0.5, 0.5], np.array([0, 1, 1]), [0, 1, 1]),
        ([0.5, 0.5], np.array([[0, 1], [1, 0]]), [0, 1, 1, 0]),
        ([0.5, 0.5], 1, [1]),
        ({"a": 0.5, "b": 0.5}, ["a", "c"], ["a", "c"]),
        ({"a": 0.5, "b": 0.5}, Composite("objects", {"dtype": "object", "items": ["b"]}), ["b"]),
        ({(0, 1): 0.5, (1, 0): 0.5}, np.array([[0, 1], [1, 0]]), [(0, 1), (1, 0)]),
        ({(0, 1): 0.5, (1, 0): 0.5}, [[0, 1], "a"], [(0, 1), "a"]),
        ([0.5, 0.5], [{"a": 1}, None], [OTHER, None]),
    ],
)
def test_draws_are_read_however_they_come(shares, value, draws):
    assert Shares(shares).read(value) == draws


@pytest.mark.parametrize(
    ("shares", "value"),
    [
        ({0.1: 0.5, 0.3: 0.5}, np.array([0.1, 0.3, 0.3], np.float32)),
        ({0.1: 0.5, 0.3: 0.5}, [0.1, 0.1 + 0.2, 0.3]),
        ({1: 0.5, 3: 0.5}, [30 * 0.1, 1.0]),
        ({0: 0.5, 1: 0.5}, [0.3 - 0.2 - 0.1, 1.0]),
        ({(0.1, 0.3): 0.5, (0.3, "a"): 0.5}, [(0.1, 0.1 + 0.2), (0.1 + 0.2, "a")]),
        ({(0.1, 0.3): 0.5, (0.3, 0.1): 0.5}, np.array([[0.1, 0.3], [0.3, 0.1]], np.float32)),
    ],
)
def test_a_rounded_number_is_the_value_that_it_was_rounded_from(shares, value):
    law = Shares(shares)
    draws = law.read(value)
    assert law.evidence(draws) < law.limit(1e-6)
    assert " comes in 0.0% " not in law.fact(draws)


@pytest.mark.parametrize("draw", [0.1001, 0.2, math.nan, math.inf, "0.1", None, (0.1,), True, {}])
def test_another_number_is_no_value_of_the_law(draw):
    law = Shares({0.1: 0.5, 0.3: 0.5, (0.1, 0.3): 0})
    assert law.evidence(law.read([draw])) == math.inf


@pytest.mark.parametrize("value", ["a", [1.0, "a"], np.array([1.0, np.nan]), None, np.array([True])])
def test_what_is_no_real_number_is_no_continuous_draw(value):
    assert Continuous(abs).read(value) is None


def test_of_far_too_many_draws_only_the_first_are_read():
    zeros = np.zeros((3, 500_000))
    assert len(Shares([1]).read(zeros) or []) == MOST_DRAWS
    assert len(Continuous(abs).read(zeros) or []) == MOST_DRAWS


@pytest.mark.parametrize("shares", [[0.5, 0.6], [1.5, -0.5], [], {}])
def test_shares_that_are_no_probabilities_are_refused(shares):
    with pytest.raises(ValueError, match="sum to"):
        Shares(shares)


def test_what_shares_say_names_the_value_that_is_farthest_off():
    assert Shares({"a": 0.5, "b": 0.25, "c": 0.25}).fact(["a"] * 6 + ["b"] * 3) == (
        "'c' comes in 0.0% of 9 draws; its probability is 25.0%."
    )
