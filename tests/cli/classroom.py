"""What the sequences of commands work on: files that students hand in, and what an output folder says."""

import csv
import json
import os
import shutil
import signal
import sys
import types
import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.course.course import Course
from autograder.csv_table import unescape_formulas
from autograder.gradebook.opening import read_gradebook
from autograder.gradebook.schema import GradebookError, from_text
from autograder.report.exports import CHOSEN
from autograder.sandbox.report import Status
from autograder.verdict.checks import Outcome
from autograder.verdict.results import HomeworkResult

from . import running
from .pencil import OUR_FAULT, Check, Graded, Student

ANSWERS = """
answers = {{"why_the_root": "{0}", "why_positions": "{0}", "weights_entries": 15}}
"""
NOT_PYTHON = "def softmax(:\n"
LABELS = {
    "hw1_attention_scores": ("einsum", "no-scaling", "softmax-global"),
    "hw3_scaled_dot_product_attention": ("column-thinking", "causal-mask"),
    "hw4_self_attention_columns": ("einsum", "no-scaling"),
}
WRITTEN = ("hw3_scaled_dot_product_attention", "hw4_self_attention_columns")


FAULTS = ("worker", "run", "check")
"""No worker starts; a run dies in its sandbox, so that nothing can be judged; a check raises."""


def failed(result: HomeworkResult, kind: str) -> HomeworkResult:
    """Return a result as it is where a run fails for our fault, or a check of what did run."""
    if kind == "run":
        return replace(result, status=Status.INFRASTRUCTURE_ERROR, checks=(), detail="the sandbox died twice")
    if result.status is Status.IMPORT_FAILED:  # no check is called
        return result
    first, *others = result.checks
    broken = replace(first, outcome=Outcome.NOT_JUDGED, staff="ValueError: put in by a test")
    return replace(result, status=Status.INFRASTRUCTURE_ERROR, checks=(broken, *others))


def rosters_of(names: Sequence[str]) -> list[dict[str, Student]]:
    """Two lists of a class: in the second one, some have another id and name, and others are not in either."""
    first, second = dict[str, Student](), dict[str, Student]()
    for number, name in enumerate(names):
        student = Student(f"s{number:02}", f"s{number:02}@example.edu", f"Full Name {number}")
        if number % 7 != 6:
            first[name] = student
        if number % 5 == 0:
            second[name] = student._replace(id=f"t{number:02}", name=f"Other Name {number}")
        elif number % 5 != 1:
            second[name] = student
    return [first, second]


WRITES = {"execute", "executemany", "open", "write", "writelines", "replace", "unlink", "mkdir", "rmdir"}


@dataclass
class World:
    """What all examples share: files that students hand in, each graded once, and a place for each one."""

    folder: Path
    course: Course
    texts: dict[str, dict[str, str]]
    files: dict[str, dict[str, Graded]]
    examples: int = 0
    fault: tuple[str, str] | None = None
    """What goes wrong in the grader now, and in which homework."""

    def stub(self, homework: str) -> str:
        return self.course.homework(homework).stub

    def next_folder(self) -> Path:
        shutil.rmtree(self.folder / str(self.examples), ignore_errors=True)
        self.examples += 1
        folder = self.folder / str(self.examples)
        folder.mkdir()
        return folder

    def write(
        self, top: Path, names: list[str], handed_in: dict[str, dict[str, str]], zipped: Collection[str]
    ) -> Path:
        """Write what students handed in, each as a folder or a zip."""
        shutil.rmtree(top, ignore_errors=True)
        top.mkdir()
        for name in names:
            files = {
                self.stub(homework): self.texts[homework][label]
                for homework, label in handed_in[name].items()
            }
            files["notes.txt"] = "my notes"
            if name in zipped:
                with zipfile.ZipFile(top / f"{name}.zip", "w") as archive:
                    for file, text in files.items():
                        archive.writestr(file, text)
            else:
                (top / name).mkdir()
                for file, text in files.items():
                    (top / name / file).write_text(text, encoding="utf-8")
        return top

    def facts_of(self, handed: Mapping[str, str] | None) -> dict[str, Graded] | None:
        """What a gradebook keeps of these files; None for a submission that it does not have."""
        if handed is None:
            return None
        return {homework: self.files[homework][label] for homework, label in handed.items()}


def facts(result: HomeworkResult) -> Graded:
    checks = [
        Check(check.task, check.check, check.earned, check.points, check.outcome is Outcome.COLLECTED)
        for check in result.checks
    ]
    return Graded(str(result.status), tuple(checks))


def kept_in(out: Path) -> dict[str, dict[str, Graded]]:
    """What a gradebook keeps of each submission, by homework."""
    try:
        with read_gradebook(out) as book:
            return {
                result.name: {homework.homework: facts(homework) for homework in result.homeworks}
                for result in book.results()
            }
    except GradebookError:  # there was no time to begin one
        return {}


def asked_in(
    out: Path, known: Collection[str]
) -> tuple[set[str], dict[str, set[frozenset[str]]], dict[str, set[frozenset[str]]]]:
    """The homeworks that a gradebook was asked for by name.

    Then those that were not found, by submission, and those that no worker came up for.
    """
    missing: dict[str, set[frozenset[str]]] = {}
    faults: dict[str, set[frozenset[str]]] = {}
    try:
        with read_gradebook(out) as book:
            for name, asked_json, status in book._connection.execute(
                "SELECT submission, asked, status FROM gradings WHERE found = '[]'"
            ):
                by_name = faults if status == OUR_FAULT else missing
                by_name.setdefault(from_text(name), set()).add(frozenset(json.loads(asked_json)))
            chosen = set(json.loads(book.find_setting(CHOSEN) or "[]")).intersection(known)
            return chosen, missing, faults
    except GradebookError:
        return set(), missing, faults


def owners_in(out: Path) -> dict[str, Student]:
    """Whose the submissions are, as far as a gradebook knows."""
    try:
        with read_gradebook(out) as book:
            owners = book.owners()
    except GradebookError:
        return {}
    return {name: Student(owner.student_id, owner.email, owner.name) for name, owner in owners.items()}


def grades_in(out: Path) -> dict[str, Any]:
    """What an output folder says of each submission, homework by homework."""
    grades = {}
    for row in running.rows(out):
        name = unescape_formulas(row["submission"])
        results = running.results_of(out, name)
        cells = {homework: row[homework] for homework in LABELS if row.get(homework)}
        grades[name] = (
            row["status"],
            cells,
            row["total"],
            results["score"],
            results["extra_data"]["homeworks"],
        )
    return grades


def files_of(out: Path) -> dict[str, Any]:
    """The files that follow from the gradebook, as lines or what JSON they hold."""
    paths = [out / "grades.csv", out / "report.html", out / "policy.csv", *(out / "submissions").glob("*/*")]
    texts = {path: path.read_text("utf-8") for path in paths if path.is_file()}
    return {
        str(path.relative_to(out)): json.loads(text) if path.suffix == ".json" else text.splitlines()
        for path, text in texts.items()
    }


def exported(out: Path, to: str, column: str) -> dict[str, float]:
    """The points that an export gives to each student by id; blanks are left out."""
    if to == "gradescope":
        texts = {path.parent.name: path.read_text("utf-8") for path in (out / to).glob("*/results.json")}
        results = {name: json.loads(text) for name, text in texts.items()}
        return {name: result["score"] for name, result in results.items() if "score" in result}
    key = {"canvas": "SIS User ID", "moodle": "ID number"}[to]
    return {
        unescape_formulas(row[key]): float(row[column]) for row in read_rows(out / f"{to}.csv") if row[column]
    }


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def stopped_at(event: int, how: signal.Signals, *arguments: object) -> None:
    """Run a command in a child and send it a signal just before one of its writes, or let it end before."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    event_left = event

    def watch(frame: types.FrameType, kind: str, called: Any) -> None:
        nonlocal event_left
        if kind == "c_call" and called.__name__ in WRITES:
            event_left -= 1
            if not event_left:
                sys.setprofile(None)  # what is left of the command is not watched
                os.kill(os.getpid(), how)

    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.setprofile(watch)
        running.run(*arguments)
    finally:
        os._exit(0)
