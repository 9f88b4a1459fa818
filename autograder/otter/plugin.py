"""The plugin that Otter loads: it grades with ``autograder grade``, so that Otter runs no student code.

Otter runs a submission and its tests in one kernel, so that a submission could write down its own points.
Therefore its files are moved out of Otter's folder first, Otter's kernel gets an empty notebook, and the
kit's results replace Otter's.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import nbconvert.preprocessors
from otter.test_files import GradingResults

NAME = f"{__name__}.Plugin"
SECONDS = 480
"""Shorter than Gradescope's own limit, which would give a zero."""
PRIVATE = "grading"
"""The folder, next to Otter's, for the submission, the gradebook and what grading prints; closed to others."""
EMPTY = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
"""A notebook without cells, and also a script that does nothing."""
OTTERS_OWN = frozenset({"tests", "__init__.py"})
"""What Otter has put into a submission's folder by the time that it loads plugins."""


def put_aside(root: Path, leave: Collection[str] = ()) -> None:
    """Move a submission from Otter's folder to a private one, and leave Otter an empty notebook.

    Otter would import modules from its folder, and unpickle a log that it finds there.

    Args:
        root: what Gradescope calls ``/autograder``.
        leave: names that are not the submission's.
    """
    folder = root / "submission"
    aside = root / PRIVATE / "class" / "submission"
    (root / PRIVATE).mkdir(mode=0o700)
    aside.mkdir(parents=True)
    for path in list(folder.iterdir()):
        if path.name not in leave:
            shutil.move(path, aside / path.name)
    (folder / "submission.ipynb").write_text(EMPTY, "utf-8")


class KitResults(GradingResults):  # type: ignore[misc]  # otter has no types
    """The kit's results as an object of Otter's."""

    def __init__(self, results: Mapping[str, Any]) -> None:
        """Take the content of the kit's ``results.json``: each check becomes a test, with its points."""
        files = []
        points = {}
        for test in results["tests"]:
            name = f"{test['extra_data']['homework']}: {test['extra_data']['check']}"
            points[name] = test.get("score", 0)
            test_case = {
                "name": test["name"],
                "code": "",
                "hidden": test["visibility"] != "visible",
                "success_message": None,
                "failure_message": None,
                "points": test.get("max_score", 0),
            }
            case_result = {
                "test_case": test_case,
                "error": test["output"],
                "passed": test.get("status") == "passed",
            }
            files.append({"filename": name, "test_case_results": [case_result]})
        # The form in which Otter takes what was graded outside it.
        text = json.dumps({"test_file_results": files})
        super().__init__(list(GradingResults.from_ottr_json(text).results.values()))
        for name, earned in points.items():
            self.update_score(name, earned)
        self.set_plugin_data(NAME, dict(results))

    @property
    def total(self) -> float:
        """The points that count."""
        return float(self.get_plugin_data(NAME).get("score", 0))

    def to_gradescope_dict(self, _: object) -> dict[str, Any]:
        """Return the content of Otter's ``results.json``: the kit's own."""
        return dict(self.get_plugin_data(NAME))


class Plugin:
    """Grades one submission; Otter calls these methods in the order in which they stand here.

    Every error ends Otter without results: a fault of the grader is never a zero.
    """

    def __init__(
        self,
        submission: str | None,
        metadata: Mapping[str, Any],
        config: Mapping[str, Any],
    ) -> None:
        """Take Otter's file, Gradescope's metadata (empty in ``otter run``) and the options of grading."""
        # There is no submission while Otter makes the zip.
        self._file = Path(submission or "/nowhere/submission/none")
        self._root = self._file.parents[1]
        self._options = list(config["options"])
        if metadata:
            path = self._root / "submission_metadata.json"
            self._options += ["--metadata", str(path)]
        self._printed = ""

    def before_grading(self, _: object) -> None:
        """Start grading; it runs while Otter prepares its own."""
        private = self._root / PRIVATE
        source = self._root / "source"
        if not private.exists():
            put_aside(self._root, self._not_handed_in())
        self._file.write_text(EMPTY, "utf-8")
        python = sys.executable
        environment = dict(os.environ)
        in_container = self._root / "venv" / "bin" / "python"  # what setup.sh makes
        if in_container.exists():
            python = str(in_container)
            environment["PYTHONPATH"] = str(source)
        command = [python, "-P", "-m", "autograder", "grade", str(private / "class")]
        command += ["--layout", "plain", "--out", str(private / "out")]
        command += ["--course", str(source), "--jobs", "1", *self._options]
        with (private / "log.txt").open("wb") as log:
            self._grading = subprocess.Popen(
                command,
                cwd=source,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        atexit.register(self._grading.terminate)

    def _not_handed_in(self) -> frozenset[str]:
        """Return the names of Otter's own files, and of an empty notebook among others.

        Otter accepts no folder, so that such a notebook stands for one.
        """
        names = {path.name for path in self._file.parent.iterdir()}
        others = names - {self._file.name, *OTTERS_OWN}
        if others and self._file.suffix == ".ipynb":
            notebook = json.loads(self._file.read_bytes())
            if not notebook.get("cells") and not notebook.get("worksheets"):
                return OTTERS_OWN | {self._file.name}
        return OTTERS_OWN

    def before_execution(self, notebook: object) -> object:
        """Leave no file for Otter's kernel to import, and do not start the kernel, which takes seconds."""
        self._file.unlink()
        executor: Any = nbconvert.preprocessors.ExecutePreprocessor
        preprocess = executor.preprocess

        def run_nothing(
            _: object, notebook: object, resources: object = None
        ) -> tuple[object, object]:
            executor.preprocess = preprocess
            return notebook, resources

        executor.preprocess = run_nothing
        return notebook

    def after_grading(self, results: Any) -> None:
        """Wait for the grade, and turn the results that Otter goes on with into it."""
        private = self._root / PRIVATE
        status = self._grading.wait(SECONDS)
        self._printed = (private / "log.txt").read_text("utf-8", "replace")
        if status:
            raise RuntimeError(
                f"grading ended with {status}, so there are no results:\n{self._printed}"
            )
        written = private / "out" / "submissions" / "submission" / "results.json"
        results.__class__ = KitResults
        results.__init__(json.loads(written.read_text("utf-8")))

    def generate_report(self) -> str:
        """Return what grading printed, such as the protection, for the staff; its files are gone by then."""
        lines = []
        for line in self._printed.splitlines(keepends=True):
            if not line.startswith("Grades: "):
                lines.append(line)
        return "".join(lines)
