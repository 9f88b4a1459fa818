"""Slips: the solution with one wrong step, made systematically, and what each does in a student's words.

A slip is no known mistake: nobody saw it in a class. It explains an answer only where nothing else does, see
``slip_search.py``. Words name what students know from the stub, and functions of NumPy; a variable of the
solution is called what it is, such as "the maximum", or the slip is not told.
"""

from __future__ import annotations

import ast
import itertools
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.course.stub import BEGIN, strip_solution
from autograder.language import say
from autograder.reasons.formulas import Row, RowTable, filled, fits, formula
from autograder.reasons.sites import Site, reached_by_parts, sites_in, text_of
from autograder.reasons.source_text import Edit, SourceText, clash
from autograder.reasons.vocabulary import (
    Noun,
    Vocabulary,
    name_of,
    vocabulary_of,
)

MOST_SLIPS = 500
"""So many slips of a task are tried; those of its own function come first."""
MOST_ARGUMENTS = 8
MOST_PLACES = 4
"""The same wrong step is made at so many places at once."""
REDUCTIONS = frozenset({"sum", "mean", "max", "min", "argmax", "cumsum", "sort"})
ALONG_AXES = REDUCTIONS | {"softmax", "concatenate", "stack", "cat", "repeat"}
IN_ANY_ORDER = frozenset({"Linear", "vstack", "concatenate", "where", "Sequential"})
"""Functions besides those of the stub whose arguments may be exchanged."""
IN_PLACE = "with {wrong} in place of {right}"

LEFT_OUT = (
    ("a + b", "a", "without adding {b}"),
    ("a + b", "b", "without adding {a}"),
    ("a - b", "a", "without subtracting {b}"),
    ("a / b", "a", "without dividing by {b}"),
    ("a * b", "a", "without multiplying by {b}"),
    ("a * b", "b", "without multiplying by {a}"),
    ("a @ b", "a", "without multiplying by {b}"),
    ("a @ b", "b", "without multiplying by {a}"),
    ("np.exp(a)", "a", "without `exp`"),
    ("np.sqrt(a)", "a", "without `sqrt`"),
    ("np.maximum(a, b)", "a", "without `maximum`"),
    ("np.where(a, b, c)", "b", "without `where`"),
    ("a.T", "a", "without transposing {a}"),
    ("a.swapaxes(b, c)", "a", "without transposing {a}"),
    ("np.swapaxes(a, b, c)", "a", "without transposing {a}"),
    ("-a", "a", "without a minus sign before {a}"),
)
OTHER_STEP = (
    ("np.exp(a)", "np.exp2(a)", "with `exp2` in place of `exp`"),
    ("np.exp(a)", "10.0 ** a", "with powers of 10 in place of `exp`"),
    ("np.sin(a)", "np.cos(a)", "with `cos` in place of `sin`"),
    ("np.cos(a)", "np.sin(a)", "with `sin` in place of `cos`"),
    (
        "np.repeat(a, b, axis=1)",
        "np.tile(a, (1, b, 1, 1))",
        "with `tile` in place of `repeat`",
    ),
    ("a + b", "a - b", "with {b} subtracted where it should be added"),
    ("a - b", "a + b", "with {b} added where it should be subtracted"),
    ("a - b", "b - a", "with the two sides of the difference from {b} exchanged"),
    ("a * b", "a / b", "with a division by {b} where it should be multiplied"),
    ("a / b", "a - b", "with {b} subtracted where it should divide"),
    ("a / b", "a * b", "with a multiplication by {b} where it should divide"),
    ("a @ b", "b @ a", "with {a} and {b} exchanged in their product"),
    ("a @ b", "a * b", "with {a} and {b} multiplied number by number (`*` for `@`)"),
)
OTHER_GROUPING = (
    ("a @ b + c", "a @ (b + c)", "with {c} added to {b} before the product"),
    ("a @ b + c", "(a + c) @ b", "with {c} added to {a} before the product"),
    ("a + b @ c", "(a + b) @ c", "with {b} added to {a} before the product with {c}"),
    (
        "a * (b - c)",
        "a * b - c",
        "with {c} subtracted after the product: brackets are missing",
    ),
    (
        "a * (b + c)",
        "a * b + c",
        "with {c} added after the product: brackets are missing",
    ),
    (
        "a ** (b / c)",
        "a ** b / c",
        "with the power before the division by {c}: brackets are missing",
    ),
    ("a / b ** c", "(a / b) ** c", "with the division by {b} before the power"),
)
ONE_STEP_MORE = (
    ("w", "-w", "with the other sign of {w}"),
    ("w", "(w + abs(w)) / 2", "with 0 for all that is negative in {w}"),
    ("w", "abs(w)", "with all that is negative in {w} made positive"),
    ("w", "w / (w * w).sum(-1, keepdims=True) ** 0.5", "with each row of {w} divided by its length"),
    ("a + b", "a + b + b", "with {b} added twice"),
    ("a / b", "a / b / b", "with two divisions by {b}"),
    ("a / b", "a / b ** 0.5", "with a division by the square root of {b}, and not by all of it"),
)  # fmt: skip
"""What stands in the solution, what may stand in its place, and what that does.

The letters are those of ``formulas.py``.
"""
LOOK_ALIKE: Mapping[str, Sequence[str]] = {
    "sum": ("mean",),
    "mean": ("sum",),
    "max": ("min", "mean", "sum"),
    "tril": ("triu",),
    "triu": ("tril",),
    "vstack": ("hstack",),
}
"""Functions and methods that may be taken for others."""
SIZES = {
    "a.shape[b]": ("{}.shape[-1]", "{}.shape[-2]"),
    "len(a)": ("len({})",),
}
"""The sizes of an array that may be taken for one of another."""
ROUNDS = {
    "list(a)[1:]": "without the first round of a loop",
    "list(a)[:-1]": "without the last round of a loop",
    "list(a)[:1]": "with only the first round of a loop",
}


@dataclass(frozen=True)
class Slip:
    """One wrong step.

    Attributes:
        edits: the edits of the solution, of which most slips have one.
        rank: of slips that give the same numbers, one of the lowest rank is the most natural explanation.
        says: what it does, in the student's language, to follow "numbers that come out".
    """

    edits: tuple[Edit, ...]
    rank: int
    says: str


@dataclass(frozen=True)
class Replacement:
    """What may stand in the place of a node, and what that does; it is not told where a noun of it is None."""

    new: ast.AST
    says: str
    nouns: Mapping[str, Noun] = field(default_factory=dict)


Nouns = Mapping[str, Noun]
MakeChanges = Callable[[Site, Vocabulary], Iterator[Replacement]]


# Formulas


def formulas(rows: Sequence[Row]) -> MakeChanges:
    """Return the operator that makes the changes of a table."""
    table = RowTable(rows)

    def changes(site: Site, words: Vocabulary) -> Iterator[Replacement]:
        for match in table.matches(site.node):
            nouns = {}
            for letter, node in match.letters.items():
                if f"{{{letter}}}" in match.says:
                    nouns[letter] = words.noun(node)
            yield Replacement(match.new, match.says, nouns)

    return changes


# Names, calls and places


def other_name(is_possible: Callable[[str, str], bool]) -> MakeChanges:
    """Return the operator that puts another variable or layer, if the two names make that possible."""

    def changes(site: Site, words: Vocabulary) -> Iterator[Replacement]:
        node = site.node
        for size in ("a.shape", "len(a)"):
            if fits(formula(size), site.parent, {}):
                return  # a size is told as one
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id in site.names:
                for name in sorted(site.names):
                    if is_possible(name, node.id):
                        yield _instead(words, ast.Name(name), node)
        elif isinstance(node, ast.Attribute) and node.attr in site.attributes:
            for name in sorted(site.attributes):
                if is_possible(name, node.attr):
                    yield _instead(words, ast.Attribute(node.value, name), node)

    return changes


def _are_similar(name: str, other: str) -> bool:
    """Return whether names differ in what follows an underscore, as W_k and W_v, or are as short as K and V."""
    start, separator, _ = name.partition("_")
    other_start, other_separator, _ = other.partition("_")
    if separator and other_separator:
        return start == other_start and name != other
    return name != other and len(name) == len(other) <= len("norm1")


def other_size(site: Site, words: Vocabulary) -> Iterator[Replacement]:
    """A size of another argument."""
    node = site.node
    if not isinstance(node, ast.expr):
        return
    for pattern, sizes in SIZES.items():
        if fits(formula(pattern), node, {}):
            for name, size in itertools.product(site.parameters, sizes):
                yield _instead(words, formula(size.format(name)), node)


def _instead(words: Vocabulary, wrong: ast.expr, right: ast.AST) -> Replacement:
    nouns = {"wrong": words.noun(wrong), "right": words.noun(right)}
    if nouns["wrong"] == nouns["right"]:
        nouns["wrong"] = None
    return Replacement(wrong, IN_PLACE, nouns)


def extra_scale(site: Site, words: Vocabulary) -> Iterator[Replacement]:
    """A product is divided by a size of an argument."""
    node = site.node
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.MatMult):
        return
    for name, text in itertools.product(site.parameters, SIZES["a.shape[b]"]):
        size = formula(text.format(name))
        nouns = {"term": words.noun(node), "size": words.noun(size)}
        says = "with a division of {term} by {size}, too"
        yield Replacement(ast.BinOp(node, ast.Div(), size), says, nouns)
        root = ast.BinOp(size, ast.Pow(), ast.Constant(0.5))
        says = "with a division of {term} by the square root of {size}, too"
        yield Replacement(ast.BinOp(node, ast.Div(), root), says, nouns)


def other_call(site: Site, words: Vocabulary) -> Iterator[Replacement]:
    """A function of the student's is left out, or a similar one is called."""
    call = site.node
    if not isinstance(call, ast.Call):
        return
    name = name_of(call)
    if call.args and (name in words.tasks or words.is_of_self(call.func)):
        yield Replacement(call.args[0], "without `{name}`", {"name": name})
    if name == "transpose" and isinstance(call.func, ast.Attribute):
        yield Replacement(call.func.value, "without `transpose`")
    for other in LOOK_ALIKE.get(name, ()):
        if isinstance(call.func, ast.Attribute):
            new = site.like(func=ast.Attribute(call.func.value, other))
            nouns: Nouns = {"wrong": f"`{other}`", "right": f"`{name}`"}
            yield Replacement(new, IN_PLACE, nouns)


def along(axes: Sequence[int]) -> MakeChanges:
    """Return the operator that takes a sum, or the like, along another axis, over all, or without ``keepdims``."""

    def changes(site: Site, words: Vocabulary) -> Iterator[Replacement]:
        call = site.node
        if not isinstance(call, ast.Call) or name_of(call) not in ALONG_AXES:
            return
        name = name_of(call)
        for keyword in call.keywords:
            others = [other for other in call.keywords if other is not keyword]
            if keyword.arg in ("keepdims", "keepdim"):
                says = "without `keepdims` in `{name}`"
                yield Replacement(site.like(keywords=others), says, {"name": name})
            if keyword.arg not in ("axis", "dim"):
                continue
            for axis in axes:
                new = ast.keyword(keyword.arg, ast.Constant(axis))
                nouns: Nouns = {"name": name, "axis": str(axis)}
                says = "with `{name}` along axis {axis}"
                yield Replacement(site.like(keywords=[new, *others]), says, nouns)
            if name in REDUCTIONS:
                says = "with `{name}` of all numbers at once"
                yield Replacement(site.like(keywords=[]), says, {"name": name})

    return changes


def other_order(site: Site, words: Vocabulary) -> Iterator[Replacement]:
    """Arguments, layers or axes in another order."""
    call = site.node
    if not isinstance(call, ast.Call) or len(call.args) > MOST_ARGUMENTS:
        return
    name = name_of(call)
    args = call.args
    if name == "transpose":
        for order in itertools.permutations(args):
            axes = ", ".join(map(ast.unparse, order))
            says = "with the axes in the order ({axes}) in `transpose`"
            yield Replacement(site.like(args=list(order)), says, {"axes": axes})
    for first, second in itertools.combinations(range(len(args)), 2):
        exchanged = list(args)
        exchanged[first] = args[second]
        exchanged[second] = args[first]
        terms = [words.noun(args[first]), words.noun(args[second])]
        says = "with {first} and {second} exchanged in the call of `{name}`"
        if name == "reshape":
            terms = [str(first + 1), str(second + 1)]
            says = "with sizes {first} and {second} of `{name}` exchanged"
        elif not words.is_known(name) and name not in IN_ANY_ORDER:
            continue
        if terms[0] != terms[1]:
            nouns = {"first": terms[0], "second": terms[1], "name": name}
            yield Replacement(site.like(args=exchanged), says, nouns)


def transposed(site: Site, words: Vocabulary) -> Iterator[Replacement]:
    """A variable that is transposed and should not be."""
    node = site.node
    if not isinstance(node, ast.Name) or isinstance(site.parent, ast.Attribute):
        return
    if isinstance(node.ctx, ast.Load) and node.id in site.names:
        new = filled("a.swapaxes(-1, -2)", a=node)
        yield Replacement(new, "with {term} transposed", {"term": words.noun(node)})


def fewer_rounds(site: Site, words: Vocabulary) -> Iterator[Replacement]:
    """A loop without its first or last round, or with one round only."""
    node = site.node
    if (
        isinstance(site.parent, ast.For | ast.comprehension)
        and node is site.parent.iter
    ):
        for rounds, says in ROUNDS.items():
            yield Replacement(filled(rounds, a=node), says)


OPERATORS: Sequence[MakeChanges] = (
    other_name(_are_similar),
    formulas(LEFT_OUT),
    other_call,
    along((0, 1)),
    along((-1, -2)),
    formulas(OTHER_STEP),
    other_order,
    transposed,
    formulas(OTHER_GROUPING),
    fewer_rounds,
    formulas(ONE_STEP_MORE),
    extra_scale,
    other_size,
    other_name(operator.ne),
)
"""What makes slips, the most natural first."""


def slips_of(solution: SourceText, task: str, tasks: Sequence[str]) -> list[Slip]:
    """Return the slips of a task's function and of the functions that it uses, each edit once.

    Functions that the stub gives to students, complete, are left alone.

    Args:
        solution: the reference solution.
        task: name of the task.
        tasks: the names of all tasks of the homework.
    """
    if BEGIN not in solution.text:
        return []
    stub = strip_solution(solution.text, solution.path.name)
    reached_by_name = reached_by_parts(solution)
    functions = []
    for function, reached in reached_by_name.items():
        definition = solution.definitions[function]
        text = solution.whole[definition.start : definition.end]
        if task in reached and BEGIN in text:
            functions.append(function)
    functions.sort(key=lambda function: len(reached_by_name[function]))

    slips: dict[tuple[Edit, ...], Slip] = {}
    for function in functions:
        words = vocabulary_of(solution, function, stub, tasks)
        for edit, axis in _edits_of_all_axes(solution, function):
            says = say("with `axis={axis}` everywhere", axis=axis)
            slips[edit,] = Slip((edit,), len(OPERATORS), says)
        alike: dict[str, list[Slip]] = {}
        for site, start, end in sites_in(solution, function):
            for rank, make_changes in enumerate(OPERATORS):
                for change in make_changes(site, words):
                    if None in change.nouns.values():
                        continue
                    edit = Edit(start, end, text_of(change.new, site))
                    if edit.new != solution.whole[start:end]:
                        slip = Slip((edit,), rank, say(change.says, **change.nouns))
                        if slips.setdefault(slip.edits, slip) is slip:
                            alike.setdefault(change.says, []).append(slip)
        for slips_alike in alike.values():
            together = _together(slips_alike)
            if together is not None:
                slips[together.edits] = together
    return list(slips.values())[:MOST_SLIPS]


def _together(slips: Sequence[Slip]) -> Slip | None:
    """Return the same wrong step at a few places at once, as where no product is transposed; None if they clash."""
    if not 1 < len(slips) <= MOST_PLACES:
        return None
    edits: list[Edit] = []
    for slip in slips:
        if clash(slip.edits, edits):
            return None
        edits += slip.edits
    sayings = dict.fromkeys(slip.says for slip in slips)
    return Slip(tuple(edits), len(OPERATORS), f" {say('and')} ".join(sayings))


def _edits_of_all_axes(
    solution: SourceText, function: str
) -> Iterator[tuple[Edit, int]]:
    """Yield the edits that take all steps of a function along one axis, as where rows are taken for columns."""
    definition = solution.definitions[function]
    if isinstance(definition.node, ast.ClassDef):
        return
    code = solution.whole[definition.code : definition.end]
    for axis in (0, 1):
        new, count = re.subn(r"\b(axis|dim)=-?\d", rf"\1={axis}", code)
        if count > 1 and new != code:
            yield Edit(definition.code, definition.end, new), axis
