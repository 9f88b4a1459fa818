"""Further calls of checks, made once for all texts that do not change the called functions.

A check that calls a function with large inputs, such as one that measures memory, is paid for by each mutant and
each submission of the corpus, also by those that change other functions. These answer alike: what a call returns
is decided by the statements on which its function depends. So the audit compares these statements instead of
running them again.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import sys
from dataclasses import dataclass, field

from autograder.course.statements import defined_names, names_read
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import RunReport
from autograder.sandbox.request import Request, SharedCalls
from autograder.verdict.explanation_faults import is_explaining
from autograder.worker.wire import pack

ONLY_DEFINE = frozenset({*sys.stdlib_module_names, "numpy"})
"""Modules whose import does nothing but bind names: each sandbox has them, or could."""


@dataclass(eq=False)
class FurtherCalls:
    """The reports on runs of further calls of functions that are the reference solution's.

    Attributes:
        solution: the text of the solution, in the form that the graded texts have.
        reports: by a digest of the calls; only of runs in which every call returned something.
    """

    solution: str
    reports: dict[str, RunReport] = field(default_factory=dict)

    def key(self, request: Request) -> str | None:
        """Return the key of a request's report, or None if the request must be run.

        Run are changed functions, the calls to all cases, notebooks, and the calls of explanations, which may
        ask the same twice to see whether the answers differ.
        """
        code = request.code
        calls = request.calls
        if isinstance(calls, SharedCalls) or request.later_calls is not None:
            return None
        if code.cells is not None or len(code.files) != 1 or is_explaining():
            return None
        if code.mentions("torch") and "torch" not in self.solution:
            return None  # it has another sandbox, with other memory in use
        names = frozenset(str(call["name"]) for call in calls)
        statements = statements_behind(code.files[code.entry], names)
        if statements != statements_behind(self.solution, names):
            return None
        sent = pack([dict(call) for call in calls])
        return hashlib.blake2b(sent).hexdigest()


class PoolOfText(SandboxPool):
    """The sandboxes of a thread, for a text: calls of functions that it does not change are made once for all.

    Args:
        pool: runs everything else.
        further_calls: the reports that are shared by all texts of a homework.
    """

    def __init__(self, pool: SandboxPool, further_calls: FurtherCalls) -> None:
        super().__init__()
        self._pool = pool
        self._further_calls = further_calls

    def run(self, request: Request) -> RunReport:
        key = self._further_calls.key(request)
        if key is None:
            return self._pool.run(request)
        reports = self._further_calls.reports
        if key in reports:
            return reports[key]
        report = self._pool.run(request)
        # An exception may quote the lines of its text, so each text that raises does it itself.
        if report.answers and all(answer.is_usable for answer in report.answers):
            reports[key] = report
        return report


@functools.lru_cache(maxsize=64)
def statements_behind(source: str, names: frozenset[str]) -> str:
    """Return the statements of a text on which calls of some names depend.

    These are the definitions and imports that the names lead to, and everything at the top level that is not
    only a definition, for it runs whatever is called. An import that binds its names once more is left out.
    """
    statements = []
    for node in ast.parse(source).body:
        statements.append(_statement(ast.unparse(node)))
    used_names = set(names)
    used: set[str] = set()
    while True:
        new = []
        for statement in statements:
            is_needed = statement.runs or statement.defines & used_names
            if is_needed and statement.text not in used:
                new.append(statement)
        if not new:
            break
        for statement in new:
            used.add(statement.text)
            used_names |= statement.reads
    texts = []
    bound_by: dict[str, str] = {}
    for statement in statements:
        text = statement.text
        is_repeated = all(bound_by.get(name) == text for name in statement.defines)
        if text in used and not (statement.imports and is_repeated):
            texts.append(text)
        bound_by |= dict.fromkeys(statement.defines, text)
    return "\n".join(texts)


@dataclass(frozen=True)
class _Statement:
    """A statement at the top level of a text.

    Attributes:
        text: the statement, without comments.
        defines: the names that it binds.
        reads: the names of the module that it reads, also within functions.
        imports: it imports modules that do nothing but bind its names.
        runs: it does more than to bind a function or a module, or to stand there as a docstring.
    """

    text: str
    defines: frozenset[str]
    reads: frozenset[str]
    imports: bool
    runs: bool


@functools.lru_cache(maxsize=4096)
def _statement(text: str) -> _Statement:
    """Describe a statement. The texts have all but one or two of them in common."""
    [node] = ast.parse(text).body
    imports = _only_imports(node)
    only_defines = isinstance(node, ast.FunctionDef) and not node.decorator_list
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return _Statement(
        text=text,
        defines=frozenset(defined_names(node)),
        reads=frozenset(names_read(text)),
        imports=imports,
        runs=not (only_defines or imports or is_text),
    )


def _only_imports(node: ast.stmt) -> bool:
    """Return whether a statement imports modules that do nothing but bind its names."""
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level:
        modules = [node.module or ""]
        if any(alias.name == "*" for alias in node.names):
            return False
    else:
        return False
    return all(module.partition(".")[0] in ONLY_DEFINE for module in modules)
