"""Repairs: a student's function with one step changed, made systematically, to find the step that is wrong.

What sets all answers right names the place, whatever is wrong there; ``repair_search.py`` runs the repairs. The
sentence for the student names the place and asks a question, and leaves the new code to the student.
"""

from __future__ import annotations

import ast
import copy
import itertools
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.language import say
from autograder.reasons.sites import Site, sites_in, text_of
from autograder.reasons.source_text import Edit, clash
from autograder.reasons.student_code import WrittenFunction
from autograder.reasons.vocabulary import LIBRARIES, name_of

MOST_NAMES = 12
"""So many other names are tried in the place of one."""
MOST_PLACES = 4
"""The same change is made at so many places at once."""
LONGEST_QUOTE = 60
COMPUTED = "computed_before"
LARGEST_NUMBER = 1e6
NUMBERS = (0, 1, -1, 2, -2)
REDUCTIONS = frozenset(
    {"sum", "mean", "max", "min", "argmax", "any", "all", "prod", "cumsum", "softmax"}
)
SHARING = frozenset({"list", "tuple", "append", "asarray", "view", "reshape"})
COUNTS = frozenset({"count_nonzero", "sum", "where", "len", "mean"})
CONDITIONS = ("x >= 0", "x > 0", "x != 0", "x == 0", "x != -1")
JOINS = frozenset({"append", "concatenate", "stack", "cat", "repeat"})
LIKE_ANOTHER = {"zeros_like": "zeros", "empty_like": "zeros", "ones_like": "ones"}
ALTERNATIVES: Sequence[frozenset[str]] = (
    frozenset({"sum", "mean", "max", "min"}),
    frozenset({"maximum", "minimum"}),
    frozenset({"argmax", "argmin"}),
    frozenset({"any", "all"}),
    frozenset({"vstack", "hstack", "concatenate", "column_stack", "stack"}),
    frozenset({"tril", "triu"}),
    frozenset({"zeros", "ones", "empty"}),
    frozenset({"log", "log2", "log10", "log1p"}),
    frozenset({"exp", "exp2", "expm1"}),
    frozenset({"sin", "cos"}),
    frozenset({"repeat", "tile"}),
    frozenset({"floor", "ceil", "round", "trunc"}),
    frozenset({"ReLU", "GELU", "Tanh", "SiLU", "Sigmoid", "relu", "gelu", "tanh"}),
)
"""Functions and methods that are taken for one another."""
OPERATIONS: Sequence[tuple[type[ast.operator], Sequence[type[ast.operator]]]] = (
    (ast.Add, (ast.Sub, ast.Mult)),
    (ast.Sub, (ast.Add, ast.Div)),
    (ast.Mult, (ast.Div, ast.MatMult, ast.Add, ast.Pow)),
    (ast.Div, (ast.Mult, ast.FloorDiv, ast.Sub)),
    (ast.FloorDiv, (ast.Div, ast.Mod)),
    (ast.Mod, (ast.FloorDiv,)),
    (ast.MatMult, (ast.Mult,)),
    (ast.Pow, (ast.Mult,)),
    (ast.BitAnd, (ast.BitOr,)),
    (ast.BitOr, (ast.BitAnd,)),
)
WHOLE = ast.Subscript | ast.BinOp | ast.Call | ast.Compare
"""Expressions that can be read by themselves."""
ORDER_MATTERS = ast.Sub | ast.Div | ast.MatMult | ast.FloorDiv | ast.Pow
COMPARISONS: Sequence[Sequence[type[ast.cmpop]]] = (
    (ast.Lt, ast.LtE, ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn),
)

OTHER_NAME = "Is `{old}` the right name in `{around}`?"
OTHER_NUMBER = "Is `{old}` the right number in `{around}`?"
OTHER_AXIS = "Is `{old}` the right axis?"
ONE_OFF = "Is `{old}` in `{around}` one too many or one too few?"
OTHER_OPERATION = "Is the operation in `{old}` the right one?"
OTHER_ORDER = "Are the two sides of `{old}` in the right order?"
OTHER_COMPARISON = "Is the comparison in `{old}` the right one?"
CONDITION = "When should the lines under `if {old}:` run, and are they right?"
OPPOSITE = "Should `{old}` be the opposite?"
NOT_NEEDED = "Is `{old}` needed there?"
INDEX_NOT_NEEDED = "Is the index in `{old}` needed?"
OTHER_TRANSPOSE = "Is `{old}` transposed as it should be?"
OTHER_FUNCTION = "Is `{old}` the right function?"
OTHER_ARGUMENTS = "Are the arguments of `{old}` in the right order?"
NO_AXIS = "Along which axis does `{old}` go?"
NO_KEEPDIMS = (
    "Which axes has `{old}`? `keepdims=True` keeps the one that it takes away."
)
NO_COPY = (
    "`{old}` is the same object under another name, and no copy: "
    "what changes one changes the other."
)
CHANGED_IN_PLACE = "This changes `{old}` itself, for all that hold it."
TWO_NAMES = "`{old}` gives one object several names, and makes no copy."
SAME_ITEMS = (
    "`{old}` makes a new list, and puts the same arrays into it: what changes an array "
    "there changes the old one."
)
SAME_APPENDED = (
    "`{old}` itself goes into the list, and no copy: what changes it later changes the "
    "item, too."
)
SAME_OBJECT = "`{old}` holds the same object at each place, and not a new one."
KEEPS_WHOLE_NUMBERS = (
    "`{old}` has the type of its argument: from whole numbers it makes an array of "
    "whole numbers."
)
REPLACES = (
    "Does `{old}` replace what should be added up, or add up what should be replaced?"
)
BRACKETS = "Are the brackets in `{old}` right?"
OTHER_INDEX = "Is the index in `{old}` the right one?"
OTHER_ITEMS = "Are the items of `{old}` in the right order?"
OTHER_SIZE = "Is `{old}` the right size?"
ROOT = "Should it be `{old}` or its square root?"
LONGEST = "`{old}` compares texts letter by letter: is it their length that counts?"
TERM_MISSING = "Is a term missing in `{old}`?"
NO_SHARES = "Do the numbers in `{old}` sum to 1 there?"
WHAT_COUNTS = "Does `{old}` count what should count?"
OTHER_DIRECTION = "Does the loop go in the right direction?"
TAKEN_ANEW = (
    "`{old}` is computed anew in each round, while the loop changes what is in it."
)
LINE_NOT_NEEDED = "Is this line needed?"
AFTER_THE_LOOP = "Does it belong after the loop, and not within it?"
WITHIN_THE_LOOP = "Does it belong within the loop, so that it is done in each round?"
OTHER_PLACE = "Does it come too early or too late?"


@dataclass(frozen=True)
class Repair:
    """A student's function with one step changed.

    Attributes:
        function: the function or class that is changed.
        definition: its text with the change.
        line: the number of the changed line in the file or cell.
        rank: of repairs that all set the answers right, one of the lowest rank is the most natural.
        hint: what to ask the student about the line, in the student's language.
    """

    function: WrittenFunction
    definition: str
    line: int
    rank: int
    hint: str


@dataclass(frozen=True)
class Change:
    """What may stand in the place of a node, and the question about what stands there."""

    new: ast.AST
    hint: str
    old: ast.AST | None = None  # by default the node


MakeChanges = Callable[[Site], Iterator[Change]]


# Expressions


def other_name(site: Site) -> Iterator[Change]:
    """Another variable of the function, or another attribute of ``self``."""
    node = site.node
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if node.id in site.names:
            others = sorted({*site.names} - {node.id})
            others.sort(key=lambda name: abs(len(name) - len(node.id)))
            for name in others[:MOST_NAMES]:
                yield Change(ast.Name(name), OTHER_NAME)
    elif isinstance(node, ast.Attribute) and node.attr in site.attributes:
        for name in sorted({*site.attributes} - {node.attr})[:MOST_NAMES]:
            yield Change(ast.Attribute(node.value, name), OTHER_NAME)


def other_number(site: Site) -> Iterator[Change]:
    """Another whole number; of a number without decimals that begins a search, minus infinity."""
    number = _number_in(site.node)
    if number is None:
        return
    if isinstance(site.parent, ast.UnaryOp) and isinstance(site.parent.op, ast.USub):
        return  # the number is tried with its sign
    hint = OTHER_NUMBER
    old = None
    if isinstance(site.parent, ast.keyword) and site.parent.arg in ("axis", "dim"):
        hint = OTHER_AXIS
        old = site.parent
    numbers = dict.fromkeys((number + 1, number - 1, *NUMBERS))
    for other in numbers:
        if other != number:
            yield Change(ast.Constant(other), hint, old)
    if number == 0 and isinstance(site.parent, ast.Assign | ast.Call):
        infinity = ast.parse("-float('inf')", mode="eval").body
        yield Change(infinity, hint, old)


def one_off(site: Site) -> Iterator[Change]:
    """One more or one less, where things are counted: in an index, a slice, a ``range`` or a comparison."""
    node = site.node
    parent = site.parent
    counts = isinstance(parent, ast.Slice | ast.Compare)
    counts = counts or (isinstance(parent, ast.Subscript) and node is parent.slice)
    counts = counts or (isinstance(parent, ast.Call) and name_of(parent) == "range")
    if not counts or isinstance(node, ast.Slice | ast.Tuple | ast.Constant):
        return
    if isinstance(node, ast.expr):
        for operation in (ast.Add(), ast.Sub()):
            new = ast.BinOp(node, operation, ast.Constant(1))
            yield Change(new, ONE_OFF)


def other_operation(site: Site) -> Iterator[Change]:
    """Another operation, or its two sides exchanged."""
    node = site.node
    if isinstance(node, ast.BinOp):
        for operation, others in OPERATIONS:
            if isinstance(node.op, operation):
                for other in others:
                    yield Change(site.like(op=other()), OTHER_OPERATION)
        if isinstance(node.op, ORDER_MATTERS):
            new = site.like(left=node.right, right=node.left)
            yield Change(new, OTHER_ORDER)
    elif isinstance(node, ast.BoolOp):
        other_op: ast.boolop = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield Change(site.like(op=other_op), OTHER_OPERATION)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        hint = OTHER_COMPARISON
        if isinstance(site.parent, ast.If):
            hint = CONDITION
        for kinds in COMPARISONS:
            if type(node.ops[0]) in kinds:
                for kind in kinds:
                    if kind is not type(node.ops[0]):
                        yield Change(site.like(ops=[kind()]), hint)


def opposite(site: Site) -> Iterator[Change]:
    """The opposite of a condition, or of a mask."""
    node = site.node
    parent = site.parent
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield Change(node.operand, OPPOSITE)
    elif isinstance(parent, ast.If) and node is parent.test:
        yield Change(ast.UnaryOp(ast.Not(), parent.test), CONDITION)
    elif isinstance(parent, ast.IfExp) and node is parent.test:
        yield Change(ast.UnaryOp(ast.Not(), parent.test), OPPOSITE)
    elif isinstance(parent, ast.Call) and node in parent.args:
        if name_of(parent) in ("where", "masked_fill") and isinstance(node, ast.expr):
            # Not `~`, which makes other whole numbers of 0 and 1.
            yield Change(ast.Compare(node, [ast.Eq()], [ast.Constant(0)]), OPPOSITE)


def not_needed(site: Site) -> Iterator[Change]:
    """A part that is left out: one side of an operation, a function around a value, an index, an argument."""
    node = site.node
    if isinstance(node, ast.BinOp):
        yield Change(node.left, NOT_NEEDED, node.right)
        if isinstance(node.op, ast.Add | ast.Mult | ast.MatMult):
            yield Change(node.right, NOT_NEEDED, node.left)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        if not isinstance(node.operand, ast.Constant):
            yield Change(node.operand, NOT_NEEDED)
    elif isinstance(node, ast.Call):
        if node.args:
            yield Change(node.args[0], NOT_NEEDED, node.func)
        if isinstance(node.func, ast.Attribute) and not _is_library(node.func.value):
            yield Change(node.func.value, NOT_NEEDED, node)
        for keyword in node.keywords:
            others = [other for other in node.keywords if other is not keyword]
            yield Change(site.like(keywords=others), NOT_NEEDED, keyword)
        if len(node.args) > 1:
            for argument in node.args:
                arguments = [other for other in node.args if other is not argument]
                yield Change(site.like(args=arguments), NOT_NEEDED, argument)
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield Change(node.value, INDEX_NOT_NEEDED)
    elif isinstance(node, ast.IfExp):
        yield Change(node.body, NOT_NEEDED, node)
        yield Change(node.orelse, NOT_NEEDED, node)


def other_transpose(site: Site) -> Iterator[Change]:
    """An array transposed, or not, or with its axes in another order."""
    node = site.node
    parent = site.parent
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        yield Change(node.value, OTHER_TRANSPOSE)
        return
    if isinstance(node, ast.Call) and name_of(node) in ("transpose", "permute"):
        for arguments in itertools.islice(itertools.permutations(node.args), 24):
            yield Change(site.like(args=list(arguments)), OTHER_TRANSPOSE)
    is_operand = isinstance(parent, ast.BinOp | ast.Return)
    is_operand = is_operand or (isinstance(parent, ast.Call) and node in parent.args)
    is_operand = is_operand or (isinstance(parent, ast.Assign) and node is parent.value)
    if is_operand and isinstance(node, ast.Name | ast.BinOp | ast.Call | ast.Subscript):
        if isinstance(node, ast.Name) and node.id not in site.names:
            return
        last_axes: list[ast.expr] = [ast.Constant(-1), ast.Constant(-2)]
        new = ast.Call(ast.Attribute(node, "swapaxes"), last_axes, [])
        yield Change(new, OTHER_TRANSPOSE)


def other_function(site: Site) -> Iterator[Change]:
    """A function that is often taken for the one that is called."""
    node = site.node
    if isinstance(node, ast.Attribute):
        for alternatives in ALTERNATIVES:
            if node.attr in alternatives:
                for name in sorted(alternatives - {node.attr}):
                    yield Change(ast.Attribute(node.value, name), OTHER_FUNCTION)
    if isinstance(node, ast.Call) and name_of(node) in ("max", "min"):
        if isinstance(node.func, ast.Name):
            key = ast.keyword("key", ast.Name("len"))
            yield Change(site.like(keywords=[key]), LONGEST)


def other_arguments(site: Site) -> Iterator[Change]:
    """Two arguments exchanged, or the items of a tuple, such as those of a shape or an index."""
    node = site.node
    if isinstance(node, ast.Call):
        for arguments in _exchanged(node.args):
            yield Change(site.like(args=arguments), OTHER_ARGUMENTS)
    elif isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
        for items in _exchanged(node.elts):
            yield Change(site.like(elts=items), OTHER_ITEMS)


def along(site: Site) -> Iterator[Change]:
    """An axis where none is given, or an axis that is kept."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    name = name_of(node)
    given = {keyword.arg for keyword in node.keywords}
    if name in REDUCTIONS and not given & {"keepdims", "keepdim"}:
        keep = ast.keyword("keepdims", ast.Constant(True))
        yield Change(site.like(keywords=[*node.keywords, keep]), NO_KEEPDIMS)
        if not given & {"axis", "dim"}:
            for axis in (-1, 0, -2):
                along_axis = ast.keyword("axis", ast.Constant(axis))
                yield Change(site.like(keywords=[along_axis, keep]), NO_AXIS)
    if name in REDUCTIONS | JOINS and not given & {"axis", "dim"}:
        for axis in (-1, 0, 1):
            along_axis = ast.keyword("axis", ast.Constant(axis))
            yield Change(site.like(keywords=[*node.keywords, along_axis]), NO_AXIS)


def other_object(site: Site) -> Iterator[Change]:
    """A copy instead of a second name, new objects instead of the same one, floats instead of whole numbers."""
    node = site.node
    parent = site.parent
    is_bound = isinstance(parent, ast.Assign) and node is parent.value
    if is_bound and isinstance(node, ast.Name | ast.Subscript):
        for method in ("copy", "clone"):
            yield Change(ast.Call(ast.Attribute(node, method), [], []), NO_COPY)
    if isinstance(node, ast.Call):
        name = name_of(node)
        if name in ("list", "tuple", "asarray") and node.args:
            copies = ast.parse("[x.copy() for x in items]", mode="eval").body
            assert isinstance(copies, ast.ListComp)
            copies.generators[0].iter = node.args[0]
            yield Change(copies, SAME_ITEMS)
        if name in LIKE_ANOTHER and node.args and isinstance(node.func, ast.Attribute):
            shape = ast.Attribute(node.args[0], "shape")
            function = ast.Attribute(node.func.value, LIKE_ANOTHER[name])
            yield Change(ast.Call(function, [shape], []), KEEPS_WHOLE_NUMBERS)
        if name == "append" and node.args and isinstance(node.func, ast.Attribute):
            copied = ast.Call(ast.Attribute(node.args[0], "copy"), [], [])
            yield Change(site.like(args=[copied]), SAME_APPENDED, node.args[0])
    if isinstance(node, ast.Assign) and len(node.targets) > 1:
        assignments: list[ast.stmt] = []
        for target in node.targets:
            assignments.append(ast.Assign([target], node.value, lineno=1))
        yield Change(ast.Module(assignments, []), TWO_NAMES)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for items, count in ((node.left, node.right), (node.right, node.left)):
            if isinstance(items, ast.List) and len(items.elts) == 1:
                rounds = ast.Call(ast.Name("range"), [count], [])
                loop = ast.comprehension(ast.Name("_"), rounds, [], 0)
                yield Change(ast.ListComp(items.elts[0], [loop]), SAME_OBJECT)


def other_grouping(site: Site) -> Iterator[Change]:
    """The same operations with other brackets."""
    node = site.node
    if not isinstance(node, ast.BinOp):
        return
    left = node.left
    right = node.right
    if isinstance(left, ast.BinOp):
        inner = ast.BinOp(left.right, node.op, right)
        yield Change(ast.BinOp(left.left, left.op, inner), BRACKETS)
        if isinstance(left.left, ast.BinOp):
            middle = ast.BinOp(left.left.right, left.op, left.right)
            whole = ast.BinOp(middle, node.op, right)
            yield Change(ast.BinOp(left.left.left, left.left.op, whole), BRACKETS)
    if isinstance(right, ast.BinOp):
        inner = ast.BinOp(left, node.op, right.left)
        yield Change(ast.BinOp(inner, right.op, right.right), BRACKETS)


def other_index(site: Site) -> Iterator[Change]:
    """An index along another axis."""
    node = site.node
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Tuple):
        return
    everything = ast.Slice()
    for indices in (
        [everything, node.slice],
        [everything, node.slice, ast.Constant(None)],
    ):
        new = site.like(slice=ast.Tuple(list(indices)))
        yield Change(new, OTHER_INDEX)
    rest = ast.Tuple([ast.Constant(...), node.slice])
    yield Change(site.like(slice=rest), OTHER_INDEX)


def other_size(site: Site) -> Iterator[Change]:
    """Another size: that along another axis, or that of another argument."""
    node = site.node
    if isinstance(node, ast.Call) and name_of(node) == "len" and len(node.args) == 1:
        shape = ast.Attribute(node.args[0], "shape")
        for axis in (1, 2, -1, -2):
            yield Change(ast.Subscript(shape, ast.Constant(axis)), OTHER_SIZE)
        return
    parent = site.parent
    counts = isinstance(parent, ast.Call) and name_of(parent) == "range"
    divides = isinstance(parent, ast.BinOp) and node is parent.right
    if not counts and not divides:
        return
    is_size = isinstance(node, ast.Name | ast.Subscript)
    if not is_size or (isinstance(node, ast.Name) and node.id not in site.names):
        return
    for name in site.parameters[:MOST_NAMES]:
        for axis in (0, 1, -1):
            shape = ast.Attribute(ast.Name(name), "shape")
            yield Change(ast.Subscript(shape, ast.Constant(axis)), OTHER_SIZE)


def square_root(site: Site) -> Iterator[Change]:
    """The square root of what is divided or multiplied by."""
    node = site.node
    parent = site.parent
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Div | ast.Mult):
        if node is parent.right and isinstance(node, ast.Name | ast.Subscript):
            yield Change(ast.BinOp(node, ast.Pow(), ast.Constant(0.5)), ROOT)


def other_multiple(site: Site) -> Iterator[Change]:
    """A multiple of a name in an index or a slice, as where each item has several rows."""
    node = site.node
    if not isinstance(site.parent, ast.Subscript) or node is not site.parent.slice:
        return
    names = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            names.add(inner.id)
    for name in sorted(names)[:MOST_NAMES]:
        for factor in (2, 3, 4):
            multiple = ast.BinOp(ast.Constant(factor), ast.Mult(), ast.Name(name))
            new = _Replacing(name, multiple).visit(copy.deepcopy(node))
            yield Change(new, OTHER_INDEX, site.parent)


def missing_step(site: Site) -> Iterator[Change]:
    """A step more: a term that is missing, shares that do not sum to 1, a condition for what is counted."""
    node = site.node
    parent = site.parent
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        for name in sorted(site.names)[:MOST_NAMES]:
            for operation in (ast.Sub(), ast.Add()):
                yield Change(ast.BinOp(node, operation, ast.Name(name)), TERM_MISSING)
    is_value = isinstance(parent, ast.Call) and node in parent.args
    is_value = is_value or isinstance(parent, ast.Return | ast.Assign)
    if is_value and isinstance(node, ast.Name) and node.id in site.names:
        total = ast.parse(f"{node.id}.sum(-1, keepdims=True)", mode="eval").body
        yield Change(ast.BinOp(node, ast.Div(), total), NO_SHARES)
    counts = isinstance(parent, ast.Call) and name_of(parent) in COUNTS
    if counts and isinstance(node, ast.Name | ast.Subscript):
        for text in CONDITIONS:
            condition = ast.parse(text, mode="eval").body
            assert isinstance(condition, ast.Compare)
            condition.left = node
            yield Change(condition, WHAT_COUNTS, parent)


def other_direction(site: Site) -> Iterator[Change]:
    """A loop from the end to the beginning."""
    node = site.node
    parent = site.parent
    if isinstance(parent, ast.For | ast.comprehension) and node is parent.iter:
        if isinstance(node, ast.expr):
            items = ast.Call(ast.Name("list"), [node], [])
            backwards = ast.Slice(step=ast.Constant(-1))
            yield Change(ast.Subscript(items, backwards), OTHER_DIRECTION)


def as_floats(site: Site) -> Iterator[Change]:
    """Floats where there may be whole numbers."""
    node = site.node
    parent = site.parent
    if isinstance(parent, ast.Assign) and node is parent.value:
        if isinstance(node, ast.Call | ast.Name):
            new = ast.BinOp(node, ast.Mult(), ast.Constant(1.0))
            yield Change(new, KEEPS_WHOLE_NUMBERS)


class _Replacing(ast.NodeTransformer):
    """Puts an expression in the place of a name."""

    def __init__(self, name: str, new: ast.expr) -> None:
        self.name = name
        self.new = new

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.new if node.id == self.name else node


def other_assignment(site: Site) -> Iterator[Change]:
    """An assignment that adds up, or one that does not."""
    node = site.node
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Name | ast.Subscript):
            new = ast.AugAssign(target, ast.Add(), node.value)
            yield Change(new, REPLACES)
    elif isinstance(node, ast.AugAssign):
        yield Change(ast.Assign([node.target], node.value, lineno=1), REPLACES)
        # A new object, where the old one should stay as it is.
        value = ast.BinOp(_loaded(node.target), node.op, node.value)
        yield Change(
            ast.Assign([node.target], value, lineno=1), CHANGED_IN_PLACE, node.target
        )
        for operation, others in OPERATIONS:
            if isinstance(node.op, operation):
                for other in others:
                    yield Change(site.like(op=other()), OTHER_OPERATION)


OF_OBJECTS: Sequence[MakeChanges] = (other_object, other_assignment)
"""What gives a value an object of its own."""
OPERATORS: Sequence[MakeChanges] = (
    other_object,
    other_assignment,
    other_name,
    one_off,
    other_number,
    other_operation,
    opposite,
    other_grouping,
    other_function,
    other_arguments,
    along,
    other_index,
    other_size,
    other_transpose,
    square_root,
    not_needed,
    other_multiple,
    other_direction,
    missing_step,
    as_floats,
)
"""What makes repairs, the most natural first. Statements that are moved or left out come after them."""


# Statements


@dataclass(frozen=True)
class Move:
    """A change of a function's statements: the function with it, the line, and the question about it."""

    function: ast.stmt
    line: int
    hint: str


def moves_in(function: ast.FunctionDef) -> Iterator[Move]:
    """Yield a function with one statement moved or left out."""
    for block_number, block in enumerate(_blocks_in(function)):
        for place, statement in enumerate(block):

            def moved(
                change: Callable[[list[ast.stmt]], object],
                hint: str,
                line: int = statement.lineno,
                number: int = block_number,
            ) -> Move:
                copied = copy.deepcopy(function)
                change(_blocks_in(copied)[number])
                return Move(copied, line, hint)

            if isinstance(statement, ast.For):
                for call in _reductions_in(statement):
                    hint = say(TAKEN_ANEW, old=_quoted(call))
                    yield moved(
                        _ComputeBefore(place, ast.unparse(call)), hint, call.lineno
                    )
            if isinstance(statement, ast.For | ast.While):
                for earlier in range(max(0, place - 3), place):
                    if isinstance(block[earlier], ast.Assign | ast.AugAssign):
                        into = _MoveInto(earlier, place)
                        yield moved(into, say(WITHIN_THE_LOOP), block[earlier].lineno)
                if len(statement.body) > 1:
                    last = statement.body[-1]
                    yield moved(_MoveOut(place), say(AFTER_THE_LOOP), last.lineno)
                if place + 1 < len(block):
                    later = block[place + 1]
                    yield moved(_MoveAtEnd(place), say(WITHIN_THE_LOOP), later.lineno)
            if place + 1 < len(block):
                yield moved(_Exchange(place), say(OTHER_PLACE))
            is_simple = isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr)
            if is_simple and len(block) > 1:
                yield moved(_LeaveOut(place), say(LINE_NOT_NEEDED))


def _reductions_in(loop: ast.For) -> Iterator[ast.Call]:
    """Yield the sums and the like that a loop without an inner loop computes in each round."""
    for node in ast.walk(loop):
        if isinstance(node, ast.For) and node is not loop:
            return
    for statement in loop.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and name_of(node) in REDUCTIONS:
                yield node


@dataclass(frozen=True)
class _ComputeBefore:
    """Compute an expression of a loop once, before the loop."""

    loop: int
    expression: str

    def __call__(self, block: list[ast.stmt]) -> None:
        loop = block[self.loop]
        for node in ast.walk(loop):
            for name, value in ast.iter_fields(node):
                if isinstance(value, ast.Call):
                    if ast.unparse(value) == self.expression:
                        setattr(node, name, ast.Name(COMPUTED))
        block.insert(self.loop, ast.parse(f"{COMPUTED} = {self.expression}").body[0])


@dataclass(frozen=True)
class _MoveInto:
    """Move a statement before a loop to the loop's beginning."""

    place: int
    loop: int

    def __call__(self, block: list[ast.stmt]) -> None:
        _body_of(block[self.loop]).insert(0, block[self.place])
        del block[self.place]


@dataclass(frozen=True)
class _MoveOut:
    """Move the last statement of a loop to the place after the loop."""

    loop: int

    def __call__(self, block: list[ast.stmt]) -> None:
        block.insert(self.loop + 1, _body_of(block[self.loop]).pop())


@dataclass(frozen=True)
class _MoveAtEnd:
    """Move the statement after a loop to the loop's end."""

    loop: int

    def __call__(self, block: list[ast.stmt]) -> None:
        _body_of(block[self.loop]).append(block.pop(self.loop + 1))


@dataclass(frozen=True)
class _Exchange:
    """Exchange a statement with the next one."""

    place: int

    def __call__(self, block: list[ast.stmt]) -> None:
        block.insert(self.place + 1, block.pop(self.place))


@dataclass(frozen=True)
class _LeaveOut:
    """Leave out a statement."""

    place: int

    def __call__(self, block: list[ast.stmt]) -> None:
        del block[self.place]


# All of them


def may_share_objects(function: WrittenFunction) -> bool:
    """Return whether a function changes something in place, and gives something a second name."""
    changes = False
    shares = False
    for node in ast.walk(function.definition.node):
        if isinstance(node, ast.AugAssign):
            changes = True
        if isinstance(node, ast.Assign):
            changes = changes or isinstance(node.targets[0], ast.Subscript)
            is_second_name = isinstance(node.value, ast.Name | ast.Subscript)
            shares = shares or is_second_name or len(node.targets) > 1
        if isinstance(node, ast.Call):
            shares = shares or name_of(node) in SHARING
    return changes and shares


def repairs_of(
    function: WrittenFunction, operators: Sequence[MakeChanges] = OPERATORS
) -> list[Repair]:
    """Return the repairs of a function, or of all methods of a class, each text once.

    Args:
        function: the function.
        operators: what makes them. Statements are moved only with all of them.
    """
    module = function.module
    repairs: dict[str, Repair] = {}

    def add(edits: Sequence[Edit], line: int, rank: int, hint: str) -> None:
        for definition in module.edited_parts(edits):
            if definition != function.text:
                repair = Repair(function, definition, line, rank, hint)
                repairs.setdefault(definition, repair)

    for name, definition in module.definitions.items():
        if name != function.name and not name.startswith(f"{function.name}."):
            continue
        alike: dict[tuple[int, str, str], list[Edit]] = {}
        first: dict[tuple[int, str, str], tuple[int, str]] = {}
        parents = {}
        for parent in ast.walk(definition.node):
            for child in ast.iter_child_nodes(parent):
                parents[id(child)] = parent
        for site, start, end in sites_in(module, name):
            line = getattr(site.node, "lineno", 0)
            around = _quoted(_surroundings(site.node, parents))
            for rank, make_changes in enumerate(operators):
                for change in make_changes(site):
                    old = _quoted(change.old or site.node)
                    if around == old:
                        around = function.line(line)
                    hint = say(change.hint, old=old, around=around)
                    edit = Edit(start, end, _written(change.new, site))
                    add([edit], line, rank, hint)
                    key = (rank, module.text[start:end], edit.new)
                    alike.setdefault(key, []).append(edit)
                    first.setdefault(key, (line, hint))
        # The same change at a few places at once.
        for key, edits in alike.items():
            if 1 < len(edits) <= MOST_PLACES and not _overlap(edits):
                line, hint = first[key]
                add(edits, line, len(OPERATORS), hint)
        if isinstance(definition.node, ast.FunctionDef) and operators is OPERATORS:
            margin = " " * definition.node.col_offset
            for move in moves_in(definition.node):
                text = textwrap.indent(ast.unparse(move.function), margin)
                whole = Edit(definition.start, definition.end, text)
                add([whole], move.line, len(OPERATORS) + 1, move.hint)
    return sorted(repairs.values(), key=lambda repair: repair.rank)


def _overlap(edits: Sequence[Edit]) -> bool:
    pairs = itertools.combinations(edits, 2)
    return any(clash([edit], [other]) for edit, other in pairs)


def _written(new: ast.AST, site: Site) -> str:
    """Write what stands at a site; a statement's further lines get its margin."""
    if not isinstance(new, ast.stmt | ast.Module):
        return text_of(new, site)
    margin = " " * getattr(site.node, "col_offset", 0)
    return textwrap.indent(ast.unparse(ast.fix_missing_locations(new)), margin).lstrip()


def _quoted(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    if len(text) > LONGEST_QUOTE:
        return f"{text[:LONGEST_QUOTE]}…"
    return text


def _surroundings(node: ast.AST, parents: Mapping[int, ast.AST]) -> ast.AST:
    """Return the expression around a name or a number, where it is short: `V[i]` says more than `i`."""
    around = node
    ancestor = parents.get(id(node))
    while isinstance(ancestor, ast.expr | ast.slice | ast.keyword | ast.comprehension):
        if isinstance(ancestor, WHOLE):
            if len(ast.unparse(ancestor)) <= LONGEST_QUOTE:
                return ancestor
            return around
        ancestor = parents.get(id(ancestor))
    return around


def _number_in(node: ast.AST) -> int | None:
    """Return a whole number, with its sign; also one that is written as a float, such as 0.0."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _number_in(node.operand)
        return None if number is None else -number
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
        return None
    if isinstance(node.value, int | float) and abs(node.value) < LARGEST_NUMBER:
        if node.value == int(node.value):
            return int(node.value)
    return None


def _exchanged(items: Sequence[ast.expr]) -> Iterator[list[ast.expr]]:
    """Yield a list of expressions with each pair of them exchanged."""
    for first, second in itertools.combinations(range(len(items)), 2):
        exchanged = list(items)
        exchanged[first] = items[second]
        exchanged[second] = items[first]
        yield exchanged


def _is_library(node: ast.expr) -> bool:
    return ast.unparse(node).split(".")[0] in LIBRARIES


def _loaded(target: ast.expr) -> ast.expr:
    """Return what is assigned to, as an expression that is read."""
    return ast.parse(ast.unparse(target), mode="eval").body


def _blocks_in(function: ast.stmt) -> list[list[ast.stmt]]:
    """Return all lists of statements in a function, in a fixed order."""
    blocks = []
    for node in ast.walk(function):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                blocks.append(block)
    return blocks


def _body_of(loop: ast.stmt) -> list[ast.stmt]:
    assert isinstance(loop, ast.For | ast.While)
    return loop.body
