"""The ways of grading that are compared. Each prepares once, then grades files and says what it used."""

from __future__ import annotations

import csv
import functools
import json
import operator
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.course.questions import Written
from autograder.grading.suite import Suite
from autograder.otter.bundle import otter_zip
from benchmarks.measure import measure
from benchmarks.plain_cases import QUESTION, write_hidden_question, write_question
from benchmarks.records import ContestantUnavailable, Measured
from benchmarks.venvs import environment, executable, libraries, variables

TESTS_FAILED = 1
ASSIGNMENT, NOTEBOOK = "ps1", "question.ipynb"
NBGRADER_TEST = """\
from importlib.machinery import SourceFileLoader
from types import ModuleType

question = ModuleType("question")
question.__file__ = "question.source"
SourceFileLoader("question", "question.source").exec_module(question)
question.check_all(globals())
"""


@dataclass(frozen=True)
class Setting:
    """Where a contestant works, and what it grades."""

    course: Course
    suite: Suite
    workspace: Path
    venvs: Path

    def own(self, name: str) -> Path:
        """A folder of one contestant for this homework."""
        return self.workspace / self.suite.homework.id / name

    def venv(self, program: str) -> Path:
        """The virtual environment of one program, with the homework's array library."""
        return self.venvs / f"{program}-{self.suite.homework.library}"


class Contestant(Protocol):
    """One way of grading."""

    name: str

    def prepare(self, setting: Setting) -> None:
        """Make what grading needs; its cost is not measured.

        Raises:
            ContestantUnavailable: it cannot take part on this machine.
        """

    def grade(self, setting: Setting, files: Sequence[Path]) -> Measured:
        """Grade the files and return what that used."""


def name_of_ours(jobs: int) -> str:
    """Return the name of the row of this kit with so many jobs."""
    if jobs == 1:
        return "ours, 1 job"
    return f"ours, {jobs} jobs"


class Ours:
    """The command of this kit, from a folder of submissions to the gradebook and all reports."""

    def __init__(self, jobs: int, *, unsafe: bool) -> None:
        self.name = name_of_ours(jobs)
        self._jobs = jobs
        self._unsafe = unsafe

    def prepare(self, setting: Setting) -> None:
        """Nothing to make."""

    def grade(self, setting: Setting, files: Sequence[Path]) -> Measured:
        """Grade the folder of the files, which holds nothing else, with one command."""
        out = setting.own(self.name)
        shutil.rmtree(out, ignore_errors=True)
        command = [
            sys.executable,
            "-m",
            "autograder",
            "grade",
            str(files[0].parent),
            "--out",
            str(out),
        ]
        command += [
            "--homework",
            setting.suite.homework.id,
            "--course",
            str(setting.course.root),
        ]
        command += ["--jobs", str(self._jobs), "--seed", str(setting.suite.seed)]
        return measure(
            [*command, *(["--unsafe"] if self._unsafe else [])],
            len(files),
            cwd=setting.workspace,
        )


class ColdPytest:
    """A new Python per submission that runs plain pytest, in an environment with nothing else."""

    name = "cold pytest"

    def prepare(self, setting: Setting) -> None:
        """Write the question, and see that the reference solution passes it."""
        packages = libraries(setting.suite.homework.library)
        environment(setting.venv("pytest"), ["pytest", *packages])
        write_question(
            setting.own(self.name), setting.suite, "question.py", "test_submission.py"
        )
        self._run(setting, setting.suite.homework.solution, accept=(0,))

    def grade(self, setting: Setting, files: Sequence[Path]) -> Measured:
        """One process per file."""
        runs = [self._run(setting, file, accept=(0, TESTS_FAILED)) for file in files]
        return functools.reduce(operator.add, runs)

    def _run(self, setting: Setting, file: Path, accept: Sequence[int]) -> Measured:
        python = executable(setting.venv("pytest"), "python")
        command = [
            str(python),
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "test_submission.py",
        ]
        env = variables(setting.venv("pytest"), SUBMISSION=str(file))
        return measure(command, 1, cwd=setting.own(self.name), env=env, accept=accept)


class OtterRun:
    """``otter run``, once per submission, on a question with one test over the same cases."""

    name = "otter run"
    package = "otter-grader[grading]>=6"

    def prepare(self, setting: Setting) -> None:
        """Generate otter's zip, and see that the reference solution earns the point."""
        environment(
            setting.venv("otter"),
            [self.package, *libraries(setting.suite.homework.library)],
        )
        folder = setting.own(self.name)
        write_hidden_question(folder, setting.suite)
        (folder / "tests").mkdir(exist_ok=True)
        shutil.copy(QUESTION / "q1.py", folder / "tests")
        (folder / "out").mkdir(exist_ok=True)
        command = [
            "generate",
            "-t",
            "tests",
            "-o",
            "autograder.zip",
            "--no-environment",
        ]
        self._otter(setting, [*command, "question.source", "cases.pkl"])
        self._run(setting, setting.suite.homework.solution)
        earned = json.loads(
            (folder / "out" / "results.json").read_text(encoding="utf-8")
        )["tests"]
        if sum(test.get("score", 0.0) for test in earned) != 1:
            raise ContestantUnavailable(
                f"the reference solution does not pass in otter: {earned}"
            )

    def grade(self, setting: Setting, files: Sequence[Path]) -> Measured:
        """One command per file."""
        return functools.reduce(
            operator.add, [self._run(setting, file) for file in files]
        )

    def _run(self, setting: Setting, file: Path) -> Measured:
        return self._otter(
            setting,
            ["run", "-a", "autograder.zip", "-o", "out", "--no-logo", str(file)],
        )

    def _otter(self, setting: Setting, words: Sequence[str]) -> Measured:
        command = [str(executable(setting.venv("otter"), "otter")), *words]
        return measure(
            command, 1, cwd=setting.own(self.name), env=variables(setting.venv("otter"))
        )


def points_in_otter(homework: Homework) -> float:
    """Return the points that Otter can report: of tasks, and of questions that nobody needs to read."""
    points = sum(task.points for task in homework.tasks)
    for question in homework.questions:
        if not isinstance(question, Written):
            points += question.points
    return points


class KitInOtter(OtterRun):
    """``otter run`` with the kit's own zip, in the kit's environment: Otter reports, the kit judges."""

    name = "otter run, our zip"

    def prepare(self, setting: Setting) -> None:
        """Write the zip, and see that the reference solution earns all points."""
        folder, homework = setting.own(self.name), setting.suite.homework
        (folder / "out").mkdir(parents=True, exist_ok=True)
        try:
            data = otter_zip(
                setting.course, [homework], chosen=True, seed=setting.suite.seed
            )
        except CourseError as error:
            raise ContestantUnavailable(str(error)) from error
        (folder / "autograder.zip").write_bytes(data)
        self._run(setting, homework.solution)
        earned = json.loads(
            (folder / "out" / "results.json").read_text(encoding="utf-8")
        )["score"]
        most = points_in_otter(homework)
        if earned != most:
            raise ContestantUnavailable(
                f"the reference solution gets {earned} of {most} points"
            )

    def _otter(self, setting: Setting, words: Sequence[str]) -> Measured:
        command = [sys.executable, "-P", "-m", "otter", *words]
        return measure(
            command, 1, cwd=setting.own(self.name), env=variables(Path(sys.prefix))
        )


class Nbgrader:
    """``nbgrader autograde``: one command for several students, whose notebooks each get a kernel.

    A notebook has the submission in its solution cell and the cases in one test.
    """

    name = "nbgrader autograde"
    package = "nbgrader>=0.9"

    def prepare(self, setting: Setting) -> None:
        """Make the course, and see that the reference solution earns the point."""
        environment(
            setting.venv("nbgrader"),
            [self.package, "ipykernel", *libraries(setting.suite.homework.library)],
        )
        folder = setting.own(self.name)
        source = folder / "source" / ASSIGNMENT
        write_hidden_question(source, setting.suite)
        (source / NOTEBOOK).write_text(
            _notebook("raise NotImplementedError"), encoding="utf-8"
        )
        (folder / "nbgrader_config.py").write_text(
            "c = get_config()\n", encoding="utf-8"
        )
        self._run(setting, 1, "generate_assignment", ASSIGNMENT, "--create")
        self.grade(setting, [setting.suite.homework.solution])
        self._run(setting, 1, "export", "--to", "grades.csv")
        with (folder / "grades.csv").open(encoding="utf-8", newline="") as file:
            scores = [row["score"] for row in csv.DictReader(file)]
        if scores != ["1.0"]:
            raise ContestantUnavailable(
                f"the reference solution does not pass in nbgrader: {scores}"
            )

    def grade(self, setting: Setting, files: Sequence[Path]) -> Measured:
        """Autograde all files with one command."""
        own_folder = setting.own(self.name)
        for folder in ("submitted", "autograded"):
            shutil.rmtree(own_folder / folder, ignore_errors=True)
        for file in files:
            handed_in = own_folder / "submitted" / file.stem / ASSIGNMENT
            shutil.copytree(own_folder / "release" / ASSIGNMENT, handed_in)
            notebook = _notebook(file.read_text(encoding="utf-8"))
            (handed_in / NOTEBOOK).write_text(notebook, encoding="utf-8")
        return self._run(
            setting, len(files), "autograde", ASSIGNMENT, "--create", "--force"
        )

    def _run(self, setting: Setting, submissions: int, *words: str) -> Measured:
        program = str(executable(setting.venv("nbgrader"), "nbgrader"))
        env = variables(setting.venv("nbgrader"))
        return measure(
            [program, *words], submissions, cwd=setting.own(self.name), env=env
        )


def _notebook(solution: str) -> str:
    cells = [
        _cell("solution", solution, solution=True),
        _cell("test", NBGRADER_TEST, grade=True, points=1, locked=True),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps(
        {
            "cells": cells,
            "metadata": {"kernelspec": kernel},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


def _cell(name: str, source: str, **roles: Any) -> dict[str, Any]:
    nbgrader = {
        "grade": False,
        "solution": False,
        "locked": False,
        "task": False,
        **roles,
    }
    return {
        "cell_type": "code",
        "id": name,
        "metadata": {"nbgrader": {"grade_id": name, "schema_version": 3, **nbgrader}},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }
