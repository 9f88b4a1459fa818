"""Places in a solution where something else may stand, and the edits that put it there."""

from __future__ import annotations

import ast
import builtins
import copy
import itertools
import math
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import UnionType
from typing import TypeVar

from autograder.course.statements import names_in
from autograder.reasons.source_text import Edit, SourceText

SUM = ast.Add | ast.Sub
LOOSE = (
    ast.BinOp
    | ast.UnaryOp
    | ast.IfExp
    | ast.Compare
    | ast.BoolOp
    | ast.Lambda
    | ast.Tuple
)
TIGHT = ast.BinOp | ast.UnaryOp | ast.Attribute | ast.Subscript | ast.Starred
"""Within an expression of these kinds, a loose one needs parentheses."""
LONGEST_QUOTE = 60
"""Longer code is quoted from its beginning."""
BUILT_IN = frozenset(vars(builtins))
LIBRARY_OF_NAME = {
    "np": "numpy",
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "math": "math",
}
"""What the usual names of libraries stand for where no import of them is in sight."""
MODULES = frozenset(
    {
        *LIBRARY_OF_NAME.values(),
        "numpy.linalg",
        "numpy.ma",
        "numpy.random",
        "torch.linalg",
    }
)
"""The modules of the libraries, by their full names."""
PACKAGES = frozenset({"math", "numpy", "torch"})
Item = TypeVar("Item")
Node = TypeVar("Node", bound=ast.AST)


def with_fields(node: Node, **changed: object) -> Node:
    """Return a copy of a node in which some fields are others."""
    new_node = copy.copy(node)
    vars(new_node).update(changed)
    return new_node


@dataclass
class BoundNames:
    """The names that a student's code binds, whatever Python or a library calls so.

    Attributes:
        values: arguments and variables.
        definitions: functions, classes, and imports from anywhere but the libraries. After ``from numpy import *``
            each name that Python has built in may be another function.
        imports: what is imported from the libraries, such as ``torch.nn`` or ``math.sqrt``, by its new name.
        methods: the names of methods.
        constants: variables that somewhere stand for a number or a text that is typed in.
    """

    values: set[str] = field(default_factory=set)
    definitions: set[str] = field(default_factory=set)
    imports: dict[str, str] = field(default_factory=dict)
    methods: set[str] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)

    def joined(self, other: BoundNames) -> BoundNames:
        """Return these names and others."""
        return BoundNames(
            self.values | other.values,
            self.definitions | other.definitions,
            self.imports | other.imports,
            self.methods | other.methods,
            self.constants | other.constants,
        )

    def imported(self, name: str) -> str:
        """Return what a name stands for in a library, such as ``numpy.linalg``; blank where it is none of one."""
        if name in self.values or name in self.definitions:
            return ""
        return self.imports.get(name, LIBRARY_OF_NAME.get(name, ""))

    def is_usual(self, name: str) -> bool:
        """Return whether a name stands for what it usually does, as ``sum`` does if nothing binds it."""
        if name in self.values or name in self.definitions:
            return False
        return self.imported(name) == LIBRARY_OF_NAME.get(name, "")

    def add(self, node: ast.AST) -> None:
        """Add the names that a node itself binds, and none that is bound within it but the methods of a class."""
        match node:
            case ast.Name(name, ast.Store()) | ast.arg(name):
                self.values.add(name)
            case ast.Assign(targets, ast.Constant()):
                for target in targets:
                    if isinstance(target, ast.Name):
                        self.constants.add(target.id)
            case ast.AnnAssign(ast.Name(name), value=ast.Constant()):
                self.constants.add(name)
            case ast.ExceptHandler(name=str(name)):
                self.values.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(str(name)):
                self.values.add(name)
            case ast.MatchMapping(rest=str(name)):
                self.values.add(name)
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                self.definitions.add(name)
            case ast.ClassDef(name, body=statements):
                self.definitions.add(name)
                self._add_methods(statements)
            case ast.Import(aliases):
                for alias in aliases:
                    package, _, _ = alias.name.partition(".")
                    if alias.asname:
                        self._add_import(alias.asname, alias.name)
                    else:
                        self._add_import(package, package)
            case ast.ImportFrom(module, aliases, level):
                # What stands beside the student's file is no library, whatever it is called.
                full_module = "." * (level or 0) + (module or "")
                for alias in aliases:
                    if alias.name != "*":
                        name = alias.asname or alias.name
                        self._add_import(name, f"{full_module}.{alias.name}")
                    elif full_module == "math":
                        self.definitions |= BUILT_IN.intersection(vars(math))
                    else:
                        self.definitions |= BUILT_IN

    def _add_import(self, name: str, full_name: str) -> None:
        package, _, _ = full_name.partition(".")
        if package in PACKAGES:
            self.imports[name] = full_name
        else:
            self.definitions.add(name)

    def _add_methods(self, statements: Iterable[ast.AST]) -> None:
        """Add the functions that the body of a class defines, in whatever branch."""
        waiting = list(statements)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.methods.add(node.name)
            elif not isinstance(node, SCOPES):
                waiting += ast.iter_child_nodes(node)

    def add_around(self, statements: Iterable[ast.AST]) -> None:
        """Add the names that code binds, and none that its functions and classes bind for themselves."""
        waiting = list(statements)
        while waiting:
            node = waiting.pop()
            self.add(node)
            if isinstance(node, SCOPES):
                self._add_from_within(node)
            else:
                waiting += ast.iter_child_nodes(node)

    def _add_from_within(self, scope: ast.AST) -> None:
        """Add the global names that a function binds, and the methods of classes within it."""
        for node in ast.walk(scope):
            match node:
                case ast.Global(names):
                    self.values.update(names)
                case ast.ClassDef(body=statements):
                    self._add_methods(statements)

    def add_definitions(self, names: Iterable[str]) -> None:
        """Add functions and classes by name; a method is named ``Class.method``."""
        for name in names:
            _, dot, method = name.rpartition(".")
            if dot:
                self.methods.add(method)
            else:
                self.definitions.add(name)


SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


@dataclass(frozen=True)
class Site:
    """A node of a function, where something else may stand.

    Attributes:
        node: the node.
        parent: the node around it.
        names: the arguments and variables of its function.
        parameters: only the arguments, without ``self``.
        attributes: the attributes of ``self`` in its class.
        indices: what stands in the brackets of the function's indices, each once.
        calls: the function's calls.
        values: the arguments and variables of the function, and of functions within it.
        bound: the names that the function, or the code around it, binds.
        start: the first character of the node in the text.
        end: the character after its last one.
        user: what uses its value: the node around it and around the calls that take it, such as ``int(…)``.
    """

    node: ast.AST
    parent: ast.AST
    names: Collection[str] = ()
    parameters: Sequence[str] = ()
    attributes: Collection[str] = ()
    indices: Sequence[ast.expr] = ()
    calls: Sequence[ast.Call] = ()
    values: Collection[str] = ()
    bound: BoundNames = field(default_factory=BoundNames)
    start: int = 0
    end: int = 0
    user: ast.AST | None = None

    def like(self, **changed: object) -> ast.AST:
        """Return a copy of the node in which some fields are others."""
        return with_fields(self.node, **changed)

    def is_built_in(self, node: ast.AST) -> bool:
        """Return whether a node is the name of something that Python has built in, such as ``sum``."""
        if not isinstance(node, ast.Name) or not self.bound.is_usual(node.id):
            return False
        return node.id in BUILT_IN

    def is_of_library(self, node: ast.AST) -> bool:
        """Return whether a node is a library, or a part of one, such as ``np.linalg``."""
        root = root_of(node)
        if not isinstance(root, ast.Name):
            return False
        return self.bound.imported(root.id) in MODULES

    def function_of_library(self, node: ast.AST) -> str:
        """Return the name that a library has for its function: "sqrt" of ``np.sqrt``; blank of all other nodes.

        After ``from math import sqrt as root`` it is also that of ``root``.
        """
        match node:
            case ast.Attribute(library, name) if self.is_of_library(library):
                return name
            case ast.Name(name):
                full_name = self.bound.imported(name)
                _, _, function = full_name.rpartition(".")
                return "" if full_name in MODULES else function
        return ""

    def is_of_array(self, node: ast.AST) -> bool:
        """Return whether a node such as ``x.max`` may well be a method or an attribute of an array.

        It is none of ``self``, of the student's functions, classes and modules, and of a library, and the student
        has written no method of that name.
        """
        if not isinstance(node, ast.Attribute) or node.attr in self.bound.methods:
            return False
        root = root_of(node)
        if not isinstance(root, ast.Name):
            return True
        if root.id == "self":
            return node.value is not root
        if root.id in self.values:
            return True
        if root.id in self.bound.definitions:
            return False
        return not self.bound.imported(root.id)

    def edit(self, new: ast.AST) -> Edit:
        """Return the edit that puts something else here; a statement's further lines get its margin."""
        if isinstance(new, ast.stmt | ast.Module):
            text = indented(new, self.node).lstrip()
        else:
            text = self._text_of(new)
        return Edit(self.start, self.end, text)

    def _text_of(self, new: ast.AST) -> str:
        """Write an expression, in parentheses where its neighbours would take it apart."""
        text = ast.unparse(new)
        if not isinstance(new, LOOSE) or not isinstance(self.parent, TIGHT):
            return text
        if isinstance(new, ast.BinOp) and isinstance(self.node, ast.BinOp):
            if isinstance(new.op, SUM) == isinstance(self.node.op, SUM):
                return text
        return f"({text})"


def root_of(node: ast.AST) -> ast.AST:
    """Return what a chain of attributes begins with: `np` of `np.linalg.norm`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def reached_by_parts(solution: SourceText) -> dict[str, set[str]]:
    """Return, for each function and class of the solution, the names whose results an edit of it may change.

    Methods have entries of their own, named ``Class.method``. Helpers of mutants have none.
    """
    reached_by_name = {}
    for name, definition in solution.definitions.items():
        if definition.start < len(solution.text):
            edit = Edit(definition.code, definition.code, "")
            reached_by_name[name] = solution.reached_by([edit])
    return reached_by_name


def sites_in(
    solution: SourceText, function: str, names_around: BoundNames | None = None
) -> Iterator[Site]:
    """Yield each expression and statement of a function's code; a class itself has none.

    Args:
        solution: the text with the function.
        function: its name, or that of a method as ``Class.method``.
        names_around: the names that the code outside the function binds.
    """
    definition = solution.definitions[function]
    if isinstance(definition.node, ast.ClassDef):
        return

    # What sites of the function have in common.
    arguments = [argument.arg for argument in definition.node.args.args]
    parameters = []
    for name in arguments:
        if name != "self":
            parameters.append(name)
    names = {*parameters, *names_in(definition.node, ast.Store)}
    indices: dict[str, ast.expr] = {}
    calls = []
    names_within = BoundNames()
    for node in ast.walk(definition.node):
        names_within.add(node)
        match node:
            case ast.Subscript(slice=index):
                indices.setdefault(ast.unparse(index), index)
            case ast.Call():
                calls.append(node)
    all_indices = list(indices.values())
    bound = names_within
    if names_around is not None:
        bound = names_around.joined(names_within)
    class_name, _, _ = function.rpartition(".")
    owner = solution.definitions.get(class_name, definition).node
    attributes = set()
    for node in ast.walk(owner):
        if isinstance(node, ast.Attribute) and is_of_self(node):
            attributes.add(node.attr)

    # The syntax tree counts columns in bytes, an edit counts characters from the start of the text.
    def offset(line: int, column: int) -> int:
        start, end = solution.line_starts[line : line + 2]
        before = solution.whole[start:end].encode()[:column]
        return start + len(before.decode())

    users: dict[ast.AST, ast.AST] = {}
    for parent in ast.walk(definition.node):
        # What a call takes is used where its result is.
        user = parent
        if isinstance(parent, ast.Call):
            user = users.get(parent, parent)
        for node in ast.iter_child_nodes(parent):
            users[node] = user
            if not isinstance(node, ast.expr | ast.stmt) or node.end_lineno is None:
                continue
            start = offset(node.lineno, node.col_offset)
            if start < definition.code:
                continue
            end = offset(node.end_lineno, node.end_col_offset or 0)
            yield Site(
                node,
                parent,
                names,
                parameters,
                attributes,
                indices=all_indices,
                calls=calls,
                values=names_within.values,
                bound=bound,
                start=start,
                end=end,
                user=user,
            )


def is_of_self(node: ast.Attribute) -> bool:
    """Return whether an attribute is one of ``self``."""
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def standing_as(field: str, kinds: type[ast.AST] | UnionType) -> Callable[[Site], bool]:
    """Return the condition that a node is one field of the node around it, which is of some kind."""

    def is_standing(site: Site) -> bool:
        parent = site.parent
        return isinstance(parent, kinds) and site.node is getattr(parent, field)

    return is_standing


is_iterated = standing_as("iter", ast.For | ast.comprehension)
"""Whether a loop goes over a node."""


def without(items: Sequence[Item], item: Item) -> list[Item]:
    """Return all items but one."""
    others = []
    for other in items:
        if other is not item:
            others.append(other)
    return others


def with_exchanged(items: Sequence[Item], first: int, second: int) -> list[Item]:
    """Return some items with two of them exchanged, by their indices."""
    exchanged = list(items)
    exchanged[first] = items[second]
    exchanged[second] = items[first]
    return exchanged


def with_pairs_exchanged(
    items: Sequence[ast.expr],
) -> Iterator[tuple[int, int, list[ast.expr]]]:
    """Yield the indices of each two of some expressions, and the expressions with these two exchanged."""
    for first, second in itertools.combinations(range(len(items)), 2):
        yield first, second, with_exchanged(items, first, second)


def indented(new: ast.stmt | ast.Module, old: ast.AST) -> str:
    """Write statements with the margin of the old one."""
    margin = " " * getattr(old, "col_offset", 0)
    complete = ast.fix_missing_locations(new)
    return textwrap.indent(ast.unparse(complete), margin)


def quoted(node: ast.AST) -> str:
    """Write code in one line of a sentence, at most its first characters."""
    text = " ".join(ast.unparse(node).split())
    if len(text) > LONGEST_QUOTE:
        return f"{text[:LONGEST_QUOTE]}…"
    return text
