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
from dataclasses import dataclass

from autograder.course.stub import BEGIN, strip_solution
from autograder.language import say
from autograder.reasons.formulas import (
    Changes,
    MakeChanges,
    NodeChange,
    filled,
    fits,
    formula,
    rewriting,
)
from autograder.reasons.sites import (
    Site,
    is_iterated,
    reached_by_parts,
    sites_in,
    with_pairs_exchanged,
    without,
)
from autograder.reasons.source_text import Edit, SourceText, clash
from autograder.reasons.vocabulary import Noun, Vocabulary, name_of, vocabulary_of

MOST_SLIPS = 600
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
    ("np.exp(a - b)", "np.exp(a - 1e9 * (a == 0) - b)", "with every 0 in {a} hidden, as by a mask"),
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
ROUNDS = (
    ("a", "list(a)[1:]", "without the first round of a loop"),
    ("a", "list(a)[:-1]", "without the last round of a loop"),
    ("a", "list(a)[:1]", "with only the first round of a loop"),
)


@dataclass(frozen=True)
class Slip:
    """One wrong step.

    Attributes:
        edits: the edits of the solution, of which most slips have one.
        rank: of slips that give the same numbers, one of the lowest rank is the most natural explanation.
        phrase: what it does, in the student's language, to follow "numbers that come out".
    """

    edits: tuple[Edit, ...]
    rank: int
    phrase: str


# Names, calls and places


def other_name(is_possible: Callable[[str, str], bool]) -> MakeChanges:
    """Return what puts another variable or layer, if the two names make that possible."""

    def changes(site: Site, words: Vocabulary) -> Changes:
        for size in ("a.shape", "len(a)"):
            if fits(formula(size), site.parent, {}):
                return  # a size is told as one
        match site.node:
            case ast.Name(name, ast.Load()) as node if name in site.names:
                for other in sorted(site.names):
                    if is_possible(other, name):
                        yield _instead(words, ast.Name(other), node)
            case ast.Attribute(value, name) as layer if name in site.attributes:
                for other in sorted(site.attributes):
                    if is_possible(other, name):
                        yield _instead(words, ast.Attribute(value, other), layer)

    return changes


def _are_similar(name: str, other: str) -> bool:
    """Return whether names differ in what follows an underscore, as W_k and W_v, or are as short as K and V."""
    start, separator, _ = name.partition("_")
    other_start, other_separator, _ = other.partition("_")
    if separator and other_separator:
        return start == other_start and name != other
    return name != other and len(name) == len(other) <= len("norm1")


def other_size(site: Site, words: Vocabulary) -> Changes:
    """A size of another argument."""
    for pattern, sizes in SIZES.items():
        if fits(formula(pattern), site.node, {}):
            for name, size in itertools.product(site.parameters, sizes):
                yield _instead(words, formula(size.format(name)), site.node)


def _instead(words: Vocabulary, wrong: ast.expr, right: ast.AST) -> NodeChange:
    letters = {"wrong": words.noun(wrong), "right": words.noun(right)}
    if letters["wrong"] == letters["right"]:
        letters["wrong"] = None
    return NodeChange(wrong, IN_PLACE, letters)


def extra_scale(site: Site, words: Vocabulary) -> Changes:
    """A product is divided by a size of an argument."""
    if not fits(formula("a @ b"), site.node, {}):
        return
    for name, text in itertools.product(site.parameters, SIZES["a.shape[b]"]):
        letters = {"term": site.node, "size": formula(text.format(name))}
        new = filled("term / size", **letters)
        yield NodeChange(new, "with a division of {term} by {size}, too", letters)
        says = "with a division of {term} by the square root of {size}, too"
        yield NodeChange(filled("term / size ** 0.5", **letters), says, letters)


def other_call(site: Site, words: Vocabulary) -> Changes:
    """A function of the student's is left out, or a similar one is called."""
    call = site.node
    if not isinstance(call, ast.Call):
        return
    name = name_of(call)
    if call.args and (name in words.tasks or words.is_of_self(call.func)):
        yield NodeChange(call.args[0], "without `{name}`", {"name": name})
    if isinstance(call.func, ast.Attribute):
        array = call.func.value
        if name == "transpose":
            yield NodeChange(array, "without `transpose`")
        for other in LOOK_ALIKE.get(name, ()):
            new = site.like(func=ast.Attribute(array, other))
            yield NodeChange(
                new, IN_PLACE, {"wrong": f"`{other}`", "right": f"`{name}`"}
            )


def along(*axes: int) -> MakeChanges:
    """Return what takes a sum, or the like, along another axis, over all, or without ``keepdims``."""

    def changes(site: Site, words: Vocabulary) -> Changes:
        call = site.node
        if not isinstance(call, ast.Call) or name_of(call) not in ALONG_AXES:
            return
        name = name_of(call)
        for keyword in call.keywords:
            others = without(call.keywords, keyword)
            if keyword.arg in ("keepdims", "keepdim"):
                says = "without `keepdims` in `{name}`"
                yield NodeChange(site.like(keywords=others), says, {"name": name})
            if keyword.arg not in ("axis", "dim"):
                continue
            for axis in axes:
                new = ast.keyword(keyword.arg, ast.Constant(axis))
                letters = {"name": name, "axis": str(axis)}
                says = "with `{name}` along axis {axis}"
                yield NodeChange(site.like(keywords=[new, *others]), says, letters)
            if name in REDUCTIONS:
                says = "with `{name}` of all numbers at once"
                yield NodeChange(site.like(keywords=[]), says, {"name": name})

    return changes


def other_order(site: Site, words: Vocabulary) -> Changes:
    """Arguments, layers or axes in another order."""
    call = site.node
    if not isinstance(call, ast.Call) or len(call.args) > MOST_ARGUMENTS:
        return
    name = name_of(call)
    if name == "transpose":
        for order in itertools.permutations(call.args):
            axes = ", ".join(map(ast.unparse, order))
            says = "with the axes in the order ({axes}) in `transpose`"
            yield NodeChange(site.like(args=list(order)), says, {"axes": axes})
    for first, second, exchanged in with_pairs_exchanged(call.args):
        nouns: list[Noun] = [str(first + 1), str(second + 1)]
        says = "with sizes {first} and {second} of `{name}` exchanged"
        if name != "reshape":
            if not words.is_known(name) and name not in IN_ANY_ORDER:
                continue
            nouns = [words.noun(call.args[first]), words.noun(call.args[second])]
            if nouns[0] == nouns[1]:
                continue
            says = "with {first} and {second} exchanged in the call of `{name}`"
        letters = {"first": nouns[0], "second": nouns[1], "name": name}
        yield NodeChange(site.like(args=exchanged), says, letters)


def transposed(site: Site, words: Vocabulary) -> Changes:
    """A variable that is transposed and should not be."""
    match site.node, site.parent:
        case _, ast.Attribute():
            return
        case ast.Name(name, ast.Load()) as node, _ if name in site.names:
            new = filled("a.swapaxes(-1, -2)", a=node)
            yield NodeChange(new, "with {term} transposed", {"term": node})


WRONG_STEPS: Sequence[MakeChanges] = (
    other_name(_are_similar),
    rewriting(LEFT_OUT),
    other_call,
    along(0, 1),
    along(-1, -2),
    rewriting(OTHER_STEP),
    other_order,
    transposed,
    rewriting(OTHER_GROUPING),
    rewriting(ROUNDS, where=is_iterated),
    rewriting(ONE_STEP_MORE),
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
            phrase = say("with `axis={axis}` everywhere", axis=axis)
            slips[edit,] = Slip((edit,), len(WRONG_STEPS), phrase)
        alike: dict[str, list[Slip]] = {}
        for site in sites_in(solution, function):
            for rank, make_changes in enumerate(WRONG_STEPS):
                for change in make_changes(site, words):
                    nouns = _nouns(change, words)
                    if None in nouns.values():
                        continue
                    edit = site.edit(change.new)
                    if edit.new != solution.whole[edit.start : edit.end]:
                        slip = Slip((edit,), rank, say(change.says, **nouns))
                        if slips.setdefault(slip.edits, slip) is slip:
                            alike.setdefault(change.says, []).append(slip)
        for slips_alike in alike.values():
            together = _together(slips_alike)
            if together is not None:
                slips[together.edits] = together
    return list(slips.values())[:MOST_SLIPS]


def _nouns(change: NodeChange, words: Vocabulary) -> Mapping[str, Noun]:
    """Return what the letters of a change are called, as far as it is said; None for one without a name."""
    nouns = {}
    for letter, node in change.letters.items():
        if f"{{{letter}}}" in change.says:
            nouns[letter] = words.noun(node) if isinstance(node, ast.AST) else node
    return nouns


def _together(slips: Sequence[Slip]) -> Slip | None:
    """Return the same wrong step at a few places at once, as where no product is transposed; None if they clash."""
    if not 1 < len(slips) <= MOST_PLACES:
        return None
    edits: list[Edit] = []
    for slip in slips:
        if clash(slip.edits, edits):
            return None
        edits += slip.edits
    phrases = dict.fromkeys(slip.phrase for slip in slips)
    return Slip(tuple(edits), len(WRONG_STEPS), f" {say('and')} ".join(phrases))


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
