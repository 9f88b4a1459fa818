"""What expressions of a solution are called in words that students know."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.language import say
from autograder.reasons.source_text import SourceText

DEEPEST = 3
"""So many steps of a formula are described within each other."""
LIBRARIES = frozenset({"np", "torch", "nn", "F", "math"})
RESULTS = {
    "exp": "the exponentials",
    "log": "the logarithms",
    "max": "the maximum",
    "min": "the minimum",
    "sum": "the sum",
    "mean": "the mean",
    "sin": "the sines",
    "cos": "the cosines",
    "ReLU": "`ReLU`",
    "Linear": "`Linear`",
}
"""What functions return, in words, and layers."""
OF_ARGUMENT = {
    "sqrt": "the square root of {term}",
    "len": "the length of {term}",
    "asarray": "{term}",
    "swapaxes": "{term}",
    "transpose": "{term}",
}
"""The same, in words that name the argument."""
SIZES = {
    "-1": "the number of columns of {term}",
    "-2": "the number of rows of {term}",
}
Noun = str | None
"""What a thing is called in the student's language; None where it has no name that students know."""


@dataclass(frozen=True)
class Vocabulary:
    """The words for what stands in a function of the solution.

    Attributes:
        stub: the text of the stub, as students have it.
        arguments: the function's arguments, if the stub shows them.
        tasks: the functions that students write.
        values: the formulas of the function's variables that are bound once.
    """

    stub: str
    arguments: frozenset[str]
    tasks: frozenset[str]
    values: Mapping[str, ast.expr]

    def noun(self, node: ast.AST, depth: int = DEEPEST) -> Noun:
        """Return what an expression is called, with at most so many steps within each other."""
        if depth < 0:
            return None
        match node:
            case ast.Name(id=name):
                return self._variable(name, depth)
            case ast.Constant(value=0 | 1 | 2):
                return str(node.value)
            case ast.UnaryOp(operand=operand):
                return self.noun(operand, depth)
            case ast.Attribute(attr=name) if self.is_of_self(node):
                return f"`{name}`"
            case ast.Attribute(value=value, attr="T"):
                return self.noun(value, depth - 1)
            case ast.Subscript(
                value=ast.Attribute(value=value, attr="shape"), slice=axis
            ):
                phrase = SIZES.get(ast.unparse(axis), "a size of {term}")
                return self._of(phrase, value, depth)
            case ast.Subscript(value=value):
                return self._of("a part of {term}", value, depth)
            case ast.Call():
                return self._result(node, depth)
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                first = self.noun(left, 0)
                second = self.noun(right, 0)
                if depth == DEEPEST and first and second:
                    return say(
                        "the product of {first} and {second}",
                        first=first,
                        second=second,
                    )
        return None

    def is_known(self, name: str) -> bool:
        """Return whether a name stands in the stub, as more than a letter of its sentences."""
        if name in self.arguments:
            return True
        is_letter = len(name) == 1 and name.islower()
        return not is_letter and bool(re.search(rf"\b{name}\b", self.stub))

    def is_of_self(self, node: ast.AST) -> bool:
        """Return whether an expression is an attribute of ``self`` that the stub names."""
        if not isinstance(node, ast.Attribute):
            return False
        return ast.unparse(node.value) == "self" and self.is_known(node.attr)

    def _variable(self, name: str, depth: int) -> Noun:
        """Return an argument's name; of another variable what it is, or else its name if the stub has it."""
        if name in self.arguments:
            return f"`{name}`"
        value = self.values.get(name)
        if isinstance(value, ast.Call):
            result = self._result(value, depth)
            if result is not None:
                return result
        phrase = "the " + name.replace("_", " ")
        if re.search(rf"\b{phrase}\b", self.stub):
            return say(phrase)
        if self.is_known(name):
            return f"`{name}`"
        return self.noun(value, depth - 1) if value is not None else None

    def _result(self, call: ast.Call, depth: int) -> Noun:
        name = name_of(call)
        if name in self.tasks or self.is_of_self(call.func):
            return say("the result of `{name}`", name=name)
        if name in RESULTS:
            return say(RESULTS[name])
        subject = subject_of(call)
        if name in OF_ARGUMENT and subject is not None:
            result = self._of(OF_ARGUMENT[name], subject, depth)
            if result is not None:
                return result
        return say("the square root") if name == "sqrt" else None

    def _of(self, phrase: str, node: ast.AST, depth: int) -> Noun:
        term = self.noun(node, depth - 1)
        return say(phrase, term=term) if term is not None else None


def vocabulary_of(
    solution: SourceText, function: str, stub: str, tasks: Sequence[str]
) -> Vocabulary:
    """Return the words for what stands in a function.

    Args:
        solution: the reference solution.
        function: the function, or a method named ``Class.method``.
        stub: the text of the stub.
        tasks: the functions that students write.
    """
    node = solution.definitions[function].node
    values = {}
    bound_twice = set()
    for statement in ast.walk(node):
        if isinstance(statement, ast.Assign):
            target = statement.targets[0]
            if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Call):
                if {ast.unparse(other) for other in target.elts[1:]} == {"_"}:
                    target = target.elts[0]  # the only result that is used
            if isinstance(target, ast.Name):
                if target.id in values:
                    bound_twice.add(target.id)
                values[target.id] = statement.value
    for name in bound_twice:
        del values[name]
    arguments: set[str] = set()
    if isinstance(node, ast.FunctionDef) and f"def {node.name}(" in stub:
        arguments.update(argument.arg for argument in node.args.args)
    return Vocabulary(stub, frozenset(arguments - {"self"}), frozenset(tasks), values)


def name_of(call: ast.Call) -> str:
    """Return the name of the called function or method."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def subject_of(call: ast.Call) -> ast.expr | None:
    """Return the array of which a method is called, or a function's first argument."""
    if (
        isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func.value) not in LIBRARIES
    ):
        return call.func.value
    return call.args[0] if call.args else None
