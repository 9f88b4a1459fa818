"""Build released homework folders, and the course's zip around several of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autograder.archives import read_below
from autograder.authoring.checks_package import checks_package
from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.course.stub import notebook_name, stub_text
from autograder.handouts.course_map import map_svg, read_map
from autograder.language import speaking
from autograder.student.course_map import MAP_FILE
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
REQUIREMENTS = "requirements.txt"
FOR_NOTEBOOKS = "requirements-notebook.txt"


def homework_folder(course: Course, homework: Homework) -> dict[str, bytes]:
    """Return the files of a released homework by their paths in its folder.

    Raises:
        CourseError: its stub is not in sync with the solution.
    """
    generated = read_below(course.assignments / homework.id)
    if generated.get(homework.stub) != stub_text(homework).encode():
        raise CourseError(
            f"assignments/{homework.id} is not in sync with the solution: run `autograder assignments build`"
        )
    notebook = notebook_name(homework)
    with speaking(homework.language):
        beside = beside_the_work(homework, notebook if notebook in generated else None)
    conflicts = sorted(beside.keys() & set(homework.data))
    if conflicts:
        raise CourseError(
            f"{homework.id}: the data file {conflicts[0]} has the name of a file of the release: rename it"
        )
    return {**generated, **checks_package(course, homework, generated), **beside}


def repository(homework: Homework, released: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return a released homework as a template repository: GitHub runs its public checks on each push.

    Args:
        homework: the homework.
        released: the files of its folder, see ``homework_folder``.
    """
    notebook = notebook_name(homework)
    values = {
        "homework": homework,
        "notebook": notebook if notebook in released else None,
        "repository": True,
    }
    files = dict(released)
    files.pop(START_HERE, None)  # README.md says it
    with speaking(homework.language):
        for name, template in IN_A_REPOSITORY.items():
            files[name] = render(TEMPLATES, template, **values).encode()
    return files


def beside_the_work(
    homework: Homework,
    notebook: str | None = None,
) -> dict[str, bytes]:
    """Return the files that help students start: requirements, START_HERE.md, check.py and pytest's settings.

    Args:
        homework: the homework.
        notebook: the name of its notebook, if there is one.
    """
    texts = {}
    for name, template in PLAIN.items():
        texts[name] = render(TEMPLATES, template)
    texts[REQUIREMENTS] = render(TEMPLATES, REQUIREMENTS, homework=homework)
    if notebook:
        texts[FOR_NOTEBOOKS] = render(TEMPLATES, "requirements_notebook.txt")
    texts[START_HERE] = render(
        TEMPLATES,
        "start_here.txt",
        homework=homework,
        notebook=notebook,
        repository=False,
    )
    return {name: text.encode() for name, text in texts.items()}


def course_folder(
    homeworks: Sequence[Homework],
    folders: Mapping[str, Mapping[str, bytes]],
) -> dict[str, bytes]:
    """Return the files of a whole course: its homeworks' folders and a start.

    Args:
        homeworks: the homeworks.
        folders: the files of each folder, by the folder's name.
    """
    files = {}
    for folder, inside in folders.items():
        for name, data in inside.items():
            files[f"{folder}/{name}"] = data
    with speaking(homeworks[0].language):
        course_map = read_map(homeworks[0].folder.parent)
        if course_map:
            files[MAP_FILE] = map_svg(course_map).encode()
        files[START_HERE] = render(
            TEMPLATES, "course.txt", homeworks=homeworks, map=course_map
        ).encode()
    files["pytest.ini"] = render(TEMPLATES, PLAIN["pytest.ini"]).encode()
    files["check.py"] = render(TEMPLATES, "course_check.txt").encode()
    return files
