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
from collections.abc import Mapping
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeAlias

import numpy as np

Shape: TypeAlias = tuple[int, ...]
LIBRARIES = frozenset({"np", "numpy", "torch", "F"})
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
VIEWS = frozenset({"transpose", "permute", "swapaxes", "asarray"})
PRODUCTS = frozenset({"dot", "matmul", "mm", "bmm"})
LONGEST_SOURCE = 500
MOST_OPERANDS = 4
MOST_AXES = 8


def operands_at(place: TracebackType, first: TracebackType) -> list[dict[str, Any]]:
    """Describe the arrays that met in the expression that raised at a place.

    Each has a ``shape``, None where that is unknown, and the number of the ``argument`` that it is, or is a
    view of; None for what was computed. ``first`` is the place in the function that was called from outside,
    whose arguments are meant. Of an assignment to several names the array is what is unpacked. Nothing is
    returned for an expression that is not understood, such as a call of a function of the student's own.
    """
    frame = place.tb_frame
    described = []
    for part in _operands(place):
        shape = shape_of(part, frame)
        if (
            shape == ()
        ):  # numbers and texts, such as the axes of a transposition, are no operands
            continue
        described.append(
            {"shape": shape, "argument": _argument_of(part, frame, first.tb_frame)}
        )
    return described[:MOST_OPERANDS]


def _operands(place: TracebackType) -> list[ast.expr]:
    """Return the expressions that the failing operation takes."""
    code = place.tb_frame.f_code
    line, end, left, right = next(
        itertools.islice(code.co_positions(), place.tb_lasti // 2, None)
    )
    if line is None or end is None or left is None or right is None:
        return []
    if (
        dis.opname[code.co_code[place.tb_lasti]] == "UNPACK_SEQUENCE"
    ):  # only the names on the left are marked
        statement = _parsed(linecache.getline(code.co_filename, line).strip(), "exec")
        match statement:
            case (
                ast.Assign(value=ast.Attribute(value=array, attr="shape"))
                | ast.Assign(value=array)
            ):
                return [array]
        return []
    lines = [
        linecache.getline(code.co_filename, number).encode()
        for number in range(line, end + 1)
    ]
    lines[-1] = lines[-1][:right]
    lines[0] = lines[0][left:]
    source = b"".join(lines).decode(errors="replace")
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
            parts = []
            for argument in arguments:
                parts += (
                    argument.elts
                    if isinstance(argument, ast.List | ast.Tuple)
                    else [argument]
                )
            return parts
        case ast.Call(func=ast.Attribute(value=receiver), args=arguments):
            return [receiver, *arguments]
    return []


def _argument_of(node: ast.expr, frame: FrameType, called: FrameType) -> int | None:
    """Return which argument of the called function an expression is a view of, None for any other array."""
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
    value, code = _value(node.id, frame), called.f_code
    for number, name in enumerate(code.co_varnames[: code.co_argcount]):
        if name not in _rebound(code) and _is_view(value, called.f_locals.get(name)):
            return number
    return None


def _rebound(code: CodeType) -> set[str]:
    """The names that a function binds itself: a parameter among them may no longer be the argument."""
    names = set[str]()
    for instruction in dis.get_instructions(code):
        if instruction.opname.startswith(("STORE_FAST", "STORE_DEREF")):
            stored = instruction.argval
            names.update(stored if isinstance(stored, tuple) else [stored])
    return names


def _is_view(value: Any, argument: Any) -> bool:
    """Whether a value is an argument, or an array of NumPy that holds the argument's numbers."""
    if type(value) is np.ndarray and type(argument) is np.ndarray:
        return value is argument or (
            bool(value.size) and np.may_share_memory(value, argument)
        )
    return value is argument and shape_of_value(value) not in (None, ())


def _parsed(source: str, mode: str) -> ast.AST | None:
    """Parse the text of one expression or statement; None where it is none, or too long to be looked at."""
    if len(source) > LONGEST_SOURCE:
        return None
    try:
        tree = ast.parse(source, mode=mode)
    except SyntaxError:
        return None
    if isinstance(tree, ast.Expression):
        return tree.body
    return tree.body[0] if isinstance(tree, ast.Module) and tree.body else None


def shape_of(node: ast.AST, frame: FrameType) -> Shape | None:
    """Return the shape that an expression has in a frame, () for numbers and texts; None where unknown."""
    match node:
        case ast.Constant() | ast.Attribute(attr="inf" | "nan" | "pi"):
            return ()
        case ast.Name(id=name):
            return shape_of_value(_value(name, frame))
        case ast.UnaryOp(operand=operand):
            return shape_of(operand, frame)
        case ast.Attribute(value=value, attr="T"):
            shape = shape_of(value, frame)
            return None if shape is None else shape[::-1]
        case ast.Attribute(value=value, attr="mT"):
            return _exchanged(shape_of(value, frame), -1, -2)
        case ast.BinOp(left=left, op=operator, right=right):
            shapes = shape_of(left, frame), shape_of(right, frame)
            return (
                product(*shapes)
                if isinstance(operator, ast.MatMult)
                else _broadcast(*shapes)
            )
        case ast.Subscript(value=value, slice=index):
            return _indexed(shape_of(value, frame), index, frame)
        case ast.Call(
            func=ast.Attribute(value=receiver, attr=function),
            args=arguments,
            keywords=[],
        ):
            if isinstance(receiver, ast.Name) and receiver.id in LIBRARIES:
                return _called(function, arguments, frame)
            return _called(function, [receiver, *arguments], frame)
    return None


def _called(function: str, arguments: list[ast.expr], frame: FrameType) -> Shape | None:
    """The shape that a function of NumPy or torch returns; None for one that is not known here."""
    if not arguments:
        return None
    shape = shape_of(arguments[0], frame)
    if function in SAME_SHAPE:
        return shape
    if function in PRODUCTS and len(arguments) == 2:
        return product(shape, shape_of(arguments[1], frame))
    if function not in ("transpose", "permute", "swapaxes"):
        return None
    listed = arguments[1:]
    if len(listed) == 1 and isinstance(listed[0], ast.Tuple | ast.List):
        listed = listed[0].elts
    axes = [
        axis
        for axis in (_integer(argument, frame) for argument in listed)
        if axis is not None
    ]
    if not shape or len(axes) != len(listed):
        return None
    if not axes:
        return shape[::-1]
    if (
        len(axes) == 2 and function != "permute"
    ):  # NumPy's own transpose of two axes may only be (1, 0)
        return _exchanged(shape, *axes)
    if sorted(axis % len(shape) for axis in axes) != list(range(len(shape))):
        return None
    return tuple(shape[axis] for axis in axes)


def _integer(node: ast.AST | None, frame: FrameType) -> int | None:
    """Return the whole number that an expression of numbers and names is; None for any other."""
    match node:
        case ast.Constant(value=int(value)) if type(value) is int:
            return value
        case ast.Name(id=name):
            value = _value(name, frame)
            return value if type(value) is int else None
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            number = _integer(operand, frame)
            return None if number is None else -number
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as operator, right=right):
            first, second = _integer(left, frame), _integer(right, frame)
            if first is None or second is None:
                return None
            return first + second if isinstance(operator, ast.Add) else first - second
    return None


def _exchanged(shape: Shape | None, first: int, second: int) -> Shape | None:
    axes = len(shape) if shape is not None else 0
    if shape is None or not all(-axes <= axis < axes for axis in (first, second)):
        return None
    sizes = list(shape)
    sizes[first], sizes[second] = sizes[second], sizes[first]
    return tuple(sizes)


def _indexed(shape: Shape | None, index: ast.expr, frame: FrameType) -> Shape | None:
    """The shape of a selection by whole numbers, slices, ``None`` and names of these."""
    if shape is None:
        return None
    sizes, taken = list[int](), 0
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        if isinstance(part, ast.Constant) and part.value is None:
            sizes.append(1)
            continue
        if taken == len(shape):
            return None
        chosen = _slice(part, frame)
        if chosen is not None:
            sizes.append(len(range(*chosen.indices(shape[taken]))))
        elif _integer(part, frame) is None:
            return None
        taken += 1
    return (*sizes, *shape[taken:])


def _slice(node: ast.expr, frame: FrameType) -> slice | None:
    """Return the slice that an index is, or is the name of; None for one whose bounds are not known."""
    if isinstance(node, ast.Slice):
        bounds = [
            _integer(bound, frame) for bound in (node.lower, node.upper, node.step)
        ]
        are_known = all(
            bound is None or number is not None
            for bound, number in zip(
                (node.lower, node.upper, node.step), bounds, strict=True
            )
        )
        return slice(*bounds) if are_known and bounds[2] != 0 else None
    value = _value(node.id, frame) if isinstance(node, ast.Name) else None
    if type(value) is not slice:
        return None
    are_plain = all(
        type(bound) in (int, type(None))
        for bound in (value.start, value.stop, value.step)
    )
    return value if are_plain and value.step != 0 else None


def _value(name: str, frame: FrameType) -> Any:
    names: Mapping[str, Any] = (
        frame.f_locals if name in frame.f_locals else frame.f_globals
    )
    return names.get(name)


def shape_of_value(value: Any) -> Shape | None:
    """The shape of an array or a number; the type is looked at before anything of the value is."""
    if type(value) in (int, float, bool, str) or isinstance(value, np.generic):
        return ()
    torch = sys.modules.get("torch")
    tensors = (torch.Tensor, torch.nn.Parameter) if torch is not None else ()
    if type(value) not in (np.ndarray, *tensors):
        return None
    shape = tuple(map(int, value.shape))
    return shape if len(shape) <= MOST_AXES else None


def product(left: Shape | None, right: Shape | None) -> Shape | None:
    """Return the shape of a matrix product; None where the operands do not fit or are unknown."""
    if not left or not right:
        return None
    inner = right[-2] if len(right) > 1 else right[0]
    batch = _broadcast(left[:-2], right[:-2])
    if left[-1] != inner or batch is None:
        return None
    rows = left[-2:-1]
    columns = right[-1:] if len(right) > 1 else ()
    return (*batch, *rows, *columns)


def _broadcast(left: Shape | None, right: Shape | None) -> Shape | None:
    if left is None or right is None:
        return None
    sizes = []
    for pair in itertools.zip_longest(reversed(left), reversed(right), fillvalue=1):
        if 1 not in pair and pair[0] != pair[1]:
            return None
        sizes.append(max(pair) if 0 not in pair else 0)
    return tuple(reversed(sizes))
