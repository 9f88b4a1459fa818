"""Small edits of a solution, one by one: another axis, operand, name or sign, a step that is left out."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from autograder.reasons.catalogue import Edit, Solution

SIBLINGS = (
    {"max", "min", "mean", "sum"},
    {"transpose", "reshape"},
    {"vstack", "hstack"},
    {"relu", "gelu", "tanh"},
)
OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Mult: (ast.Div, ast.MatMult, ast.Add),
    ast.Div: (ast.Mult,),
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.MatMult: (ast.Mult,),
    ast.Pow: (ast.Mult,),
}
LOOSE = (
    ast.BinOp
    | ast.UnaryOp
    | ast.IfExp
    | ast.Compare
    | ast.BoolOp
    | ast.Lambda
    | ast.Tuple
)
TIGHT = ast.BinOp | ast.UnaryOp | ast.Attribute | ast.Subscript | ast.Starred


@dataclass(frozen=True)
class Site:
    """A node of a function, where something else may stand.

    ``names`` are the arguments and variables of its function, ``parameters`` the arguments alone, without
    ``self``. ``attributes`` are those of ``self`` in its class.
    """

    node: ast.AST
    parent: ast.AST
    names: Collection[str] = ()
    parameters: Sequence[str] = ()
    attributes: Collection[str] = ()

    def like(self, **changed: object) -> ast.AST:
        """Return a copy of the node in which some fields are others."""
        copied = copy.copy(self.node)
        vars(copied).update(changed)
        return copied


Operator = Callable[[Site], Iterator[ast.AST]]
"""Yields what may stand in the place of a node; its docstring says what it changes."""


def generated_edits(solution: Solution, task: str) -> Iterator[Edit]:
    """Yield the small edits of a task's function and of those that it uses, each once."""
    reached = reached_by_parts(solution)
    seen = set()
    for name in sorted(
        reached, key=lambda name: len(reached[name])
    ):  # first what changes least
        if task in reached[name]:
            for _, edit in edits_in(solution, name, [small_changes]):
                if edit not in seen:
                    seen.add(edit)
                    yield edit


def reached_by_parts(solution: Solution) -> dict[str, set[str]]:
    """Return, for each function and class of the solution, the names whose results an edit of it may change.

    Methods have entries of their own, named ``Class.method``. Helpers of mutants have none.
    """
    return {
        name: solution.reached_by([Edit(definition.code, definition.code, "")])
        for name, definition in solution.definitions.items()
        if definition.start < len(solution.text)
    }


def edits_in(
    solution: Solution, function: str, operators: Sequence[Operator]
) -> Iterator[tuple[Operator, Edit]]:
    """Yield the edits that operators make in the code of a function; of a class as such there are none."""
    definition = solution.definitions[function]
    if isinstance(definition.node, ast.ClassDef):
        return
    begins = [
        0,
        *itertools.accumulate(len(line) + 1 for line in solution.whole.split("\n")),
    ]

    def offset(line: int, column: int) -> int:
        text = solution.whole[begins[line - 1] : begins[line]]
        return begins[line - 1] + len(text.encode()[:column].decode())

    owner = solution.definitions.get(function.rpartition(".")[0], definition).node
    parameters = [arg.arg for arg in definition.node.args.args if arg.arg != "self"]
    names = set(parameters)
    for node in ast.walk(definition.node):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    attributes = {
        node.attr
        for node in ast.walk(owner)
        if isinstance(node, ast.Attribute) and _is_own(node)
    }
    for parent in ast.walk(definition.node):
        for node in ast.iter_child_nodes(parent):
            if not isinstance(node, ast.expr | ast.stmt) or node.end_lineno is None:
                continue
            start = offset(node.lineno, node.col_offset)
            end = offset(node.end_lineno, node.end_col_offset or 0)
            if start < definition.code:
                continue
            site = Site(node, parent, names, parameters, attributes)
            for operator in operators:
                for new in operator(site):
                    text = _text(new, node, parent)
                    if text != solution.whole[start:end]:
                        yield operator, Edit(start, end, text)


def _is_own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _text(new: ast.AST, old: ast.AST, parent: ast.AST) -> str:
    """Write an expression, in parentheses where its neighbours would take it apart."""
    binds = [
        isinstance(one.op, ast.Add | ast.Sub)
        for one in (new, old)
        if isinstance(one, ast.BinOp)
    ]
    is_same_kind = binds in ([True, True], [False, False])
    is_loose = isinstance(new, LOOSE) and isinstance(parent, TIGHT) and not is_same_kind
    return f"({ast.unparse(new)})" if is_loose else ast.unparse(new)


def small_changes(site: Site) -> Iterator[ast.AST]:
    """Another name, number, operator, order or function, or a step less."""
    node, parent, own, attributes, like = (
        site.node,
        site.parent,
        site.names,
        site.attributes,
        site.like,
    )
    if isinstance(node, ast.Call | ast.BinOp):
        yield from (
            one for one in ast.walk(node) if isinstance(one, ast.Name) and one.id in own
        )
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)) if not isinstance(parent, ast.UnaryOp):
            yield from map(
                ast.Constant, sorted({0, 1, -1, 2, value + 1, value - 1} - {value})
            )
        case ast.Constant(value=float(value)):
            yield from (ast.Constant(value * factor) for factor in (0, 2, 0.5))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            yield from (
                ast.Constant(other)
                for other in (0, 1, 2, -value - 1, -value + 1)
                if other != -value
            )
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Name(ctx=ast.Load()) if node.id in own:
            yield from (ast.Name(other) for other in sorted(own) if other != node.id)
            yield ast.Attribute(node, "T")
        case ast.Attribute(value=value, attr="T"):
            yield value
        case ast.Attribute(ctx=ast.Load()) if _is_own(node):
            yield from (
                like(attr=other) for other in sorted(attributes) if other != node.attr
            )
        case ast.Attribute(attr=attr):
            yield from (
                like(attr=one)
                for some in SIBLINGS
                if attr in some
                for one in sorted(some - {attr})
            )
        case ast.BinOp(left=left, op=op, right=right):
            if not isinstance(
                op, ast.Add | ast.Mult
            ):  # these give the same numbers in either order
                yield like(left=right, right=left)
            yield from (left, right)
            yield from (like(op=other()) for other in OPERATORS.get(type(op), ()))
            if isinstance(op, ast.MatMult):
                yield from (
                    like(left=ast.Attribute(left, "T")),
                    like(right=ast.Attribute(right, "T")),
                )
        case ast.Subscript(value=value):
            yield value
        case (
            ast.Tuple(elts=[first, second, *rest])
            | ast.List(elts=[first, second, *rest])
        ):
            yield like(elts=[second, first, *rest])
            yield from (first, second)
        case ast.Call(func=func, args=args, keywords=keywords):
            names = {one.arg for one in keywords}
            yield from args[:1]
            if isinstance(func, ast.Attribute) and not _is_own(func):
                yield func.value
            if args and not isinstance(args[0], ast.Starred):
                yield like(args=[node, *args[1:]])
            for place in range(len(args) - 1):
                yield like(
                    args=[
                        *args[:place],
                        args[place + 1],
                        args[place],
                        *args[place + 2 :],
                    ]
                )
            for one in keywords:
                yield like(keywords=[other for other in keywords if other is not one])
            if names & {"axis", "dim"} and "keepdims" not in names:
                yield like(
                    keywords=[*keywords, ast.keyword("keepdims", ast.Constant(True))]
                )
            if names >= {"axis", "keepdims"}:
                yield like(
                    keywords=[
                        one for one in keywords if one.arg not in ("axis", "keepdims")
                    ]
                )
        case ast.Return(value=ast.expr() as value):
            yield like(value=ast.BinOp(value, ast.Mult(), ast.Constant(0)))
        case ast.Assign() | ast.AugAssign() | ast.Expr():
            yield ast.Pass()
