"""What stands in a student's code, so that a question is asked only where it has something to look at."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
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
        axes: the places where an axis is written as a number from 0 on, such as ``axis=1``.
        sizes: the places where a size is written as a number from 2 on, such as ``[:3]``.
        cuts: what gradients do not flow through, such as ``.detach()``.
    """

    has_loop: bool = False
    has_mask: bool = False
    has_slice: bool = False
    has_first_index: bool = False
    axes: list[str] = field(default_factory=list)
    sizes: list[str] = field(default_factory=list)
    cuts: list[str] = field(default_factory=list)


def facts_of(functions: Sequence[WrittenFunction]) -> CodeFacts:
    """Return what stands in some functions."""
    facts = CodeFacts()
    for function in functions:
        for node in ast.walk(function.definition.node):
            _note(node, facts)
    facts.axes = list(dict.fromkeys(facts.axes))
    facts.sizes = list(dict.fromkeys(facts.sizes))
    facts.cuts = list(dict.fromkeys(facts.cuts))
    return facts


def _note(node: ast.AST, facts: CodeFacts) -> None:
    """Add what a node of the code shows."""
    match node:
        case ast.For() | ast.While() | ast.comprehension():
            facts.has_loop = True
        case ast.Name(id=name) | ast.arg(arg=name):
            facts.has_mask = facts.has_mask or bool(MASKS.search(name))
        case ast.Attribute(attr=name):
            facts.has_mask = facts.has_mask or bool(MASKS.search(name))
            if name == "data":
                facts.cuts.append(".data")
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=index):
            if any(number >= 0 for number in _numbers(index)):
                facts.axes.append(ast.unparse(node))
        case ast.Subscript(slice=index):
            _note_index(node, index, facts)
        case ast.Call():
            _note_call(node, facts)


def _note_index(node: ast.Subscript, index: ast.expr, facts: CodeFacts) -> None:
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    for item in items:
        if isinstance(item, ast.Slice):
            ends = [end for end in (item.lower, item.upper) if end is not None]
            facts.has_slice = facts.has_slice or bool(ends)
            if any(_is_size(end) for end in ends):
                facts.sizes.append(ast.unparse(node))
        elif 0 in _numbers(item):
            facts.has_first_index = True
        elif _is_size(item):
            facts.sizes.append(ast.unparse(node))


def _note_call(node: ast.Call, facts: CodeFacts) -> None:
    name = name_of(node)
    text = ast.unparse(node)
    for keyword in node.keywords:
        if keyword.arg in AXIS:
            if any(number >= 0 for number in _numbers(keyword.value)):
                facts.axes.append(ast.unparse(keyword))
    # A function of NumPy has the array as its first argument.
    subject = subject_of(node)
    arguments = [argument for argument in node.args if argument is not subject]
    if name in OF_AXES:
        for argument in arguments:
            if any(number >= 0 for number in _numbers(argument)):
                facts.axes.append(text)
    if name in OF_SIZES:
        for argument in node.args:
            if any(number >= LEAST_SIZE for number in _numbers(argument)):
                facts.sizes.append(text)
    if name in CUTTING_METHODS and isinstance(node.func, ast.Attribute):
        facts.cuts.append(f".{name}()")
    elif name in CUTTING_FUNCTIONS:
        facts.cuts.append(CUTTING_FUNCTIONS[name])


def _is_size(node: ast.expr) -> bool:
    return any(number >= LEAST_SIZE for number in _numbers(node))


def _numbers(node: ast.expr) -> Iterator[int]:
    """Yield the whole numbers that an expression consists of: one, or those of a tuple or list."""
    match node:
        case ast.Constant(value=int(number)):
            if not isinstance(number, bool):
                yield number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            yield -number
        case ast.Tuple(elts=items) | ast.List(elts=items):
            for item in items:
                yield from _numbers(item)
