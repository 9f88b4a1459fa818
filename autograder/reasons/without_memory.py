"""Functions that cannot keep anything from one call to the next, as far as their text shows.

Whether an answer depends on earlier calls is found out by a further run. Most functions only use their arguments,
other such functions and NumPy's, and for these the run would only cost time. A doubt about anything in the text
means that the run is made.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from autograder.course.statements import defined_names, names_in, names_read
from autograder.reasons.sites import is_of_self
from autograder.reasons.student_code import StudentCode
from autograder.reasons.vocabulary import name_of

LIBRARIES = frozenset({"math", "numpy", "torch"})
"""Modules whose functions keep nothing, but for those in ``DRAWS_OR_UNSET``."""
BUILTINS = frozenset(
    {
        "abs",
        "all",
        "any",
        "bool",
        "dict",
        "enumerate",
        "float",
        "int",
        "isinstance",
        "len",
        "list",
        "map",
        "max",
        "min",
        "print",
        "range",
        "reversed",
        "round",
        "set",
        "sorted",
        "str",
        "sum",
        "tuple",
        "zip",
        "AssertionError",
        "IndexError",
        "NotImplementedError",
        "TypeError",
        "ValueError",
    }
)
DRAWS_OR_UNSET = ("empty", "rand", "shuffle", "permutation", "choice", "dropout")
"""Parts of names of functions that draw, or return numbers that were in memory before."""
UNSET_IF_CALLED = frozenset({"ndarray", "new", "Tensor", "FloatTensor", "DoubleTensor"})
"""Types that return such numbers where they are called."""
CHANGE_NAMES = frozenset(
    {"compile", "delattr", "eval", "exec", "globals", "locals", "setattr", "vars"}
)
HARMLESS_NAMES = frozenset({"__init__", "__name__"})
PATTERNS = (ast.Global, ast.Nonlocal, ast.NamedExpr, ast.AsyncFunctionDef)
"""Statements that need a closer look than is taken here."""


@lru_cache(maxsize=4)  # a submission asks for a few functions, check by check
def keeps_nothing(code: StudentCode, name: str) -> bool:
    """Return whether a function, with all that it uses, surely keeps nothing from one call to the next.

    Args:
        code: the code of a submission.
        name: the name of a function in it.
    """
    body = code.statements
    if body is None or len(code.code.files) > 1:
        return False
    try:
        return _keeps_nothing(body, name)
    except RecursionError:  # nested too deep to be looked through
        return False


def _keeps_nothing(body: Sequence[ast.stmt], name: str) -> bool:
    for statement in body:
        if any(map(_may_change_others, ast.walk(statement))):
            return False

    # What is bound once, at the top, and to what. A deleted name stands for nothing.
    statements_of_name: dict[str, list[ast.stmt]] = {}
    for statement in body:
        for changed in defined_names(statement) | _deleted_names(statement):
            statements_of_name.setdefault(changed, []).append(statement)
    remaining = [name]
    functions: set[str] = set()
    while remaining:
        used = remaining.pop()
        if used in functions:
            continue
        statements = statements_of_name.get(used, [])
        if not statements and used in BUILTINS and used != name:
            continue
        if len(statements) != 1:
            return False
        [statement] = statements
        if isinstance(statement, ast.FunctionDef):
            if statement.decorator_list or not _has_constant_defaults(statement):
                return False
            if any(map(_may_differ_by_chance, ast.walk(statement))):
                return False
            functions.add(used)
            remaining += names_read(ast.unparse(statement))
        elif used == name or not _is_library_or_constant(statement):
            return False
    return True


def _may_change_others(node: ast.AST) -> bool:
    """Return whether a node, wherever it stands, may change a function, a module or a name."""
    if isinstance(node, PATTERNS):
        return True
    if isinstance(node, ast.Delete):
        return not all(isinstance(target, ast.Name) for target in node.targets)
    if isinstance(node, ast.Attribute):
        if not isinstance(node.ctx, ast.Load) and not is_of_self(node):
            return True
        return node.attr.startswith("__") and node.attr not in HARMLESS_NAMES
    if isinstance(node, ast.alias):
        return node.name == "*"
    if isinstance(node, ast.Name):
        is_hidden = node.id.startswith("__") and node.id not in HARMLESS_NAMES
        return is_hidden or node.id in CHANGE_NAMES
    return False


def _may_differ_by_chance(node: ast.AST) -> bool:
    """Return whether a node of a function may draw, or return numbers that were in memory before."""
    if isinstance(node, ast.Attribute):
        return _draws_or_is_unset(node.attr)
    if isinstance(node, ast.Call):
        return name_of(node) in UNSET_IF_CALLED
    if isinstance(node, ast.keyword):
        return node.arg is None or node.arg == "where"  # elsewhere it sets nothing
    return False


def _draws_or_is_unset(name: str) -> bool:
    return any(part in name for part in DRAWS_OR_UNSET)


def _deleted_names(statement: ast.stmt) -> set[str]:
    """Return the names of a module that a statement at its top level deletes."""
    if isinstance(statement, ast.FunctionDef):
        return set()  # these are its own
    return names_in(statement, ast.Del)


def _has_constant_defaults(function: ast.FunctionDef) -> bool:
    """Return whether the default values of a function are plain values, which cannot be changed."""
    defaults = [*function.args.defaults, *function.args.kw_defaults]
    return all(default is None or _is_constant(default) for default in defaults)


def _is_constant(value: ast.expr) -> bool:
    if isinstance(value, ast.UnaryOp):
        value = value.operand
    return isinstance(value, ast.Constant)


def _is_library_or_constant(statement: ast.stmt) -> bool:
    """Return whether a statement imports from the libraries, or gives one name a plain value."""
    if isinstance(statement, ast.Assign):
        return _is_constant(statement.value)
    if isinstance(statement, ast.Import | ast.ImportFrom):
        if any(_draws_or_is_unset(alias.name) for alias in statement.names):
            return False
    return all(package in LIBRARIES for package in _packages(statement))


def _packages(statement: ast.stmt) -> Iterator[str]:
    """Yield the packages that a statement imports; of any other statement, one that does not exist."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            yield alias.name.partition(".")[0]
    elif isinstance(statement, ast.ImportFrom) and not statement.level:
        yield str(statement.module).partition(".")[0]
    else:
        yield ""
