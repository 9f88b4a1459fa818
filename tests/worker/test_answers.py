import numpy as np
import pytest

from autograder.worker.calls import MAX_ENTRIES, MAX_KEY, MAX_TEXT, plain_answers
from autograder.worker.wire import Unsendable, pack, unpack


class Text(str):
    __slots__ = ()


class Answers(dict[str, object]):
    def items(self):
        raise RuntimeError("asked for my items")


class Number:
    def item(self):
        raise RuntimeError("asked for my item")


def test_texts_numbers_and_none_pass_as_they_are():
    answers = {"a": "b", "n": 3, "x": 0.5, "yes": True, "none": None, "long": "ä" * MAX_TEXT}
    assert plain_answers(answers) == answers


@pytest.mark.parametrize(
    ("value", "plain"),
    [(np.float32(0.5), 0.5), (np.int64(7), 7), (np.array([[4.0]]), 4.0), (np.bool_(True), True)],
)
def test_a_single_computed_number_becomes_a_plain_one(value, plain):
    [number] = plain_answers({"n": value}).values()
    assert (type(number), number) == (type(plain), plain)


@pytest.mark.parametrize(
    ("value", "described"),
    [
        (Text("b"), "a value of type Text"),
        ("x" * (MAX_TEXT + 1), f"a text of {MAX_TEXT + 1} characters"),
        ([1], "a value of type list"),
        (np.arange(2), "a value of type ndarray"),
        (Number(), "a value of type Number"),
        (1j, "a value of type complex"),
        (b"b", "a value of type bytes"),
    ],
)
def test_anything_else_is_described_in_its_place(value, described):
    assert plain_answers({"q": value, "other": 1}) == {"q": Unsendable(described), "other": 1}


@pytest.mark.parametrize("value", [Answers(a=1), [("a", 1)], "b", None, len])
def test_only_a_plain_dictionary_is_read(value):
    assert plain_answers(value) == Unsendable(f"a value of type {type(value).__name__}")


def test_too_many_entries_are_not_read():
    assert isinstance(plain_answers(dict.fromkeys(map(str, range(MAX_ENTRIES)))), dict)
    assert plain_answers(dict.fromkeys(map(str, range(10**5)))) == Unsendable(
        "a dictionary of 100000 entries"
    )


def test_keys_that_are_no_short_texts_are_told_by_their_type():
    answers = {1: "a", Text("q"): "b", "k" * (MAX_KEY + 1): "c", (2, 3): "d"}
    key_kinds = ["a key of type int", "a key of type Text", "a key of type str", "a key of type tuple"]
    assert list(plain_answers(answers)) == key_kinds


def test_the_largest_dictionary_that_is_read_fits_into_an_answer():
    largest = {f"{number:0>{MAX_KEY}}": "\U0001f600" * MAX_TEXT for number in range(MAX_ENTRIES)}
    raw = pack({"value": plain_answers(largest)})
    assert unpack(raw, max_header=4 << 20) == {"value": largest}
