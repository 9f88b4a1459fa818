"""Further calls of checks, made once for all mutants in which the called functions are the same.

A check that calls a function with large inputs, such as one that measures memory, is paid for by each mutant, also
by those that change other functions. These answer alike: what a call returns is decided by the statements on which
its function depends. So the audit compares these statements instead of running them again.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.course.statements import names_read, with_what_is_used
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import RunReport
from autograder.sandbox.request import Request, SharedCalls
from autograder.verdict.explanation_faults import is_explaining
from autograder.worker.wire import pack


@dataclass(eq=False)
class FurtherCalls:
    """The reports on runs of further calls in which every call returned something.

    Attributes:
        reports: by a digest of the calls and of the statements on which the called functions depend.
    """

    reports: dict[str, RunReport] = field(default_factory=dict)

    def key(self, request: Request) -> str | None:
        """Return the key of a request's report, or None if the request must be run.

        Run are the calls to all cases, notebooks, and the calls of explanations, which may ask the same twice
        to see whether the answers differ.
        """
        code = request.code
        calls = request.calls
        if isinstance(calls, SharedCalls) or request.later_calls is not None:
            return None
        if code.cells is not None or len(code.files) != 1 or is_explaining():
            return None
        names = {str(call["name"]) for call in calls}
        text = statements_behind(code.files[code.entry], names)
        sent = pack([dict(call) for call in calls])
        return hashlib.blake2b(text.encode() + b"\0" + sent).hexdigest()


class PoolOfMutant(SandboxPool):
    """The sandboxes of a thread, for a mutant: further calls that another mutant answered are not run again.

    Args:
        pool: runs everything else.
        further_calls: the reports that are shared by all mutants of a homework.
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
        # An exception may quote the lines of its text, so each mutant that raises does it itself.
        if report.answers and all(answer.is_usable for answer in report.answers):
            reports[key] = report
        return report


def statements_behind(source: str, names: set[str]) -> str:
    """Return the statements of a text on which calls of some names depend.

    These are the definitions that the names lead to, and everything at the top level that is not only a
    definition, for it runs whatever is called.
    """
    body = ast.parse(source).body
    running: list[ast.stmt] = []
    for statement in body:
        if not _only_defines(statement):
            running.append(statement)
    roots = set(names)
    for statement in running:
        roots |= names_read(ast.unparse(statement))
    used: set[Any] = with_what_is_used(body, roots) | set(running)
    return _joined([statement for statement in body if statement in used])


def _only_defines(statement: ast.stmt) -> bool:
    """Return whether a statement binds a function and runs nothing but its defaults."""
    return isinstance(statement, ast.FunctionDef) and not statement.decorator_list


def _joined(statements: Sequence[ast.stmt]) -> str:
    return "\n".join(ast.unparse(statement) for statement in statements)
