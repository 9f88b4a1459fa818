"""Slow tests of the same subject as ``test_shown_answers``, for CI and `make test WHOLE=1`."""

import pytest

from autograder.sandbox.request import Code

from ..test_shown import asking, digits_of, forms_of, pages, planted
from ..test_shown_answers import KEEPS, _assert_nothing_is_told, hiding


@pytest.mark.parametrize("place", KEEPS)
def test_hidden_inputs_that_a_submission_keeps_do_not_come_back_in_what_is_shown(
    place, suite, pool, tmp_path
):
    _assert_nothing_is_told(hiding(suite, place, "numbers"), suite, pool, tmp_path)


__all__ = ["asking"]  # the fixtures

HIDES = """
seen = []


class Told(str):
    def __str__(self):
        return " ".join(map(str, seen))
    __repr__ = __str__


def double(x):
    seen.extend(x)
    {kept}
    error = {error}
    if hasattr(error, "add_note"):
        error.add_note(str(Told()))
    raise error


def totals(x):
    raise ValueError(f"totals of {{seen}}")
"""


CALLS = """
    import gc
    if len(seen) == len(x):  # the first call of a process: to look at all objects takes long
        collections = [one for one in gc.get_objects() if type(one) in (list, tuple)]
        arrays = [part for one in collections for part in one if type(part) is type(x) and part.ndim == 1]
        seen[:0] = sorted({float(number) for array in arrays if len(array) < 9 for number in array})
"""


HIDING = {
    "in a message": ("pass", "ValueError(str(seen))"),
    "in what is printed of it": ("pass", "ValueError(Told())"),
    "in a subclass that prints itself": (
        "pass",
        "type('E', (ValueError,), {'__str__': lambda e: str(seen)})()",
    ),
    "in the name of a class": ("pass", "type('E' + ''.join(map(str, seen)), (Exception,), {})()"),
    "in a file name": ("pass", "SyntaxError('odd', (str(seen), 1, 1, str(seen)))"),
    "in a group": ("pass", "ExceptionGroup(str(seen), [ValueError(str(seen))])"),
    "in all objects": (CALLS, "ValueError(str(seen))"),
    "in a key": ("pass", "KeyError(*seen)"),
    "in a name": ("pass", "AttributeError(name=str(seen), obj=seen)"),
    "in a cause": ("pass", "ValueError(str(seen)).with_traceback(None)"),
}


@pytest.mark.parametrize("place", HIDING)
def test_a_message_holds_nothing_of_inputs_that_are_not_public(place, asking, pool, tmp_path):
    source, error = HIDING[place]
    code = Code("doubles.py", {"doubles.py": HIDES.format(kept=source, error=error)})
    distinct_pages = set()
    for number in range(3):
        planted_suite = planted(asking, number)
        distinct_pages.add(pages(planted_suite, pool, tmp_path, code))
        digits = digits_of(call.as_mapping() for call in planted_suite.calls.values())
        assert not [form for form in forms_of(digits) if form in next(iter(distinct_pages)).replace(".", "")]
    assert len(distinct_pages) == 1
    assert next(iter(distinct_pages)).count("It says: “") > 0, "something is shown"
