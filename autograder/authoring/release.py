"""All that a released homework folder holds, and the course's zip around several of them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Mapping, Sequence

from autograder.authoring.checks_package import checks_package
from autograder.course import Course, CourseError, Homework, notebook_name, stub_text
from autograder.templates import render

EPOCH = (1980, 1, 1, 0, 0, 0)
UNIX, READABLE, EXECUTABLE = 3, 0o100644 << 16, 0o100755 << 16


def zipped(files: Mapping[str, bytes], top: str = "", executable: Collection[str] = ()) -> bytes:
    """Return a zip of the files, in one folder if ``top`` names it; the ``executable`` ones are programs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{top}/{name}" if top else name, EPOCH)
            entry.create_system = UNIX
            entry.external_attr = EXECUTABLE if name in executable else READABLE
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


ROOM = "autograder.authoring"
START_HERE = "START_HERE.md"
PLAIN = {"check.py": "check.txt", "conftest.py": "conftest.txt", "pytest.ini": "pytest.txt"}
REQUIREMENTS = {"numpy": ("numpy>=2.0", "pytest>=8.0"), "torch": ("numpy>=2.0", "pytest>=8.0", "torch>=2.4")}
OPTIONAL = (
    "watchfiles>=1.0   # for: python check.py --watch",
    "matplotlib>=3.9   # for: the .ipynb",
    "notebook>=7.0     # for: the .ipynb",
    "otter-grader>=7.0 # for: the .ipynb",
)
LIBRARY = {
    "numpy": "This homework needs NumPy alone.",
    "torch": "This homework needs PyTorch, a download of some size; everything runs on the processor.",
}
HANDOUTS = ("handout.html", "handout.md")


def homework_folder(course: Course, homework: Homework) -> dict[str, bytes]:
    """Return the files of one released homework by their paths in its folder.

    Raises:
        CourseError: the generated files are not what the solution gives, or a check cannot be public.
    """
    generated = _generated(course, homework)
    if generated.get(homework.stub) != stub_text(homework).encode():
        raise CourseError(
            f"assignments/{homework.id} is not in sync with the solution: run `make assignments`"
        )
    files = {**generated, **checks_package(course, homework)}
    for name, template in PLAIN.items():
        files[name] = render(ROOM, template).encode()
    files["requirements.txt"] = _requirements(homework).encode()
    files[START_HERE] = _start_here(homework, generated).encode()
    return files


def course_folder(
    homeworks: Sequence[Homework], folders: Mapping[str, Mapping[str, bytes]]
) -> dict[str, bytes]:
    """Return the files of the whole course: its homeworks' folders and a start."""
    files = {f"{one}/{name}": data for one, inside in folders.items() for name, data in inside.items()}
    files[START_HERE] = render(ROOM, "course.txt", homeworks=homeworks).encode()
    files["pytest.ini"] = render(ROOM, PLAIN["pytest.ini"]).encode()
    return files


def _generated(course: Course, homework: Homework) -> dict[str, bytes]:
    """Everything in the homework's folder of ``assignments/`` that is not a system's own file."""
    top = course.assignments / homework.id
    paths = (path for path in sorted(top.rglob("*")) if path.is_file())
    return {
        path.relative_to(top).as_posix(): path.read_bytes()
        for path in paths
        if not any(_is_nobodys(part) for part in path.relative_to(top).parts)
    }


def _is_nobodys(part: str) -> bool:
    return part.startswith(".") or part == "__pycache__"


def _requirements(homework: Homework) -> str:
    lines = [
        *REQUIREMENTS[homework.library],
        "",
        "# Not needed, but useful:",
        *(f"# {one}" for one in OPTIONAL),
    ]
    return "\n".join(lines) + "\n"


def _start_here(homework: Homework, generated: Mapping[str, bytes]) -> str:
    notebook = notebook_name(homework)
    return render(
        ROOM,
        "start_here.txt",
        homework=homework,
        handout=next((name for name in HANDOUTS if name in generated), START_HERE),
        notebook=notebook if notebook in generated else None,
        library=LIBRARY[homework.library],
    )
