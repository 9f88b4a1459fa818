"""The folder ``public_checks/`` of a homework: copied code, its data, and its public checks.

Before a release the reference solution proves that it passes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import autograder
from autograder.authoring.closure import KIT, OWN_ROOM, Closure
from autograder.authoring.release_data import homework_files, public_cases
from autograder.course import Course, CourseError, Homework
from autograder.intake import SourceFile, read_script
from autograder.judging import (
    PREFIX,
    Cases,
    Check,
    Compare,
    Diagnosis,
    Fixtures,
    Outcome,
    SubmissionProxy,
    checks_file,
    load_checks,
    run_calls,
    run_checks,
)
from autograder.sandbox import SandboxPool
from autograder.student import CHECKS, PACKAGE, bytes_digest, digest
from autograder.templates import render

ENTRIES = {
    "command": ("main",),
    "homework": ("ReleaseError",),
    "pytest_hooks": ("collect",),
    "task": ("NotYetRight", "check_task", "require_task"),
}
NEVER_PUBLIC = "cases.fresh("
HIDDEN = "hidden"
"""The name, within the closure, of the package of hidden checks, which lie in the course."""


def checks_package(course: Course, homework: Homework) -> dict[str, bytes]:
    """Return the files of ``public_checks/`` by their paths in the homework's folder.

    Raises:
        CourseError: the homework has no public check, or one that students could not run.
    """
    hidden = {_graders(one): checks_file(one) for one in course.homeworks()}
    closure = Closure(lambda module: _source(hidden, module), PACKAGE)
    for module, names in ENTRIES.items():
        closure.need(f"{KIT}.{OWN_ROOM}.{module}", names)
    for one in course.homeworks():  # one engine for all, so that several homeworks fit into one pytest
        closure.need(_graders(one), [PREFIX + check.name for check in public_checks(one)])
    texts = {name: text for name, text in closure.files().items() if not name.startswith(f"{HIDDEN}_")}
    texts["__init__.py"] = render("autograder.authoring", "package.txt")
    texts[CHECKS] = closure.text(_graders(homework))
    if NEVER_PUBLIC in texts[CHECKS]:
        raise CourseError(
            f"{homework.id}: a public check asks for {NEVER_PUBLIC}…), which students never have"
        )
    files = {name: text.encode() for name, text in texts.items()}
    files.update(homework_files(course, homework, _handed_out(course, homework)))
    return {f"{PACKAGE}/{name}": data for name, data in sorted(files.items())}


def write_checks_package(course: Course, homework: Homework, folder: Path) -> None:
    """Write ``public_checks/`` into a folder, which must exist."""
    for name, data in checks_package(course, homework).items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)


def public_checks(homework: Homework) -> list[Check]:
    """Return the checks of a homework that students receive.

    Raises:
        CourseError: there is none, or one requires a check that students do not have.
    """
    found = [one for one in load_checks(homework) if one.public]
    names = {one.name for one in found}
    if not found:
        raise CourseError(
            f"{checks_file(homework)} has no check with public=True; students need at least one"
        )
    for one in found:
        hidden = [name for name in one.requires if name not in names]
        if hidden:
            raise CourseError(f"{homework.id}: public check {one.name} requires {hidden}, not public itself")
    return found


def failing_checks(course: Course, homework: Homework, pool: SandboxPool) -> list[str]:
    """Return a line for each public check that the solution does not pass.

    Raises:
        CourseError: the solution does not run.
        LookupError: a public check asks for cases that students do not have.
    """
    known = public_cases(course, homework)
    answers = run_calls(homework, homework.solution, [one.case.call for one in known], pool)
    by_id = {one.case.id: answer for one, answer in zip(known, answers, strict=True)}
    cases = Cases(known, public_only=True)
    submission = SubmissionProxy(
        by_id, dict, tuple, lambda calls: run_calls(homework, homework.solution, calls, pool)
    )
    compare = Compare(homework, submission, cases, lambda task: Diagnosis())
    results = run_checks(public_checks(homework), Fixtures(submission, cases, compare))
    return [
        f"{homework.id}: the reference solution fails the public check {one.check}: {one.reason}"
        for one in results
        if one.outcome is not Outcome.PASSED
    ]


def _graders(homework: Homework) -> str:
    return f"{HIDDEN}.{PREFIX}{homework.id}"


def _source(hidden: Mapping[str, Path], module: str) -> str:
    ours = Path(autograder.__file__).parents[1].joinpath(*module.split("."))
    face = ours / "__init__.py"
    return hidden.get(module, face if face.is_file() else ours.with_suffix(".py")).read_text(encoding="utf-8")


def _handed_out(course: Course, homework: Homework) -> dict[str, dict[str, str]]:
    """Digests of the stub, of the notebook and of modules beside them, as students receive them."""
    top = course.assignments / homework.id
    paths = [path for pattern in ("*.py", "*.ipynb") for path in sorted(top.glob(pattern))]
    texts = {path.name: read_script(SourceFile(path.name, path.read_bytes())).text for path in paths}
    return {
        "handed_out": {name: digest(text) for name, text in texts.items()},
        "handed_out_bytes": {path.name: bytes_digest(path.read_bytes()) for path in paths},
    }
