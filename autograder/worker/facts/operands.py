"""The shapes of the operands of an expression that raised, worked out from its source.

NumPy's own message about ``X @ W`` names only the two sizes that differ. Which arrays met is read from the
expression: the names in it are looked up in the frame where it failed, and for ``.T``, transposing methods,
products and sums the shape follows from the shapes of the parts. Nothing of the submission is run again.
"""

from __future__ import annotations

import ast
import dis
import itertools
import linecache
import sys
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, TypeAlias

import numpy as np

from autograder.worker.facts.near_names import bindings_in
from autograder.worker.wire import MAX_EXTENT, Shape

Position: TypeAlias = tuple[int | None, int | None, int | None, int | None]
LIBRARIES = frozenset({"np", "numpy", "torch", "F"})
"""Names by which students call NumPy and torch."""
SAME_SHAPE = frozenset(
    {
        "exp",
        "log",
        "sqrt",
        "tanh",
        "abs",
        "copy",
        "clone",
        "float",
        "double",
        "asarray",
        "array",
    }
)
TRANSPOSING = frozenset({"transpose", "permute", "swapaxes"})
VIEWS = TRANSPOSING | {"asarray"}
PRODUCTS = frozenset({"dot", "matmul", "mm", "bmm"})
LONGEST_SOURCE = 500
MOST_OPERANDS = 4
MOST_AXES = 8


def operands_at(place: TracebackType, first: TracebackType) -> list[dict[str, Any]]:
    """Describe the arrays that met in an expression that raised.

    Args:
        place: the place of the expression.
        first: the place in the function that was called from outside, whose arguments are meant below.

    Returns:
        For each array its ``shape``, None if unknown, and the number of the ``argument`` that it is, or is a
        view of; None for a computed array. If an assignment to several names failed, the array is the one that
        is unpacked. Empty for an expression that is not understood, such as a call of the student's own
        function.
    """
    frame = place.tb_frame
    descriptions = []
    for operand in _operands(place):
        shape = shape_of(operand, frame)
        # Numbers and texts, such as the axes of a transposition, are not operands.
        if shape == ():
            continue
        argument = _argument_of(operand, frame, first.tb_frame)
        descriptions.append({"shape": shape, "argument": argument})
    return descriptions[:MOST_OPERANDS]


def shape_of(node: ast.AST, frame: FrameType) -> Shape | None:
    """Return the shape that an expression has in a frame: () for numbers and texts, None if unknown."""
    match node:
        case ast.Constant() | ast.Attribute(attr="inf" | "nan" | "pi"):
            return ()
        case ast.Name(id=name):
            return shape_of_value(_value(name, frame))
        case ast.UnaryOp(operand=operand):
            return shape_of(operand, frame)
        case ast.Attribute(value=value, attr="T"):
            return _changed(shape_of(value, frame), np.transpose)
        case ast.Attribute(value=value, attr="mT"):
            shape = shape_of(value, frame)
            return _changed(shape, lambda array: array.swapaxes(-1, -2))
        case ast.BinOp(left=first, op=operator, right=second):
            first_shape = shape_of(first, frame)
            second_shape = shape_of(second, frame)
            if isinstance(operator, ast.MatMult):
                return product(first_shape, second_shape)
            return broadcast_shape(first_shape, second_shape)
        case ast.Subscript(value=value, slice=index):
            shape = shape_of(value, frame)
            return _shape_of_selection(shape, index, frame)
        case ast.Call(
            func=ast.Attribute(value=receiver, attr=function),
            args=arguments,
            keywords=[],
        ):
            # np.transpose(Q) and Q.transpose() are the same call.
            if not (isinstance(receiver, ast.Name) and receiver.id in LIBRARIES):
                arguments = [receiver, *arguments]
            return _shape_of_call(function, arguments, frame)
    return None


def shape_of_value(value: Any) -> Shape | None:
    """Return the shape of an array, () for a number or text; None for any other value, and for a huge array.

    The type is compared before anything of the value is used: a student's object may do anything.
    """
    if type(value) in (int, float, bool, str) or isinstance(value, np.generic):
        return ()
    array_types: tuple[type, ...] = (np.ndarray,)
    torch = sys.modules.get("torch")
    if torch is not None:
        array_types = (np.ndarray, torch.Tensor, torch.nn.Parameter)
    if type(value) not in array_types:
        return None
    shape = tuple(map(int, value.shape))
    # `expand` makes an axis of any length. The grader takes a report with a longer one for forged.
    if len(shape) > MOST_AXES or max(shape, default=0) > MAX_EXTENT:
        return None
    return shape


def product(first: Shape | None, second: Shape | None) -> Shape | None:
    """Return the shape of a matrix product; None if the operands do not fit or are unknown."""
    if not first or not second:
        return None
    batch = broadcast_shape(first[:-2], second[:-2])
    rows = first[-2:-1]
    if len(second) > 1:
        inner = second[-2]
        columns = second[-1:]
    else:
        inner = second[0]
        columns = ()
    if first[-1] != inner or batch is None:
        return None
    return (*batch, *rows, *columns)


def position_of(place: TracebackType) -> Position:
    """Return where the failing instruction stands in its source: the first and last line, the bytes in them."""
    positions = place.tb_frame.f_code.co_positions()
    instruction = place.tb_lasti // 2  # an instruction has two bytes
    return next(itertools.islice(positions, instruction, None))


def _operands(place: TracebackType) -> list[ast.expr]:
    """Return the expressions that the failing operation takes."""
    code = place.tb_frame.f_code
    start_line, end_line, start_byte, end_byte = position_of(place)
    if start_line is None or end_line is None or start_byte is None or end_byte is None:
        return []
    if dis.opname[code.co_code[place.tb_lasti]] == "UNPACK_SEQUENCE":
        # Only the names on the left are marked, so the whole statement is read.
        line = linecache.getline(code.co_filename, start_line).strip()
        match _parsed(line, "exec"):
            case (
                ast.Assign(value=ast.Attribute(value=array, attr="shape"))
                | ast.Assign(value=array)
            ):
                return [array]
        return []

    lines = []
    for number in range(start_line, end_line + 1):
        lines.append(linecache.getline(code.co_filename, number).encode())
    # The end first: both may be of the same line.
    lines[-1] = lines[-1][:end_byte]
    lines[0] = lines[0][start_byte:]
    source = b"".join(lines).decode(errors="replace")
    # An expression of several lines needs parentheses; `x += y` is a statement.
    match _parsed(f"({source})", "eval") or _parsed(source, "exec"):
        case (
            ast.BinOp(left=first, right=second)
            | ast.AugAssign(target=first, value=second)
        ):
            return [first, second]
        case ast.Subscript(value=value):
            return [value]
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=library)), args=arguments
        ) if library in LIBRARIES:
            operands = []
            for argument in arguments:
                # np.concatenate takes a list of arrays.
                if isinstance(argument, ast.List | ast.Tuple):
                    operands += argument.elts
                else:
                    operands.append(argument)
            return operands
        case ast.Call(func=ast.Attribute(value=receiver), args=arguments):
            return [receiver, *arguments]
    return []


def _parsed(source: str, mode: str) -> ast.AST | None:
    """Parse the text of one expression or statement; None if it is neither, or too long to look at."""
    if len(source) > LONGEST_SOURCE:
        return None
    try:
        tree = ast.parse(source, mode=mode)
    except SyntaxError:
        return None
    if isinstance(tree, ast.Expression):
        return tree.body
    if isinstance(tree, ast.Module) and tree.body:
        return tree.body[0]
    return None


# Which argument an operand is


def _argument_of(node: ast.expr, frame: FrameType, called: FrameType) -> int | None:
    """Return the number of the called function's argument that an expression is a view of, or None."""
    # Find the name of the array that the expression is a view of.
    while not isinstance(node, ast.Name):
        match node:
            case (
                ast.Attribute(value=value, attr="T" | "mT") | ast.Subscript(value=value)
            ):
                node = value
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=library), attr=function),
                args=[first, *_],
            ) if library in LIBRARIES and function in VIEWS:
                node = first
            case ast.Call(func=ast.Attribute(value=receiver, attr=function)) if (
                function in VIEWS
            ):
                node = receiver
            case _:
                return None

    # Compare its value with each parameter that still holds its argument.
    value = _value(node.id, frame)
    code = called.f_code
    parameters = code.co_varnames[: code.co_argcount]
    for number, name in enumerate(parameters):
        if name in bindings_in(code):  # it may have another value by now
            continue
        argument = called.f_locals.get(name)
        if _is_view(value, argument):
            return number
    return None


def _is_view(value: Any, argument: Any) -> bool:
    """Return whether a value is an argument, or an array of NumPy that holds the argument's numbers."""
    if type(value) is np.ndarray and type(argument) is np.ndarray:
        if value is argument:
            return True
        return bool(value.size) and np.may_share_memory(value, argument)
    return value is argument and shape_of_value(value) not in (None, ())


# Shapes of expressions


def _shape_of_call(
    function: str, arguments: list[ast.expr], frame: FrameType
) -> Shape | None:
    """Return the shape that a function of NumPy or torch returns; None for an unknown function."""
    if not arguments:
        return None
    shape = shape_of(arguments[0], frame)
    if function in SAME_SHAPE:
        return shape
    if function in PRODUCTS and len(arguments) == 2:
        return product(shape, shape_of(arguments[1], frame))
    if function not in TRANSPOSING:
        return None

    # The axes are listed one by one, or as a tuple.
    axis_nodes = arguments[1:]
    if len(axis_nodes) == 1 and isinstance(axis_nodes[0], ast.Tuple | ast.List):
        axis_nodes = axis_nodes[0].elts

    def transposed(array: Any) -> Any:
        axes = [_index(node, frame) for node in axis_nodes]
        if not axes:
            return array.T
        # Torch's transpose takes two axes. NumPy's takes all, and of two axes it can only exchange both.
        if len(axes) == 2 and function != "permute":
            return array.swapaxes(*axes)
        return array.transpose(axes)

    return _changed(shape or None, transposed)


def _shape_of_selection(
    shape: Shape | None, index: ast.expr, frame: FrameType
) -> Shape | None:
    """Return the shape of a selection by whole numbers, slices, ``None`` and names of these."""
    parts = [index]
    if isinstance(index, ast.Tuple):
        parts = index.elts

    def selected(array: Any) -> Any:
        return array[tuple(_index(part, frame) for part in parts)]

    return _changed(shape, selected)


def _changed(shape: Shape | None, change: Callable[[Any], Any]) -> Shape | None:
    """Return the shape of an array after a change; None if it is unknown, or the change does not fit it."""
    if shape is None:
        return None
    try:
        # This array holds one number, however large its shape is.
        changed_shape: Shape = change(np.broadcast_to(0.0, shape)).shape
    except (ValueError, IndexError, TypeError):
        return None
    return changed_shape


def broadcast_shape(left: Shape | None, right: Shape | None) -> Shape | None:
    """Return the shape of two operands that are broadcast; None if they do not fit or are unknown."""
    if left is None or right is None:
        return None
    try:
        return np.broadcast_shapes(left, right)
    except ValueError:
        return None


# Values of names and indices


def _value(name: str, frame: FrameType) -> Any:
    if name in frame.f_locals:
        return frame.f_locals[name]
    return frame.f_globals.get(name)


def _index(node: ast.AST | None, frame: FrameType) -> Any:
    """Return the whole number, slice or None that an index is, or the bound of a slice.

    Raises:
        ValueError: it is anything else, or unknown.
        TypeError: it is calculated with slices.
    """
    match node:
        case None | ast.Constant(value=None):
            return None
        case ast.Constant(value=value):
            return _plain_index(value)
        case ast.Name(id=name):
            return _plain_index(_value(name, frame))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_index(operand, frame)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _index(left, frame) + _index(right, frame)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _index(left, frame) - _index(right, frame)
        case ast.Slice():
            bounds = (node.lower, node.upper, node.step)
            return slice(*(_index(bound, frame) for bound in bounds))
    raise ValueError("not an index of numbers and names")


def _plain_index(value: Any) -> Any:
    """Return a whole number or a slice; a student's object could run code where it is used as an index."""
    if type(value) is int:
        return value
    if type(value) is slice:
        bounds = (value.start, value.stop, value.step)
        if all(type(bound) in (int, type(None)) for bound in bounds):
            return value
    raise ValueError("not an index")
