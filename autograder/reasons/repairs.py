"""Repairs: a student's function with one step changed, made systematically, to find the step that is wrong.

What sets all answers right names the place, whatever is wrong there; ``repair_search.py`` runs the repairs. The
sentence for the student names the place and asks a question, and leaves the new code to the student.

Each question stands above the changes that belong to it. Changes that depend on the node alone, or on the node and
where it stands, are rows of a table, in the letters of ``formulas.py``; all others are made by functions.
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.course.statements import names_in
from autograder.language import say
from autograder.reasons.formulas import (
    Changes,
    MakeChanges,
    NodeChange,
    filled,
    replaced,
    rewriting,
)
from autograder.reasons.moved_statements import (
    CHANGES_ITS_ARRAY,
    REDUCTIONS,
    TORCH_IN_PLACE,
    moves_in,
)
from autograder.reasons.pitfalls import (
    MOST_ORDERS,
    PITFALLS,
    EquallyNatural,
    calls_with_out,
    new_axis,
    other_letters,
    without_conversion,
    without_dtype,
    written_into_the_item,
)
from autograder.reasons.sites import (
    BUILT_IN,
    LONGEST_QUOTE,
    Site,
    indented,
    is_iterated,
    quoted,
    sites_in,
    standing_as,
    with_fields,
    with_pairs_exchanged,
    without,
)
from autograder.reasons.source_text import Edit, SourceText, clash
from autograder.reasons.student_code import WrittenFunction
from autograder.reasons.vocabulary import name_of

MOST_NAMES = 12
"""So many other names are tried in the place of one."""
MOST_PLACES = 4
"""The same change is made at so many places at once."""
WHOLE = ast.Subscript | ast.BinOp | ast.Call | ast.Compare
"""Expressions that can be read by themselves."""
NAME_OR_ITEM = ast.Name | ast.Subscript
Alternatives = Mapping[str, Sequence[str]]
"""For each formula what may stand in its place."""


@dataclass(frozen=True)
class CodeRepair:
    """A student's function with one step changed.

    Attributes:
        function: the function or class that is changed.
        definition: its text with the change.
        lines: the numbers of the changed lines in the file or cell.
        rank: of repairs that all set the answers right, one of the lowest rank is the most natural.
        question: what to ask the student about the line, in the student's language.
    """

    function: WrittenFunction
    definition: str
    lines: tuple[int, ...] = ()
    rank: int = 0
    question: str = ""


def asking(
    question: str, alternatives: Alternatives, form: str = "{}", **options: Any
) -> MakeChanges:
    """Return what makes the changes of a table that has one question.

    Args:
        question: the question about what stands there.
        alternatives: the table; its texts are put into the form.
        form: such as ``a {} b``, where the table holds operators.
        options: which nodes are changed, and which of them the question names; see ``rewriting``.
    """
    rows = []
    for old, others in alternatives.items():
        for new in others:
            rows.append((form.format(old), form.format(new), question))
    return rewriting(rows, **options)


# Where a node stands

is_assigned = standing_as("value", ast.Assign)
is_index = standing_as("slice", ast.Subscript)
is_condition = standing_as("test", ast.If)
is_right_operand = standing_as("right", ast.BinOp)
"""Whether an operation divides by a node, say, or multiplies with it."""


def is_argument(site: Site) -> bool:
    """Return whether a node is a positional argument of a call."""
    parent = site.parent
    return isinstance(parent, ast.Call) and site.node in parent.args


def is_within_call(site: Site, *names: str) -> bool:
    """Return whether a node is directly within a call of a function of one of some names."""
    parent = site.parent
    return isinstance(parent, ast.Call) and name_of(parent) in names


def is_mask_argument(site: Site) -> bool:
    """Return whether a node is the condition of a ``where``, or the mask of a ``masked_fill``."""
    match site.parent:
        case ast.Call(args=[condition, *_]) if is_within_call(site, "where"):
            return site.node is condition
        case ast.Call(args=[*_, mask, _]) if is_within_call(site, "masked_fill"):
            return site.node is mask
    return False


def is_no_condition(site: Site) -> bool:
    """Return whether a node is anything but the condition of an ``if``."""
    return not is_condition(site)


def is_read(site: Site) -> bool:
    """Return whether a node is read, and nothing is written into it."""
    return isinstance(getattr(site.node, "ctx", None), ast.Load)


def is_exponent(site: Site) -> bool:
    """Return whether a node is what something is raised to."""
    parent = site.parent
    return (
        isinstance(parent, ast.BinOp)
        and isinstance(parent.op, ast.Pow)
        and site.node is parent.right
    )


def is_foreign_name(site: Site) -> bool:
    """Return whether a node is a name of something outside, and no argument or variable of the function."""
    return isinstance(site.node, ast.Name) and site.node.id not in site.names


# Copies and second names

COPIES = {"a": ["a.copy()", "a.clone()"]}
VIEW = "`{old}` shares its numbers with the whole, and is no copy: what changes one changes the other."
copied_view = asking(
    VIEW,
    COPIES,
    kinds=ast.Subscript,
    where=is_assigned,
)
NO_COPY = "`{old}` is the same object under another name, and no copy: what changes one changes the other."
copied_name = asking(
    NO_COPY,
    COPIES,
    kinds=ast.Name,
    where=is_assigned,
)
SAME_ITEMS = "`{old}` is new itself, and holds the same arrays: what changes an array in it changes the old one."
copied_items = asking(
    SAME_ITEMS,
    {
        "list(a)": ["[x.copy() for x in a]"],
        "tuple(a)": ["[x.copy() for x in a]"],
    },
)
COPY_OF_ITS_KIND = "type(a)(x.copy() for x in a)"
"""A list or a tuple with copies of its items; an array, which such a method copies with all it holds, raises."""
copied_items_of_a_copy = asking(
    SAME_ITEMS,
    {
        "a.copy()": [COPY_OF_ITS_KIND],
        "copy.copy(a)": [COPY_OF_ITS_KIND],
        "a[:]": [COPY_OF_ITS_KIND],
    },
)
NOT_CONVERTED = "`{old}` makes no copy of an array that it need not convert: what changes one changes the other."
CONVERSIONS = frozenset(
    {"asanyarray", "asarray", "as_tensor", "ascontiguousarray", "from_numpy"}
)
"""Functions that return an array as it is, where its type is right already."""


def copied_conversion(site: Site) -> Changes:
    """A copy of what such a function returns."""
    if isinstance(site.node, ast.Call) and name_of(site.node) in CONVERSIONS:
        for copy_of in COPIES["a"]:
            yield NodeChange(filled(copy_of, a=site.node), NOT_CONVERTED)


SAME_OBJECT = "`{old}` holds the same object at each place, and not a new one."
new_objects = asking(
    SAME_OBJECT,
    {
        "[a] * b": ["[a for _ in range(b)]"],
        "a * [b]": ["[b for _ in range(a)]"],
    },
)
KEEPS_WHOLE_NUMBERS = "`{old}` has the type of its argument: from whole numbers it makes an array of whole numbers."
arrays_of_floats = asking(
    KEEPS_WHOLE_NUMBERS,
    {
        "np.zeros_like(a)": ["np.zeros(a.shape)"],
        "np.empty_like(a)": ["np.empty(a.shape)"],
        "np.ones_like(a)": ["np.ones(a.shape)"],
    },
)
NO_DECIMALS = "Does `{old}` hold whole numbers, where decimals are needed?"
as_floats = asking(
    NO_DECIMALS,
    {"a": ["a * 1.0"]},
    kinds=ast.Call | ast.Name | ast.Subscript,
    where=is_assigned,
)
SAME_APPENDED = (
    "`{old}` itself goes into the list, and no copy: what changes it later changes the "
    "item, too."
)


def may_append_an_old_object(site: Site) -> bool:
    """Return whether a node is a call whose argument is not surely a new object, as a sum or a copy is."""
    match site.node:
        case ast.Call(args=[ast.Call() as argument]):
            return name_of(argument) not in ("copy", "clone", "deepcopy", "array")
        case ast.Call(args=[ast.Name() | ast.Subscript() | ast.Attribute()]):
            return True
    return False


copied_item = asking(
    SAME_APPENDED,
    {"m.append(a)": ["m.append(a.copy())"]},
    where=may_append_an_old_object,
    about="a",
)


def copied_before_a_method(site: Site) -> Changes:
    """A copy of an array, before a method that changes it."""
    match site.node:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name) as array, method))):
            if method in CHANGES_ITS_ARRAY or TORCH_IN_PLACE.fullmatch(method):
                for copy_of in COPIES["a"]:
                    assignment = filled(f"{name} = {copy_of}", a=array)
                    both = ast.Module([assignment, site.node], [])
                    yield NodeChange(both, CHANGED_IN_PLACE, {"old": array})


WRITES_OUT = (
    "With `out`, the result is written into `{old}` itself, for all that hold it."
)


def new_result(site: Site) -> Changes:
    """The result of a function of NumPy in an array of its own, and not in the one that is given as ``out``."""
    for call_with_out in calls_with_out(site):
        for new in call_with_out.with_keywords_for_out([]):
            yield NodeChange(new, WRITES_OUT, {"old": call_with_out.out.value})


TWO_NAMES = "`{old}` gives one object several names, and makes no copy."


def several_names(site: Site) -> Changes:
    """An assignment for each name of one with several."""
    match site.node:
        case ast.Assign([_, _, *_] as targets, value):
            assignments = [filled("a = b", a=target, b=value) for target in targets]
            yield NodeChange(ast.Module(assignments, []), TWO_NAMES)


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
other_operation = asking(
    OTHER_OPERATION,
    OTHER_OPERATORS,
    "a {} b",
)
other_operation_in_place = asking(
    OTHER_OPERATION,
    OTHER_OPERATORS,
    "a {}= b",
)
other_junction = asking(
    OTHER_OPERATION,
    {
        "a and b": ["a or b"],
        "a or b": ["a and b"],
        "a and b and c": ["a or b or c"],
        "a or b or c": ["a and b and c"],
    },
)
OTHER_ORDER = "Are the two sides of `{old}` in the right order?"
other_sides = asking(
    OTHER_ORDER,
    {
        "a - b": ["b - a"],
        "a / b": ["b / a"],
        "a // b": ["b // a"],
        "a @ b": ["b @ a"],
        "a ** b": ["b ** a"],
    },
)
BRACKETS = "Are the brackets in `{old}` right?"


def other_grouping(site: Site) -> Changes:
    """The same operations with other brackets."""
    match site.node:
        case ast.BinOp(ast.BinOp(a, first, b), second, c):
            # a + b * c from (a + b) * c
            new = ast.BinOp(a, first, ast.BinOp(b, second, c))
            yield NodeChange(new, BRACKETS)
    match site.node:
        case ast.BinOp(ast.BinOp(ast.BinOp(a, first, b), second, c), third, d):
            # a ** (b * c / d) from a ** b * c / d
            inner = ast.BinOp(ast.BinOp(b, second, c), third, d)
            yield NodeChange(ast.BinOp(a, first, inner), BRACKETS)
    match site.node:
        case ast.BinOp(a, first, ast.BinOp(b, second, c)):
            # (a * b) + c from a * (b + c)
            new = ast.BinOp(ast.BinOp(a, first, b), second, c)
            yield NodeChange(new, BRACKETS)


def other_end_of_call(site: Site) -> Changes:
    """A call that ends before an operation, or after it: `sqrt(a / b)` from `sqrt(a) / b`."""
    match site.node:
        case ast.BinOp(ast.Call(args=[argument, *others]) as call, operation, right):
            operated = ast.BinOp(argument, operation, right)
            longer = with_fields(call, args=[operated, *others])
            yield NodeChange(longer, BRACKETS)
    match site.node:
        case ast.BinOp(left, operation, ast.Call(args=[argument, *others]) as call):
            operated = ast.BinOp(left, operation, argument)
            longer = with_fields(call, args=[operated, *others])
            yield NodeChange(longer, BRACKETS)
    match site.node:
        case ast.Call(args=[ast.BinOp(left, operation, right), *others]) as call:
            shorter = with_fields(call, args=[left, *others])
            yield NodeChange(ast.BinOp(shorter, operation, right), BRACKETS)
            shorter = with_fields(call, args=[right, *others])
            yield NodeChange(ast.BinOp(left, operation, shorter), BRACKETS)


def is_factor(site: Site) -> bool:
    """Return whether something is divided by a node, or multiplied with it."""
    operation = getattr(site.parent, "op", None)
    return is_right_operand(site) and isinstance(operation, ast.Div | ast.Mult)


ROOT = "Should it be `{old}` or its square root?"
square_root = asking(
    ROOT,
    {"a": ["a ** 0.5"]},
    kinds=NAME_OR_ITEM,
    where=is_factor,
)
TERM_MISSING = "Is a term missing in `{old}`?"


def missing_term(site: Site) -> Changes:
    """One more term in a sum or a difference."""
    match site.node:
        case ast.BinOp(op=ast.Add() | ast.Sub()) as node:
            for name in sorted(site.names)[:MOST_NAMES]:
                for operation in (ast.Sub(), ast.Add()):
                    new = ast.BinOp(node, operation, ast.Name(name))
                    yield NodeChange(new, TERM_MISSING)


SCALED = "Should `{old}` be scaled there?"


def missing_scaling(site: Site) -> Changes:
    """An argument of a call, divided by a variable or multiplied with it."""
    if isinstance(site.node, ast.Name) and is_argument(site):
        for name in sorted(site.names)[:MOST_NAMES]:
            for operation in ("a / b", "a * b"):
                new = filled(operation, a=site.node, b=ast.Name(name))
                yield NodeChange(new, SCALED)


def is_whole_value(site: Site) -> bool:
    """Return whether a variable is all that is returned, assigned or handed over."""
    is_value = isinstance(site.parent, ast.Return | ast.Assign) or is_argument(site)
    return is_value and not is_foreign_name(site)


STEP_MISSING = "Is a step missing before `{old}` is used in `{around}`?"


def missing_step(site: Site) -> Changes:
    """What another call of the function returns for a variable, and not the variable itself."""
    match site.node:
        case ast.Name(name, ast.Load()) if not is_foreign_name(site):
            for call in site.calls:
                match call:
                    case ast.Call(args=[ast.Name(argument)]) if argument == name:
                        yield NodeChange(call, STEP_MISSING)


NO_SHARES = "Do the numbers in `{old}` sum to 1 there?"
missing_shares = asking(
    NO_SHARES,
    {"a": ["a / a.sum(-1, keepdims=True)"]},
    kinds=ast.Name,
    where=is_whole_value,
)

# Assignments

REPLACES = (
    "Does `{old}` replace what should be added up, or add up what should be replaced?"
)
CHANGED_IN_PLACE = "This changes `{old}` itself, for all that hold it."


def other_assignment(site: Site) -> Changes:
    """An assignment that adds up, or one that does not."""
    match site.node:
        case ast.Assign([ast.Name() | ast.Subscript() as target], value):
            # To add 0 is to leave the line out, which has a question of its own.
            if ast.unparse(value) not in ("0", "0.0"):
                yield NodeChange(filled("a += b", a=target, b=value), REPLACES)
        case ast.AugAssign(target, operation, value):
            yield NodeChange(filled("a = b", a=target, b=value), REPLACES)
            # A new object, where the old one should stay as it is.
            new = filled("a = b", a=target, b=ast.BinOp(target, operation, value))
            yield NodeChange(new, CHANGED_IN_PLACE, {"old": target})


LARGEST = "Is `{old}` the largest of the numbers that it is subtracted from?"
OF_ALL_OR_OF_ROWS = ("a.max(-1, keepdims=True)", "a.max(0, keepdims=True)", "a.max()")


def largest_subtracted(site: Site) -> Changes:
    """What is subtracted before an exponential: the largest number of each row, of each column, or of all."""
    match site.node:
        case ast.BinOp(left, ast.Sub(), right) if not isinstance(right, ast.Constant):
            for maximum in OF_ALL_OR_OF_ROWS:
                new = filled(f"a - {maximum}", a=left)
                yield NodeChange(new, LARGEST, {"old": right})


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
other_comparison = asking(
    OTHER_COMPARISON,
    OTHER_COMPARISONS,
    "a {} b",
    where=is_no_condition,
)
CONDITION = "When should the lines under `if {old}:` run, and are they right?"
other_condition = asking(
    CONDITION,
    OTHER_COMPARISONS,
    "a {} b",
    where=is_condition,
)
OPPOSITE = "Should `{old}` be the opposite?"


def opposite(site: Site) -> Changes:
    """The opposite of a condition, or of a mask."""
    node = site.node
    match node, site.parent:
        case ast.UnaryOp(ast.Not() | ast.Invert(), operand), _:
            yield NodeChange(operand, OPPOSITE)
        case _, ast.If(test) if test is node:
            yield NodeChange(filled("not a", a=node), CONDITION)
            yield NodeChange(ast.Constant(True), CONDITION)
        case _, ast.IfExp(test) if test is node:
            yield NodeChange(filled("not a", a=node), OPPOSITE)
        case _, ast.keyword("attn_mask" | "key_padding_mask" | "mask" | "where"):
            yield NodeChange(filled("a == 0", a=node), OPPOSITE)
        case _ if is_mask_argument(site):
            # Not `~`, which makes other whole numbers of 0 and 1.
            yield NodeChange(filled("a == 0", a=node), OPPOSITE)


WHAT_COUNTS = "Does `{old}` count what should count?"
COUNTED = ("a >= 0", "a > 0", "a != 0", "a == 0", "a != -1")


def what_counts(site: Site) -> Changes:
    """A condition for what is counted."""
    node = site.node
    counts = is_within_call(site, "count_nonzero", "sum", "where", "len", "mean")
    if counts and isinstance(node, NAME_OR_ITEM):
        for condition in COUNTED:
            new = filled(condition, a=node)
            yield NodeChange(new, WHAT_COUNTS, {"old": site.parent})


# Names and numbers

OTHER_NAME = "Is `{old}` the right name in `{around}`?"


def other_name(site: Site) -> Changes:
    """Another variable of the function, or another attribute of ``self``.

    To write into another array, or to choose by another one, may only leave the step out.
    """
    if is_written_into(site) or is_compared_to_a_fraction(site):
        return
    match site.node:
        case ast.Name(name, ast.Load()) if name in site.names:
            # `n // n` or `x - x` is a plain number, which sets things right by chance at best.
            names = sorted({*site.names} - {name, _other_side(site)})
            names.sort(key=lambda other: abs(len(other) - len(name)))
            for other in names[:MOST_NAMES]:
                yield NodeChange(ast.Name(other), OTHER_NAME)
        case ast.Attribute(value, name) if name in site.attributes:
            for other in sorted({*site.attributes} - {name})[:MOST_NAMES]:
                yield NodeChange(ast.Attribute(value, other), OTHER_NAME)


def _other_side(site: Site) -> str:
    """Return the name on the other side of a difference or a division that a node is a side of; else nothing."""
    match site.parent:
        case ast.BinOp(
            ast.Name(other), ast.Sub() | ast.Div() | ast.FloorDiv(), side
        ) if side is site.node:
            return other
        case ast.BinOp(
            side, ast.Sub() | ast.Div() | ast.FloorDiv(), ast.Name(other)
        ) if side is site.node:
            return other
    return ""


LARGEST_NUMBER = 1e6
LEAST_FOR_INFINITY = 5
NUMBERS = (0, 1, -1, 2, -2)
OTHER_NUMBER = "Is `{old}` the right number in `{around}`?"
OTHER_AXIS = "Is `{old}` the right axis?"


def other_number(site: Site) -> Changes:
    """A whole number, or another one; of one that begins a search or is filled in for others, minus infinity."""
    match site.node:
        case ast.Constant(float() as value) if is_fraction(value):
            for whole in (0, 1):
                yield NodeChange(ast.Constant(whole), OTHER_NUMBER)
    number = _number_in(site.node)
    if number is None:
        return
    question = OTHER_NUMBER
    old = site.node
    match site.parent:
        case ast.UnaryOp(ast.USub()):
            return  # the number is tried with its sign
        case ast.keyword("axis" | "dim") as old:
            question = OTHER_AXIS
    for other in dict.fromkeys((number + 1, number - 1, *NUMBERS)):
        # To the power of 0 all is 1, and a sum of that counts.
        if other != number and not (other == 0 and is_exponent(site)):
            yield NodeChange(ast.Constant(other), question, {"old": old})
    is_filled_in = is_within_call(site, "masked_fill", "masked_fill_", "where")
    if is_filled_in or (number == 0 and isinstance(site.parent, ast.Assign | ast.Call)):
        yield NodeChange(filled("-float('inf')"), question)


def other_base(site: Site) -> Changes:
    """All digits of e in the place of a number that is raised to a power."""
    match site.node, site.parent:
        case ast.Constant() | ast.Name() as base, ast.BinOp(left, ast.Pow()):
            is_number = isinstance(base, ast.Constant) or is_foreign_name(site)
            if base is left and is_number:
                yield NodeChange(ast.Constant(math.e), OTHER_NUMBER)


def minus_infinity(site: Site) -> Changes:
    """Minus infinity in the place of a negative number that stands for it."""
    match site.node:
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as number)):
            if number >= LEAST_FOR_INFINITY:
                yield NodeChange(filled("-float('inf')"), OTHER_NUMBER)


def _number_in(node: ast.AST) -> int | None:
    """Return a whole number, with its sign; also one that is written as a float, such as 0.0."""
    match node:
        case ast.UnaryOp(ast.USub(), operand):
            number = _number_in(operand)
            return None if number is None else -number
        case ast.Constant(int() | float() as value) if not isinstance(value, bool):
            if abs(value) < LARGEST_NUMBER and value == int(value):
                return int(value)
    return None


def is_counted(site: Site) -> bool:
    """Return whether a node is where things are counted: in an index, a slice, a ``range`` or a comparison."""
    if isinstance(site.node, ast.Slice | ast.Tuple | ast.Constant):
        return False
    is_limit = isinstance(site.parent, ast.Slice) or is_compared_to_a_count(site)
    return is_limit or is_index(site) or is_within_call(site, "range")


def operands_compared(site: Site) -> list[ast.expr]:
    """Return the operands of the comparison that a node is one of; none where it is in no comparison."""
    match site.parent:
        case ast.Compare(left, _, others):
            return [left, *others]
    return []


def is_compared_to_a_count(site: Site) -> bool:
    """Return whether a node is compared, and to no plain number: that would rather be another number."""
    operands = operands_compared(site)
    has_number = any(isinstance(operand, ast.Constant) for operand in operands)
    return bool(operands) and not has_number


def is_fraction(number: float) -> bool:
    """Return whether a number has decimals; infinity has none."""
    return math.isfinite(number) and not number.is_integer()


def is_compared_to_a_fraction(site: Site) -> bool:
    """Return whether a node is compared to a fraction such as 0.05, by which it is chosen."""
    for operand in operands_compared(site):
        match operand:
            case ast.Constant(float() as number) if is_fraction(number):
                return True
    return False


def is_written_into(site: Site) -> bool:
    """Return whether a node is an array of which some places are assigned to."""
    match site.parent:
        case ast.Subscript(array, ctx=ast.Store()):
            return array is site.node
    return False


ONE_OFF = "Is `{old}` in `{around}` one too many or one too few?"
one_off = asking(
    ONE_OFF,
    {"a": ["a + 1", "a - 1"]},
    kinds=ast.expr,
    where=is_counted,
)

DIAGONAL = "Does the diagonal belong to what `{old}` keeps?"
other_diagonal = asking(
    DIAGONAL,
    {
        "m.tril(a)": ["m.tril(a, -1)", "m.tril(a, 1)"],
        "m.triu(a)": ["m.triu(a, 1)", "m.triu(a, -1)"],
    },
)
OTHER_LIMITS = "Does `{old}` begin and end where it should?"
other_limits = asking(
    OTHER_LIMITS,
    {
        "range(a)": ["range(1, a)", "range(1, a + 1)"],
        "np.arange(a)": ["np.arange(1, a)", "np.arange(1, a + 1)"],
    },
)

# Functions and their arguments

ALTERNATIVES: Sequence[frozenset[str]] = (
    frozenset({"sum", "mean", "max", "min"}),
    frozenset({"maximum", "minimum"}),
    frozenset({"argmax", "argmin"}),
    frozenset({"any", "all"}),
    frozenset({"vstack", "hstack", "concatenate", "column_stack", "stack"}),
    frozenset({"tril", "triu"}),
    frozenset({"zeros", "ones", "empty"}),
    frozenset({"zeros_like", "ones_like", "empty_like"}),
    frozenset({"log", "log2", "log10", "log1p"}),
    frozenset({"exp", "exp2", "expm1"}),
    frozenset({"sin", "cos"}),
    frozenset({"repeat", "tile"}),
    frozenset({"convolve", "correlate"}),
    frozenset({"floor", "ceil", "round", "trunc"}),
    frozenset({"ReLU", "GELU", "Tanh", "SiLU", "Sigmoid", "relu", "gelu", "tanh"}),
)
"""Functions and methods that are taken for one another."""
OTHER_FUNCTION = "Is `{old}` the right function?"


def other_function(site: Site) -> Changes:
    """A function that is often taken for the one that is called."""
    match site.node:
        case ast.Attribute(value, name):
            for alternatives in ALTERNATIVES:
                if name in alternatives:
                    for other in sorted(alternatives - {name}):
                        yield NodeChange(ast.Attribute(value, other), OTHER_FUNCTION)


ACTIVATIONS = frozenset(
    {
        "CELU",
        "ELU",
        "GELU",
        "Hardsigmoid",
        "Hardswish",
        "Hardtanh",
        "LeakyReLU",
        "Mish",
        "PReLU",
        "ReLU6",
        "SELU",
        "Softplus",
        "celu",
        "elu",
        "gelu",
        "hardswish",
        "hardtanh",
        "leaky_relu",
        "mish",
        "relu6",
        "selu",
        "softplus",
    }
)
"""Activations of torch, some of which have arguments of their own; ``ALTERNATIVES`` has the plainest ones."""


def plain_activation(site: Site) -> Changes:
    """The plain ReLU in place of another activation."""
    match site.node:
        case ast.Call(ast.Attribute(library, name), arguments) if name in ACTIVATIONS:
            if name.islower():
                function = ast.Attribute(library, "relu")
                arguments = arguments[:1]
            else:
                function = ast.Attribute(library, "ReLU")
                arguments = []
            plain = site.like(func=function, args=arguments, keywords=[])
            yield NodeChange(plain, OTHER_FUNCTION)


LONGEST = (
    "`{old}` compares item by item, from the first on: is it the length that counts?"
)
OF_EACH_COLUMN = (
    "`{old}` compares whole rows, by their first numbers: is it the largest or smallest number "
    "of each column that counts?"
)


def largest(site: Site) -> Changes:
    """The longest or shortest text, and the largest or smallest number of each column, and not a whole item."""
    match site.node:
        case ast.Call(ast.Name("max" | "min") as function, [items], []) if (
            site.is_built_in(function)
        ):
            key = ast.keyword("key", ast.Name("len"))
            yield NodeChange(site.like(keywords=[key]), LONGEST)
            of_columns = filled("[f(x) for x in zip(*a)]", f=function, a=items)
            yield NodeChange(of_columns, OF_EACH_COLUMN)


OTHER_ARGUMENTS = "Are the arguments of `{old}` in the right order?"
OTHER_ITEMS = "Are the items of `{old}` in the right order?"


def other_arguments(site: Site) -> Changes:
    """Two arguments exchanged, or the items of a tuple, such as those of a shape or an index."""
    match site.node:
        case ast.Call(args=arguments):
            for _, _, exchanged in with_pairs_exchanged(arguments):
                yield NodeChange(site.like(args=exchanged), OTHER_ARGUMENTS)
        case ast.Tuple(items, ast.Load()) | ast.List(items, ast.Load()):
            for _, _, exchanged in with_pairs_exchanged(items):
                yield NodeChange(site.like(elts=exchanged), OTHER_ITEMS)
            for other_order in _column_by_column(items):
                yield NodeChange(site.like(elts=other_order), OTHER_ITEMS)


def _column_by_column(items: Sequence[ast.expr]) -> Iterator[list[ast.expr]]:
    """Yield items in another order: `a1, a2, b1, b2` where they are `a1, b1, a2, b2`."""
    for step in range(2, len(items)):
        if len(items) % step == 0:
            columns = [items[start::step] for start in range(step)]
            yield list(itertools.chain(*columns))


JOINS = frozenset({"append", "concatenate", "stack", "cat", "repeat"})
NO_AXIS = "Along which axis does `{old}` go?"
NO_KEEPDIMS = (
    "Which axes has `{old}`? `keepdims=True` keeps the one that it takes away."
)


def along(site: Site) -> Changes:
    """An axis where none is given, or an axis that is kept."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    name = name_of(node)
    keywords = node.keywords
    names = {keyword.arg for keyword in keywords}
    has_axis = bool(names & {"axis", "dim"})
    keep = ast.keyword("keepdims", ast.Constant(True))
    axes = {axis: ast.keyword("axis", ast.Constant(axis)) for axis in (-2, -1, 0, 1)}
    if name in REDUCTIONS and not names & {"keepdims", "keepdim"}:
        yield NodeChange(site.like(keywords=[*keywords, keep]), NO_KEEPDIMS)
        if not has_axis:
            for axis in (-1, 0, -2):
                along_axis = [*keywords, axes[axis], keep]
                yield NodeChange(site.like(keywords=along_axis), NO_AXIS)
    if name in REDUCTIONS | JOINS and not has_axis:
        for axis in (-1, 0, 1):
            yield NodeChange(site.like(keywords=[*keywords, axes[axis]]), NO_AXIS)


PAIRS_OF_AXES = ((0, 1), (-1, -2), (0, 2))


def other_axis_of_argument(site: Site) -> Changes:
    """A function that goes along another axis: its argument with two axes exchanged, and the result turned back."""
    match site.node:
        case ast.Call(ast.Name(name), [ast.expr() as argument], []) if (
            name not in BUILT_IN
        ):
            for first, second in PAIRS_OF_AXES:
                exchanged = (
                    f"f(a.swapaxes({first}, {second})).swapaxes({first}, {second})"
                )
                new = filled(exchanged, f=site.node.func, a=argument)
                yield NodeChange(new, NO_AXIS)


# Indices, sizes and axes

OTHER_INDEX = "Is the index in `{old}` the right one?"
other_index = asking(
    OTHER_INDEX,
    {"a[i]": ["a[:, i]", "a[:, i, None]", "a[..., i]"]},
)


MOST_INDICES = 8
"""So many other indices are tried in the place of one."""


def index_of_another(site: Site) -> Changes:
    """An index with a slice that stands at another array of the function: that of the queries for the mask, say."""
    match site.node:
        case ast.Subscript(value, index, ast.Load()):
            text = ast.unparse(index)
            for other in site.indices[:MOST_INDICES]:
                has_slice = any(isinstance(part, ast.Slice) for part in ast.walk(other))
                if has_slice and ast.unparse(other) != text:
                    new = ast.Subscript(value, other, ast.Load())
                    yield NodeChange(new, OTHER_INDEX)


def other_multiple(site: Site) -> Changes:
    """A multiple of a name in an index or a slice, as where each item has several rows."""
    node = site.node
    if not is_index(site):
        return
    for name in sorted(names_in(node))[:MOST_NAMES]:
        for factor in ("2 * a", "3 * a", "4 * a"):
            multiple = filled(factor, a=ast.Name(name))
            new = replaced(node, {name: multiple})
            yield NodeChange(new, OTHER_INDEX, {"old": site.parent})


OTHER_SIZE = "Is `{old}` the right size?"
SIZES = ("a.shape[0]", "a.shape[1]", "a.shape[-1]")
other_length = asking(
    OTHER_SIZE,
    {
        "len(a)": [
            "a.shape[1]",
            "a.shape[2]",
            "a.shape[-1]",
            "a.shape[-2]",
            "a[0][0].shape[2]",  # of a list of pairs (K, V)
        ],
        "max(a.shape)": SIZES,
        "min(a.shape)": SIZES,
        "a.size": SIZES,
        "a.numel()": SIZES,
        "a.ndim": ["a.shape[0]", "a.shape[-1]"],
        "a.dim()": ["a.shape[0]", "a.shape[-1]"],
        "len(a.shape)": ["a.shape[0]", "a.shape[-1]"],
    },
)


def other_size(site: Site) -> Changes:
    """A size of an argument, where something is counted or divided."""
    if not isinstance(site.node, NAME_OR_ITEM) or is_foreign_name(site):
        return
    if is_right_operand(site) or is_within_call(site, "range", "reshape", "view"):
        for name in site.parameters[:MOST_NAMES]:
            for size in SIZES:
                yield NodeChange(filled(size, a=ast.Name(name)), OTHER_SIZE)


OTHER_TRANSPOSE = "Is `{old}` transposed as it should be?"
no_transpose = asking(
    OTHER_TRANSPOSE,
    {"a.T": ["a"], "a.mT": ["a"], "a.T @ b": ["a @ b.T"], "a @ b.T": ["a.T @ b"]},
)


def other_axes(site: Site) -> Changes:
    """The axes of a transpose in another order."""
    node = site.node
    if isinstance(node, ast.Call) and name_of(node) in ("transpose", "permute"):
        orders = itertools.permutations(node.args)
        for order in itertools.islice(orders, MOST_ORDERS):
            yield NodeChange(site.like(args=list(order)), OTHER_TRANSPOSE)


def may_be_transposed(site: Site) -> bool:
    """Return whether a node is an operand, an argument or a result, and nothing from outside."""
    is_operand = isinstance(site.parent, ast.BinOp | ast.Return)
    is_operand = is_operand or is_argument(site) or is_assigned(site)
    return is_operand and not is_foreign_name(site)


not_transposed = asking(
    OTHER_TRANSPOSE,
    {"a": ["a.swapaxes(-1, -2)"]},
    kinds=ast.Name | ast.BinOp | ast.Call | ast.Subscript,
    where=may_be_transposed,
)
OTHER_DIRECTION = "Does the loop go in the right direction?"
other_direction = asking(
    OTHER_DIRECTION,
    {"a": ["list(a)[::-1]"]},
    where=is_iterated,
)

# Parts that are not needed

NOT_NEEDED = "Is `{old}` needed there?"
OPERATIONS = ["+", "-", "*", "/", "//", "%", "@", "**", "&", "|", "^", "<<", ">>"]
right_side_not_needed = asking(
    NOT_NEEDED,
    {f"a {operator} b": ["a"] for operator in OPERATIONS},
    about="b",
)
left_side_not_needed = asking(
    NOT_NEEDED,
    {"a + b": ["b"], "a * b": ["b"], "a @ b": ["b"]},
    about="a",
)


def helper_not_needed(site: Site) -> Changes:
    """The argument itself, and not what a function of one's own makes of it."""
    match site.node:
        case ast.Call(ast.Name(name) as function, [argument, *_]):
            is_from_outside = name not in BUILT_IN and name not in site.names
            if is_from_outside and not isinstance(argument, ast.Starred):
                yield NodeChange(argument, NOT_NEEDED, {"old": function})


call_not_needed = asking(
    NOT_NEEDED,
    {"f(a, ...)": ["a"]},
    about="f",
)
sign_or_case_not_needed = asking(
    NOT_NEEDED,
    {"-a": ["a"], "a if b else c": ["a", "c"]},
)


def method_not_needed(site: Site) -> Changes:
    """The array itself, and not what its method returns."""
    match site.node:
        case ast.Call(ast.Attribute(array)):
            if not site.is_of_library(array):
                yield NodeChange(array, NOT_NEEDED)


def data_not_needed(site: Site) -> Changes:
    """The tensor itself, and not its numbers without gradients."""
    match site.node:
        case ast.Attribute(tensor, "data", ast.Load()):
            yield NodeChange(tensor, NOT_NEEDED)


def argument_not_needed(site: Site) -> Changes:
    """A call without one of its arguments."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    for keyword in node.keywords:
        keywords = without(node.keywords, keyword)
        yield NodeChange(site.like(keywords=keywords), NOT_NEEDED, {"old": keyword})
    if len(node.args) == 1:
        return
    for argument in node.args:
        arguments = without(node.args, argument)
        yield NodeChange(site.like(args=arguments), NOT_NEEDED, {"old": argument})


INDEX_NOT_NEEDED = "Is the index in `{old}` needed?"
index_not_needed = asking(
    INDEX_NOT_NEEDED,
    {"a[b]": ["a"]},
    where=is_read,
)

# All of them

OF_OBJECTS: Sequence[EquallyNatural] = (
    [
        copied_name,
        copied_view,
        copied_items,
        copied_items_of_a_copy,
        copied_conversion,
        new_objects,
        arrays_of_floats,
        without_dtype,
        without_conversion,
        copied_item,
        several_names,
        new_result,
        copied_before_a_method,
        written_into_the_item,
    ],
    [other_assignment, other_operation_in_place],
)
"""What gives a value an object of its own."""
OMISSIONS: EquallyNatural = [
    right_side_not_needed,
    left_side_not_needed,
    call_not_needed,
    sign_or_case_not_needed,
    method_not_needed,
    data_not_needed,
    argument_not_needed,
    index_not_needed,
]
"""What leaves a step out."""
CHANGES: Sequence[EquallyNatural] = (
    *OF_OBJECTS,
    PITFALLS,
    [helper_not_needed],
    [other_name],
    [one_off, other_limits, other_diagonal],
    [other_number, other_base, minus_infinity],
    [other_operation, other_sides, other_junction, other_comparison, other_condition],
    [opposite],
    [other_grouping, other_end_of_call, largest_subtracted],
    [other_function, plain_activation, largest],
    [other_arguments],
    [along, other_axis_of_argument, new_axis],
    [other_index, index_of_another, other_letters],
    [other_length, other_size],
    [no_transpose, other_axes, not_transposed],
    [square_root],
    OMISSIONS,
    [other_multiple],
    [other_direction],
    [missing_step, missing_term, missing_shares, missing_scaling, what_counts],
    [as_floats],
)
"""What makes repairs, the most natural first. Statements that are moved or left out come after them."""
RANK_OF_NEW_OBJECTS = 0
RANK_OF_OMISSIONS = CHANGES.index(OMISSIONS)
RANK_OF_PITFALLS = CHANGES.index(PITFALLS)
RANK_OF_OTHER_NAMES = CHANGES.index([other_name])
RANK_OF_SEVERAL_PLACES = len(CHANGES)
RANK_OF_MOVES = len(CHANGES) + 1
RANK_OF_LIKELY_MOVES = RANK_OF_NEW_OBJECTS + 1


Maker = tuple[MakeChanges, int]
"""The function that made a change, and the change's number among those that it made of the node."""


@dataclass(frozen=True)
class _Draft:
    """Edits that make a repair, with its lines, rank and question.

    Of a change of one node it also holds the expression around that, what made the change, and what is said of it,
    with its blanks.
    """

    edits: Sequence[Edit]
    lines: Sequence[int]
    rank: int
    question: str
    around: str = ""
    maker: Maker | None = None
    says: str = ""


def repairs_of(
    function: WrittenFunction, changes: Sequence[EquallyNatural] = CHANGES
) -> list[CodeRepair]:
    """Return the repairs of a function, or of all methods of a class, each text once.

    Args:
        function: the function.
        changes: what makes them. Statements are moved only with all of them.
    """
    module = function.module
    drafts: list[_Draft] = []
    single_changes: list[_Draft] = []
    for name, definition in module.definitions.items():
        if name != function.name and not name.startswith(f"{function.name}."):
            continue
        changes_of_method = list(_single_changes(function, name, changes))
        drafts += changes_of_method
        drafts += _at_several_places(module, changes_of_method)
        single_changes += changes_of_method
        node = definition.node
        if changes is CHANGES and isinstance(node, ast.FunctionDef):
            for moved, move in moves_in(node, function.names_around):
                text = indented(moved, node)
                whole = Edit(definition.start, definition.end, text)
                rank = RANK_OF_LIKELY_MOVES if move.is_likely else RANK_OF_MOVES
                drafts.append(_Draft([whole], [move.line], rank, move.question))
    drafts += _pitfalls_at_all_places(single_changes)

    repairs: dict[str, CodeRepair] = {}
    for draft in drafts:
        lines = tuple(draft.lines)
        for text in module.edited_parts(draft.edits):
            if text != function.text:
                repair = CodeRepair(function, text, lines, draft.rank, draft.question)
                repairs.setdefault(text, repair)
    return sorted(repairs.values(), key=lambda repair: repair.rank)


def _single_changes(
    function: WrittenFunction, name: str, changes: Sequence[EquallyNatural]
) -> Iterator[_Draft]:
    """Yield the changes of one node of a function, or of a method named ``Class.method``."""
    module = function.module
    parents = {}
    for parent in ast.walk(module.definitions[name].node):
        for child in ast.iter_child_nodes(parent):
            parents[child] = parent
    quote = functools.cache(quoted)  # several changes ask about the same expression
    for site in sites_in(module, name, function.names_around):
        # Most kinds of changes have nothing to do at most places: what questions quote is not written for these.
        changes_of_node = list(_changes_of_node(site, changes))
        if not changes_of_node:
            continue

        # What questions quote.
        node = site.node
        line = getattr(node, "lineno", 0)
        around = quote(_surroundings(node, parents))
        if around == quote(node):
            around = function.line(line)

        condition = _condition_around(node, parents)

        for rank, maker, change in changes_of_node:
            if condition is None:
                old = quote(change.letters.get("old", node))
                question = say(change.says, old=old, around=around)
            else:
                # What sets all right may be never to run the lines below, whatever is changed here.
                question = say(CONDITION, old=quote(condition))
            edit = site.edit(change.new)
            yield _Draft([edit], [line], rank, question, around, maker, change.says)


def _changes_of_node(
    site: Site, changes: Sequence[EquallyNatural]
) -> Iterator[tuple[int, Maker, NodeChange]]:
    """Yield the changes of one node, each with its rank and with what made it."""
    for rank, equally_natural in enumerate(changes):
        for make_changes in equally_natural:
            for number, change in enumerate(make_changes(site)):
                yield rank, (make_changes, number), change


def _condition_around(
    node: ast.AST, parents: Mapping[ast.AST, ast.AST]
) -> ast.expr | None:
    """Return the condition of an ``if`` that a node is in; None where it is in none."""
    parent = parents.get(node)
    while isinstance(parent, ast.expr | ast.slice | ast.keyword | ast.If):
        if isinstance(parent, ast.If):
            return parent.test if node is parent.test else None
        node = parent
        parent = parents.get(node)
    return None


def _at_several_places(
    module: SourceText, single_changes: Iterable[_Draft]
) -> Iterator[_Draft]:
    """Yield each change of a function that can be made at a few places, made at all of them at once.

    The places are all in which the same stands, or all within equal expressions, such as all `V[i]`.
    """
    drafts_by_change: dict[tuple[Any, ...], list[_Draft]] = {}
    for draft in single_changes:
        [edit] = draft.edits
        change = (draft.rank, module.text[edit.start : edit.end], edit.new)
        drafts_by_change.setdefault(change, []).append(draft)
        drafts_by_change.setdefault((*change, draft.around), []).append(draft)
    for drafts in drafts_by_change.values():
        yield from _all_at_once(drafts, RANK_OF_SEVERAL_PLACES)


def _pitfalls_at_all_places(single_changes: Iterable[_Draft]) -> Iterator[_Draft]:
    """Yield each repair of a pitfall made at all its places at once: whoever falls into it once does so again."""
    drafts_by_pitfall: dict[tuple[Maker, str], list[_Draft]] = {}
    for draft in single_changes:
        if draft.rank == RANK_OF_PITFALLS and draft.maker is not None:
            pitfall = (draft.maker, draft.says)
            drafts_by_pitfall.setdefault(pitfall, []).append(draft)
    for drafts in drafts_by_pitfall.values():
        yield from _all_at_once(drafts, RANK_OF_PITFALLS)


def _all_at_once(drafts: Sequence[_Draft], rank: int) -> Iterator[_Draft]:
    """Yield the draft that makes several changes at once, if they are few and none is within another."""
    # Two makers may make the same change.
    edits: dict[Edit, None] = {}
    lines: set[int] = set()
    for draft in drafts:
        edits.update(dict.fromkeys(draft.edits))
        lines.update(draft.lines)
    if 1 < len(edits) <= MOST_PLACES and not clash(edits, edits):
        yield _Draft(list(edits), sorted(lines), rank, drafts[0].question)


def _surroundings(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> ast.AST:
    """Return the expression around a name or a number, where it is short: `V[i]` says more than `i`."""
    ancestor = parents.get(node)
    while isinstance(ancestor, ast.expr | ast.slice | ast.keyword | ast.comprehension):
        if isinstance(ancestor, WHOLE):
            is_short = len(ast.unparse(ancestor)) <= LONGEST_QUOTE
            return ancestor if is_short else node
        ancestor = parents.get(ancestor)
    return node


# Functions that may share objects

SHARING = CONVERSIONS | {"list", "tuple", "append", "view", "reshape"}


def may_share_objects(function: WrittenFunction) -> bool:
    """Return whether a function changes something in place, and gives something a second name.

    So does a loop that assigns to its variable: the item has another name then, and stays as it is.
    """
    changes = False
    shares = False
    for node in ast.walk(function.definition.node):
        match node:
            case ast.For(target, _, body):
                names_of_target = names_in(target, ast.Store)
                for statement in body:
                    match statement:
                        case ast.Assign([ast.Name(name)]) if name in names_of_target:
                            return True
            case ast.AugAssign():
                changes = True
            case ast.Assign([first, *others], value):
                changes = changes or isinstance(first, ast.Subscript)
                shares = shares or isinstance(value, NAME_OR_ITEM) or bool(others)
            case ast.Call():
                shares = shares or name_of(node) in SHARING
    return changes and shares
