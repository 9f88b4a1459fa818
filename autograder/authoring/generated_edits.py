"""Small edits of a solution, one by one: another axis, operand, name or sign, a step that is left out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from autograder.reasons.sites import (
    Site,
    is_of_self,
    reached_by_parts,
    sites_in,
    with_exchanged,
)
from autograder.reasons.source_text import Edit, SourceText

SIBLINGS = (
    {"max", "min", "mean", "sum"},
    {"transpose", "reshape"},
    {"vstack", "hstack"},
    {"relu", "gelu", "tanh"},
)
"""Methods and functions of which one may be taken for another."""
Operator = Callable[[Site], Iterator[ast.AST]]
"""Yields what may stand in the place of a node; its docstring says what it changes."""
OperationKind = type[ast.operator]
OTHER_OPERATIONS: dict[OperationKind, tuple[OperationKind, ...]] = {
    ast.Mult: (ast.Div, ast.MatMult, ast.Add),
    ast.Div: (ast.Mult,),
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.MatMult: (ast.Mult,),
    ast.Pow: (ast.Mult,),
}
COMMUTATIVE = ast.Add | ast.Mult


def edits_in(
    solution: SourceText, function: str, operators: Sequence[Operator]
) -> Iterator[tuple[Operator, Edit]]:
    """Yield the edits that operators make in the code of a function; a class itself has none."""
    for site in sites_in(solution, function):
        for operator in operators:
            for new in operator(site):
                edit = site.edit(new)
                if edit.new != solution.whole[edit.start : edit.end]:
                    yield operator, edit


def generated_edits(solution: SourceText, task: str) -> Iterator[Edit]:
    """Yield the small edits of a task's function and of the functions that it uses, each once."""
    reached_by_name = reached_by_parts(solution)
    names = []
    for name, reached in reached_by_name.items():
        if task in reached:
            names.append(name)

    def how_much_changes(name: str) -> int:
        return len(reached_by_name[name])

    names.sort(key=how_much_changes)
    earlier_edits = set()
    for name in names:
        for _, edit in edits_in(solution, name, [small_changes]):
            if edit not in earlier_edits:
                earlier_edits.add(edit)
                yield edit


def small_changes(site: Site) -> Iterator[ast.AST]:
    """Another name, number, operator, order or function, or a step less."""
    node = site.node
    like = site.like
    if isinstance(node, ast.Call | ast.BinOp):
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id in site.names:
                yield inner
    match node:
        # Another number or sign.
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            if not isinstance(site.parent, ast.UnaryOp):
                numbers = {0, 1, -1, 2, value + 1, value - 1}
                numbers.discard(value)
                for number in sorted(numbers):
                    yield ast.Constant(number)
        case ast.Constant(value=float(value)):
            yield ast.Constant(value * 0)
            yield ast.Constant(value * 2)
            yield ast.Constant(value * 0.5)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            negative = -value
            for number in (0, 1, 2, negative - 1, negative + 1):
                if number != negative:
                    yield ast.Constant(number)
        case ast.UnaryOp(operand=operand):
            yield operand

        # Another variable or attribute.
        case ast.Name(ctx=ast.Load()) if node.id in site.names:
            for name in sorted(site.names):
                if name != node.id:
                    yield ast.Name(name)
            yield ast.Attribute(node, "T")
        case ast.Attribute(value=expression, attr="T"):
            yield expression
        case ast.Attribute(ctx=ast.Load()) if is_of_self(node):
            for name in sorted(site.attributes):
                if name != node.attr:
                    yield like(attr=name)
        case ast.Attribute(attr=attribute):
            for siblings in SIBLINGS:
                if attribute not in siblings:
                    continue
                other_names = siblings - {attribute}
                for name in sorted(other_names):
                    yield like(attr=name)

        # Another operator or order, or only one part of a formula.
        case ast.BinOp(left=left, op=op, right=right):
            if not isinstance(op, COMMUTATIVE):
                yield like(left=right, right=left)
            yield left
            yield right
            other_operators = OTHER_OPERATIONS.get(type(op), ())
            for operator in other_operators:
                yield like(op=operator())
            if isinstance(op, ast.MatMult):
                left_transposed = ast.Attribute(left, "T")
                right_transposed = ast.Attribute(right, "T")
                yield like(left=left_transposed)
                yield like(right=right_transposed)
        case ast.Subscript(value=expression):
            yield expression
        case (
            ast.Tuple(elts=[first, second, *others])
            | ast.List(elts=[first, second, *others])
        ):
            yield like(elts=[second, first, *others])
            yield first
            yield second
        case ast.Call():
            yield from _other_calls(node, like)

        # A step less.
        case ast.Return(value=ast.expr() as result):
            zero = ast.Constant(0)
            product = ast.BinOp(result, ast.Mult(), zero)
            yield like(value=product)
        case ast.Assign() | ast.AugAssign() | ast.Expr():
            yield ast.Pass()


def _other_calls(call: ast.Call, like: Callable[..., ast.AST]) -> Iterator[ast.AST]:
    """Yield an argument alone, and calls that are made twice or with other arguments."""
    args = call.args
    keywords = call.keywords
    function = call.func

    # No call: only its first argument, or the object of the method.
    if args:
        yield args[0]
    if isinstance(function, ast.Attribute) and not is_of_self(function):
        yield function.value

    # The call of its own result, neighbouring arguments exchanged, one keyword less.
    if args:
        first, *others = args
        if not isinstance(first, ast.Starred):
            yield like(args=[call, *others])
    for place in range(len(args) - 1):
        yield like(args=with_exchanged(args, place, place + 1))
    for place in range(len(keywords)):
        remaining = list(keywords)
        del remaining[place]
        yield like(keywords=remaining)

    # With keepdims, or without it and its axis.
    names = {keyword.arg for keyword in keywords}
    if names & {"axis", "dim"} and "keepdims" not in names:
        true = ast.Constant(True)
        keepdims = ast.keyword("keepdims", true)
        yield like(keywords=[*keywords, keepdims])
    if names >= {"axis", "keepdims"}:
        remaining = []
        for keyword in keywords:
            if keyword.arg not in ("axis", "keepdims"):
                remaining.append(keyword)
        yield like(keywords=remaining)
