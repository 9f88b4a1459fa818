"""Answers that are not only arrays: each is opened into a kind, a header and named children.

Texts, None, dictionaries, sets, nested lists, tables, sparse arrays and exceptions are compared by one rule: the
kinds are the same, the headers are the same, and then each child is compared with the child of that name.
Children that are numbers or arrays are compared as everywhere else, within the tolerance.

Here are only facts about one value; ``arrays.deviation`` and ``comparison.py`` walk through two of them.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.language import say
from autograder.worker.composites import PLAIN, SEQUENCES, Composite, Keyed, canonical
from autograder.worker.wire import Array, Masked, Tensor

MOST_COUNTED = 1000
"""Larger counts are not shown: a submission could smuggle its inputs out in them."""
MOST_AXES = 2
LARGEST_SIZE = 10_000
MOST_LISTED = 10_000
"""Of an array where a list is expected, no more items are made."""
NUMERIC = frozenset({np.ndarray, Tensor, Masked, bool, float})
"""Types of values that have no other kinds within them; whole numbers may be too large for a dtype."""
LEAST_INTEGER = -(2**63)
LARGEST_INTEGER = 2**64 - 1
"""Whole numbers between them fit into a dtype."""
INDEX = "index"
STEPS = "steps"
VOWELS = ("A", "E", "I", "O", "U")
RESULT = "result"
"""How an answer without a name of its own is called."""


@dataclass(frozen=True)
class Opened:
    """A value that is not a number or an array.

    Attributes:
        kind: what is compared first, such as "a dictionary".
        name: how a value that came back is called, such as "a dictionary of 3".
        header: texts that must be the same: keys, columns, items of a set, lines.
        noun: what one text of the header is.
        children: the values within it, by their names in sentences, such as "item 2".
        article: comes before the name of a child.
        unnamed: how a child is called whose name, a key, may come from a hidden input; blank where none does.
        is_named_alone: the names of the children say all; they are not those "of the result".
    """

    kind: str
    name: str
    header: tuple[str, ...] = ()
    noun: str = ""
    children: Mapping[str, Any] = field(default_factory=dict)
    article: str = "the "
    unnamed: str = ""
    is_named_alone: bool = False

    def title_of(
        self, child: str, title: str, known_names: Sequence[str] | None
    ) -> str:
        """Name a child in a sentence.

        Args:
            child: its name.
            title: the name of this value.
            known_names: names that may be said if they come from data; None where all may be said.
        """
        if self.is_named_alone:
            return child
        is_from_data = self.unnamed and child != INDEX
        if is_from_data and known_names is not None:
            _, _, key = child.rpartition(" ")
            if key.strip("'") not in known_names:
                return f"{self.unnamed} of {title}"
        return f"{self.article}{child} of {title}"

    def child(self, name: str, expected: Any) -> Any:
        """Return a child as a value like the expected one: an empty list is also an empty array."""
        child = self.children[name]
        is_empty_list = isinstance(child, SEQUENCES) and not child
        if is_empty_list and isinstance(expected, np.ndarray):
            if expected.shape == (0,):
                return np.zeros(0)
        return child


def is_structured(value: Any) -> bool:
    """Return whether an expected value is made of more than numbers and arrays."""
    if type(value) in NUMERIC:
        return False
    if isinstance(value, SEQUENCES):
        for item in value:
            if type(item) not in NUMERIC and is_structured(item):
                return True
        return not value
    return is_huge(value) or not isinstance(value, int | np.generic)


def is_exception(value: Any) -> bool:
    """Return whether a value stands for an exception."""
    return isinstance(value, Composite) and value.kind == "exception"


def is_steps(value: Any) -> bool:
    """Return whether a value holds the results of using an object step by step."""
    return isinstance(value, Composite) and value.kind == STEPS


def exceptions_in(value: Any) -> Iterator[str]:
    """Yield the names of the exceptions in a value: the value itself, or some steps of an object."""
    parts = [value]
    if is_steps(value):
        parts = value.parts["values"]
    for part in parts:
        if is_exception(part):
            yield part.parts["name"]


def are_plain(items: Any) -> bool:
    """Return whether a set holds only texts, numbers, None, and tuples and sets of them."""
    if isinstance(items, Composite) and items.kind == "set":
        items = items.parts["items"]
    if isinstance(items, SEQUENCES):
        return all(map(are_plain, items))
    return isinstance(items, PLAIN)


def is_huge(value: Any) -> bool:
    """Return whether a value is a whole number too large for any dtype."""
    if type(value) is not int:
        return False
    is_of_a_dtype = LEAST_INTEGER <= value <= LARGEST_INTEGER
    return not is_of_a_dtype


def opened(value: Any) -> Opened | None:
    """Return a value's kind, header and children; None for arrays, numbers and unsendable objects."""
    if value is None:
        return _open_nothing()
    if isinstance(value, str):
        count = _count(value, "character")
        name = f"a text of {count}"
        lines = tuple(value.split("\n"))
        return Opened("a text", name, header=lines, noun="line")
    if is_huge(value):
        name = "a very large whole number"
        digits = str(value)
        return Opened("a whole number", name, header=(digits,))
    if isinstance(value, dict):
        return _open_dictionary(value)
    if isinstance(value, SEQUENCES):
        type_name = type(value).__name__
        count = _count(value)
        name = f"a {type_name} of {count}"
        children = {f"item {place}": child for place, child in enumerate(value)}
        return Opened("a list", name, children=children, article="")
    if isinstance(value, Composite):
        opener: Callable[..., Opened | None] | None = OPENERS.get(value.kind)
        if opener is not None:
            return opener(**value.parts)
    return None


def opened_like(value: Any, right: Opened) -> Opened | None:
    """Open an answer; an array or a tensor counts as a list of its rows where a list is expected."""
    if right.kind == "a list":
        array = value
        if isinstance(value, Tensor | Masked):
            array = value.array
        if isinstance(array, np.ndarray) and array.ndim > 0:
            if len(array) <= MOST_LISTED:
                value = rows_of(array)
    return opened(value)


def rows_of(array: Array) -> list[Array]:
    """Return the rows of an array; the numbers of a single axis are arrays without axes, of the same dtype."""
    return [np.asarray(row) for row in array]


def is_alike(answer: Opened, right: Opened) -> bool:
    """Return whether two values have the same kind and header, and children of the same names."""
    return (
        answer.kind == right.kind
        and answer.header == right.header
        and answer.children.keys() == right.children.keys()
    )


def header_fault(answer: Opened, right: Opened, title: str) -> str:
    """Say how the headers of two values of one kind differ, without showing the expected one."""
    if right.kind == "a text":
        text = "\n".join(answer.header)
        right_text = "\n".join(right.header)
        return text_fault(text, right_text, title)
    if right.kind == "a list":
        count = _count(answer.children, "item")
        expected_count = _count(right.children, "item")
        return f"{title} has {count}; expected {expected_count}."
    if right.noun == "shape":
        return f"The shape of {title} is not the expected one."
    if not right.noun:
        return f"{title} is another one than expected."
    missing = set(right.header).difference(answer.header)
    extra = set(answer.header).difference(right.header)
    facts = []
    if missing:
        count = _count_with_verb(missing, right.header, right.noun)
        facts.append(f"{count} missing")
    if extra:
        count = _count_with_verb(extra, answer.header, right.noun)
        facts.append(f"{count} not expected")
    if facts:
        differences = " and ".join(facts)
        return f"{title}: {differences}."
    return f"{title}: its {right.noun}s are right, but in another order."


def text_fault(text: str, right: str, title: str = "") -> str:
    """Say where a text differs first from the right one.

    Args:
        text: the answer.
        right: the expected text.
        title: what the answer is called; blank where a sentence goes on with the fault.
    """
    line, column = first_difference(text, right)
    line_number = line + 1
    character_number = column + 1
    if text.split() == right.split():
        fault = "is right except for blanks and line ends"
    elif text.casefold() == right.casefold():
        fault = "is right except for upper and lower case"
    elif "\n" in text or "\n" in right:
        fault = f"differs from character {character_number} of line {line_number} on"
    else:
        fault = f"differs from character {character_number} on"
    sentence = f"{title} {fault}."
    return sentence.strip()


def first_difference(text: str, other: str) -> tuple[int, int]:
    """Return the line and the character at which two texts differ first, counted from 0."""
    # A line ends with a character, too: where only one text goes on, it differs from the next line on.
    same = ""
    for character, other_character in zip(f"{text}\n", f"{other}\n", strict=False):
        if character != other_character:
            break
        same += character
    _, _, last_line = same.rpartition("\n")
    return same.count("\n"), len(last_line)


def _count_with_verb(part: set[str], whole: Sequence[str], noun: str) -> str:
    """Return a count of some texts of a header, with the verb that fits: "2 of 3 keys are"."""
    number = len(part)
    number_of_all = _count(whole, noun)
    verb = "is" if number == 1 else "are"
    return f"{number} of {number_of_all} {verb}"


def _count(items: Any, noun: str = "") -> str:
    """Return how many items there are, unless there are very many."""
    number = len(items)
    text = str(number)
    if number > MOST_COUNTED:
        text = "very many"
    if not noun:
        return text
    if number != 1:
        noun = f"{noun}s"
    return f"{text} {noun}"


# One function for each kind


def _open_dictionary(value: dict[str, Any]) -> Opened:
    keys = tuple(value)
    if isinstance(value, Keyed):
        keys = value.sent
    texts = list(map(_key, keys))
    count = _count(value)
    children = {
        f"value of key {text}": child
        for text, child in zip(texts, value.values(), strict=True)
    }
    return Opened(
        kind="a dictionary",
        name=f"a dictionary of {count}",
        header=tuple(sorted(texts)),
        noun="key",
        children=children,
        unnamed="one of the values",
    )


def _key(key: Any) -> str:
    """Return a key as Python writes it; keys that are equal to Python are one text."""
    if isinstance(key, str):
        return repr(key)
    if isinstance(key, np.ndarray) and key.ndim == 0:
        key = key.item()
    return canonical(key)


def _open_set(items: list[Any]) -> Opened:
    name = say("a set of {count}", count=_count(items))
    texts = sorted(map(canonical, items))
    return Opened("a set", name, header=tuple(texts), noun="item")


def _open_table(columns: list[Any], values: list[Any], index: Any) -> Opened:
    names = list(map(_key, columns))
    rows = _rows(index)
    number_of_columns = _count(names, "column")
    children: dict[str, Any] = {}
    for name, column in zip(names, values, strict=False):
        children |= _open_column(f"column {name}", column)
    children[INDEX] = index
    return Opened(
        kind="a table",
        name=f"a table of {rows} and {number_of_columns}",
        header=tuple(names),
        noun="column",
        children=children,
        unnamed="one of the columns",
    )


def _open_series(values: Any, index: Any) -> Opened:
    children = _open_column("values", values)
    children[INDEX] = index
    name = f"a series of {_rows(index)}"
    return Opened("a series", name, children=children)


def _rows(index: Any) -> str:
    """Return how many rows an index names; an array without axes is none."""
    is_array = isinstance(index, np.ndarray) and index.ndim > 0
    if is_array or isinstance(index, list):
        return _count(index, "row")
    return "no rows"


def _open_column(name: str, column: Any) -> dict[str, Any]:
    """Return the numbers of a column, and where they are missing, which NaN says there."""
    if not isinstance(column, np.ndarray):
        return {name: column}
    if column.dtype.kind not in "fiu":
        return {name: column}
    missing = np.isnan(column)
    numbers = np.where(missing, 0, column)
    children = {}
    children[f"missing {name}"] = missing
    children[name] = numbers
    return children


def _open_sparse(shape: list[Any], places: Array, values: Array) -> Opened:
    kind = "a sparse array"
    sizes = ", ".join(map(canonical, shape))
    children = {"places of the entries": places, "entries": values}
    name = kind
    if _may_be_named(shape):
        name = f"{kind} of shape ({sizes})"
    return Opened(kind, name, header=(sizes,), noun="shape", children=children)


def _may_be_named(shape: list[Any]) -> bool:
    """Return whether a sparse array's shape is one that a text may hold: a submission has chosen the numbers."""
    if len(shape) > MOST_AXES:
        return False
    for size in shape:
        if type(size) is not int:
            return False
        if not 0 <= size <= LARGEST_SIZE:
            return False
    return True


def _open_nothing() -> Opened:
    return Opened("nothing (None)", "nothing (None)")


def _open_exception(name: str) -> Opened:
    if not is_builtin_exception(name):  # a submission may have chosen the word
        return Opened("an exception", "an exception")
    article = "a"
    if name.startswith(VOWELS):
        article = "an"
    title = f"{article} {name} to be raised"
    return Opened(title, title)


def is_builtin_exception(name: str, base: str = "Exception") -> bool:
    """Return whether a name is that of one of Python's own exceptions, and of a subclass of the base."""
    classes = vars(builtins)
    builtin = classes.get(name)
    base_class = classes[base]
    return isinstance(builtin, type) and issubclass(builtin, base_class)


def _open_steps(names: list[Any], values: list[Any]) -> Opened:
    name = "an object, used step by step"
    titles = map(str, names)
    children = dict(zip(titles, values, strict=False))
    return Opened(STEPS, name, children=children, is_named_alone=True)


OPENERS: dict[str, Any] = {
    "set": _open_set,
    "objects": lambda dtype, items: opened(items),
    "table": _open_table,
    "series": _open_series,
    "sparse": _open_sparse,
    "nothing": _open_nothing,
    "exception": _open_exception,
    "steps": _open_steps,
}
"""For each kind of composite that may be an answer, what opens it, given its parts."""
