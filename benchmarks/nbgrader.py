"""``nbgrader autograde`` on a notebook with the submission in its solution cell and the cases in one test."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.contestants import Setting
from benchmarks.measure import measure
from benchmarks.plain_cases import write_hidden_question
from benchmarks.records import ContestantUnavailable, Measured
from benchmarks.venvs import environment, executable, libraries, variables

ASSIGNMENT, NOTEBOOK = "ps1", "question.ipynb"
TEST = """\
from importlib.machinery import SourceFileLoader
from types import ModuleType

question = ModuleType("question")
question.__file__ = "question.source"
SourceFileLoader("question", "question.source").exec_module(question)
question.check_all(globals())
"""


class Nbgrader:
    """One command for several students; each notebook gets a kernel of its own."""

    name = "nbgrader autograde"
    package = "nbgrader>=0.9"

    def prepare(self, setting: Setting) -> None:
        """Make the course, and see that the reference solution earns the point."""
        environment(
            setting.venv("nbgrader"), [self.package, "ipykernel", *libraries(setting.suite.homework.library)]
        )
        own = setting.own(self.name)
        source = own / "source" / ASSIGNMENT
        write_hidden_question(source, setting.suite)
        (source / NOTEBOOK).write_text(_notebook("raise NotImplementedError"), encoding="utf-8")
        (own / "nbgrader_config.py").write_text("c = get_config()\n", encoding="utf-8")
        self._run(setting, 1, "generate_assignment", ASSIGNMENT, "--create")
        self.grade(setting, [setting.suite.homework.solution])
        self._run(setting, 1, "export", "--to", "grades.csv")
        with (own / "grades.csv").open(encoding="utf-8", newline="") as file:
            scores = [row["score"] for row in csv.DictReader(file)]
        if scores != ["1.0"]:
            raise ContestantUnavailable(f"the reference solution does not pass in nbgrader: {scores}")

    def grade(self, setting: Setting, files: Sequence[Path]) -> Measured:
        """Autograde all files with one command."""
        own = setting.own(self.name)
        for folder in ("submitted", "autograded"):
            shutil.rmtree(own / folder, ignore_errors=True)
        for file in files:
            handed_in = own / "submitted" / file.stem / ASSIGNMENT
            shutil.copytree(own / "release" / ASSIGNMENT, handed_in)
            notebook = _notebook(file.read_text(encoding="utf-8"))
            (handed_in / NOTEBOOK).write_text(notebook, encoding="utf-8")
        return self._run(setting, len(files), "autograde", ASSIGNMENT, "--create", "--force")

    def _run(self, setting: Setting, submissions: int, *words: str) -> Measured:
        program = str(executable(setting.venv("nbgrader"), "nbgrader"))
        env = variables(setting.venv("nbgrader"))
        return measure([program, *words], submissions, cwd=setting.own(self.name), env=env)


def _notebook(solution: str) -> str:
    cells = [
        _cell("solution", solution, solution=True),
        _cell("test", TEST, grade=True, points=1, locked=True),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    )


def _cell(name: str, source: str, **roles: Any) -> dict[str, Any]:
    nbgrader = {"grade": False, "solution": False, "locked": False, "task": False, **roles}
    return {
        "cell_type": "code",
        "id": name,
        "metadata": {"nbgrader": {"grade_id": name, "schema_version": 3, **nbgrader}},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }
