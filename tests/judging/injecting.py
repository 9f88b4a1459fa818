"""Faults put into our own functions: each raises wherever it is called from, until the test is over."""

import contextlib
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

from autograder.grading import grade
from autograder.grading.grade import grade_handin
from autograder.grading.runs import run_handin
from autograder.grading.suite import Suite
from autograder.reasons import errors
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.request import Code
from autograder.verdict import comparison, failure, gradients, interface
from autograder.verdict.checks import Outcome
from autograder.verdict.results import HomeworkResult

EXPLAINING = (
    "exhibits.behaviour",
    "exhibits.exhibits",
    "exhibits.parts",
    "reasons.agreement",
    "reasons.broadcasting",
    "reasons.code_facts",
    "reasons.context",
    "reasons.dependencies",
    "reasons.diagnosis",
    "reasons.differences",
    "reasons.earlier",
    "reasons.explain",
    "reasons.explanations",
    "reasons.large_numbers",
    "reasons.outside",
    "reasons.parts",
    "reasons.probes",
    "reasons.proofs",
    "reasons.relations",
    "reasons.repair_search",
    "reasons.repairs",
    "reasons.signs",
    "reasons.situation",
    "reasons.student_code",
    "reasons.turned",
    "reasons.without_memory",
    "verdict.wrong_numbers",
)
EXPLAINING_MODULES = tuple(importlib.import_module(f"autograder.{name}") for name in EXPLAINING)
"""Modules of which no function decides a verdict."""
EXPLAINING_FUNCTIONS: Sequence[Callable[..., Any]] = (
    comparison._not_an_array,
    comparison._not_the_parts,
    errors.explain_error,
    errors.explain_import,
    errors.explain_missing,
    errors.explain_no_value,
    failure.has_message,
    errors.note_stops,
    gradients.name_gradient,
    grade._stop_notes,
    interface.Form.advice,
)
"""Those of the modules that also decide."""
MESSAGE = "put in by a test"


def functions_of(module: ModuleType) -> Iterator[FunctionType]:
    """Yield the functions of a module, and those of its classes that are written out."""
    values = vars(module).values()
    classes = [value for value in values if inspect.isclass(value) and value.__module__ == module.__name__]
    methods = [method for class_ in classes for method in vars(class_).values()]
    for member in (*values, *methods):
        if inspect.isfunction(member) and member.__module__ == module.__name__:
            function = inspect.unwrap(member)  # a decorator's code may be that of other functions as well
            if function.__code__.co_filename == module.__file__:
                yield function


def explaining_functions() -> dict[CodeType, FunctionType]:
    """Return every function that explains, by its code."""
    listed = (function for module in EXPLAINING_MODULES for function in functions_of(module))
    return {
        function.__code__: function
        for function in (*listed, *EXPLAINING_FUNCTIONS)
        if isinstance(function, FunctionType)
    }


@contextlib.contextmanager
def called(among: dict[CodeType, FunctionType]) -> Iterator[set[CodeType]]:
    """Yield the set that receives the code of those functions that are called within the block."""
    seen_names: set[CodeType] = set()

    def profile(frame: Any, event: str, argument: object) -> None:
        if event == "call" and frame.f_code in among:
            seen_names.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield seen_names
    finally:
        sys.setprofile(before)


@contextlib.contextmanager
def raising(function: FunctionType, error: type[Exception] = ZeroDivisionError) -> Iterator[None]:
    """Let a function raise within the block, under whatever name it was imported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(function, "__code__", _raiser(error, function))
        yield


def _raiser(error: type[Exception], function: FunctionType) -> CodeType:
    namespace: dict[str, Any] = {}
    exec(f"def raiser(*args, **kwargs):\n    raise {error.__name__}({MESSAGE!r})", namespace)
    code: CodeType = namespace["raiser"].__code__
    return code.replace(co_name=function.__name__, co_freevars=function.__code__.co_freevars)


def verdict(result: HomeworkResult) -> object:
    """All of a result that explanations must not change."""
    checks = [(check.check, check.outcome, check.earned) for check in result.checks]
    return result.status, result.earned, result.points, checks


Tried = set[tuple[CodeType, object]]
"""Functions that raised already, each with the checks that had failed then."""


def assert_no_explanation_decides(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    among: dict[CodeType, FunctionType],
    tried: Tried,
) -> set[str]:
    """Let each function that explains raise, once for the same failed checks; return these checks."""
    run = run_handin(code, suite, pool)
    grade_handin(code, suite, pool, run=run)  # what is computed once for a class is there from now on
    with called(among) as used:
        usual = grade_handin(code, suite, pool, run=run)
    assert usual.explanation_faults == ()
    failed = {check.check for check in usual.checks if check.outcome is Outcome.FAILED}
    new = {(function, frozenset(failed)) for function in used} - tried
    tried |= new
    for function in [among[function] for function, _ in new]:
        with raising(function):
            result = grade_handin(code, suite, pool, run=run)
        assert verdict(result) == verdict(usual), function.__qualname__
        assert any(MESSAGE in fault for fault in result.explanation_faults), function.__qualname__
    return failed
