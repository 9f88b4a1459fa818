"""Compare one answer with its expected value.

The order is fixed: type and arity, shape, dtype kind, finite, values. Shapes must be equal, nothing is
broadcast, and only decoded arrays are touched, never a method that a student could have written.
"""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.judging.describe import describe_values
from autograder.judging.explanation_faults import explaining
from autograder.worker.wire import NUMERIC_KINDS, Array, Masked, Tensor, Unsendable

if TYPE_CHECKING:
    from autograder.judging.evidence import Judged

Names = Sequence[str]
FLOAT_LIKE_KINDS, REAL_KINDS = "fiu", "fiub"
KINDS = {"b": "booleans"}
NUMBERS_FOR_BOOLEANS = "numbers-for-booleans"
FAR_BELOW = -1e4
"""Scores to which so much is added have a weight of 0 after the softmax."""
MOST_PARTS = 10
"""The right array is looked for among this many parts of a returned tuple."""
MOST_ORDERED = 3
"""Of at most so many returned values every order is tried."""
MOST_AXES, MOST_ENTRIES, MOST_ITEMS = 5, 1 << 16, 100
"""Larger shapes and counts are not shown: a submission could smuggle its inputs out in them."""
UNSENDABLE_DTYPE = "an array of dtype "
UNSENDABLE_OBJECT = "an object of type "
SHOWN_TYPES = frozenset(
    {
        "bytes",
        "complex",
        "filter",
        "function",
        "generator",
        "map",
        "method",
        "module",
        "object",
        "range",
    }
    | {
        "Parameter",
        "Linear",
        "Softmax",
        "dict_values",
        "reversed",
        "set",
        "frozenset",
        "type",
        "zip",
    }
)
LOOP_ENDS = "does the `return` stand inside a loop, or does the loop end too early?"
SHOWN_AS_IT_IS = ("a value nested too deeply", "an integer too large to send")
SHOWN_DTYPES = {"<U": "str", "|S": "bytes", "<M": "datetime64", "<m": "timedelta64"}


class Kind(enum.StrEnum):
    """The stage at which an answer fell short, in the order of comparison."""

    NOT_DEFINED = "not_defined"
    NOT_WRITTEN = "not_written"
    RAISED = "raised"
    TIME_LIMIT = "time_limit"
    ARITY = "arity"
    SHAPE = "shape"
    DTYPE = "dtype"
    NOT_FINITE = "not_finite"
    VALUES = "values"
    MODIFIED = "modified"
    GRADIENT = "gradient"


@dataclass(frozen=True)
class Finding:
    """One shortcoming of one answer.

    ``student`` holds no expected value and no hidden input; ``staff`` adds what only teachers may see.
    ``cause`` is the part that is the same wherever this shortcoming shows, by default all of ``student``.
    ``judged`` is the case, and ``made`` are the edits of the solution, pairs among them, that answer alike.
    """

    kind: Kind
    student: str
    staff: str = ""
    misconceptions: tuple[str, ...] = ()
    cause: str = ""
    judged: Judged | None = field(default=None, compare=False, repr=False)
    made: tuple[tuple[str, ...], ...] = field(default=(), compare=False)


def compare_values(
    value: Any,
    expected: Any,
    tolerance: float,
    names: Names = (),
    only_booleans: bool = False,
) -> Finding | None:
    """Return what is wrong with a returned value, or None.

    Args:
        value: the decoded answer: arrays, ``Tensor``, numbers, lists and tuples of them, ``Unsendable``.
        expected: an array, or a tuple or list of arrays.
        tolerance: the largest allowed difference, relative to the larger of 1 and the expected magnitude.
        names: what the parts of an expected tuple are called, or the single returned array.
        only_booleans: where booleans are expected, 0 and 1 are not right.
    """
    if isinstance(expected, tuple | list):
        return _compare_parts(value, expected, tolerance, names, only_booleans)
    title = names[0] if names else "result"
    if title.isidentifier() or " " in title:
        title = f"the {title.replace('_', ' ')}"
    return _compare_array(value, expected, tolerance, title, only_booleans)


def deviation(value: Any, expected: Any) -> float:
    """Return how far a value is from the expected one, in the same measure as tolerances.

    It is infinite where the comparison stops before it looks at values. Entries that are infinite, and NaN
    in what a known mistake returns, must be the same in the value.
    """
    if isinstance(expected, tuple | list):
        parts = split(value, expected)
        return (
            math.inf
            if parts is None
            else max(map(deviation, parts, expected), default=0.0)
        )
    pair = of_one_shape(value, expected)
    if pair is None:
        return math.inf
    array, wanted = pair
    finite = np.isfinite(wanted)
    if not np.array_equal(
        array[~finite], wanted[~finite], equal_nan=wanted.dtype.kind == "f"
    ):
        return math.inf
    off = float(differences(array, wanted)[finite].max(initial=0.0))
    return math.inf if math.isnan(off) else off / allowed_difference(wanted, 1.0)


def of_one_shape(value: Any, expected: Any) -> tuple[Array, Array] | None:
    """Return both as arrays of what is expected; None where they are not such arrays of one shape."""
    wanted = as_entries(expected)
    array = None if wanted is None else as_answer(value, wanted)
    return (
        None
        if array is None or wanted is None or array.shape != wanted.shape
        else (array, wanted)
    )


def allowed_difference(expected: Array, tolerance: float) -> float:
    """The largest allowed absolute difference for one expected array."""
    finite = (
        expected[np.isfinite(expected)]
        if expected.dtype.kind == "f"
        else expected.astype(np.float64)
    )
    return tolerance * max(1.0, float(np.abs(finite).max(initial=0.0)))


def wrong_entries(array: Array, expected: Array, tolerance: float) -> Array:
    """Mark the entries of an array of the expected shape that are not right, NaN among them."""
    return ~np.asarray(
        differences(array, expected) <= allowed_difference(expected, tolerance)
    )


@np.errstate(all="ignore")  # a student's numbers may be as large as they like
def differences(array: Array, expected: Array) -> Array:
    """How far entries of arrays of one shape are apart; infinity is equal to itself, and NaN to nothing."""
    far = np.abs(array.astype(np.float64) - expected.astype(np.float64))
    return np.where(array == expected, 0.0, far)


def _compare_parts(
    value: Any,
    expected: Sequence[Any],
    tolerance: float,
    names: Names,
    only_booleans: bool,
) -> Finding | None:
    parts, count = split(value, expected), len(expected)
    if parts is None:
        wanted = (
            f"{count} values ({', '.join(names)})"
            if len(names) > 1
            else f"{count} items"
        )
        with explaining("what came back instead of several parts"):
            return _not_the_parts(value, expected, tolerance, names, wanted)
        return _finding(Kind.ARITY, f"Expected are {wanted}.")
    if len(names) != count:  # one name stands for a list of like items
        names = [f"{names[0] if names else 'item'} {i}" for i in range(count)]
    for part, one, name in zip(parts, expected, names, strict=True):
        finding = compare_values(part, one, tolerance, [name], only_booleans)
        if finding is None:
            continue
        with explaining("whether the parts are exchanged"):
            if count <= MOST_ORDERED and isinstance(expected, tuple):
                orders = itertools.permutations(parts)
                if any(deviation(order, expected) <= tolerance for order in orders):
                    number = "two" if count == 2 else "three"
                    order_of_names = f"return ({', '.join(names)})"
                    text = f"The {number} returned values are right but in the wrong order: {order_of_names}."
                    finding = _finding(
                        Kind.ARITY,
                        text,
                        "weights-context-swapped" if count == 2 else "",
                    )
        return finding
    return None


def _not_the_parts(
    value: Any, expected: Sequence[Any], tolerance: float, names: Names, wanted: str
) -> Finding:
    """Say what came back in place of several parts, or how many of them."""
    count, label = len(expected), "returns-nothing" if value is None else ""
    came = value if isinstance(value, tuple | list) and len(names) < 2 else ()
    if 0 < len(came) < count and max(map(deviation, came, expected)) <= tolerance:
        text = f"Only the first {len(came)} of {count} items came back, and right: {LOOP_ENDS}"
        return _finding(Kind.ARITY, text, "ends-early")
    text = f"It returned {kind_of(value)}; expected are {wanted}."
    array = as_array(value)
    # A part that is a tuple itself has no shape.
    shapes = [part.shape if isinstance(part, np.ndarray) else None for part in expected]
    if (
        array is not None
        and array.ndim > 0
        and len(names) == count
        and shapes.count(array.shape) == 1
    ):
        name = names[shapes.index(array.shape)]
        text += f" It has the shape of the {name}: return the others as well."
    return _finding(Kind.ARITY, text, label)


def split(value: Any, expected: Sequence[Any]) -> list[Any] | None:
    """Return the parts of a returned tuple or list; an array stacked from such parts has them as well."""
    if isinstance(value, tuple | list):
        return list(value) if len(value) == len(expected) else None
    array = _rectangular(value)
    if array is None or array.ndim == 0 or len(array) != len(expected):
        return None
    first = (
        as_entries(expected[0]) if isinstance(expected, tuple) and expected else None
    )
    is_output_alone = first is not None and array.ndim <= first.ndim
    return None if is_output_alone else list(array)


def _compare_array(
    value: Any, expected: Any, tolerance: float, title: str, only_booleans: bool
) -> Finding | None:
    """Look at type, shape, dtype kind, finiteness and values, and stop at the first that is wrong."""
    wanted = as_entries(expected)
    if wanted is None:  # our fault, which must not look like a failed check
        raise TypeError(
            f"the expected value of {title} is not an array of numbers or booleans"
        )
    array = _rectangular(value, room_for(wanted))
    # A tuple of arrays of one shape can be stacked, so an axis too many says that a tuple came back.
    if array is None or (isinstance(value, tuple | list) and array.ndim > wanted.ndim):
        with explaining(f"what came back for {title}"):
            return _not_an_array(value, wanted, tolerance, title)
        return _finding(Kind.ARITY, f"{title}: expected is an array.")
    are_booleans = wanted.dtype.kind == "b"
    if array.shape != wanted.shape:
        text = f"The shape of {title} is {shape_of(array)}; expected is {wanted.shape}."
        for axis in range(array.ndim - 1):
            first, second = array.shape[axis : axis + 2]
            joined = (*array.shape[:axis], first * second, *array.shape[axis + 2 :])
            if joined == wanted.shape and min(first, second) > 1:
                text += f" Of the two axes of {first} and {second}, one of {first * second} has to be made."
                break
        finding = _finding(Kind.SHAPE, text)
        with explaining(f"whether one row of {title} came back"):
            has_rows = wanted.ndim > 1 and len(wanted) > 1
            for place, part in (
                (("first", wanted[:1]), ("last", wanted[-1:])) if has_rows else ()
            ):
                if (
                    array.size == part.size
                    and deviation(array.reshape(part.shape), part) <= tolerance
                ):
                    overwrites = "does each turn of a loop overwrite the one before?"
                    look = LOOP_ENDS if place == "first" else overwrites
                    says = (
                        f"{text} What came back is the right {place} row alone: {look}"
                    )
                    return _finding(Kind.SHAPE, says, "one-row-alone")
    elif array.dtype.kind not in kinds_like(wanted):
        return _wrong_dtype(str(array.dtype), title, wanted)
    elif (
        are_booleans
        and (array < 0).any()
        and ((array == 0) | (array <= FAR_BELOW)).all()
    ):
        text = f"An additive mask came back for {title}, of 0 and very small numbers; expected are booleans"
        with explaining(f"whether {title} has its zeros in the right places"):
            if np.array_equal(array == 0, wanted):
                text += ": return `mask == 0`"
            elif np.array_equal(array != 0, wanted):
                text += ", and 0 stands where they are False"
            else:
                text += ", and 0 stands in other places than True should"
        return _finding(Kind.DTYPE, f"{text}.", "mask-additive")
    else:
        wrong = wrong_entries(array, wanted, tolerance)
        if isinstance(value, Masked) and wrong.any() and value.mask[wrong].all():
            masked = (
                f"{int(value.mask.sum())} of {array.size} entries of {title} are masked"
            )
            text = f"{masked}, and all others are right: fill them, as in `.filled(0)`."
            return _finding(Kind.VALUES, text, "masked-entries")
        bad = wrong & (np.isnan(array) | (np.isinf(array) & np.isfinite(wanted)))
        if bad.any():
            text = f"{int(bad.sum())} of {array.size} entries of {title} are NaN or infinite."
            return _finding(Kind.NOT_FINITE, text)
        if not wrong.any():
            if not (only_booleans and are_booleans) or array.dtype.kind == "b":
                return None
            text = f"The dtype of {title} is {array.dtype}; expected are booleans"
            text += ": compare, as in `mask == 1`, or use `.astype(bool)`."
            return _finding(Kind.DTYPE, text, NUMBERS_FOR_BOOLEANS)
        finding = _finding(
            Kind.VALUES,
            f"{int(wrong.sum())} of {wrong.size} numbers of {title} are wrong.",
        )
        with explaining(f"which numbers of {title} are wrong"):
            finding = _finding(
                Kind.VALUES, describe_values(array, wanted, wrong, title)
            )
    is_chance = (
        are_booleans and array.shape == wanted.shape
    )  # a small mask; see ``general.turned``
    with explaining(f"whether {title} is transposed"):
        if (
            array.ndim == 2
            and not is_chance
            and deviation(array.T, wanted) <= tolerance
        ):
            text = f"What came back for {title} is right but transposed: exchange rows and columns (`.T`)."
            return _finding(Kind.SHAPE, text, "returns-transposed")
    return finding


def _not_an_array(value: Any, expected: Array, tolerance: float, title: str) -> Finding:
    """Say what came back in place of one array."""
    if value is None:
        text = "It returned nothing (None): is a `return` missing? To `print` a result does not return it."
        return _finding(Kind.ARITY, text, "returns-nothing")
    items = value[:MOST_PARTS] if isinstance(value, tuple | list) else ()
    places = [
        place
        for place, item in enumerate(items)
        if of_one_shape(item, expected) is not None
    ]
    # Of several that may be meant none is named: to say which one is right would grade a list of guesses.
    if len(places) == 1 and deviation(items[places[0]], expected) <= tolerance:
        item = f"item {places[0]}" if len(value) <= MOST_ITEMS else "one item"
        text = f"The right array comes back as {item} of {kind_of(value)}: return the array alone."
        return _finding(
            Kind.ARITY, text, "returns-tuple" if len(value) == 1 else "returns-extra"
        )
    if len(places) > 1:
        text = f"{title}: {kind_of(value)} came back, in which more than one array may be meant"
        return _finding(
            Kind.ARITY,
            f"{text}; expected is one array: return the one that is asked for.",
            "returns-extra",
        )
    if isinstance(value, Unsendable) and value.description.startswith(UNSENDABLE_DTYPE):
        return _wrong_dtype(
            kind_of(value).removeprefix(UNSENDABLE_DTYPE), title, expected
        )
    held = itertools.islice(leaves(value), room_for(expected))
    if any(isinstance(leaf, int) and _of_numbers(leaf) is None for leaf in held):
        wanted = KINDS.get(expected.dtype.kind, "real numbers")
        text = f"{title}: a whole number too large for an array came back; expected are {wanted}."
        return _finding(Kind.DTYPE, text)
    return _finding(
        Kind.ARITY, f"{title}: {kind_of(value)} came back; expected is an array."
    )


def _wrong_dtype(dtype: str, title: str, expected: Array) -> Finding:
    wanted = KINDS.get(expected.dtype.kind, "real numbers")
    text = f"The dtype of {title} is {dtype}; expected are {wanted}."
    if dtype == "object":
        wanted = wanted.removeprefix("real ")
        text = f"{title}: an array of objects, not of {wanted}: do its rows have different lengths or types?"
    return _finding(Kind.DTYPE, text)


def _finding(kind: Kind, text: str, label: str = "") -> Finding:
    return Finding(
        kind, text[0].upper() + text[1:], misconceptions=(label,) if label else ()
    )


def kinds_like(expected: Array) -> str:
    """The kinds of dtypes that may be right: numbers may stand for booleans, and never the other way."""
    return FLOAT_LIKE_KINDS + "b" * (expected.dtype.kind == "b")


def as_answer(value: Any, expected: Array) -> Array | None:
    """Return the entries of an answer that may be right, or None where it is not an array of such ones."""
    array = as_entries(value, room_for(expected))
    return (
        array
        if array is not None and array.dtype.kind in kinds_like(expected)
        else None
    )


def as_array(value: Any, largest: int | None = None) -> Array | None:
    """Return the real numbers of a value as ``as_entries`` does; booleans are none of these."""
    array = as_entries(value, largest)
    return array if array is not None and array.dtype.kind in FLOAT_LIKE_KINDS else None


def as_entries(value: Any, largest: int | None = None) -> Array | None:
    """Return the real numbers or booleans of a value, or None where it is not a rectangular array of them.

    This is the one place where an answer becomes an array. Complex numbers are none of these,
    and neither are integers that fit no dtype, of which NumPy would make objects.

    Args:
        value: a decoded answer, whatever it is.
        largest: lists that hold more than this are not converted; see ``room_for``.
    """
    array = _rectangular(value, largest)
    return array if array is not None and array.dtype.kind in REAL_KINDS else None


def room_for(expected: Array) -> int:
    """How many numbers a list may hold to be converted: with more its shape is wrong, whatever they are."""
    return 4 * expected.size + 1000


def _rectangular(value: Any, largest: int | None = None) -> Array | None:
    """The value as an array of any dtype of fixed width."""
    if isinstance(value, np.ndarray | Tensor | Masked):
        array = value if isinstance(value, np.ndarray) else value.array
        return array if array.dtype.kind in NUMERIC_KINDS else None
    if isinstance(value, bool | int | float):
        return _of_numbers(value)
    if not isinstance(value, list | tuple) or not value:
        return None
    if largest is not None and holds_more(value, largest):
        return None
    if all(isinstance(item, bool | int | float) for item in value):
        return _of_numbers(value)
    rows = [_rectangular(item) for item in value]
    if all(row is not None and row.shape == rows[0].shape for row in rows):  # type: ignore[union-attr]
        return np.stack(rows)  # type: ignore[arg-type]
    return None


def _of_numbers(numbers: Any) -> Array | None:
    """A number or a list of them, unless an integer is so large that NumPy makes objects of them."""
    array = np.asarray(numbers)
    return array if array.dtype.kind in NUMERIC_KINDS else None


def holds_more(value: Any, largest: int) -> bool:
    """Whether nested lists hold more items than that, of which an empty list is one."""
    count, level = 0, [value]
    while level:
        lists = [one for one in level if isinstance(one, list | tuple) and one]
        count += len(level) - len(lists)
        if count + sum(map(len, lists)) > largest:
            return True
        level = [item for one in lists for item in one]
    return False


def leaves(value: Any) -> Iterator[Any]:
    """Yield what nested lists hold in the end; an empty list counts as an item."""
    if isinstance(value, list | tuple) and value:
        for item in value:
            yield from leaves(item)
    else:
        yield value


def kind_of(value: Any) -> str:
    """Name the kind of a returned value: "a tuple of 2", "an array of shape (3, 4)", "nothing (None)"."""
    if value is None:
        return "nothing (None)"
    if isinstance(
        value, Unsendable
    ):  # the worker's words, as far as they are on our lists
        said = value.description
        if said.startswith(UNSENDABLE_DTYPE):
            dtype = said.removeprefix(UNSENDABLE_DTYPE)
            is_shown = dtype in ("object", "complex64", "complex128")
            return f"{UNSENDABLE_DTYPE}{dtype if is_shown else SHOWN_DTYPES.get(dtype[:2], 'void')}"
        is_shown = (
            said in SHOWN_AS_IT_IS
            or said.removeprefix(UNSENDABLE_OBJECT) in SHOWN_TYPES
        )
        return said if is_shown else "a value that is not plain data"
    if isinstance(value, np.ndarray | Tensor | Masked):
        array = value if isinstance(value, np.ndarray) else value.array
        word = {Tensor: "a tensor", Masked: "a masked array"}.get(
            type(value), "an array"
        )
        dtype = (
            "" if array.dtype.kind in FLOAT_LIKE_KINDS else f" and dtype {array.dtype}"
        )
        return f"{word} of shape {shape_of(array)}{dtype}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value) if len(value) <= MOST_ITEMS else 'very many'}"
    return f"a value of type {type(value).__name__}"


def shape_of(array: Array) -> str:
    """Return a shape as text, unless it is too large to be shown."""
    entries = math.prod(size for size in array.shape if size)
    return (
        str(array.shape)
        if array.ndim <= MOST_AXES and entries <= MOST_ENTRIES
        else "far too large"
    )
