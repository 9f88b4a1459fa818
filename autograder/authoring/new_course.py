"""Make a course: the files around its homeworks, and on request homeworks of the kit.

The kit's homeworks are read from its clone, if it runs in one. A wheel installs them below ``share``, next to
the ``lib`` of Python: every submission may read ``lib``, and none may read ``share``.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from autograder.authoring.corpus import CORPUS
from autograder.authoring.notebooks import plots_file
from autograder.course.course import (
    PACKAGE_HOME,
    TRANSLATIONS,
    Course,
    find_course,
)
from autograder.course.homework import CourseError
from autograder.handouts.course_map import MAP_SOURCE
from autograder.platforms.gradescope_bundle import DISTRIBUTION, requirements
from autograder.templates import environment

SHARE = "share/attention-homework-kit"  # as in setup.py
BEGUN = ".autograder-init"
"""The folder that holds a course while it is written."""
EVERY = "all"
"""Stands for every homework of the kit."""
FOLDERS = (Path("assignments"), Path("reference_outputs"), CORPUS, Path("solutions"))
"""The folders of a course that have a folder for each homework."""


def course_to_begin(folder: Path | None) -> Course:
    """Return the course around a folder (by default the current one), or the one to make of an empty folder.

    Raises:
        CourseError: the folder is neither empty nor in a course.
    """
    place = (folder or Path.cwd()).resolve()
    is_named_and_free = folder is not None and _is_free(place)
    if is_named_and_free or Course(place).solutions.is_dir():
        return Course(place)
    with suppress(CourseError):
        return find_course(place)
    if not _is_free(place):
        raise CourseError(
            f"{place} is neither a course nor empty: name a new folder with --course DIR"
        )
    return Course(place)


def begin_course(folder: Path, ids: Sequence[str]) -> tuple[Course, list[str]]:
    """Make an empty folder a course, with homeworks of the kit.

    All of it is written into a folder inside and moved from there, ``solutions`` last: after an interruption
    there is no course yet, and the next attempt begins again.

    Args:
        folder: the folder.
        ids: the homeworks, as a command line names them, or ``all``; none for an empty course.

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
    homeworks = []
    if list(ids) == [EVERY]:
        homeworks = kit_course().homeworks(())
    elif ids:
        homeworks = kit_course().homeworks(ids)

    staging = course.root / BEGUN
    shutil.rmtree(staging, ignore_errors=True)
    for path, text in course_files(course).items():
        place = staging / path.relative_to(course.root)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8", newline="\n")
    ignored = shutil.ignore_patterns("__pycache__")
    if homeworks:
        kit_solutions = homeworks[0].folder.parent
        translations = sorted(kit_solutions.glob(f"{Path(TRANSLATIONS).stem}.*.toml"))
        of_the_course = [plots_file(kit_solutions), kit_solutions / MAP_SOURCE]
        for shared in (*of_the_course, *translations):
            shutil.copyfile(shared, staging / "solutions" / shared.name)
    for homework in homeworks:
        kit = homework.folder.parents[1]
        for top in FOLDERS:
            part = top / homework.folder.name
            shutil.copytree(kit / part, staging / part, ignore=ignored)

    entries = list(staging.iterdir())
    entries.sort(key=lambda entry: (entry.name == "solutions", entry.name))
    for entry in entries:
        target = course.root / entry.name
        if target.is_dir():  # from an attempt that was interrupted
            shutil.rmtree(target)
        if not target.exists():
            entry.rename(target)
    shutil.rmtree(staging)
    return course, course.homework_ids()


def course_files(course: Course) -> dict[Path, str]:
    """Return the texts of the files around a course's homeworks, by path."""
    words = course.root.name.replace("_", " ").replace("-", " ")
    title = words.strip().capitalize() or "Course"
    values: dict[str, object] = {
        "title": title,
        "title_in_toml": json.dumps(title, ensure_ascii=False),
        "pins": _pins(),
    }
    return from_templates("course", course.root, values)


def from_templates(kind: str, root: Path, values: dict[str, object]) -> dict[Path, str]:
    """Return the texts that the templates of one kind make, by path.

    Args:
        kind: ``course``, ``homework`` or ``otter``.
        root: the folder that the paths are in.
        values: what the templates are filled with; ``STUB`` and ``ID`` in their paths stand for the values
            of these names.
    """
    templates = environment(
        "autograder.authoring"
    ).overlay(
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
        bytecode_cache=None,  # its files are told apart by their names alone, not by these strings
    )
    folder = f"new/{kind}/"
    texts = {}
    for name in templates.list_templates():
        if not name.startswith(folder):
            continue
        place = name.removeprefix(folder).removesuffix(".jinja")
        place = place.replace("dot.", ".")
        for word in ("stub", "id"):
            value = str(values.get(word))
            place = place.replace(word.upper(), value)
        texts[root / place] = templates.get_template(name).render(values)
    return texts


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
                path = Path(str(file.locate()))
                return Course(path.resolve().parents[1])
    raise CourseError(
        f"no homeworks of the kit are installed here: pip install {DISTRIBUTION} again, as a wheel or a clone"
    )


def _is_free(folder: Path) -> bool:
    """Return whether a folder may become a course: it holds only hidden files, or an interrupted attempt."""
    if not folder.is_dir():
        return not folder.exists()
    was_interrupted = not Course(folder).solutions.exists()
    if was_interrupted and (folder / BEGUN).is_dir():
        return True
    return all(entry.name.startswith(".") for entry in folder.iterdir())


def _pins() -> list[str]:
    """Return the kit's requirements at the versions installed here, without build tags such as ``+cpu``."""
    pins = []
    for requirement in requirements({"numpy", "torch"}):
        name = re.split(r"[^\w.-]", requirement)[0]
        # What another system needs is not installed.
        with suppress(importlib.metadata.PackageNotFoundError):
            version = importlib.metadata.version(name).partition("+")[0]
            pins.append(f"{name}=={version}")
    return pins
