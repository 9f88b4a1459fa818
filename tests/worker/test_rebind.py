import numpy as np
import pytest

from autograder.worker.globals_read import NotRebindable, is_size, rebound


class Loud(int):
    """An int of the student's own, whose every use would run the student's code."""

    def __le__(self, other):
        raise AssertionError("compared")

    def __ge__(self, other):
        raise AssertionError("compared")

    def __int__(self):
        raise AssertionError("converted")


class Sly(type):
    """A type that claims to be equal to ``int``."""

    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return hash(int)


class LooksLikeInt(metaclass=Sly):
    """An object of such a type."""


NO_SIZES = [
    -1,
    10**7,
    2**200,
    True,
    4.0,
    "4",
    None,
    [4],
    (4,),
    np.array(4),
    np.float64(4),
    np.bool_(True),
    Loud(4),
    LooksLikeInt(),
    property(lambda self: 4),
    lambda: 4,
    int,
]


@pytest.mark.parametrize("value", [0, 1, 4, 10**6, np.int64(4), np.int32(4), np.uint8(4)])
def test_plain_whole_numbers_may_be_sizes(value):
    assert is_size(value)


@pytest.mark.parametrize("value", NO_SIZES, ids=lambda value: type(value).__name__)
def test_nothing_else_is_a_size_and_no_code_of_it_runs(value):
    assert not is_size(value)
    namespace = {"N": value}
    with pytest.raises(NotRebindable, match="N"), rebound(namespace, {"N": 3}):
        raise AssertionError("it was bound")
    assert namespace["N"] is value


def test_names_are_bound_within_and_brought_back_after():
    namespace = {"N": 4, "D": 2, "other": "text"}
    with rebound(namespace, {"N": 7, "D": 5}):
        assert namespace == {"N": 7, "D": 5, "other": "text"}
    assert namespace == {"N": 4, "D": 2, "other": "text"}


def test_names_are_brought_back_whatever_the_call_does_to_them():
    namespace = {"N": 4}
    with pytest.raises(KeyboardInterrupt), rebound(namespace, {"N": 7}):
        del namespace["N"]
        raise KeyboardInterrupt
    assert namespace == {"N": 4}


def test_one_name_that_cannot_be_bound_leaves_all_as_they_are():
    namespace = {"N": 4, "X": "text"}
    for sizes in ({"N": 7, "X": 3}, {"N": 7, "missing": 3}):
        with pytest.raises(NotRebindable), rebound(namespace, sizes):
            raise AssertionError("it was bound")
    assert namespace == {"N": 4, "X": "text"}


def test_nothing_asked_changes_nothing():
    namespace = {"N": 4}
    with rebound(namespace, {}):
        assert namespace == {"N": 4}
