"""Repairs for what Python, NumPy and torch do otherwise than one expects, each with a sentence that is always true.

What a sentence says of the code holds whatever the cause is, so it is told as a fact and not as a question. As with
all repairs, it is told only where the change sets all answers right.
"""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.course.statements import names_in
from autograder.reasons.formulas import (
    Changes,
    MakeChanges,
    NodeChange,
    Row,
    filled,
    rewriting,
)
from autograder.reasons.sites import Site, with_exchanged, with_fields, without
from autograder.reasons.vocabulary import name_of

BEYOND_ALL = 10**9
"""An index behind the end of every array."""
ONCE_ONLY = frozenset({"map", "zip", "filter", "reversed", "enumerate", "iter"})
"""What returns an iterator."""
MOST_ORDERS = 24
"""So many orders of the axes, or of an operand's letters, are tried."""
NEIGHBOURING_AXES = ((0, 1), (1, 2))

# Sums, products and axes

SUMS_ROWS = "`{old}` adds along the first axis, as Python's `sum` always does."
ALL_PAIRS = (
    "`{old}` does not go through the matrices of both arrays side by side, as `@` does: NumPy's `dot` combines "
    "each with all of the other array, and torch's takes vectors only."
)
LAST_AXES = "`{old}` sums over the last axis of both arrays."
NO_SUM = "`{old}` multiplies entry by entry, and sums nothing; `@` is the product of matrices."
ALL_AXES = "`{old}` reverses the order of all axes, and not only of the last two."
EXCLUSIVE_OR = "`^` is an exclusive or of bits; a power is written with `**`."
NO_ORDER = "`{old}` has no order of its own."
TAKES_FLAT = "Without an `axis`, `{old}` counts through the whole array as if it were one long row."
UNDER_THE_MASK = (
    "Under the mask of a masked array, `{old}` still holds the old numbers; `filled(0)` puts "
    "zeros there."
)
INCLUDES_ITS_END = (
    "`{old}` includes its end, and so takes larger steps than `endpoint=False` would."
)
CHOSEN_BY_NUMBER = (
    "`{old}` selects entries by their value: one that happens to be 0 is selected, too."
)
SURPRISES: Sequence[Row] = (
    ("sum(a)", "a.sum(-1)", SUMS_ROWS),
    ("sum(a)", "a.sum(-1, keepdims=True)", SUMS_ROWS),
    ("sum(a)", "a.sum()", SUMS_ROWS),
    ("np.dot(a, b)", "a @ b", ALL_PAIRS),
    ("np.inner(a, b)", "a @ b", LAST_AXES),
    ("np.inner(a, b)", "a @ b.swapaxes(-1, -2)", LAST_AXES),
    ("np.multiply(a, b)", "a @ b", NO_SUM),
    ("np.mul(a, b)", "a @ b", NO_SUM),
    ("np.transpose(a)", "a.swapaxes(-1, -2)", ALL_AXES),
    ("a ^ b", "a ** b", EXCLUSIVE_OR),
    ("np.where(a == 0, b, a)", "a", CHOSEN_BY_NUMBER),
    ("np.where(a != 0, a, b)", "a", CHOSEN_BY_NUMBER),
    ("np.linspace(a, b, c)", "np.linspace(a, b, c, endpoint=False)", INCLUDES_ITS_END),
    ("np.take(a, b)", "np.take_along_axis(a, b[..., None], -1)[..., 0]", TAKES_FLAT),
    ("set(a)", "sorted(set(a))", NO_ORDER),
    ("set(a)", "list(dict.fromkeys(a))", NO_ORDER),
)
"""What is written, what may have been meant, and what is true of the former."""
surprise = rewriting(SURPRISES)
SURPRISES_OF_ARRAYS: Sequence[Row] = (
    ("a.dot(b)", "a @ b", ALL_PAIRS),
    ("a.T", "a.swapaxes(-1, -2)", ALL_AXES),
    ("a.transpose()", "a.swapaxes(-1, -2)", ALL_AXES),
    ("a.masked_fill(a == 0, b)", "a", CHOSEN_BY_NUMBER),
    ("a.data", "a.filled(0)", UNDER_THE_MASK),
)
"""The same of methods and attributes of arrays."""


def is_method_of_array(site: Site) -> bool:
    """Return whether a node is a call of an array's method, or an attribute of an array."""
    node = site.node.func if isinstance(site.node, ast.Call) else site.node
    return site.is_of_array(node)


surprise_of_array = rewriting(SURPRISES_OF_ARRAYS, where=is_method_of_array)


def is_function(site: Site, call: ast.AST, *names: str) -> bool:
    """Return whether a node is a call of a library's function of one of some names, such as `np.sum(…)`."""
    if not isinstance(call, ast.Call):
        return False
    name = site.function_of_library(call.func)
    return bool(name) and name in names


def is_function_or_method(site: Site, call: ast.AST, *names: str) -> bool:
    """Return whether a node is a call of a library's function or of an array's method of one of some names."""
    match call:
        case ast.Call(ast.Attribute(_, name) as method) if name in names:
            if site.is_of_array(method):
                return True
    return is_function(site, call, *names)


def has_all_arguments_in_sight(call: ast.Call) -> bool:
    """Return whether a call has neither `*arguments` nor `**options`, which may hold anything."""
    starred = [argument for argument in call.args if isinstance(argument, ast.Starred)]
    return not starred and None not in _options(call.keywords)


PAIR = "With `dim`, `{old}` returns a pair: the values and their places."
LENGTH_OF_ROWS = "`{old}` is the root of a sum of squares, and no sum."
ROOT_OF_SQUARES = (
    "`{old}` is a length: the root of a sum of squares, and not the root of a size."
)
ONE_LESS = "`{old}` divides by the count less 1 unless `correction=0` is given."


def other_reduction(site: Site) -> Changes:
    """The first of a pair, a sum in place of a norm, or a variance that divides by the count."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    if is_function_or_method(site, node, "max", "min"):
        if "dim" in _options(node.keywords):
            yield NodeChange(filled("a[0]", a=node), PAIR)
    elif is_function_or_method(site, node, "std", "var"):
        all_count = ast.keyword("correction", ast.Constant(0))
        keywords = [*node.keywords, all_count]
        yield NodeChange(site.like(keywords=keywords), ONE_LESS)
    match node:
        case ast.Call(ast.Attribute(ast.Attribute(library, "linalg"), "norm")):
            if is_root_of_squares(site, node):
                total = ast.Attribute(library, "sum")
                yield NodeChange(site.like(func=total), LENGTH_OF_ROWS)


def is_root_of_squares(site: Site, call: ast.Call) -> bool:
    """Return whether a call is one of a library's `norm` that takes the root of a sum of squares."""
    if not is_function(site, call, "norm") or not has_all_arguments_in_sight(call):
        return False
    return len(call.args) == 1 and not {"ord", "p"} & _options(call.keywords).keys()


ROOTS_OF_SIZES = ("a.shape[-1] ** 0.5", "a.shape[0] ** 0.5")


def root_of_size(site: Site) -> Changes:
    """The root of how many numbers there are, and not of their squares."""
    match site.node:
        case ast.Call(args=[array]) as call if is_root_of_squares(site, call):
            for root in ROOTS_OF_SIZES:
                yield NodeChange(filled(root, a=array), ROOT_OF_SQUARES)
        case ast.Call(args=[ast.Call() as total]) as call:
            is_sum = is_function_or_method(site, total, "sum")
            if name_of(total) == "sum" and site.is_built_in(total.func):
                is_sum = True
            if is_sum and is_function(site, call, "sqrt"):
                squared = _squared(total)
                if squared is not None:
                    for root in ROOTS_OF_SIZES:
                        yield NodeChange(filled(root, a=squared), ROOT_OF_SQUARES)


def _squared(total: ast.Call) -> ast.expr | None:
    """Return what is squared in a sum, as in `(a ** 2).sum()` and `np.sum(a * a)`; None where nothing is."""
    summed = total.args[:1]
    if isinstance(total.func, ast.Attribute):
        summed.append(total.func.value)
    for node in summed:
        match node:
            case ast.BinOp(base, ast.Pow(), ast.Constant(2)):
                return base
            case ast.BinOp(left, ast.Mult(), right):
                if ast.unparse(left) == ast.unparse(right):
                    return left
    return None


def _options(keywords: Sequence[ast.keyword]) -> dict[str | None, ast.expr]:
    """Return the values of keyword arguments by their names."""
    return {keyword.arg: keyword.value for keyword in keywords}


ALWAYS_AT_WORK = (
    "`{old}` drops numbers in evaluation, too, as long as nothing says otherwise: its `training` is True by "
    "default."
)


NEW_IN_EACH_CALL = (
    "`{old}` makes a new module in each call, and a new module is in training mode, whatever `eval()` has set "
    "before."
)


DROPS_IN_EACH_CALL = "`{old}` drops weights in each call, in evaluation, too."


def dropout_in_training_only(site: Site) -> Changes:
    """A dropout that is off in evaluation."""
    match site.node:
        case ast.Call(new_module, [array]) if is_function(site, new_module, "Dropout"):
            yield NodeChange(array, NEW_IN_EACH_CALL, {"old": new_module})
        case ast.Call(keywords=keywords) as call if is_function(
            site, call, "scaled_dot_product_attention"
        ):
            for keyword in keywords:
                match keyword:
                    # A number: anything else may depend on whether the module is in training.
                    case ast.keyword("dropout_p", ast.Constant(share)) if share:
                        new = site.like(keywords=without(keywords, keyword))
                        yield NodeChange(new, DROPS_IN_EACH_CALL, {"old": keyword})
        case ast.Call(_, [_, *_], keywords) as call if is_function(
            site, call, "dropout"
        ):
            if "training" not in _options(keywords):
                off = ast.keyword("training", ast.Constant(False))
                new = site.like(keywords=[*keywords, off])
                yield NodeChange(new, ALWAYS_AT_WORK)


KEEPS_ORDER = (
    "`{old}` keeps the numbers in their order, row by row, and exchanges no axes."
)
EXCHANGES_AXES = frozenset(
    {
        "moveaxis",
        "movedim",
        "permute",
        "rollaxis",
        "swapaxes",
        "swapdims",
        "t",
        "transpose",
    }
)


def _has_axes_exchanged(array: ast.expr) -> bool:
    """Return whether the axes of an array are exchanged where it stands, such as in `x.transpose(1, 2)`."""
    match array:
        case ast.Call(ast.Attribute(inner, "contiguous" | "copy" | "clone"), []):
            return _has_axes_exchanged(inner)
        case ast.Attribute(_, "T" | "mT"):
            return True
        case ast.Call(ast.Attribute(_, "ascontiguousarray"), [inner]):
            return _has_axes_exchanged(inner)
        case ast.Call():
            return name_of(array) in EXCHANGES_AXES
    return False


def _reshape(site: Site) -> tuple[ast.expr, list[ast.expr]] | None:
    """Return the array and the sizes of a `reshape` or `view`; None of one whose axes are exchanged just before."""
    match site.node:
        case ast.Call(
            ast.Attribute(array, "reshape" | "view") as method, [_, *_] as sizes, []
        ):
            if site.is_of_array(method) and not _has_axes_exchanged(array):
                return array, sizes
    return None


def _keeping_order(site: Site, new: ast.AST) -> NodeChange:
    """Return the change of a `reshape`. Of an array that a call returns only the reshape itself is quoted."""
    match site.node:
        case ast.Call(ast.Attribute(array, name)) as call:
            if any(isinstance(node, ast.Call) for node in ast.walk(array)):
                reshape = ast.Attribute(ast.Name("…"), name)
                old = with_fields(call, func=reshape)
                return NodeChange(new, KEEPS_ORDER, {"old": old})
    return NodeChange(new, KEEPS_ORDER)


def with_axes_exchanged(site: Site) -> Changes:
    """An exchange of axes in the place of a reshape, before it or after it."""
    match _reshape(site):
        case array, sizes:
            if len(sizes) == 2:
                exchanged = filled("a.swapaxes(-1, -2)", a=array)
                yield _keeping_order(site, exchanged)
            for first, second in NEIGHBOURING_AXES:
                exchange = f"a.swapaxes({first}, {second})"
                function = filled(f"{exchange}.reshape", a=array)
                yield _keeping_order(site, site.like(func=function))
                if second < len(sizes):
                    other_sizes = with_exchanged(sizes, first, second)
                    reshaped = site.like(args=other_sizes)
                    yield _keeping_order(site, filled(exchange, a=reshaped))


def heads_with_axes_exchanged(site: Site) -> Changes:
    """Heads cut out of the features, or merged to features, with the axes of heads and tokens exchanged.

    Each is one change, so that both are tried at once where both are missing.
    """
    match _reshape(site):
        case array, sizes if len(sizes) == 4:
            cut = site.like(args=with_exchanged(sizes, 1, 2))
            yield _keeping_order(site, filled("a.swapaxes(1, 2)", a=cut))
        case array, sizes if len(sizes) == 3:
            function = filled("a.swapaxes(1, 2).reshape", a=array)
            yield _keeping_order(site, site.like(func=function))


LINED_UP = "With which axis of the other side does `{old}` line up in `{around}`?"


def new_axis(site: Site) -> Changes:
    """A further axis of length 1, so that a row of numbers stands for the rows."""
    is_array = isinstance(site.node, ast.Name | ast.Call | ast.Subscript)
    if is_array and isinstance(site.parent, ast.BinOp):
        for index in ("a[:, None]", "a[..., None]"):
            yield NodeChange(filled(index, a=site.node), LINED_UP)


LETTERS = "Are the letters of `{old}` in the right order?"


def other_letters(site: Site) -> Changes:
    """The letters of one operand, or of the result, of an ``einsum`` in another order."""
    match site.node, site.parent:
        case ast.Constant(str() as text), ast.Call() as call:
            if name_of(call) != "einsum":
                return
            for other in _other_subscripts(text.replace(" ", "")):
                yield NodeChange(ast.Constant(other), LETTERS)


def _other_subscripts(text: str) -> Iterator[str]:
    """Yield the subscripts of an ``einsum`` with the letters of one operand in other orders."""
    operands, arrow, result = text.partition("->")
    parts = [*operands.split(","), result]
    for number, letters in enumerate(parts):
        if not letters.isalpha():
            continue
        orders = itertools.permutations(letters)
        for order in itertools.islice(orders, MOST_ORDERS):
            other_parts = list(parts)
            other_parts[number] = "".join(order)
            if other_parts != parts:
                yield ",".join(other_parts[:-1]) + arrow + other_parts[-1]


# Numbers that are rounded, or known to many digits

ROUNDS_DOWN = (
    "`{old}` is rounded down: a rest that fills no whole block is not counted."
)
ROUNDS_UP = "`{old}` is rounded up: a rest that fills no whole block is counted as one."


COUNTS = ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.Constant
"""What is hardly ever negative where it is divided: a sum or a difference may round in its own way."""


def is_share(site: Site, count: ast.expr, size: ast.expr) -> bool:
    """Return whether a division is one of so many items by the size of a block.

    One item more or less may be counted. `(n + 1) // 2` may be half of n, rounded up, and `(n - 1) // size + 1` is
    rounded up as well.
    """
    if not isinstance(size, COUNTS):
        return False
    match count:
        case ast.BinOp(items, ast.Add() | ast.Sub(), ast.Constant(1)):
            if isinstance(getattr(site.user, "op", None), ast.Add | ast.USub):
                return False
            if isinstance(size, ast.Constant):
                return False
            if isinstance(size, ast.Name) and size.id in site.bound.constants:
                return False
            return isinstance(items, COUNTS)
    return isinstance(count, COUNTS)


def rounded_the_other_way(site: Site) -> Changes:
    """A division that is rounded up, or one that is rounded down."""
    match site.node:
        case ast.UnaryOp(
            ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub(), a), ast.FloorDiv(), b)
        ) | ast.UnaryOp(
            ast.USub(), ast.BinOp(a, ast.FloorDiv(), ast.UnaryOp(ast.USub(), b))
        ):
            if is_share(site, a, b):
                yield NodeChange(filled("a // b", a=a, b=b), ROUNDS_UP)
        case ast.BinOp(a, ast.FloorDiv(), b):
            is_negated = isinstance(getattr(site.parent, "op", None), ast.USub)
            if is_share(site, a, b) and not is_negated:
                yield NodeChange(filled("-(-a // b)", a=a, b=b), ROUNDS_DOWN)


DIGITS_OF_E = (
    "`{old}` has only the first digits of e; `np.exp` computes with all of them."
)
DIGITS_OF_PI = "`{old}` has only the first digits of π; `np.pi` has all of them."
CONSTANTS = ((math.e, DIGITS_OF_E), (math.pi, DIGITS_OF_PI))
LEAST_DIGITS = 2
"""Of a constant at least so many digits after the point are written, the last of them rounded or not."""


def all_digits(site: Site) -> Changes:
    """The constants e and π with all their digits."""
    match site.node:
        case ast.Constant(float() as number):
            for constant, sentence in CONSTANTS:
                if _has_first_digits(number, constant):
                    yield NodeChange(ast.Constant(constant), sentence)


def _has_first_digits(number: float, constant: float) -> bool:
    """Return whether a number has some of a constant's digits, and not all."""
    _, _, digits = repr(number).partition(".")
    if not digits.isdecimal() or len(digits) < LEAST_DIGITS or number == constant:
        return False
    unit = 10 ** len(digits)
    cut_off = math.floor(constant * unit) / unit
    return number in (cut_off, round(constant, len(digits)))


# Memory that nothing is written into

UNSET = (
    "Where its `where` is False, `{old}` sets nothing, and whatever was in memory before stays there: "
    "give it an `out` that holds what should stand in these places, such as zeros."
)
UNFILLED = (
    "`{old}` holds whatever was in memory before: is each of its places written into?"
)
FILLED = {"empty": "zeros", "empty_like": "zeros_like", "new_empty": "new_zeros"}
"""Functions whose arrays hold what was in memory, and those with zeros."""


def is_ufunc(site: Site, call: ast.Call) -> bool:
    """Return whether a call is one of a function of NumPy that goes entry by entry, with only its arrays by place.

    A sum also has a `where`, and sets each number of its result.
    """
    match call:
        case ast.Call(ast.Attribute(ast.Name() as library, name), arguments):
            function = getattr(np, name, None)
            if isinstance(function, np.ufunc) and site.is_of_library(library):
                in_sight = has_all_arguments_in_sight(call)
                return in_sight and len(arguments) == function.nin
    return False


def set_everywhere(site: Site) -> Changes:
    """Zeros where a function of NumPy has no result."""
    match site.node:
        case ast.Call(ast.Attribute(library), _, keywords) as call:
            options = _options(keywords)
            if "where" in options and "out" not in options and is_ufunc(site, call):
                choose = ast.Attribute(library, "where")
                arguments = [options["where"], site.node, ast.Constant(0)]
                yield NodeChange(ast.Call(choose, arguments, []), UNSET)


def filled_with_zeros(site: Site) -> Changes:
    """An array of zeros in place of one that holds what was in memory."""
    match site.node:
        case ast.Call(ast.Attribute(library, name)) as call if is_function_or_method(
            site, call, *FILLED
        ):
            function = ast.Attribute(library, FILLED[name])
            yield NodeChange(site.like(func=function), UNFILLED)


@dataclass(frozen=True)
class CallWithOut:
    """A call of NumPy or torch that writes its result into an array, given as ``out``.

    Attributes:
        call: the call.
        out: the keyword with the array.
        is_statement: whether the call stands alone, and its result is used only through the array.
    """

    call: ast.Call
    out: ast.keyword
    is_statement: bool

    def with_keywords_for_out(self, keywords: list[ast.keyword]) -> Iterator[ast.AST]:
        """Yield code with other keywords in the place of ``out``; a statement then binds the name of the array."""
        new_keywords = []
        for keyword in self.call.keywords:
            if keyword is self.out:
                new_keywords += keywords
            else:
                new_keywords.append(keyword)
        new_call = with_fields(self.call, keywords=new_keywords)
        if not self.is_statement:
            yield new_call
        elif isinstance(self.out.value, ast.Name):
            yield filled("a = b", a=self.out.value, b=new_call)


def calls_with_out(site: Site) -> Iterator[CallWithOut]:
    """Yield a site's call if it has an ``out``; a call that stands alone counts as a statement only."""
    is_statement = isinstance(site.node, ast.Expr)
    call = site.node.value if isinstance(site.node, ast.Expr) else site.node
    if not isinstance(call, ast.Call) or isinstance(site.parent, ast.Expr):
        return
    if is_function_or_method(site, call, name_of(call)):
        for keyword in call.keywords:
            if keyword.arg == "out":
                yield CallWithOut(call, keyword, is_statement)


LEFT_AS_IT_WAS = "Where `where` is False, `{old}` leaves what `out` held before."


def out_of_zeros(site: Site) -> Changes:
    """Zeros where the ``where`` of a function such as ``np.exp`` is False, and not what ``out`` held before."""
    for call_with_out in calls_with_out(site):
        match call_with_out.call:
            case ast.Call(ast.Attribute(library), [array, *_], keywords):
                if "where" in _options(keywords) and is_ufunc(site, call_with_out.call):
                    zeros = filled("m.zeros(m.shape(a))", m=library, a=array)
                    for new in call_with_out.with_keywords_for_out(
                        [ast.keyword("out", zeros)]
                    ):
                        yield NodeChange(
                            new, LEFT_AS_IT_WAS, {"old": call_with_out.call}
                        )


# Types

TYPE_OF_ANOTHER = (
    "With `{old}`, the array holds whole numbers where the other one does, and what is written into "
    "it loses its decimals."
)
WHOLE_NUMBERS = "With `{old}`, the array holds whole numbers, and what is written into it loses its decimals."
INTEGERS = frozenset(
    {"int", "int8", "int16", "int32", "int64", "uint8", "long", "intp"}
)


def without_dtype(site: Site) -> Changes:
    """A call without the type of whole numbers, or of another array, that it is given."""
    match site.node:
        case ast.Call(keywords=keywords) as call if is_function_or_method(
            site, call, name_of(call)
        ):
            for keyword in keywords:
                sentence = ""
                if keyword.arg == "dtype":
                    sentence = _lost_decimals(keyword.value)
                if sentence:
                    new = site.like(keywords=without(keywords, keyword))
                    yield NodeChange(new, sentence, {"old": keyword})


CUTS_DECIMALS = "`{old}` cuts decimals off where that type is one of whole numbers."


def without_conversion(site: Site) -> Changes:
    """An array as it is, and not in the type of whole numbers, or of another array."""
    match site.node:
        case ast.Call(
            ast.Attribute(array, "astype" | "to" | "type") as method, [dtype]
        ):
            if _lost_decimals(dtype) and site.is_of_array(method):
                yield NodeChange(array, CUTS_DECIMALS)


def _lost_decimals(dtype: ast.expr) -> str:
    """Say what a type does to decimals; nothing of one that has them."""
    match dtype:
        case ast.Attribute(_, "dtype"):
            return TYPE_OF_ANOTHER
        case ast.Name(name) | ast.Attribute(_, name) if name in INTEGERS:
            return WHOLE_NUMBERS
    return ""


FEW_DIGITS = "`{old}` keeps only two or three digits of each number."
COARSE_TYPES = frozenset({"bfloat16", "float16", "half"})


def all_digits_kept(site: Site) -> Changes:
    """An array in its own type, and not in one of few digits."""
    node = site.node
    match node:
        case ast.Call(ast.Attribute(array, name) as method, []) if name in COARSE_TYPES:
            if site.is_of_array(method):
                yield NodeChange(array, FEW_DIGITS)
        case ast.Call(
            ast.Attribute(array, "astype" | "to" | "type") as method,
            arguments,
            keywords,
        ):
            types = [*arguments, *_options(keywords).values()]
            is_coarse = any(_is_coarse(site, dtype) for dtype in types)
            if is_coarse and site.is_of_array(method):
                yield NodeChange(array, FEW_DIGITS)
        case ast.Call(ast.Attribute(library, name), _, keywords):
            if not site.is_of_library(library) or name == "autocast":
                return
            for keyword in keywords:
                if keyword.arg == "dtype" and _is_coarse(site, keyword.value):
                    others = without(keywords, keyword)
                    yield NodeChange(site.like(keywords=others), FEW_DIGITS)


def _is_coarse(site: Site, dtype: ast.expr) -> bool:
    """Return whether an expression names a type of few digits, such as `np.float16`."""
    match dtype:
        case ast.Constant(str() as name):
            return name in COARSE_TYPES
    return site.function_of_library(dtype) in COARSE_TYPES


# Loops, iterators and slices

NAME_OF_SOMETHING_ELSE = (
    "Assigning to `{old}` gives this name to something else, and changes nothing in what "
    "the loop goes through."
)


def written_into_the_item(site: Site) -> Changes:
    """What a loop assigns to its own variable, written into the item that it stands for."""
    match site.parent, site.node:
        case ast.For(target, _, body), ast.Assign([ast.Name(name) as array], value):
            is_in_loop = any(statement is site.node for statement in body)
            if is_in_loop and name in names_in(target, ast.Store):
                new = filled("a[:] = b", a=array, b=value)
                yield NodeChange(new, NAME_OF_SOMETHING_ELSE, {"old": array})


ITEMS_ONCE = "`{old}` gives its items only once: a second loop over it finds none."


def kept_items(site: Site) -> Changes:
    """A list of what gives its items only once."""
    node = site.node
    if not isinstance(site.parent, ast.Assign):
        return
    is_call = False
    if isinstance(node, ast.Call) and site.is_built_in(node.func):
        is_call = name_of(node) in ONCE_ONLY
    if is_call or isinstance(node, ast.GeneratorExp):
        yield NodeChange(filled("list(a)", a=node), ITEMS_ONCE)


MINUS_ZERO = "`-0` is 0: where `{old}` is 0, a slice from there is the whole, and one up to there is empty."


def slice_from_the_end(site: Site) -> Changes:
    """A slice that is empty, or whole, where its negative limit is 0."""
    match site.node:
        case ast.Slice(ast.UnaryOp(ast.USub(), limit), None, None):
            start = filled(f"-a if a else {BEYOND_ALL}", a=limit)
            yield NodeChange(ast.Slice(start), MINUS_ZERO, {"old": limit})
        case ast.Slice(None, ast.UnaryOp(ast.USub(), limit), None):
            end = filled("-a or None", a=limit)
            yield NodeChange(ast.Slice(None, end), MINUS_ZERO, {"old": limit})


EquallyNatural = Sequence[MakeChanges]
"""What makes the changes of one rank."""
OF_MEMORY: Sequence[EquallyNatural] = ([set_everywhere, filled_with_zeros],)
"""What gives places a value that nothing is written into."""
PITFALLS: EquallyNatural = (
    surprise,
    surprise_of_array,
    other_reduction,
    root_of_size,
    dropout_in_training_only,
    rounded_the_other_way,
    all_digits,
    with_axes_exchanged,
    heads_with_axes_exchanged,
    out_of_zeros,
    all_digits_kept,
    kept_items,
    slice_from_the_end,
)
"""The changes that are repairs of a pitfall."""
