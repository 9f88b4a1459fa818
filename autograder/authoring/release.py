"""What a released homework folder holds, and the zip of the course around several of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autograder.authoring.checks_package import checks_package
from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.course.stub import notebook_name, stub_text
from autograder.intake.zips import read_below
from autograder.templates import render

TEMPLATES = "autograder.authoring"
START_HERE = "START_HERE.md"
PLAIN = {
    "check.py": "check.txt",
    "conftest.py": "conftest.txt",
    "pytest.ini": "pytest.txt",
}
IN_A_REPOSITORY = {
    ".github/workflows/checks.yml": "classroom_checks.txt",
    ".gitignore": "classroom_ignored.txt",
    "README.md": "start_here.txt",
}
REQUIREMENTS, FOR_NOTEBOOKS = "requirements.txt", "requirements-notebook.txt"


def homework_folder(course: Course, homework: Homework) -> dict[str, bytes]:
    """Return the files of one released homework by their paths in its folder."""
    top = course.assignments / homework.id
    generated = read_below(top)
    if generated.get(homework.stub) != stub_text(homework).encode():
        raise CourseError(
            f"assignments/{homework.id} is not in sync with the solution: run `autograder assignments build`"
        )
    notebook = notebook_name(homework)
    beside = beside_the_work(homework, notebook if notebook in generated else None)
    return {**generated, **checks_package(course, homework, generated), **beside}


def repository(homework: Homework, released: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return a released homework as a template repository: GitHub runs its public checks on each push."""
    notebook = next(
        (name for name in released if name == notebook_name(homework)), None
    )
    values = {"homework": homework, "notebook": notebook, "repository": True}
    own = {
        name: render(TEMPLATES, of, **values).encode()
        for name, of in IN_A_REPOSITORY.items()
    }
    return {name: data for name, data in released.items() if name != START_HERE} | own


def beside_the_work(
    homework: Homework, notebook: str | None = None
) -> dict[str, bytes]:
    """Return what a released folder holds besides the work and its checks: how to start and to run them."""
    files = {
        name: render(TEMPLATES, template).encode() for name, template in PLAIN.items()
    }
    files[REQUIREMENTS] = render(TEMPLATES, REQUIREMENTS, homework=homework).encode()
    if notebook:
        files[FOR_NOTEBOOKS] = render(TEMPLATES, "requirements_notebook.txt").encode()
    values = {"homework": homework, "notebook": notebook, "repository": False}
    return {**files, START_HERE: render(TEMPLATES, "start_here.txt", **values).encode()}


def course_folder(
    homeworks: Sequence[Homework], folders: Mapping[str, Mapping[str, bytes]]
) -> dict[str, bytes]:
    """Return the files of the whole course: its homeworks' folders and a start."""
    files = {
        f"{one}/{name}": data
        for one, inside in folders.items()
        for name, data in inside.items()
    }
    files[START_HERE] = render(TEMPLATES, "course.txt", homeworks=homeworks).encode()
    files["pytest.ini"] = render(TEMPLATES, PLAIN["pytest.ini"]).encode()
    files["check.py"] = render(TEMPLATES, "course_check.txt").encode()
    return files
