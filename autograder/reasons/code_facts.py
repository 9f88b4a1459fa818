"""What stands in a student's code, so that a question is asked only where it has something to look at."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.reasons.student_code import WrittenFunction
from autograder.reasons.vocabulary import name_of, subject_of

MASKS = re.compile(
    r"mask|allowed|forbidden|visible|hidden|^tri[ul]?$|^where$|^inf$", re.IGNORECASE
)
"""Names of a mask, and of what makes or uses one."""
AXIS = frozenset({"axis", "dim"})
"""Names of arguments that are axes."""
OF_AXES = frozenset(
    {"transpose", "permute", "swapaxes", "moveaxis", "unsqueeze", "size"}
)
"""Functions whose numbers are axes."""
OF_SIZES = frozenset(
    {"reshape", "view", "zeros", "ones", "empty", "full", "eye", "range", "arange"}
)
"""Functions whose numbers are sizes."""
LEAST_SIZE = 2
"""A 0 or 1 among sizes is where something begins, or an axis of length 1."""
MAXIMA = frozenset({"max", "amax", "nanmax", "maximum"})
"""Functions that return a maximum."""
CUTTING_METHODS = frozenset({"detach", "item", "numpy", "tolist"})
CUTTING_FUNCTIONS = {
    "float": "float(…)",
    "int": "int(…)",
    "no_grad": "torch.no_grad()",
    "tensor": "torch.tensor(…)",
    "as_tensor": "torch.as_tensor(…)",
    "from_numpy": "torch.from_numpy(…)",
    "asarray": "np.asarray(…)",
    "array": "np.array(…)",
    "Parameter": "nn.Parameter(…)",
}
"""Calls whose results gradients do not flow through."""


@dataclass
class CodeFacts:
    """What stands in a function and in those that it uses.

    Attributes:
        has_loop: a loop or a comprehension.
        has_mask: a name that is one of a mask.
        has_slice: a slice with an end, such as ``[1:]``.
        has_first_index: an index 0, other than that of a shape.
        has_global: a ``global`` statement, by which a value may be kept from one call to the next.
        has_maximum: a function that takes a maximum, or a condition that compares sizes, as loops do for it.
        axes: the places where an axis is written as a number from 0 on, such as ``axis=1``.
        sizes: the places where a size is written as a number from 2 on, such as ``[:3]``.
        cuts: what gradients do not flow through, such as ``.detach()``.
        conditions: the conditions by which places are chosen, such as ``x != 0`` of ``np.where(x != 0, a, b)``.
    """

    has_loop: bool = False
    has_mask: bool = False
    has_slice: bool = False
    has_first_index: bool = False
    has_global: bool = False
    has_maximum: bool = False
    axes: list[str] = field(default_factory=list)
    sizes: list[str] = field(default_factory=list)
    cuts: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)


def facts_of(functions: Sequence[WrittenFunction]) -> CodeFacts:
    """Return what stands in some functions."""
    facts = CodeFacts()
    for function in functions:
        for node in ast.walk(function.definition.node):
            _note(node, facts)
    for places in (facts.axes, facts.sizes, facts.cuts):
        places[:] = dict.fromkeys(places)
    return facts


def _note(node: ast.AST, facts: CodeFacts) -> None:
    """Add what a node of the code shows."""
    match node:
        case ast.For() | ast.While() | ast.comprehension():
            facts.has_loop = True
        case ast.Global():
            facts.has_global = True
        case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
            facts.has_mask = facts.has_mask or bool(MASKS.search(name))
            if isinstance(node, ast.Attribute) and name == "data":
                facts.cuts.append(".data")
        case ast.If(ast.Compare(_, [ast.Gt() | ast.GtE() | ast.Lt() | ast.LtE()], _)):
            facts.has_maximum = True
        case ast.Subscript(ast.Attribute(attr="shape"), index):
            if _largest(index) >= 0:
                facts.axes.append(ast.unparse(node))
        case ast.Subscript(_, ast.Tuple(items)):
            _note_index(node, items, facts)
        case ast.Subscript(_, index):
            _note_index(node, [index], facts)
        case ast.Call():
            _note_call(node, facts)


def _note_index(node: ast.AST, items: Sequence[ast.expr], facts: CodeFacts) -> None:
    for item in items:
        limits = [item]
        if isinstance(item, ast.Slice):
            limits = []
            for end in (item.lower, item.upper):
                if end is not None:
                    limits.append(end)
            facts.has_slice = facts.has_slice or bool(limits)
        elif 0 in _numbers(item):
            facts.has_first_index = True
            continue
        if max(map(_largest, limits), default=-1) >= LEAST_SIZE:
            facts.sizes.append(ast.unparse(node))


def _note_call(node: ast.Call, facts: CodeFacts) -> None:
    name = name_of(node)
    text = ast.unparse(node)
    for keyword in node.keywords:
        if keyword.arg in AXIS and _largest(keyword.value) >= 0:
            facts.axes.append(ast.unparse(keyword))
    if name == "where" and node.args and isinstance(node.args[0], ast.Compare):
        facts.conditions.append(ast.unparse(node.args[0]))
    # A function of NumPy has the array as its first argument.
    subject = subject_of(node)
    for argument in node.args:
        number = _largest(argument)
        if name in OF_AXES and number >= 0 and argument is not subject:
            facts.axes.append(text)
        if name in OF_SIZES and number >= LEAST_SIZE:
            facts.sizes.append(text)
    if name in MAXIMA:
        facts.has_maximum = True
    if name in CUTTING_METHODS and isinstance(node.func, ast.Attribute):
        facts.cuts.append(f".{name}()")
    elif name in CUTTING_FUNCTIONS:
        facts.cuts.append(CUTTING_FUNCTIONS[name])


def _largest(node: ast.expr) -> int:
    """Return the largest of the whole numbers that an expression consists of; -1 where it is something else."""
    return max(_numbers(node), default=-1)


def _numbers(node: ast.expr) -> list[int]:
    """Return the whole numbers that an expression consists of: one, or those of a tuple or list."""
    match node:
        case ast.Constant(bool()):
            return []
        case ast.Constant(int(number)):
            return [number]
        case ast.UnaryOp(ast.USub(), ast.Constant(int(number))):
            return [-number]
        case ast.Tuple(items) | ast.List(items):
            numbers: list[int] = []
            for item in items:
                numbers += _numbers(item)
            return numbers
    return []
