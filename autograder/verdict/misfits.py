"""Misfits: exceptions about shapes, reduced to the operation that failed and the sizes that did not fit.

The messages of NumPy and torch differ between libraries and versions; ``X @ W``, ``np.dot(X, W)`` and an
``einsum`` of the same arrays are one misfit. Messages come from untrusted code: they are cut before they are
searched, and no pattern repeats a group that repeats.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from autograder.sandbox.report import Answers, Operand, StudentError

LONGEST = 600
"""So much of a message is searched; those of NumPy and torch say what they are about before."""
MOST_SHAPES = 4
"""So many shapes of a message are read."""
MOST_AXES = 8
"""So many axes of a shape are read."""
PRODUCT = "product"
BROADCAST = "broadcast"
RESHAPE = "reshape"
Shape: TypeAlias = tuple[int, ...]
Operands: TypeAlias = tuple[Operand, ...]


@dataclass(frozen=True)
class Misfit:
    """An operation whose arrays did not fit.

    Attributes:
        operation: its name, such as ``PRODUCT``.
        sizes: the sizes that its message names. Of a product these are the inner ones, of a sum or another
            operation by entries the two that differ.
        operands: its arrays, as far as they are known.
    """

    operation: str
    sizes: Shape = ()
    operands: Operands = ()

    @property
    def shapes(self) -> list[Shape | None]:
        """The shapes of the operands; None where one is not known."""
        return [operand.shape for operand in self.operands]

    def is_like(self, other: Misfit) -> bool:
        """Return whether both are of the same operation on the same arrays, as far as their shapes are known.

        At least one array's shape must be: two inner sizes are those of several products.
        """
        if (self.operation, self.sizes) != (other.operation, other.sizes):
            return False
        if len(self.operands) != len(other.operands):
            return False
        if self.operation != PRODUCT:
            if self.operation == BROADCAST and not self.operands:
                return False
            return all(map(_is_equal, self.operands, other.operands))
        if len(self.operands) != 2:
            return False
        is_some_shape_known = False
        operands = _folded(self.operands)
        other_operands = _folded(other.operands)
        for operand, other_operand in zip(operands, other_operands, strict=True):
            if operand.shape is None or other_operand.shape is None:
                continue
            is_some_shape_known = True
            if not _is_equal(operand, other_operand):
                return False
        return is_some_shape_known

    def has_shapes_of(self, other: Misfit) -> bool:
        """Return whether both are of one operation and sizes, and no shape that is known of both differs.

        Whether an array is an argument or was computed does not matter: a name may be bound again.
        """
        if (self.operation, self.sizes) != (other.operation, other.sizes):
            return False
        for shape, other_shape in zip(self.shapes, other.shapes, strict=False):
            if shape is None or other_shape is None:
                continue
            if shape != other_shape:
                return False
        return True

    def written(self) -> dict[str, Any]:
        """Return the misfit as an entry of a file; see ``read_misfit``."""
        return {
            "operation": self.operation,
            "sizes": list(self.sizes),
            "operands": [shape and list(shape) for shape in self.shapes],
            "arguments": [operand.argument for operand in self.operands],
        }


def _is_equal(operand: Operand, other: Operand) -> bool:
    """Return whether operands have one shape, and are both arguments or both computed.

    Which of several arguments of one shape does not matter: some compute queries first, others values.
    """
    if operand.shape != other.shape:
        return False
    return (operand.argument is None) == (other.argument is None)


def read_misfit(entry: Mapping[str, Any]) -> Misfit | None:
    """Read the misfit in an entry that ``Misfit.written`` returned; None where it has none."""
    if "operation" not in entry:
        return None
    operands = []
    for numbers, argument in zip(entry["operands"], entry["arguments"], strict=True):
        shape = None if numbers is None else tuple(numbers)
        operands.append(Operand(shape, argument))
    return Misfit(entry["operation"], tuple(entry["sizes"]), tuple(operands))


def misfits_of(answers: Answers) -> dict[str, Misfit]:
    """Return the misfits among answers, by the ids of their cases."""
    misfits = {}
    for case_id, answer in answers.items():
        if answer.error is None:
            continue
        misfit = misfit_of(answer.error)
        if misfit is not None:
            misfits[case_id] = misfit
    return misfits


def misfit_of(error: StudentError) -> Misfit | None:
    """Read the misfit from an exception's type and message; None where it is about anything else."""
    text = error.message[:LONGEST]
    for message in MESSAGES:
        if error.type != message.type:
            continue
        match = re.search(message.pattern, text)
        if match is not None:
            return message.read(match, error.operands)
    return None


def _folded(operands: Operands) -> Operands:
    """Return the operands of a product as torch names them: before a matrix, leading axes become one axis."""
    first, second = operands
    if first.shape is None or second.shape is None:
        return operands
    if len(first.shape) > 2 and len(second.shape) == 2:
        *leading, last = first.shape
        first = replace(first, shape=(math.prod(leading), last))
    return first, second


# How each message is read

Read: TypeAlias = Callable[[re.Match[str], Operands], Misfit]


@dataclass(frozen=True)
class Message:
    """A message of NumPy, torch or Python.

    Attributes:
        type: the name of the exception that carries it.
        pattern: a pattern that occurs in it.
        read: makes the misfit of the match and the operands that the worker saw.
    """

    type: str
    pattern: str
    read: Read


def _numbers(text: str) -> Shape:
    """Return the whole numbers in a text, of which ``newaxis`` counts as -1."""
    words = re.findall(r"-?\d{1,9}|newaxis", text)[:MOST_AXES]
    return tuple(int(word.replace("newaxis", "-1")) for word in words)


def _shapes(text: str) -> list[Shape]:
    """Return the shapes in a text, written in round or square brackets or as ``7x6``.

    The shape () of a number is left out.
    """
    written = re.findall(r"\([^()]{0,80}\)|\[[^\[\]]{0,80}\]|\d{1,9}x\d{1,9}", text)
    shapes = map(_numbers, written[: 2 * MOST_SHAPES])
    return list(filter(None, shapes))


def _with_shapes(operands: Operands, shapes: Sequence[Shape]) -> Operands:
    """Return the operands with the shapes that the message names.

    Each stays the argument that the worker saw there, unless it saw another number of operands.
    """
    if len(shapes) != len(operands):
        return tuple(map(Operand, shapes))
    pairs = zip(operands, shapes, strict=True)
    return tuple(replace(operand, shape=shape) for operand, shape in pairs)


def _product(match: re.Match[str], operands: Operands) -> Misfit:
    """Read a product: the message names the inner sizes, and all shapes or none."""
    parts = match.groupdict()
    if parts.get("shapes"):
        operands = _with_shapes(operands, _shapes(parts["shapes"]))
    sizes = (int(parts["first"]), int(parts["second"]))
    return Misfit(PRODUCT, sizes, operands[:2])


def _product_of_matrices(match: re.Match[str], operands: Operands) -> Misfit:
    """Read a product of torch, which names both matrices."""
    first, second = _shapes(match["shapes"])
    operands = _with_shapes(operands, (first, second))
    return Misfit(PRODUCT, (first[-1], second[0]), operands)


def _product_of_batches(match: re.Match[str], operands: Operands) -> Misfit:
    """Read a product of torch in two batches, whose shapes are named without the last axes."""
    expected, other = _shapes(match["shapes"])
    sizes = (expected[-1], other[-1])
    return Misfit(PRODUCT, sizes, operands[:2])


def _remapped(match: re.Match[str], operands: Operands) -> Misfit:
    """Read a product by ``einsum``, or in batches that differ: each shape is named with its place in the result."""
    pairs = re.findall(r"\(([^()]{0,80})\)->\(([^()]{0,80})\)", match["shapes"])
    pairs = pairs[:MOST_SHAPES]
    if len(pairs) != 2:
        shapes = _shapes(match["shapes"])[:MOST_SHAPES]
        return Misfit("einsum", (), tuple(map(Operand, shapes)))
    (first, first_axes), (second, second_axes) = pairs
    sizes = _last_difference(_numbers(first_axes), _numbers(second_axes))
    operands = _with_shapes(operands, (_numbers(first), _numbers(second)))
    return Misfit(PRODUCT, sizes, operands)


def _broadcast(match: re.Match[str], operands: Operands) -> Misfit:
    """Read an operation by entries: neither the order of operands nor a repeated shape matters."""
    shapes = _shapes(match["shapes"])[:MOST_SHAPES]
    different_shapes = list(dict.fromkeys(shapes))
    return _of_entries(_with_shapes(operands, different_shapes))


def _broadcast_of_tensors(match: re.Match[str], operands: Operands) -> Misfit:
    """Read an operation of torch by entries: the message names no shapes."""
    are_shapes_known = all(operand.shape is not None for operand in operands)
    if len(operands) > 1 and are_shapes_known:
        return _of_entries(operands)
    return Misfit(BROADCAST, tuple(sorted(_numbers(match["sizes"]))))


def _of_entries(operands: Operands) -> Misfit:
    """Return the misfit of an operation by entries, with the operands in a fixed order."""

    def order(operand: Operand) -> tuple[Shape, bool]:
        return operand.shape or (), operand.argument is None

    in_order = tuple(sorted(operands, key=order))
    for first, second in itertools.combinations(in_order, 2):
        difference = _last_difference(first.shape or (), second.shape or ())
        if difference:
            return Misfit(BROADCAST, tuple(sorted(difference)), in_order)
    return Misfit(BROADCAST, (), in_order)


def _last_difference(first: Shape, second: Shape) -> Shape:
    """Return the sizes of the last axis in which two shapes differ and do not broadcast; () where they do."""
    for size, other_size in zip(reversed(first), reversed(second), strict=False):
        does_broadcast = size in (1, -1) or other_size in (1, -1)
        if size != other_size and not does_broadcast:
            return size, other_size
    return ()


def _plain(operation: str, keep: int = 1) -> Read:
    """Return how to read a message whose numbers are the sizes; so many known operands are kept."""

    def read(match: re.Match[str], operands: Operands) -> Misfit:
        sizes: list[int] = []
        for text in match.groups():
            sizes += _numbers(text or "")
        return Misfit(operation, tuple(sizes), operands[:keep])

    return read


def _reshape_of_tensor(match: re.Match[str], operands: Operands) -> Misfit:
    """Read a reshape of torch, which names the shape before the size; NumPy names it after the size."""
    sizes = (int(match["size"]), *_numbers(match["shape"]))
    return Misfit(RESHAPE, sizes, operands[:1])


def _dimension_out_of_range(match: re.Match[str], operands: Operands) -> Misfit:
    """Read a message of torch that names the axes from -n to n - 1, and then the one that was asked for."""
    axis = int(match["axis"])
    number_of_axes = int(match["last"]) + 1
    return Misfit("axis", (axis, number_of_axes), operands[:1])


VALUE = "ValueError"
INDEX = "IndexError"
AXIS = "AxisError"
RUNTIME = "RuntimeError"
SHAPE = r"[(\[][\d, newaxis-]{0,80}[)\]]"
MESSAGES: tuple[Message, ...] = (
    # Products: NumPy's @, np.dot and np.inner, then those of torch, then einsum in both
    Message(
        VALUE,
        r"core dimension \d.{0,80}\(size (?P<second>\d{1,9}) is different from (?P<first>\d{1,9})\)",
        _product,
    ),
    Message(
        VALUE,
        rf"^shapes (?P<shapes>{SHAPE} and {SHAPE}) not aligned: "
        r"(?P<first>\d{1,9}) \(dim \d\) != (?P<second>\d{1,9}) ",
        _product,
    ),
    Message(
        RUNTIME,
        r"shapes cannot be multiplied \((?P<shapes>\d{1,9}x\d{1,9} and \d{1,9}x\d{1,9})\)",
        _product_of_matrices,
    ),
    Message(
        RUNTIME,
        r"size mismatch, got input \(\d{1,9}\), mat \(\d{1,9}x(?P<first>\d{1,9})\), "
        r"vec \((?P<second>\d{1,9})\)",
        _product,
    ),
    Message(
        RUNTIME,
        r"expected tensor \[(?P<first>\d{1,9})\] and src \[(?P<second>\d{1,9})\] to have the same number",
        _product,
    ),
    Message(
        RUNTIME,
        rf"first two dimensions of batch2 tensor to be: (?P<shapes>{SHAPE} but got: {SHAPE})",
        _product_of_batches,
    ),
    Message(
        RUNTIME,
        r"has size (?P<second>\d{1,9}) for operand 1 which .{0,60} seen size (?P<first>\d{1,9})",
        _product,
    ),
    Message(
        VALUE,
        r"remapped shapes \[original->remapped\]: (?P<shapes>.{0,400})",
        _remapped,
    ),
    # Operations by entries, and assignments
    Message(
        VALUE,
        r"^operands could not be broadcast together with shapes (?P<shapes>.{0,400})",
        _broadcast,
    ),
    Message(
        RUNTIME,
        r"tensor a (?P<sizes>\(\d{1,9}\) must match the size of tensor b \(\d{1,9}\))",
        _broadcast_of_tensors,
    ),
    Message(
        VALUE,
        rf"output operand with shape ({SHAPE}) doesn't match the broadcast shape ({SHAPE})",
        _plain("in place", 0),
    ),
    Message(
        VALUE,
        rf"could not broadcast input array from shape ({SHAPE}) into shape ({SHAPE})",
        _plain("assignment", 0),
    ),
    Message(
        VALUE,
        rf"value array of shape ({SHAPE}) could not be broadcast to indexing result of shape ({SHAPE})",
        _plain("assignment", 0),
    ),
    Message(
        VALUE,
        r"boolean array indexing assignment cannot assign (\d{1,9}) input values to the (\d{1,9}) output",
        _plain("assignment", 0),
    ),
    Message(
        RUNTIME,
        rf"Target sizes: ({SHAPE})\.  Tensor sizes: ({SHAPE})",
        _plain("assignment", 0),
    ),
    # Axes and indices
    Message(
        VALUE,
        rf"cannot reshape array of size (\d{{1,9}}) into shape ({SHAPE})",
        _plain(RESHAPE),
    ),
    Message(
        RUNTIME,
        rf"^shape '(?P<shape>{SHAPE})' is invalid for input of size (?P<size>\d{{1,9}})",
        _reshape_of_tensor,
    ),
    Message(VALUE, r"axes don't match array", _plain("transpose")),
    Message(
        RUNTIME, r"length of the desired ordering of dimensions", _plain("transpose")
    ),
    Message(
        AXIS,
        r"axis (-?\d{1,9}) is out of bounds for array of dimension (\d)",
        _plain("axis"),
    ),
    Message(
        INDEX,
        r"expected to be in range of \[-\d, (?P<last>\d)\], but got (?P<axis>-?\d{1,9})",
        _dimension_out_of_range,
    ),
    Message(
        INDEX,
        r"array is (\d)-dimensional, but (\d{1,9}) were indexed",
        _plain("too many indices"),
    ),
    Message(
        INDEX,
        r"too many indices for tensor of dimension (\d)",
        _plain("too many indices"),
    ),
    Message(
        INDEX,
        r"index (-?\d{1,9}) is out of bounds for (?:axis|dimension) (\d) with size (\d{1,9})",
        _plain("index"),
    ),
    Message(  # before NumPy 2, and since
        INDEX,
        r"boolean index did not match .{0,30} along (?:axis|dimension) (\d); (?:size of axis|dimension) is "
        r"(\d{1,9}) but .{0,20}corresponding boolean (?:axis|dimension) is (\d{1,9})",
        _plain("boolean index"),
    ),
    Message(
        INDEX,
        rf"shape of the mask ({SHAPE}) at index \d does not match the shape of the indexed tensor ({SHAPE})",
        _plain("boolean index", 0),
    ),
    Message(
        INDEX,
        r"indexing arrays could not be broadcast together with shapes (.{0,200})",
        _plain("indices", 0),
    ),
    # Unpacking and joining; since Python 3.14 the first message names both numbers, as the second always did
    Message(
        VALUE,
        r"too many values to unpack \(expected (\d{1,9})",
        _plain("too many to unpack"),
    ),
    Message(
        VALUE,
        r"not enough values to unpack \(expected (\d{1,9})",
        _plain("too few to unpack"),
    ),
    Message(
        VALUE,
        r"along dimension (\d), the array at index \d{1,9} has size (\d{1,9}) "
        r"and the array at index \d{1,9} has size (\d{1,9})",
        _plain("join", 2),
    ),
    Message(
        VALUE,
        r"the array at index \d{1,9} has (\d) dimension\(s\) and the array at index \d{1,9} has (\d)",
        _plain("join", 2),
    ),
    Message(VALUE, r"all input arrays must have the same shape", _plain("join", 2)),
    Message(
        RUNTIME,
        r"must match except in dimension \d\. Expected size (\d{1,9}) but got size (\d{1,9})",
        _plain("join", 2),
    ),
    Message(
        RUNTIME,
        rf"to be equal size, but got ({SHAPE}) at entry \d{{1,9}} and ({SHAPE}) at entry",
        _plain("join", 0),
    ),
    # Weights that the grader looks for in a student's layers
    Message(
        "MissingParameter",
        rf"^no parameter for `[\w.]{{1,80}}` of shape ({SHAPE})",
        _plain("parameter", 0),
    ),
)
