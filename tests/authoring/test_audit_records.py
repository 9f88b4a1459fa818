import pytest

from autograder.authoring.audit import Audit, Kind, Trial


def trial(**changes):
    fields = {
        "homework": "hwx",
        "kind": Kind.SINGLE,
        "name": "a",
        "mistakes": ("a",),
        "earned": 1.0,
        "points": 2.0,
    }
    return Trial(**(fields | changes))


@pytest.mark.parametrize(
    ("mistakes", "labels", "is_named", "wrong"),
    [
        (("a",), (("a",),), True, ()),
        (("a",), (), False, ()),
        (("a",), (("b",),), False, ("b",)),
        (("a",), (("a",), ("argument-unused",)), True, ()),
        (("a",), (("argument-unused",),), False, ()),
        (("a",), (("a",), ("b",)), False, ("b",)),
        (("a",), (("c", "a", "b"),), False, ("b", "c")),
        (("a", "b"), (("a",),), True, ()),
        (("a", "b"), (("b",), ("a", "b")), True, ()),
        (("a", "b"), (("a",), ("c",)), False, ("c",)),
        ((), (("a",),), False, ("a",)),
    ],
)
def test_a_trial_is_named_by_one_of_its_mistakes_and_by_no_other(mistakes, labels, is_named, wrong):
    record = trial(mistakes=mistakes, labels=labels)
    assert (record.is_named, record.wrong_labels) == (is_named, wrong)


@pytest.mark.parametrize(("earned", "loses"), [(2.0, False), (1.99, True), (0.0, True), (None, False)])
def test_only_what_was_graded_can_lose_points(earned, loses):
    assert trial(earned=earned).loses_points is loses


def test_trials_are_picked_by_kind():
    pair = trial(kind=Kind.PAIR)
    assert Audit((trial(), pair), ()).of(Kind.PAIR) == [pair]
