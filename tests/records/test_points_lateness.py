import datetime as dt

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.policy.policy import Rules
from autograder.policy.settlement import Handed, days_late, spend

DUE = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)
RULES = {
    "hw1": Rules(due=DUE),
    "hw2": Rules(due=DUE + dt.timedelta(days=7)),
    "hw3": Rules(due=DUE + dt.timedelta(days=14)),
    "free": Rules(),
}
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""No test depends on how fast the machine is."""
hours = st.floats(min_value=-100, max_value=1000, allow_nan=False)


def after(hours):
    return DUE + dt.timedelta(hours=hours)


@pytest.mark.parametrize(
    ("hours", "days"), [(-1, 0), (0, 0), (0.001, 1), (1, 1), (24, 1), (24.01, 2), (48, 2), (240.5, 11)]
)
def test_each_day_that_has_begun_counts(hours, days):
    assert days_late(after(hours), RULES["hw1"]) == days


def test_grace_moves_the_beginning_of_every_day():
    rules = Rules(due=DUE, grace_minutes=15)
    assert [days_late(after(hours), rules) for hours in (0.25, 0.26, 24.25, 24.26)] == [0, 1, 1, 2]


def test_what_is_not_due_is_never_late():
    assert days_late(after(9999), Rules()) == 0


def test_a_time_in_another_zone_is_the_same_time():
    tokyo = dt.timezone(dt.timedelta(hours=9))
    assert days_late(after(1).astimezone(tokyo), RULES["hw1"]) == 1


def hand(homework, hours, student="ada", submission="ada"):
    return Handed(student, submission, homework, after(hours), RULES[homework])


def used(budget, *handed, spent=None):
    found = spend(handed, budget, spent or {})
    return {homework: late.used for (_, homework), late in found.items()}


def test_late_days_are_spent_in_the_order_of_submission_time():
    """The second homework comes in before the first, and takes the days."""
    assert used(2, hand("hw1", 24 * 20), hand("hw2", 24 * 9)) == {"hw1": 0, "hw2": 2}


def test_at_one_time_the_earlier_due_date_comes_first():
    assert used(8, hand("hw2", 24 * 8), hand("hw1", 24 * 8)) == {"hw1": 8, "hw2": 0}


def test_a_hand_in_takes_what_is_left_of_the_budget():
    late = spend([hand("hw1", 70)], 2, {})["ada", "hw1"]
    assert (late.days, late.used, late.submitted_at) == (3, 2, after(70))


def test_days_spent_elsewhere_are_gone_and_never_more_than_all():
    assert used(3, hand("hw1", 70), spent={"ada": 2, "bob": 3}) == {"hw1": 1}
    assert used(3, hand("hw1", 70), spent={"ada": 9}) == {"hw1": 0}


def test_each_student_has_a_budget_of_their_own_over_all_their_submissions():
    found = spend(
        [hand("hw1", 20, "1", "ada-a"), hand("hw2", 24 * 8, "1", "ada-b"), hand("hw1", 20, "2", "bob")],
        1,
        {},
    )
    assert {key: late.used for key, late in found.items()} == {
        ("ada-a", "hw1"): 1,
        ("ada-b", "hw2"): 0,
        ("bob", "hw1"): 1,
    }


@calm
@given(st.dictionaries(st.sampled_from(sorted(RULES)), hours), st.integers(0, 20))
def test_never_more_days_are_spent_than_late_nor_than_the_budget(when, budget):
    found = spend([hand(homework, hour) for homework, hour in when.items()], budget, {})
    assert all(0 <= late.used <= late.days for late in found.values())
    assert sum(late.used for late in found.values()) == min(budget, sum(one.days for one in found.values()))


@calm
@given(st.lists(hours, min_size=1, max_size=6), st.integers(0, 9), st.randoms())
def test_the_order_in_the_list_does_not_matter(when, budget, random):
    handed = [hand("hw1", hour, submission=str(number)) for number, hour in enumerate(when)]
    shuffled = list(handed)
    random.shuffle(shuffled)
    assert spend(handed, budget, {}) == spend(shuffled, budget, {})


@calm
@given(st.lists(hours, min_size=1, max_size=4), st.integers(0, 9), st.floats(0, 500))
def test_a_later_hand_in_never_has_fewer_days_to_pay_for(when, budget, more):
    others = [hand("hw1", hour, submission=str(number)) for number, hour in enumerate(when[1:])]
    paid = [
        (late := spend([*others, hand("hw1", hour)], budget, {})["ada", "hw1"]).days - late.used
        for hour in (when[0], when[0] + more)
    ]
    assert paid[0] <= paid[1]
