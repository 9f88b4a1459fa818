"""Answers that are not only arrays: each is taken apart into a kind, a header and named children.

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
# Larger shapes of sparse arrays are not shown, for the same reason.
MOST_AXES = 2
LARGEST_SIZE = 10_000
MOST_LISTED = 10_000
"""Of an array where a list is expected, no more items are made."""
NUMERIC = frozenset({np.ndarray, Tensor, Masked, bool, float})
"""Types of values that have no other kinds within them; whole numbers may be too large for a dtype."""
# Whole numbers between them fit into a dtype.
LEAST_INTEGER = -(2**63)
LARGEST_INTEGER = 2**64 - 1
INDEX = "index"
STEPS = "steps"
VOWELS = ("A", "E", "I", "O", "U")
RESULT = "result"
"""How an answer without a name of its own is called."""


@dataclass(frozen=True)
class Structure:
    """A value that is not a number or an array.

    Attributes:
        kind: what is compared first, such as "a dictionary", in English whatever language is spoken.
        name: how a value that came back is called, such as "a dictionary of 3".
        header: texts that must be the same: keys, columns, items of a set, lines.
        noun: what one text of the header is.
        children: the values within it, by their names in sentences, such as "item 2".
        child_of: the sentence that names a child of this value.
        keys: of a child whose name says a key or a column, which may come from a hidden input, the key.
        unnamed: the sentence that stands for a child whose key must not be said.
        is_named_alone: the names of the children say all; they are not those "of the result".
        title: how a value of this kind is called where it is expected; blank where the kind says it.
    """

    kind: str
    name: str
    header: tuple[str, ...] = ()
    noun: str = ""
    children: Mapping[str, Any] = field(default_factory=dict)
    child_of: str = "the {child} of {title}"
    keys: Mapping[str, str] = field(default_factory=dict)
    unnamed: str = ""
    is_named_alone: bool = False
    title: str = ""

    @property
    def expected_as(self) -> str:
        """How a value of this kind is called where it is expected: its size is not said."""
        return self.title or say(self.kind)

    def title_of(
        self, child: str, title: str, known_names: Sequence[str] | None
    ) -> str:
        """Name a child in a sentence.

        Args:
            child: its name.
            title: the name of this value.
            known_names: the keys that may be said; None where all may be said.
        """
        if self.is_named_alone:
            return child
        if known_names is not None and child in self.keys:
            if self.keys[child] not in known_names:
                return say(self.unnamed, title=title)
        return say(self.child_of, child=child, title=title)

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


def structure_of(value: Any) -> Structure | None:
    """Return a value's kind, header and children; None for arrays, numbers and unsendable objects."""
    if value is None:
        return _of_nothing()
    if isinstance(value, str):
        name = say("a text of {count}", count=_count(value, "character"))
        lines = tuple(value.split("\n"))
        return Structure("a text", name, header=lines, noun="line")
    if is_huge(value):
        digits = str(value)
        name = say("a very large whole number")
        return Structure("a whole number", name, header=(digits,))
    if isinstance(value, dict):
        return _of_dictionary(value)
    if isinstance(value, SEQUENCES):
        name = say(
            "a {type} of {count}", type=type(value).__name__, count=_count(value)
        )
        item = say("item")
        children = {f"{item} {place}": child for place, child in enumerate(value)}
        return Structure(
            "a list", name, children=children, child_of="{child} of {title}"
        )
    if isinstance(value, Composite):
        structure_of_parts: Callable[..., Structure | None] | None = OF_COMPOSITES.get(
            value.kind
        )
        if structure_of_parts is not None:
            return structure_of_parts(**value.parts)
    return None


def structure_like(value: Any, right: Structure) -> Structure | None:
    """Take an answer apart; an array or a tensor counts as a list of its rows where a list is expected."""
    if right.kind == "a list":
        array = value
        if isinstance(value, Tensor | Masked):
            array = value.array
        if isinstance(array, np.ndarray) and array.ndim > 0:
            if len(array) <= max(MOST_LISTED, len(right.children)):
                value = rows_of(array)
    return structure_of(value)


def rows_of(array: Array) -> list[Array]:
    """Return the rows of an array; the numbers of a single axis are arrays without axes, of the same dtype."""
    return [np.asarray(row) for row in array]


def is_alike(answer: Structure, right: Structure) -> bool:
    """Return whether two values have the same kind and header, and children of the same names."""
    return (
        answer.kind == right.kind
        and answer.header == right.header
        and answer.children.keys() == right.children.keys()
    )


def header_difference(answer: Structure, right: Structure, title: str) -> str:
    """Say how the headers of two values of one kind differ, without showing the expected one."""
    if right.kind == "a text":
        text = "\n".join(answer.header)
        right_text = "\n".join(right.header)
        difference = text_difference(text, right_text)
        return say("{title} {difference}.", title=title, difference=difference)
    if right.kind == "a list":
        return say(
            "{title} has {count}; expected {expected_count}.",
            title=title,
            count=_count(answer.children, "item"),
            expected_count=_count(right.children, "item"),
        )
    if right.noun == "shape":
        return say("The shape of {title} is not the expected one.", title=title)
    if not right.noun:
        return say("{title} is another one than expected.", title=title)
    missing = set(right.header).difference(answer.header)
    extra = set(answer.header).difference(right.header)
    facts = []
    if missing:
        facts.append(
            say(
                "{count} of {total} {verb} missing",
                count=len(missing),
                total=_count(right.header, right.noun),
                verb=_verb(missing),
            )
        )
    if extra:
        facts.append(
            say(
                "{count} of {total} {verb} not expected",
                count=len(extra),
                total=_count(answer.header, right.noun),
                verb=_verb(extra),
            )
        )
    if facts:
        differences = f" {say('and')} ".join(facts)
        return f"{title}: {differences}."
    return say("{title}: its columns are right, but in another order.", title=title)


def text_difference(text: str, right: str) -> str:
    """Say where a text differs first from the right one, as the end of a sentence about it."""
    if text.split() == right.split():
        return say("is right except for blanks and line ends")
    if text.casefold() == right.casefold():
        return say("is right except for upper and lower case")
    line, column = first_difference(text, right)
    if "\n" in text or "\n" in right:
        return say(
            "differs from character {character} of line {line} on",
            character=column + 1,
            line=line + 1,
        )
    return say("differs from character {character} on", character=column + 1)


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


COUNTS = {
    "": ("{count}", "{count}", "very many"),
    "character": ("{count} character", "{count} characters", "very many characters"),
    "column": ("{count} column", "{count} columns", "very many columns"),
    "item": ("{count} item", "{count} items", "very many items"),
    "key": ("{count} key", "{count} keys", "very many keys"),
    "row": ("{count} row", "{count} rows", "very many rows"),
}
"""How one, several and very many are counted, by what they are."""


def _count(items: Any, noun: str = "") -> str:
    """Return how many items there are, unless there are very many."""
    one, several, very_many = COUNTS[noun]
    number = len(items)
    if number > MOST_COUNTED:
        return say(very_many)
    return say(one if number == 1 else several, count=number)


def _verb(items: set[str]) -> str:
    return say("is" if len(items) == 1 else "are")


# One function for each kind


def _of_dictionary(value: dict[str, Any]) -> Structure:
    sent_keys = tuple(value)
    if isinstance(value, Keyed):
        sent_keys = value.sent
    header = []
    children = {}
    keys = {}
    for key, child in zip(sent_keys, value.values(), strict=True):
        text = _key(key)
        name = say("value of key {key}", key=text)
        header.append(text)
        children[name] = child
        keys[name] = _word(key)
    return Structure(
        kind="a dictionary",
        name=say("a dictionary of {count}", count=_count(value)),
        header=tuple(sorted(header)),
        noun="key",
        children=children,
        keys=keys,
        unnamed="one of the values of {title}",
    )


def _key(key: Any) -> str:
    """Return a key as Python writes it; keys that are equal to Python are one text."""
    if isinstance(key, str):
        return repr(key)
    if isinstance(key, np.ndarray) and key.ndim == 0:
        key = key.item()
    return canonical(key)


def _word(key: Any) -> str:
    """Return a key as homework.toml would name it, without the quotes of a text."""
    return key if isinstance(key, str) else _key(key)


def _of_set(items: list[Any]) -> Structure:
    name = say("a set of {count}", count=_count(items))
    texts = sorted(map(canonical, items))
    return Structure("a set", name, header=tuple(texts), noun="item")


def _of_table(columns: list[Any], values: list[Any], index: Any) -> Structure:
    header = list(map(_key, columns))
    children: dict[str, Any] = {}
    keys: dict[str, str] = {}
    for column, numbers in zip(columns, values, strict=False):
        name = say("column {key}", key=_key(column))
        children_of_column = _children_of_column(name, numbers)
        children |= children_of_column
        keys |= dict.fromkeys(children_of_column, _word(column))
    children[say(INDEX)] = index
    return Structure(
        kind="a table",
        name=say(
            "a table of {rows} and {columns}",
            rows=_rows(index),
            columns=_count(header, "column"),
        ),
        header=tuple(header),
        noun="column",
        children=children,
        keys=keys,
        unnamed="one of the columns of {title}",
    )


def _of_series(values: Any, index: Any) -> Structure:
    children = _children_of_column(say("values"), values)
    children[say(INDEX)] = index
    name = say("a series of {rows}", rows=_rows(index))
    return Structure("a series", name, children=children)


def _rows(index: Any) -> str:
    """Return how many rows an index names; an array without axes is none."""
    is_array = isinstance(index, np.ndarray) and index.ndim > 0
    if is_array or isinstance(index, list):
        return _count(index, "row")
    return say("no rows")


def _children_of_column(name: str, column: Any) -> dict[str, Any]:
    """Return the numbers of a column, and where they are missing, which NaN says there."""
    if not isinstance(column, np.ndarray):
        return {name: column}
    if column.dtype.kind not in "fiu":
        return {name: column}
    missing = np.isnan(column)
    numbers = np.where(missing, 0, column)
    children = {}
    children[say("missing {column}", column=name)] = missing
    children[name] = numbers
    return children


def _of_sparse(shape: list[Any], places: Array, values: Array) -> Structure:
    sizes = ", ".join(map(canonical, shape))
    name = say("a sparse array")
    if _may_be_named(shape):
        name = say("a sparse array of shape ({sizes})", sizes=sizes)
    return Structure(
        "a sparse array",
        name,
        header=(sizes,),
        noun="shape",
        children={say("places of the entries"): places, say("entries"): values},
    )


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


def _of_nothing() -> Structure:
    return Structure("nothing (None)", say("nothing (None)"))


def _of_exception(name: str) -> Structure:
    if not is_builtin_exception(name):  # a submission may have chosen the word
        return Structure("an exception", say("an exception"))
    sentence = "a {name} to be raised"
    if name.startswith(VOWELS):
        sentence = "an {name} to be raised"
    title = say(sentence, name=name)
    return Structure(f"exception {name}", title, title=title)


def is_builtin_exception(name: str, base: str = "Exception") -> bool:
    """Return whether a name is that of one of Python's own exceptions, and of a subclass of the base."""
    classes = vars(builtins)
    builtin = classes.get(name)
    base_class = classes[base]
    return isinstance(builtin, type) and issubclass(builtin, base_class)


def _of_steps(names: list[Any], values: list[Any]) -> Structure:
    titles = map(str, names)
    children = dict(zip(titles, values, strict=False))
    name = say("an object, used step by step")
    return Structure(STEPS, name, children=children, is_named_alone=True, title=name)


OF_COMPOSITES: dict[str, Any] = {
    "set": _of_set,
    "objects": lambda dtype, items: structure_of(items),
    "table": _of_table,
    "series": _of_series,
    "sparse": _of_sparse,
    "nothing": _of_nothing,
    "exception": _of_exception,
    "steps": _of_steps,
}
"""For each kind of composite that may be an answer, what takes it apart, given its parts."""
