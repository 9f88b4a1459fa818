"""A function with one statement moved, exchanged with the next one or left out, and the question about it."""

from __future__ import annotations

import ast
import copy
import itertools
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from autograder.course.statements import names_in
from autograder.language import say
from autograder.reasons.formulas import replaced
from autograder.reasons.sites import BoundNames, quoted, with_fields, without
from autograder.reasons.vocabulary import name_of

REDUCTIONS = frozenset(
    {
        "all",
        "amax",
        "amin",
        "any",
        "argmax",
        "average",
        "cumsum",
        "max",
        "mean",
        "median",
        "min",
        "nansum",
        "norm",
        "prod",
        "softmax",
        "std",
        "sum",
        "var",
    }
)
"""Functions that go along an axis."""
CHANGES_ITS_ARRAY = frozenset({"fill", "itemset", "partition", "put", "resize", "sort"})
"""Methods of NumPy that change their array."""
TORCH_IN_PLACE = re.compile("[a-z][a-z_]*[a-z]_")
"""The names of the methods of torch that change their tensor."""
METHODS_OF_FIXED = {name for kind in (str, tuple, int) for name in dir(kind)}
CHANGES_ITS_OBJECT = CHANGES_ITS_ARRAY.union(
    *(dir(kind) for kind in (list, dict, set, bytearray, deque))
).difference(METHODS_OF_FIXED)
"""Methods that may change their object, of Python's own types as well."""
COMPUTED = "computed_before"
"""The name of what is computed once before a loop."""
STATEMENTS_BEFORE = 3
"""So many statements before a loop are tried in it."""

Block = Sequence[ast.stmt]


@dataclass(frozen=True)
class StatementMove:
    """What may stand in the place of a block of statements.

    Attributes:
        statements: the other statements.
        line: the line that is asked about.
        question: the question, in the student's language.
        is_likely: whether the statement is hardly ever right as it stands.
    """

    statements: Block
    line: int
    question: str
    is_likely: bool = False


Moves = Iterator[StatementMove]
MakeMoves = Callable[[Block, int], Moves]
"""Yields the blocks that come from moving the statement at an index of a block, or its neighbours."""


# Loops

TAKEN_ANEW = (
    "`{old}` is computed anew in each round, while the loop changes what is in it."
)


def computed_before(block: Block, index: int) -> Moves:
    """A sum, or the like, is computed once before the loop."""
    loop = block[index]
    if not isinstance(loop, ast.For):
        return
    for call in _reductions_in(loop):
        expression = ast.unparse(call)
        assignments = ast.parse(f"{COMPUTED} = {expression}").body
        new_loop = _ReadComputed(expression).visit(copy.deepcopy(loop))
        statements = [*block[:index], *assignments, new_loop, *block[index + 1 :]]
        question = say(TAKEN_ANEW, old=quoted(call))
        yield StatementMove(statements, call.lineno, question)


def _reductions_in(loop: ast.For) -> Iterator[ast.Call]:
    """Yield the sums and the like that a loop without an inner loop computes in each round."""
    for node in ast.walk(loop):
        if isinstance(node, ast.For) and node is not loop:
            return
    for statement in loop.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and name_of(node) in REDUCTIONS:
                yield node


@dataclass
class _ReadComputed(ast.NodeTransformer):
    """Reads what is computed before, wherever it is computed again."""

    expression: str

    def visit_Call(self, call: ast.Call) -> ast.AST:
        if ast.unparse(call) == self.expression:
            return ast.Name(COMPUTED)
        return self.generic_visit(call)


WITHIN_THE_LOOP = "Does it belong within the loop, so that it is done in each round?"


def moved_to_the_start(block: Block, index: int) -> Moves:
    """An assignment before the loop is done at the start of each round."""
    loop = block[index]
    if not isinstance(loop, ast.For | ast.While):
        return
    before = list(block[:index])
    first = max(0, index - STATEMENTS_BEFORE)
    for statement in before[first:]:
        if not isinstance(statement, ast.Assign | ast.AugAssign):
            continue
        new_loop = with_fields(loop, body=[statement, *loop.body])
        others = without(before, statement)
        statements = [*others, new_loop, *block[index + 1 :]]
        yield StatementMove(statements, statement.lineno, say(WITHIN_THE_LOOP))


def moved_to_the_end(block: Block, index: int) -> Moves:
    """The statement after the loop is done at the end of each round."""
    match block[index:]:
        case [ast.For() | ast.While() as loop, following, *others]:
            new_loop = with_fields(loop, body=[*loop.body, following])
            statements = [*block[:index], new_loop, *others]
            yield StatementMove(statements, following.lineno, say(WITHIN_THE_LOOP))


AFTER_THE_LOOP = "Does it belong after the loop, and not within it?"


def moved_out(block: Block, index: int) -> Moves:
    """The last statement of the loop is done once, after the loop."""
    loop = block[index]
    if not isinstance(loop, ast.For | ast.While) or len(loop.body) == 1:
        return
    *body, last = loop.body
    new_loop = with_fields(loop, body=body)
    statements = [*block[:index], new_loop, last, *block[index + 1 :]]
    yield StatementMove(statements, last.lineno, say(AFTER_THE_LOOP))


OF_THIS_ROUND = "_of_this_round"
"""The end of the name of what a variable holds within one round of a loop."""
OVERWRITTEN = "`{old}` has another value afterwards: is the earlier one still needed?"


def kept_for_the_next_round(block: Block, index: int) -> Moves:
    """A name that the loop overwrites, as ``for X in X`` and ``x = x @ W`` do, is another one within a round."""
    loop = block[index]
    if not isinstance(loop, ast.For | ast.While):
        return
    for name, line in _overwritten_in(loop).items():
        kept_name = name + OF_THIS_ROUND
        letters = {name: ast.Name(kept_name)}
        body = replaced(loop.body, letters)
        if isinstance(loop, ast.For) and name in names_in(loop.target, ast.Store):
            target = replaced(loop.target, letters)
            new_loop: ast.stmt = with_fields(loop, target=target, body=body)
        else:
            kept = ast.parse(f"{kept_name} = {name}").body
            new_loop = with_fields(loop, body=[*kept, *body])
        statements = list(block)
        statements[index] = new_loop
        question = say(OVERWRITTEN, old=name)
        yield StatementMove(statements, line, question)


def _overwritten_in(loop: ast.For | ast.While) -> dict[str, int]:
    """Return the names that a loop reads before it binds them, with the line in which it does."""
    lines = {}
    if isinstance(loop, ast.For):
        for name in names_in(loop.target, ast.Store) & names_in(loop.iter, ast.Load):
            lines[name] = loop.lineno
    known_names = set(lines)
    for statement in loop.body:
        known_names |= names_in(statement, ast.Load)
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                if node.id in known_names:
                    lines.setdefault(node.id, node.lineno)
                known_names.discard(node.id)
    return lines


# Any statement

OTHER_PLACE = "Does it come too early or too late?"


def exchanged(block: Block, index: int) -> Moves:
    """The statement comes after the next one."""
    match block[index:]:
        case [statement, following, *others]:
            statements = [*block[:index], following, statement, *others]
            yield StatementMove(statements, statement.lineno, say(OTHER_PLACE))


LINE_NOT_NEEDED = "Is this line needed?"
LINES_NOT_NEEDED = "Are the lines under `if {condition}:` needed?"


def left_out(block: Block, index: int) -> Moves:
    """The statement is left out, or a condition with all that stands under it."""
    statement = block[index]
    match statement:
        case ast.Assign() | ast.AugAssign() | ast.Expr():
            question = say(LINE_NOT_NEEDED)
        case ast.If(test, orelse=[]):
            question = say(LINES_NOT_NEEDED, condition=ast.unparse(test))
        case _:
            return
    statements = [*block[:index], *block[index + 1 :]] or [ast.Pass()]
    yield StatementMove(statements, statement.lineno, question)


NOT_KEPT = "Is what `{old}` returns used? It does not change `{name}` itself."


def kept(block: Block, index: int, names_around: BoundNames) -> Moves:
    """What a method returns is kept under the name of its object.

    Args:
        block: the statements.
        index: which of them is changed.
        names_around: the names that the student's code binds. A method of theirs may change its object.
    """
    match block[index]:
        case ast.Expr(
            ast.Call(ast.Attribute(ast.Name(name), method)) as call
        ) as statement:
            if method in CHANGES_ITS_OBJECT or TORCH_IN_PLACE.fullmatch(method):
                return
            if name == "self" or method in names_around.methods:
                return
            if names_around.imported(name) or name in names_around.definitions:
                return
            [assignment] = ast.parse(f"{name} = {ast.unparse(call)}").body
            statements = [*block[:index], assignment, *block[index + 1 :]]
            question = say(NOT_KEPT, old=quoted(call), name=name)
            yield StatementMove(statements, statement.lineno, question, is_likely=True)


MOVES: Sequence[MakeMoves] = (
    computed_before,
    moved_to_the_start,
    moved_out,
    moved_to_the_end,
    kept_for_the_next_round,
    exchanged,
    left_out,
)


def moves_in(
    function: ast.FunctionDef, names_around: BoundNames
) -> Iterator[tuple[ast.stmt, StatementMove]]:
    """Yield a function with one statement moved or left out, and what was moved; see ``kept``."""
    for node in ast.walk(function):
        for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if not isinstance(block, list):
                continue
            for index in range(len(block)):
                moves = [make_moves(block, index) for make_moves in MOVES]
                moves.append(kept(block, index, names_around))
                for move in itertools.chain(*moves):
                    # What stands in the memo counts as copied already.
                    memo = {id(block): move.statements}
                    yield copy.deepcopy(function, memo), move
