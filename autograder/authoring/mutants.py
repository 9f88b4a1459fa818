"""Mutants of a reference solution, made systematically: each is the solution with one wrong step.

The operators are small functions over the nodes of the solution's syntax tree. Some changes show only at run
time, such as an array that is transposed where it is square: their mutants call a helper, whose text stands
below the solution. A helper leaves a value of another kind as it is; ``was_applied`` says whether there was
anything to change.
"""

from __future__ import annotations

import ast
import difflib
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeGuard

from autograder.authoring.generated_edits import Operator, edits_in, small_changes
from autograder.course.homework import Homework
from autograder.course.stub import BEGIN
from autograder.reasons.sites import Site, reached_by_parts
from autograder.reasons.source_text import Edit, SourceText

WAS_APPLIED = "was_applied"
HELPERS = Path(__file__).with_name("mutant_helpers.py").read_text("utf-8")
"""Functions that mutants call, as text below the solution."""
ALL_ARGUMENTS = (
    "None",
    "ones_of({0})",
    "zeros_of({0})",
    "first_for_all({0}, 0)",
    "first_for_all({0}, 1)",
    "first_for_all({0}, 2)",
    "transposed_if_square({0})",
    "rounded_to_float16({0})",
    "copied_and_overwritten({0})",
)
"""What takes the place of an argument as the function begins."""
HELPER_NAMES = re.findall(r"^def (\w+)", HELPERS, re.MULTILINE)
FUNCTIONS = (
    {"exp", "exp2"},
    {"sqrt", "cbrt", "square"},
    {"maximum", "minimum"},
    {"argmax", "argmin"},
    {"sin", "cos"},
    {"tril", "triu"},
    {"ones", "zeros"},
    {"concatenate", "stack"},
    {"cat", "stack"},
    {"repeat", "tile"},
    {"softmax", "log_softmax"},
    {"eval", "train"},
    {"ReLU", "GELU", "Identity"},
    {"LayerNorm", "Identity"},
    {"ModuleList", "Sequential"},
)
"""Functions, methods and layers of which one may be taken for another."""
OPTIONS = {
    "Linear": ("bias", False),
    "LayerNorm": ("elementwise_affine", False),
    "MultiheadAttention": ("bias", False),
}
"""Options of torch's layers that change what a layer learns."""
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE),
    ast.LtE: (ast.Lt, ast.GtE, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE),
    ast.GtE: (ast.Gt, ast.LtE, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ABOUT_ARRAYS = ("shape", "dtype", "device")
"""Attributes that say something about an array without using its numbers."""
FINITE = (1e9, 1e4, 100.0)
"""Numbers that stand for infinity in programs."""

LineChange: TypeAlias = "tuple[str, str]"
"""The lines that a mutant takes out of its function, and the lines in their place, as ``ast.unparse`` writes."""


@dataclass(frozen=True)
class Mutant:
    """The solution with one edit of a function, or of a method named ``Class.method``.

    Attributes:
        function: the name of the function or method.
        operator: the name of the operator that made the edit.
        edit: the edit.
        change: what the edit changes, in a form that stays the same when other lines of the solution, its
            comments or its layout are changed: by it a mutant is recognised in ``equivalent_mutants.toml``.
        reaches: the functions and classes whose results it may change.
    """

    function: str
    operator: str
    edit: Edit
    change: LineChange
    reaches: frozenset[str]

    @property
    def uses_helper(self) -> bool:
        """Whether only the run shows if there is anything to change."""
        return any(f"{name}(" in self.edit.new for name in HELPER_NAMES)

    def text(self, solution: SourceText) -> str:
        """Return the text of the mutant as a submission, with the helpers of mutants."""
        before = solution.whole[: self.edit.start]
        after = solution.whole[self.edit.end :]
        return before + self.edit.new + after

    def diff(self, solution: SourceText) -> str:
        """Return the mutant's change of the solution as a unified diff."""
        old_length = self.edit.end - self.edit.start
        length = len(solution.text) + len(self.edit.new) - old_length
        text = self.text(solution)[:length]  # without helpers
        name = solution.path.name
        lines = difflib.unified_diff(
            solution.text.splitlines(keepends=True),
            text.splitlines(keepends=True),
            name,
            f"{name} mutated",
        )
        return "".join(lines)


def solution_to_mutate(homework: Homework) -> SourceText:
    """Return the reference solution with the helpers that mutants call."""
    path = homework.solution
    return SourceText(path, path.read_text(encoding="utf-8"), HELPERS)


def mutants_of(solution: SourceText, tasks: Sequence[str]) -> list[Mutant]:
    """Return all mutants of the functions that some task uses, each change of a function once.

    Functions that the stub gives to students, complete, are left alone: no mistake of theirs is there.
    """
    mutants = []
    for function, reached in reached_by_parts(solution).items():
        if reached.isdisjoint(tasks) or _is_given(solution, function):
            continue
        edits = []
        for operator, edit in edits_in(solution, function, OPERATORS):
            edits.append((operator.__name__, edit))
        for edit in replaced_arguments(solution, function):
            edits.append(("replace_argument", edit))

        right = _lines(solution, function)
        sources = {tuple(right)}
        for name, edit in edits:
            try:
                wrong = _lines(solution, function, edit)
            except SyntaxError:
                continue  # such as `pass` in place of an assignment in an expression
            if tuple(wrong) in sources:
                continue
            sources.add(tuple(wrong))
            mutant = Mutant(
                function=function,
                operator=name,
                edit=edit,
                change=_change(right, wrong),
                reaches=frozenset(reached),
            )
            mutants.append(mutant)
    return mutants


def _is_given(solution: SourceText, function: str) -> bool:
    """Return whether a function has no solution region, although the solution has some."""
    definition = solution.definitions[function]
    text = solution.whole[definition.start : definition.end]
    return BEGIN in solution.text and BEGIN not in text


def _lines(solution: SourceText, function: str, edit: Edit | None = None) -> list[str]:
    """Return a function, with or without an edit, as ``ast.unparse`` writes it.

    Raises:
        SyntaxError: the edit leaves no valid function.
    """
    definition = solution.definitions[function]
    text = solution.whole[definition.start : definition.end]
    if edit is not None:
        start = edit.start - definition.start
        end = edit.end - definition.start
        text = text[:start] + edit.new + text[end:]
    module = ast.parse(textwrap.dedent(text))
    return ast.unparse(module).split("\n")


def _change(right: Sequence[str], wrong: Sequence[str]) -> LineChange:
    removed = []
    added = []
    for line in difflib.ndiff(right, wrong):
        if line.startswith("- "):
            removed.append(line[2:].strip())
        elif line.startswith("+ "):
            added.append(line[2:].strip())
    return "\n".join(removed), "\n".join(added)


# The operators


def replaced_arguments(solution: SourceText, function: str) -> Iterator[Edit]:
    """Yield the edits that put something else in the place of an argument as the function begins."""
    definition = solution.definitions[function]
    if isinstance(definition.node, ast.ClassDef):
        return
    margin = " " * definition.node.body[-1].col_offset
    for argument in definition.node.args.args:
        name = argument.arg
        if name == "self":
            continue
        for value in ALL_ARGUMENTS:
            replacement = value.format(name)
            statement = f"{margin}{name} = {replacement}\n"
            yield Edit(definition.code, definition.code, statement)


def _call_of(helper: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(helper), list(arguments), [])


def _is_value(node: ast.AST, site: Site) -> TypeGuard[ast.expr]:
    """Return whether a site's node may be an array: a variable, a call, a part or a formula."""
    parent = site.parent
    if isinstance(parent, ast.Call) and parent.func is node:
        return False
    if isinstance(parent, ast.Attribute) and parent.attr in ABOUT_ARRAYS:
        return False
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return False
    if isinstance(node, ast.Name):
        return node.id in site.names
    if isinstance(node, ast.Attribute):
        return node.attr == "T"
    return isinstance(node, ast.Call | ast.BinOp | ast.Subscript)


def transpose_if_square(site: Site) -> Iterator[ast.AST]:
    """Transpose an array whose last two axes are equal."""
    if _is_value(site.node, site):
        yield _call_of("transposed_if_square", site.node)


def take_first_for_all(site: Site) -> Iterator[ast.AST]:
    """Take the first row, batch item or head of an array for all of them."""
    if _is_value(site.node, site):
        for axis in range(3):
            yield _call_of("first_for_all", site.node, ast.Constant(axis))


def round_to_float16(site: Site) -> Iterator[ast.AST]:
    """Calculate in half precision; single precision is right in every homework."""
    if _is_value(site.node, site):
        yield _call_of("rounded_to_float16", site.node)


def detach(site: Site) -> Iterator[ast.AST]:
    """Cut a tensor off from its gradients."""
    if _is_value(site.node, site):
        yield _call_of("detached", site.node)


def negate(site: Site) -> Iterator[ast.AST]:
    """Change the sign of a formula."""
    if isinstance(site.node, ast.BinOp | ast.Call) and _is_value(site.node, site):
        yield ast.UnaryOp(ast.USub(), site.node)


def change_comparison(site: Site) -> Iterator[ast.AST]:
    """Compare in another way."""
    if not isinstance(site.node, ast.Compare):
        return
    operators = site.node.ops
    if len(operators) == 1:
        for other in COMPARISONS.get(type(operators[0]), ()):
            yield site.like(ops=[other()])


def change_condition(site: Site) -> Iterator[ast.AST]:
    """Negate a condition, or decide it always in one way."""
    if isinstance(site.parent, ast.If | ast.IfExp):
        condition = site.parent.test
        if site.node is condition:
            yield ast.UnaryOp(ast.Not(), condition)
            yield ast.Constant(value=True)
            yield ast.Constant(value=False)
    if isinstance(site.node, ast.BoolOp):
        other: ast.boolop = ast.Or()
        if isinstance(site.node.op, ast.Or):
            other = ast.And()
        yield site.like(op=other)


def change_loop(site: Site) -> Iterator[ast.AST]:
    """Leave out the first or the last round of a loop, or all but the first."""
    if not isinstance(site.parent, ast.For | ast.comprehension):
        return
    if site.node is site.parent.iter:
        for helper in ("without_first", "without_last", "only_first"):
            yield _call_of(helper, site.parent.iter)


def move_slice(site: Site) -> Iterator[ast.AST]:
    """Move a bound of a slice by one."""
    if not isinstance(site.node, ast.Slice):
        return
    step = ast.Constant(1)
    shortest_cuts = {"lower": step, "upper": ast.UnaryOp(ast.USub(), step)}
    for side, shortest_cut in shortest_cuts.items():
        bound = getattr(site.node, side)
        if bound is None:
            yield site.like(**{side: shortest_cut})
        else:
            one_more = ast.BinOp(bound, ast.Add(), step)
            one_less = ast.BinOp(bound, ast.Sub(), step)
            for other_bound in (one_more, one_less, None):
                yield site.like(**{side: other_bound})


def make_infinity_finite(site: Site) -> Iterator[ast.AST]:
    """Put a large number in the place of infinity."""
    if isinstance(site.node, ast.Attribute) and site.node.attr == "inf":
        for number in FINITE:
            yield ast.Constant(number)


def return_argument(site: Site) -> Iterator[ast.AST]:
    """Return an argument, or zeros like one."""
    if isinstance(site.node, ast.Return) and site.node.value is not None:
        for name in site.parameters:
            yield site.like(value=ast.Name(name))
            yield site.like(value=_call_of("zeros_of", ast.Name(name)))


def change_function(site: Site) -> Iterator[ast.AST]:
    """Call a similar function, method or layer."""
    if not isinstance(site.node, ast.Attribute):
        return
    for group in FUNCTIONS:
        if site.node.attr in group:
            for other in sorted(group - {site.node.attr}):
                yield site.like(attr=other)


def change_option(site: Site) -> Iterator[ast.AST]:
    """Give a layer an option that takes parameters away."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in OPTIONS:
        return
    option, value = OPTIONS[node.func.attr]
    if option not in {keyword.arg for keyword in node.keywords}:
        keyword = ast.keyword(option, ast.Constant(value))
        yield site.like(keywords=[*node.keywords, keyword])


def take_term_out(site: Site) -> Iterator[ast.AST]:
    """Apply a function to one term of a sum, and add the other afterwards."""
    match site.node:
        case ast.Call(
            func=function,
            args=[ast.BinOp(left=first, op=ast.Add() as plus, right=second)],
        ):
            of_first = ast.Call(function, [first], [])
            yield ast.BinOp(of_first, plus, second)
            of_second = ast.Call(function, [second], [])
            yield ast.BinOp(first, plus, of_second)


def change_augmented(site: Site) -> Iterator[ast.AST]:
    """Subtract where something is added up, or keep only the last."""
    if isinstance(site.node, ast.AugAssign):
        yield site.like(op=ast.Sub())
        yield ast.Assign([site.node.target], site.node.value, lineno=0)


OPERATORS: tuple[Operator, ...] = (
    small_changes,
    transpose_if_square,
    take_first_for_all,
    round_to_float16,
    detach,
    negate,
    change_comparison,
    change_condition,
    change_loop,
    move_slice,
    make_infinity_finite,
    return_argument,
    change_function,
    change_option,
    take_term_out,
    change_augmented,
)
