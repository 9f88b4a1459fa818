"""Small edits of a solution, one by one: another axis, operand, name or sign, a step that is left out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from autograder.reasons.sites import Site, edits_in, is_of_self, reached_by_parts
from autograder.reasons.source_text import Edit, SourceText

SIBLINGS = (
    {"max", "min", "mean", "sum"},
    {"transpose", "reshape"},
    {"vstack", "hstack"},
    {"relu", "gelu", "tanh"},
)
"""Methods and functions of which one may be taken for another."""
OTHER_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Mult: (ast.Div, ast.MatMult, ast.Add),
    ast.Div: (ast.Mult,),
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.MatMult: (ast.Mult,),
    ast.Pow: (ast.Mult,),
}
COMMUTATIVE = ast.Add | ast.Mult


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
                others = {0, 1, -1, 2, value + 1, value - 1}
                others.discard(value)
                for other in sorted(others):
                    yield ast.Constant(other)
        case ast.Constant(value=float(value)):
            yield ast.Constant(value * 0)
            yield ast.Constant(value * 2)
            yield ast.Constant(value * 0.5)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            for other in (0, 1, 2, -value - 1, -value + 1):
                if other != -value:
                    yield ast.Constant(other)
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
                if attribute in siblings:
                    for name in sorted(siblings - {attribute}):
                        yield like(attr=name)

        # Another operator or order, or only one part of a formula.
        case ast.BinOp(left=left, op=op, right=right):
            if not isinstance(op, COMMUTATIVE):
                yield like(left=right, right=left)
            yield left
            yield right
            for operator in OTHER_OPERATORS.get(type(op), ()):
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
            yield like(value=ast.BinOp(result, ast.Mult(), zero))
        case ast.Assign() | ast.AugAssign() | ast.Expr():
            yield ast.Pass()


def _other_calls(call: ast.Call, like: Callable[..., ast.AST]) -> Iterator[ast.AST]:
    """Yield an argument alone, and calls that are made twice or with other arguments."""
    args = call.args
    keywords = call.keywords
    if args:
        yield args[0]
    if isinstance(call.func, ast.Attribute) and not is_of_self(call.func):
        yield call.func.value
    if args and not isinstance(args[0], ast.Starred):
        yield like(args=[call, *args[1:]])
    for place in range(len(args) - 1):
        exchanged = list(args)
        exchanged[place] = args[place + 1]
        exchanged[place + 1] = args[place]
        yield like(args=exchanged)
    for place in range(len(keywords)):
        others = list(keywords)
        del others[place]
        yield like(keywords=others)
    names = {keyword.arg for keyword in keywords}
    if names & {"axis", "dim"} and "keepdims" not in names:
        keepdims = ast.keyword("keepdims", ast.Constant(True))
        yield like(keywords=[*keywords, keepdims])
    if names >= {"axis", "keepdims"}:
        remaining = []
        for keyword in keywords:
            if keyword.arg not in ("axis", "keepdims"):
                remaining.append(keyword)
        yield like(keywords=remaining)
