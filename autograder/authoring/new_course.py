"""Make a course: the files around its homeworks, and on request homeworks of the kit.

The kit's homeworks are read from its clone, if it runs in one. A wheel installs them below ``share``, beside
the ``lib`` of Python: every submission may read ``lib``, and none may read ``share``.
"""

from __future__ import annotations

import importlib.metadata
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from autograder.authoring.corpus import CORPUS
from autograder.course.course import PACKAGE_HOME, Course, find_course
from autograder.course.homework import CourseError
from autograder.platforms.gradescope_bundle import DISTRIBUTION, requirements
from autograder.templates import environment

SHARE = "share/attention-homework-kit"  # as in setup.py
BEGUN = ".autograder-init"
EVERY = "all"


def course_to_begin(folder: Path | None) -> Course:
    """Return the course around a folder (by default the current one), or the one to make of an empty folder.

    Raises:
        CourseError: the folder is neither empty nor in a course.
    """
    place = (folder or Path.cwd()).resolve()
    if (folder and _is_free(place)) or Course(place).solutions.is_dir():
        return Course(place)
    with suppress(CourseError):
        return find_course(place)
    if not _is_free(place):
        raise CourseError(
            f"{place} is neither a course nor empty: name a new folder with --course DIR"
        )
    return Course(place)


def begin_course(folder: Path, named: Sequence[str]) -> tuple[Course, list[str]]:
    """Make an empty folder a course, with the named homeworks of the kit, or ``all`` of them.

    All of it is written into a folder inside and moved from there, ``solutions`` last: after an interruption
    there is no course yet, and the next attempt begins again.

    Returns:
        the course, and the ids of its homeworks.

    Raises:
        CourseError: the folder is not empty, the kit has no such homework, or no homeworks are installed.
    """
    course = Course(folder.resolve())
    if not _is_free(course.root):
        raise CourseError(
            f"{course.root} is not an empty folder: name a new one; "
            "inside a course, `autograder new` adds a homework"
        )
    chosen = (
        kit_course().homeworks(() if [*named] == [EVERY] else named) if named else []
    )
    staged = Course(course.root / BEGUN)
    shutil.rmtree(staged.root, ignore_errors=True)
    for path, text in course_files(course).items():
        place = staged.root / path.relative_to(course.root)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8", newline="\n")
    for homework in chosen:
        kit, name = homework.folder.parents[1], homework.folder.name
        for part in (
            Path(top, name)
            for top in ("assignments", "reference_outputs", CORPUS, "solutions")
        ):
            shutil.copytree(
                kit / part,
                staged.root / part,
                ignore=shutil.ignore_patterns("__pycache__"),
            )
    for entry in sorted(
        staged.root.iterdir(), key=lambda one: (one.name == "solutions", one.name)
    ):
        target = course.root / entry.name
        if target.is_dir():  # from an attempt that was interrupted
            shutil.rmtree(target)
        if not target.exists():
            entry.rename(target)
    shutil.rmtree(staged.root)
    return course, course.homework_ids()


def course_files(course: Course) -> dict[Path, str]:
    """Return the texts of the files around a course's homeworks, by path."""
    title = course.root.name.replace("_", " ").replace("-", " ").strip().capitalize()
    return from_templates("course", course.root, {"title": title, "pins": _pins()})


def from_templates(kind: str, root: Path, values: dict[str, object]) -> dict[Path, str]:
    """Return the texts below ``root`` that the templates ``course``, ``homework`` or ``otter`` make, by path.

    ``STUB`` and ``ID`` in the templates' paths stand for the values of these names.
    """
    templates = environment("autograder.authoring").overlay(
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
    )
    made = {}
    for name in (
        one for one in templates.list_templates() if one.startswith(f"new/{kind}/")
    ):
        place = (
            name.removeprefix(f"new/{kind}/")
            .removesuffix(".jinja")
            .replace("dot.", ".")
        )
        for word in ("stub", "id"):
            place = place.replace(word.upper(), str(values.get(word)))
        made[root / place] = templates.get_template(name).render(values)
    return made


def kit_course() -> Course:
    """Return the course of the kit's own homeworks.

    Raises:
        CourseError: none are installed.
    """
    if Course(PACKAGE_HOME).homework_ids():
        return Course(PACKAGE_HOME)
    with suppress(importlib.metadata.PackageNotFoundError):
        for file in importlib.metadata.files(DISTRIBUTION) or ():
            if file.as_posix().endswith(f"{SHARE}/solutions/course.toml"):
                return Course(Path(str(file.locate())).resolve().parents[1])
    raise CourseError(
        f"no homeworks of the kit are installed here: pip install {DISTRIBUTION} again, as a wheel or a clone"
    )


def _is_free(folder: Path) -> bool:
    """Whether a folder may become a course: it holds only hidden files, or an interrupted attempt."""
    if not folder.is_dir():
        return not folder.exists()
    was_begun = (folder / BEGUN).is_dir() and not Course(folder).solutions.exists()
    return was_begun or all(one.name[0] == "." for one in folder.iterdir())


def _pins() -> list[str]:
    """Return what the kit needs at the versions installed here, without build tags such as ``+cpu``."""
    names = (re.split(r"[^\w.-]", line)[0] for line in requirements({"numpy", "torch"}))
    pins = []
    for name in names:
        with suppress(
            importlib.metadata.PackageNotFoundError
        ):  # needed on another system
            pins.append(f"{name}=={importlib.metadata.version(name).partition('+')[0]}")
    return pins
