"""Small edits of a solution, one by one: another axis, operand, name or sign, a step that is left out."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Collection, Iterator

from autograder.judging import Edit, Solution

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
LOOSE = ast.BinOp | ast.UnaryOp | ast.IfExp | ast.Compare | ast.BoolOp | ast.Lambda | ast.Tuple
TIGHT = ast.BinOp | ast.UnaryOp | ast.Attribute | ast.Subscript | ast.Starred


def generated_edits(solution: Solution, task: str) -> Iterator[Edit]:
    """Yield the small edits of a task's function and of those that it uses, each once."""
    begins = [0, *itertools.accumulate(len(line) + 1 for line in solution.whole.split("\n"))]
    seen = set()

    def offset(line: int, column: int) -> int:
        text = solution.whole[begins[line - 1] : begins[line]]
        return begins[line - 1] + len(text.encode()[:column].decode())

    reached = {
        name: solution.reached_by([Edit(one.code, one.code, "")])
        for name, one in solution.definitions.items()
        if one.start < len(solution.text)
    }
    for name in sorted(reached, key=lambda name: len(reached[name])):  # first what changes least
        one = solution.definitions[name]
        if task not in reached[name] or isinstance(one.node, ast.ClassDef):
            continue
        owner = solution.definitions.get(name.rpartition(".")[0], one).node
        names = (node for node in ast.walk(one.node) if isinstance(node, ast.Name))
        own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        own |= {arg.arg for arg in one.node.args.args} - {"self"}
        attributes = {
            node.attr for node in ast.walk(owner) if isinstance(node, ast.Attribute) and _is_own(node)
        }
        for parent in ast.walk(one.node):
            for node in ast.iter_child_nodes(parent):
                if not isinstance(node, ast.expr | ast.stmt) or node.end_lineno is None:
                    continue
                start = offset(node.lineno, node.col_offset)
                end = offset(node.end_lineno, node.end_col_offset or 0)
                for new in _changes(node, parent, own, attributes) if start >= one.code else ():
                    edit = Edit(start, end, _text(new, node, parent))
                    if edit not in seen and edit.new != solution.whole[start:end]:
                        seen.add(edit)
                        yield edit


def _is_own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _text(new: ast.AST, old: ast.AST, parent: ast.AST) -> str:
    """Write an expression, in parentheses where its neighbours would take it apart."""
    binds = [isinstance(one.op, ast.Add | ast.Sub) for one in (new, old) if isinstance(one, ast.BinOp)]
    is_same_kind = binds in ([True, True], [False, False])
    is_loose = isinstance(new, LOOSE) and isinstance(parent, TIGHT) and not is_same_kind
    return f"({ast.unparse(new)})" if is_loose else ast.unparse(new)


def _changes(
    node: ast.AST, parent: ast.AST, own: Collection[str], attributes: Collection[str]
) -> Iterator[ast.AST]:
    """Yield what may stand in the place of one node."""

    def like(**changed: object) -> ast.AST:
        made = copy.copy(node)
        vars(made).update(changed)
        return made

    if isinstance(node, ast.Call | ast.BinOp):
        yield from (one for one in ast.walk(node) if isinstance(one, ast.Name) and one.id in own)
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)) if not isinstance(parent, ast.UnaryOp):
            yield from map(ast.Constant, sorted({0, 1, -1, 2, value + 1, value - 1} - {value}))
        case ast.Constant(value=float(value)):
            yield from (ast.Constant(value * factor) for factor in (0, 2, 0.5))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            yield from (ast.Constant(other) for other in (0, 1, 2, -value - 1, -value + 1) if other != -value)
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Name(ctx=ast.Load()) if node.id in own:
            yield from (ast.Name(other) for other in sorted(own) if other != node.id)
            yield ast.Attribute(node, "T")
        case ast.Attribute(value=value, attr="T"):
            yield value
        case ast.Attribute(ctx=ast.Load()) if _is_own(node):
            yield from (like(attr=other) for other in sorted(attributes) if other != node.attr)
        case ast.Attribute(attr=attr):
            yield from (like(attr=one) for some in SIBLINGS if attr in some for one in sorted(some - {attr}))
        case ast.BinOp(left=left, op=op, right=right):
            yield from (like(left=right, right=left), left, right)
            yield from (like(op=other()) for other in OPERATORS.get(type(op), ()))
            if isinstance(op, ast.MatMult):
                yield from (like(left=ast.Attribute(left, "T")), like(right=ast.Attribute(right, "T")))
        case ast.Subscript(value=value):
            yield value
        case ast.Tuple(elts=[first, second, *rest]) | ast.List(elts=[first, second, *rest]):
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
                yield like(args=[*args[:place], args[place + 1], args[place], *args[place + 2 :]])
            for one in keywords:
                yield like(keywords=[other for other in keywords if other is not one])
            if names & {"axis", "dim"} and "keepdims" not in names:
                yield like(keywords=[*keywords, ast.keyword("keepdims", ast.Constant(True))])
            if names >= {"axis", "keepdims"}:
                yield like(keywords=[one for one in keywords if one.arg not in ("axis", "keepdims")])
        case ast.Return(value=ast.expr() as value):
            yield like(value=ast.BinOp(value, ast.Mult(), ast.Constant(0)))
        case ast.Assign() | ast.AugAssign() | ast.Expr():
            yield ast.Pass()
