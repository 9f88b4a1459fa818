"""The question as otter asks it: one exception-based test over all cases."""

from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any

from otter.test_files import test_case

OK_FORMAT = False
name = "q1"
points = 1


@test_case(points=1, hidden=True)
def test_all(env: dict[str, Any]) -> None:
    """Hold the names of the student's namespace against every case."""
    question = ModuleType("question")
    question.__file__ = "question.source"
    SourceFileLoader("question", "question.source").exec_module(question)
    question.check_all(env)
