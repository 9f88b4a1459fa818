"""Repairs: a student's function with one step changed, made systematically, to find the step that is wrong.

What sets all answers right names the place, whatever is wrong there; ``repair_search.py`` runs the repairs. The
sentence for the student names the place and asks a question, and leaves the new code to the student.

Each question stands above the changes that belong to it. Changes that depend on the node alone are rows of a table,
in the letters of ``formulas.py``; those that depend on what is around the node are made by functions.
"""

from __future__ import annotations

import ast
import copy
import itertools
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.language import say
from autograder.reasons.formulas import Row, RowTable, filled, with_letters
from autograder.reasons.moved_statements import REDUCTIONS, moves_in
from autograder.reasons.sites import LONGEST_QUOTE, Site, quoted, sites_in, text_of
from autograder.reasons.source_text import Definition, Edit, SourceText, clash
from autograder.reasons.student_code import WrittenFunction
from autograder.reasons.vocabulary import LIBRARIES, name_of

MOST_NAMES = 12
"""So many other names are tried in the place of one."""
MOST_PLACES = 4
"""The same change is made at so many places at once."""
MOST_ORDERS = 24
"""So many orders of the axes are tried in a transpose."""
WHOLE = ast.Subscript | ast.BinOp | ast.Call | ast.Compare
"""Expressions that can be read by themselves."""


@dataclass(frozen=True)
class CodeRepair:
    """A student's function with one step changed.

    Attributes:
        function: the function or class that is changed.
        definition: its text with the change.
        lines: the numbers of the changed lines in the file or cell.
        rank: of repairs that all set the answers right, one of the lowest rank is the most natural.
        hint: what to ask the student about the line, in the student's language.
    """

    function: WrittenFunction
    definition: str
    lines: tuple[int, ...]
    rank: int
    hint: str


@dataclass(frozen=True)
class NodeChange:
    """What may stand in the place of a node.

    Attributes:
        new: what may stand there.
        question: the question about what stands there.
        old: the part that the question names; by default the node.
    """

    new: ast.AST
    question: str
    old: ast.AST | None = None


MakeChanges = Callable[[Site], Iterator[NodeChange]]


def formulas(rows: Sequence[Row], about: str = "") -> MakeChanges:
    """Return the operator that makes the changes of a table.

    Args:
        rows: a formula, what may stand in its place, and the question.
        about: the letter that the question names; by default it names the whole formula.
    """
    table = RowTable(rows)

    def changes(site: Site) -> Iterator[NodeChange]:
        for match in table.matches(site.node):
            yield NodeChange(match.new, match.says, match.letters.get(about))

    return changes


def exchanges(
    form: str, others: Mapping[str, Sequence[str]], question: str
) -> list[Row]:
    """Return the rows that put another operator into a formula such as ``a {} b``."""
    rows = []
    for operator, other_operators in others.items():
        for other in other_operators:
            rows.append((form.format(operator), form.format(other), question))
    return rows


# Surroundings


def is_assigned(site: Site) -> bool:
    """Return whether a node is the value of an assignment."""
    parent = site.parent
    return isinstance(parent, ast.Assign) and site.node is parent.value


def is_argument(site: Site) -> bool:
    """Return whether a node is a positional argument of a call."""
    parent = site.parent
    return isinstance(parent, ast.Call) and site.node in parent.args


def is_within_call(site: Site, *names: str) -> bool:
    """Return whether a node is directly within a call of a function of one of some names."""
    parent = site.parent
    return isinstance(parent, ast.Call) and name_of(parent) in names


def is_index(site: Site) -> bool:
    """Return whether a node is what stands in an index's brackets."""
    parent = site.parent
    return isinstance(parent, ast.Subscript) and site.node is parent.slice


def is_condition(site: Site) -> bool:
    """Return whether a node is the condition of an ``if``."""
    parent = site.parent
    return isinstance(parent, ast.If) and site.node is parent.test


def is_foreign_name(site: Site) -> bool:
    """Return whether a node is a name of something outside, and no argument or variable of the function."""
    return isinstance(site.node, ast.Name) and site.node.id not in site.names


# Copies and second names

VIEW = "`{old}` shares its numbers with the whole, and is no copy: what changes one changes the other."
NO_COPY = "`{old}` is the same object under another name, and no copy: what changes one changes the other."


def second_name(site: Site) -> Iterator[NodeChange]:
    """A copy where an object gets a second name."""
    node = site.node
    if is_assigned(site) and isinstance(node, ast.Name | ast.Subscript):
        question = VIEW if isinstance(node, ast.Subscript) else NO_COPY
        yield NodeChange(filled("a.copy()", a=node), question)
        yield NodeChange(filled("a.clone()", a=node), question)


SAME_ITEMS = (
    "`{old}` makes a new list, and puts the same arrays into it: what changes an array "
    "there changes the old one."
)
SAME_OBJECT = "`{old}` holds the same object at each place, and not a new one."
KEEPS_WHOLE_NUMBERS = "`{old}` has the type of its argument: from whole numbers it makes an array of whole numbers."
NEW_OBJECTS = (
    ("list(a)", "[x.copy() for x in a]", SAME_ITEMS),
    ("tuple(a)", "[x.copy() for x in a]", SAME_ITEMS),
    ("asarray(a, ...)", "[x.copy() for x in a]", SAME_ITEMS),
    ("m.asarray(a, ...)", "[x.copy() for x in a]", SAME_ITEMS),
    ("[a] * b", "[a for _ in range(b)]", SAME_OBJECT),
    ("a * [b]", "[b for _ in range(a)]", SAME_OBJECT),
    ("m.zeros_like(a, ...)", "m.zeros(a.shape)", KEEPS_WHOLE_NUMBERS),
    ("m.empty_like(a, ...)", "m.zeros(a.shape)", KEEPS_WHOLE_NUMBERS),
    ("m.ones_like(a, ...)", "m.ones(a.shape)", KEEPS_WHOLE_NUMBERS),
)
SAME_APPENDED = (
    "`{old}` itself goes into the list, and no copy: what changes it later changes the "
    "item, too."
)
APPENDED = (("m.append(a)", "m.append(a.copy())", SAME_APPENDED),)
TWO_NAMES = "`{old}` gives one object several names, and makes no copy."


def several_names(site: Site) -> Iterator[NodeChange]:
    """An assignment for each name of one with several."""
    node = site.node
    if isinstance(node, ast.Assign) and len(node.targets) > 1:
        assignments = []
        for target in node.targets:
            assignment = filled("a = b", a=target, b=node.value)
            assignments.append(assignment)
        yield NodeChange(ast.Module(assignments, []), TWO_NAMES)


def as_floats(site: Site) -> Iterator[NodeChange]:
    """Floats where there may be whole numbers."""
    if is_assigned(site) and isinstance(site.node, ast.Call | ast.Name):
        yield NodeChange(filled("a * 1.0", a=site.node), KEEPS_WHOLE_NUMBERS)


# Operations

OTHER_OPERATORS = {
    "+": ["-", "*"],
    "-": ["+", "/"],
    "*": ["/", "@", "+", "**"],
    "/": ["*", "//", "-"],
    "//": ["/", "%"],
    "%": ["//"],
    "@": ["*"],
    "**": ["*"],
    "&": ["|"],
    "|": ["&"],
}
"""What may stand in the place of an operator."""
OTHER_OPERATION = "Is the operation in `{old}` the right one?"
OPERATIONS = exchanges("a {} b", OTHER_OPERATORS, OTHER_OPERATION)
OPERATIONS_IN_PLACE = exchanges("a {}= b", OTHER_OPERATORS, OTHER_OPERATION)
JUNCTIONS = (
    ("a and b", "a or b", OTHER_OPERATION),
    ("a or b", "a and b", OTHER_OPERATION),
    ("a and b and c", "a or b or c", OTHER_OPERATION),
    ("a or b or c", "a and b and c", OTHER_OPERATION),
)
OTHER_ORDER = "Are the two sides of `{old}` in the right order?"
SIDES = (
    ("a - b", "b - a", OTHER_ORDER),
    ("a / b", "b / a", OTHER_ORDER),
    ("a // b", "b // a", OTHER_ORDER),
    ("a @ b", "b @ a", OTHER_ORDER),
    ("a ** b", "b ** a", OTHER_ORDER),
)
BRACKETS = "Are the brackets in `{old}` right?"


def other_grouping(site: Site) -> Iterator[NodeChange]:
    """The same operations with other brackets."""
    node = site.node
    if not isinstance(node, ast.BinOp):
        return
    left = node.left
    right = node.right
    if isinstance(left, ast.BinOp):
        # a + b * c from (a + b) * c
        inner = ast.BinOp(left.right, node.op, right)
        new = ast.BinOp(left.left, left.op, inner)
        yield NodeChange(new, BRACKETS)
        first = left.left
        if isinstance(first, ast.BinOp):
            # a ** (b * c / d) from a ** b * c / d
            middle = ast.BinOp(first.right, left.op, left.right)
            inner = ast.BinOp(middle, node.op, right)
            new = ast.BinOp(first.left, first.op, inner)
            yield NodeChange(new, BRACKETS)
    if isinstance(right, ast.BinOp):
        # (a * b) + c from a * (b + c)
        inner = ast.BinOp(left, node.op, right.left)
        new = ast.BinOp(inner, right.op, right.right)
        yield NodeChange(new, BRACKETS)


ROOT = "Should it be `{old}` or its square root?"


def square_root(site: Site) -> Iterator[NodeChange]:
    """The square root of what is divided or multiplied by."""
    node = site.node
    parent = site.parent
    if not isinstance(parent, ast.BinOp) or node is not parent.right:
        return
    if not isinstance(parent.op, ast.Div | ast.Mult):
        return
    if isinstance(node, ast.Name | ast.Subscript):
        yield NodeChange(filled("a ** 0.5", a=node), ROOT)


TERM_MISSING = "Is a term missing in `{old}`?"


def missing_term(site: Site) -> Iterator[NodeChange]:
    """One more term in a sum or a difference."""
    node = site.node
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add | ast.Sub):
        return
    names = sorted(site.names)
    for name in names[:MOST_NAMES]:
        term = ast.Name(name)
        yield NodeChange(ast.BinOp(node, ast.Sub(), term), TERM_MISSING)
        yield NodeChange(ast.BinOp(node, ast.Add(), term), TERM_MISSING)


NO_SHARES = "Do the numbers in `{old}` sum to 1 there?"


def missing_shares(site: Site) -> Iterator[NodeChange]:
    """A division by the sum, for numbers that do not sum to 1."""
    node = site.node
    is_value = is_argument(site) or isinstance(site.parent, ast.Return | ast.Assign)
    if is_value and isinstance(node, ast.Name) and node.id in site.names:
        yield NodeChange(filled("a / a.sum(-1, keepdims=True)", a=node), NO_SHARES)


# Assignments

REPLACES = (
    "Does `{old}` replace what should be added up, or add up what should be replaced?"
)
CHANGED_IN_PLACE = "This changes `{old}` itself, for all that hold it."


def other_assignment(site: Site) -> Iterator[NodeChange]:
    """An assignment that adds up, or one that does not."""
    node = site.node
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Name | ast.Subscript):
            yield NodeChange(filled("a += b", a=target, b=node.value), REPLACES)
    elif isinstance(node, ast.AugAssign):
        target = node.target
        yield NodeChange(filled("a = b", a=target, b=node.value), REPLACES)
        # A new object, where the old one should stay as it is.
        value = ast.BinOp(target, node.op, node.value)
        yield NodeChange(filled("a = b", a=target, b=value), CHANGED_IN_PLACE, target)


# Comparisons and conditions

OTHER_COMPARISONS = {
    "<": ["<=", ">", ">="],
    "<=": ["<", ">", ">="],
    ">": ["<", "<=", ">="],
    ">=": ["<", "<=", ">"],
    "==": ["!="],
    "!=": ["=="],
    "is": ["is not"],
    "is not": ["is"],
    "in": ["not in"],
    "not in": ["in"],
}
OTHER_COMPARISON = "Is the comparison in `{old}` the right one?"
CONDITION = "When should the lines under `if {old}:` run, and are they right?"
COMPARISONS = formulas(exchanges("a {} b", OTHER_COMPARISONS, OTHER_COMPARISON))


def other_comparison(site: Site) -> Iterator[NodeChange]:
    """Another comparison; of an ``if``, the question is about the lines under it, too."""
    for change in COMPARISONS(site):
        if isinstance(site.parent, ast.If):
            change = replace(change, question=CONDITION)
        yield change


OPPOSITE = "Should `{old}` be the opposite?"


def opposite(site: Site) -> Iterator[NodeChange]:
    """The opposite of a condition, or of a mask."""
    node = site.node
    parent = site.parent
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield NodeChange(node.operand, OPPOSITE)
    elif is_condition(site):
        yield NodeChange(filled("not a", a=node), CONDITION)
    elif isinstance(parent, ast.IfExp) and node is parent.test:
        yield NodeChange(filled("not a", a=node), OPPOSITE)
    elif is_argument(site) and is_within_call(site, "where", "masked_fill"):
        # Not `~`, which makes other whole numbers of 0 and 1.
        yield NodeChange(filled("a == 0", a=node), OPPOSITE)


WHAT_COUNTS = "Does `{old}` count what should count?"
COUNTED = ("a >= 0", "a > 0", "a != 0", "a == 0", "a != -1")


def what_counts(site: Site) -> Iterator[NodeChange]:
    """A condition for what is counted."""
    node = site.node
    if not is_within_call(site, "count_nonzero", "sum", "where", "len", "mean"):
        return
    if isinstance(node, ast.Name | ast.Subscript):
        for condition in COUNTED:
            yield NodeChange(filled(condition, a=node), WHAT_COUNTS, site.parent)


# Names and numbers

OTHER_NAME = "Is `{old}` the right name in `{around}`?"


def other_name(site: Site) -> Iterator[NodeChange]:
    """Another variable of the function, or another attribute of ``self``."""
    node = site.node
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if node.id not in site.names:
            return
        length = len(node.id)
        names = sorted({*site.names} - {node.id})
        names.sort(key=lambda name: abs(len(name) - length))
        for name in names[:MOST_NAMES]:
            yield NodeChange(ast.Name(name), OTHER_NAME)
    elif isinstance(node, ast.Attribute) and node.attr in site.attributes:
        attributes = sorted({*site.attributes} - {node.attr})
        for attribute in attributes[:MOST_NAMES]:
            yield NodeChange(ast.Attribute(node.value, attribute), OTHER_NAME)


LARGEST_NUMBER = 1e6
NUMBERS = (0, 1, -1, 2, -2)
OTHER_NUMBER = "Is `{old}` the right number in `{around}`?"
OTHER_AXIS = "Is `{old}` the right axis?"


def other_number(site: Site) -> Iterator[NodeChange]:
    """Another whole number; of a number without decimals that begins a search, minus infinity."""
    parent = site.parent
    number = _number_in(site.node)
    if number is None:
        return
    if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.USub):
        return  # the number is tried with its sign
    question = OTHER_NUMBER
    old = None
    if isinstance(parent, ast.keyword) and parent.arg in ("axis", "dim"):
        question = OTHER_AXIS
        old = parent
    others = dict.fromkeys((number + 1, number - 1, *NUMBERS))
    for other in others:
        if other != number:
            yield NodeChange(ast.Constant(other), question, old)
    if number == 0 and isinstance(parent, ast.Assign | ast.Call):
        yield NodeChange(filled("-float('inf')"), question, old)


def _number_in(node: ast.AST) -> int | None:
    """Return a whole number, with its sign; also one that is written as a float, such as 0.0."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _number_in(node.operand)
        return None if number is None else -number
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
        return None
    value = node.value
    if not isinstance(value, int | float) or not abs(value) < LARGEST_NUMBER:
        return None
    return int(value) if value == int(value) else None


ONE_OFF = "Is `{old}` in `{around}` one too many or one too few?"


def one_off(site: Site) -> Iterator[NodeChange]:
    """One more or one less, where things are counted: in an index, a slice, a ``range`` or a comparison."""
    node = site.node
    counts = isinstance(site.parent, ast.Slice | ast.Compare)
    counts = counts or is_index(site) or is_within_call(site, "range")
    if not counts or isinstance(node, ast.Slice | ast.Tuple | ast.Constant):
        return
    if isinstance(node, ast.expr):
        yield NodeChange(filled("a + 1", a=node), ONE_OFF)
        yield NodeChange(filled("a - 1", a=node), ONE_OFF)


# Functions and their arguments

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
OTHER_FUNCTION = "Is `{old}` the right function?"


def other_function(site: Site) -> Iterator[NodeChange]:
    """A function that is often taken for the one that is called."""
    node = site.node
    if not isinstance(node, ast.Attribute):
        return
    for alternatives in ALTERNATIVES:
        if node.attr in alternatives:
            for name in sorted(alternatives - {node.attr}):
                yield NodeChange(ast.Attribute(node.value, name), OTHER_FUNCTION)


LONGEST = "`{old}` compares texts letter by letter: is it their length that counts?"


def longest(site: Site) -> Iterator[NodeChange]:
    """The longest or shortest text, and not the last or first of the alphabet."""
    node = site.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return
    if node.func.id in ("max", "min"):
        key = ast.keyword("key", ast.Name("len"))
        yield NodeChange(site.like(keywords=[key]), LONGEST)


OTHER_ARGUMENTS = "Are the arguments of `{old}` in the right order?"
OTHER_ITEMS = "Are the items of `{old}` in the right order?"


def other_arguments(site: Site) -> Iterator[NodeChange]:
    """Two arguments exchanged, or the items of a tuple, such as those of a shape or an index."""
    node = site.node
    if isinstance(node, ast.Call):
        for arguments in _exchanged(node.args):
            yield NodeChange(site.like(args=arguments), OTHER_ARGUMENTS)
    elif isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
        for items in _exchanged(node.elts):
            yield NodeChange(site.like(elts=items), OTHER_ITEMS)


def _exchanged(items: Sequence[ast.expr]) -> Iterator[list[ast.expr]]:
    """Yield a list of expressions with each pair of them exchanged."""
    for first, second in itertools.combinations(range(len(items)), 2):
        exchanged = list(items)
        exchanged[first] = items[second]
        exchanged[second] = items[first]
        yield exchanged


JOINS = frozenset({"append", "concatenate", "stack", "cat", "repeat"})
NO_AXIS = "Along which axis does `{old}` go?"
NO_KEEPDIMS = (
    "Which axes has `{old}`? `keepdims=True` keeps the one that it takes away."
)


def along(site: Site) -> Iterator[NodeChange]:
    """An axis where none is given, or an axis that is kept."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    name = name_of(node)
    keywords = {keyword.arg for keyword in node.keywords}
    keeps = bool(keywords & {"keepdims", "keepdim"})
    has_axis = bool(keywords & {"axis", "dim"})
    keep = ast.keyword("keepdims", ast.Constant(True))
    if name in REDUCTIONS and not keeps:
        yield NodeChange(site.like(keywords=[*node.keywords, keep]), NO_KEEPDIMS)
        if not has_axis:
            for axis in _axes(-1, 0, -2):
                yield NodeChange(site.like(keywords=[axis, keep]), NO_AXIS)
    if name in REDUCTIONS | JOINS and not has_axis:
        for axis in _axes(-1, 0, 1):
            yield NodeChange(site.like(keywords=[*node.keywords, axis]), NO_AXIS)


def _axes(*numbers: int) -> Iterator[ast.keyword]:
    for number in numbers:
        yield ast.keyword("axis", ast.Constant(number))


# Indices, sizes and axes

OTHER_INDEX = "Is the index in `{old}` the right one?"
INDICES = (
    ("a[i]", "a[:, i]", OTHER_INDEX),
    ("a[i]", "a[:, i, None]", OTHER_INDEX),
    ("a[i]", "a[..., i]", OTHER_INDEX),
)


def other_multiple(site: Site) -> Iterator[NodeChange]:
    """A multiple of a name in an index or a slice, as where each item has several rows."""
    node = site.node
    if not is_index(site):
        return
    names = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            names.add(inner.id)
    for name in sorted(names)[:MOST_NAMES]:
        for factor in (2, 3, 4):
            multiple = ast.BinOp(ast.Constant(factor), ast.Mult(), ast.Name(name))
            new = with_letters(copy.deepcopy(node), {name: multiple})
            yield NodeChange(new, OTHER_INDEX, site.parent)


OTHER_SIZE = "Is `{old}` the right size?"
LENGTHS = (
    ("len(a)", "a.shape[1]", OTHER_SIZE),
    ("len(a)", "a.shape[2]", OTHER_SIZE),
    ("len(a)", "a.shape[-1]", OTHER_SIZE),
    ("len(a)", "a.shape[-2]", OTHER_SIZE),
)
SIZES = ("a.shape[0]", "a.shape[1]", "a.shape[-1]")


def other_size(site: Site) -> Iterator[NodeChange]:
    """A size of an argument, where something is counted or divided."""
    node = site.node
    parent = site.parent
    divides = isinstance(parent, ast.BinOp) and node is parent.right
    if not divides and not is_within_call(site, "range"):
        return
    if not isinstance(node, ast.Name | ast.Subscript) or is_foreign_name(site):
        return
    for name in site.parameters[:MOST_NAMES]:
        for size in SIZES:
            yield NodeChange(filled(size, a=ast.Name(name)), OTHER_SIZE)


OTHER_TRANSPOSE = "Is `{old}` transposed as it should be?"
TRANSPOSES = (
    ("a.T", "a", OTHER_TRANSPOSE),
    ("a.mT", "a", OTHER_TRANSPOSE),
)


def other_axes(site: Site) -> Iterator[NodeChange]:
    """The axes of a transpose in another order."""
    node = site.node
    if isinstance(node, ast.Call) and name_of(node) in ("transpose", "permute"):
        orders = itertools.permutations(node.args)
        for order in itertools.islice(orders, MOST_ORDERS):
            yield NodeChange(site.like(args=list(order)), OTHER_TRANSPOSE)


def not_transposed(site: Site) -> Iterator[NodeChange]:
    """A transpose of an operand, an argument or a result."""
    node = site.node
    is_operand = isinstance(site.parent, ast.BinOp | ast.Return)
    is_operand = is_operand or is_argument(site) or is_assigned(site)
    if not is_operand or is_foreign_name(site):
        return
    if isinstance(node, ast.Name | ast.BinOp | ast.Call | ast.Subscript):
        yield NodeChange(filled("a.swapaxes(-1, -2)", a=node), OTHER_TRANSPOSE)


OTHER_DIRECTION = "Does the loop go in the right direction?"


def other_direction(site: Site) -> Iterator[NodeChange]:
    """A loop from the end to the beginning."""
    node = site.node
    parent = site.parent
    if isinstance(parent, ast.For | ast.comprehension) and node is parent.iter:
        yield NodeChange(filled("list(a)[::-1]", a=node), OTHER_DIRECTION)


# Parts that are not needed

NOT_NEEDED = "Is `{old}` needed there?"
RIGHT_SIDES = (
    ("a + b", "a", NOT_NEEDED),
    ("a - b", "a", NOT_NEEDED),
    ("a * b", "a", NOT_NEEDED),
    ("a / b", "a", NOT_NEEDED),
    ("a // b", "a", NOT_NEEDED),
    ("a % b", "a", NOT_NEEDED),
    ("a @ b", "a", NOT_NEEDED),
    ("a ** b", "a", NOT_NEEDED),
    ("a & b", "a", NOT_NEEDED),
    ("a | b", "a", NOT_NEEDED),
    ("a ^ b", "a", NOT_NEEDED),
    ("a << b", "a", NOT_NEEDED),
    ("a >> b", "a", NOT_NEEDED),
)
LEFT_SIDES = (
    ("a + b", "b", NOT_NEEDED),
    ("a * b", "b", NOT_NEEDED),
    ("a @ b", "b", NOT_NEEDED),
)
CALLS = (("f(a, ...)", "a", NOT_NEEDED),)
SIGNS_AND_CASES = (
    ("-a", "a", NOT_NEEDED),
    ("a if b else c", "a", NOT_NEEDED),
    ("a if b else c", "c", NOT_NEEDED),
)


def method_not_needed(site: Site) -> Iterator[NodeChange]:
    """The array itself, and not what its method returns."""
    node = site.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    array = node.func.value
    first_name = ast.unparse(array).split(".")[0]
    if first_name not in LIBRARIES:
        yield NodeChange(array, NOT_NEEDED)


def argument_not_needed(site: Site) -> Iterator[NodeChange]:
    """A call without one of its arguments."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    for place, keyword in enumerate(node.keywords):
        keywords = list(node.keywords)
        del keywords[place]
        yield NodeChange(site.like(keywords=keywords), NOT_NEEDED, keyword)
    if len(node.args) == 1:
        return
    for place, argument in enumerate(node.args):
        arguments = list(node.args)
        del arguments[place]
        yield NodeChange(site.like(args=arguments), NOT_NEEDED, argument)


INDEX_NOT_NEEDED = "Is the index in `{old}` needed?"


def index_not_needed(site: Site) -> Iterator[NodeChange]:
    """All of an array, where a part of it is read."""
    node = site.node
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield NodeChange(node.value, INDEX_NOT_NEEDED)


# All of them

EquallyNatural = Sequence[MakeChanges]
"""Operators of one rank."""

OF_OBJECTS: Sequence[EquallyNatural] = (
    [second_name, formulas(NEW_OBJECTS), formulas(APPENDED, about="a"), several_names],
    [other_assignment, formulas(OPERATIONS_IN_PLACE)],
)
"""What gives a value an object of its own."""
OPERATORS: Sequence[EquallyNatural] = (
    *OF_OBJECTS,
    [other_name],
    [one_off],
    [other_number],
    [formulas(OPERATIONS), formulas(SIDES), formulas(JUNCTIONS), other_comparison],
    [opposite],
    [other_grouping],
    [other_function, longest],
    [other_arguments],
    [along],
    [formulas(INDICES)],
    [formulas(LENGTHS), other_size],
    [formulas(TRANSPOSES), other_axes, not_transposed],
    [square_root],
    [
        formulas(RIGHT_SIDES, about="b"),
        formulas(LEFT_SIDES, about="a"),
        formulas(CALLS, about="f"),
        formulas(SIGNS_AND_CASES),
        method_not_needed,
        argument_not_needed,
        index_not_needed,
    ],
    [other_multiple],
    [other_direction],
    [missing_term, missing_shares, what_counts],
    [as_floats],
)
"""What makes repairs, the most natural first. Statements that are moved or left out come after them."""
RANK_OF_NEW_OBJECTS = 0
RANK_OF_SEVERAL_PLACES = len(OPERATORS)
RANK_OF_MOVES = len(OPERATORS) + 1


@dataclass(frozen=True)
class _Draft:
    """Edits that make a repair, with its lines, rank and hint, and the expression around it."""

    edits: Sequence[Edit]
    lines: Sequence[int]
    rank: int
    hint: str
    around: str = ""


def repairs_of(
    function: WrittenFunction, operators: Sequence[EquallyNatural] = OPERATORS
) -> list[CodeRepair]:
    """Return the repairs of a function, or of all methods of a class, each text once.

    Args:
        function: the function.
        operators: what makes them. Statements are moved only with all of them.
    """
    module = function.module
    drafts: list[_Draft] = []
    for name, definition in module.definitions.items():
        if name != function.name and not name.startswith(f"{function.name}."):
            continue
        single_changes = list(_single_changes(function, name, operators))
        drafts += single_changes
        drafts += _at_several_places(module, single_changes)
        if operators is OPERATORS:
            drafts += _moves(definition)

    repairs: dict[str, CodeRepair] = {}
    for draft in drafts:
        for text in module.edited_parts(draft.edits):
            if text != function.text:
                repair = CodeRepair(
                    function, text, tuple(draft.lines), draft.rank, draft.hint
                )
                repairs.setdefault(text, repair)
    return sorted(repairs.values(), key=lambda repair: repair.rank)


def _single_changes(
    function: WrittenFunction, name: str, operators: Sequence[EquallyNatural]
) -> Iterator[_Draft]:
    """Yield the changes of one node of a function, or of a method named ``Class.method``."""
    module = function.module
    parents = _parents_in(module.definitions[name])
    for site, start, end in sites_in(module, name):
        # What questions quote.
        line = getattr(site.node, "lineno", 0)
        node_text = quoted(site.node)
        around = quoted(_surroundings(site.node, parents))
        if around == node_text:
            around = function.line(line)

        for rank, equally_natural in enumerate(operators):
            for make_changes in equally_natural:
                for change in make_changes(site):
                    old = node_text
                    if change.old is not None:
                        old = quoted(change.old)
                    hint = say(change.question, old=old, around=around)
                    edit = Edit(start, end, _written(change.new, site))
                    yield _Draft([edit], [line], rank, hint, around)


def _at_several_places(
    module: SourceText, single_changes: Iterable[_Draft]
) -> Iterator[_Draft]:
    """Yield each change that can be made at a few places, made at all of them at once.

    The places are all in which the same stands, or all within equal expressions, such as all `V[i]`.
    """
    drafts_by_change: dict[tuple[Any, ...], list[_Draft]] = {}
    for draft in single_changes:
        [edit] = draft.edits
        old = module.text[edit.start : edit.end]
        change = (draft.rank, old, edit.new)
        within = (*change, draft.around)
        drafts_by_change.setdefault(change, []).append(draft)
        drafts_by_change.setdefault(within, []).append(draft)
    for drafts in drafts_by_change.values():
        if not 1 < len(drafts) <= MOST_PLACES:
            continue
        edits: list[Edit] = []
        lines: set[int] = set()
        for draft in drafts:
            edits += draft.edits
            lines.update(draft.lines)
        if not _overlap(edits):
            hint = drafts[0].hint
            yield _Draft(edits, sorted(lines), RANK_OF_SEVERAL_PLACES, hint)


def _overlap(edits: Sequence[Edit]) -> bool:
    pairs = itertools.combinations(edits, 2)
    return any(clash([edit], [other]) for edit, other in pairs)


def _moves(definition: Definition) -> Iterator[_Draft]:
    """Yield the changes of a function's statements; a class itself has none."""
    node = definition.node
    if not isinstance(node, ast.FunctionDef):
        return
    for move in moves_in(node):
        text = _indented(move.function, node)
        whole = Edit(definition.start, definition.end, text)
        yield _Draft([whole], [move.line], RANK_OF_MOVES, move.hint)


def _written(new: ast.AST, site: Site) -> str:
    """Write what stands at a site; a statement's further lines get its margin."""
    if isinstance(new, ast.stmt | ast.Module):
        return _indented(new, site.node).lstrip()
    return text_of(new, site)


def _indented(new: ast.stmt | ast.Module, old: ast.AST) -> str:
    """Write statements with the margin of the old one."""
    margin = " " * getattr(old, "col_offset", 0)
    complete = ast.fix_missing_locations(new)
    return textwrap.indent(ast.unparse(complete), margin)


def _parents_in(definition: Definition) -> Mapping[int, ast.AST]:
    """Return the parent of each node in a function, by the node's ``id``."""
    parents = {}
    for parent in ast.walk(definition.node):
        for child in ast.iter_child_nodes(parent):
            parents[id(child)] = parent
    return parents


def _surroundings(node: ast.AST, parents: Mapping[int, ast.AST]) -> ast.AST:
    """Return the expression around a name or a number, where it is short: `V[i]` says more than `i`."""
    ancestor = parents.get(id(node))
    while isinstance(ancestor, ast.expr | ast.slice | ast.keyword | ast.comprehension):
        if isinstance(ancestor, WHOLE):
            is_short = len(ast.unparse(ancestor)) <= LONGEST_QUOTE
            return ancestor if is_short else node
        ancestor = parents.get(id(ancestor))
    return node


# Functions that may share objects

SHARING = frozenset({"list", "tuple", "append", "asarray", "view", "reshape"})


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
